//! Measurements of this program: one file and one row of [`BENCHES`] each.

use crate::failure::Failure;
use serde_json::Value;

/// A row of [`BENCHES`].
pub struct Bench {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it measures, in a line.
    pub description: &'static str,
    /// Measures.
    pub run: fn() -> Result<Report, Failure>,
}

/// What a bench found.
pub struct Report {
    /// For people.
    pub text: String,
    /// For programs; times in ms, ratios of times where a machine should not matter.
    pub json: Value,
}

/// Every bench.
pub static BENCHES: &[Bench] = &[];
