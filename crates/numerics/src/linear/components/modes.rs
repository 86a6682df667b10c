//! Lowest modes of every component of K x = lam M x, eight components side by side.
//!
//! The lowest modes of sixty thousand equal hairs are sixty thousand times the same one, so a search in the whole
//! cannot separate them; each component has its own. A pack is searched by block inverse iteration with K + sigma M,
//! sigma a quarter of the largest wanted eigenvalue of the component when it was last searched: a pass
//!
//!   (K + sigma M) Y = M X S,   G = Y^T M Y,   B = Y^T M X S,   B c = theta G c,   X+ = Y c,   lam = theta - sigma
//!
//! brings mode i closer by (lam_i + sigma) / (lam_last + sigma); S scales the columns of Y to length 1. Where
//! X^T M X = I, the residual of x = Y c is known without another product: the square of its norm,
//! r^T M^-1 r with r = (K - lam M) x, is |S c|^2 - theta^2. Over the distance to the last mode it estimates
//! the angle between a mode and the exact one.
//!
//! The factor of K + sigma M is made in scratch, used for all passes and dropped: everything of a pack stays in the
//! cache, and memory is read once.
//!
//! A component whose K + sigma M is not positive definite (buckling, inverted elements) has no modes for this matrix.

use super::jacobi::diagonalise;
use super::pack::{self, Block, Judgement, Triangle};
use super::packs::Packs;
use super::partition::Partition;
use crate::blocks::{BlockMatrix, Pattern};
use crate::real::{Lanes, Real};
use rayon::prelude::*;

const LANES: usize = Lanes::LANES;
/// Columns that are solved together.
const PANEL: usize = 4;
/// Fewest columns besides the wanted ones, which make these converge faster.
const GUARDS: usize = 3;
/// Most wanted modes of a component.
const MOST: usize = 13;
/// Limit of passes per search; the first one begins with noise.
const PASSES: usize = 40;
/// Least sigma over the largest eigenvalue: below it the shift is lost in rounding.
const ROUNDING: f64 = 1e-11;
/// Sigma of the first search, likewise.
const FIRST: f64 = 1e-9;
/// Packs are cut into at most this many tasks, each with its scratch.
const TASKS: usize = 64;

/// Columns at one row: three numbers each, [`PANEL`] side by side.
type Panel = [[Lanes; 3]; PANEL];

/// Lowest modes of all components, kept from search to search.
pub struct ComponentModes {
    groups: Vec<Group>,
    wanted: usize,
    dim: usize,
    /// Packed row and lane of each row, as in the solver.
    place: Vec<u32>,
    /// Results by packed rows: two vectors.
    sums: Vec<[[Lanes; 3]; 2]>,
}

/// Outcome of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Searched {
    /// Most passes of a component.
    pub passes: usize,
    /// Largest estimated angle between a wanted mode and the exact one [rad].
    pub angle: f64,
}

struct Group {
    packs: Packs,
    /// Modes by packs: panel after panel, row by row.
    x: Vec<Panel>,
    /// Eigenvalues of each pack, ascending; infinite where there are none.
    values: Vec<Lanes>,
    scratch: Vec<Scratch>,
    searched: Vec<Searched>,
}

#[derive(Clone)]
struct Scratch {
    blocks: Vec<Block>,
    triangles: Vec<Triangle>,
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

impl ComponentModes {
    /// Prepares the search for `wanted` modes of each component. `None` if some rows are in no group of components, or
    /// in one that is too small for as many modes.
    pub fn new(pattern: &Pattern, wanted: usize) -> Option<ComponentModes> {
        let columns = (wanted + GUARDS).next_multiple_of(PANEL);
        if wanted == 0 || wanted > MOST {
            return None;
        }
        let partition = Partition::new(pattern);
        let fits = |rows: usize| 3 * rows >= 2 * columns;
        let is_whole = partition.rest.is_empty() && partition.groups.iter().all(|alike| fits(alike.shape.rows()));
        if !is_whole || partition.groups.is_empty() {
            return None;
        }
        let mut place = vec![0; pattern.rows()];
        let mut first = 0;
        let mut groups = Vec::new();
        for alike in partition.groups {
            let packs = Packs::new(pattern, alike);
            for (row, packed, lane) in packs.places() {
                place[row as usize] = ((first + packed) * LANES + lane) as u32;
            }
            first += packs.rows.len();
            groups.push(Group::new(packs, columns));
        }
        let sums = vec![[[Lanes::splat(0.0); 3]; 2]; first];
        Some(ComponentModes { groups, wanted, dim: 3 * pattern.rows(), place, sums })
    }

