//! Cholesky factors L L^T = P A P^T in single or double precision.
//!
//! A factor in `f32` takes half the memory and half the time of one in `f64`. It does not solve, but it preconditions as
//! well: see [`Factor::solve`], which also turns the body the factor was made for into its present pose.

mod factor;
mod precision;
mod structure;

pub use factor::Factor;
pub use precision::Precision;
pub use structure::Structure;
pub(super) use structure::analyse;

#[cfg(test)]
mod tests;
