//! Nodes on their way through a substep of a position-based method.
//!
//! A node is at start + shift. The shift of a substep is dt times the velocity, a small number beside the position: kept on
//! its own it loses no digits to it, and the momentum of corrections that cancel is kept to rounding of the shifts.

use numerics::mat3::Vec3;

/// Three coordinates and a fourth number beside them: one aligned load.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C, align(32))]
pub struct Quad(pub [f64; 4]);

/// All nodes, free ones first.
#[derive(Debug, Clone, Default)]
pub struct Bodies {
    /// Where the substep began [m]; and the inverse mass that blocks reckon with [1/kg]: the node's own, or a larger one
    /// where blocks that are relaxed at the same time have to share the node.
    pub start: Vec<Quad>,
    /// How far the node has come since [m]; and its inverse mass [1/kg], zero where its motion is given.
    pub shift: Vec<Quad>,
    /// What constraints have pushed each node by while it was recorded [kg m]; over dt^2 it is a force.
    pub pushes: Vec<Quad>,
    /// Whether pushes are added up.
    pub is_recorded: bool,
}

impl Bodies {
    /// `nodes` nodes at the origin, all of them given.
    pub fn new(nodes: usize) -> Bodies {
        let [start, shift, pushes] = std::array::from_fn(|_| vec![Quad::default(); nodes]);
        Bodies { start, shift, pushes, is_recorded: false }
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
}
