//! Bodies of an export, and their names in other formats.

use std::collections::HashSet;
use std::ops::Range;

/// A body: a range of the exported nodes, triangles and lines. A body without triangles and lines is a fluid, and its
/// nodes are particles.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ExportedBody {
    /// Its name in the scene.
    pub name: String,
    pub nodes: Range<usize>,
    pub triangles: Range<usize>,
    pub lines: Range<usize>,
    /// True if it never moves: an obstacle.
    pub still: bool,
}

impl ExportedBody {
    /// Returns whether its nodes are particles.
    pub fn is_fluid(&self) -> bool {
        self.triangles.is_empty() && self.lines.is_empty()
    }
}

/// Turns names into distinct words of letters, digits and underscores.
pub(super) fn identifiers<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    distinct(names.map(|name| {
        let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut word: String = name.chars().map(letter).collect();
        if !word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            word.insert(0, '_');
        }
        word
    }))
}

/// Turns names into distinct words without blanks.
pub(super) fn words<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    distinct(names.map(|name| name.replace(|c: char| c.is_whitespace() || c == '#', "_")))
}

/// Appends numbers to repeated words, so that all are distinct.
fn distinct(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut taken = HashSet::new();
    let unlike = |word: String| {
        let numbered = (2..).map(|n| format!("{word}_{n}"));
        let word = std::iter::once(word.clone()).chain(numbered).find(|word| !taken.contains(word));
        let word = word.unwrap_or_default();
        taken.insert(word.clone());
        word
    };
    words.map(unlike).collect()
}

/// Returns the smallest box around points: its low and its high corner.
pub(super) fn bounds(points: &[[f32; 3]]) -> [[f32; 3]; 2] {
    let first = points.first().copied().unwrap_or_default();
    points.iter().fold([first, first], |[low, high], p| {
        [std::array::from_fn(|k| low[k].min(p[k])), std::array::from_fn(|k| high[k].max(p[k]))]
    })
}
