//! Factorise, solve.

use super::{Precision, Structure};
use crate::blocks::{BlockMatrix, Pattern};
use crate::linear::cholesky::grown;
use crate::linear::permuted::Permuted;
use crate::linear::{LinearError, adopt};
use crate::mat3::Mat3;
use dyn_stack::{MemBuffer, StackReq};
use faer::sparse::linalg::cholesky::supernodal;
use faer::{Conj, MatMut, Par};
use std::sync::Arc;

/// A pivot this small relative to the column it comes from is nothing but rounding errors, in units of the precision.
const NOISE: f64 = 64.0;

/// L L^T = P A P^T, held in T (`f32` or `f64`).
pub struct Factor<T> {
    structure: Arc<Structure>,
    pattern: Arc<Pattern>,
    permuted: Permuted<T>,
    values: Vec<T>,
    x: Vec<T>,
    memory: MemBuffer,
}

impl<T: Precision> Factor<T> {
    /// Room for a factor; it holds none yet.
    pub fn new(structure: &Arc<Structure>) -> Result<Factor<T>, LinearError> {
        let mut values = Vec::new();
        let len = structure.symbolic.len_val();
        values.try_reserve_exact(len).map_err(|_| LinearError::TooLarge { entries: structure.entries() })?;
        values.resize(len, T::of(0.0));
        Ok(Factor {
            structure: structure.clone(),
            pattern: structure.pattern.clone(),
            permuted: Permuted::new(&structure.layout),
            values,
            x: Vec::new(),
            memory: MemBuffer::new(StackReq::EMPTY),
        })
    }

    /// Factorises `a`, rounded to T. After an error the factor holds nothing of use.
    pub fn factorise(&mut self, a: &BlockMatrix) -> Result<(), LinearError> {
        adopt(&mut self.pattern, a)?;
        self.permuted.load(a)?;
        let symbolic = &self.structure.symbolic;
        let required =
            supernodal::factorize_supernodal_numeric_llt_scratch::<usize, T>(symbolic, Par::Seq, Default::default());
        supernodal::factorize_supernodal_numeric_llt(
            &mut self.values,
            self.permuted.lower(),
            Default::default(),
            symbolic,
            Par::Seq,
            grown(&mut self.memory, required),
            Default::default(),
        )
        .map_err(|_| LinearError::Indefinite { negative: None })?;
        match self.lost_pivot() {
            Some(row) => Err(LinearError::Singular { row: Some(self.structure.layout.order()[row / 3] as usize) }),
            None => Ok(()),
        }
    }

    /// Overwrites the columns of `rhs` (column-major, in the order of the matrix) with W (L L^T)^-1 W^T times them.
    ///
    /// W = blockdiag(`warp`), the identity without one. With a rotation a node, W A W^T is the matrix of the body
    /// turned. The factor is swept once for all columns.
    pub fn solve(&mut self, rhs: &mut [f64], columns: usize, warp: Option<&[Mat3]>) {
        let (layout, symbolic) = (&self.structure.layout, &self.structure.symbolic);
        assert_eq!(rhs.len(), layout.dim() * columns, "right-hand sides do not have the size of the matrix");
        self.x.resize(rhs.len(), T::of(0.0));
        layout.gather(rhs, &mut self.x, warp);
        let required = symbolic.solve_in_place_scratch::<T>(columns, Par::Seq);
        supernodal::SupernodalLltRef::new(symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut self.x, layout.dim(), columns),
            Par::Seq,
            grown(&mut self.memory, required),
        );
        layout.scatter(&self.x, rhs, warp);
    }

    /// A column whose pivot is rounding errors only: it passed for positive by luck.
    fn lost_pivot(&self) -> Option<usize> {
        let symbolic = &self.structure.symbolic;
        let lost = |(j, l): &(usize, f64)| l * l <= NOISE * T::EPSILON * self.permuted.diagonal(*j).to_f64();
        let diagonal = (0..symbolic.n_supernodes()).flat_map(|s| {
            let (begin, end) = (symbolic.supernode_begin()[s], symbolic.supernode_end()[s]);
            let first = symbolic.col_ptr_for_val()[s];
            let height = (symbolic.col_ptr_for_val()[s + 1] - first) / (end - begin);
            (begin..end).map(move |j| (j, self.values[first + (j - begin) * (height + 1)].to_f64()))
        });
        diagonal.into_iter().find(lost).map(|(j, _)| j)
    }
}
