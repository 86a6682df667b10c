//! Roots at random places of a surface, with its normals as directions.

use super::{Random, Root};
use crate::mesh::Mesh;
use numerics::mat3::{Vec3, add, cross, norm, scale, sub, unit};
use std::f64::consts::TAU;

/// Surface that fibres grow on.
#[derive(Debug, Clone)]
pub enum RootSurface {
    /// A sphere.
    Ball {
        /// Centre [m].
        center: Vec3,
        /// Radius [m].
        radius: f64,
    },
    /// Triangles.
    Triangles(Triangles),
}

/// Triangles with normals of their corners, and the area of each and all before it.
#[derive(Debug, Clone)]
pub struct Triangles {
    corners: Vec<[Vec3; 3]>,
    normals: Vec<[Vec3; 3]>,
    areas: Vec<f64>,
}

impl RootSurface {
    /// Takes the surface of a mesh: that of its tets, and its triangles. `None` if it has no area.
    pub fn of_mesh(mesh: &Mesh) -> Option<RootSurface> {
        let mut faces = mesh.boundary_triangles();
        faces.extend(&mesh.triangles);
        let corners: Vec<[Vec3; 3]> = faces.iter().map(|face| face.map(|i| mesh.points[i as usize])).collect();
        // A normal of a node is the mean of those of its faces, weighted by their areas.
        let mut sums = vec![[0.0; 3]; mesh.points.len()];
        let mut areas = Vec::with_capacity(faces.len());
        let mut total = 0.0;
        for (face, &[a, b, c]) in faces.iter().zip(&corners) {
            let normal = cross(sub(b, a), sub(c, a));
            face.iter().for_each(|&i| sums[i as usize] = add(sums[i as usize], normal));
            total += 0.5 * norm(normal);
            areas.push(total);
        }
        let normals = faces.iter().map(|face| face.map(|i| sums[i as usize])).collect();
        let has_area = total > 0.0 && f64::is_finite(total);
        has_area.then_some(RootSurface::Triangles(Triangles { corners, normals, areas }))
    }

    /// Returns a root at a random place; all places are equally likely.
    pub fn root(&self, random: &mut Random) -> Root {
        match self {
            RootSurface::Ball { center, radius } => {
                let (height, (sin, cos)) = (2.0 * random.unit() - 1.0, (TAU * random.unit()).sin_cos());
                let across = (1.0 - height * height).max(0.0).sqrt();
                let direction = unit([across * cos, across * sin, height]);
                Root { point: add(*center, scale(*radius, direction)), direction }
            }
            RootSurface::Triangles(Triangles { corners, normals, areas }) => {
                let place = random.unit() * areas.last().copied().unwrap_or(0.0);
                let face = areas.partition_point(|&area| area <= place).min(areas.len() - 1);
                let [mut u, mut v] = [random.unit(), random.unit()];
                if u + v > 1.0 {
                    (u, v) = (1.0 - u, 1.0 - v);
                }
                let mean = |[a, b, c]: [Vec3; 3]| add(scale(1.0 - u - v, a), add(scale(u, b), scale(v, c)));
                let [a, b, c] = corners[face];
                let smooth = unit(mean(normals[face]));
                // Normals of the two sides of a thin sheet may cancel.
                let is_good = smooth.iter().all(|x| x.is_finite());
                let direction = if is_good { smooth } else { unit(cross(sub(b, a), sub(c, a))) };
                Root { point: mean(corners[face]), direction }
            }
        }
    }
}
