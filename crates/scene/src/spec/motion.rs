//! Given motions, of nodes and of obstacles.

use super::{Choice, Variant};
use model::script::MOTIONS;

/// Describes a motion whose kind is the word of `key`.
pub(super) fn motion(key: &'static str, doc: &'static str) -> Choice {
    Choice { key, doc, default: None, variants: MOTIONS.iter().map(Variant::from).collect() }
}
