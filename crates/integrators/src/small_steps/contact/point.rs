//! A single contact and its relaxation in a pass.

use super::super::constraints::Substep;
use super::faces::FaceTouch;
use collision::{Joins, Pose, Shape, ShapeTouch, Touch};
use model::energy::{Quad, Shared};
use numerics::mat3::{Vec3, add, dot, norm, scale, sub};

/// Mark for no collider.
const NONE: u32 = u32::MAX;

/// Least inverse mass of a contact relative to the largest of its nodes: nodes move at most ten times as far as their
/// side.
const LEAST: f64 = 1e-2;

/// Parameters shared by all contacts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Laws {
    /// Thickness of deformable bodies [m]; they keep half of it from shapes.
    pub thickness: f64,
    /// Largest speed at which overlaps are removed [m/s].
    pub speed: f64,
}

/// Two weighted means of nodes that must not pass each other, or one and a point of a shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contact {
    /// Nodes of a and b; unused ones have weight zero.
    pub nodes: [u32; 4],
    /// Their weights, those of b negative.
    weights: [f64; 4],
    /// Unit normal from b to a; in the frame of the shape, if b is one.
    normal: Vec3,
    /// Point b of the shape in its frame [m]; zero where b is given by nodes.
    point: Vec3,
    /// Coulomb's coefficient.
    friction: f64,
    /// Normal multiplier of this substep so far [kg m].
    push: f64,
    /// Multiplier of friction [kg m].
    grip: Vec3,
    /// Overlap that may remain at the end of the substep [m]; zero if there was none.
    allowed: f64,
    /// Number of the shape.
    collider: u32,
    /// True if point and normal follow the vertex over the shape.
    follows: bool,
}

impl Joins for Contact {
    fn nodes(&self) -> [u32; 4] {
        self.nodes
    }
}

impl Contact {
    /// Makes a contact between two features of bodies.
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

    /// Makes a contact of a vertex and a shape. Shapes whose distance needs no search are queried again in each
    /// substep.
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

    /// Makes a contact of a face and a shape.
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

    /// Returns the number of the shape.
    pub fn collider(&self) -> Option<usize> {
        (self.collider != NONE).then_some(self.collider as usize)
    }

    /// Relaxes this contact in one pass.
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
        // A single node with a tiny weight would have to move far to move its side a little.
        inverse_mass = inverse_mass.max(LEAST * lightest);
        // Position of b, its displacement in the substep, and the normal, before and after.
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

    /// Returns its nodes and their weights.
    #[inline]
    fn sides(&self) -> impl Iterator<Item = (usize, f64)> {
        let (nodes, weights) = (self.nodes, self.weights);
        (0..4).map(move |k| (nodes[k] as usize, weights[k])).filter(|(_, weight)| *weight != 0.0)
    }
}
