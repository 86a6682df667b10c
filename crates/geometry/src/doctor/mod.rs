//! What is wrong with a mesh, and what mends it.

mod faces;
pub mod renumber;

pub use faces::triangles_of_tets;
