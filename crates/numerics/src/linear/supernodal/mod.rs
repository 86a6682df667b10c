//! Cholesky factors L L^T = P A P^T in single or double precision.
//!
//! Multifrontal: columns with equal patterns form supernodes, which form a tree. From the leaves to the root each takes
//! its columns of A and the updates of its children into a dense front, eliminates its columns there and passes the
//! rest, a dense update matrix, to its parent. Dense kernels and the symbolic analysis are faer's.
//!
//! The tree is cut into independent tasks, and a top that needs them all; tasks run in parallel, and so do the pieces
//! of the large fronts in the top. Nothing depends on the number of threads, so the bits do not either. Solves sweep
//! the same tasks forward, the top forward and backward, the tasks backward. They run as fast as memory delivers the
//! factor. Sixteen columns in `f32`, or eight in `f64`, cost as much as two on compact bodies and as three on slender
//! ones, whose fronts are small. A column solved in a block agrees with one solved alone to rounding, not to the bit.
//!
//! A factor in `f32` takes half the memory and half the time. It solves to at most about seven digits divided by the
//! condition, but preconditions as well as one in `f64`; [`Factor::solve`] also rotates the body it was made for into
//! its current pose. Its numbers may be stored in 16 bits ([`Half`], `stored.rs`): a quarter of the memory of `f64`, and as good a
//! preconditioner unless the condition is large.
//!
//! Cost: [`Structure::flops`] per factorisation, 4 [`Structure::entries`] flops per column solved. Memory:
//! [`Structure::entries`] numbers and the update matrices that exist at one time, as much again on compact bodies.
//!
//! Duff and Reid 1983 (multifrontal); Liu 1992 (its tree, stacks and parallelism).

mod analysis;
pub(super) mod dense;
mod eliminate;
mod factor;
mod inverse;
mod kernels;
mod precision;
mod scalar;
mod stored;
mod structure;
mod sweep;
mod tree;
mod vectors;

pub use crate::half::Half;
pub(super) use eliminate::Pivots;
pub use factor::Factor;
pub(super) use inverse::Inverse;
pub use precision::Precision;
pub use scalar::ScalarCholesky;
pub use stored::Stored;
pub use structure::Structure;

/// Relative size below which a pivot is rounding error only, in units of the precision.
pub(super) const NOISE: f64 = 64.0;

#[cfg(test)]
mod tests;
