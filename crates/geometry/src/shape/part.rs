//! A placed shape: twisted, repeated, rotated, moved, mirrored, in that order.

use numerics::mat3::{Mat3, Vec3, add, dot, identity, mat_mul, mat_t_vec, mat_vec, norm, rotation, scale, sub};

use super::Shared;
use crate::Distance;
use crate::distance::{ALL_SPACE, least_distance};

/// Placement of a shape: x becomes rotation (scale x) + position.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// Added last [m].
    pub position: Vec3,
    /// Unit axis and angle [rad] of a rotation about the origin of the shape.
    pub rotation: (Vec3, f64),
    /// Factor of its size, above 0.
    pub scale: f64,
}

impl Default for Placement {
    fn default() -> Self {
        Placement { position: [0.0; 3], rotation: ([0.0, 0.0, 1.0], 0.0), scale: 1.0 }
    }
}

/// A rotation about an axis through the origin that grows along it.
#[derive(Debug, Clone, PartialEq)]
pub struct Twist {
    /// Unit vector.
    pub axis: Vec3,
    /// Angle per metre [rad/m].
    pub rate: f64,
}

/// Copies of a shape, each made from the one before by the same screw motion and factor.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeat {
    /// Total number, 1 or more.
    pub count: u32,
    /// Displacement of each [m].
    pub offset: Vec3,
    /// Unit axis through the origin, and rotation angle of each [rad].
    pub turn: (Vec3, f64),
    /// Size factor of each, above 0.
    pub factor: f64,
}

/// A second copy on the other side of the plane through the origin across this axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mirror {
    /// x becomes -x.
    X,
    /// y becomes -y.
    Y,
    /// z becomes -z.
    Z,
}

/// A shape and all its copies, as one.
#[derive(Clone)]
pub struct Part {
    shape: Shared,
    twist: Option<Twist>,
    /// Largest distance of the shape from the axis of its twist [m].
    radius: f64,
    copies: Vec<Copy>,
    bounds: [Vec3; 2],
}

/// x of the shape becomes `turn` (`scale` x) + `offset`; `turn` may mirror.
#[derive(Clone)]
struct Copy {
    turn: Mat3,
    offset: Vec3,
    scale: f64,
    bounds: [Vec3; 2],
}

impl Part {
    /// Places a shape.
    pub fn new(
        shape: Shared,
        twist: Option<Twist>,
        repeat: Option<&Repeat>,
        placement: &Placement,
        mirror: Option<Mirror>,
    ) -> Part {
        let mut local = shape.bounds();
        let mut radius = 0.0;
        if let Some(twist) = &twist {
            (local, radius) = swept(local, twist.axis);
        }

        // Copies by the screw motion, then placed.
        let placed = rotation(placement.rotation.0, placement.rotation.1);
        let count = repeat.map_or(1, |repeat| repeat.count.max(1));
        let (mut turn, mut offset, mut size) = (identity(), [0.0; 3], 1.0);
        let mut copies = Vec::new();
        for _ in 0..count {
            copies.push(Copy {
                turn: mat_mul(&placed, &turn),
                offset: add(mat_vec(&placed, scale(placement.scale, offset)), placement.position),
                scale: size * placement.scale,
                bounds: ALL_SPACE,
            });
            if let Some(repeat) = repeat {
                let screw = rotation(repeat.turn.0, repeat.turn.1);
                turn = mat_mul(&screw, &turn);
                offset = add(mat_vec(&screw, scale(repeat.factor, offset)), repeat.offset);
                size *= repeat.factor;
            }
        }
        if let Some(mirror) = mirror {
            let k = mirror as usize;
            let mut others = copies.clone();
            for copy in &mut others {
                copy.turn[k] = copy.turn[k].map(|x| -x);
                copy.offset[k] = -copy.offset[k];
            }
            copies.extend(others);
        }

        for copy in &mut copies {
            copy.bounds = copy.box_around(local);
        }
        let bounds = copies.iter().skip(1).fold(copies[0].bounds, |all, copy| hull(all, copy.bounds));
        Part { shape, twist, radius, copies, bounds }
    }

