//! Axis-aligned boxes.

use crate::Pose;
use numerics::mat3::{Vec3, add, dot, scale, sub};
use numerics::quaternion::to_matrix;

/// An axis-aligned box [m]. Sides may be infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Least coordinates [m].
    pub low: Vec3,
    /// Greatest coordinates [m].
    pub high: Vec3,
}

impl Bounds {
    /// The empty box: the union with it changes nothing, and nothing overlaps it.
    pub const EMPTY: Bounds = Bounds { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };
    /// The box of all space.
    pub const ALL: Bounds = Bounds { low: [f64::NEG_INFINITY; 3], high: [f64::INFINITY; 3] };

    /// Returns the box around points [m].
    #[inline]
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| b.union(&Bounds { low: p, high: p }))
    }

    /// Returns the box around a straight path [m].
    #[inline]
    pub fn of_way(from: Vec3, to: Vec3) -> Self {
        Bounds { low: from, high: from }.union(&Bounds { low: to, high: to })
    }

    /// Returns the box around both.
    #[inline]
    pub fn union(&self, other: &Bounds) -> Self {
        // Written out: functions over arrays are not always inlined.
        let ([a, b, c], [d, e, f]) = (self.low, other.low);
        let ([p, q, r], [s, t, u]) = (self.high, other.high);
        Bounds { low: [a.min(d), b.min(e), c.min(f)], high: [p.max(s), q.max(t), r.max(u)] }
    }

    /// Returns the box enlarged by `margin` [m] on every side.
    #[inline]
    pub fn fattened(&self, margin: f64) -> Self {
        Bounds { low: self.low.map(|c| c - margin), high: self.high.map(|c| c + margin) }
    }

    /// Returns true if the two have a point in common. Boxes with a NaN overlap nothing.
    #[inline]
    pub fn overlaps(&self, other: &Bounds) -> bool {
        // Without branches: most answers of a search are hard to predict.
        (self.low[0] <= other.high[0])
            & (other.low[0] <= self.high[0])
            & (self.low[1] <= other.high[1])
            & (other.low[1] <= self.high[1])
            & (self.low[2] <= other.high[2])
            & (other.low[2] <= self.high[2])
    }

    /// Returns the squared distance of a point [m^2], 0 inside.
    #[inline]
    pub fn squared_distance(&self, p: Vec3) -> f64 {
        let side = |k: usize| (self.low[k] - p[k]).max(p[k] - self.high[k]).max(0.0);
        let d = [side(0), side(1), side(2)];
        dot(d, d)
    }

    /// Returns the centre [m].
    #[inline]
    pub fn middle(&self) -> Vec3 {
        std::array::from_fn(|k| 0.5 * (self.low[k] + self.high[k]))
    }

    /// Returns the box in the world around this box of a frame.
    pub fn posed(&self, pose: &Pose) -> Self {
        if !self.low.iter().chain(&self.high).all(|c| c.is_finite()) {
            return Self::ALL;
        }
        let (half, r) = (scale(0.5, sub(self.high, self.low)), to_matrix(pose.rotation));
        let reach: Vec3 = std::array::from_fn(|i| (0..3).map(|k| r[i][k].abs() * half[k]).sum());
        let middle = pose.point(self.middle());
        Bounds { low: sub(middle, reach), high: add(middle, reach) }
    }
}
