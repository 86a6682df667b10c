//! Motions of the components of M y'' + D y' + K y = r_0 + t r_1, D = alpha M + beta K: a Krylov space for each component.
//!
//! One space for sixty thousand hairs has to resolve the frequencies of all of them; its basis grows with their number, and
//! every vector of it passes through main memory. The space of one hair converges after some ten vectors, and those of the
//! eight hairs of a pack stay in the cache. With L = M^-1/2 K M^-1/2 the operator is
//!
//!   C = (1 + sigma L)^-1 = M^1/2 (M + sigma K)^-1 M^1/2,   sigma = gamma t (gamma t + beta),
//!
//! symmetric, with C Q = Q T + ...; functions of L are those of (T^-1 - 1) / sigma, as in `functions::rational`. There is a
//! basis for the velocity and one for each load, in lockstep, so that a factor is read once for all of them.
//!
//! The basis of a load b begins with C b, and f(L) b is f(L) (1 + sigma L) C b. The load of a moving root is far larger on
//! stiff motions than on slow ones, by as much as the stiffness; a basis that begins with b itself loses the slow ones in
//! rounding.
//!
//! **Error** of a component, against its own motion: the change since the last evaluation, [`STRIDE`] vectors before, and the
//! residual at the end of the motion. All components of a pack take as many vectors as the slowest.

use super::jacobi::diagonalise;
use super::matrix::{PackFactor, PackMatrix};
use super::pack::{Gathered, Sources};
use super::packs::{Packs, Places};
use super::shape::Shape;
use crate::blocks::{BlockMatrix, Pattern};
use crate::real::{Lanes, Real};
use rayon::prelude::*;

const LANES: usize = Lanes::LANES;
/// Packs are cut into at most this many tasks, each with its scratch.
const TASKS: usize = 64;
/// Vectors from one evaluation to the next.
const STRIDE: usize = 3;
/// Vectors at the first evaluation, and most of a basis.
const FIRST: usize = 4;
const LIMIT: usize = FIRST + 12 * STRIDE;
/// gamma: the optimum is flat around it.
const GAMMA: f64 = 0.2;
/// Share of the projected matrix below which the rest of a new vector is rounding.
const INVARIANT: f64 = 1e-14;

type Vector = [Lanes; 3];

/// Input of all components: velocities and at most two loads, three numbers per row.
#[derive(Debug, Clone, Copy)]
pub struct ComponentInput<'a> {
    /// v [m/s].
    pub velocity: &'a [f64],
    /// r_0 and r_1, as many as are not zero.
    pub loads: &'a [&'a [f64]],
    /// alpha [1/s] and beta [s].
    pub damping: [f64; 2],
    /// t [s].
    pub time: f64,
    /// Response of a mode at time t with eigenvalue lam [1/s^2] and damping d [1/s]: S', S, R_0 and R_1 of `functions::scalar`.
    pub response: fn(f64, f64, f64) -> [f64; 4],
}

/// Work of the slowest component.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moved {
    /// Vectors in a basis.
    pub dimension: usize,
    /// Estimated error, relative to the motion; infinite where a basis has not converged.
    pub error: f64,
}

/// Motions of components, with their memory.
pub struct ComponentMotions {
    groups: Vec<Group>,
    places: Places,
    /// y and y' by packed rows.
    sums: Vec<[Vector; 2]>,
}

struct Group {
    packs: Packs,
    sources: Vec<Sources>,
    scratch: Vec<Scratch>,
    moved: Vec<Moved>,
}

/// Memory for one pack.
#[derive(Clone)]
struct Scratch {
    k: PackMatrix,
    factor: PackFactor,
    /// Masses and their roots.
    mass: Vec<Lanes>,
    root: Vec<Lanes>,
    /// Bases: vector after vector, row by row, column by column.
    basis: Vec<Vector>,
    columns: Vec<Column>,
    a: Vec<Lanes>,
    q: Vec<Lanes>,
}

