//! Vertices against a shape.

use super::{Reach, at};
use crate::shape::Near;
use crate::{Bounds, Lists, Pose, Shape};
use numerics::mat3::{Vec3, add, norm, scale, sub};

/// Limit of evaluations of the motion.
const LOOKS: usize = 16;
/// Vertices per task.
const VERTICES_PER_TASK: usize = 1024;

/// A vertex that may touch a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeTouch {
    /// The vertex.
    pub node: u32,
    /// Point of the shape, in its frame [m].
    pub point: Vec3,
    /// Outward unit normal there, in its frame.
    pub normal: Vec3,
    /// Current distance of the vertex from the plane through the point [m], negative behind it.
    pub distance: f64,
}

/// Moving vertices.
#[derive(Debug, Clone, Copy)]
pub struct Vertices<'a> {
    /// Numbers of their nodes.
    pub nodes: &'a [u32],
    /// Current positions of nodes, three coordinates each [m].
    pub now: &'a [f64],
    /// Predicted positions [m].
    pub predicted: &'a [f64],
}

impl Shape {
    /// Fills `out` with the vertices that come nearer than thickness + margin to the shape while it moves from pose to
    /// pose, in their order. Point and normal are those where a vertex, on a straight path in the frame of the shape,
    /// first is as near as the thickness: so thin shapes are not passed through. Vertices inside are pushed out at the
    /// nearest point.
    pub fn touches(
        &self,
        poses: [&Pose; 2],
        vertices: Vertices,
        reach: &Reach,
        lists: &mut Lists<ShapeTouch>,
        out: &mut Vec<ShapeTouch>,
    ) {
        let Vertices { nodes, now, predicted } = vertices;
        let bounds = self.bounds().fattened(reach.thickness + reach.margin);
        let everywhere = bounds.posed(poses[0]).union(&bounds.posed(poses[1]));
        lists.gather(nodes.len().div_ceil(VERTICES_PER_TASK), out, |task, list| {
            let end = nodes.len().min((task + 1) * VERTICES_PER_TASK);
            // Neighbours are usually near the same point as the vertex before.
            let mut known = [f64::INFINITY; 3];
            for &node in &nodes[task * VERTICES_PER_TASK..end] {
                let [from, to] = [at(now, node), at(predicted, node)];
                if !Bounds::of_way(from, to).overlaps(&everywhere) {
                    continue;
                }
                let way = [poses[0].local_point(from), poses[1].local_point(to)];
                if Bounds::of_way(way[0], way[1]).overlaps(&bounds) {
                    list.extend(self.touch(node, way, reach, &mut known));
                }
            }
        });
    }

    /// Steps as long as the distance never pass through the surface.
    fn touch(&self, node: u32, [from, to]: [Vec3; 2], reach: &Reach, known: &mut Vec3) -> Option<ShapeTouch> {
        let keep = reach.thickness + reach.margin;
        let motion = norm(sub(to, from));
        if !motion.is_finite() {
            return None;
        }
        let mut near = self.near_known(from, (keep + motion).max(reach.depth), *known)?;
        *known = near.point;
        let mut best = near;
        let (mut gone, mut least) = (0.0, near.distance);
        for _ in 0..LOOKS {
            let gap = near.distance - reach.thickness;
            if gap <= 1e-3 * reach.thickness || gap - reach.margin > motion - gone || gone >= motion {
                break;
            }
            let step = gap.min(motion - gone);
            let p = add(from, scale((gone + step) / motion, sub(to, from)));
            let then: Near = self.near_known(p, (keep + motion - gone).max(reach.depth), near.point)?;
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
