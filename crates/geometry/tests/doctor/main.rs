//! Findings of the doctor on meshes damaged by hand, and results of its fixes.

mod bodies;

mod findings;
mod fixes;
mod surfaces;
