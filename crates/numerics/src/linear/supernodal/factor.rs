//! Factorise and solve, task by task, then the top.

use super::eliminate::{Pivots, TaskMemory, eliminate};
use super::stored::Stored;
use super::structure::Task;
use super::tree::SMALLEST;
use super::vectors::Vectors;
use super::{Half, Precision, Structure};
use crate::blocks::{BlockMatrix, Pattern};
use crate::interrupt::{self, Carried};
use crate::linear::permuted::first_non_finite;
use crate::linear::{LinearError, adopt};
use crate::mat3::{Mat3, mat_vec};
use dyn_stack::{MemBuffer, MemStack};
use faer::Par;
use faer::linalg::cholesky::llt::factor::cholesky_in_place_scratch;
use rayon::prelude::*;
use std::sync::Arc;

/// Pieces in which solutions are copied back into the order of the matrix.
const PIECES: usize = 8;

/// L L^T = P A P^T, computed in T (`f32` or `f64`), and stored so too, or in 16 bits ([`Half`]).
pub struct Factor<T: Precision, S: Stored<T> = T> {
    structure: Arc<Structure>,
    pattern: Arc<Pattern>,
    /// The panels, with the inverse of the diagonal of L on the diagonal.
    values: Vec<S>,
    /// Memory for the update matrices.
    updates: Vec<T>,
    benches: Vec<Bench<T>>,
    /// Right-hand sides of each thread, if the factor is one task and there are many of them.
    shares: Vec<Vectors<T>>,
}

/// Working memory of a task.
struct Bench<T: Precision> {
    pivots: Pivots,
    memory: MemBuffer,
    x: Vectors<T>,
    /// Memory to compute a panel in, and the inverse of the diagonal D, where panels are stored otherwise.
    front: Vec<T>,
    diagonal: Vec<T>,
}

impl<T: Precision> Factor<T> {
    /// Allocates a factor; it holds none yet.
    pub fn new(structure: &Arc<Structure>) -> Result<Factor<T>, LinearError> {
        Factor::allocate(structure)
    }
}

impl Factor<f32, Half> {
    /// Allocates a factor whose numbers are stored in 16 bits; it holds none yet.
    pub fn in_16_bits(structure: &Arc<Structure>) -> Result<Factor<f32, Half>, LinearError> {
        Factor::allocate(structure)
    }
}

/// Allocates numbers, all equal.
fn numbers<N: Copy>(structure: &Structure, len: usize, value: N) -> Result<Vec<N>, LinearError> {
    let mut numbers = Vec::new();
    numbers.try_reserve_exact(len).map_err(|_| LinearError::TooLarge { entries: structure.entries() })?;
    numbers.resize(len, value);
    Ok(numbers)
}

impl<T: Precision, S: Stored<T>> Factor<T, S> {
    fn allocate(structure: &Arc<Structure>) -> Result<Factor<T, S>, LinearError> {
        let zero = T::of(0.0);
        let bench = |task: &Task| {
            let panels = structure.nodes[task.nodes.clone()].iter().map(|node| node.panel().len());
            let [front, diagonal] =
                if S::IS_APART { [panels.max().unwrap_or(0), 3 * task.blocks.len()] } else { [0; 2] };
            Ok(Bench {
                pivots: Pivots::Positive,
                memory: MemBuffer::new(cholesky_in_place_scratch::<T>(task.width, Par::Seq, Default::default())),
                x: Vectors::new(),
                front: numbers(structure, front, zero)?,
                diagonal: numbers(structure, diagonal, zero)?,
            })
        };
        Ok(Factor {
            structure: structure.clone(),
            pattern: structure.pattern.clone(),
            // Kernels read whole chunks, the last ones beyond the end of the last panel.
            values: numbers(structure, structure.symbolic.len_val() + T::LANES, S::zero())?,
            updates: numbers(structure, structure.tasks.last().map_or(0, |top| top.updates.end), zero)?,
            benches: structure.tasks.iter().map(bench).collect::<Result<_, LinearError>>()?,
            shares: Vec::new(),
        })
    }

