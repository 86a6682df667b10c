//! The factor as a product of inverses: for small factors that solve for one column at a time, many times.
//!
//! For each supernode, whose panel is a triangle L1 above a rectangle L2, it stores
//!
//!   P = [L1^-1; -L2 L1^-1]
//!
//! so that the forward sweep is x1, x2 = P x1 + (0, x2), and the backward sweep x1 = P^T (x1, x2). No column waits for
//! the result of the one before, as in substitution, which takes twice the time as long as caches hold the panels.
//! Larger factors are limited by memory either way.
//!
//! The residual of a solution grows with the condition of the triangles, which is small for the matrices of small
//! steps. Where the diagonal of one spans more than [`SPAN`], the inverses are not used.
//!
//! Cost: one solve of each panel per factorisation. Memory: as much as the factor again.
//! Alvarado, Pothen, Schreiber 1993 (partitioned inverses).

use super::kernels::{forward, padded, strips};
use super::structure::Node;
use super::{Factor, Structure};
use wide::f64x8;

/// Numbers in a register.
const LANES: usize = 8;

/// Largest ratio of the numbers on the diagonal of a triangle.
const SPAN: f64 = 1e3;

/// P of all supernodes of a factor that is one task.
pub(in crate::linear) struct Inverse {
    panels: Vec<Panel>,
    /// Positions of the blocks below the triangles in vectors, by panel.
    rows: Vec<u32>,
    /// Column-major, each column padded with zeros.
    values: Vec<f64x8>,
    /// Rows of one panel, and its columns.
    front: Vec<f64>,
    column: Vec<f64>,
    /// A right-hand side in the order of elimination, if it differs from that of the matrix.
    permuted: Vec<f64>,
}

/// P of a supernode.
struct Panel {
    /// Its first column in vectors, and its number of columns.
    own: usize,
    width: usize,
    /// Registers in a column.
    chunks: usize,
    /// Offset of its values.
    values: usize,
    rows: std::ops::Range<usize>,
}

impl Inverse {
    /// Allocates the inverses; `None` if there is no memory, or the factor is cut into tasks.
    pub fn new(structure: &Structure) -> Option<Inverse> {
        if structure.tasks.len() != 1 {
            return None;
        }
        let mut panels = Vec::with_capacity(structure.nodes.len());
        let (mut len, mut most) = (0, 0);
        for node in &structure.nodes {
            let chunks = node.height().div_ceil(LANES);
            let rows = node.rows..node.rows + node.below / 3;
            panels.push(Panel { own: 3 * node.own, width: node.width, chunks, values: len, rows });
            len += chunks * node.width;
            most = most.max(chunks);
        }
        let mut values = Vec::new();
        values.try_reserve_exact(len).ok()?;
        values.resize(len, f64x8::ZERO);
        let permuted = if structure.layout.is_natural() { 0 } else { structure.layout.dim() };
        Some(Inverse {
            panels,
            rows: structure.local.clone(),
            values,
            front: vec![0.0; most * LANES],
            column: vec![0.0; structure.tasks[0].width],
            permuted: vec![0.0; permuted],
        })
    }

    /// Inverts the panels of a factor; false where the inverses would lose digits.
    pub fn take(&mut self, structure: &Structure, factor: &Factor<f64>) -> bool {
        for (node, panel) in structure.nodes.iter().zip(&self.panels) {
            let values = &factor.panels()[node.values..];
            let diagonal = (0..node.width).map(|k| values[k * (node.height() + 1)]);
            let [least, most] = diagonal.fold([f64::INFINITY, 0.0], |[least, most], l| [l.min(least), l.max(most)]);
            if most > SPAN * least {
                return false;
            }
            let (x, front) = (&mut self.column[..node.width], &mut self.front[..padded::<f64>(node.height())]);
            for k in 0..node.width {
                invert(node, values, k, x, front);
                let column = &mut self.values[panel.values + k * panel.chunks..][..panel.chunks];
                column.fill(f64x8::ZERO);
                let rows = x.iter().chain(&front[node.width..node.height()]);
                for (i, &value) in rows.enumerate() {
                    column[i / LANES].as_mut_array()[i % LANES] = value;
                }
            }
        }
        true
    }

    /// Overwrites the right-hand side `x` with the solution.
    pub fn solve(&mut self, structure: &Structure, x: &mut [f64]) {
        let Inverse { panels, rows, values, front, permuted, .. } = self;
        let mut sweep = |x: &mut [f64]| {
            panels.iter().for_each(|panel| panel.forward(values, rows, x, front));
            panels.iter().rev().for_each(|panel| panel.backward(values, rows, x, front));
        };
        if permuted.is_empty() {
            return sweep(x);
        }
        structure.layout.gather(x, permuted);
        sweep(permuted);
        structure.layout.scatter(permuted, x);
    }
}

