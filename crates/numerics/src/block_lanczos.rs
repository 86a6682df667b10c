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
//! Where matrices change from step to step and the work of a step is to be shared, use [`crate::modes::LowestModes`].
//! Cost: one factor, and 3 to 5 columns per wanted mode. Memory: as many vectors. Citation: Grimes, Lewis, Simon 1994.

use crate::blocks::BlockMatrix;
use crate::functions::dense::eigen;
use crate::interrupt;
use crate::linear::{Cholesky, LinearError, LinearSolver};
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
    let shift = SHIFT * (0..rows).map(bound).fold(f64::MIN_POSITIVE, f64::max);
    let mut shifted = k.clone();
    for i in 0..rows {
        let block = &mut shifted.values[k.pattern().diagonal(i)];
        (0..3).for_each(|c| block[c][c] += shift);
    }
    let mut factor = Cholesky::new(k.pattern())?;
    factor.prepare(&shifted)?;

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
                let Some(ritz) = space.ritz(count) else { return Err(LinearError::NonFinite { row: 0 }) };
                let is_done = ritz.angles.iter().all(|angle| *angle <= tolerance) || space.width() == n;
                if is_done || space.width() >= 2 * count + LONGEST * BLOCK {
                    pairs = ritz.pairs(&space, k);
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

    /// Returns the Ritz pairs of the largest theta; `None` where a number is not finite.
    fn ritz(&self, count: usize) -> Option<Ritz> {
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
        Some(Ritz {
            angles: wanted().map(|j| left(j) / (theta[j] - beyond).max(f64::MIN_POSITIVE)).collect(),
            vectors: wanted().flat_map(|j| (0..width).map(move |i| (i, j))).map(|(i, j)| z[(i, j)]).collect(),
        })
    }
}

/// Ritz pairs in coefficients of V.
struct Ritz {
    angles: Vec<f64>,
    vectors: Vec<f64>,
}

impl Ritz {
    /// Returns them as vectors with u . u = 1 and their Rayleigh quotients, ascending.
    fn pairs(&self, space: &Space, k: &BlockMatrix) -> Pairs {
        let (n, count) = (space.n, self.angles.len());
        let mut vectors = vec![0.0; n * count];
        add_combinations(&space.v, &self.vectors, &mut vectors, n);
        let mut product = vec![0.0; n];
        let mut values = Vec::new();
        for u in vectors.chunks_exact_mut(n) {
            let largest = u.iter().copied().fold(0.0_f64, |most, x| if x.abs() > most.abs() { x } else { most });
            let size = dot(u, u).sqrt().copysign(largest);
            u.iter_mut().for_each(|x| *x /= size);
            k.multiply(u, &mut product);
            values.push(dot(u, &product));
        }
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        Pairs {
            values: order.iter().map(|&j| values[j]).collect(),
            vectors: order.iter().flat_map(|&j| &vectors[j * n..(j + 1) * n]).copied().collect(),
            angles: order.iter().map(|&j| self.angles[j]).collect(),
            known: 0,
        }
    }
}
