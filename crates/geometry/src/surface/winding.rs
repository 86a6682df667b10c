//! Winding number of a surface around a point: 1 inside a closed one, 0 outside, in between near a hole.
//!
//! Near triangles count by their solid angle, far parts of the tree as one dipole at their centre of area:
//! w(q) = sum n . (p - q) / (4 pi |p - q|^3). Cost: logarithmic in the number of triangles.
//!
//! Barill, Dickson, Schmidt, Levin & Jacobson, Fast winding numbers for soups and clouds, SIGGRAPH 2018.

use numerics::mat3::{Vec3, add, dot, norm, scale, sub};

use super::triangle::{Triangle, area_vector, winding};
use crate::bvh::{Bounds, Bvh, around, union};

/// Number of radii beyond which a part is far (beta of the paper): errors of a few hundredths.
pub(super) const FAR: f64 = 3.0;

/// The same where only the side of 1/2 matters and the winding number is near 0 or 1 anyway.
const ROUGHLY_FAR: f64 = 1.25;

/// Least distance of the rough winding number from 1/2 to be accepted.
const CLEAR: f64 = 0.3;

/// A part of a surface seen from far away.
#[derive(Clone, Copy)]
struct Dipole {
    /// Sum of its area vectors [m^2].
    normal: Vec3,
    /// Centre of area [m].
    centre: Vec3,
    /// Squared radius around the centre that contains it [m^2].
    squared_radius: f64,
}

/// Dipoles of the nodes of a tree over triangles, and of the triangles.
pub(super) struct Winding {
    nodes: Vec<Dipole>,
    triangles: Vec<Dipole>,
}

/// Sums on the way to the root.
struct Sums {
    normal: Vec3,
    moment: Vec3,
    area: f64,
    bounds: Bounds,
}

impl Sums {
    fn of(triangle: &Triangle) -> Self {
        let normal = area_vector(triangle);
        let area = norm(normal);
        let centre = scale(1.0 / 3.0, add(triangle[0], add(triangle[1], triangle[2])));
        Sums { normal, moment: scale(area, centre), area, bounds: around(triangle) }
    }

    fn with(&self, other: &Sums) -> Self {
        Sums {
            normal: add(self.normal, other.normal),
            moment: add(self.moment, other.moment),
            area: self.area + other.area,
            bounds: union(&self.bounds, &other.bounds),
        }
    }

    fn dipole(&self) -> Dipole {
        let centre = scale(1.0 / self.area, self.moment);
        let [low, high] = self.bounds;
        let reach: Vec3 = std::array::from_fn(|k| (centre[k] - low[k]).max(high[k] - centre[k]));
        Dipole { normal: self.normal, centre, squared_radius: dot(reach, reach) }
    }
}

impl Dipole {
    /// Returns four pi times the winding number, if it is further away than its radius by a factor with this square.
    fn seen_from(&self, q: Vec3, squared_factor: f64) -> Option<f64> {
        let d = sub(self.centre, q);
        let squared = dot(d, d);
        (squared > squared_factor * self.squared_radius).then(|| dot(self.normal, d) / (squared * squared.sqrt()))
    }
}

impl Winding {
    /// Makes the dipoles. The triangles must have areas above zero.
    pub(super) fn new(tree: &Bvh, triangles: &[Triangle]) -> Self {
        let none = || Sums { normal: [0.0; 3], moment: [0.0; 3], area: 0.0, bounds: crate::bvh::EMPTY };
        let leaf = |leaf: &[u32]| leaf.iter().fold(none(), |sum, &i| sum.with(&Sums::of(&triangles[i as usize])));
        let parts = tree.summaries(leaf, Sums::with);
        Winding {
            nodes: parts.iter().map(Sums::dipole).collect(),
            triangles: triangles.iter().map(|triangle| Sums::of(triangle).dipole()).collect(),
        }
    }

    /// Returns the winding number of a point; parts further away than `factor` radii are dipoles.
    pub(super) fn at(&self, tree: &Bvh, triangles: &[Triangle], q: Vec3, factor: f64) -> f64 {
        let squared_factor = factor * factor;
        let [mut in_nodes, mut in_triangles, mut near] = [0.0, 0.0, 0.0];
        tree.descend(
            |node| match self.nodes[node].seen_from(q, squared_factor) {
                Some(share) => {
                    in_nodes += share;
                    false
                }
                None => true,
            },
            |i| match self.triangles[i as usize].seen_from(q, squared_factor) {
                Some(share) => in_triangles += share,
                None => near += winding(&triangles[i as usize], q),
            },
        );
        near + (in_nodes + in_triangles) / (4.0 * std::f64::consts::PI)
    }

    /// Returns true if the winding number of a point is above 1/2, with its sign changed if `outward` is -1.
    pub(super) fn is_inside(&self, tree: &Bvh, triangles: &[Triangle], q: Vec3, outward: f64) -> bool {
        let rough = outward * self.at(tree, triangles, q, ROUGHLY_FAR) - 0.5;
        if rough.abs() > CLEAR {
            return rough > 0.0;
        }
        outward * self.at(tree, triangles, q, FAR) > 0.5
    }
}
