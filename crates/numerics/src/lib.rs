//! Sparse symmetric matrices, orderings, direct and iterative solvers, Newton, 3x3 kernels.
//!
//! This crate knows no physics. Everything is `f64` and deterministic: no result depends on the
//! number of threads.

pub mod blocks;
pub mod functions;
pub mod interrupt;
pub mod linear;
pub mod mat3;
pub mod modes;
pub mod newton;
pub mod quaternion;
pub mod real;
pub mod rotation;
pub mod spectral3;
pub mod vectors;