    /// Number of modes of each component.
    pub fn wanted(&self) -> usize {
        self.wanted
    }

    /// Searches for the modes of K = `stiffness` with these masses of the rows, beginning with those found before, until
    /// angles are below `tolerance` [rad].
    pub fn find(&mut self, stiffness: &BlockMatrix, mass: &[f64], tolerance: f64) -> Searched {
        let wanted = self.wanted;
        let of_group = |group: &mut Group| group.find(stiffness, mass, wanted, tolerance);
        self.groups.iter_mut().map(of_group).fold(Searched::default(), Searched::and)
    }

    /// Adds to two vectors the wanted modes times numbers of a rule: it gets the eigenvalue of a mode and its inner
    /// products with C vectors.
    pub fn add_responses<const C: usize>(
        &mut self,
        vectors: [&[f64]; C],
        rule: impl Fn(f64, [f64; C]) -> [f64; 2] + Sync,
        to: [&mut [f64]; 2],
    ) {
        let mut sums = &mut self.sums[..];
        for group in &self.groups {
            let (own, others) = sums.split_at_mut(group.packs.rows.len());
            group.respond(self.wanted, &vectors, &rule, own);
            sums = others;
        }
        let (sums, place) = (&self.sums, &self.place);
        for (c, to) in to.into_iter().enumerate() {
            let tasks = to[..self.dim].par_chunks_mut(3 * super::ROWS_PER_TASK);
            tasks.zip(place.par_chunks(super::ROWS_PER_TASK)).for_each(|(to, place)| {
                for (to, &place) in to.as_chunks_mut::<3>().0.iter_mut().zip(place) {
                    let sum = &sums[place as usize / LANES][c];
                    (0..3).for_each(|k| to[k] += sum[k].lane(place as usize % LANES));
                }
            });
        }
    }

    /// Returns the eigenvalues of the component that `row` belongs to, ascending, with those of the guards.
    pub fn values_at(&self, row: usize) -> Vec<f64> {
        let (mut packed, lane) = (self.place[row] as usize / LANES, self.place[row] as usize % LANES);
        for group in &self.groups {
            if packed < group.packs.rows.len() {
                let columns = group.columns();
                let pack = packed / group.packs.shape.rows();
                return group.values[pack * columns..(pack + 1) * columns].iter().map(|v| v.lane(lane)).collect();
            }
            packed -= group.packs.rows.len();
        }
        Vec::new()
    }

    /// Forgets the modes: the next search begins anew.
    pub fn forget(&mut self) {
        self.groups.iter_mut().for_each(Group::begin);
    }

    /// Returns eigenvalues and modes as numbers.
    pub fn memory(&self) -> Vec<f64> {
        let numbers = |group: &Group| {
            let values = group.values.iter().flat_map(|lanes| lanes.to_array()).collect::<Vec<_>>();
            let x = group.x.as_flattened().as_flattened().iter().flat_map(|lanes| lanes.to_array());
            values.into_iter().chain(x).collect::<Vec<_>>()
        };
        self.groups.iter().flat_map(numbers).collect()
    }

