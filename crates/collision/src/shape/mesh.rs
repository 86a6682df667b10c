//! Triangle meshes.
//!
//! The sign of the distance comes from the normal of the nearest feature: of a triangle, or for an edge or corner the
//! sum over its triangles weighted by their angles there (Baerentzen & Aanaes 2005), which is exact for closed
//! surfaces. An open surface is one-sided: behind it is inside, to any depth; points nearest to its rim are outside,
//! because nothing is enclosed there.

use super::{Near, ShapeError};
use crate::{Bounds, Tree, closest};
use numerics::mat3::{Vec3, add, cross, dot, norm, scale, sub};

/// A surface of triangles.
#[derive(Debug, Clone)]
pub struct Mesh {
    points: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    tree: Tree,
    /// Unit normals of the triangles.
    normals: Vec<Vec3>,
    /// Normals of the edges (from corner k to the next) of each triangle; zero on the rim.
    edges: Vec<[Vec3; 3]>,
    /// Normals of the points; zero on the rim.
    corners: Vec<Vec3>,
    /// Number of edges without exactly two triangles.
    open: usize,
}

impl Mesh {
    /// Makes a mesh of points [m]; triangles without an area are left out.
    pub fn new(points: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, ShapeError> {
        if let Some(point) = points.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            return Err(ShapeError::PointNotFinite { point });
        }
        for (triangle, nodes) in triangles.iter().enumerate() {
            if let Some(&point) = nodes.iter().find(|&&i| i as usize >= points.len()) {
                return Err(ShapeError::PointOutOfRange { triangle, point, points: points.len() });
            }
        }
        let at = |t: &[u32; 3]| t.map(|i| points[i as usize]);
        let kept = triangles.iter().filter(|t| area_vector(at(t)).is_some()).copied();
        let triangles: Vec<[u32; 3]> = kept.collect();
        if triangles.is_empty() {
            return Err(ShapeError::NoTriangles);
        }
        let normals: Vec<Vec3> = triangles.iter().filter_map(|t| area_vector(at(t))).collect();
        let boxes: Vec<Bounds> = triangles.iter().map(|t| Bounds::around(at(t))).collect();
        let (edges, corners, open) = pseudonormals(points, &triangles, &normals);
        Ok(Mesh { points: points.to_vec(), tree: Tree::new(&boxes), triangles, normals, edges, corners, open })
    }

    /// Returns the points [m].
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Returns the triangles, by their points.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns the unit normal of each triangle.
    pub fn normals(&self) -> &[Vec3] {
        &self.normals
    }

    /// Returns the tree of the boxes of the triangles.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Counts edges without exactly two triangles: 0 for a closed mesh.
    pub fn open_edges(&self) -> usize {
        self.open
    }

    /// Returns the box around it [m].
    pub fn bounds(&self) -> Bounds {
        self.tree.bounds()
    }

    /// Returns the corners of a triangle [m].
    pub fn corners(&self, triangle: u32) -> [Vec3; 3] {
        // Written out: functions over arrays are not inlined here.
        let [a, b, c] = self.triangles[triangle as usize];
        [self.points[a as usize], self.points[b as usize], self.points[c as usize]]
    }

    /// Finds the surface nearest to a point [m].
    pub fn near(&self, p: Vec3) -> Near {
        // There is a triangle, and only NaN is not within infinity of it.
        let nothing = Near { distance: f64::INFINITY, normal: [0.0, 0.0, 1.0], point: p };
        self.near_within(p, f64::INFINITY).unwrap_or(nothing)
    }

    /// Finds the surface nearest to a point, if it is within `reach` [m] of it.
    pub fn near_within(&self, p: Vec3, reach: f64) -> Option<Near> {
        let (triangle, squared) = self.tree.nearest(p, reach * reach, |t| {
            let corners = self.corners(t);
            let d = sub(p, closest::blend(closest::on_triangle(p, corners), corners));
            dot(d, d)
        })?;
        let corners = self.corners(triangle);
        let w = closest::on_triangle(p, corners);
        let point = closest::blend(w, corners);
        let (distance, normal) = (squared.sqrt(), self.normal(triangle as usize, w));
        let d = sub(p, point);
        if normal == [0.0; 3] {
            let face = self.normals[triangle as usize];
            return Some(Near { distance, normal: direction(d, distance, face), point });
        }
        let side = if dot(d, normal) < 0.0 { -1.0 } else { 1.0 };
        let length = norm(normal);
        Some(Near {
            distance: side * distance,
            normal: direction(scale(side, d), distance, scale(1.0 / length, normal)),
            point,
        })
    }

    /// Returns the normal at the point of a triangle with these weights: of the face, an edge or a corner. Not of unit
    /// length.
    fn normal(&self, triangle: usize, w: Vec3) -> Vec3 {
        let zeros = w.iter().filter(|w| **w == 0.0).count();
        let corner = |wanted: bool| (0..3).find(|&k| (w[k] == 0.0) == wanted).unwrap_or(0);
        match zeros {
            0 => self.normals[triangle],
            // The edge across from corner k goes from the next one to the one after.
            1 => self.edges[triangle][(corner(true) + 1) % 3],
            _ => self.corners[self.triangles[triangle][corner(false)] as usize],
        }
    }
}

/// Returns d / |d|, or `otherwise` where the length is too small.
fn direction(d: Vec3, length: f64, otherwise: Vec3) -> Vec3 {
    if length > 1e-150 { scale(1.0 / length, d) } else { otherwise }
}

/// Returns the unit normal of a triangle; `None` without an area.
fn area_vector([a, b, c]: [Vec3; 3]) -> Option<Vec3> {
    let (u, v) = (sub(b, a), sub(c, a));
    let n = cross(u, v);
    let (length, size) = (norm(n), norm(u).max(norm(v)));
    (length > 1e-12 * size * size).then(|| scale(1.0 / length, n))
}

/// Computes normals of edges, of points, and the number of edges without exactly two triangles.
fn pseudonormals(points: &[Vec3], triangles: &[[u32; 3]], normals: &[Vec3]) -> (Vec<[Vec3; 3]>, Vec<Vec3>, usize) {
    let mut corners = vec![[0.0; 3]; points.len()];
    let mut sides: Vec<([u32; 2], u32, usize)> = Vec::with_capacity(3 * triangles.len());
    for (t, nodes) in triangles.iter().enumerate() {
        for k in 0..3 {
            let [i, j, l] = [0, 1, 2].map(|m| nodes[(k + m) % 3]);
            let [p, q, r] = [i, j, l].map(|i| points[i as usize]);
            let (u, v) = (sub(q, p), sub(r, p));
            let angle = norm(cross(u, v)).atan2(dot(u, v));
            corners[i as usize] = add(corners[i as usize], scale(angle, normals[t]));
            sides.push(([i.min(j), i.max(j)], t as u32, k));
        }
    }
    sides.sort_unstable();
    let mut edges = vec![[[0.0; 3]; 3]; triangles.len()];
    let mut open = 0;
    for edge in sides.chunk_by(|a, b| a.0 == b.0) {
        let sum = edge.iter().fold([0.0; 3], |sum, (_, t, _)| add(sum, normals[*t as usize]));
        if edge.len() != 2 {
            open += 1;
        }
        if edge.len() == 1 {
            edge[0].0.iter().for_each(|&i| corners[i as usize] = [0.0; 3]);
            continue;
        }
        edge.iter().for_each(|&(_, t, k)| edges[t as usize][k] = sum);
    }
    (edges, corners, open)
}
