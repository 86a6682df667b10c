//! How a reader takes what is wrong with a file: it refuses it, or reads on and says what it doubts.

use std::fmt;
use std::sync::Mutex;

/// The index that stands for a node that is not there; no mesh has so many.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Strict, or lenient with a list of doubts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Care<'a> {
    doubts: Option<&'a Doubts>,
}

impl<'a> Care<'a> {
    /// Refuses whatever is wrong.
    pub const STRICT: Care<'static> = Care { doubts: None };

    /// Reads on where it can: NaN stays in the points, a node that is not there has an index beyond them.
    pub(crate) fn lenient(doubts: &'a Doubts) -> Care<'a> {
        Care { doubts: Some(doubts) }
    }

    /// Whether it reads on.
    pub fn is_lenient(self) -> bool {
        self.doubts.is_some()
    }

    /// Notes what is wrong, of a lenient reader.
    pub(crate) fn doubt(self, doubt: Doubt) {
        if let Some(Doubts(list)) = self.doubts {
            list.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(doubt);
        }
    }
}

/// Doubts as they come.
#[derive(Debug, Default)]
pub struct Doubts(Mutex<Vec<Doubt>>);

impl Doubts {
    /// All of them, in the order of the file.
    pub(crate) fn into_list(self) -> Vec<Doubt> {
        self.0.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Something wrong with a file that a lenient reader could read nevertheless, and that its mesh does not show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// A table has another number of rows than its head says.
    Count {
        /// Rows of what: "tets".
        things: String,
        /// How many the head says.
        announced: u64,
        /// How many were read.
        found: u64,
    },
    /// Elements count nodes from another number than the nodes themselves do.
    OtherBase {
        /// The number of the first node.
        nodes: i64,
        /// The number that elements give it.
        elements: i64,
        /// How many elements, all of which fit so.
        count: usize,
    },
    /// Nodes share a number.
    SameNumber {
        /// The first such number.
        number: i64,
        /// How many nodes have a number that one before them has.
        count: usize,
    },
}

impl Doubt {
    /// A name for programs.
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
