//! Core of a contact side, where pushes act: one point, or a weighted mean of the corners of a deformable face.

use super::grip;
use model::Anchor;
use model::energy::Bodies;
use numerics::mat3::{Vec3, add, dot, scale};

/// Core of a side.
#[derive(Debug, Clone, Copy)]
pub(super) enum Core {
    /// A point of a rigid body, a node, or the world.
    At(Anchor),
    /// A point of a face, by its corners and their weights.
    Face([u32; 3], Vec3),
}

impl Core {
    /// Returns the weighted mean of `of` over the corners of a face.
    fn mean(nodes: [u32; 3], weights: Vec3, of: impl Fn(u32) -> Vec3) -> Vec3 {
        (0..3).fold([0.0; 3], |sum, k| add(sum, scale(weights[k], of(nodes[k]))))
    }

    /// Returns its current position [m].
    pub fn position(&self, bodies: &Bodies) -> Vec3 {
        match *self {
            Core::At(anchor) => grip::position(bodies, &anchor),
            Core::Face(nodes, weights) => Core::mean(nodes, weights, |i| bodies.position(i as usize)),
        }
    }

    /// Returns its position at the beginning of the substep [m].
    pub fn start(&self, bodies: &Bodies) -> Vec3 {
        match *self {
            Core::At(anchor) => grip::start(bodies, &anchor),
            Core::Face(nodes, weights) => Core::mean(nodes, weights, |i| grip::start(bodies, &Anchor::Node(i))),
        }
    }

    /// Returns the displacement in this substep of the material point now at a position [m].
    pub fn path(&self, bodies: &Bodies, at: Vec3) -> Vec3 {
        match *self {
            Core::At(anchor) => grip::path(bodies, &anchor, at),
            Core::Face(nodes, weights) => Core::mean(nodes, weights, |i| bodies.shift(i as usize)),
        }
    }

    /// Returns the displacement along `n` by a unit push along `n` at a point [1/kg].
    pub fn mobility(&self, bodies: &Bodies, at: Vec3, n: Vec3) -> f64 {
        match *self {
            Core::At(anchor) => grip::mobility(bodies, &anchor, at, n),
            Core::Face(nodes, weights) => {
                let of = |k: usize| weights[k] * weights[k] * bodies.inverse_mass(nodes[k] as usize);
                (0..3).map(of).sum::<f64>() * dot(n, n)
            }
        }
    }

    /// Applies a push at a point [kg m].
    pub fn push(&self, bodies: &mut Bodies, at: Vec3, p: Vec3) {
        match *self {
            Core::At(anchor) => grip::push(bodies, &anchor, at, p),
            Core::Face(nodes, weights) => {
                (0..3).for_each(|k| bodies.push(nodes[k] as usize, scale(weights[k], p)));
            }
        }
    }
}
