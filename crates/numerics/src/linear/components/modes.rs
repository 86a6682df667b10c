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

use super::pack::{Gathered, Sources};
use super::packs::{Packs, Places};
pub use super::search::Searched;
use super::search::{PANEL, Panel, Scratch};
use crate::blocks::{BlockMatrix, Pattern};
use crate::real::{Lanes, Real};
use rayon::prelude::*;

const LANES: usize = Lanes::LANES;
/// Fewest columns besides the wanted ones, which make these converge faster.
const GUARDS: usize = 3;
/// Most wanted modes of a component.
const MOST: usize = 13;
/// Packs are cut into at most this many tasks, each with its scratch.
const TASKS: usize = 64;

/// Lowest modes of all components, kept from search to search.
pub struct ComponentModes {
    groups: Vec<Group>,
    wanted: usize,
    places: Places,
    /// Results by packed rows: two vectors.
    sums: Vec<[[Lanes; 3]; 2]>,
}

struct Group {
    packs: Packs,
    sources: Vec<Sources>,
    /// Modes by packs: panel after panel, row by row.
    x: Vec<Panel>,
    /// Eigenvalues of each pack, ascending; infinite where there are none.
    values: Vec<Lanes>,
    scratch: Vec<Scratch>,
    searched: Vec<Searched>,
}

impl ComponentModes {
    /// Prepares the search for `wanted` modes of each component. `None` if some rows are in no group of components, or
    /// in one that is too small for as many modes.
    pub fn new(pattern: &Pattern, wanted: usize) -> Option<ComponentModes> {
        let columns = (wanted + GUARDS).next_multiple_of(PANEL);
        if wanted == 0 || wanted > MOST {
            return None;
        }
        let all = Packs::of_all(pattern)?;
        if all.iter().any(|packs| 3 * packs.height() < 2 * columns) {
            return None;
        }
        let places = Places::new(pattern.rows(), &all);
        let packed = all.iter().map(|packs| packs.rows.len()).sum();
        let groups = all.into_iter().map(|packs| Group::new(pattern, packs, columns)).collect();
        Some(ComponentModes { groups, wanted, places, sums: vec![[[Lanes::splat(0.0); 3]; 2]; packed] })
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
        for (c, to) in to.into_iter().enumerate() {
            self.places.for_each(&self.sums, to, |sum, lane, to| {
                (0..3).for_each(|k| to[k] += sum[c][k].lane(lane));
            });
        }
    }

    /// Returns the eigenvalues of the component that `row` belongs to, ascending, with those of the guards.
    pub fn values_at(&self, row: usize) -> Vec<f64> {
        let (mut packed, lane) = self.places.of(row);
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

impl Group {
    fn new(pattern: &Pattern, packs: Packs, columns: usize) -> Group {
        let zero = Lanes::splat(0.0);
        let panels = columns / PANEL;
        let scratch = Scratch::new(&packs, columns);
        let mut group = Group {
            x: vec![[[zero; 3]; PANEL]; panels * packs.rows.len()],
            values: vec![zero; packs.count() * columns],
            scratch: vec![scratch; packs.count().min(TASKS)],
            searched: vec![Searched::default(); packs.count()],
            sources: packs.sources(pattern),
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
        let Group { packs, sources, x, values, scratch, searched } = self;
        let (rows, slots) = (packs.shape.rows(), packs.shape.pattern.slots());
        let per_pack = columns / PANEL * rows;
        let share = packs.count().div_ceil(scratch.len());
        let tasks = (x.par_chunks_mut(share * per_pack))
            .zip(values.par_chunks_mut(share * columns))
            .zip(searched.par_chunks_mut(share))
            .zip(packs.rows.par_chunks(share * rows))
            .zip(sources.par_chunks(share * slots))
            .zip(scratch.par_iter_mut());
        tasks.for_each(|(((((x, values), searched), of_rows), sources), scratch)| {
            let each = (x.chunks_exact_mut(per_pack)).zip(values.chunks_exact_mut(columns)).zip(searched);
            let each = each.zip(of_rows.chunks_exact(rows)).zip(sources.chunks_exact(slots));
            for ((((x, values), searched), of_rows), sources) in each {
                scratch.take_masses(of_rows, mass);
                let bad = Lanes::splat(0.0);
                scratch.k.gather(&mut Gathered { shape: &packs.shape, values: &stiffness.values, sources, bad });
                *searched = scratch.search(&packs.shape, x, values, wanted, tolerance);
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
            // Vectors are gathered once for all modes.
            let mut inner = [[zero; C]; MOST];
            for (i, of_rows) in of_rows.iter().enumerate() {
                for (c, vector) in vectors.iter().enumerate() {
                    let numbers = of_rows.map(|row| &vector[3 * row as usize..][..3]);
                    let vector: [Lanes; 3] = std::array::from_fn(|d| Lanes::from_fn(|lane| numbers[lane][d]));
                    for (k, inner) in inner.iter_mut().enumerate().take(wanted) {
                        let mode = &x[k / PANEL * rows + i][k % PANEL];
                        (0..3).for_each(|d| inner[c] = mode[d].mul_add(vector[d], inner[c]));
                    }
                }
            }
            for (k, (&lam, inner)) in values.iter().zip(inner).enumerate().take(wanted) {
                let mode = &x[k / PANEL * rows..][..rows];
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
