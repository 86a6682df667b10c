//! Nodes that a part of a scene is about.

use crate::mark::Mark;
use model::mesh::Selector;

/// Nodes of one body or of all.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// Name of the body, fluid or rigid body; `None` for all.
    pub body: Option<String>,
    /// Selector of the nodes.
    pub part: Selector,
    /// Mark of the selector.
    pub at: Mark,
}

impl Selection {
    /// Returns all nodes of everything.
    pub fn all() -> Selection {
        Selection { body: None, part: Selector::All, at: Mark::default() }
    }

    /// Returns nodes of one body.
    pub fn of(body: &str, part: Selector) -> Selection {
        Selection { body: Some(body.to_string()), part, at: Mark::default() }
    }
}
