//! Points of frames: the nodes of the mesh, but one point per ring of fibres.

use crate::build::{FibreLines, Ground};
use model::mesh::Mesh;
use numerics::mat3::{Vec3, add, scale};
use std::ops::Range;

/// Nodes of each point of a frame. Points are in the order of their nodes.
pub(super) struct FramePoints {
    /// Nodes of fibres, ring by ring.
    fibres: Range<usize>,
}

impl FramePoints {
    /// Returns the points of a scene, and its mesh between them: fibres are lines.
    pub fn new(ground: &Ground) -> (FramePoints, Mesh) {
        let Ground { mesh, lines, .. } = ground;
        let points = FramePoints { fibres: lines.nodes.clone() };
        if points.fibres.is_empty() {
            return (points, mesh.clone());
        }
        let point = |node: u32| points.point(node as usize) as u32;
        let first = points.fibres.start as u32;
        let segments = lines.segments().map(|segment| segment.map(|ring| ring + first));
        let shown = Mesh {
            points: (0..points.count(mesh.points.len())).map(|p| points.mean(p, |node| mesh.points[node])).collect(),
            tets: mesh.tets.iter().map(|nodes| nodes.map(point)).collect(),
            triangles: mesh.triangles.iter().map(|nodes| nodes.map(point)).collect(),
            edges: mesh.edges.iter().map(|nodes| nodes.map(point)).chain(segments).collect(),
            ..Mesh::default()
        };
        (points, shown)
    }

    fn rings(&self) -> usize {
        self.fibres.len() / 4
    }

    /// Returns the number of points for a number of nodes.
    fn count(&self, nodes: usize) -> usize {
        nodes - 3 * self.rings()
    }

    /// Returns the point of a node.
    fn point(&self, node: usize) -> usize {
        match node {
            node if node < self.fibres.start => node,
            node if node < self.fibres.end => self.fibres.start + (node - self.fibres.start) / 4,
            node => node - 3 * self.rings(),
        }
    }

    /// Returns the nodes of a point.
    pub fn nodes(&self, point: usize) -> Range<usize> {
        let start = self.fibres.start;
        match point {
            point if point < start => point..point + 1,
            point if point < start + self.rings() => {
                let first = start + 4 * (point - start);
                first..first + 4
            }
            point => point + 3 * self.rings()..point + 3 * self.rings() + 1,
        }
    }

    /// Returns the mean of a value over the nodes of a point.
    pub fn mean(&self, point: usize, value: impl Fn(usize) -> Vec3) -> Vec3 {
        let nodes = self.nodes(point);
        match nodes.len() {
            1 => value(nodes.start),
            count => scale(1.0 / count as f64, nodes.map(value).fold([0.0; 3], add)),
        }
    }

    /// Returns the thickness of the lines at each point [m], 0 elsewhere; empty without fibres.
    pub fn thickness(&self, ground: &Ground) -> Vec<f64> {
        let Ground { lines: FibreLines { thickness, .. }, mesh, .. } = ground;
        if thickness.is_empty() {
            return Vec::new();
        }
        let mut all = vec![0.0; self.count(mesh.points.len())];
        all[self.fibres.start..self.fibres.start + self.rings()].copy_from_slice(thickness);
        all
    }
}
