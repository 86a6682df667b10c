//! What a side of a contact is pushed by: one place, or the mean of the corners of a face of what bends.

use super::grip;
use model::Anchor;
use model::energy::Bodies;
use numerics::mat3::{Vec3, add, dot, scale};

/// The core of a side.
#[derive(Debug, Clone, Copy)]
pub(super) enum Core {
    /// A place of a rigid body, a node, or the world.
    At(Anchor),
    /// A place of a face, by its corners and their weights.
    Face([u32; 3], Vec3),
}

impl Core {
    /// The mean over the corners of a face of what is said of a node.
    fn mean(nodes: [u32; 3], weights: Vec3, of: impl Fn(u32) -> Vec3) -> Vec3 {
        (0..3).fold([0.0; 3], |sum, k| add(sum, scale(weights[k], of(nodes[k]))))
    }

    /// Where it is now [m].
    pub fn place(&self, bodies: &Bodies) -> Vec3 {
        match *self {
            Core::At(anchor) => grip::place(bodies, &anchor),
            Core::Face(nodes, weights) => Core::mean(nodes, weights, |i| bodies.position(i as usize)),
        }
    }

    /// Where it was when the substep began [m].
    pub fn start(&self, bodies: &Bodies) -> Vec3 {
        match *self {
            Core::At(anchor) => grip::start(bodies, &anchor),
            Core::Face(nodes, weights) => Core::mean(nodes, weights, |i| grip::start(bodies, &Anchor::Node(i))),
        }
    }

    /// How far the material point that is at a place now has come in this substep [m].
    pub fn path(&self, bodies: &Bodies, at: Vec3) -> Vec3 {
        match *self {
            Core::At(anchor) => grip::path(bodies, &anchor, at),
            Core::Face(nodes, weights) => Core::mean(nodes, weights, |i| bodies.shift(i as usize)),
        }
    }

    /// How far a unit push along `n` at a point moves it along `n` [1/kg].
    pub fn mobility(&self, bodies: &Bodies, at: Vec3, n: Vec3) -> f64 {
        match *self {
            Core::At(anchor) => grip::mobility(bodies, &anchor, at, n),
            Core::Face(nodes, weights) => {
                let of = |k: usize| weights[k] * weights[k] * bodies.inverse_mass(nodes[k] as usize);
                (0..3).map(of).sum::<f64>() * dot(n, n)
            }
        }
    }

    /// Pushes at a point [kg m].
    pub fn push(&self, bodies: &mut Bodies, at: Vec3, p: Vec3) {
        match *self {
            Core::At(anchor) => grip::push(bodies, &anchor, at, p),
            Core::Face(nodes, weights) => {
                (0..3).for_each(|k| bodies.push(nodes[k] as usize, scale(weights[k], p)));
            }
        }
    }
}
