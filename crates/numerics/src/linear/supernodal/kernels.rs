//! Products of panels and vectors: the inner loops of solves.
//!
//! A panel is processed in strips of K columns. A strip starts at the diagonal and has `rows` rows from there. With one
//! right-hand side the lanes run along the rows of the panel; with several they run across the right-hand sides, which
//! need no sums over lanes and no special ends. Numbers are stored as `stored.rs` says.

use super::Precision;
use super::stored::{PIECE, Stored};

/// Numbers of a buffer for a column of the triangle of a strip.
const TRIANGLE: usize = 16;

/// Bytes that come from memory together.
const LINE: usize = 64;

/// Returns the rows of a front, padded to whole chunks.
pub(super) fn padded<T: Precision>(height: usize) -> usize {
    height.next_multiple_of(T::LANES)
}

/// The strips of a panel: first columns and widths. Widths of panels are multiples of three.
pub(super) fn strips(width: usize) -> impl DoubleEndedIterator<Item = (usize, usize)> {
    let (twelves, sixes) = (width / 12 * 12, width / 6 * 6);
    let strips = |range: std::ops::Range<usize>, strip: usize| range.step_by(strip).map(move |j| (j, strip));
    strips(0..twelves, 12).chain(strips(twelves..sixes, 6)).chain(strips(sixes..width, 3))
}

/// Asks the processor for the numbers as many numbers ahead of chunk `s` as a strip has: those of the next strip, which come next in
/// memory. Columns are too short for the processor to guess them.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))]
fn fetch<C: AsRef<[S]>, S>(chunk: &C, s: usize, ahead: isize) {
    #[cfg(target_arch = "x86_64")]
    if size_of::<C>() >= LINE || s.is_multiple_of(2) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing, so the address need not exist.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(chunk.as_ref().as_ptr().wrapping_offset(ahead).cast()) };
    }
}

/// One right-hand side: x = triangle^-1 x, then f -= strip x for the rows below the triangle.
///
/// `f` are the rows of the front from a multiple of the lanes on, so that every strip finds them in the chunks in which
/// the one before stored them; the triangle ends at its row `end`. Rows above have been read already: they may be
/// overwritten.
#[inline(never)]
pub(super) fn forward<T: Precision, S: Stored<T>, const K: usize>(
    panel: &[S],
    height: usize,
    j: usize,
    x: &mut [T],
    f: &mut [T],
) {
    let strip = &panel[j * height..];
    let mut splat = [T::splat(T::of(0.0)); K];
    let x = &mut x[j..j + K];
    for k in 0..K {
        x[k] += f[j + k];
    }
    let mut buffers = [[T::of(0.0); TRIANGLE]; K];
    for (k, buffer) in buffers.iter_mut().enumerate() {
        let column = S::widen(&strip[k * height + j..], K, buffer);
        if !S::IS_APART {
            x[k] *= column[k];
        }
        for i in k + 1..K {
            x[i] = T::fused(column[i], -x[k], x[i]);
        }
        splat[k] = T::splat(-x[k]);
    }
    let begin = (j + K) / T::LANES * T::LANES;
    let f = T::chunks_mut(&mut f[begin..]);
    let chunks = f.len();
    let mut columns: [&[S::Chunk]; K] = [&[]; K];
    for k in 0..K {
        columns[k] = &S::chunks(&strip[k * height + begin..])[..chunks];
    }
    for s in 0..chunks {
        let mut y = T::load(&f[s]);
        for k in 0..K {
            fetch(&columns[k][s], s, (K * height) as isize);
            y = T::fused_lanes(S::load(&columns[k][s]), splat[k], y);
        }
        f[s] = T::store(y);
    }
}

/// One right-hand side: x = triangle^-T (x - strip^T f), and a copy of x to f. Where the diagonal is stored apart, the caller has
/// divided x by it.
///
/// Rows of `f` that are not known yet must be zeros.
#[inline(never)]
pub(super) fn backward<T: Precision, S: Stored<T>, const K: usize>(
    panel: &[S],
    height: usize,
    j: usize,
    x: &mut [T],
    f: &mut [T],
) {
    let strip = &panel[j * height..];
    let mut sums = [T::splat(T::of(0.0)); K];
    let begin = (j + K) / T::LANES * T::LANES;
    {
        let f = T::chunks(&f[begin..]);
        let chunks = f.len();
        let mut columns: [&[S::Chunk]; K] = [&[]; K];
        for k in 0..K {
            columns[k] = &S::chunks(&strip[k * height + begin..])[..chunks];
        }
        for s in 0..chunks {
            let y = T::load(&f[s]);
            for k in 0..K {
                fetch(&columns[k][s], s, -((K * height) as isize));
                sums[k] = T::fused_lanes(S::load(&columns[k][s]), y, sums[k]);
            }
        }
    }
    let x = &mut x[j..j + K];
    let mut buffers = [[T::of(0.0); TRIANGLE]; K];
    for (k, buffer) in buffers.iter_mut().enumerate().rev() {
        let column = S::widen(&strip[k * height + j..], K, buffer);
        let mut sum = x[k] - T::sum(sums[k]);
        for i in k + 1..K {
            sum = T::fused(-column[i], x[i], sum);
        }
        x[k] = if S::IS_APART { sum } else { sum * column[k] };
    }
    f[j..j + K].copy_from_slice(x);
}

