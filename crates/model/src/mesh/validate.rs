//! Validation of a mesh: indices in range, finite points, no degenerate element.

use super::shape::{is_flat_tet, is_flat_triangle};
use super::{Element, Mesh, MeshError};

impl Mesh {
    /// Checks everything an energy relies on and reports the first error.
    pub fn validate(&self) -> Result<(), MeshError> {
        if let Some(node) = self.points.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
            return Err(MeshError::PointNotFinite { node, point: self.points[node] });
        }
        self.check_indices(Element::Tet, &self.tets)?;
        self.check_indices(Element::Triangle, &self.triangles)?;
        self.check_indices(Element::Edge, &self.edges)?;
        self.check_indices(Element::Shear, &self.shear)?;
        self.check_indices(Element::Bend, &self.bends)?;
        self.check_groups()?;
        self.check_tets()?;
        self.check_triangles()
    }

    fn check_indices<const N: usize>(&self, kind: Element, elements: &[[u32; N]]) -> Result<(), MeshError> {
        let points = self.points.len();
        for (element, nodes) in elements.iter().enumerate() {
            if let Some(&node) = nodes.iter().find(|&&i| i as usize >= points) {
                return Err(MeshError::NodeOutOfRange { kind, element, nodes: nodes.to_vec(), node, points });
            }
            if (1..N).any(|k| nodes[..k].contains(&nodes[k])) {
                return Err(MeshError::RepeatedNode { kind, element, nodes: nodes.to_vec() });
            }
        }
        Ok(())
    }

    fn check_groups(&self) -> Result<(), MeshError> {
        for (name, group) in &self.groups {
            for (what, indices, count) in [
                ("node", &group.nodes, self.points.len()),
                ("tet", &group.tets, self.tets.len()),
                ("triangle", &group.triangles, self.triangles.len()),
            ] {
                if let Some(&index) = indices.iter().find(|&&i| i as usize >= count) {
                    return Err(MeshError::GroupOutOfRange { group: name.clone(), what, index, count });
                }
            }
        }
        Ok(())
    }

    fn check_tets(&self) -> Result<(), MeshError> {
        // Tests for good ones, so that an overflow to NaN counts as bad.
        let good = |e: usize| self.tet_volume(e) > 0.0 && !is_flat_tet(&self.tet_points(e));
        let mut all = (0..self.tets.len()).filter(|&e| !good(e));
        match all.next() {
            None => Ok(()),
            Some(tet) => Err(MeshError::TetVolume {
                tet,
                nodes: self.tets[tet],
                volume: self.tet_volume(tet),
                more: all.count(),
            }),
        }
    }

    fn check_triangles(&self) -> Result<(), MeshError> {
        for (triangle, &nodes) in self.triangles.iter().enumerate() {
            if is_flat_triangle(&nodes.map(|i| self.points[i as usize])) {
                return Err(MeshError::FlatTriangle { triangle, nodes });
            }
        }
        Ok(())
    }
}
