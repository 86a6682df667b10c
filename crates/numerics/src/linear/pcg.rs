//! Preconditioned conjugate gradients, for symmetric positive definite matrices.
//!
//! [`pcg`] is a plain function of a product, a [`Preconditioner`] and memory; [`Pcg`] is the [`LinearSolver`] made of
//! it and an incomplete Cholesky factor. Several right-hand sides run in lockstep, each with its own scalars, so that
//! matrix and preconditioner are read once for all of them; finished ones drop out. Cost per iteration: one product,
//! one application of the preconditioner, five passes over vectors. All sums run in a fixed order, so the bits do not
//! depend on threads. Fails on indefinite matrices, which it reports when it finds a direction p with p^T A p <= 0.

use super::incomplete::IncompleteCholesky;
use super::{Definiteness, LinearError, LinearSolver, Work};
use crate::blocks::{BlockMatrix, Pattern};
use crate::interrupt;
use crate::vectors::dot;
use std::sync::Arc;

/// Tolerance below which the recursive residual is not reliable: rounding lets it drift from b - A x.
const DRIFT: f64 = 1e-10;

/// r <- P^-1 r, with P symmetric positive definite and close to the matrix.
pub trait Preconditioner {
    /// Overwrites each column of `r` with P^-1 times itself.
    fn apply(&mut self, r: &mut [f64], columns: usize) -> Result<(), LinearError>;
}

impl<F: FnMut(&mut [f64], usize) -> Result<(), LinearError>> Preconditioner for F {
    fn apply(&mut self, r: &mut [f64], columns: usize) -> Result<(), LinearError> {
        self(r, columns)
    }
}

/// Stopping rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Relative residual |b - A x| / |b| to reach.
    pub tolerance: f64,
    /// Limit of iterations.
    pub max_iterations: usize,
    /// True if [`Pcg`] then returns the last iterate and counts it, instead of failing.
    pub takes_last: bool,
}

impl Stop {
    /// Stops at a relative residual, or with an error at the iteration limit.
    pub const fn at(tolerance: f64, max_iterations: usize) -> Stop {
        Stop { tolerance, max_iterations, takes_last: false }
    }
}

/// Result of a converged iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Converged {
    /// Iterations of the slowest column.
    pub iterations: usize,
    /// Largest relative residual reached.
    pub residual: f64,
}

/// Vectors of the iteration; sized at the first use.
#[derive(Debug, Default, Clone)]
pub struct Vectors {
    r: Vec<f64>,
    z: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
    running: Vec<Running>,
}

/// Scalars of a column in progress.
#[derive(Debug, Clone, Copy)]
struct Running {
    /// Number of the column.
    column: usize,
    /// |b|
    whole: f64,
    /// |r| / |b|
    left: f64,
    /// r . z of the last iteration.
    rz: f64,
    /// True if r is b - A x itself, and the directions start again.
    fresh: bool,
}

