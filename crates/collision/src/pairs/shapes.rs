//! Vertices against a shape.

use super::{Reach, at};
use crate::shape::Near;
use crate::{Bounds, Lists, Pose, Shape};
use numerics::mat3::{Vec3, add, norm, scale, sub};

/// Looks at the motion, at most.
const LOOKS: usize = 16;
/// Vertices a task looks at.
const VERTICES_PER_TASK: usize = 1024;

/// A vertex that may touch a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeTouch {
    /// The vertex.
    pub node: u32,
    /// The point of the shape, in its frame [m].
    pub point: Vec3,
    /// The outward unit normal there, in its frame.
    pub normal: Vec3,
    /// How far the vertex is now from the plane through the point [m], negative behind it.
    pub distance: f64,
}

impl Shape {
    /// Fills `out` with the vertices among `nodes` that come nearer than thickness + margin to the shape while it moves from
    /// pose to pose and they from `now` to `predicted` (three coordinates a node [m]), in the order of `nodes`. The place and the
    /// normal are those where a vertex, on a straight way in the frame of the shape, first is as near as the thickness: thin
    /// shapes are not passed through. What is inside now is pushed out where it is nearest.
    #[allow(clippy::too_many_arguments)]
    pub fn touches(
        &self,
        poses: [&Pose; 2],
        nodes: &[u32],
        now: &[f64],
        predicted: &[f64],
        reach: &Reach,
        lists: &mut Lists<ShapeTouch>,
        out: &mut Vec<ShapeTouch>,
    ) {
        let bounds = self.bounds().fattened(reach.thickness + reach.margin);
        lists.gather(nodes.len().div_ceil(VERTICES_PER_TASK), out, |task, list| {
            let end = nodes.len().min((task + 1) * VERTICES_PER_TASK);
            for &node in &nodes[task * VERTICES_PER_TASK..end] {
                let way = [poses[0].local_point(at(now, node)), poses[1].local_point(at(predicted, node))];
                if Bounds::around(way).overlaps(&bounds) {
                    list.extend(self.touch(node, way, reach));
                }
            }
        });
    }

    /// Steps as long as the distance is large never pass through the surface.
    fn touch(&self, node: u32, [from, to]: [Vec3; 2], reach: &Reach) -> Option<ShapeTouch> {
        let keep = reach.thickness + reach.margin;
        let motion = norm(sub(to, from));
        if !motion.is_finite() {
            return None;
        }
        let look = |p: Vec3, rest: f64| self.near_within(p, (keep + rest).max(reach.depth));
        let mut near = look(from, motion)?;
        let mut best = near;
        let (mut gone, mut least) = (0.0, near.distance);
        for _ in 0..LOOKS {
            let gap = near.distance - reach.thickness;
            if gap <= 1e-3 * reach.thickness || gap - reach.margin > motion - gone || gone >= motion {
                break;
            }
            let step = gap.min(motion - gone);
            let p = add(from, scale((gone + step) / motion, sub(to, from)));
            let then: Near = look(p, motion - gone)?;
            least = least.min(0.5 * (near.distance + then.distance - step));
            (near, gone) = (then, gone + step);
            if near.distance < best.distance {
                best = near;
            }
        }
        least = least.min(near.distance - (motion - gone));
        let Near { normal, point, .. } = best;
        let distance = numerics::mat3::dot(normal, sub(from, point));
        (least <= keep).then_some(ShapeTouch { node, point, normal, distance })
    }
}
