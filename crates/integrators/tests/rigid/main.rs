//! Rigid bodies under small steps: alone, joined, touching.

mod alone;
mod bodies;
mod joined;
#[path = "../problems/mod.rs"]
mod problems;
mod touching;
