//! A body of what is shown, and names that it may have elsewhere.

use numerics::mat3::{Vec3, cross, norm, scale};
use std::collections::HashSet;
use std::ops::Range;

/// A body: a stretch of the nodes, triangles and lines of what is shown; one without triangles and lines is a fluid, and its
/// nodes are particles.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Body {
    /// Its name in the scene.
    pub name: String,
    pub nodes: Range<usize>,
    pub triangles: Range<usize>,
    pub lines: Range<usize>,
}

impl Body {
    /// Whether its nodes are particles.
    pub fn is_fluid(&self) -> bool {
        self.triangles.is_empty() && self.lines.is_empty()
    }
}

/// Names as words of letters, digits and underscores that are all different.
pub(super) fn identifiers<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken = HashSet::new();
    let unlike = |name: &str| {
        let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut word: String = name.chars().map(letter).collect();
        if !word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            word.insert(0, '_');
        }
        let numbered = (2..).map(|n| format!("{word}_{n}"));
        let word = std::iter::once(word.clone()).chain(numbered).find(|word| !taken.contains(word));
        let word = word.unwrap_or_default();
        taken.insert(word.clone());
        word
    };
    names.map(unlike).collect()
}

/// The normal of each point, the mean of those of its triangles, weighted by area; up where there is none.
pub(super) fn normals(points: &[Vec3], triangles: impl Iterator<Item = [usize; 3]>, normals: &mut Vec<Vec3>) {
    normals.clear();
    normals.resize(points.len(), [0.0; 3]);
    for triangle in triangles {
        let [a, b, c] = triangle.map(|i| points[i]);
        let [u, v] = [b, c].map(|p| std::array::from_fn(|k| p[k] - a[k]));
        let area = cross(u, v);
        triangle.iter().for_each(|&i| (0..3).for_each(|k| normals[i][k] += area[k]));
    }
    for normal in normals {
        let length = norm(*normal);
        // Too small to have a direction in double precision, or squared away.
        *normal = if length > 1e-150 { scale(1.0 / length, *normal) } else { [0.0, 0.0, 1.0] };
    }
}

/// The smallest box around points: its low and its high corner.
pub(super) fn bounds(points: &[[f32; 3]]) -> [[f32; 3]; 2] {
    let first = points.first().copied().unwrap_or_default();
    points.iter().fold([first, first], |[low, high], p| {
        [std::array::from_fn(|k| low[k].min(p[k])), std::array::from_fn(|k| high[k].max(p[k]))]
    })
}
