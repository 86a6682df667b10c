//! Faces against shapes: contacts of a ball, a corner or an edge between the vertices of a triangle.
//!
//! The point of the triangle nearest to the shape is found by moving towards the vertex of steepest descent with the
//! best step length (Frank & Wolfe 1956; Macklin et al. 2020 for distances).

use collision::{Bounds, Lists, Pose, Reach, Shape};
use model::collisions::{Collider, Collisions};
use numerics::mat3::{Vec3, add, dot, norm, scale, sub};

/// Limit of moves towards vertices.
const WALKS: usize = 8;
/// Limit of halvings of a move.
const CUTS: usize = 12;
/// Triangles per task.
const TRIANGLES_PER_TASK: usize = 1024;
/// Ratio of side lengths from which vertices alone detect the corners of a mesh.
const COARSER: f64 = 3.0;
/// Largest weight of a point between vertices; above it the vertex has a contact of its own.
pub(in super::super) const VERTEX: f64 = 0.95;

/// A triangle near a shape.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct FaceTouch {
    /// Its nodes and the weights of the nearest point.
    pub nodes: [u32; 3],
    pub weights: Vec3,
    /// Point and outward normal of the shape, in the frame of the shape [m].
    pub point: Vec3,
    pub normal: Vec3,
}

/// Faces that may meet one collider.
pub(super) struct Faces {
    triangles: Vec<[u32; 3]>,
    lists: Lists<FaceTouch>,
    pub found: Vec<FaceTouch>,
}

impl Faces {
    /// Collects the triangles whose vertices meet the collider; none where vertices suffice: for a plane, or a mesh far
    /// coarser than the triangles.
    pub fn new(collider: &Collider, collisions: &Collisions, rest: &[f64]) -> Faces {
        let mut meets = vec![false; rest.len() / 3];
        collider.nodes.iter().for_each(|&i| meets[i as usize] = true);
        let whole = |nodes: &&[u32; 3]| nodes.iter().all(|&i| meets[i as usize]);
        let mut triangles: Vec<[u32; 3]> = collisions.triangles.iter().filter(whole).copied().collect();
        let at = |i: u32| -> Vec3 { std::array::from_fn(|c| rest[3 * i as usize + c]) };
        let told_by_vertices = match &collider.shape {
            Shape::HalfSpace => true,
            Shape::Mesh(mesh) => side(mesh.triangles(), |i| mesh.points()[i as usize]) > COARSER * side(&triangles, at),
            _ => false,
        };
        if told_by_vertices {
            triangles.clear();
        }
        Faces { triangles, lists: Lists::default(), found: Vec::new() }
    }

    /// Finds the faces that may come within reach between their vertices, from `now` to `then`.
    pub fn search(&mut self, shape: &Shape, poses: [&Pose; 2], now: &[f64], then: &[f64], reach: &Reach) {
        let Faces { triangles, lists, found } = self;
        let keep = reach.thickness + reach.margin;
        let bounds = shape.bounds().fattened(keep);
        let everywhere = bounds.posed(poses[0]).union(&bounds.posed(poses[1]));
        let at = |x: &[f64], i: u32| -> Vec3 { [x[3 * i as usize], x[3 * i as usize + 1], x[3 * i as usize + 2]] };
        let way = |i: u32| Bounds::of_way(at(now, i), at(then, i));
        lists.gather(triangles.len().div_ceil(TRIANGLES_PER_TASK), found, |task, list| {
            let end = triangles.len().min((task + 1) * TRIANGLES_PER_TASK);
            // Neighbours are usually near the same point as the triangle before.
            let mut known = [f64::INFINITY; 3];
            for &nodes in &triangles[task * TRIANGLES_PER_TASK..end] {
                // Most triangles are far away.
                if !way(nodes[0]).union(&way(nodes[1])).union(&way(nodes[2])).overlaps(&everywhere) {
                    continue;
                }
                let x = nodes.map(|i| poses[0].local_point(at(now, i)));
                let y = nodes.map(|i| poses[1].local_point(at(then, i)));
                if !Bounds::around(x.into_iter().chain(y)).overlaps(&bounds) {
                    continue;
                }
                let motion = (0..3).map(|k| norm(sub(y[k], x[k]))).fold(0.0, f64::max);
                list.extend(nearest(shape, nodes, x, keep + motion, &mut known));
            }
        });
    }
}

/// Returns the mean length of the first sides of triangles [m].
fn side(triangles: &[[u32; 3]], at: impl Fn(u32) -> Vec3) -> f64 {
    let sum: f64 = triangles.iter().map(|&[a, b, _]| norm(sub(at(a), at(b)))).sum();
    sum / triangles.len().max(1) as f64
}

/// Finds the point of a triangle nearest to a shape, if it is within reach and not a vertex. Triangles deeper inside
/// than the reach are detected by their vertices, which are as deep. `known` is a point of the shape, better if nearer,
/// and is updated.
pub(in super::super) fn nearest(
    shape: &Shape,
    nodes: [u32; 3],
    x: [Vec3; 3],
    within: f64,
    known: &mut Vec3,
) -> Option<FaceTouch> {
    let blend = |w: Vec3| add(add(scale(w[0], x[0]), scale(w[1], x[1])), scale(w[2], x[2]));
    let mut w = [1.0 / 3.0; 3];
    let middle = blend(w);
    let size = x.iter().map(|p| norm(sub(*p, middle))).fold(0.0, f64::max);
    let mut near = shape.near_known(middle, within + size, *known)?;
    *known = near.point;
    if near.distance > within + size {
        return None;
    }
    for _ in 0..WALKS {
        let corner =
            (0..3).fold(0, |best, k| if dot(near.normal, x[k]) < dot(near.normal, x[best]) { k } else { best });
        // No descent direction is left: the point is between vertices, or a vertex.
        if dot(near.normal, sub(blend(w), x[corner])) <= 1e-9 * size {
            break;
        }
        let mut step = 1.0;
        let mut better = None;
        for _ in 0..CUTS {
            let next: Vec3 = std::array::from_fn(|k| (1.0 - step) * w[k] + if k == corner { step } else { 0.0 });
            let there = shape.near_known(blend(next), within + 2.0 * size, near.point)?;
            if there.distance < near.distance - 1e-9 * size {
                better = Some((next, there));
                break;
            }
            step *= 0.5;
        }
        let Some((next, there)) = better else { break };
        (w, near) = (next, there);
    }
    let is_vertex = w.iter().any(|w| *w > VERTEX);
    let fits = !is_vertex && near.distance <= within && near.distance.is_finite();
    fits.then_some(FaceTouch { nodes, weights: w, point: near.point, normal: near.normal })
}
