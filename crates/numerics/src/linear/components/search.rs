//! Search for the lowest modes of the eight components of a pack, by the formulas of [`super::modes`].

use super::jacobi::diagonalise;
use super::matrix::{PackFactor, PackMatrix};
use super::packs::Packs;
use super::shape::Shape;
use crate::real::{Lanes, Real};

const LANES: usize = Lanes::LANES;
/// Columns that are solved together.
pub(super) const PANEL: usize = 4;
/// Limit of passes per search; the first one begins with noise.
const PASSES: usize = 40;
/// Least sigma over the largest eigenvalue: below it the shift is lost in rounding.
const ROUNDING: f64 = 1e-11;
/// Sigma of the first search, likewise.
const FIRST: f64 = 1e-9;

/// Columns at one row: three numbers each, [`PANEL`] side by side.
pub(super) type Panel = [[Lanes; 3]; PANEL];

/// Outcome of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Searched {
    /// Most passes of a component.
    pub passes: usize,
    /// Largest estimated angle between a wanted mode and the exact one [rad].
    pub angle: f64,
}

/// Memory for the search in one pack.
#[derive(Clone)]
pub(super) struct Scratch {
    pub k: PackMatrix,
    factor: PackFactor,
    y: Vec<Panel>,
    mass: Vec<Lanes>,
    /// Factors that make the columns of Y comparable.
    scale: Vec<Lanes>,
    /// Y^T M Y, then its Cholesky factor; Y^T M X, then diagonal; rotations, then the coefficients of the new modes.
    gram: Vec<Lanes>,
    cross: Vec<Lanes>,
    turned: Vec<Lanes>,
    angles: Vec<Lanes>,
}

impl Searched {
    /// Returns the outcome of both.
    pub(super) fn and(self, other: Searched) -> Searched {
        Searched { passes: self.passes.max(other.passes), angle: self.angle.max(other.angle) }
    }
}

/// Returns sigma of each component of a pack.
fn shift(k: &PackMatrix, mass: &[Lanes], values: &[Lanes], wanted: usize) -> Lanes {
    let fastest =
        mass.iter().enumerate().fold(Lanes::splat(f64::MIN_POSITIVE), |most, (i, &m)| most.max(k.largest(i) / m));
    Lanes::from_fn(|lane| {
        let (first, last, fastest) = (values[0].lane(lane), values[wanted - 1].lane(lane), fastest.lane(lane));
        let sigma = if last.is_finite() { (0.25 * last.abs()).max(-2.0 * first) } else { FIRST * fastest };
        sigma.max(ROUNDING * fastest)
    })
}

impl Scratch {
    pub fn new(packs: &Packs, columns: usize) -> Scratch {
        let (zero, rows) = (Lanes::splat(0.0), packs.height());
        let square = vec![zero; columns * columns];
        Scratch {
            k: packs.matrix(),
            factor: packs.factor(),
            y: vec![[[zero; 3]; PANEL]; columns / PANEL * rows],
            mass: vec![zero; rows],
            scale: vec![zero; columns],
            gram: square.clone(),
            cross: square.clone(),
            turned: square,
            angles: vec![zero; columns],
        }
    }

    /// Gathers the masses of the rows of a pack.
    pub fn take_masses(&mut self, rows: &[[u32; LANES]], mass: &[f64]) {
        let of_lanes = |rows: &[u32; LANES]| Lanes::from_fn(|lane| mass[rows[lane] as usize]);
        self.mass.iter_mut().zip(rows).for_each(|(to, rows)| *to = of_lanes(rows));
    }

    /// Improves the modes `x` and eigenvalues of a pack by passes with a factor of K + sigma M.
    pub fn search(
        &mut self,
        shape: &Shape,
        x: &mut [Panel],
        values: &mut [Lanes],
        wanted: usize,
        tolerance: f64,
    ) -> Searched {
        let Scratch { k, factor, mass, .. } = &mut *self;
        let sigma = shift(k, mass, values, wanted);
        let doubtful = factor.factorise_shape(shape, Lanes::splat(1.0), k, sigma, mass);
        let (rows, columns) = (shape.rows(), values.len());
        let is_good = |lane: usize| doubtful >> lane & 1 == 0;
        // Lanes without modes before this search hold noise, which is not orthonormal: its first angles mean nothing.
        let mut is_new = (0..LANES).any(|lane| !values[0].lane(lane).is_finite());
        let mut found = Searched::default();
        while found.passes < PASSES {
            found.passes += 1;
            for (y, x) in self.y.chunks_exact_mut(rows).zip(x.chunks_exact(rows)) {
                for ((y, x), &m) in y.iter_mut().zip(x).zip(&self.mass) {
                    *y = x.map(|x| x.map(|x| m * x));
                }
                self.factor.solve_shape(shape, y);
            }
            self.take_inner_products(x, rows, columns);
            self.combine(x, values, sigma, rows, doubtful);
            let angles = self.angles[..wanted].iter();
            let of_good = |angle: &Lanes| {
                (0..LANES).filter(|&lane| is_good(lane)).map(|lane| angle.lane(lane)).fold(0.0, f64::max)
            };
            found.angle = angles.map(of_good).fold(0.0, f64::max);
            if !is_new && found.angle <= tolerance {
                break;
            }
            is_new = false;
        }
        for lane in (0..LANES).filter(|&lane| !is_good(lane)) {
            values.iter_mut().for_each(|value| value.as_mut_array()[lane] = f64::INFINITY);
        }
        found
    }

