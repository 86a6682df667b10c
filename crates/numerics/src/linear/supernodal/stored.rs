//! How the numbers of a factor are stored: as they are computed, or in 16 bits.
//!
//! Sweeps over a factor are limited by memory, so half the bytes are half the time. [`Half`] has 11 significant bits. What it
//! rounds away acts on vectors that are smooth over the body, the slow motions, more than on all others: A = L L^T is weakest
//! there. So each rounding error is added to the next number of the same coordinate in the column before that is rounded. The
//! errors of a column then sum to less than one unit for each coordinate, and cancel on smooth vectors. On beams of 98k tets
//! conjugate gradients take no iteration more than with a factor in `f32`, and with the 8 bits of bfloat16 a tenth more.
//!
//! Columns in 16 bits are divided by their diagonal, which is stored apart in `f32`: L D L^T with ones on the diagonal of L.
//! So numbers are of size one in any units. Above 65504 they saturate: a matrix whose rows differ so much is solved slowly, and
//! gets a factor of more bits.

use super::Precision;
use super::kernels::strips;
use crate::half::{Half, narrow, widen};
use wide::f32x16;

/// Rows of a column that are widened at a time.
pub(super) const PIECE: usize = 64;

/// A stored number of a factor that is computed in T.
pub trait Stored<T: Precision>: Copy + Send + Sync + 'static {
    /// True if the diagonal of the factor is stored apart.
    const IS_APART: bool;
    /// [`Precision::LANES`] stored numbers.
    type Chunk: Copy + Send + Sync;
    /// Zero.
    fn zero() -> Self;
    /// The same number in T.
    fn widened(self) -> T;
    /// Returns the slice in chunks; a remainder is left out.
    fn chunks(slice: &[Self]) -> &[Self::Chunk];
    /// Loads a chunk.
    fn load(chunk: &Self::Chunk) -> T::Lanes;
    /// Returns numbers in T: the column itself, or a copy in the buffer, which is as long.
    fn widen<'a>(column: &'a [Self], buffer: &'a mut [T]) -> &'a [T];
    /// Returns the memory in which a panel is computed: its own, or that of the task.
    fn front<'a>(panel: &'a mut [Self], apart: &'a mut [T]) -> &'a mut [T];
    /// Stores a panel that was computed apart, with the inverse of the diagonal of L on its diagonal; `diagonal` becomes the
    /// inverse of D.
    fn put(panel: &mut [Self], apart: &[T], height: usize, diagonal: &mut [T]);
}

impl<T: Precision> Stored<T> for T {
    const IS_APART: bool = false;
    type Chunk = <T as Precision>::Chunk;
    #[inline(always)]
    fn zero() -> T {
        T::of(0.0)
    }
    #[inline(always)]
    fn widened(self) -> T {
        self
    }
    #[inline(always)]
    fn chunks(slice: &[T]) -> &[Self::Chunk] {
        <T as Precision>::chunks(slice)
    }
    #[inline(always)]
    fn load(chunk: &Self::Chunk) -> T::Lanes {
        <T as Precision>::load(chunk)
    }
    #[inline(always)]
    fn widen<'a>(column: &'a [T], _: &'a mut [T]) -> &'a [T] {
        column
    }
    #[inline(always)]
    fn front<'a>(panel: &'a mut [T], _: &'a mut [T]) -> &'a mut [T] {
        panel
    }
    #[inline(always)]
    fn put(_: &mut [T], _: &[T], _: usize, _: &mut [T]) {}
}

impl Stored<f32> for Half {
    const IS_APART: bool = true;
    type Chunk = [Half; 16];
    #[inline(always)]
    fn zero() -> Half {
        Half::default()
    }
    #[inline(always)]
    fn widened(self) -> f32 {
        widen([self; 4])[0]
    }
    #[inline(always)]
    fn chunks(slice: &[Half]) -> &[[Half; 16]] {
        slice.as_chunks().0
    }
    #[inline(always)]
    fn load(chunk: &[Half; 16]) -> f32x16 {
        f32x16::from(widen(*chunk))
    }
    #[inline(always)]
    fn widen<'a>(column: &'a [Half], buffer: &'a mut [f32]) -> &'a [f32] {
        let buffer = &mut buffer[..column.len()];
        let (chunks, rest) = column.as_chunks::<16>();
        let (to, rest_to) = buffer.as_chunks_mut::<16>();
        to.iter_mut().zip(chunks).for_each(|(to, chunk)| *to = widen(*chunk));
        rest_to.iter_mut().zip(rest).for_each(|(to, half)| *to = half.widened());
        buffer
    }
    #[inline(always)]
    fn front<'a>(panel: &'a mut [Half], apart: &'a mut [f32]) -> &'a mut [f32] {
        &mut apart[..panel.len()]
    }
    fn put(panel: &mut [Half], apart: &[f32], height: usize, diagonal: &mut [f32]) {
        for (j, strip) in strips(diagonal.len()) {
            let (panel, apart) = (&mut panel[j * height..], &apart[j * height..]);
            match strip {
                12 => put_strip::<12>(panel, apart, height, j, diagonal),
                6 => put_strip::<6>(panel, apart, height, j, diagonal),
                _ => put_strip::<3>(panel, apart, height, j, diagonal),
            }
        }
    }
}

/// Stores K columns from column `j` on, one row of blocks at a time: roundings of different columns do not wait for each other.
fn put_strip<const K: usize>(panel: &mut [Half], apart: &[f32], height: usize, j: usize, diagonal: &mut [f32]) {
    let diagonal = &mut diagonal[j..j + K];
    let mut inverse = [0.0; K];
    for k in 0..K {
        inverse[k] = apart[k * height + j + k];
        diagonal[k] = inverse[k] * inverse[k];
        panel[k * height..k * height + j].fill(Half::default());
    }
    let mut errors = [[0.0; 4]; K];
    for row in (j..height).step_by(3) {
        for k in 0..K {
            let (at, error) = (k * height + row, &mut errors[k]);
            let mut wanted = [0.0; 4];
            for c in 0..3 {
                // Above the diagonal the memory holds anything.
                let is_below = row + c > j + k;
                wanted[c] = if is_below { apart[at + c].mul_add(inverse[k], error[c]) } else { 0.0 };
            }
            let stored = narrow(wanted);
            let found = widen(stored);
            (0..3).for_each(|c| error[c] = wanted[c] - found[c]);
            panel[at..at + 3].copy_from_slice(&stored[..3]);
        }
    }
}
