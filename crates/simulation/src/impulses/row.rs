//! A single contact: what it asks of the displacements and of the velocities, and how it gets that by impulses.
//!
//!   displacement  n . (sum w_i u_i - c) >= r        pushes p n w_i / m_i,   p >= 0, friction at most mu p
//!   velocity      n . (sum w_i v_i - d) >= 0        pushes q n w_i / m_i,   q >= 0, friction at most mu q
//!
//! Symbols: w -> weights of the free points; c, d -> displacement and velocity of the touched point of an obstacle, or of
//! held points; r -> `least`, from the room between the features. Multipliers are kept over all passes, so that a later
//! pass can take back what an earlier one gave too much: passes converge to the nearest admissible displacements and
//! velocities in the norm of the mass, which is an inelastic impact (Moreau 1988; Harmon et al. 2008).

use collision::{Joins, Kind};
use model::energy::{Quad, Shared};
use numerics::mat3::{Vec3, add, dot, norm, scale, sub};

/// Mark for no obstacle.
pub(super) const NONE: u32 = u32::MAX;

/// Least inverse mass of a contact relative to the largest of its points: points move at most ten times as far as their
/// side.
const LEAST: f64 = 1e-2;

/// Two weighted means of points that must not pass each other, or one and a point of an obstacle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// Kind of features; of obstacles the kind does not matter.
    pub kind: Kind,
    /// Points of both sides.
    pub points: [u32; 4],
    /// Weights, those of the second side negative; zero for held points once the contact is complete.
    pub weights: [f64; 4],
    /// Unit normal from the second side to the first.
    pub normal: Vec3,
    /// Least displacement along the normal [m].
    pub least: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Speed after an impact over that before; 0 unless the approach began before this step.
    pub restitution: f64,
    /// Number of the obstacle.
    pub obstacle: u32,
    /// Displacement in the step of its touched point, or of held points [m], and their velocity [m/s].
    pub carried: [Vec3; 2],
    /// Its inverse mass [1/kg].
    pub inverse: f64,
    /// Last pass that has looked at it.
    pub seen: u32,
    /// Multiplier of the displacement along the normal, and of friction [kg m].
    pub push: f64,
    pub grip: Vec3,
    /// Impulse along the normal, and of friction [kg m/s].
    pub impulse: f64,
    pub drag: Vec3,
}

impl Joins for Row {
    fn nodes(&self) -> [u32; 4] {
        // Held points are not moved: contacts with them may be solved side by side.
        let any = (0..4).find(|&k| self.weights[k] != 0.0).unwrap_or(0);
        std::array::from_fn(|k| self.points[if self.weights[k] != 0.0 { k } else { any }])
    }
}

impl Row {
    /// Nothing: values for what a new contact does not set.
    pub const EMPTY: Row = Row {
        kind: Kind::VertexTriangle,
        points: [0; 4],
        weights: [0.0; 4],
        normal: [0.0; 3],
        least: 0.0,
        friction: 0.0,
        restitution: 0.0,
        obstacle: NONE,
        carried: [[0.0; 3]; 2],
        inverse: 0.0,
        seen: 0,
        push: 0.0,
        grip: [0.0; 3],
        impulse: 0.0,
        drag: [0.0; 3],
    };

    /// Takes held points out of the weights, and computes the inverse mass; `None` if all points are held.
    pub fn complete(mut self, shift: &[Quad], speed: &[Quad]) -> Option<Row> {
        let mut lightest: f64 = 0.0;
        self.inverse = 0.0;
        for k in 0..4 {
            let (point, weight) = (self.points[k] as usize, self.weights[k]);
            let (Quad([x, y, z, inverse]), Quad([u, v, w, _])) = (shift[point], speed[point]);
            if inverse == 0.0 {
                self.weights[k] = 0.0;
                let [carried, carried_speed] = self.carried;
                self.carried = [sub(carried, scale(weight, [x, y, z])), sub(carried_speed, scale(weight, [u, v, w]))];
            } else if weight != 0.0 {
                self.inverse += weight * weight * inverse;
                lightest = lightest.max(inverse);
            }
        }
        self.inverse = self.inverse.max(LEAST * lightest);
        (lightest > 0.0).then_some(self)
    }

    /// Returns true if the displacements miss what it asks for by more than a tolerance [m].
    pub fn is_violated(&self, shift: &[Quad], tolerance: f64) -> bool {
        let mut sum = [0.0; 3];
        for (point, weight) in self.sides() {
            let Quad(u) = shift[point];
            (0..3).for_each(|c| sum[c] += weight * u[c]);
        }
        dot(self.normal, sub(sum, self.carried[0])) < self.least - tolerance
    }

