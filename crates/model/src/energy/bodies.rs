//! State of all nodes within a substep of a position-based method.
//!
//! The position of a node is start + shift. The shift in a substep is dt times the velocity, small compared with the
//! position. Stored separately it loses no digits to the position, and corrections that cancel conserve momentum up to
//! rounding of the shifts.

use numerics::mat3::{Mat3, Vec3, add, cross, dot, scale};
use numerics::quaternion::{Quaternion, from_rotation_vector, normalise, product, rotate, rotate_back};

/// Three coordinates and a fourth number: one aligned load.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(32))]
pub struct Quad(pub [f64; 4]);

impl Default for Quad {
    /// Returns zeros. Written by hand: the default of arrays is a function call in builds with many codegen units, a
    /// third of a spring's time.
    #[inline(always)]
    fn default() -> Self {
        Quad([0.0; 4])
    }
}

/// State of a rigid body within a substep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rotor {
    /// Node at its centre.
    pub node: u32,
    /// Orientation at the beginning of the substep.
    pub start: Quaternion,
    /// Current orientation.
    pub orientation: Quaternion,
    /// dt times its angular momentum about its centre [kg m^2]. The change by a push does not depend on the
    /// orientation, so that angular momentum is conserved in any rotation.
    pub swing: Vec3,
    /// Principal moments of inertia [kg m^2].
    pub inertia: Vec3,
    /// Inverse moments of inertia [1/(kg m^2)]; zero where the body is held.
    pub inverse: Vec3,
}

impl Rotor {
    /// Computes I^-1 times a vector in world axes.
    #[inline]
    pub fn inverse_times(&self, a: Vec3) -> Vec3 {
        let local = rotate_back(self.orientation, a);
        rotate(self.orientation, std::array::from_fn(|k| self.inverse[k] * local[k]))
    }

    /// Rotates it by I^-1 times an angular push [kg m^2].
    #[inline]
    pub fn twist(&mut self, push: Vec3) {
        self.swing = add(self.swing, push);
        let by = from_rotation_vector(self.inverse_times(push));
        self.orientation = normalise(product(by, self.orientation));
    }
}

/// State of all nodes, free ones first.
#[derive(Debug, Clone, Default)]
pub struct Bodies {
    /// Position at the beginning of the substep [m]. The fourth number is added to the inverse mass of the node [1/kg],
    /// where blocks that are relaxed at the same time share its mass.
    pub start: Vec<Quad>,
    /// Displacement since then [m]. The fourth number is the inverse mass [1/kg], zero where the motion is prescribed.
    pub shift: Vec<Quad>,
    /// Sum of the pushes on each node by constraints while recording [kg m]; divided by dt^2 it is a force.
    pub pushes: Vec<Quad>,
    /// Pushes are recorded.
    pub is_recorded: bool,
    /// Rigid bodies, whose centres are nodes.
    pub rotors: Vec<Rotor>,
}

impl Bodies {
    /// Creates `nodes` nodes at the origin, all with prescribed motion.
    pub fn new(nodes: usize) -> Bodies {
        let [start, shift, pushes] = std::array::from_fn(|_| vec![Quad::default(); nodes]);
        Bodies { start, shift, pushes, is_recorded: false, rotors: Vec::new() }
    }

    /// Returns the position of node `i` [m].
    #[inline(always)]
    pub fn position(&self, i: usize) -> Vec3 {
        std::array::from_fn(|c| self.start[i].0[c] + self.shift[i].0[c])
    }

    /// Returns the displacement of node `i` in this substep [m]; divided by dt it is the velocity.
    #[inline(always)]
    pub fn shift(&self, i: usize) -> Vec3 {
        std::array::from_fn(|c| self.shift[i].0[c])
    }

    /// Returns the inverse mass of node `i` [1/kg]; zero where its motion is prescribed.
    #[inline(always)]
    pub fn inverse_mass(&self, i: usize) -> f64 {
        self.shift[i].0[3]
    }

    /// Moves node `i` by w p, with its inverse mass w and the push p [kg m]; nodes with prescribed motion stay.
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

    /// Applies a push [kg m] to a rigid body, at an arm [m] from its centre.
    #[inline]
    pub fn push_rigid(&mut self, rotor: usize, arm: Vec3, p: Vec3) {
        self.push(self.rotors[rotor].node as usize, p);
        self.rotors[rotor].twist(cross(arm, p));
    }

    /// Returns the position of the centre of a rigid body [m].
    #[inline]
    pub fn centre(&self, rotor: usize) -> Vec3 {
        self.position(self.rotors[rotor].node as usize)
    }

    /// Computes the displacement along `n` of a point at an arm by a unit push along `n`: 1/m + (r x n) . I^-1 (r x n)
    /// [1/kg].
    #[inline]
    pub fn mobility(&self, rotor: usize, arm: Vec3, n: Vec3) -> f64 {
        let rotor = &self.rotors[rotor];
        let turn = cross(arm, n);
        self.inverse_mass(rotor.node as usize) * dot(n, n) + dot(turn, rotor.inverse_times(turn))
    }

    /// Computes the matrix from pushes at an arm to displacements of that point: 1/m - [r]x I^-1 [r]x [1/kg].
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
