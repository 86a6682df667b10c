//! Preconditioned conjugate gradients, for symmetric positive definite matrices.
//!
//! [`pcg`] is a plain function of a product, a [`Preconditioner`] and memory; [`Pcg`] is the [`LinearSolver`] made of
//! it and an incomplete Cholesky factor. Cost an iteration: one product, one application of the preconditioner, five
//! passes over vectors. All sums run in a fixed order, so the bits do not depend on threads. Fails on indefinite
//! matrices, which it reports when it meets a direction p with p^T A p <= 0.

use super::incomplete::IncompleteCholesky;
use super::{Definiteness, LinearError, LinearSolver, Work};
use crate::blocks::{BlockMatrix, Pattern};
use std::sync::Arc;

/// Below this tolerance the residual of the recursion is no proof: rounding lets it drift from b - A x.
const DRIFT: f64 = 1e-10;

/// r <- P^-1 r, with P symmetric positive definite and close to the matrix.
pub trait Preconditioner {
    /// Overwrites `r` with P^-1 r.
    fn apply(&mut self, r: &mut [f64]) -> Result<(), LinearError>;
}

impl<F: FnMut(&mut [f64]) -> Result<(), LinearError>> Preconditioner for F {
    fn apply(&mut self, r: &mut [f64]) -> Result<(), LinearError> {
        self(r)
    }
}

/// When to stop iterating.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Relative residual |b - A x| / |b| to reach.
    pub tolerance: f64,
    /// Iterations after which to give up.
    pub max_iterations: usize,
}

/// What a converged iteration took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Converged {
    /// Iterations done: as many products (and one more when the start was not zero).
    pub iterations: usize,
    /// Relative residual reached.
    pub residual: f64,
    /// Products with the matrix.
    pub products: usize,
}

/// The vectors of the iteration; sized at the first use.
#[derive(Debug, Default, Clone)]
pub struct Vectors {
    r: Vec<f64>,
    z: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
}

/// Solves A x = b from the guess in `x`; `multiply(x, y)` sets y = A x. After an error `x` holds the last iterate.
pub fn pcg(
    mut multiply: impl FnMut(&[f64], &mut [f64]),
    preconditioner: &mut impl Preconditioner,
    b: &[f64],
    x: &mut [f64],
    stop: Stop,
    vectors: &mut Vectors,
) -> Result<Converged, LinearError> {
    let Vectors { r, z, p, q } = vectors;
    [&mut *r, z, p, q].into_iter().for_each(|v| v.resize(b.len(), 0.0));
    let whole = dot(b, b).sqrt();
    if !whole.is_finite() {
        return Err(non_finite(b));
    }
    if whole == 0.0 {
        x.fill(0.0);
        return Ok(Converged { iterations: 0, residual: 0.0, products: 0 });
    }

    let mut products = 0;
    r.copy_from_slice(b);
    if x.iter().any(|&x| x != 0.0) {
        multiply(x, q);
        products += 1;
        add(r, -1.0, q);
    }
    let mut left = dot(r, r).sqrt() / whole;
    let mut iterations = 0;
    let mut fresh = true;
    let mut rz = 0.0;
    loop {
        if left <= stop.tolerance && stop.tolerance < DRIFT && iterations > 0 && !fresh {
            // Replace the drifted residual by the true one; go on from there if that is not small enough.
            multiply(x, q);
            products += 1;
            r.copy_from_slice(b);
            add(r, -1.0, q);
            left = dot(r, r).sqrt() / whole;
            fresh = true;
        }
        if left <= stop.tolerance {
            return Ok(Converged { iterations, residual: left, products });
        }
        if !left.is_finite() {
            return Err(non_finite(r));
        }
        if iterations == stop.max_iterations {
            return Err(LinearError::NotConverged { iterations, residual: left });
        }

        z.copy_from_slice(r);
        preconditioner.apply(z)?;
        let rz_new = dot(r, z);
        if fresh {
            p.copy_from_slice(z);
        } else {
            let beta = rz_new / rz;
            p.iter_mut().zip(&*z).for_each(|(p, z)| *p = z + beta * *p);
        }
        rz = rz_new;
        fresh = false;
        multiply(p, q);
        products += 1;
        let curvature = dot(p, q);
        if curvature.is_nan() {
            return Err(non_finite(q));
        }
        if curvature <= 0.0 || rz <= 0.0 {
            return Err(LinearError::Indefinite { negative: None });
        }
        let alpha = rz / curvature;
        add(x, alpha, p);
        add(r, -alpha, q);
        left = dot(r, r).sqrt() / whole;
        iterations += 1;
    }
}

/// y += a x
fn add(y: &mut [f64], a: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}

/// x . y in eight interleaved sums: fast, and always in the same order.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<8>(), y.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (x, y) in x.iter().zip(y) {
        for k in 0..8 {
            sums[k] += x[k] * y[k];
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}

fn non_finite(v: &[f64]) -> LinearError {
    LinearError::NonFinite { row: v.iter().position(|v| !v.is_finite()).unwrap_or(0) / 3 }
}

/// Conjugate gradients preconditioned by an incomplete Cholesky factor.
pub struct Pcg {
    /// When to stop; may be changed between solves.
    pub stop: Stop,
    incomplete: IncompleteCholesky,
    prepared: bool,
    vectors: Vectors,
    x: Vec<f64>,
    work: Work,
}

impl Pcg {
    /// A solver for matrices of `pattern`.
    pub fn new(pattern: &Arc<Pattern>, stop: Stop) -> Pcg {
        Pcg {
            stop,
            incomplete: IncompleteCholesky::new(pattern),
            prepared: false,
            vectors: Vectors::default(),
            x: Vec::new(),
            work: Work::default(),
        }
    }

    /// Solves A x = b from the guess in `x`.
    pub fn solve_from(&mut self, a: &BlockMatrix, b: &[f64], x: &mut [f64]) -> Result<Converged, LinearError> {
        if !self.prepared {
            return Err(LinearError::NotPrepared);
        }
        let mut counted = 0;
        let multiply = |x: &[f64], y: &mut [f64]| {
            counted += 1;
            a.multiply(x, y);
        };
        let done = pcg(multiply, &mut self.incomplete, b, x, self.stop, &mut self.vectors);
        self.work.solves += 1;
        self.work.products += counted;
        self.work.iterations += match &done {
            Ok(done) => done.iterations as u64,
            // Every product was an iteration's, but for a start that is not zero.
            Err(_) => counted,
        };
        done
    }
}

impl LinearSolver for Pcg {
    fn prepare(&mut self, a: &BlockMatrix) -> Result<Definiteness, LinearError> {
        self.prepared = false;
        self.work.factorisations += 1;
        self.incomplete.factorise(a)?;
        self.prepared = true;
        Ok(Definiteness::Unknown)
    }

    fn solve(&mut self, a: &BlockMatrix, rhs: &mut [f64], columns: usize) -> Result<(), LinearError> {
        assert_eq!(rhs.len(), a.dim() * columns, "right-hand sides do not have the size of the matrix");
        let mut x = std::mem::take(&mut self.x);
        x.resize(a.dim(), 0.0);
        // A matrix without rows has no columns to walk over.
        let done = rhs.chunks_exact_mut(a.dim().max(1)).try_for_each(|b| {
            x.fill(0.0);
            self.solve_from(a, b, &mut x)?;
            b.copy_from_slice(&x);
            Ok(())
        });
        self.x = x;
        done
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::Unknown
    }

    fn work(&self) -> Work {
        self.work
    }
}
