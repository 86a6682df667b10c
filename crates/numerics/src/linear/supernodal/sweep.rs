//! Forward and backward substitution over the nodes of a task.

use super::Precision;
use super::kernels::{backward, backward_block, forward, forward_block, padded, strips};
use super::stored::Stored;
use super::structure::{Node, Structure, Task};
use super::vectors::Vectors;

impl<T: Precision> Vectors<T> {
    /// x = L^-1 x for the columns of the task; the rows they reach are updated.
    pub fn substitute<S: Stored<T>>(&mut self, structure: &Structure, values: &[S], task: &Task) {
        for node in &structure.nodes[task.nodes.clone()] {
            self.substitute_node(structure, values, task, node);
        }
    }

    /// Sweeps one right-hand side forward over the late supernodes of the task, or over the others, where everything
    /// before is zero.
    pub fn substitute_some<S: Stored<T>>(
        &mut self,
        structure: &Structure,
        values: &[S],
        task: &Task,
        rhs: &[f64],
        is_mine: impl Fn(usize) -> bool,
    ) {
        for at in task.nodes.clone().filter(|&at| is_mine(at)) {
            let node = &structure.nodes[at];
            let own = self.single[3 * node.own..3 * node.own + node.width].as_chunks_mut::<3>().0;
            for (x, &i) in own.iter_mut().zip(&structure.layout.order()[node.column..]) {
                (0..3).for_each(|c| x[c] += T::of(rhs[3 * i as usize + c]));
            }
            self.substitute_node(structure, values, task, node);
        }
    }

    fn substitute_node<S: Stored<T>>(&mut self, structure: &Structure, values: &[S], task: &Task, node: &Node) {
        let (rows, own) = (rows_of(structure, node), 3 * node.own..3 * node.own + node.width);
        let (panel, height) = (&values[node.values..], node.height());
        if !self.single.is_empty() {
            let front = &mut self.front[..padded::<T>(height)];
            front.fill(T::of(0.0));
            let x = &mut self.single[own.clone()];
            for (j, strip) in strips(node.width) {
                match strip {
                    12 => forward::<T, S, 12>(panel, height, j, x, front),
                    6 => forward::<T, S, 6>(panel, height, j, x, front),
                    _ => forward::<T, S, 3>(panel, height, j, x, front),
                }
            }
            for (&row, f) in rows.iter().zip(front[node.width..].as_chunks::<3>().0) {
                let x = &mut self.single[3 * row as usize..3 * row as usize + 3];
                (0..3).for_each(|r| x[r] += f[r]);
            }
        }
        for x in self.groups.chunks_exact_mut(task.length()) {
            let below = &mut self.front_block[..node.below];
            below.fill(T::splat(T::of(0.0)));
            for (j, strip) in strips(node.width) {
                match strip {
                    12 => forward_block::<T, S, 12>(panel, height, j, &mut x[own.clone()], below),
                    6 => forward_block::<T, S, 6>(panel, height, j, &mut x[own.clone()], below),
                    _ => forward_block::<T, S, 3>(panel, height, j, &mut x[own.clone()], below),
                }
            }
            for (&row, f) in rows.iter().zip(below.as_chunks::<3>().0) {
                let x = &mut x[3 * row as usize..3 * row as usize + 3];
                (0..3).for_each(|r| x[r] = T::plus(x[r], f[r]));
            }
        }
    }

    /// x = L^-T x, or L^-T D^-1 x with the inverse of D in `diagonal`, for the columns of the task, given the rows they reach.
    pub fn substitute_back<S: Stored<T>>(&mut self, structure: &Structure, values: &[S], diagonal: &[T], task: &Task) {
        for node in structure.nodes[task.nodes.clone()].iter().rev() {
            let (rows, own) = (rows_of(structure, node), 3 * node.own..3 * node.own + node.width);
            let (panel, height) = (&values[node.values..], node.height());
            if !self.single.is_empty() {
                let front = &mut self.front[..padded::<T>(height)];
                front[..node.width].fill(T::of(0.0));
                for (&row, f) in rows.iter().zip(front[node.width..].as_chunks_mut::<3>().0) {
                    let x = &self.single[3 * row as usize..3 * row as usize + 3];
                    *f = [x[0], x[1], x[2]];
                }
                front[height..].fill(T::of(0.0));
                let x = &mut self.single[own.clone()];
                if S::IS_APART {
                    x.iter_mut().zip(&diagonal[own.clone()]).for_each(|(x, &d)| *x = d * *x);
                }
                for (j, strip) in strips(node.width).rev() {
                    match strip {
                        12 => backward::<T, S, 12>(panel, height, j, x, front),
                        6 => backward::<T, S, 6>(panel, height, j, x, front),
                        _ => backward::<T, S, 3>(panel, height, j, x, front),
                    }
                }
            }
            for x in self.groups.chunks_exact_mut(task.length()) {
                let below = &mut self.front_block[..node.below];
                for (&row, f) in rows.iter().zip(below.as_chunks_mut::<3>().0) {
                    let x = &x[3 * row as usize..3 * row as usize + 3];
                    *f = [x[0], x[1], x[2]];
                }
                if S::IS_APART {
                    let x = x[own.clone()].iter_mut().zip(&diagonal[own.clone()]);
                    x.for_each(|(x, &d)| *x = T::times(*x, T::splat(d)));
                }
                for (j, strip) in strips(node.width).rev() {
                    match strip {
                        12 => backward_block::<T, S, 12>(panel, height, j, &mut x[own.clone()], below),
                        6 => backward_block::<T, S, 6>(panel, height, j, &mut x[own.clone()], below),
                        _ => backward_block::<T, S, 3>(panel, height, j, &mut x[own.clone()], below),
                    }
                }
            }
        }
    }
}

fn rows_of<'a>(structure: &'a Structure, node: &Node) -> &'a [u32] {
    &structure.local[node.rows..node.rows + node.below / 3]
}
