//! Direct solver of many small bodies: connected components of one shape, eight side by side.
//!
//! Hairs, bristles, grass, chains and loose nodes give a matrix of many small diagonal blocks. The general solver
//! handles each as a few tiny fronts and spends its time on finding them. Here the components are found from the
//! pattern, those of one shape form a [`Group`](group::Group), and eight of a group are factorised and solved at the
//! same time, one in each lane ([`pack`]). Rows that fit no group go to the general solver ([`rest`]), components that
//! are not positive definite to general solvers of their own ([`doubtful`]).
//!
//! Same bits for any thread count: lanes do not mix, and threads share whole packs. Nothing but the values changes
//! after the analysis; `prepare` and `solve` allocate nothing while all components are positive definite.
//!
//! Cost per component of a fibre of eight rings (32 nodes): about 30,000 flops for a factor of 14 kB, 7,000 per solve. Both are
//! limited by memory: see `docs/performance.md`.

mod canonical;
mod doubtful;
mod group;
mod jacobi;
mod matrix;
mod modes;
mod motions;
mod pack;
mod packs;
mod partition;
mod rest;
mod search;
mod shape;
#[cfg(test)]
mod tests;

use super::ordering::Ordering;
use super::{Cholesky, Definiteness, FLOPS_A_BLOCK, Fallback, LinearError, LinearSolver, Stop, Work};
use crate::blocks::{BlockMatrix, Pattern};
use crate::interrupt;
use crate::real::{Lanes, Real};
use crate::vectors::is_finite;
use group::Group;
pub use matrix::{PackFactor, PackMatrix, Place};
pub use modes::{ComponentModes, Searched};
pub use motions::{ComponentInput, ComponentMotions, Moved};
pub use packs::Packs;
use partition::Partition;
use rayon::prelude::*;
use rest::Rest;
use std::sync::Arc;

/// Most columns solved at a time: the factor is read once for them.
const COLUMNS: usize = 4;
/// Rows per task when solutions are put back.
const ROWS_PER_TASK: usize = 4096;
/// Numbers per task when they are checked.
const NUMBERS_PER_TASK: usize = 1 << 16;
/// Mark of rows that are in no pack.
const NOWHERE: u32 = u32::MAX;

/// The direct solver of a pattern with many small components.
pub struct Components {
    pattern: Arc<Pattern>,
    groups: Vec<Group>,
    /// First packed row of each group.
    first: Vec<usize>,
    /// Packed row and lane of each row of the matrix: eight times the one plus the other.
    place: Vec<u32>,
    rest: Option<Rest>,
    /// Solutions by packed rows, [`COLUMNS`] columns side by side.
    x: Vec<[Lanes; 3]>,
    definiteness: Definiteness,
    is_prepared: bool,
    work: Work,
}

/// The groups of a pattern and the order of its rest, before there is memory for their factors.
pub(super) struct Plan {
    partition: Partition,
    rest: Option<(Arc<Pattern>, Vec<u32>, Ordering)>,
}

impl Plan {
    /// Plans the groups of a pattern; `None` if it has none.
    pub fn of_groups(pattern: &Pattern) -> Option<Plan> {
        let partition = Partition::new(pattern);
        (!partition.groups.is_empty()).then(|| Plan::new(pattern, partition))
    }

    fn new(pattern: &Pattern, partition: Partition) -> Plan {
        let rest = (!partition.rest.is_empty()).then(|| {
            let (pattern, slots) = rest::restricted(pattern, &partition.rest);
            let ordering = Ordering::best(&pattern);
            (pattern, slots, ordering)
        });
        Plan { partition, rest }
    }

    /// Returns true if most of the work is in the groups; otherwise a factor should be kept.
    pub fn pays(&self) -> bool {
        self.rest.as_ref().is_none_or(|(.., ordering)| ordering.flops <= self.partition.cost()[0])
    }

    /// Counts the multiplications and additions of a factorisation, and the numbers of the factor.
    pub fn cost(&self) -> [f64; 2] {
        let [flops, entries] = self.partition.cost();
        let rest = self.rest.as_ref().map_or([0.0; 2], |(.., ordering)| [ordering.flops, ordering.entries]);
        [flops + rest[0], entries + rest[1]]
    }
}

impl Components {
    /// Finds the components of `pattern`; `stop` is for iterations on a part that is too large for a factor.
    pub fn new(pattern: &Arc<Pattern>, stop: Stop) -> Result<Components, LinearError> {
        Components::with_plan(pattern, Plan::new(pattern, Partition::new(pattern)), stop)
    }

    pub(super) fn with_plan(pattern: &Arc<Pattern>, plan: Plan, stop: Stop) -> Result<Components, LinearError> {
        let Plan { partition, rest } = plan;
        let groups: Result<Vec<Group>, LinearError> =
            partition.groups.into_iter().map(|alike| Group::new(pattern, alike)).collect();
        let groups = groups?;
        let (mut place, mut first) = (vec![NOWHERE; pattern.rows()], vec![0]);
        for group in &groups {
            let before = first[first.len() - 1];
            for (row, packed, lane) in group.packs.places() {
                place[row as usize] = ((before + packed) * Lanes::LANES + lane) as u32;
            }
            first.push(before + group.packs.rows.len());
        }
        let rest = match rest {
            None => None,
            Some((pattern, slots, ordering)) => {
                let is_huge = ordering.flops > FLOPS_A_BLOCK * pattern.slots() as f64;
                let solver: Box<dyn LinearSolver> = if is_huge {
                    Box::new(Fallback::new(&pattern, ordering, stop))
                } else {
                    Box::new(Cholesky::with_ordering(&pattern, &ordering)?)
                };
                Some(Rest::new(pattern, partition.rest, slots, solver))
            }
        };
        Ok(Components {
            pattern: pattern.clone(),
            groups,
            first,
            place,
            rest,
            x: Vec::new(),
            definiteness: Definiteness::Unknown,
            is_prepared: false,
            work: Work::default(),
        })
    }

