//! What the doctor finds on meshes that were broken by hand, and what its fixes leave.

mod bodies;

mod findings;
mod fixes;
mod surfaces;
