//! Rigid bodies under small steps: alone, joined, touching.

mod alone;
mod bodies;
mod joined;
#[path = "../problems/mod.rs"]
#[allow(dead_code)]
mod problems;
mod touching;