    /// Returns a shape without placement.
    pub fn plain(shape: Shared) -> Part {
        Part::new(shape, None, None, &Placement::default(), None)
    }

    /// Returns the distance in the shape's own coordinates.
    fn own(&self, q: Vec3) -> f64 {
        match &self.twist {
            None => self.shape.at(q),
            Some(Twist { axis, rate }) => {
                let z = dot(q, *axis);
                let r = norm(sub(q, scale(z, *axis)));
                // Stretch by the twist here: divided by it, a distance is not overestimated.
                let steepness = 1.0_f64.hypot(rate * r.max(self.radius));
                self.shape.at(mat_vec(&rotation(*axis, -rate * z), q)) / steepness
            }
        }
    }
}

impl Distance for Part {
    fn at(&self, point: Vec3) -> f64 {
        let distance = |copy: &Copy| {
            let q = scale(1.0 / copy.scale, mat_t_vec(&copy.turn, sub(point, copy.offset)));
            copy.scale * self.own(q)
        };
        let [copy] = self.copies.as_slice() else {
            // The likely nearest first: then copies that cannot be nearer are skipped.
            let likely = |a: &&Copy, b: &&Copy| a.off_middle(point).total_cmp(&b.off_middle(point));
            let Some(first) = self.copies.iter().min_by(likely) else { return f64::INFINITY };
            let mut nearest = distance(first);
            for copy in &self.copies {
                if !std::ptr::eq(copy, first) && least_distance(point, &copy.bounds) < nearest {
                    nearest = nearest.min(distance(copy));
                }
            }
            return nearest;
        };
        distance(copy)
    }

    fn bounds(&self) -> [Vec3; 2] {
        self.bounds
    }
}

impl Copy {
    /// Returns the squared distance of a point from the middle of its box [m^2].
    fn off_middle(&self, point: Vec3) -> f64 {
        let [low, high] = &self.bounds;
        let d: Vec3 = std::array::from_fn(|k| point[k] - 0.5 * (low[k] + high[k]));
        dot(d, d)
    }

    fn box_around(&self, local: [Vec3; 2]) -> [Vec3; 2] {
        if !local.iter().flatten().all(|x| x.is_finite()) {
            return ALL_SPACE;
        }
        let corner = |c: usize| {
            let q = std::array::from_fn(|k| local[c >> k & 1][k]);
            add(mat_vec(&self.turn, scale(self.scale, q)), self.offset)
        };
        (1..8).map(corner).fold([corner(0); 2], |all, p| hull(all, [p; 2]))
    }
}

/// Returns the box that a box sweeps when rotated about an axis, and its radius [m].
fn swept(local: [Vec3; 2], axis: Vec3) -> ([Vec3; 2], f64) {
    let corners = (0..8).map(|c: usize| std::array::from_fn(|k| local[c >> k & 1][k]));
    let (mut radius, mut ends) = (0.0_f64, [f64::INFINITY, f64::NEG_INFINITY]);
    for q in corners {
        let z = dot::<f64>(q, axis);
        radius = radius.max(norm(sub(q, scale(z, axis))));
        ends = [ends[0].min(z), ends[1].max(z)];
    }
    let reach = |k: usize| radius * (1.0 - axis[k] * axis[k]).max(0.0).sqrt();
    let low = std::array::from_fn(|k| (ends[0] * axis[k]).min(ends[1] * axis[k]) - reach(k));
    let high = std::array::from_fn(|k| (ends[0] * axis[k]).max(ends[1] * axis[k]) + reach(k));
    ([low, high], radius)
}

/// Returns the box around two boxes.
pub(super) fn hull(a: [Vec3; 2], b: [Vec3; 2]) -> [Vec3; 2] {
    [std::array::from_fn(|k| a[0][k].min(b[0][k])), std::array::from_fn(|k| a[1][k].max(b[1][k]))]
}
