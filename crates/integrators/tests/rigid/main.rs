//! Rigid bodies under small steps: alone, joined, touching each other and what bends.

mod alone;
mod bending;
mod bodies;
mod floating;
mod joined;
#[path = "../problems/mod.rs"]
mod problems;
mod touching;
mod units;
