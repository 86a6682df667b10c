//! Shapes by signed distance, tets from shapes, embedded surfaces, and what is wrong with a mesh.

pub mod bvh;
mod cloth;
mod distance;
pub mod doctor;
pub mod shape;

pub use cloth::cloth_springs;
pub use distance::Distance;
