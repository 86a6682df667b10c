//! Passes over long vectors: cut into chunks of fixed length, so that sums do not depend on the number of threads.

use rayon::prelude::*;

/// Entries per chunk.
const CHUNK: usize = 4096;

/// Length below which waking a thread does not pay.
const PARALLEL: usize = 16 * CHUNK;

/// Runs `pass` over the chunks of three vectors of one length and adds up its results, chunk by chunk.
///
/// `partial` is memory for the sums of the chunks.
pub fn sweep(
    a: &mut [f64],
    b: &[f64],
    c: &[f64],
    partial: &mut Vec<f64>,
    pass: impl Fn(&mut [f64], &[f64], &[f64]) -> f64 + Sync,
) -> f64 {
    let n = a.len();
    if n < PARALLEL {
        return a.chunks_mut(CHUNK).zip(b.chunks(CHUNK)).zip(c.chunks(CHUNK)).map(|((a, b), c)| pass(a, b, c)).sum();
    }
    partial.resize(n.div_ceil(CHUNK), 0.0);
    let chunks = a.par_chunks_mut(CHUNK).zip(b.par_chunks(CHUNK)).zip(c.par_chunks(CHUNK));
    chunks.zip(partial.par_iter_mut()).for_each(|(((a, b), c), sum)| *sum = pass(a, b, c));
    partial.iter().sum()
}

/// a . b in eight interleaved sums, always in the same order.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for k in 0..8 {
            sums[k] += a[k] * b[k];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7])) + rest
}

/// Returns true if all numbers are finite. 0 x is NaN if x is not finite and 0 otherwise: sums check all numbers
/// without a branch.
pub fn is_finite(x: &[f64]) -> bool {
    let (chunks, rest) = x.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        (0..8).for_each(|k| sums[k] += 0.0 * chunk[k]);
    }
    sums.iter().chain(rest).all(|x| 0.0 * x == 0.0)
}

/// a . b, chunk by chunk.
pub fn inner(a: &[f64], b: &[f64], partial: &mut Vec<f64>) -> f64 {
    if a.len() < PARALLEL {
        return a.chunks(CHUNK).zip(b.chunks(CHUNK)).map(|(a, b)| dot(a, b)).sum();
    }
    partial.resize(a.len().div_ceil(CHUNK), 0.0);
    let chunks = a.par_chunks(CHUNK).zip(b.par_chunks(CHUNK));
    chunks.zip(partial.par_iter_mut()).for_each(|((a, b), sum)| *sum = dot(a, b));
    partial.iter().sum()
}

/// Sums numbers at the speed of memory, in as many parts as fill the lanes of several registers. The order is fixed.
#[inline(never)] // callers may be compiled without vectors
pub fn sum(numbers: &[f64]) -> f64 {
    let (chunks, rest) = numbers.as_chunks::<64>();
    let mut sums = [0.0; 64];
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, number)| *sum += number);
    }
    sums.iter().chain(rest).sum()
}

/// x -= sum of h_i q_i with h_i = x . p_i, for pairs (q_i, p_i): one pass of orthogonalisation in which every vector is
/// read once, while its chunk of x is in the cache.
pub fn subtract_projections(x: &mut [f64], pairs: &[[Vec<f64>; 2]], h: &mut Vec<f64>, partial: &mut Vec<f64>) {
    let count = pairs.len();
    h.clear();
    h.resize(count, 0.0);
    if count == 0 {
        return;
    }
    partial.resize(x.len().div_ceil(CHUNK) * count, 0.0);
    let of_chunk = |(chunk, (x, sums)): (usize, (&[f64], &mut [f64]))| {
        let from = chunk * CHUNK;
        sums.iter_mut().zip(pairs).for_each(|(sum, [_, p])| *sum = dot(x, &p[from..from + x.len()]));
    };
    let take_chunk = |h: &[f64], (chunk, x): (usize, &mut [f64])| {
        let from = chunk * CHUNK;
        h.iter().zip(pairs).for_each(|(h, [q, _])| axpy(-h, &q[from..from + x.len()], x));
    };
    if x.len() < PARALLEL {
        x.chunks(CHUNK).zip(partial.chunks_mut(count)).enumerate().for_each(of_chunk);
    } else {
        x.par_chunks(CHUNK).zip(partial.par_chunks_mut(count)).enumerate().for_each(of_chunk);
    }
    for sums in partial.chunks(count) {
        h.iter_mut().zip(sums).for_each(|(h, sum)| *h += sum);
    }
    if x.len() < PARALLEL {
        x.chunks_mut(CHUNK).enumerate().for_each(|chunk| take_chunk(h, chunk));
    } else {
        x.par_chunks_mut(CHUNK).enumerate().for_each(|chunk| take_chunk(h, chunk));
    }
}

/// y += c x, chunk by chunk.
pub fn add(c: f64, x: &[f64], y: &mut [f64]) {
    if y.len() < PARALLEL {
        return axpy(c, x, y);
    }
    y.par_chunks_mut(CHUNK).zip(x.par_chunks(CHUNK)).for_each(|(y, x)| axpy(c, x, y));
}

/// y += c x.
pub fn axpy(c: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += c * x);
}
