//! Cholesky factors of matrices with one number per pair of nodes, for three right-hand sides at once.
//!
//! The Laplacian of a mesh acts equally on x, y and z: stored as one number per pair, its factor has a ninth of the
//! entries of one in 3x3 blocks. Sweeps use the kernels of [`Factor`](super::Factor) for several columns, one lane
//! each.
//!
//! Cost: two multiplications and additions per entry of the factor for all three columns together. One thread, so the
//! bits are always the same.

use super::analysis::analyse;
use super::kernels::{backward_block, forward_block};
use super::{NOISE, Precision};
use crate::blocks::Pattern;
use crate::linear::LinearError;
use crate::linear::ordering::Ordering;
use crate::mat3::Vec3;
use dyn_stack::{MemBuffer, MemStack};
use faer::Par;
use faer::sparse::linalg::cholesky::supernodal;
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use std::ops::Range;

type Lanes = <f64 as Precision>::Lanes;

/// L L^T = P A P^T of a scalar matrix A, with solutions for three columns at once.
pub struct ScalarCholesky {
    /// `order[k]` is the row of A eliminated as the k-th.
    order: Vec<u32>,
    panels: Vec<Panel>,
    /// Rows below the triangles, by panel.
    rows: Vec<u32>,
    /// The panels, column-major, with the inverse of the diagonal of L on the diagonal.
    values: Vec<f64>,
    /// Three columns in the order of the factor, and the rows below one triangle.
    x: Vec<Lanes>,
    below: Vec<Lanes>,
}

/// Columns of the factor with equal rows below a dense triangle.
struct Panel {
    columns: Range<usize>,
    rows: Range<usize>,
    /// Offset in the values.
    values: usize,
}

impl Panel {
    fn height(&self) -> usize {
        self.columns.len() + self.rows.len()
    }
}

impl ScalarCholesky {
    /// Orders and factorises a matrix with the value `values[slot]` at each slot of a pattern.
    pub fn new(pattern: &Pattern, values: &[f64]) -> Result<ScalarCholesky, LinearError> {
        if let Some(row) = (0..pattern.rows()).find(|&i| pattern.lower(i).any(|(_, slot)| !values[slot].is_finite())) {
            return Err(LinearError::NonFinite { row });
        }
        let ordering = Ordering::best(pattern);
        let too_large = LinearError::TooLarge { entries: ordering.entries / 9.0 };
        let symbolic = analyse(half(pattern, &ordering, |i, k| i <= k).0.as_ref(), None).ok_or(too_large)?;
        let (lower, slots) = half(pattern, &ordering, |i, k| i >= k);
        let entries: Vec<f64> = slots.iter().map(|&slot| values[slot]).collect();
        let mut factor = Vec::new();
        factor.try_reserve_exact(symbolic.len_val()).map_err(|_| too_large)?;
        factor.resize(symbolic.len_val(), 0.0);
        let params = Default::default;
        let scratch = supernodal::factorize_supernodal_numeric_llt_scratch::<usize, f64>(&symbolic, Par::Seq, params());
        supernodal::factorize_supernodal_numeric_llt(
            &mut factor,
            SparseColMatRef::new(lower.as_ref(), &entries),
            Default::default(),
            &symbolic,
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            params(),
        )
        .map_err(|_| LinearError::Indefinite { negative: None })?;

        let mut rows: Vec<u32> = Vec::new();
        let mut panels = Vec::with_capacity(symbolic.n_supernodes());
        for s in 0..symbolic.n_supernodes() {
            let first = rows.len();
            rows.extend(symbolic.supernode(s).pattern().iter().map(|&i| i as u32));
            panels.push(Panel {
                columns: symbolic.supernode_begin()[s]..symbolic.supernode_end()[s],
                rows: first..rows.len(),
                values: symbolic.col_ptr_for_val()[s],
            });
        }
        for panel in &panels {
            for (j, k) in panel.columns.clone().enumerate() {
                let l = &mut factor[panel.values + j * (panel.height() + 1)];
                let row = ordering.order[k] as usize;
                let pivot = *l * *l;
                if pivot.is_nan() || pivot <= NOISE * f64::EPSILON * values[pattern.diagonal(row)] {
                    return Err(LinearError::Singular { row: Some(row) });
                }
                *l = 1.0 / *l;
            }
        }
        let zero = <f64 as Precision>::splat(0.0);
        let x = vec![zero; pattern.rows()];
        let below = vec![zero; panels.iter().map(|panel| panel.rows.len()).max().unwrap_or(0)];
        Ok(ScalarCholesky { order: ordering.order, panels, rows, values: factor, x, below })
    }