    /// Returns the points and their weights.
    #[inline]
    pub fn sides(&self) -> impl Iterator<Item = (usize, f64)> + use<> {
        let (points, weights) = (self.points, self.weights);
        (0..4).map(move |k| (points[k] as usize, weights[k])).filter(|(_, weight)| *weight != 0.0)
    }

    /// Changes displacements in one pass; `stirred` has the last pass that has moved each point by more than `negligible` [m]. Where
    /// none has since the contact was last looked at, nothing is to be done.
    ///
    /// # Safety
    /// No other thread may touch its points at the same time.
    #[inline]
    pub unsafe fn relax_shift(
        &mut self,
        shift: &Shared<'_, Quad>,
        stirred: &Shared<'_, u32>,
        pass: u32,
        negligible: f64,
    ) {
        // SAFETY: the caller's promise.
        if self.sides().all(|(point, _)| unsafe { *stirred.at(point) } < self.seen) {
            return;
        }
        self.seen = pass;
        // SAFETY: the caller's promise.
        let relative = sub(unsafe { self.sum(shift) }, self.carried[0]);
        let push = (self.push - (dot(self.normal, relative) - self.least) / self.inverse).max(0.0);
        let change = self.slide(relative, push, self.push, self.grip);
        (self.push, self.grip) = (push, add(self.grip, sub(change, scale(push - self.push, self.normal))));
        // SAFETY: the caller's promise.
        unsafe { self.give(shift, change) };
        if dot(change, change) * self.inverse * self.inverse > negligible * negligible {
            // SAFETY: the caller's promise.
            self.sides().for_each(|(point, _)| unsafe { *stirred.at(point) = pass });
        }
    }

    /// Changes velocities in one pass.
    ///
    /// # Safety
    /// No other thread may touch its points at the same time.
    #[inline]
    pub unsafe fn relax_speed(&mut self, speed: &Shared<'_, Quad>) {
        // SAFETY: the caller's promise.
        let relative = sub(unsafe { self.sum(speed) }, self.carried[1]);
        let impulse = (self.impulse - dot(self.normal, relative) / self.inverse).max(0.0);
        let change = self.slide(relative, impulse, self.impulse, self.drag);
        (self.impulse, self.drag) = (impulse, add(self.drag, sub(change, scale(impulse - self.impulse, self.normal))));
        // SAFETY: the caller's promise.
        unsafe { self.give(speed, change) };
    }

    /// Gives back the impulse times the restitution, with its friction.
    ///
    /// # Safety
    /// No other thread may touch its points at the same time.
    pub unsafe fn bounce(&mut self, speed: &Shared<'_, Quad>) {
        if self.restitution == 0.0 || self.impulse == 0.0 {
            return;
        }
        // SAFETY: the caller's promise.
        let relative = sub(unsafe { self.sum(speed) }, self.carried[1]);
        let impulse = (1.0 + self.restitution) * self.impulse;
        let change = self.slide(relative, impulse, self.impulse, self.drag);
        (self.impulse, self.drag) = (impulse, add(self.drag, sub(change, scale(impulse - self.impulse, self.normal))));
        // SAFETY: the caller's promise.
        unsafe { self.give(speed, change) };
    }

    /// Returns the change of all multipliers, for a relative motion, a new normal multiplier, and those so far.
    #[inline(always)]
    fn slide(&self, relative: Vec3, push: f64, before: f64, grip: Vec3) -> Vec3 {
        let n = self.normal;
        let change = scale(push - before, n);
        if self.friction == 0.0 || push == 0.0 && grip == [0.0; 3] {
            return change;
        }
        let slip = sub(relative, scale(dot(n, relative), n));
        let wanted = sub(grip, scale(1.0 / self.inverse, slip));
        let (most, length) = (self.friction * push, norm(wanted));
        let held = if length > most { scale(most / length, wanted) } else { wanted };
        add(change, sub(held, grip))
    }

    /// sum w_i u_i
    #[inline(always)]
    unsafe fn sum(&self, of: &Shared<'_, Quad>) -> Vec3 {
        let mut sum = [0.0; 3];
        for (point, weight) in self.sides() {
            // SAFETY: the caller's promise.
            let Quad(value) = unsafe { *of.at(point) };
            (0..3).for_each(|c| sum[c] += weight * value[c]);
        }
        sum
    }

    #[inline(always)]
    unsafe fn give(&self, of: &Shared<'_, Quad>, change: Vec3) {
        if change == [0.0; 3] {
            return;
        }
        for (point, weight) in self.sides() {
            // SAFETY: the caller's promise.
            let Quad([x, y, z, inverse]) = unsafe { of.at(point) };
            let factor = weight * *inverse;
            *x += factor * change[0];
            *y += factor * change[1];
            *z += factor * change[2];
        }
    }
}