/// The projected matrix of one start, and what has been found with it.
#[derive(Clone)]
struct Column {
    size: Lanes,
    diagonal: Vec<Lanes>,
    off: Vec<Lanes>,
    /// Coefficients of y and of y', and those found before.
    found: [Vec<Lanes>; 2],
    before: [Vec<Lanes>; 2],
    defect: Lanes,
}

impl ComponentMotions {
    /// Prepares motions; `None` if some rows are in no group of components.
    pub fn new(pattern: &Pattern) -> Option<ComponentMotions> {
        let all = Packs::of_all(pattern)?;
        let places = Places::new(pattern.rows(), &all);
        let packed = all.iter().map(|packs| packs.count() * packs.height()).sum();
        let groups = all.into_iter().map(|packs| Group::new(pattern, packs)).collect();
        Some(ComponentMotions { groups, places, sums: vec![[[Lanes::splat(0.0); 3]; 2]; packed] })
    }

    /// Computes y and y' to a tolerance. Their content means nothing where the error returned exceeds it.
    pub fn propagate(
        &mut self,
        stiffness: &BlockMatrix,
        mass: &[f64],
        input: &ComponentInput<'_>,
        tolerance: f64,
        [y, rate]: [&mut [f64]; 2],
    ) -> Moved {
        let mut sums = &mut self.sums[..];
        let mut moved = Moved::default();
        for group in &mut self.groups {
            let (own, others) = sums.split_at_mut(group.packs.count() * group.packs.height());
            let done = match input.loads.len() {
                0 => group.propagate::<1>(stiffness, mass, input, tolerance, own),
                1 => group.propagate::<2>(stiffness, mass, input, tolerance, own),
                _ => group.propagate::<3>(stiffness, mass, input, tolerance, own),
            };
            moved = moved.and(done);
            sums = others;
        }
        for (c, to) in [y, rate].into_iter().enumerate() {
            self.places.for_each(&self.sums, to, |sum, lane, to| {
                (0..3).for_each(|k| to[k] = sum[c][k].lane(lane));
            });
        }
        moved
    }
}

impl Moved {
    fn and(self, other: Moved) -> Moved {
        // Not f64::max, which would drop a NaN.
        let error = if self.error > other.error || self.error.is_nan() { self.error } else { other.error };
        Moved { dimension: self.dimension.max(other.dimension), error }
    }
}

impl Group {
    fn new(pattern: &Pattern, packs: Packs) -> Group {
        let (zero, rows) = (Lanes::splat(0.0), packs.height());
        let numbers = vec![zero; LIMIT];
        let pair = || [numbers.clone(), numbers.clone()];
        let column = Column {
            size: zero,
            diagonal: numbers.clone(),
            off: numbers.clone(),
            found: pair(),
            before: pair(),
            defect: zero,
        };
        let scratch = Scratch {
            k: packs.matrix(),
            factor: packs.factor(),
            mass: vec![zero; rows],
            root: vec![zero; rows],
            basis: vec![[zero; 3]; 3 * rows * (LIMIT + 1)],
            columns: vec![column; 3],
            a: vec![zero; LIMIT * LIMIT],
            q: vec![zero; LIMIT * LIMIT],
        };
        Group {
            sources: packs.sources(pattern),
            scratch: vec![scratch; packs.count().min(TASKS)],
            moved: vec![Moved::default(); packs.count()],
            packs,
        }
    }