    /// Computes G = Y^T M Y and B = Y^T M X S, with the columns of Y scaled by S.
    fn take_inner_products(&mut self, x: &[Panel], rows: usize, columns: usize) {
        let Scratch { y, mass, scale, gram, cross, .. } = self;
        let inner = |a: &[Panel], i: usize, b: &[Panel], j: usize| {
            let (a, b) = (&a[i / PANEL * rows..][..rows], &b[j / PANEL * rows..][..rows]);
            let mut sum = Lanes::splat(0.0);
            for ((a, b), &m) in a.iter().zip(b).zip(mass.iter()) {
                let (a, b) = (&a[i % PANEL], &b[j % PANEL]);
                let dot = a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]));
                sum = m.mul_add(dot, sum);
            }
            sum
        };
        for (k, scale) in scale.iter_mut().enumerate() {
            *scale = Lanes::splat(1.0) / inner(y, k, y, k).at_least(Lanes::splat(f64::MIN_POSITIVE)).sqrt();
            y[k / PANEL * rows..][..rows].iter_mut().for_each(|y| y[k % PANEL] = y[k % PANEL].map(|y| *scale * y));
        }
        for i in 0..columns {
            for j in 0..=i {
                let [g, b] = [inner(y, i, y, j), inner(y, i, x, j) * scale[j]];
                (gram[i * columns + j], gram[j * columns + i]) = (g, g);
                (cross[i * columns + j], cross[j * columns + i]) = (b, b);
            }
        }
    }

    /// Replaces X by the Ritz vectors of Y, and estimates their angles.
    fn combine(&mut self, x: &mut [Panel], values: &mut [Lanes], sigma: Lanes, rows: usize, doubtful: u8) {
        let n = values.len();
        let Scratch { y, scale, gram: l, cross: b, turned: q, angles, .. } = self;
        let zero = Lanes::splat(0.0);

        // B c = theta L L^T c becomes an ordinary problem of L^-1 B L^-T.
        factorise_small(l, n);
        for _ in 0..2 {
            for i in 0..n {
                for j in 0..n {
                    let sum = (0..i).fold(b[i * n + j], |sum, k| l[i * n + k].mul_neg_add(b[k * n + j], sum));
                    b[i * n + j] = sum / l[i * n + i];
                }
            }
            (0..n).for_each(|i| (0..i).for_each(|j| b.swap(i * n + j, j * n + i)));
        }
        diagonalise(b, q, n);
        sort(b, q, values, n);
        for j in 0..n {
            for i in (0..n).rev() {
                let sum = (i + 1..n).fold(q[i * n + j], |sum, k| l[k * n + i].mul_neg_add(q[k * n + j], sum));
                q[i * n + j] = sum / l[i * n + i];
            }
        }
        for (k, angle) in angles.iter_mut().enumerate() {
            let theta = values[k];
            let square = (0..n).map(|i| scale[i] * q[i * n + k]).fold(zero, |sum, c| c.mul_add(c, sum));
            let left = theta.mul_neg_add(theta, square).max(zero).sqrt();
            *angle = left / (values[n - 1] - theta).at_least(Lanes::splat(f64::MIN_POSITIVE));
        }
        values.iter_mut().for_each(|value| *value -= sigma);

        for i in 0..rows {
            for k in 0..n {
                let mut sum = [zero; 3];
                for j in 0..n {
                    let (c, y) = (q[j * n + k], &y[j / PANEL * rows + i][j % PANEL]);
                    (0..3).for_each(|d| sum[d] = c.mul_add(y[d], sum[d]));
                }
                let x = &mut x[k / PANEL * rows + i][k % PANEL];
                if doubtful == 0 {
                    *x = sum;
                } else {
                    for (x, sum) in x.iter_mut().zip(sum) {
                        let is_bad = |lane: usize| doubtful >> lane & 1 == 1;
                        *x = Lanes::from_fn(|lane| if is_bad(lane) { x.lane(lane) } else { sum.lane(lane) });
                    }
                }
            }
        }
    }
}

/// Replaces a matrix near the identity by its Cholesky factor, in the lower triangle.
fn factorise_small(a: &mut [Lanes], n: usize) {
    for i in 0..n {
        for j in 0..=i {
            let sum = (0..j).fold(a[i * n + j], |sum, k| a[i * n + k].mul_neg_add(a[j * n + k], sum));
            // Columns that depend on the others would give zero, or less by rounding.
            a[i * n + j] = if i == j { sum.at_least(Lanes::splat(f64::EPSILON)).sqrt() } else { sum / a[j * n + j] };
        }
    }
}

/// Sorts the columns of `q` by the diagonal of `a`, lane by lane; `values` gets the diagonal.
fn sort(a: &[Lanes], q: &mut [Lanes], values: &mut [Lanes], n: usize) {
    for lane in 0..LANES {
        (0..n).for_each(|k| values[k].as_mut_array()[lane] = a[k * n + k].lane(lane));
        for k in 1..n {
            for j in (0..k).rev() {
                if values[j].lane(lane) <= values[j + 1].lane(lane) {
                    break;
                }
                let swap = |numbers: &mut [Lanes], i: usize, j: usize| {
                    let (x, y) = (numbers[i].lane(lane), numbers[j].lane(lane));
                    (numbers[i].as_mut_array()[lane], numbers[j].as_mut_array()[lane]) = (y, x);
                };
                swap(values, j, j + 1);
                (0..n).for_each(|i| swap(q, i * n + j, i * n + j + 1));
            }
        }
    }
}
