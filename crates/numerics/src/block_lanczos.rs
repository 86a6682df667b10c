//! The lowest modes of one matrix, from vectors near them: block Lanczos with the inverse of K + s.
//!
//!   W = (K + s)^-1 Q,   H = V^T W,   Q+ R = W - V H,   V <- [V, Q+]
//!
//! Ritz pairs (theta, V z) of H have lam = 1 / theta - s. What is left of one, (K + s)^-1 V z - theta V z = Q+ R z_last, is known
//! without another product, so that the angle to the exact mode is about |R z_last| / (theta - theta_c), with theta_c some places
//! beyond the wanted ones. Blocks of eight columns cost little more to solve for than one, and find clusters of modes.
//!
//! The space begins with random combinations of the given vectors: it then needs few directions beside them. A thousandth of random
//! vectors in them finds modes to which all given ones are orthogonal.
//!
//! [`crate::modes::LowestModes`] is for matrices that change from step to step, and shares the work of a step.
//! Cost: one factor, and 3 to 5 columns per wanted mode. Memory: as many vectors. Citation: Grimes, Lewis, Simon 1994.

use crate::blocks::BlockMatrix;
use crate::functions::dense::eigen;
use crate::interrupt;
use crate::linear::{Cholesky, Definiteness, LinearError, LinearSolver};
use crate::modes::{Pairs, add_combinations, inner_products};
use crate::vectors::{axpy, dot};
use faer::Mat;

/// Shift s relative to a bound of the largest eigenvalue: large beside rounding, small beside most modes.
const SHIFT: f64 = 1e-8;
/// Columns of a block.
const BLOCK: usize = 8;
/// Share of random vectors in the first block.
const RANDOM: f64 = 1e-3;
/// Length below which what is left of a column is rounding.
const NOTHING: f64 = 1e-13;
/// Blocks of the longest space beyond twice the wanted vectors.
const LONGEST: usize = 24;
/// Spaces after which the best vectors so far are the result.
const SPACES: usize = 8;

/// Finds the `count` lowest modes of K u = lam u, u . u = 1, and returns how many columns were solved for. `guess` holds vectors near them,
/// column-major, or none. `tolerance` bounds the estimated angle of each mode to the exact one [rad]. K may be singular.
pub fn lowest_near(
    k: &BlockMatrix,
    count: usize,
    tolerance: f64,
    guess: &[f64],
) -> Result<(Pairs, usize), LinearError> {
    let (n, rows) = (k.dim(), k.pattern().rows());
    let norm = |i: usize, j: usize| k.block(i, j).as_flattened().iter().map(|x| x * x).sum::<f64>().sqrt();
    let bound = |i: usize| k.pattern().columns(i).iter().map(|&j| norm(i, j as usize)).sum::<f64>();
    let fastest = (0..rows).map(bound).fold(f64::MIN_POSITIVE, f64::max);
    let mut factor = Cholesky::new(k.pattern())?;
    let mut shift = SHIFT * fastest;
    let shifted = loop {
        let mut shifted = k.clone();
        for i in 0..rows {
            let block = &mut shifted.values[k.pattern().diagonal(i)];
            (0..3).for_each(|c| block[c][c] += shift);
        }
        let is_positive = match factor.prepare(&shifted) {
            Ok(definiteness) => !matches!(definiteness, Definiteness::Indefinite { .. }),
            Err(LinearError::Indefinite { .. } | LinearError::Singular { .. }) => false,
            Err(other) => return Err(other),
        };
        // With the bound itself no eigenvalue is below zero.
        if is_positive || shift > fastest {
            break shifted;
        }
        shift *= 32.0;
    };

    let mut space = Space::new(n);
    let (mut first, mut solved) = (guess.to_vec(), 0);
    let count = count.min(n);
    let mut pairs = Pairs::default();
    for _ in 0..SPACES {
        space.begin(&first);
        loop {
            interrupt::check()?;
            let mut w = space.last().to_vec();
            let columns = w.len() / n;
            factor.solve(&shifted, &mut w, columns)?;
            solved += columns;
            space.grow(&mut w);
            if space.width() >= (count + guards(count)).min(n) {
                let angles = space.angles(count).ok_or(LinearError::NonFinite { row: 0 })?;
                let is_done = angles.iter().all(|angle| *angle <= tolerance) || space.width() == n;
                if is_done || space.width() >= 2 * count + LONGEST * BLOCK {
                    pairs = space.pairs(k, angles).ok_or(LinearError::NonFinite { row: 0 })?;
                    if is_done {
                        return Ok((pairs, solved));
                    }
                    break;
                }
            }
            space.extend();
        }
        first.clone_from(&pairs.vectors);
    }
    Ok((pairs, solved))
}