    /// Computes the motions for C starts.
    fn propagate<const C: usize>(
        &mut self,
        stiffness: &BlockMatrix,
        mass: &[f64],
        input: &ComponentInput<'_>,
        tolerance: f64,
        sums: &mut [[Vector; 2]],
    ) -> Moved {
        let Group { packs, sources, scratch, moved } = self;
        let (rows, slots) = (packs.height(), packs.shape.pattern.slots());
        let share = packs.count().div_ceil(scratch.len());
        let tasks = (sums.par_chunks_mut(share * rows))
            .zip(moved.par_chunks_mut(share))
            .zip(packs.rows.par_chunks(share * rows))
            .zip(sources.par_chunks(share * slots))
            .zip(scratch.par_iter_mut());
        tasks.for_each(|((((sums, moved), of_rows), sources), scratch)| {
            let each = sums.chunks_exact_mut(rows).zip(moved).zip(of_rows.chunks_exact(rows));
            for (((sums, moved), of_rows), sources) in each.zip(sources.chunks_exact(slots)) {
                let bad = Lanes::splat(0.0);
                scratch.k.gather(&mut Gathered { shape: &packs.shape, values: &stiffness.values, sources, bad });
                *moved = scratch.propagate::<C>(&packs.shape, of_rows, mass, input, tolerance);
                scratch.combine::<C>(rows, moved.dimension, sums);
            }
        });
        self.moved.iter().copied().fold(Moved::default(), Moved::and)
    }
}

impl Scratch {
    /// Builds the bases of a pack until they are large enough.
    fn propagate<const C: usize>(
        &mut self,
        shape: &Shape,
        of_rows: &[[u32; LANES]],
        mass: &[f64],
        input: &ComponentInput<'_>,
        tolerance: f64,
    ) -> Moved {
        let sigma = GAMMA * input.time * (GAMMA * input.time + input.damping[1]);
        self.take::<C>(of_rows, mass, input);
        let one = Lanes::splat(1.0);
        if self.factor.factorise_shape(shape, Lanes::splat(sigma), &self.k, one, &self.mass) != 0 {
            return Moved { dimension: 0, error: f64::INFINITY };
        }
        self.begin::<C>(shape);
        let mut error = f64::INFINITY;
        for k in 1..=LIMIT {
            self.step::<C>(shape, k - 1);
            if k >= FIRST && (k - FIRST).is_multiple_of(STRIDE) {
                error = self.evaluate::<C>(k, sigma, input);
                if error <= tolerance || !error.is_finite() && k > FIRST {
                    return Moved { dimension: k, error };
                }
            }
        }
        Moved { dimension: LIMIT, error }
    }

    /// Gathers the starts: M^1/2 v and M^-1/2 r.
    fn take<const C: usize>(&mut self, of_rows: &[[u32; LANES]], mass: &[f64], input: &ComponentInput<'_>) {
        let first = self.basis.as_chunks_mut::<C>().0;
        let masses = self.mass.iter_mut().zip(&mut self.root);
        for ((of_rows, first), (own, root)) in of_rows.iter().zip(first).zip(masses) {
            *own = Lanes::from_fn(|lane| mass[of_rows[lane] as usize]);
            *root = own.sqrt();
            for c in 0..C {
                let from = if c == 0 { input.velocity } else { input.loads[c - 1] };
                let by = if c == 0 { *root } else { Lanes::splat(1.0) / *root };
                for d in 0..3 {
                    first[c][d] = by * Lanes::from_fn(|lane| from[3 * of_rows[lane] as usize + d]);
                }
            }
        }
    }

    /// Makes the first vectors of the bases from the starts.
    fn begin<const C: usize>(&mut self, shape: &Shape) {
        let Scratch { factor, root, basis, columns, .. } = self;
        let (first, next) = basis.as_chunks_mut::<C>().0.split_at_mut(shape.rows());
        let x = &mut next[..shape.rows()];
        apply(factor, shape, root, first, x);
        for (first, x) in first.iter_mut().zip(x) {
            first[1..].copy_from_slice(&x[1..]);
        }
        let sizes = inner(first, first).map(|square| square.sqrt());
        for (c, column) in columns.iter_mut().enumerate().take(C) {
            column.size = sizes[c];
            let by = inverse(column.size, Lanes::splat(f64::MIN_POSITIVE));
            first.iter_mut().for_each(|row| row[c] = row[c].map(|x| by * x));
            column.found.iter_mut().for_each(|found| found.fill(Lanes::splat(0.0)));
        }
    }

