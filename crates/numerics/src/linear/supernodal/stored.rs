//! Storage of the numbers of a factor: as they are computed, or in 16 bits.
//!
//! Sweeps over a factor are limited by memory, so half the bytes are half the time. [`Half`] has 11 significant bits. What it
//! rounds away acts on vectors that are smooth over the body, the slow motions, more than on all others: A = L L^T is weakest
//! there. So each rounding error is added to a next number of the same coordinate in the column before that is rounded. The
//! errors of a column then sum to a few units for each coordinate, and cancel on smooth vectors. On a beam of 98k tets
//! conjugate gradients take 3.2 iterations per step, with a factor in `f32` 3.0.
//!
//! Columns in 16 bits are divided by their diagonal, which is stored apart in `f32`: L D L^T with ones on the diagonal of L.
//! So numbers are of size one in any units. Above 65504 they saturate: a matrix whose rows differ so much is solved slowly, and
//! gets a factor of more bits.

use super::Precision;
use super::kernels::strips;
use crate::half::{Half, narrow, widen};
use wide::f32x16;

/// Rows of a column that are rounded at a time: four nodes, so that errors are passed on to the same coordinate.
const ROWS: usize = 12;
/// Rows of a column that are widened at a time.
pub(super) const PIECE: usize = 64;

/// A stored number of a factor that is computed in T.
///
/// ```
/// use numerics::linear::{Half, Precision, Stored};
///
/// /// Sum of stored numbers, a register at a time; `x` is a whole number of registers.
/// fn sum<T: Precision, S: Stored<T>>(x: &[S]) -> T {
///     let mut sum = T::splat(T::of(0.0));
///     for chunk in S::chunks(x) {
///         sum = T::plus(sum, S::load(chunk));
///     }
///     T::sum(sum)
/// }
///
/// assert_eq!(sum::<f32, _>(&[2.0_f32; 32]), 64.0);
/// assert_eq!(sum::<f32, _>(&[<Half as Stored<f32>>::zero(); 32]), 0.0);
/// ```
pub trait Stored<T: Precision>: Copy + Send + Sync + 'static {
    /// True if the diagonal of the factor is stored apart.
    const IS_APART: bool;
    /// [`Precision::LANES`] stored numbers.
    type Chunk: Copy + Send + Sync + AsRef<[Self]>;
    /// Zero.
    fn zero() -> Self;
    /// Returns the slice in chunks; a remainder is left out.
    fn chunks(slice: &[Self]) -> &[Self::Chunk];
    /// Loads a chunk.
    fn load(chunk: &Self::Chunk) -> T::Lanes;
    /// Returns `len` numbers in T: those of the column itself, or a copy in the buffer. Of both whole chunks are used.
    fn widen<'a>(column: &'a [Self], len: usize, buffer: &'a mut [T]) -> &'a [T];
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
    fn chunks(slice: &[T]) -> &[Self::Chunk] {
        <T as Precision>::chunks(slice)
    }
    #[inline(always)]
    fn load(chunk: &Self::Chunk) -> T::Lanes {
        <T as Precision>::load(chunk)
    }
    #[inline(always)]
    fn widen<'a>(column: &'a [T], len: usize, _: &'a mut [T]) -> &'a [T] {
        &column[..len]
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
    fn chunks(slice: &[Half]) -> &[[Half; 16]] {
        slice.as_chunks().0
    }
    #[inline(always)]
    fn load(chunk: &[Half; 16]) -> f32x16 {
        f32x16::from(widen(chunk))
    }
    #[inline(always)]
    fn widen<'a>(column: &'a [Half], len: usize, buffer: &'a mut [f32]) -> &'a [f32] {
        let chunks = len.div_ceil(16);
        let (from, to) = (&column.as_chunks::<16>().0[..chunks], &mut buffer.as_chunks_mut::<16>().0[..chunks]);
        to.iter_mut().zip(from).for_each(|(to, from)| *to = widen(from));
        &buffer[..len]
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

/// Stores K columns from column `j` on, [`ROWS`] rows at a time: roundings of different columns do not wait for each other.
fn put_strip<const K: usize>(panel: &mut [Half], apart: &[f32], height: usize, j: usize, diagonal: &mut [f32]) {
    let diagonal = &mut diagonal[j..j + K];
    let mut inverse = [0.0; K];
    for k in 0..K {
        inverse[k] = apart[k * height + j + k];
        diagonal[k] = inverse[k] * inverse[k];
        panel[k * height..k * height + j].fill(Half::default());
    }
    let mut errors = [[0.0; ROWS]; K];
    for row in (j..height).step_by(ROWS) {
        let rows = ROWS.min(height - row);
        for k in 0..K {
            let at = k * height + row;
            let column = &apart[at..at + rows];
            let numbers = match column.try_into() {
                Ok(numbers) if row > j => numbers,
                _ => {
                    // Above the diagonal the memory holds anything.
                    let mut numbers = [0.0; ROWS];
                    let above = if row == j { (k + 1).min(rows) } else { 0 };
                    numbers[above..rows].copy_from_slice(&column[above..]);
                    numbers
                }
            };
            let stored = round(&numbers, inverse[k], &mut errors[k]);
            panel[at..at + rows].copy_from_slice(&stored[..rows]);
        }
    }
}

/// Rounds numbers times a factor, with the errors left by the numbers before.
#[inline(always)]
fn round(numbers: &[f32; ROWS], factor: f32, errors: &mut [f32; ROWS]) -> [Half; ROWS] {
    let mut wanted = [0.0; 16];
    for r in 0..ROWS {
        wanted[r] = numbers[r].mul_add(factor, errors[r]);
    }
    let halves = narrow(wanted);
    let found = widen(&halves);
    for r in 0..ROWS {
        errors[r] = wanted[r] - found[r];
    }
    let mut stored = [Half::default(); ROWS];
    stored.copy_from_slice(&halves[..ROWS]);
    stored
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::tests::Noise;

    #[test]
    fn rounding_errors_of_a_column_cancel_for_each_coordinate() {
        let (height, mut noise) = (3012, Noise::new(4));
        for width in [3, 6, 12] {
            let mut panel: Vec<f32> = (0..height * width).map(|_| 0.75 + 0.25 * noise.next() as f32).collect();
            (0..width).for_each(|j| panel[j * (height + 1)] = 1.0);
            let (mut stored, mut diagonal) = (vec![Half::default(); height * width + 16], vec![0.0; width]);
            Half::put(&mut stored[..height * width], &panel, height, &mut diagonal);
            for j in 0..width {
                let mut buffer = vec![0.0; height + 16];
                let found = Half::widen(&stored[j * height..], height, &mut buffer);
                assert!(found[..=j].iter().all(|x| *x == 0.0));
                let errors = || (j + 1..height).map(|i| f64::from(found[i]) - f64::from(panel[j * height + i]));
                // Numbers from 1/2 to 1 are multiples of a unit. Four nodes side by side have errors of their own.
                let unit = 2.0_f64.powi(-11);
                assert!(errors().all(|error| error.abs() <= 1.01 * unit));
                for c in 0..3 {
                    let rows = (j + 1..height).zip(errors()).filter(|(i, _)| i % 3 == c);
                    let sum: f64 = rows.map(|(_, error)| error).sum();
                    assert!(sum.abs() <= 2.01 * unit, "{width} columns, column {j}: {} units", sum / unit);
                }
            }
        }
    }
}