    /// Factorises `a`, rounded to T. After an error the content of the factor is undefined.
    ///
    /// Checks for requests to stop between pieces of work of about 50 ms.
    pub fn factorise(&mut self, a: &BlockMatrix) -> Result<(), LinearError> {
        adopt(&mut self.pattern, a)?;
        interrupt::carry(|watched| self.eliminate(a, watched));
        self.judge(a)
    }

    /// Eliminates all columns, and records each task's pivots.
    fn eliminate(&mut self, a: &BlockMatrix, watched: &Carried) {
        let structure = &*self.structure;
        let threads = rayon::current_num_threads() > 1;
        let Some((top, tasks)) = structure.tasks.split_last() else { return };
        let Some((bench, benches)) = self.benches.split_last_mut() else { return };
        let (mut values, mut values_from) = (&mut self.values[..], 0);
        let (mut updates, mut updates_from) = (&mut self.updates[..], 0);
        let mut jobs: Vec<(&Task, TaskMemory<'_, T, S>, &mut Pivots)> = Vec::with_capacity(tasks.len());
        for (task, bench) in tasks.iter().zip(benches.iter_mut()) {
            let (mine, rest) = values.split_at_mut(task.values.end - values_from);
            let (my_updates, rest_of_updates) = updates.split_at_mut(task.updates.end - updates_from);
            let memory = TaskMemory {
                values: mine,
                values_from,
                updates: my_updates,
                updates_from,
                front: &mut bench.front,
                diagonal: &mut bench.diagonal,
                stack: MemStack::new(&mut bench.memory),
            };
            jobs.push((task, memory, &mut bench.pivots));
            (values, values_from) = (rest, task.values.end);
            (updates, updates_from) = (rest_of_updates, task.updates.end);
        }
        let run = |(task, memory, pivots): &mut (&Task, TaskMemory<'_, T, S>, &mut Pivots)| {
            **pivots = eliminate(structure, task.nodes.clone(), a, memory, false, watched);
        };
        if threads {
            jobs.par_iter_mut().with_max_len(1).for_each(run);
        } else {
            jobs.iter_mut().for_each(run);
        }
        let failed = benches.iter().find(|bench| matches!(bench.pivots, Pivots::Negative | Pivots::Interrupted));
        if let Some(failed) = failed {
            bench.pivots = failed.pivots;
        } else {
            let mut memory = TaskMemory {
                values: &mut self.values,
                values_from: 0,
                updates: &mut self.updates,
                updates_from: 0,
                front: &mut bench.front,
                diagonal: &mut bench.diagonal,
                stack: MemStack::new(&mut bench.memory),
            };
            bench.pivots = eliminate(structure, top.nodes.clone(), a, &mut memory, threads, watched);
        }
    }

    /// Bytes of memory: the factor, and what it is made in.
    pub fn bytes(&self) -> usize {
        let apart: usize = self.benches.iter().map(|bench| bench.front.len() + bench.diagonal.len()).sum();
        size_of_val(&self.values[..]) + size_of::<T>() * (self.updates.len() + apart)
    }

    /// Returns the panels, with space for the last chunk that kernels read.
    pub(super) fn panels(&self) -> &[S] {
        &self.values
    }

    /// Returns the memory of the panels, for factors of another kind with the same structure.
    pub(in crate::linear) fn values(&self) -> &[S] {
        &self.values[..self.structure.symbolic.len_val()]
    }

    /// The same, to write to. The factor is lost.
    pub(in crate::linear) fn values_mut(&mut self) -> &mut [S] {
        &mut self.values[..self.structure.symbolic.len_val()]
    }

    /// Returns the error that explains most.
    fn judge(&self, a: &BlockMatrix) -> Result<(), LinearError> {
        let bad = |bench: &&Bench<T>| bench.pivots != Pivots::Positive;
        let Some(first) = self.benches.iter().find(bad) else { return Ok(()) };
        if self.benches.iter().any(|bench| bench.pivots == Pivots::Interrupted) {
            return Err(LinearError::Interrupted);
        }
        if let Some(row) = first_non_finite::<T>(a) {
            return Err(LinearError::NonFinite { row });
        }
        match first.pivots {
            Pivots::Lost(k) if self.benches.iter().all(|bench| bench.pivots != Pivots::Negative) => {
                Err(LinearError::Singular { row: Some(self.structure.layout.order()[k] as usize) })
            }
            _ => Err(LinearError::Indefinite { negative: None }),
        }
    }

    /// Overwrites the columns of `rhs` (column-major, in the order of the matrix) with W (L L^T)^-1 W^T times them.
    ///
    /// W = blockdiag(`warp`), the identity without one. With one rotation per node, W A W^T is the matrix of the
    /// rotated body. The factor is swept once for all columns.
    pub fn solve(&mut self, rhs: &mut [f64], columns: usize, warp: Option<&[Mat3]>) {
        let Factor { structure, values, shares, benches, .. } = self;
        let (structure, values): (&Structure, &[S]) = (structure, values);
        let n = structure.layout.dim();
        assert_eq!(rhs.len(), n * columns, "right-hand sides do not have the size of the matrix");
        // Columns of one task are independent: each thread gets whole registers of them.
        let share = columns.div_ceil(rayon::current_num_threads()).next_multiple_of(T::LANES);
        if let ([top], true) = (&structure.tasks[..], share < columns) {
            let count = columns.div_ceil(share).max(shares.len());
            shares.resize_with(count, Vectors::new);
            let diagonal = benches.first().map_or(&[][..], |bench| &bench.diagonal);
            shares.par_iter_mut().zip(rhs.par_chunks_mut(share * n)).with_max_len(1).for_each(|(x, rhs)| {
                x.gather(structure, top, rhs, rhs.len() / n, warp);
                x.substitute(structure, values, top);
                x.substitute_back(structure, values, diagonal, top);
                let mut columns: Vec<&mut [f64]> = rhs.chunks_exact_mut(n).collect();
                put_back(structure, 0, &mut columns, warp, |_| &*x);
            });
            return;
        }
        self.sweep_tasks(rhs, columns, warp);
        self.finish(rhs, columns, warp);
    }

    /// Overwrites one right-hand side with its solution, and runs `beside` during the top, which is serial.
    pub fn solve_beside(&mut self, rhs: &mut [f64], beside: impl FnOnce() + Send) {
        self.sweep_tasks(rhs, 1, None);
        rayon::scope(|scope| {
            scope.spawn(|_| beside());
            self.finish(rhs, 1, None);
        });
    }

    /// Runs the forward sweeps of the tasks.
    fn sweep_tasks(&mut self, rhs: &[f64], columns: usize, warp: Option<&[Mat3]>) {
        let Factor { structure, values, benches, .. } = self;
        for_tasks(structure, benches, &|task, Bench { x, .. }| {
            x.gather(structure, task, rhs, columns, warp);
            x.substitute(structure, values, task);
        });
    }

    /// Runs the part of a solve for one right-hand side that needs no rows of `late` supernodes.
    pub fn begin(&mut self, rhs: &[f64], late: &[bool]) {
        let Factor { structure, values, benches, .. } = self;
        for_tasks(structure, benches, &|task, Bench { x, .. }| {
            x.clear(task);
            x.substitute_some(structure, values, task, rhs, |node| !late[node]);
        });
    }

    /// Runs the rest of it, with the whole right-hand side, which becomes the solution.
    pub fn end(&mut self, rhs: &mut [f64], late: &[bool]) {
        let Factor { structure, values, benches, .. } = self;
        let work = |task: &Task, bench: &mut Bench<T>| {
            bench.x.substitute_some(structure, values, task, rhs, |node| late[node]);
        };
        let Some((top, tasks)) = structure.tasks.split_last() else { return };
        let numbers = structure.nodes[..top.nodes.start].iter().zip(late).filter(|(_, late)| **late);
        if numbers.map(|(node, _)| node.panel().len() as f64).sum::<f64>() < SMALLEST {
            tasks.iter().zip(benches).for_each(|(task, bench)| work(task, bench));
        } else {
            for_tasks(structure, benches, &work);
        }
        self.finish(rhs, 1, None);
    }

    /// Runs the part after the forward sweeps of the tasks.
    fn finish(&mut self, rhs: &mut [f64], columns: usize, warp: Option<&[Mat3]>) {
        let structure = &*self.structure;
        let (Some((top, tasks)), false) = (structure.tasks.split_last(), rhs.is_empty()) else { return };
        let Some((top_bench, benches)) = self.benches.split_last_mut() else { return };
        let (n, values) = (structure.layout.dim(), &self.values);
        top_bench.x.gather(structure, top, rhs, columns, warp);
        for (task, bench) in tasks.iter().zip(&*benches) {
            bench.x.add_boundary(task, &mut top_bench.x, top);
        }
        top_bench.x.substitute(structure, values, top);
        top_bench.x.substitute_back(structure, values, &top_bench.diagonal, top);
        let above = &*top_bench;
        for_tasks(structure, benches, &|task, Bench { x, diagonal, .. }| {
            x.read_boundary(task, &above.x, top);
            x.substitute_back(structure, values, diagonal, task);
        });
        // Back into the order of the matrix.
        let threads = !tasks.is_empty();
        let benches = &self.benches;
        let size = structure.home.len().div_ceil(PIECES);
        let mut pieces: Vec<&mut [f64]> = (0..PIECES * columns).map(|_| Default::default()).collect();
        for (c, rhs) in rhs.chunks_exact_mut(n).enumerate() {
            rhs.chunks_mut(3 * size).enumerate().for_each(|(piece, rhs)| pieces[piece * columns + c] = rhs);
        }
        let put = |(piece, rhs): (usize, &mut [&mut [f64]])| {
            put_back(structure, piece * size, rhs, warp, |task| &benches[task].x);
        };
        if threads {
            pieces.par_chunks_mut(columns).enumerate().for_each(put);
        } else {
            pieces.chunks_mut(columns).enumerate().for_each(put);
        }
    }
}

/// Runs `work` on all tasks but the top.
fn for_tasks<T: Precision>(
    structure: &Structure,
    benches: &mut [Bench<T>],
    work: &(dyn Fn(&Task, &mut Bench<T>) + Sync),
) {
    let tasks = &structure.tasks[..structure.tasks.len().saturating_sub(1)];
    if rayon::current_num_threads() > 1 {
        tasks.par_iter().zip(benches).with_max_len(1).for_each(|(task, bench)| work(task, bench));
    } else {
        tasks.iter().zip(benches).for_each(|(task, bench)| work(task, bench));
    }
}

/// Copies solutions back into the order of the matrix: rows of its nodes from `first` on, as many as each column of
/// `rhs` has.
fn put_back<'a, T: Precision>(
    structure: &Structure,
    first: usize,
    rhs: &mut [&mut [f64]],
    warp: Option<&[Mat3]>,
    of: impl Fn(usize) -> &'a Vectors<T>,
) {
    let nodes = rhs.first().map_or(0, |column| column.len() / 3);
    for (at, &[task, block]) in structure.home.iter().skip(first).take(nodes).enumerate() {
        let turn = warp.map(|w| &w[first + at]);
        of(task as usize).blocks(structure.tasks[task as usize].length(), block as usize, |c, x| {
            if let Some(rhs) = rhs.get_mut(c) {
                let x = turn.map_or(x, |w| mat_vec(w, x));
                rhs[3 * at..3 * at + 3].copy_from_slice(&x);
            }
        });
    }
}