    /// Adds vector j + 1 to the bases.
    fn step<const C: usize>(&mut self, shape: &Shape, j: usize) {
        let Scratch { factor, root, basis, columns, .. } = self;
        let rows = shape.rows();
        let (old, new) = basis.as_chunks_mut::<C>().0.split_at_mut((j + 1) * rows);
        let x = &mut new[..rows];
        let own = &old[j * rows..];
        apply(factor, shape, root, own, x);
        // Three terms, then all vectors once more against rounding.
        let zero = Lanes::splat(0.0);
        if j > 0 {
            subtract(x, &old[(j - 1) * rows..j * rows], std::array::from_fn(|c| columns[c].off[j - 1]));
        }
        let mut alpha = inner(x, own);
        subtract(x, own, alpha);
        for l in 0..=j {
            let q = &old[l * rows..(l + 1) * rows];
            let rest = inner(x, q);
            subtract(x, q, rest);
            if l == j {
                (0..C).for_each(|c| alpha[c] += rest[c]);
            }
        }
        let beta = inner(x, x).map(|square| square.at_least(zero).sqrt());
        let mut by = [zero; C];
        for (c, column) in columns.iter_mut().enumerate().take(C) {
            let largest =
                (0..j).fold(alpha[c].max(-alpha[c]), |most, l| most.max(column.diagonal[l]).max(column.off[l]));
            let floor = Lanes::splat(INVARIANT) * largest;
            // A basis that has ended continues with zeros, decoupled from the rest.
            column.off[j] = floor.select_gt(beta[c], zero, beta[c]);
            column.diagonal[j] = largest.select_gt(zero, alpha[c], Lanes::splat(1.0));
            by[c] = inverse(beta[c], floor.at_least(Lanes::splat(f64::MIN_POSITIVE)));
            if j > 0 {
                let is_over = |lane: usize| column.off[j - 1].lane(lane) == 0.0;
                let one = Lanes::from_fn(|lane| if is_over(lane) { 1.0 } else { column.diagonal[j].lane(lane) });
                column.diagonal[j] = one;
            }
        }
        for x in x.iter_mut() {
            (0..C).for_each(|c| x[c] = x[c].map(|x| by[c] * x));
        }
    }

    /// Computes the motion in bases of k vectors, and its error.
    fn evaluate<const C: usize>(&mut self, k: usize, sigma: f64, input: &ComponentInput<'_>) -> f64 {
        let Scratch { columns, a, q, .. } = self;
        let (zero, [alpha, beta], time) = (Lanes::splat(0.0), input.damping, input.time);
        let (mut errors, mut scales) = (zero, columns[0].size);
        for (start, column) in columns.iter_mut().enumerate().take(C) {
            a[..k * k].fill(zero);
            for i in 0..k {
                a[i * k + i] = column.diagonal[i];
                if i + 1 < k {
                    (a[i * k + i + 1], a[(i + 1) * k + i]) = (column.off[i], column.off[i]);
                }
            }
            diagonalise(&mut a[..k * k], &mut q[..k * k], k);
            std::mem::swap(&mut column.found, &mut column.before);
            column.found.iter_mut().for_each(|found| found[..k].fill(zero));
            column.defect = zero;
            for i in 0..k {
                let theta = a[i * k + i];
                let (mut by, mut follows) = ([zero; 2], zero);
                for lane in 0..LANES {
                    let (theta, weight) = (theta.lane(lane), q[i].lane(lane) * column.size.lane(lane));
                    if weight != 0.0 {
                        let lam = (1.0 / theta - 1.0) / sigma;
                        let [rate, impulse, r0, r1] = (input.response)(time, lam, alpha + beta * lam);
                        // The part of the load in the last vector is in the residual, too.
                        let (pair, load) = match start {
                            0 => ([impulse, rate], 0.0),
                            1 => ([r0 / theta, impulse / theta], 1.0),
                            _ => ([r1 / theta, r0 / theta], time),
                        };
                        (0..2).for_each(|o| by[o].as_mut_array()[lane] = weight * pair[o]);
                        follows.as_mut_array()[lane] = weight * (pair[0] + beta * pair[1] - sigma * load);
                    }
                }
                for (found, by) in column.found.iter_mut().zip(by) {
                    (0..k).for_each(|l| found[l] = by.mul_add(q[l * k + i], found[l]));
                }
                let floor = Lanes::splat(f64::MIN_POSITIVE);
                let share = theta.max(-theta).select_gt(floor, q[(k - 1) * k + i] / theta, zero);
                column.defect = share.mul_add(follows, column.defect);
            }
            let residual = column.off[k - 1] * column.defect;
            errors += residual.max(-residual) / Lanes::splat(time);
            let norm = |of: &dyn Fn(usize) -> Lanes| (0..k).fold(zero, |sum, l| of(l).mul_add(of(l), sum)).sqrt();
            let [y, rate] = [0, 1].map(|o| norm(&|l| column.found[o][l] - column.before[o][l]));
            errors += rate.max(y / Lanes::splat(time));
            let [y, rate] = [0, 1].map(|o| norm(&|l| column.found[o][l]));
            scales = scales.max(rate).max(y / Lanes::splat(time));
        }
        let ratio = |lane: usize| {
            let (error, scale) = (errors.lane(lane), scales.lane(lane));
            if error == 0.0 { 0.0 } else { error / scale }
        };
        (0..LANES).map(ratio).fold(0.0, |most, error| if error <= most { most } else { error })
    }

