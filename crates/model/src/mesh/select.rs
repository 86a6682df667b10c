//! Selectors: parts of a mesh by position or by name.
//!
//! A selector that matches nothing is an error: a support that holds no node is a mistake.

use std::fmt;

use numerics::mat3::{Vec3, dot, norm, sub, unit};

use super::{Group, Mesh, closest_name};

/// Boundaries are extended by this fraction of the diagonal of the body, so that a face at x = 0 is inside `max = 0`
/// despite rounding.
const TOLERANCE: f64 = 1e-9;

/// Selection of a part of a mesh. Nodes are selected by their rest position, tets by their centroid. Boundaries are
/// included.
#[derive(Debug, Clone, PartialEq)]
pub enum Selector {
    /// An axis-aligned box; sides may be infinite.
    Box {
        /// Lowest corner [m].
        min: Vec3,
        /// Highest corner [m].
        max: Vec3,
    },
    /// A ball.
    Ball {
        /// Centre [m].
        center: Vec3,
        /// Radius [m].
        radius: f64,
    },
    /// Space between two concentric spheres.
    Shell {
        /// Centre [m].
        center: Vec3,
        /// Inner radius [m].
        inner: f64,
        /// Outer radius [m].
        outer: f64,
    },
    /// Side of a plane that its normal points to.
    HalfSpace {
        /// Point of the plane [m].
        point: Vec3,
        /// Normal, of any nonzero length.
        normal: Vec3,
    },
    /// Named group of the mesh.
    Group(String),
    /// Whole mesh.
    All,
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Selector::Box { min, max } => write!(f, "the box from {min:?} to {max:?} m"),
            Selector::Ball { center, radius } => write!(f, "the ball of radius {radius} m around {center:?}"),
            Selector::Shell { center, inner, outer } => {
                write!(f, "the shell from {inner} to {outer} m around {center:?}")
            }
            Selector::HalfSpace { point, normal } => {
                write!(f, "the half-space at {point:?} m on the side of {normal:?}")
            }
            Selector::Group(name) => write!(f, "the group '{name}'"),
            Selector::All => f.write_str("everything"),
        }
    }
}

/// Reason why a selector selects nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum SelectError {
    /// No part of the body is selected.
    Nothing {
        /// The selector.
        selector: Box<Selector>,
        /// "node" or "tet".
        what: &'static str,
        /// Number of such items of the body.
        count: usize,
        /// Box around the body [m], if it has points.
        bounds: Option<[Vec3; 2]>,
    },
    /// The body has no such group.
    UnknownGroup {
        /// Requested name.
        name: String,
        /// Existing names.
        known: Vec<String>,
        /// Closest existing name.
        closest: Option<String>,
    },
    /// The group has no member of this kind.
    EmptyGroup {
        /// Name of the group.
        name: String,
        /// "node" or "tet".
        what: &'static str,
    },
    /// A number of the selector is meaningless: NaN, or a normal of length 0.
    Meaningless {
        /// The selector.
        selector: Box<Selector>,
    },
}

impl fmt::Display for SelectError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            SelectError::Nothing { what, count: 0, .. } => {
                write!(f, "the body has no {what} to select; choose another mesh")
            }
            SelectError::Nothing { selector, what, count, bounds } => {
                write!(f, "{selector} holds none of the {count} {what}s of the body")?;
                if let Some([low, high]) = bounds {
                    write!(f, ", which spans {low:?} to {high:?} m")?;
                }
                f.write_str("; move or enlarge it")
            }
            SelectError::UnknownGroup { name, known, .. } if known.is_empty() => {
                write!(f, "the body has no group '{name}', nor any other; select by position instead")
            }
            SelectError::UnknownGroup { name, known, closest } => {
                write!(f, "the body has no group '{name}', it has {}", known.join(", "))?;
                closest.as_ref().map_or(Ok(()), |closest| write!(f, "; perhaps use '{closest}'"))
            }
            SelectError::EmptyGroup { name, what } => {
                write!(f, "the group '{name}' has no {what}; use another group or select by position")
            }
            SelectError::Meaningless { selector } => {
                write!(f, "{selector} has no meaning; give numbers that are not NaN, and a normal that is not 0")
            }
        }
    }
}