/// Column k of P: the forward substitution of a unit vector, `x` within the triangle, `front` below it.
fn invert(node: &Node, panel: &[f64], k: usize, x: &mut [f64], front: &mut [f64]) {
    let (width, height) = (node.width, node.height());
    x.fill(0.0);
    x[k] = 1.0;
    front.fill(0.0);
    for (j, strip) in strips(width).filter(|(j, strip)| j + strip > k) {
        match strip {
            12 => forward::<f64, f64, 12>(panel, height, j, x, front),
            6 => forward::<f64, f64, 6>(panel, height, j, x, front),
            _ => forward::<f64, f64, 3>(panel, height, j, x, front),
        }
    }
}

impl Panel {
    /// x1, x2 = P x1 + (0, x2).
    fn forward(&self, values: &[f64x8], rows: &[u32], x: &mut [f64], front: &mut [f64]) {
        let panel = &values[self.values..self.values + self.chunks * self.width];
        let own = &x[self.own..self.own + self.width];
        let mut first = 0;
        while first < self.chunks {
            first += match self.chunks - first {
                1 => product::<1>(panel, self.chunks, first, own, front),
                2 => product::<2>(panel, self.chunks, first, own, front),
                3 => product::<3>(panel, self.chunks, first, own, front),
                4 => product::<4>(panel, self.chunks, first, own, front),
                5 => product::<5>(panel, self.chunks, first, own, front),
                6 => product::<6>(panel, self.chunks, first, own, front),
                7 => product::<7>(panel, self.chunks, first, own, front),
                _ => product::<8>(panel, self.chunks, first, own, front),
            };
        }
        let (x, front) = (x.as_chunks_mut::<3>().0, front.as_chunks::<3>().0);
        let (own, below) = front.split_at(self.width / 3);
        for (x, f) in x[self.own / 3..].iter_mut().zip(own) {
            *x = *f;
        }
        for (&row, f) in rows[self.rows.clone()].iter().zip(below) {
            let x = &mut x[row as usize];
            (0..3).for_each(|r| x[r] += f[r]);
        }
    }

    /// x1 = P^T (x1, x2).
    fn backward(&self, values: &[f64x8], rows: &[u32], x: &mut [f64], front: &mut [f64]) {
        let panel = &values[self.values..self.values + self.chunks * self.width];
        front.as_chunks_mut::<LANES>().0[self.chunks - 1] = [0.0; LANES];
        let blocks = x.as_chunks::<3>().0;
        let (own, below) = front.as_chunks_mut::<3>().0.split_at_mut(self.width / 3);
        for (f, x) in own.iter_mut().zip(&blocks[self.own / 3..]) {
            *f = *x;
        }
        for (&row, f) in rows[self.rows.clone()].iter().zip(below) {
            *f = blocks[row as usize];
        }
        let front = &front.as_chunks().0[..self.chunks];
        let x = &mut x[self.own..self.own + self.width];
        let mut j = 0;
        while j < self.width {
            j += match self.width - j {
                3 => sums::<3>(panel, self.chunks, j, front, x),
                6 | 9 => sums::<6>(panel, self.chunks, j, front, x),
                _ => sums::<12>(panel, self.chunks, j, front, x),
            }
        }
    }
}

/// Computes R registers of P x, from number `first` on. Returns R.
#[inline(always)]
fn product<const R: usize>(panel: &[f64x8], chunks: usize, first: usize, x: &[f64], front: &mut [f64]) -> usize {
    let mut sums = [f64x8::ZERO; R];
    // Above the diagonal P is zero.
    let columns = x.len().min(LANES * (first + R));
    for (column, &x) in panel.chunks_exact(chunks).zip(&x[..columns]) {
        let (column, x) = (&column[first..first + R], f64x8::splat(x));
        for r in 0..R {
            sums[r] = column[r].mul_add(x, sums[r]);
        }
    }
    let front = &mut front.as_chunks_mut().0[first..first + R];
    (0..R).for_each(|r| front[r] = sums[r].to_array());
    R
}

/// Computes K numbers of P^T front, from column `j` on. Returns K.
#[inline(always)]
fn sums<const K: usize>(panel: &[f64x8], chunks: usize, j: usize, front: &[[f64; LANES]], x: &mut [f64]) -> usize {
    let first = j / LANES;
    let front = &front[first..chunks];
    let mut sums = [f64x8::ZERO; K];
    let columns: [&[f64x8]; K] = std::array::from_fn(|k| &panel[(j + k) * chunks + first..][..front.len()]);
    for s in 0..front.len() {
        let f = f64x8::from(front[s]);
        for k in 0..K {
            sums[k] = columns[k][s].mul_add(f, sums[k]);
        }
    }
    let x = &mut x[j..j + K];
    for k in 0..K {
        x[k] = sums[k].reduce_add();
    }
    K
}