    /// Sums the bases with the coefficients found.
    fn combine<const C: usize>(&self, rows: usize, k: usize, sums: &mut [[Vector; 2]]) {
        let basis = self.basis.as_chunks::<C>().0;
        sums.fill([[Lanes::splat(0.0); 3]; 2]);
        for l in 0..k {
            for (sum, q) in sums.iter_mut().zip(&basis[l * rows..]) {
                for (c, column) in self.columns.iter().enumerate().take(C) {
                    for o in 0..2 {
                        let by = column.found[o][l];
                        (0..3).for_each(|d| sum[o][d] = by.mul_add(q[c][d], sum[o][d]));
                    }
                }
            }
        }
        for (sum, root) in sums.iter_mut().zip(&self.root) {
            let by = Lanes::splat(1.0) / *root;
            *sum = sum.map(|sum| sum.map(|x| by * x));
        }
    }
}

/// y = C x.
fn apply<const C: usize>(factor: &PackFactor, shape: &Shape, root: &[Lanes], x: &[[Vector; C]], y: &mut [[Vector; C]]) {
    for ((y, x), &root) in y.iter_mut().zip(x).zip(root) {
        *y = x.map(|x| x.map(|x| root * x));
    }
    factor.solve_shape(shape, y);
    for (y, &root) in y.iter_mut().zip(root) {
        *y = y.map(|y| y.map(|y| root * y));
    }
}

/// Returns 1 / x, or zero where x is not above the floor.
fn inverse(x: Lanes, floor: Lanes) -> Lanes {
    let one = Lanes::splat(1.0);
    x.select_gt(floor, one / x.max(floor), Lanes::splat(0.0))
}

/// Computes the inner products of columns.
fn inner<const C: usize>(x: &[[Vector; C]], y: &[[Vector; C]]) -> [Lanes; C] {
    let mut sums = [Lanes::splat(0.0); C];
    for (x, y) in x.iter().zip(y) {
        for c in 0..C {
            (0..3).for_each(|d| sums[c] = x[c][d].mul_add(y[c][d], sums[c]));
        }
    }
    sums
}

/// x -= y times a factor for each column.
fn subtract<const C: usize>(x: &mut [[Vector; C]], y: &[[Vector; C]], by: [Lanes; C]) {
    for (x, y) in x.iter_mut().zip(y) {
        for c in 0..C {
            (0..3).for_each(|d| x[c][d] = by[c].mul_neg_add(y[c][d], x[c][d]));
        }
    }
}
