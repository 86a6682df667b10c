//! Elimination of fronts: each node's columns once, with all updates of its children.

use super::stored::Stored;
use super::structure::{Node, Structure};
use super::{NOISE, Precision, dense};
use crate::blocks::BlockMatrix;
use crate::interrupt::Carried;
use dyn_stack::MemStack;
use faer::{Accum, MatMut, MatRef};
use std::ops::Range;

/// Parts of the factor and of the update memory that a task writes to, and their offsets in the whole.
pub(super) struct TaskMemory<'a, T, S> {
    pub values: &'a mut [S],
    pub values_from: usize,
    /// A panel that is stored otherwise than computed, and the diagonal then.
    pub front: &'a mut [T],
    pub diagonal: &'a mut [T],
    pub updates: &'a mut [T],
    pub updates_from: usize,
    pub stack: &'a mut MemStack,
}

/// Result of the pivots.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::linear) enum Pivots {
    /// None failed.
    Positive,
    /// The pivot of this block column is rounding error only: it is positive by chance.
    Lost(usize),
    /// One is not positive, or not a number.
    Negative,
    /// Stopped on request before all were known.
    Interrupted,
}

/// Factorises the panels of `nodes` one after the other.
pub(super) fn eliminate<T: Precision, S: Stored<T>>(
    structure: &Structure,
    nodes: Range<usize>,
    a: &BlockMatrix,
    memory: &mut TaskMemory<'_, T, S>,
    threads: bool,
    watched: &Carried,
) -> Pivots {
    let mut pivots = Pivots::Positive;
    let mut flops = 0.0;
    for node in &structure.nodes[nodes] {
        flops += node.flops();
        if flops >= dense::FLOPS_PER_CHECK {
            flops = 0.0;
            if watched.check().is_err() {
                return Pivots::Interrupted;
            }
        }
        let panel = node.panel().start - memory.values_from..node.panel().end - memory.values_from;
        let stored = &mut memory.values[panel];
        let panel = S::front(stored, memory.front);
        load(structure, node, a, panel);
        let children = || structure.children[node.children.clone()].iter().map(|&c| &structure.nodes[c as usize]);
        let update_of =
            |node: &Node| node.update - memory.updates_from..node.update - memory.updates_from + node.below.pow(2);
        for child in children() {
            take_panel(structure, child, &memory.updates[update_of(child)], node, panel);
        }
        let front = MatMut::from_column_major_slice_mut(panel, node.height(), node.width);
        match dense::factorise(front, threads, watched, memory.stack) {
            Pivots::Positive => {}
            failed => return failed,
        }
        let (_, bottom) = MatRef::from_column_major_slice(panel, node.height(), node.width).split_at_row(node.width);
        if node.below > 0 {
            let own = update_of(node);
            let update = MatMut::from_column_major_slice_mut(&mut memory.updates[own.clone()], node.below, node.below);
            if dense::update_lower(update, bottom, Accum::Replace, threads, watched).is_err() {
                return Pivots::Interrupted;
            }
            for child in children() {
                if let Ok([own, update]) = memory.updates.get_disjoint_mut([own.clone(), update_of(child)]) {
                    take_update(structure, child, update, node, own);
                }
            }
        }
        match invert_diagonal(structure, node, a, panel) {
            Pivots::Positive => {}
            lost @ Pivots::Lost(_) => {
                if pivots == Pivots::Positive {
                    pivots = lost;
                }
            }
            failed => return failed,
        }
        if S::IS_APART {
            S::put(stored, memory.front, node.height(), &mut memory.diagonal[3 * node.own..3 * node.own + node.width]);
        }
    }
    pivots
}

/// Loads the columns of the matrix.
fn load<T: Precision>(structure: &Structure, node: &Node, a: &BlockMatrix, panel: &mut [T]) {
    panel.fill(T::of(0.0));
    let height = node.height();
    for (b, columns) in panel.chunks_exact_mut(3 * height).enumerate() {
        let range = structure.layout.blocks(node.column + b);
        for (&source, &row) in structure.layout.source()[range.clone()].iter().zip(&structure.row_in_front[range]) {
            let block = &a.values[source / 2];
            let transposed = source % 2 == 1;
            for c in 0..3 {
                for r in 0..3 {
                    let value = if transposed { block[c][r] } else { block[r][c] };
                    columns[c * height + 3 * row as usize + r] = T::of(value);
                }
            }
        }
    }
}

/// Adds the columns of a child's update that belong to the panel.
fn take_panel<T: Precision>(structure: &Structure, child: &Node, update: &[T], node: &Node, panel: &mut [T]) {
    take(structure, child, update, panel, node.height(), 0, 0..node.width);
}

/// Adds the columns of a child's update that are passed on to the update of its parent.
fn take_update<T: Precision>(structure: &Structure, child: &Node, update: &[T], node: &Node, own: &mut [T]) {
    take(structure, child, update, own, node.below, node.width, node.width..node.height());
}

/// Adds lower triangles: columns of the child that are `columns` of the parent's front, into a matrix whose first row
/// and column have the number `from` in the front.
fn take<T: Precision>(
    structure: &Structure,
    child: &Node,
    update: &[T],
    into: &mut [T],
    height: usize,
    from: usize,
    columns: Range<usize>,
) {
    let row_ranges = &structure.row_ranges[child.row_ranges.clone()];
    for (first, range) in row_ranges.iter().enumerate() {
        for offset in 0..range.len {
            let to = range.to + offset;
            if !columns.contains(&to) {
                continue;
            }
            let column = &update[(range.from + offset) * child.below..][..child.below];
            let target = &mut into[(to - from) * height..][..height];
            // The triangle starts inside this range; the others follow completely.
            add(
                &mut target[to - from..range.to + range.len - from],
                &column[range.from + offset..range.from + range.len],
            );
            for range in &row_ranges[first + 1..] {
                add(&mut target[range.to - from..][..range.len], &column[range.from..][..range.len]);
            }
        }
    }
}

#[inline(always)]
fn add<T: Precision>(to: &mut [T], from: &[T]) {
    to.iter_mut().zip(from).for_each(|(to, &from)| *to += from);
}

/// Replaces the diagonal by its inverse, which solves multiply with, and judges it.
fn invert_diagonal<T: Precision>(structure: &Structure, node: &Node, a: &BlockMatrix, panel: &mut [T]) -> Pivots {
    let mut pivots = Pivots::Positive;
    let order = structure.layout.order();
    for j in 0..node.width {
        let l = &mut panel[j * (node.height() + 1)];
        let pivot = l.to_f64().powi(2);
        let slot = a.pattern().diagonal(order[node.column + j / 3] as usize);
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Pivots::Negative;
        }
        if pivot <= NOISE * T::EPSILON * a.values[slot][j % 3][j % 3] && pivots == Pivots::Positive {
            pivots = Pivots::Lost(node.column + j / 3);
        }
        *l = T::of(1.0 / l.to_f64());
    }
    pivots
}