impl std::error::Error for SelectError {}

impl Selector {
    /// Returns the selected nodes, increasing. A group without nodes stands for the corners of its tets and triangles.
    pub fn nodes(&self, mesh: &Mesh) -> Result<Vec<u32>, SelectError> {
        if let Selector::Group(name) = self {
            let group = find_group(mesh, name)?;
            let nodes = if group.nodes.is_empty() { mesh.corners_of(group) } else { group.nodes.clone() };
            return not_empty(nodes, name, "node");
        }
        self.by_place(mesh, "node", mesh.points.len(), |i| mesh.points[i])
    }

    /// Returns the selected tets, increasing.
    pub fn tets(&self, mesh: &Mesh) -> Result<Vec<u32>, SelectError> {
        if let Selector::Group(name) = self {
            return not_empty(find_group(mesh, name)?.tets.clone(), name, "tet");
        }
        self.by_place(mesh, "tet", mesh.tets.len(), |e| mesh.tet_centroid(e))
    }

    fn by_place(
        &self,
        mesh: &Mesh,
        what: &'static str,
        count: usize,
        position: impl Fn(usize) -> Vec3,
    ) -> Result<Vec<u32>, SelectError> {
        self.check()?;
        let tolerance = TOLERANCE * mesh.diagonal();
        let found: Vec<u32> = (0..count).filter(|&i| self.contains(position(i), tolerance)).map(|i| i as u32).collect();
        if found.is_empty() {
            return Err(SelectError::Nothing { selector: Box::new(self.clone()), what, count, bounds: mesh.bounds() });
        }
        Ok(found)
    }

    /// Refuses numbers that would silently select nothing or everything.
    fn check(&self) -> Result<(), SelectError> {
        let meaningful = match self {
            Selector::Box { min, max } => min.iter().chain(max).all(|x| !x.is_nan()),
            Selector::Ball { center, radius } => center.iter().all(|x| x.is_finite()) && !radius.is_nan(),
            Selector::Shell { center, inner, outer } => {
                center.iter().all(|x| x.is_finite()) && !inner.is_nan() && !outer.is_nan()
            }
            Selector::HalfSpace { point, normal } => point.iter().chain(&unit(*normal)).all(|x| x.is_finite()),
            Selector::Group(_) | Selector::All => true,
        };
        if meaningful { Ok(()) } else { Err(SelectError::Meaningless { selector: Box::new(self.clone()) }) }
    }

    fn contains(&self, x: Vec3, tolerance: f64) -> bool {
        match *self {
            Selector::Box { min, max } => (0..3).all(|k| min[k] - tolerance <= x[k] && x[k] <= max[k] + tolerance),
            Selector::Ball { center, radius } => norm(sub(x, center)) <= radius + tolerance,
            Selector::Shell { center, inner, outer } => {
                let r = norm(sub(x, center));
                inner - tolerance <= r && r <= outer + tolerance
            }
            Selector::HalfSpace { point, normal } => dot(sub(x, point), unit(normal)) >= -tolerance,
            Selector::Group(_) => false, // by name, not by position
            Selector::All => true,
        }
    }
}

fn find_group<'a>(mesh: &'a Mesh, name: &str) -> Result<&'a Group, SelectError> {
    mesh.groups.get(name).ok_or_else(|| SelectError::UnknownGroup {
        name: name.to_string(),
        known: mesh.groups.keys().cloned().collect(),
        closest: closest_name(name, mesh.groups.keys().map(String::as_str)).map(str::to_string),
    })
}

fn not_empty(found: Vec<u32>, name: &str, what: &'static str) -> Result<Vec<u32>, SelectError> {
    if found.is_empty() { Err(SelectError::EmptyGroup { name: name.to_string(), what }) } else { Ok(found) }
}
