//! Assemblies: parts combined one after the other, smoothly or not, and the groups of their names.

use std::collections::BTreeMap;
use std::fmt;

use model::mesh::Mesh;
use numerics::mat3::Vec3;

use super::Part;
use super::part::hull;
use crate::Distance;
use crate::distance::least_distance;

/// Operation of a part on the result of those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Added.
    Union,
    /// Cut away.
    Difference,
    /// Only its inside stays.
    Intersection,
    /// Nothing changes: it only names its inside.
    Label,
}

impl Operation {
    /// Words in scene files.
    pub const NAMES: [(&'static str, Operation); 4] = [
        ("union", Operation::Union),
        ("difference", Operation::Difference),
        ("intersection", Operation::Intersection),
        ("label", Operation::Label),
    ];
}

/// Parts combined in their order.
#[derive(Clone)]
pub struct Assembly {
    joined: Vec<Joined>,
    bounds: [Vec3; 2],
}

/// A part and its operation.
#[derive(Clone)]
pub struct Joined {
    /// Operation.
    pub operation: Operation,
    /// Width of the blended seam [m].
    pub blend: f64,
    /// Name, if it has one.
    pub name: Option<String>,
    /// The part.
    pub part: Part,
}

/// Reason why parts make no assembly, or a name is empty.
#[derive(Debug, Clone, PartialEq)]
pub enum AssemblyError {
    /// No part adds anything, or the first cuts from nothing.
    NothingToCut {
        /// The first part that needs something before it, counted from 1.
        part: usize,
    },
    /// Intersected parts have nothing in common.
    NothingLeft,
    /// A half space is added, or not cut enough.
    Unbounded,
    /// No tet belongs to a named part.
    NamesNothing {
        /// The name.
        name: String,
    },
}

impl fmt::Display for AssemblyError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            AssemblyError::NothingToCut { part } => {
                write!(f, "part {part} changes what is before it, but nothing is; begin with a part of operation union")
            }
            AssemblyError::NothingLeft => {
                f.write_str("nothing is left of the body: parts that intersect do not meet; move or enlarge them")
            }
            AssemblyError::Unbounded => {
                f.write_str("the body has no end; let half spaces cut (difference, intersection), not be added")
            }
            AssemblyError::NamesNothing { name } => write!(
                f,
                "no tet belongs to the part '{name}': it is hidden, cut away, or thinner than the mesh; ask for more \
                 vertices or make it larger"
            ),
        }
    }
}

impl std::error::Error for AssemblyError {}

impl Assembly {
    /// Combines the parts.
    pub fn new(joined: Vec<Joined>) -> Result<Assembly, AssemblyError> {
        let mut bounds: Option<[Vec3; 2]> = None;
        for (i, Joined { operation, blend, part, .. }) in joined.iter().enumerate() {
            let own = part.bounds();
            bounds = match (operation, bounds) {
                (Operation::Union, None) => Some(own),
                // A blended seam swells by a quarter of its width at most.
                (Operation::Union, Some(all)) => {
                    let [low, high] = hull(all, own);
                    Some([low.map(|x| x - 0.25 * blend), high.map(|x| x + 0.25 * blend)])
                }
                (Operation::Label, all) => all,
                (_, None) => return Err(AssemblyError::NothingToCut { part: i + 1 }),
                (Operation::Difference, all) => all,
                (Operation::Intersection, Some([low, high])) => Some([
                    std::array::from_fn(|k| low[k].max(own[0][k])),
                    std::array::from_fn(|k| high[k].min(own[1][k])),
                ]),
            };
        }
        let bounds = bounds.ok_or(AssemblyError::NothingToCut { part: 1 })?;
        if !bounds.iter().flatten().all(|x| x.is_finite()) {
            return Err(AssemblyError::Unbounded);
        }
        if (0..3).any(|k| bounds[0][k] >= bounds[1][k]) {
            return Err(AssemblyError::NothingLeft);
        }
        Ok(Assembly { joined, bounds })
    }

    /// Makes groups of tets from the names of parts, by centroids: a tet belongs to the nearest added part, and to
    /// every label that contains it.
    pub fn name_groups(&self, mesh: &mut Mesh) -> Result<(), AssemblyError> {
        let mut groups: BTreeMap<&str, Vec<u32>> =
            self.joined.iter().filter_map(|joined| Some((joined.name.as_deref()?, Vec::new()))).collect();
        if groups.is_empty() {
            return Ok(());
        }
        for e in 0..mesh.tets.len() {
            let centroid = mesh.tet_centroid(e);
            let mut nearest: (f64, Option<&str>) = (f64::INFINITY, None);
            let mut names = Vec::new();
            for joined in &self.joined {
                match joined.operation {
                    Operation::Union => {
                        let distance = joined.part.at(centroid);
                        if distance < nearest.0 {
                            nearest = (distance, joined.name.as_deref());
                        }
                    }
                    Operation::Label if joined.part.at(centroid) <= 0.0 => names.extend(joined.name.as_deref()),
                    _ => {}
                }
            }
            names.extend(nearest.1);
            for name in names {
                // Two labels may share a name and a tet.
                groups.entry(name).and_modify(|tets| {
                    if tets.last() != Some(&(e as u32)) {
                        tets.push(e as u32);
                    }
                });
            }
        }
        if let Some((name, _)) = groups.iter().find(|(_, tets)| tets.is_empty()) {
            return Err(AssemblyError::NamesNothing { name: name.to_string() });
        }
        for (name, tets) in groups {
            mesh.group_tets(name, tets);
        }
        Ok(())
    }
}

/// Returns the lesser of two, with the corner between them rounded over a width.
fn smooth_min(a: f64, b: f64, width: f64) -> f64 {
    let overlap = width - (a - b).abs();
    if overlap <= 0.0 { a.min(b) } else { a.min(b) - 0.25 * overlap * overlap / width }
}

impl Distance for Assembly {
    fn at(&self, point: Vec3) -> f64 {
        let mut distance = f64::INFINITY;
        for Joined { operation, blend, part, .. } in &self.joined {
            // Parts farther than this cannot change the result, so they are evaluated near themselves only.
            let least = least_distance(point, &part.bounds());
            match operation {
                Operation::Union if least < distance + blend => {
                    distance = smooth_min(distance, part.at(point), *blend);
                }
                Operation::Difference if least < blend - distance => {
                    distance = -smooth_min(-distance, part.at(point), *blend);
                }
                Operation::Intersection => distance = -smooth_min(-distance, -part.at(point), *blend),
                _ => {}
            }
        }
        distance
    }

    fn bounds(&self) -> [Vec3; 2] {
        self.bounds
    }
}