    /// Numbers stored in the factor.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// Overwrites `rhs`, three numbers per row of the matrix, with A^-1 times it. Allocates nothing.
    pub fn solve(&mut self, rhs: &mut [Vec3]) {
        assert_eq!(rhs.len(), self.order.len(), "right-hand sides do not have the size of the matrix");
        for (x, &i) in self.x.iter_mut().zip(&self.order) {
            let [a, b, c] = rhs[i as usize];
            *x = Lanes::new([a, b, c, 0.0, 0.0, 0.0, 0.0, 0.0]);
        }
        self.substitute();
        self.substitute_back();
        for (x, &i) in self.x.iter().zip(&self.order) {
            let [a, b, c, ..] = *x.as_array();
            rhs[i as usize] = [a, b, c];
        }
    }

    /// x = L^-1 x.
    fn substitute(&mut self) {
        let ScalarCholesky { panels, rows, values, x, below, .. } = self;
        for panel in panels {
            let (values, height) = (&values[panel.values..], panel.height());
            let below = &mut below[..panel.rows.len()];
            below.fill(Lanes::splat(0.0));
            let own = &mut x[panel.columns.clone()];
            for (j, strip) in strips(panel.columns.len()) {
                match strip {
                    8 => forward_block::<f64, f64, 8>(values, height, j, own, below),
                    4 => forward_block::<f64, f64, 4>(values, height, j, own, below),
                    2 => forward_block::<f64, f64, 2>(values, height, j, own, below),
                    _ => forward_block::<f64, f64, 1>(values, height, j, own, below),
                }
            }
            for (&row, y) in rows[panel.rows.clone()].iter().zip(&*below) {
                x[row as usize] += *y;
            }
        }
    }

    /// x = L^-T x.
    fn substitute_back(&mut self) {
        let ScalarCholesky { panels, rows, values, x, below, .. } = self;
        for panel in panels.iter().rev() {
            let (values, height) = (&values[panel.values..], panel.height());
            let below = &mut below[..panel.rows.len()];
            for (&row, y) in rows[panel.rows.clone()].iter().zip(&mut *below) {
                *y = x[row as usize];
            }
            let own = &mut x[panel.columns.clone()];
            for (j, strip) in strips(panel.columns.len()).rev() {
                match strip {
                    8 => backward_block::<f64, f64, 8>(values, height, j, own, below),
                    4 => backward_block::<f64, f64, 4>(values, height, j, own, below),
                    2 => backward_block::<f64, f64, 2>(values, height, j, own, below),
                    _ => backward_block::<f64, f64, 1>(values, height, j, own, below),
                }
            }
        }
    }
}