/// Solves A x = b, by columns, from the guesses in `x`; `multiply(x, y, columns)` sets y = A x. After an error `x`
/// holds the last iterates, and `vectors` the iterations done.
pub fn pcg(
    mut multiply: impl FnMut(&[f64], &mut [f64], usize),
    preconditioner: &mut impl Preconditioner,
    b: &[f64],
    x: &mut [f64],
    columns: usize,
    stop: Stop,
    vectors: &mut Vectors,
) -> Result<Converged, LinearError> {
    let n = b.len() / columns.max(1);
    let Vectors { r, z, p, q, running } = vectors;
    [&mut *r, z, p, q].into_iter().for_each(|v| v.resize(b.len(), 0.0));
    running.clear();
    r.copy_from_slice(b);
    if x.iter().any(|&x| x != 0.0) {
        multiply(x, q, columns);
        add(r, -1.0, q);
    }
    for column in 0..columns {
        let part = column * n..(column + 1) * n;
        let whole = norm(&b[part.clone()]);
        if !whole.is_finite() {
            return Err(non_finite(&b[part]));
        }
        if whole == 0.0 {
            x[part].fill(0.0);
            continue;
        }
        let left = norm(&r[part.clone()]) / whole;
        r.copy_within(part, running.len() * n);
        running.push(Running { column, whole, left, rz: 0.0, fresh: true });
    }

    let mut iterations = 0;
    let mut residual: f64 = 0.0;
    loop {
        let mut k = 0;
        while k < running.len() {
            let (state, here) = (&mut running[k], k * n..(k + 1) * n);
            if state.left <= stop.tolerance && stop.tolerance < DRIFT && !state.fresh {
                // Replace the drifted residual by the true one; continue if that is not small enough.
                let part = state.column * n..(state.column + 1) * n;
                multiply(&x[part.clone()], &mut q[here.clone()], 1);
                r[here.clone()].copy_from_slice(&b[part]);
                add(&mut r[here.clone()], -1.0, &q[here.clone()]);
                state.left = norm(&r[here.clone()]) / state.whole;
                state.fresh = true;
            }
            if state.left <= stop.tolerance {
                residual = residual.max(state.left);
                // The last column replaces the finished one.
                let last = (running.len() - 1) * n;
                r.copy_within(last..last + n, here.start);
                p.copy_within(last..last + n, here.start);
                running.swap_remove(k);
                continue;
            }
            if !state.left.is_finite() {
                return Err(non_finite(&r[here]));
            }
            if iterations == stop.max_iterations {
                return Err(LinearError::NotConverged { iterations, residual: state.left });
            }
            k += 1;
        }
        if running.is_empty() {
            return Ok(Converged { iterations, residual });
        }

        interrupt::check()?;
        let size = running.len() * n;
        z[..size].copy_from_slice(&r[..size]);
        preconditioner.apply(&mut z[..size], running.len())?;
        for (k, state) in running.iter_mut().enumerate() {
            let here = k * n..(k + 1) * n;
            let (p, z) = (&mut p[here.clone()], &z[here.clone()]);
            let rz = dot(&r[here], z);
            if state.fresh {
                p.copy_from_slice(z);
            } else {
                let beta = rz / state.rz;
                p.iter_mut().zip(z).for_each(|(p, z)| *p = z + beta * *p);
            }
            (state.rz, state.fresh) = (rz, false);
        }
        multiply(&p[..size], &mut q[..size], running.len());
        iterations += 1;
        for (k, state) in running.iter_mut().enumerate() {
            let here = k * n..(k + 1) * n;
            let (r, p, q) = (&mut r[here.clone()], &p[here.clone()], &q[here]);
            let curvature = dot(p, q);
            if curvature.is_nan() {
                return Err(non_finite(q));
            }
            if curvature <= 0.0 || state.rz <= 0.0 {
                return Err(LinearError::Indefinite { negative: None });
            }
            let alpha = state.rz / curvature;
            add(&mut x[state.column * n..(state.column + 1) * n], alpha, p);
            add(r, -alpha, q);
            state.left = norm(r) / state.whole;
        }
    }
}

/// y += a x
pub(super) fn add(y: &mut [f64], a: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}

pub(super) fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

fn non_finite(v: &[f64]) -> LinearError {
    LinearError::NonFinite { row: v.iter().position(|v| !v.is_finite()).unwrap_or(0) / 3 }
}

/// Conjugate gradients preconditioned by an incomplete Cholesky factor.
pub struct Pcg {
    /// Stopping rule; may be changed between solves.
    pub stop: Stop,
    incomplete: IncompleteCholesky,
    prepared: bool,
    vectors: Vectors,
    x: Vec<f64>,
    work: Work,
}

impl Pcg {
    /// Makes a solver for matrices of `pattern`.
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

    /// Solves A x = b, by columns, from the guesses in `x`.
    pub fn solve_from(
        &mut self,
        a: &BlockMatrix,
        b: &[f64],
        x: &mut [f64],
        columns: usize,
    ) -> Result<Converged, LinearError> {
        if !self.prepared {
            return Err(LinearError::NotPrepared);
        }
        let Pcg { incomplete, work, vectors, stop, .. } = self;
        let mut counted = Counted { preconditioner: incomplete, work };
        let mut products = 0;
        let multiply = |x: &[f64], y: &mut [f64], columns: usize| {
            products += columns as u64;
            a.multiply_columns(x, y, columns);
        };
        let done = pcg(multiply, &mut counted, b, x, columns, *stop, vectors);
        work.solves += columns as u64;
        work.products += products;
        match done {
            Err(LinearError::NotConverged { iterations, residual }) if stop.takes_last => {
                let short = vectors.running.iter().filter(|state| state.left > stop.tolerance);
                work.capped += short.count() as u64;
                Ok(Converged { iterations, residual })
            }
            done => done,
        }
    }
}

/// Counts one iteration per column that a preconditioner is applied to.
pub(super) struct Counted<'a, P> {
    pub preconditioner: &'a mut P,
    pub work: &'a mut Work,
}

impl<P: Preconditioner> Preconditioner for Counted<'_, P> {
    fn apply(&mut self, r: &mut [f64], columns: usize) -> Result<(), LinearError> {
        self.work.iterations += columns as u64;
        self.preconditioner.apply(r, columns)
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
        x.clear();
        x.resize(rhs.len(), 0.0);
        let done = self.solve_from(a, rhs, &mut x, columns);
        rhs.copy_from_slice(&x);
        self.x = x;
        done.map(|_| ())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::Unknown
    }

    fn work(&self) -> Work {
        self.work
    }
}
