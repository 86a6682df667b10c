//! Contacts of points with obstacles.

use super::pairs::{GAP, SOFTLY};
use super::points::Points;
use super::row::Row;
use collision::{Kind, Lists, Pose, Reach, Shape, ShapeTouch, Vertices};
use model::collisions::{Collider, Collisions};
use numerics::mat3::{Vec3, dot, scale, sub};

/// Depth to which points inside a mesh are detected, as a share of its diagonal.
const DEPTH: f64 = 0.05;

/// An obstacle and the points that meet it.
struct Obstacle {
    collider: Collider,
    points: Vec<u32>,
    /// Poses at the beginning and the end of the step.
    poses: [Pose; 2],
    /// Depth to which points inside are detected [m].
    depth: f64,
}

/// All obstacles; their memory is reused from step to step.
pub(super) struct Obstacles {
    all: Vec<Obstacle>,
    lists: Lists<ShapeTouch>,
    touches: Vec<ShapeTouch>,
    /// Distance that points keep [m]: half the thickness.
    half: f64,
    margin: f64,
    h: f64,
}

impl Obstacles {
    pub fn new(collisions: &Collisions, point_of: &[u32]) -> Obstacles {
        let obstacle = |collider: &Collider| {
            let mut points: Vec<u32> = collider.nodes.iter().map(|&i| point_of[i as usize]).collect();
            points.sort_unstable();
            points.dedup();
            points.retain(|&i| i != u32::MAX);
            let bounds = collider.shape.bounds();
            let diagonal = (0..3).map(|c| (bounds.high[c] - bounds.low[c]).powi(2)).sum::<f64>().sqrt();
            let is_mesh = matches!(collider.shape, Shape::Mesh(_));
            Obstacle {
                points,
                poses: [collider.pose; 2],
                depth: if is_mesh { DEPTH * diagonal } else { 0.0 },
                collider: collider.clone(),
            }
        };
        Obstacles {
            all: collisions.colliders.iter().map(obstacle).collect(),
            lists: Lists::default(),
            touches: Vec::new(),
            half: 0.5 * collisions.thickness,
            margin: collisions.margin,
            h: 0.0,
        }
    }

    /// Moves the obstacles to a step from time `t`, of length `h` [s].
    pub fn begin(&mut self, t: f64, h: f64) {
        self.h = h;
        for obstacle in &mut self.all {
            obstacle.poses = [t, t + h].map(|t| obstacle.collider.pose_at(t));
        }
    }

    /// Adds contacts of points that may come near an obstacle within the step.
    pub fn resist(&mut self, points: &Points, fastest: f64, out: &mut Vec<Row>) {
        self.touch(points, [self.half, self.margin], fastest, |row, _| out.push(row));
    }

    /// Adds contacts of points that come as near as the gap; returns their number.
    pub fn violations(&mut self, points: &Points, fastest: f64, out: &mut Vec<Row>) -> usize {
        let before = out.len();
        let gap = GAP * self.half;
        self.touch(points, [gap, 0.0], fastest, |row, before| {
            // Points that began nearer must only have left as softly as they were asked to.
            if before >= gap || row.is_violated(&points.shift, 1e-6 * gap) {
                out.push(row);
            }
        });
        out.len() - before
    }

    /// Calls `add` with a contact of each point that comes near, and its distance before the step.
    fn touch(&mut self, points: &Points, [thickness, margin]: [f64; 2], fastest: f64, mut add: impl FnMut(Row, f64)) {
        let Obstacles { all, lists, touches, half, h, .. } = self;
        for (k, obstacle) in all.iter().enumerate() {
            let Obstacle { collider, poses: [before, after], .. } = obstacle;
            let vertices = Vertices { nodes: &obstacle.points, now: &points.start, predicted: &points.end };
            let reach = Reach { thickness, margin, depth: obstacle.depth };
            collider.shape.touches([before, after], vertices, &reach, lists, touches);
            for touch in touches.iter() {
                let normal = after.vector(touch.normal);
                let from = before.point(touch.point);
                let carried = sub(after.point(touch.point), from);
                // Points that begin nearer than they should are moved out softly.
                let wanted = half.min(touch.distance + (SOFTLY * (*half - touch.distance)).clamp(0.0, fastest));
                let least = wanted - dot(normal, sub(points.at(touch.node), from));
                let row = Row {
                    kind: Kind::VertexTriangle,
                    points: [touch.node; 4],
                    weights: [1.0, 0.0, 0.0, 0.0],
                    normal,
                    least,
                    friction: collider.friction,
                    restitution: collider.restitution,
                    obstacle: k as u32,
                    carried: [carried, scale(1.0 / *h, carried)],
                    ..Row::EMPTY
                };
                if let Some(row) = row.complete(&points.shift, &points.speed) {
                    add(row, touch.distance);
                }
            }
        }
    }

    /// Returns the displacement that takes a point along with an obstacle [m].
    pub fn carry(&self, obstacle: u32, x: Vec3) -> Vec3 {
        let [before, after] = &self.all[obstacle as usize].poses;
        sub(after.point(before.local_point(x)), x)
    }
}
