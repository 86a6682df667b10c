//! Shapes by signed distance, tets from shapes, embedded surfaces, and a doctor for meshes.

mod angles;
pub mod bvh;
mod cloth;
mod components;
mod distance;
pub mod doctor;
mod embed;
mod isosurface;
pub mod shape;
pub mod stuff;
pub mod surface;

pub use angles::dihedral_angles;
pub use cloth::cloth_springs;
pub use components::components;
pub use distance::Distance;
pub use embed::Embedding;
pub use isosurface::isosurface;
pub use stuff::{Fineness, StuffError, Stuffing, Wanted, stuff};
pub use surface::{SurfaceDistance, SurfaceError};
