//! Rigid bodies under small steps: alone, joined, touching.

mod alone;
mod bodies;
#[path = "../problems/mod.rs"]
#[allow(dead_code)]
mod problems;
