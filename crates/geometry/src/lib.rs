//! Shapes by signed distance, tets from shapes, embedded surfaces, and what is wrong with a mesh.

pub mod bvh;
mod distance;
pub mod doctor;

pub use distance::Distance;