/// Returns the upper or lower triangle of P A P^T, the rows i of columns k, and the slot of each entry.
fn half(
    pattern: &Pattern,
    ordering: &Ordering,
    holds: impl Fn(usize, usize) -> bool,
) -> (SymbolicSparseColMat<usize>, Vec<usize>) {
    let position = ordering.position();
    let (mut start, mut row, mut slots) = (vec![0], Vec::new(), Vec::new());
    let mut column: Vec<(usize, usize)> = Vec::new();
    for (k, &j) in ordering.order.iter().enumerate() {
        column.clear();
        let entries = pattern.neighbours(j as usize).map(|(i, slot)| (position[i] as usize, slot));
        column.extend(entries.filter(|&(i, _)| holds(i, k)));
        column.sort_unstable();
        row.extend(column.iter().map(|entry| entry.0));
        slots.extend(column.iter().map(|entry| entry.1));
        start.push(row.len());
    }
    let n = pattern.rows();
    (SymbolicSparseColMat::new_checked(n, n, start, None, row), slots)
}

/// Returns the strips of a panel: first columns and widths.
fn strips(width: usize) -> impl DoubleEndedIterator<Item = (usize, usize)> {
    let [eights, fours, twos] = [8, 4, 2].map(|strip| width / strip * strip);
    let strips = |range: Range<usize>, strip: usize| range.step_by(strip).map(move |j| (j, strip));
    strips(0..eights, 8).chain(strips(eights..fours, 4)).chain(strips(fours..twos, 2)).chain(strips(twos..width, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second difference on a grid, with a small shift on the diagonal: rows have neighbours along three axes.
    fn grid(n: usize, shift: f64) -> (Pattern, Vec<f64>) {
        let at = |x: usize, y: usize, z: usize| ((x * n + y) * n + z) as u32;
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for x in 0..n {
            for y in 0..n {
                for z in 1..n {
                    pairs.extend([[at(x, y, z - 1), at(x, y, z)], [at(x, z - 1, y), at(x, z, y)]]);
                    pairs.push([at(z - 1, x, y), at(z, x, y)]);
                }
            }
        }
        let pattern = Pattern::from_cliques(n * n * n, pairs.iter().map(|pair| pair.as_slice()));
        let mut values = vec![0.0; pattern.slots()];
        for i in 0..pattern.rows() {
            values[pattern.diagonal(i)] = shift;
        }
        for (k, &[i, j]) in pairs.iter().enumerate() {
            let weight = 1.0 + 0.5 * (k as f64).sin();
            values[pattern.slot(i as usize, j as usize).unwrap()] -= weight;
            [i, j].iter().for_each(|&i| values[pattern.diagonal(i as usize)] += weight);
        }
        (pattern, values)
    }

    #[test]
    fn three_columns_are_solved_at_once() {
        for n in [1, 2, 5, 11] {
            let (pattern, values) = grid(n, 0.01);
            let wave = |k: usize| (1.3 * k as f64 + 0.1).sin();
            let x: Vec<Vec3> = (0..pattern.rows()).map(|i| [wave(i), wave(2 * i + 1), wave(3 * i + 2)]).collect();
            let mut rhs = vec![[0.0; 3]; x.len()];
            for (i, rhs) in rhs.iter_mut().enumerate() {
                for (j, slot) in pattern.neighbours(i) {
                    (0..3).for_each(|c| rhs[c] += values[slot] * x[j][c]);
                }
            }
            let mut factor = ScalarCholesky::new(&pattern, &values).unwrap();
            // Twice: the first solve leaves no trace.
            for _ in 0..2 {
                let mut found = rhs.clone();
                factor.solve(&mut found);
                let off = found.as_flattened().iter().zip(x.as_flattened()).map(|(a, b)| (a - b).abs());
                assert!(off.fold(0.0, f64::max) < 1e-11);
            }
        }
    }

    #[test]
    fn what_cannot_be_factorised_is_refused() {
        let (pattern, values) = grid(4, 0.0);
        assert!(matches!(
            ScalarCholesky::new(&pattern, &values),
            Err(LinearError::Singular { .. } | LinearError::Indefinite { .. })
        ));
        let (pattern, mut values) = grid(4, 0.1);
        values[pattern.diagonal(7)] = f64::NAN;
        assert!(matches!(ScalarCholesky::new(&pattern, &values), Err(LinearError::NonFinite { row: 7 })));
    }
}
