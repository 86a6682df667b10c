//! What is wrong with a mesh, and what mends it.

mod faces;
pub mod renumber;

pub(crate) use faces::edges_of_triangles;
pub use faces::triangles_of_tets;