/// Places beyond the wanted modes at which a mode counts as another one.
fn guards(count: usize) -> usize {
    (count / 5).max(3)
}

/// A Krylov space.
struct Space {
    n: usize,
    /// V, orthonormal, column-major.
    v: Vec<f64>,
    /// First column of the last block.
    last: usize,
    /// H, with the coupling to the next block.
    h: Vec<Vec<f64>>,
    /// Q+ and R of the block to come, R by columns.
    next: Vec<f64>,
    r: Vec<Vec<f64>>,
    random: u64,
    scratch: Vec<f64>,
}

impl Space {
    fn new(n: usize) -> Space {
        let empty = Vec::new;
        Space { n, v: empty(), last: 0, h: Vec::new(), next: empty(), r: Vec::new(), random: 0, scratch: empty() }
    }

    fn width(&self) -> usize {
        self.v.len() / self.n
    }

    fn last(&self) -> &[f64] {
        &self.v[self.last * self.n..]
    }

    /// Returns a number in [-1, 1), the same on every machine (splitmix64).
    fn random(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Begins a space with combinations of some vectors; with random ones if there are none.
    fn begin(&mut self, near: &[f64]) {
        let n = self.n;
        self.v.clear();
        self.h.clear();
        self.last = 0;
        let given = near.len() / n;
        // Entries of a unit vector are about 1 / sqrt(n).
        let share = if given == 0 { 1.0 } else { RANDOM * (given as f64 / n as f64).sqrt() };
        let mut block: Vec<f64> = (0..BLOCK.min(n) * n).map(|_| share * self.random()).collect();
        let weights: Vec<f64> = (0..BLOCK.min(n) * given).map(|_| self.random()).collect();
        add_combinations(near, &weights, &mut block, n);
        self.orthonormalise(&mut block);
        self.v.append(&mut block);
    }

    /// Takes W, the image of the last block: adds columns to H, and finds Q+ and R.
    fn grow(&mut self, w: &mut Vec<f64>) {
        let (n, width) = (self.n, self.width());
        let columns = w.len() / n;
        let first = self.h.len();
        self.h.resize(first + columns, vec![0.0; width]);
        // Twice is enough.
        for _ in 0..2 {
            let products = inner_products(&self.v, w, n, &mut self.scratch);
            let negative: Vec<f64> = products.iter().map(|x| -x).collect();
            add_combinations(&self.v, &negative, w, n);
            for (j, column) in self.h[first..].iter_mut().enumerate() {
                column.iter_mut().zip(&products[j * width..]).for_each(|(h, x)| *h += x);
            }
        }
        // Directions that the whole space lacks.
        w.truncate((n - width).min(columns) * n);
        self.r = self.orthonormalise(w);
        // What the largest theta leave in common in these columns was taken out of them last, and with it most of their length: what is
        // left of V has grown.
        let products: Vec<f64> = inner_products(&self.v, w, n, &mut self.scratch).iter().map(|x| -x).collect();
        add_combinations(&self.v, &products, w, n);
        self.orthonormalise(w);
        self.next.clone_from(w);
    }

    /// Appends Q+ to V.
    fn extend(&mut self) {
        self.last = self.width();
        self.v.append(&mut self.next);
    }

    /// Replaces columns by an orthonormal basis of them, orthogonal to V; returns R, by columns. Columns that depend on others give way to
    /// random ones.
    fn orthonormalise(&mut self, block: &mut [f64]) -> Vec<Vec<f64>> {
        let n = self.n;
        let mut r = Vec::new();
        for j in 0..block.len() / n {
            let (before, column) = block.split_at_mut(j * n);
            let column = &mut column[..n];
            let whole = dot(column, column).sqrt();
            let mut coefficients = vec![0.0; j + 1];
            for _ in 0..2 {
                for (q, c) in before.chunks_exact(n).zip(&mut coefficients) {
                    let along = dot(q, column);
                    axpy(-along, q, column);
                    *c += along;
                }
            }
            let mut size = dot(column, column).sqrt();
            coefficients[j] = size;
            while size <= NOTHING * whole || size == 0.0 {
                coefficients[j] = 0.0;
                (0..n).for_each(|i| column[i] = self.random());
                for _ in 0..2 {
                    for q in self.v.chunks_exact(n).chain(before.chunks_exact(n)) {
                        axpy(-dot(q, column), q, column);
                    }
                }
                size = dot(column, column).sqrt();
            }
            column.iter_mut().for_each(|x| *x /= size);
            r.push(coefficients);
        }
        r
    }

    /// Returns the estimated angles of the wanted Ritz pairs; `None` where a number is not finite.
    fn angles(&self, count: usize) -> Option<Vec<f64>> {
        let width = self.width();
        // H is symmetric: each column knows the rows of the blocks up to its own.
        let h = Mat::from_fn(width, width, |i, j| {
            let (low, high) = (i.min(j), i.max(j));
            if i < self.h[j].len() && j < self.h[i].len() {
                0.5 * (self.h[j][i] + self.h[i][j])
            } else {
                self.h[high][low]
            }
        });
        let (theta, z) = eigen(h.as_ref())?;
        let beyond = if width > count { theta[width - 1 - (count + guards(count)).min(width - 1)] } else { 0.0 };
        let wanted = || (0..count).map(|j| width - 1 - j);
        let left = |j: usize| -> f64 {
            // |R z_last|: R is upper triangular, by columns. Where the whole space has no room for all of it, it is not known.
            let rows = self.r.len();
            if width == self.n {
                return 0.0;
            } else if rows < width - self.last {
                return f64::INFINITY;
            }
            let row = |i: usize| (i..rows).map(|c| self.r[c][i] * z[(self.last + c, j)]).sum::<f64>();
            (0..rows).map(|i| row(i).powi(2)).sum::<f64>().sqrt()
        };
        Some(wanted().map(|j| left(j) / (theta[j] - beyond).max(f64::MIN_POSITIVE)).collect())
    }

    /// Returns the lowest pairs of K in V, as many as there are angles, with u . u = 1, ascending; `None` where a number is not finite. H knows
    /// them less well: where K is singular, what its largest theta round is more than the others are.
    fn pairs(&mut self, k: &BlockMatrix, angles: Vec<f64>) -> Option<Pairs> {
        let (n, width, count) = (self.n, self.width(), angles.len());
        let mut products = vec![0.0; n * width];
        k.multiply_columns(&self.v, &mut products, width);
        let g = inner_products(&self.v, &products, n, &mut self.scratch);
        let (values, z) =
            eigen(Mat::from_fn(width, width, |i, j| 0.5 * (g[i + width * j] + g[j + width * i])).as_ref())?;
        let mut vectors = vec![0.0; n * count];
        let coefficients: Vec<f64> = (0..count * width).map(|at| z[(at % width, at / width)]).collect();
        add_combinations(&self.v, &coefficients, &mut vectors, n);
        for u in vectors.chunks_exact_mut(n) {
            let largest = u.iter().copied().fold(0.0_f64, |most, x| if x.abs() > most.abs() { x } else { most });
            let size = dot(u, u).sqrt().copysign(largest);
            u.iter_mut().for_each(|x| *x /= size);
        }
        Some(Pairs { values: values[..count].to_vec(), vectors, angles, known: 0 })
    }
}
