//! One contact: where it is, and how a pass relaxes it.

use super::super::constraints::Substep;
use super::faces::FaceTouch;
use collision::{Pose, Shape, ShapeTouch, Touch};
use model::energy::{Quad, Shared};
use numerics::mat3::{Vec3, add, dot, norm, scale, sub};

/// No collider.
const NONE: u32 = u32::MAX;

/// The least inverse mass of a contact over the largest of its nodes: nodes move at most ten times as far as their side.
const LEAST: f64 = 1e-2;

/// What holds for all contacts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Laws {
    /// Thickness of what bends [m]; half of it keeps it from shapes.
    pub thickness: f64,
    /// How fast overlaps are undone, at most [m/s].
    pub speed: f64,
}

/// Means of nodes that must not pass each other, or not a point of a shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contact {
    /// The nodes of a and b; with a weight of zero where there are fewer.
    pub nodes: [u32; 4],
    /// Their weights, those of b negative.
    weights: [f64; 4],
    /// From b to a; in the frame of the shape, if b is one.
    normal: Vec3,
    /// The point b of the shape in its frame [m]; zero where nodes say where b is.
    point: Vec3,
    /// Coulomb's coefficient.
    friction: f64,
    /// The normal multiplier of this substep so far [kg m].
    push: f64,
    /// The multiplier of friction [kg m].
    grip: Vec3,
    /// The gap that the substep may end with [m]: none, or what is left of an overlap.
    allowed: f64,
    /// Which shape.
    collider: u32,
    /// Whether place and normal follow the vertex over the shape.
    follows: bool,
}

impl Contact {
    /// Two features of bodies.
    pub fn among(touch: &Touch, friction: f64) -> Contact {
        Contact {
            nodes: touch.nodes,
            weights: touch.weights,
            normal: touch.normal,
            point: [0.0; 3],
            friction,
            push: 0.0,
            grip: [0.0; 3],
            allowed: 0.0,
            collider: NONE,
            follows: false,
        }
    }

    /// A vertex and a shape. Shapes whose distance costs no search are asked anew each substep.
    pub fn against(touch: &ShapeTouch, collider: usize, shape: &Shape, friction: f64) -> Contact {
        Contact {
            nodes: [touch.node; 4],
            weights: [1.0, 0.0, 0.0, 0.0],
            normal: touch.normal,
            point: touch.point,
            friction,
            push: 0.0,
            grip: [0.0; 3],
            allowed: 0.0,
            collider: collider as u32,
            follows: !matches!(shape, Shape::Mesh(_) | Shape::Hull(_)),
        }
    }

    /// A face and a shape.
    pub fn face(touch: &FaceTouch, collider: usize, friction: f64) -> Contact {
        let ([a, b, c], [u, v, w]) = (touch.nodes, touch.weights);
        Contact {
            nodes: [a, b, c, a],
            weights: [u, v, w, 0.0],
            normal: touch.normal,
            point: touch.point,
            friction,
            push: 0.0,
            grip: [0.0; 3],
            allowed: 0.0,
            collider: collider as u32,
            follows: false,
        }
    }

    /// The shape, by its number.
    pub fn collider(&self) -> Option<usize> {
        (self.collider != NONE).then_some(self.collider as usize)
    }

    /// One pass over this contact.
    ///
    /// # Safety
    /// No other thread may touch its nodes at the same time.
    #[inline]
    pub unsafe fn relax(
        &mut self,
        start: &[Quad],
        shift: &Shared<'_, Quad>,
        pushes: Option<&Shared<'_, Quad>>,
        side: Option<(&Shape, &[Pose; 2])>,
        laws: &Laws,
        substep: &Substep,
    ) {
        let mut x = [0.0; 3];
        let mut u = [0.0; 3];
        let mut inverse_mass: f64 = 0.0;
        let mut lightest: f64 = 0.0;
        for (node, weight) in self.sides() {
            // SAFETY: the caller's promise.
            let Quad(moved) = unsafe { *shift.at(node) };
            (0..3).for_each(|c| {
                x[c] += weight * start[node].0[c];
                u[c] += weight * moved[c];
            });
            inverse_mass += weight * weight * moved[3];
            lightest = lightest.max(moved[3]);
        }
        if lightest == 0.0 {
            return;
        }
        // A node alone with hardly any weight would have to go far to move its side a little.
        inverse_mass = inverse_mass.max(LEAST * lightest);
        // Where b is, how far it goes in the substep, and the normal; before and after.
        let (normals, b, carried, thickness) = match side {
            Some((shape, [before, after])) => {
                if self.follows && substep.pass == 0 {
                    let near = shape.near(before.local_point(x));
                    (self.point, self.normal) = (near.point, near.normal);
                }
                let [b, moved] = [before, after].map(|pose| pose.point(self.point));
                let normals = [before, after].map(|pose| pose.vector(self.normal));
                (normals, b, sub(moved, b), 0.5 * laws.thickness)
            }
            None => ([self.normal; 2], [0.0; 3], [0.0; 3], laws.thickness),
        };
        let n = normals[1];
        let apart = sub(x, b);
        if substep.pass == 0 {
            let gap = dot(normals[0], apart) - thickness;
            self.allowed = (gap + laws.speed * substep.dt).min(0.0);
            (self.push, self.grip) = (0.0, [0.0; 3]);
        }
        let path = sub(u, carried);
        let gap = dot(n, add(apart, path)) - thickness;
        let push = (self.push - (gap - self.allowed) / inverse_mass).max(0.0);
        let mut change = scale(push - self.push, n);
        self.push = push;
        if self.friction > 0.0 && (push > 0.0 || self.grip != [0.0; 3]) {
            let slip = sub(path, scale(dot(n, path), n));
            let wanted = sub(self.grip, scale(1.0 / inverse_mass, slip));
            let (most, length) = (self.friction * push, norm(wanted));
            let grip = if length > most { scale(most / length, wanted) } else { wanted };
            change = add(change, sub(grip, self.grip));
            self.grip = grip;
        }
        if change == [0.0; 3] {
            return;
        }
        for (node, weight) in self.sides() {
            // SAFETY: the caller's promise.
            let Quad([sx, sy, sz, w]) = unsafe { shift.at(node) };
            let factor = weight * *w;
            *sx += factor * change[0];
            *sy += factor * change[1];
            *sz += factor * change[2];
            if let Some(pushes) = pushes {
                // SAFETY: the caller's promise.
                let recorded = unsafe { pushes.at(node) };
                (0..3).for_each(|c| recorded.0[c] += weight * change[c]);
            }
        }
    }

    /// Its nodes and their weights.
    #[inline]
    fn sides(&self) -> impl Iterator<Item = (usize, f64)> {
        let (nodes, weights) = (self.nodes, self.weights);
        (0..4).map(move |k| (nodes[k] as usize, weights[k])).filter(|(_, weight)| *weight != 0.0)
    }
}
