//! Nodes on their way through a substep of a position-based method.
//!
//! A node is at start + shift. The shift of a substep is dt times the velocity, a small number beside the position: kept on
//! its own it loses no digits to it, and the momentum of corrections that cancel is kept to rounding of the shifts.

use numerics::mat3::{Mat3, Vec3, add, cross, dot, scale};
use numerics::quaternion::{Quaternion, from_rotation_vector, normalise, product, rotate, rotate_back};

/// Three coordinates and a fourth number beside them: one aligned load.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(32))]
pub struct Quad(pub [f64; 4]);

impl Default for Quad {
    /// By hand: that of arrays is a call in builds with many codegen units, a third of a spring's time.
    #[inline(always)]
    fn default() -> Self {
        Quad([0.0; 4])
    }
}

/// A rigid body on its way through a substep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rotor {
    /// The node at its centre.
    pub node: u32,
    /// Where the substep began.
    pub start: Quaternion,
    /// How it is turned now.
    pub orientation: Quaternion,
    /// dt times its angular momentum about its centre [kg m^2]: what a push adds to it does not depend on how it is turned,
    /// so that nothing is lost however it turns.
    pub swing: Vec3,
    /// Principal moments of inertia [kg m^2].
    pub inertia: Vec3,
    /// One over them [1/(kg m^2)]; zero where the body is held.
    pub inverse: Vec3,
}

impl Rotor {
    /// I^-1 times a vector of the world.
    #[inline]
    pub fn inverse_times(&self, a: Vec3) -> Vec3 {
        let local = rotate_back(self.orientation, a);
        rotate(self.orientation, std::array::from_fn(|k| self.inverse[k] * local[k]))
    }

    /// Turns it by I^-1 of an angular push [kg m^2].
    #[inline]
    pub fn twist(&mut self, push: Vec3) {
        self.swing = add(self.swing, push);
        let by = from_rotation_vector(self.inverse_times(push));
        self.orientation = normalise(product(by, self.orientation));
    }
}

/// All nodes, free ones first.
#[derive(Debug, Clone, Default)]
pub struct Bodies {
    /// Where the substep began [m]; and what blocks reckon with beyond the node's own inverse mass [1/kg], where blocks that
    /// are relaxed at the same time share its mass.
    pub start: Vec<Quad>,
    /// How far the node has come since [m]; and its inverse mass [1/kg], zero where its motion is given.
    pub shift: Vec<Quad>,
    /// What constraints have pushed each node by while it was recorded [kg m]; over dt^2 it is a force.
    pub pushes: Vec<Quad>,
    /// Whether pushes are added up.
    pub is_recorded: bool,
    /// The rigid bodies, whose centres are nodes.
    pub rotors: Vec<Rotor>,
}

impl Bodies {
    /// `nodes` nodes at the origin, all of them given.
    pub fn new(nodes: usize) -> Bodies {
        let [start, shift, pushes] = std::array::from_fn(|_| vec![Quad::default(); nodes]);
        Bodies { start, shift, pushes, is_recorded: false, rotors: Vec::new() }
    }

    /// Where node `i` is [m].
    #[inline(always)]
    pub fn position(&self, i: usize) -> Vec3 {
        std::array::from_fn(|c| self.start[i].0[c] + self.shift[i].0[c])
    }

    /// How far node `i` has come in this substep [m]; over dt it is its velocity.
    #[inline(always)]
    pub fn shift(&self, i: usize) -> Vec3 {
        std::array::from_fn(|c| self.shift[i].0[c])
    }

    /// Its inverse mass [1/kg]; zero where its motion is given.
    #[inline(always)]
    pub fn inverse_mass(&self, i: usize) -> f64 {
        self.shift[i].0[3]
    }

    /// Moves node `i` by w p, with its inverse mass w: not at all where its motion is given [kg m].
    #[inline(always)]
    pub fn push(&mut self, i: usize, p: Vec3) {
        let Quad([x, y, z, w]) = &mut self.shift[i];
        *x += *w * p[0];
        *y += *w * p[1];
        *z += *w * p[2];
        if self.is_recorded {
            (0..3).for_each(|c| self.pushes[i].0[c] += p[c]);
        }
    }

    /// Moves a rigid body by a push [kg m] at an arm [m] from its centre.
    #[inline]
    pub fn push_rigid(&mut self, rotor: usize, arm: Vec3, p: Vec3) {
        self.push(self.rotors[rotor].node as usize, p);
        self.rotors[rotor].twist(cross(arm, p));
    }

    /// Where the centre of a rigid body is [m].
    #[inline]
    pub fn centre(&self, rotor: usize) -> Vec3 {
        self.position(self.rotors[rotor].node as usize)
    }

    /// How far a unit push along `n` at an arm moves that point along `n`: 1/m + (r x n) . I^-1 (r x n) [1/kg].
    #[inline]
    pub fn mobility(&self, rotor: usize, arm: Vec3, n: Vec3) -> f64 {
        let rotor = &self.rotors[rotor];
        let turn = cross(arm, n);
        self.inverse_mass(rotor.node as usize) * dot(n, n) + dot(turn, rotor.inverse_times(turn))
    }

    /// The matrix from pushes at an arm to how far that point moves: 1/m - [r]x I^-1 [r]x [1/kg].
    pub fn mobility_matrix(&self, rotor: usize, arm: Vec3) -> Mat3 {
        let w = self.inverse_mass(self.rotors[rotor].node as usize);
        let columns: [Vec3; 3] = std::array::from_fn(|k| {
            let unit: Vec3 = std::array::from_fn(|c| if c == k { 1.0 } else { 0.0 });
            let turned = self.rotors[rotor].inverse_times(cross(arm, unit));
            add(scale(w, unit), cross(turned, arm))
        });
        std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i]))
    }
}
