//! Meshes: points, their elements, and named groups; generators and selectors.
//!
//! One struct serves solids (tets), cloth (triangles and springs) and ropes (springs): an energy takes the list that it
//! needs. Every list may be empty.

use std::collections::BTreeMap;

use numerics::mat3::{Mat3, Vec3, add, determinant, dot, mat_vec, scale, sub};

mod error;
pub mod generate;
mod select;
mod shape;
mod surface;
mod validate;

pub use crate::name::closest_name;
pub use crate::parameter::ParameterError;
pub use error::{Element, MeshError};
pub use select::{SelectError, Selector};
pub use shape::{is_flat_tet, is_flat_triangle, mean_ratio, tet_volume};

/// Points and the elements between them. Indices refer to `points`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Rest positions of the nodes [m].
    pub points: Vec<Vec3>,
    /// Tetrahedra of a solid, positively oriented: (p1 - p0) x (p2 - p0) . (p3 - p0) > 0.
    pub tets: Vec<[u32; 4]>,
    /// Triangles of cloth. The surface of the tets is not stored: see [`Mesh::boundary_triangles`].
    pub triangles: Vec<[u32; 3]>,
    /// Structural springs.
    pub edges: Vec<[u32; 2]>,
    /// Diagonal springs of cloth.
    pub shear: Vec<[u32; 2]>,
    /// Bending springs: pairs two edges apart.
    pub bends: Vec<[u32; 2]>,
    /// Named sets of nodes, tets and triangles.
    pub groups: BTreeMap<String, Group>,
}

/// A named part of a mesh; any list may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Group {
    /// Node indices, increasing.
    pub nodes: Vec<u32>,
    /// Tet indices, increasing.
    pub tets: Vec<u32>,
    /// Triangle indices, increasing.
    pub triangles: Vec<u32>,
}

impl Mesh {
    /// Returns the corners of tet `e` [m].
    pub fn tet_points(&self, e: usize) -> [Vec3; 4] {
        self.tets[e].map(|i| self.points[i as usize])
    }

    /// Computes the signed volume of tet `e` [m^3].
    pub fn tet_volume(&self, e: usize) -> f64 {
        tet_volume(&self.tet_points(e))
    }

    /// Computes the mean of the corners of tet `e` [m].
    pub fn tet_centroid(&self, e: usize) -> Vec3 {
        let [a, b, c, d] = self.tet_points(e);
        scale(0.25, add(add(a, b), add(c, d)))
    }

    /// Computes the volume of all tets [m^3].
    pub fn volume(&self) -> f64 {
        (0..self.tets.len()).map(|e| self.tet_volume(e)).sum()
    }

    /// Returns the smallest axis-aligned box around the points, [min, max] [m]; `None` without points.
    pub fn bounds(&self) -> Option<[Vec3; 2]> {
        let first = *self.points.first()?;
        Some(self.points.iter().fold([first, first], |[low, high], p| {
            [std::array::from_fn(|k| low[k].min(p[k])), std::array::from_fn(|k| high[k].max(p[k]))]
        }))
    }

    /// Returns the length of the diagonal of [`Mesh::bounds`] [m], 0 without points.
    pub fn diagonal(&self) -> f64 {
        self.bounds().map_or(0.0, |[low, high]| {
            let d = sub(high, low);
            dot(d, d).sqrt()
        })
    }

    /// Moves every point: x becomes rotation (factor x) + translation [m].
    ///
    /// A map that mirrors (factor < 0 or a reflection) would invert the tets and triangles, so they are reoriented.
    pub fn transform(&mut self, rotation: &Mat3, translation: Vec3, factor: f64) {
        for p in &mut self.points {
            *p = add(mat_vec(rotation, scale(factor, *p)), translation);
        }
        if determinant(rotation) * factor < 0.0 {
            self.tets.iter_mut().for_each(|t| t.swap(2, 3));
            self.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
    }

    /// Makes every tet positively oriented, for imported meshes; returns the number of tets that were not.
    pub fn orient(&mut self) -> usize {
        let mut turned = 0;
        for e in 0..self.tets.len() {
            if self.tet_volume(e) < 0.0 {
                self.tets[e].swap(2, 3);
                turned += 1;
            }
        }
        turned
    }

    /// Appends another mesh; groups of the same name are merged. Returns the new index of the first point of `other`.
    /// Nothing is welded: coincident points stay separate.
    pub fn append(&mut self, other: &Mesh) -> u32 {
        let offset = self.points.len() as u32;
        let tet_offset = self.tets.len() as u32;
        let triangle_offset = self.triangles.len() as u32;
        self.points.extend_from_slice(&other.points);
        self.tets.extend(other.tets.iter().map(|t| t.map(|i| i + offset)));
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|i| i + offset)));
        let pairs = [(&mut self.edges, &other.edges), (&mut self.shear, &other.shear), (&mut self.bends, &other.bends)];
        for (to, from) in pairs {
            to.extend(from.iter().map(|e| e.map(|i| i + offset)));
        }
        for (name, group) in &other.groups {
            let to = self.groups.entry(name.clone()).or_default();
            to.nodes.extend(group.nodes.iter().map(|i| i + offset));
            to.tets.extend(group.tets.iter().map(|e| e + tet_offset));
            to.triangles.extend(group.triangles.iter().map(|e| e + triangle_offset));
        }
        offset
    }

    /// Returns every edge of a tet once, the lower index first, sorted.
    pub fn edges_of_tets(&self) -> Vec<[u32; 2]> {
        let mut edges = Vec::with_capacity(6 * self.tets.len());
        for &[a, b, c, d] in &self.tets {
            edges.extend([[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]].map(|[i, j]| [i.min(j), i.max(j)]));
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Returns the points that belong to no tet, triangle or edge, increasing.
    pub fn loose_points(&self) -> Vec<u32> {
        let mut held = vec![false; self.points.len()];
        let nodes =
            self.tets.as_flattened().iter().chain(self.triangles.as_flattened()).chain(self.edges.as_flattened());
        nodes.for_each(|&i| held[i as usize] = true);
        (0..self.points.len() as u32).filter(|&i| !held[i as usize]).collect()
    }

    /// Makes a named group of nodes.
    fn group_nodes(&mut self, name: &str, mut nodes: Vec<u32>) {
        nodes.sort_unstable();
        nodes.dedup();
        self.groups.insert(name.to_string(), Group { nodes, ..Group::default() });
    }

    /// Makes a named group of tets and their corners.
    pub fn group_tets(&mut self, name: &str, tets: Vec<u32>) {
        let mut group = Group { tets, ..Group::default() };
        group.nodes = self.corners_of(&group);
        self.groups.insert(name.to_string(), group);
    }

    /// Returns the corners of the tets and triangles of a group, increasing, each once.
    fn corners_of(&self, group: &Group) -> Vec<u32> {
        let tets = group.tets.iter().flat_map(|&e| self.tets[e as usize]);
        let triangles = group.triangles.iter().flat_map(|&e| self.triangles[e as usize]);
        let mut nodes: Vec<u32> = tets.chain(triangles).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }
}

#[cfg(test)]
mod tests;
