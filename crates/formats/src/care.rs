//! Handling of errors in a file: a reader refuses it, or reads on and records doubts.

use std::fmt;
use std::sync::Mutex;

/// Index of a node that does not exist; no mesh has this many.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Strict, or lenient with a list of doubts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Care<'a> {
    doubts: Option<&'a Doubts>,
}

impl<'a> Care<'a> {
    /// Refuses every error.
    pub const STRICT: Care<'static> = Care { doubts: None };

    /// Reads on where possible: NaN stays in the points, and a missing node has an index beyond them.
    pub(crate) fn lenient(doubts: &'a Doubts) -> Care<'a> {
        Care { doubts: Some(doubts) }
    }

    /// Returns true if it reads on.
    pub fn is_lenient(self) -> bool {
        self.doubts.is_some()
    }

    /// Records a doubt, for a lenient reader.
    pub(crate) fn doubt(self, doubt: Doubt) {
        if let Some(Doubts(list)) = self.doubts {
            list.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(doubt);
        }
    }
}

/// Doubts as they are recorded.
#[derive(Debug, Default)]
pub struct Doubts(Mutex<Vec<Doubt>>);

impl Doubts {
    /// Returns all of them, in the order of the file.
    pub(crate) fn into_list(self) -> Vec<Doubt> {
        self.0.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// An error in a file that a lenient reader could read nevertheless, and that its mesh does not show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// A table has another number of rows than its head says.
    Count {
        /// Kind of rows: "tets".
        things: String,
        /// Number in the head.
        announced: u64,
        /// Number read.
        found: u64,
    },
    /// Elements count nodes from another number than the nodes themselves.
    OtherBase {
        /// Number of the first node.
        nodes: i64,
        /// Number that elements give it.
        elements: i64,
        /// Number of elements, which all fit this way.
        count: usize,
    },
    /// Nodes share a number.
    SameNumber {
        /// First such number.
        number: i64,
        /// Number of nodes whose number an earlier node has.
        count: usize,
    },
}

impl Doubt {
    /// Returns a name for programs.
    pub fn word(&self) -> &'static str {
        match self {
            Doubt::Count { .. } => "wrong-count",
            Doubt::OtherBase { .. } => "other-base",
            Doubt::SameNumber { .. } => "same-number",
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Doubt::Count { things, announced, found } => {
                write!(f, "{announced} {things} are announced, but {found} could be read: those are taken")
            }
            Doubt::OtherBase { nodes, elements, count } => write!(
                f,
                "nodes are counted from {nodes}, but elements count them from {elements}: all {count} elements fit so, and \
                 are taken so"
            ),
            Doubt::SameNumber { number, count } => write!(
                f,
                "{count} nodes have a number that another has, {number} is the first: elements get the first node of a number"
            ),
        }
    }
}
