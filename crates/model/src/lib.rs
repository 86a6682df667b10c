//! What is simulated: nodes, mass, damping, energies, materials, loads, fixed and scripted nodes,
//! contact, meshes and their generators. This crate knows nothing of time stepping and of files.

pub mod material;
pub mod mesh;
