//! The finer surfaces of all bodies that have one, as one surface tied to the state.

use super::nodes::PlacedBodies;
use geometry::Embedding;
use model::Model;
use model::mesh::Mesh;

/// A surface that follows the tets, for display. It has no state of its own.
#[derive(Debug, Clone)]
pub struct EmbeddedSurface {
    /// Triangles and points, at rest.
    pub mesh: Mesh,
    /// Its points, tied to nodes numbered as in the model, like [`model::State`].
    pub embedding: Embedding,
    /// Number of each body that has a part of it, and the first point of that part.
    bodies: Vec<(usize, u32)>,
}

impl EmbeddedSurface {
    /// Ties the surfaces of the bodies to their tets; `None` if no body has one. The error is the number of a body that
    /// has no tets for its surface, or whose surface has points that are not finite.
    pub(super) fn new(placed: &PlacedBodies, model: &Model) -> Result<Option<EmbeddedSurface>, usize> {
        let mut all = EmbeddedSurface { mesh: Mesh::default(), embedding: Embedding::default(), bodies: Vec::new() };
        for (body, surface) in placed.surfaces.iter().enumerate() {
            let Some(surface) = surface else { continue };
            let tied = Embedding::new(&placed.meshes[body], &surface.points).ok_or(body)?;
            let first = placed.ranges[body].nodes.start;
            all.embedding.append(&tied, |node| model.number(first + node as usize) as u32);
            all.bodies.push((body, all.mesh.append(surface)));
        }
        Ok(if all.bodies.is_empty() { None } else { Some(all) })
    }

    /// Returns whether this body, by its number, has a part of it.
    pub fn has_body(&self, body: usize) -> bool {
        self.bodies.iter().any(|(number, _)| *number == body)
    }

    /// Returns the number of the body that a point belongs to.
    pub fn body_of_point(&self, point: u32) -> usize {
        let before = self.bodies.partition_point(|(_, first)| *first <= point);
        self.bodies[before.saturating_sub(1)].0
    }
}
