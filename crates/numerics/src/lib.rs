//! Numerics of large symmetric systems: actions of matrix functions, kept factors, lowest modes, Newton, 3x3 kernels.
//!
//! Useful on its own: this crate knows no physics and needs nothing else of pliant. Everything is `f64` and deterministic:
//! no result depends on the number of threads.
//!
//! | task | start at |
//! |---|---|
//! | exp(t J) b and phi functions for M y'' + D y' + K y = r | [`functions`]: [`Lanczos`](functions::Lanczos), [`Rational`](functions::Rational), [`Kiops`](functions::Kiops) and others behind [`Propagator`](functions::Propagator) |
//! | A x = b, sparse and symmetric, in 3x3 blocks | [`linear`]: [`Cholesky`](linear::Cholesky) (supernodal, parallel), [`Pcg`](linear::Pcg) |
//! | A x = b while A changes a little | [`Stale`](linear::Stale): conjugate gradients with a kept factor, or a kept [`Hierarchy`](linear::Hierarchy) of coarser matrices |
//! | the lowest modes of K u = lam M u, step after step | [`modes::LowestModes`]: block Davidson with a warm start |
//! | the lowest modes of one K u = lam u, from vectors near them | [`block_lanczos`] |
//! | F(x) = 0 with a line search | [`newton`] |
//! | SVD, polar decomposition, eigenvalues of 3x3 matrices, eight at once | [`spectral3`], [`rotation`], [`real::Real`] |
//!
//! # The exponential of your own matrix
//!
//! A string of 200 masses, plucked: M y'' + K y = 0 with y(0) = 0 and a given velocity. [`SparseOscillator`](functions::SparseOscillator)
//! takes the arrays of a compressed-row matrix; [`Oscillator`](functions::Oscillator) is the trait for operators of other kinds.
//!
//! ```
//! use numerics::functions::{Lanczos, Motion, Propagator, Sample, SparseOscillator};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let n = 200_usize;
//! let (mut start, mut columns, mut values) = (vec![0], vec![], vec![]);
//! for i in 0..n {
//!     for j in i.saturating_sub(1)..(i + 2).min(n) {
//!         columns.push(j);
//!         values.push(if i == j { 2.0 } else { -1.0 });
//!     }
//!     start.push(columns.len());
//! }
//! let mut string = SparseOscillator::new(start, columns, values, vec![1.0; n])?;
//!
//! // The lowest mode: its motion is known, y(t) = v sin(w t) / w.
//! let angle = std::f64::consts::PI / (n + 1) as f64;
//! let velocity: Vec<f64> = (1..=n).map(|i| (angle * i as f64).sin()).collect();
//! let (mut y, mut rate) = (vec![0.0; n], vec![0.0; n]);
//! let t = 100.0;
//! let sample = Sample { time: t, y: &mut y, velocity: &mut rate };
//! let motion = Motion { velocity: &velocity, loads: &[] };
//! let report = Lanczos::new().propagate(&mut string, &motion, 1e-10, &mut [sample])?;
//!
//! let w = 2.0 * (0.5 * angle).sin();
//! assert!((0..n).all(|i| (y[i] - velocity[i] * (w * t).sin() / w).abs() < 1e-8 * t));
//! assert!(report.error < 1e-10);
//! # Ok(())
//! # }
//! ```
//!
//! # A factor that is kept
//!
//! The pattern is analysed once; matrices of that pattern are factorised and solved for as often as wanted.
//!
//! ```
//! use numerics::blocks::{BlockMatrix, Pattern};
//! use numerics::linear::{Cholesky, LinearSolver};
//! use std::sync::Arc;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A chain of 100 nodes with three unknowns each.
//! let links: Vec<[u32; 2]> = (0..99).map(|i| [i, i + 1]).collect();
//! let pattern = Arc::new(Pattern::from_cliques(100, links.iter().map(|link| &link[..])));
//! let mut a = BlockMatrix::zeros(pattern.clone());
//! for i in 0..100 {
//!     for (j, slot) in pattern.lower(i) {
//!         (0..3).for_each(|k| a.values[slot][k][k] = if i == j { 2.0 } else { -1.0 });
//!     }
//! }
//! let mut factor = Cholesky::new(&pattern)?;
//! factor.prepare(&a)?;
//! let mut x = vec![1.0; a.dim()];
//! factor.solve(&a, &mut x, 1)?;
//!
//! let mut product = vec![0.0; a.dim()];
//! a.multiply(&x, &mut product);
//! assert!(product.iter().all(|b| (b - 1.0).abs() < 1e-9));
//! # Ok(())
//! # }
//! ```

pub mod block_lanczos;
pub mod blocks;
pub mod functions;
mod half;
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
