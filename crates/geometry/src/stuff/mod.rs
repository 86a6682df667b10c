//! Tets from a shape by isosurface stuffing: good angles for any shape.
//!
//! A body-centred cubic lattice is laid over the shape, fine at the surface and coarser inside (`octree`,
//! `background`). Where the surface cuts an edge too near to a vertex, the vertex moves onto the surface (`cut`); the
//! rest of the tets inside is one of a few stencils (`stencil`).
//!
//! Properties: every dihedral angle is between [`SMALLEST_ANGLE`] and [`LARGEST_ANGLE`] for any function, as a tet's shape
//! depends on signs and on cut points that keep their distance from the vertices alone. Sharp edges are chamfered at
//! the scale of the spacing. Parts thinner than the spacing come out with holes or in pieces: count them with
//! [`crate::components`]; none is dropped. Same bits for any number of threads.
//!
//! Labelle & Shewchuk, Isosurface stuffing: fast tetrahedral meshes with good dihedral angles, SIGGRAPH 2007.

mod background;
mod cut;
mod error;
mod filling;
mod morton;
mod octree;
mod search;
mod stencil;
#[cfg(test)]
mod tests;

pub use error::StuffError;

use filling::Filling;
use model::mesh::Mesh;

use crate::Distance;

/// Lower bound of the dihedral angles of a mesh [degrees].
///
/// The least over all stencils, with each warped vertex anywhere on its edges up to alpha and each cut point anywhere
/// between: 9.317 (`crates/geometry/src/stuff/tests.rs`). Tets that are neither cut nor warped have 45 to 120.
pub const SMALLEST_ANGLE: f64 = 9.31;
/// Upper bound of the dihedral angles of a mesh [degrees]; found as [`SMALLEST_ANGLE`] was: 161.643.
pub const LARGEST_ANGLE: f64 = 161.65;

/// Limit of vertices, and of cells of a lattice: more would take tens of gigabytes.
const MOST: usize = 10_000_000;

/// Fineness of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fineness {
    /// About this many vertices: within 5 %, or as near as the lattice allows where they are few (a thousand and less).
    Vertices(usize),
    /// Edge of the finest cells of the lattice [m]; edges of tets are about as long.
    Spacing(f64),
}

/// Requested mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wanted {
    /// Fineness at the surface.
    pub fineness: Fineness,
    /// Inside, cells may be up to 2^grading times as wide; 0 for a uniform mesh.
    pub grading: u32,
}

impl Wanted {
    /// Requests about `count` vertices, with cells inside up to four times as wide as at the surface.
    pub fn vertices(count: usize) -> Self {
        Wanted { fineness: Fineness::Vertices(count), grading: 2 }
    }

    /// Requests cells of this width at the surface [m], up to four times as wide inside.
    pub fn spacing(spacing: f64) -> Self {
        Wanted { fineness: Fineness::Spacing(spacing), grading: 2 }
    }

    /// Returns the same with another grading.
    pub fn graded(self, grading: u32) -> Self {
        Wanted { grading, ..self }
    }
}

/// A mesh and its spacing.
#[derive(Debug, Clone, PartialEq)]
pub struct Stuffing {
    /// Positively oriented tets without groups; every point is used.
    pub mesh: Mesh,
    /// Edge of the finest cells of the lattice [m].
    pub spacing: f64,
}

/// Fills a shape with tets.
///
/// `progress` is called with the finished share of the work, from 0 to 1, increasing.
pub fn stuff(shape: &dyn Distance, wanted: &Wanted, progress: &mut dyn FnMut(f64)) -> Result<Stuffing, StuffError> {
    let bounds = shape.bounds();
    if !(0..3).all(|k| bounds[0][k].is_finite() && bounds[1][k].is_finite() && bounds[0][k] < bounds[1][k]) {
        return Err(StuffError::Bounds { bounds });
    }
    // No cell is coarser than the lattice; more levels would only cost time.
    let grading = wanted.grading.min(8);
    progress(0.0);
    let (mut filling, spacing) = match wanted.fineness {
        Fineness::Spacing(spacing) if !(spacing > 0.0 && spacing.is_finite()) => {
            return Err(StuffError::Spacing { spacing });
        }
        Fineness::Spacing(spacing) => (Filling::new(shape, spacing, grading)?, spacing),
        Fineness::Vertices(vertices) if vertices > MOST => return Err(StuffError::TooMany { vertices, most: MOST }),
        Fineness::Vertices(vertices) => search::spacing(shape, vertices.max(4), grading, progress)?,
    };
    progress(0.6);
    filling.refine(shape)?;
    progress(0.9);
    if filling.vertices() == 0 {
        return Err(StuffError::Nothing { spacing, bounds });
    }
    let mesh = filling.mesh();
    progress(1.0);
    Ok(Stuffing { mesh, spacing })
}
