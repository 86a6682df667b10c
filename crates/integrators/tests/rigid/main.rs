//! Rigid bodies under small steps: alone, joined, and in contact with each other and with deformable bodies.

mod alone;
mod bending;
mod bodies;
mod floating;
mod joined;
#[path = "../problems/mod.rs"]
mod problems;
mod touching;
mod units;
