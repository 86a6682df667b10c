//! Right-hand sides in the numbering of a task, with conversion from and to the matrix.

use super::Precision;
use super::kernels::padded;
use super::structure::{Structure, Task};
use crate::mat3::{Mat3, Vec3, mat_t_vec};

/// Right-hand sides in the numbering of a task: its own rows, then those it reaches.
///
/// Groups of as many columns as a register has lanes lie side by side, one register per row. A single remaining column
/// has a separate vector.
pub(super) struct Vectors<T: Precision> {
    pub groups: Vec<T::Lanes>,
    pub single: Vec<T>,
    /// Rows of one front.
    pub front: Vec<T>,
    pub front_block: Vec<T::Lanes>,
}

impl<T: Precision> Vectors<T> {
    pub fn new() -> Vectors<T> {
        Vectors { groups: Vec::new(), single: Vec::new(), front: Vec::new(), front_block: Vec::new() }
    }

    /// Gathers the rows of P W^T rhs that the task owns; the others start as zeros.
    pub fn gather(&mut self, structure: &Structure, task: &Task, rhs: &[f64], columns: usize, warp: Option<&[Mat3]>) {
        let (zero, length, n) = (T::of(0.0), task.length(), structure.layout.dim());
        let single = usize::from(columns % T::LANES == 1);
        let groups = (columns - single).div_ceil(T::LANES);
        self.groups.resize(groups * length, T::splat(zero));
        self.single.resize(single * length, zero);
        self.front.resize(single * padded::<T>(task.height), zero);
        self.front_block.resize(groups.min(1) * task.below, T::splat(zero));
        let own = 3 * task.blocks.len();
        let node = |k: u32| structure.layout.order()[k as usize] as usize;
        let turned = |column: &[f64], i: usize| {
            let r = [column[3 * i], column[3 * i + 1], column[3 * i + 2]];
            warp.map_or(r, |w| mat_t_vec(&w[i], r))
        };
        for (x, columns) in self.groups.chunks_exact_mut(length.max(1)).zip(rhs.chunks(T::LANES * n)) {
            for (x, &k) in x.as_chunks_mut::<3>().0.iter_mut().zip(&task.blocks) {
                let i = node(k);
                for (c, column) in columns.chunks_exact(n).enumerate() {
                    let value = turned(column, i);
                    (0..3).for_each(|r| T::lanes_mut(&mut x[r]).as_mut()[c] = T::of(value[r]));
                }
            }
            x[own..].fill(T::splat(zero));
        }
        if single == 1 {
            let column = &rhs[(columns - 1) * n..];
            for (x, &k) in self.single.as_chunks_mut::<3>().0.iter_mut().zip(&task.blocks) {
                let value = turned(column, node(k));
                *x = [T::of(value[0]), T::of(value[1]), T::of(value[2])];
            }
            self.single[own..].fill(zero);
        }
    }

    /// Allocates one right-hand side of the task, filled with zeros.
    pub fn clear(&mut self, task: &Task) {
        let zero = T::of(0.0);
        self.groups.clear();
        self.single.clear();
        self.single.resize(task.length(), zero);
        self.front.resize(padded::<T>(task.height), zero);
    }

    /// Calls `put` with block `at` of each column; padding columns of a group are numbered as well.
    pub fn blocks(&self, length: usize, at: usize, mut put: impl FnMut(usize, Vec3)) {
        let mut c = 0;
        for x in self.groups.chunks_exact(length).map(|x| &x[3 * at..3 * at + 3]) {
            let x = [T::lanes(&x[0]).as_ref(), T::lanes(&x[1]).as_ref(), T::lanes(&x[2]).as_ref()];
            for lane in 0..T::LANES {
                put(c, [x[0][lane].to_f64(), x[1][lane].to_f64(), x[2][lane].to_f64()]);
                c += 1;
            }
        }
        if let Some(x) = self.single.get(3 * at..3 * at + 3) {
            put(c, [x[0].to_f64(), x[1].to_f64(), x[2].to_f64()]);
        }
    }

    /// Adds the result of the forward sweep of a task to the top.
    pub fn add_boundary(&self, task: &Task, above: &mut Vectors<T>, top: &Task) {
        let own = 3 * task.blocks.len();
        let lengths = (task.length(), top.length().max(1));
        for (x, above) in self.groups.chunks_exact(lengths.0).zip(above.groups.chunks_exact_mut(lengths.1)) {
            for (x, &at) in x[own..].as_chunks::<3>().0.iter().zip(&task.boundary) {
                let above = &mut above[3 * at as usize..3 * at as usize + 3];
                (0..3).for_each(|r| above[r] = T::plus(above[r], x[r]));
            }
        }
        for (x, above) in self.single.chunks_exact(lengths.0).zip(above.single.chunks_exact_mut(lengths.1)) {
            for (x, &at) in x[own..].as_chunks::<3>().0.iter().zip(&task.boundary) {
                let above = &mut above[3 * at as usize..3 * at as usize + 3];
                (0..3).for_each(|r| above[r] += x[r]);
            }
        }
    }

    /// Reads the values that the backward sweep of a task needs from the top.
    pub fn read_boundary(&mut self, task: &Task, above: &Vectors<T>, top: &Task) {
        let own = 3 * task.blocks.len();
        let lengths = (task.length(), top.length().max(1));
        for (x, above) in self.groups.chunks_exact_mut(lengths.0).zip(above.groups.chunks_exact(lengths.1)) {
            for (x, &at) in x[own..].as_chunks_mut::<3>().0.iter_mut().zip(&task.boundary) {
                let above = &above[3 * at as usize..3 * at as usize + 3];
                *x = [above[0], above[1], above[2]];
            }
        }
        for (x, above) in self.single.chunks_exact_mut(lengths.0).zip(above.single.chunks_exact(lengths.1)) {
            for (x, &at) in x[own..].as_chunks_mut::<3>().0.iter_mut().zip(&task.boundary) {
                let above = &above[3 * at as usize..3 * at as usize + 3];
                *x = [above[0], above[1], above[2]];
            }
        }
    }
}
