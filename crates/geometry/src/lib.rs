//! Shapes by signed distance, tets from shapes, embedded surfaces, and what is wrong with a mesh.

mod distance;

pub use distance::Distance;