    /// Restores the result of `memory`; false if the numbers are too many or too few.
    pub fn recall(&mut self, memory: &[f64]) -> bool {
        let count = |group: &Group| LANES * (group.values.len() + group.x.len() * PANEL * 3);
        if memory.len() != self.groups.iter().map(count).sum::<usize>() || memory.iter().any(|x| x.is_nan()) {
            return false;
        }
        let mut numbers = memory.as_chunks::<LANES>().0.iter().map(|&lanes| Lanes::new(lanes));
        for group in &mut self.groups {
            let all = group.values.iter_mut().chain(group.x.as_flattened_mut().as_flattened_mut());
            all.zip(&mut numbers).for_each(|(to, lanes)| *to = lanes);
        }
        true
    }
}

impl Searched {
    fn and(self, other: Searched) -> Searched {
        Searched { passes: self.passes.max(other.passes), angle: self.angle.max(other.angle) }
    }
}

impl Group {
    fn new(packs: Packs, columns: usize) -> Group {
        let zero = Lanes::splat(0.0);
        let shape = &packs.shape;
        let panels = columns / PANEL;
        let square = vec![zero; columns * columns];
        let scratch = Scratch {
            blocks: vec![[[zero; 3]; 3]; shape.blocks()],
            triangles: vec![[zero; 6]; shape.rows()],
            y: vec![[[zero; 3]; PANEL]; panels * shape.rows()],
            mass: vec![zero; shape.rows()],
            scale: vec![zero; columns],
            gram: square.clone(),
            cross: square.clone(),
            turned: square,
            angles: vec![zero; columns],
        };
        let mut group = Group {
            x: vec![[[zero; 3]; PANEL]; panels * packs.rows.len()],
            values: vec![zero; packs.count() * columns],
            scratch: vec![scratch; packs.count().min(TASKS)],
            searched: vec![Searched::default(); packs.count()],
            packs,
        };
        group.begin();
        group
    }

    /// Number of columns, with guards.
    fn columns(&self) -> usize {
        self.x.len() / self.packs.rows.len() * PANEL
    }

    /// Begins with noise, the same for every component.
    fn begin(&mut self) {
        let per_pack = self.x.len() / self.packs.count();
        for pack in self.x.chunks_exact_mut(per_pack) {
            for (k, x) in pack.as_flattened_mut().as_flattened_mut().iter_mut().enumerate() {
                *x = Lanes::splat(((k as f64 + 1.0) * 12.9898).sin());
            }
        }
        self.values.fill(Lanes::splat(f64::INFINITY));
    }

    fn find(&mut self, stiffness: &BlockMatrix, mass: &[f64], wanted: usize, tolerance: f64) -> Searched {
        let columns = self.columns();
        let Group { packs, x, values, scratch, searched } = self;
        let (rows, slots) = (packs.shape.rows(), packs.shape.pattern.slots());
        let per_pack = columns / PANEL * rows;
        let share = packs.count().div_ceil(scratch.len());
        let tasks = (x.par_chunks_mut(share * per_pack))
            .zip(values.par_chunks_mut(share * columns))
            .zip(searched.par_chunks_mut(share))
            .zip(packs.rows.par_chunks(share * rows))
            .zip(packs.sources.par_chunks(share * slots))
            .zip(scratch.par_iter_mut());
        tasks.for_each(|(((((x, values), searched), of_rows), sources), scratch)| {
            let each = (x.chunks_exact_mut(per_pack)).zip(values.chunks_exact_mut(columns)).zip(searched);
            let each = each.zip(of_rows.chunks_exact(rows)).zip(sources.chunks_exact(slots));
            for ((((x, values), searched), of_rows), sources) in each {
                let from = |(to, rows): (&mut Lanes, &[u32; LANES])| *to = Lanes::from_fn(|lane| mass[rows[lane] as usize]);
                scratch.mass.iter_mut().zip(of_rows).for_each(from);
                let sigma = shift(packs, stiffness, sources, &scratch.mass, values, wanted);
                let Scratch { blocks, triangles, mass, .. } = &mut *scratch;
                let added = |i: usize| Some(sigma * mass[i]);
                let judgement = pack::factorise(&packs.shape, &stiffness.values, sources, added, blocks, triangles);
                *searched = scratch.search(packs, x, values, sigma, judgement, wanted, tolerance);
            }
        });
        self.searched.iter().copied().fold(Searched::default(), Searched::and)
    }