    /// Number of shapes that are solved side by side.
    pub fn shapes(&self) -> usize {
        self.groups.len()
    }

    /// Number of rows that fit no group.
    pub fn rest(&self) -> usize {
        self.place.iter().filter(|&&place| place == NOWHERE).count()
    }

    fn factorise(&mut self, a: &BlockMatrix) -> Result<Definiteness, LinearError> {
        super::adopt(&mut self.pattern, a)?;
        self.work.factorisations += 1;
        for group in &mut self.groups {
            interrupt::check()?;
            group.prepare(a)?;
        }
        let is_doubtful = self.groups.iter().any(|group| group.doubtful.is_some());
        self.work.factorisations += u64::from(is_doubtful);
        let mut negative: usize = self.groups.iter().map(|group| group.doubtful.negative()).sum();
        if let Some(rest) = &mut self.rest {
            rest.prepare(a)?;
            match rest.solver.definiteness() {
                Definiteness::Positive => {}
                Definiteness::Indefinite { negative: more } => negative += more,
                Definiteness::Unknown => return Ok(Definiteness::Unknown),
            }
        }
        Ok(if negative == 0 { Definiteness::Positive } else { Definiteness::Indefinite { negative } })
    }

    /// Solves C columns in the groups.
    fn solve_panel<const C: usize>(&mut self, rhs: &mut [f64]) {
        let dim = 3 * self.pattern.rows();
        let packed = self.first[self.first.len() - 1];
        if self.x.len() < C * packed {
            self.x.resize(C * packed, [Lanes::splat(0.0); 3]);
        }
        let x = self.x.as_chunks_mut::<C>().0;
        for (group, ends) in self.groups.iter().zip(self.first.windows(2)) {
            group.solve::<C>(rhs, dim, &mut x[ends[0]..ends[1]]);
        }
        let (x, place) = (&*x, &self.place);
        for (c, rhs) in rhs.chunks_exact_mut(dim.max(1)).enumerate() {
            let tasks = rhs.par_chunks_mut(3 * ROWS_PER_TASK).zip(place.par_chunks(ROWS_PER_TASK));
            tasks.for_each(|(rhs, place)| {
                for (rhs, &place) in rhs.as_chunks_mut::<3>().0.iter_mut().zip(place) {
                    if place != NOWHERE {
                        let (packed, lane) = (place as usize / Lanes::LANES, place as usize % Lanes::LANES);
                        *rhs = x[packed][c].map(|x| x.lane(lane));
                    }
                }
            });
        }
    }
}

impl LinearSolver for Components {
    fn prepare(&mut self, a: &BlockMatrix) -> Result<Definiteness, LinearError> {
        self.is_prepared = false;
        self.definiteness = Definiteness::Unknown;
        self.definiteness = self.factorise(a)?;
        self.is_prepared = true;
        Ok(self.definiteness)
    }

    fn solve(&mut self, _: &BlockMatrix, rhs: &mut [f64], columns: usize) -> Result<(), LinearError> {
        let dim = 3 * self.pattern.rows();
        if !self.is_prepared {
            return Err(LinearError::NotPrepared);
        }
        assert_eq!(rhs.len(), dim * columns, "right-hand sides do not have the size of the matrix");
        self.work.solves += columns as u64;
        if !rhs.par_chunks(NUMBERS_PER_TASK).all(is_finite) {
            let first = rhs.iter().position(|v| !v.is_finite()).unwrap_or(0);
            return Err(LinearError::NonFinite { row: first % dim / 3 });
        }
        // These read their rows before the packs overwrite them.
        for group in &mut self.groups {
            group.doubtful.solve(rhs, columns)?;
        }
        if let Some(rest) = &mut self.rest {
            rest.solve(rhs, columns)?;
        }
        let (mut left, mut panels) = (columns, &mut *rhs);
        while left > 0 {
            let width = left.min(COLUMNS);
            let (panel, tail) = panels.split_at_mut(width * dim);
            match width {
                4 => self.solve_panel::<4>(panel),
                3 => self.solve_panel::<3>(panel),
                2 => self.solve_panel::<2>(panel),
                _ => self.solve_panel::<1>(panel),
            }
            (panels, left) = (tail, left - width);
        }
        self.groups.iter().for_each(|group| group.doubtful.put(rhs, columns));
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        self.definiteness
    }

    fn work(&self) -> Work {
        let mut work = self.work;
        if let Some(rest) = &self.rest {
            let of_rest = rest.solver.work();
            // A factorisation of the whole is one, whatever its parts.
            work += Work { factorisations: 0, solves: 0, ..of_rest };
        }
        work
    }
}