/// Several right-hand sides: as [`forward`]; `x` are the rows of the panel's columns, `below` those below them.
#[inline(never)]
pub(super) fn forward_block<T: Precision, S: Stored<T>, const K: usize>(
    panel: &[S],
    height: usize,
    j: usize,
    x: &mut [T::Lanes],
    below: &mut [T::Lanes],
) {
    let mut strip: [&[S]; K] = [&[]; K];
    for k in 0..K {
        strip[k] = &panel[(j + k) * height..];
    }
    let mut solved = [T::splat(T::of(0.0)); K];
    solved.copy_from_slice(&x[j..j + K]);
    let mut buffers = [[T::of(0.0); TRIANGLE]; K];
    for (k, buffer) in buffers.iter_mut().enumerate() {
        let column = S::widen(&strip[k][j..], K, buffer);
        if !S::IS_APART {
            solved[k] = T::times(solved[k], T::splat(column[k]));
        }
        for i in k + 1..K {
            solved[i] = T::fused_lanes(T::splat(-column[i]), solved[k], solved[i]);
        }
    }
    x[j..j + K].copy_from_slice(&solved);
    let width = x.len();
    update::<T, S, K>(&strip, j + K, &solved, &mut x[j + K..]);
    update::<T, S, K>(&strip, width, &solved, below);
}

/// y -= strip x, from row `from` of the strip on.
#[inline(always)]
fn update<T: Precision, S: Stored<T>, const K: usize>(
    strip: &[&[S]; K],
    from: usize,
    x: &[T::Lanes; K],
    y: &mut [T::Lanes],
) {
    let mut buffers = [[T::of(0.0); PIECE]; K];
    for (piece, y) in y.chunks_mut(PIECE).enumerate() {
        let from = from + piece * PIECE;
        let mut columns: [&[T]; K] = [&[]; K];
        for (k, buffer) in buffers.iter_mut().enumerate() {
            columns[k] = S::widen(&strip[k][from..], y.len(), buffer);
        }
        for i in 0..y.len() {
            let mut sum = y[i];
            for k in 0..K {
                sum = T::fused_lanes(T::splat(-columns[k][i]), x[k], sum);
            }
            y[i] = sum;
        }
    }
}

/// Several right-hand sides: as [`backward`].
#[inline(never)]
pub(super) fn backward_block<T: Precision, S: Stored<T>, const K: usize>(
    panel: &[S],
    height: usize,
    j: usize,
    x: &mut [T::Lanes],
    below: &[T::Lanes],
) {
    let mut strip: [&[S]; K] = [&[]; K];
    for k in 0..K {
        strip[k] = &panel[(j + k) * height..];
    }
    let mut sums = [T::splat(T::of(0.0)); K];
    sums.copy_from_slice(&x[j..j + K]);
    let width = x.len();
    reduce::<T, S, K>(&strip, j + K, &x[j + K..], &mut sums);
    reduce::<T, S, K>(&strip, width, below, &mut sums);
    let mut buffers = [[T::of(0.0); TRIANGLE]; K];
    for (k, buffer) in buffers.iter_mut().enumerate().rev() {
        let column = S::widen(&strip[k][j..], K, buffer);
        for i in k + 1..K {
            sums[k] = T::fused_lanes(T::splat(-column[i]), sums[i], sums[k]);
        }
        if !S::IS_APART {
            sums[k] = T::times(sums[k], T::splat(column[k]));
        }
    }
    x[j..j + K].copy_from_slice(&sums);
}

/// sums -= strip^T y, from row `from` of the strip on.
#[inline(always)]
fn reduce<T: Precision, S: Stored<T>, const K: usize>(
    strip: &[&[S]; K],
    from: usize,
    y: &[T::Lanes],
    sums: &mut [T::Lanes; K],
) {
    let mut buffers = [[T::of(0.0); PIECE]; K];
    let mut local = *sums;
    for (piece, y) in y.chunks(PIECE).enumerate() {
        let from = from + piece * PIECE;
        let mut columns: [&[T]; K] = [&[]; K];
        for (k, buffer) in buffers.iter_mut().enumerate() {
            columns[k] = S::widen(&strip[k][from..], y.len(), buffer);
        }
        for i in 0..y.len() {
            for k in 0..K {
                local[k] = T::fused_lanes(T::splat(-columns[k][i]), y[i], local[k]);
            }
        }
    }
    *sums = local;
}