    /// Sums modes times the numbers of a rule, by packed rows.
    fn respond<const C: usize>(
        &self,
        wanted: usize,
        vectors: &[&[f64]; C],
        rule: &(impl Fn(f64, [f64; C]) -> [f64; 2] + Sync),
        sums: &mut [[[Lanes; 3]; 2]],
    ) {
        let Group { packs, x, values, .. } = self;
        let (rows, columns) = (packs.shape.rows(), self.columns());
        let each = sums.par_chunks_mut(rows).zip(packs.rows.par_chunks(rows));
        let each = each.zip(x.par_chunks(columns / PANEL * rows)).zip(values.par_chunks(columns));
        each.with_min_len(4).for_each(|(((sums, of_rows), x), values)| {
            let zero = Lanes::splat(0.0);
            sums.fill([[zero; 3]; 2]);
            for (k, &lam) in values.iter().enumerate().take(wanted) {
                let mode = &x[k / PANEL * rows..][..rows];
                let mut inner = [zero; C];
                for (mode, of_rows) in mode.iter().zip(of_rows) {
                    for (inner, vector) in inner.iter_mut().zip(vectors) {
                        let numbers = of_rows.map(|row| &vector[3 * row as usize..][..3]);
                        for c in 0..3 {
                            let vector = Lanes::from_fn(|lane| numbers[lane][c]);
                            *inner = mode[k % PANEL][c].mul_add(vector, *inner);
                        }
                    }
                }
                let by_rule: [[f64; 2]; LANES] = std::array::from_fn(|lane| {
                    let lam = lam.lane(lane);
                    if lam.is_finite() { rule(lam, inner.map(|inner| inner.lane(lane))) } else { [0.0; 2] }
                });
                for c in 0..2 {
                    let by = Lanes::from_fn(|lane| by_rule[lane][c]);
                    for (mode, sum) in mode.iter().zip(&mut *sums) {
                        (0..3).for_each(|d| sum[c][d] = by.mul_add(mode[k % PANEL][d], sum[c][d]));
                    }
                }
            }
        });
    }
}

/// Returns sigma of each component of a pack.
fn shift(
    packs: &Packs,
    stiffness: &BlockMatrix,
    sources: &[pack::Sources],
    mass: &[Lanes],
    values: &[Lanes],
    wanted: usize,
) -> Lanes {
    let pattern = &packs.shape.pattern;
    Lanes::from_fn(|lane| {
        let of_row = |i: usize| {
            let block = &stiffness.values[sources[pattern.diagonal(i)][lane] as usize / 2];
            (0..3).fold(0.0_f64, |most, k| most.max(block[k][k].abs())) / mass[i].lane(lane)
        };
        let fastest = (0..packs.shape.rows()).map(of_row).fold(f64::MIN_POSITIVE, f64::max);
        let (first, last) = (values[0].lane(lane), values[wanted - 1].lane(lane));
        let sigma = if last.is_finite() { (0.25 * last.abs()).max(-2.0 * first) } else { FIRST * fastest };
        sigma.max(ROUNDING * fastest)
    })
}

impl Scratch {
    /// Improves the modes `x` of a pack by passes with the factor at hand.
    #[allow(clippy::too_many_arguments)] // the parts of one pack
    fn search(
        &mut self,
        packs: &Packs,
        x: &mut [Panel],
        values: &mut [Lanes],
        sigma: Lanes,
        judgement: Judgement,
        wanted: usize,
        tolerance: f64,
    ) -> Searched {
        let (rows, columns) = (packs.shape.rows(), values.len());
        let is_good = |lane: usize| judgement.doubtful >> lane & 1 == 0 && !judgement.is_bad;
        // Lanes without modes before this search hold noise, which is not orthonormal: its first angles mean nothing.
        let mut is_new = (0..LANES).any(|lane| !values[0].lane(lane).is_finite());
        let mut found = Searched::default();
        while found.passes < PASSES {
            found.passes += 1;
            for (y, x) in self.y.chunks_exact_mut(rows).zip(x.chunks_exact(rows)) {
                for ((y, x), &m) in y.iter_mut().zip(x).zip(&self.mass) {
                    *y = x.map(|x| x.map(|x| m * x));
                }
                pack::solve(&packs.shape, &self.blocks, &self.triangles, y);
            }
            self.take_inner_products(x, rows, columns);
            self.combine(x, values, sigma, rows, judgement);
            let angles = self.angles[..wanted].iter();
            let of_good = |angle: &Lanes| (0..LANES).filter(|&lane| is_good(lane)).map(|lane| angle.lane(lane)).fold(0.0, f64::max);
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
    fn combine(&mut self, x: &mut [Panel], values: &mut [Lanes], sigma: Lanes, rows: usize, judgement: Judgement) {
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
                if judgement.doubtful == 0 {
                    *x = sum;
                } else {
                    for (x, sum) in x.iter_mut().zip(sum) {
                        let is_bad = |lane: usize| judgement.doubtful >> lane & 1 == 1;
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
            a[i * n + j] =
                if i == j { sum.at_least(Lanes::splat(f64::EPSILON)).sqrt() } else { sum / a[j * n + j] };
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
