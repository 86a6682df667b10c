//! Boxes of tetrahedra for timing solvers.

use numerics::blocks::{BlockMatrix, Pattern};
use std::sync::Arc;
use std::time::Instant;

/// Returns the milliseconds of the fastest run.
pub fn fastest(repeats: usize, mut run: impl FnMut() -> bool) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..repeats {
        let start = Instant::now();
        assert!(run(), "the solver failed");
        best = best.min(1e3 * start.elapsed().as_secs_f64());
    }
    best
}

/// Returns the milliseconds of the fastest run that starts from `b`.
pub fn fastest_from(repeats: usize, b: &[f64], mut run: impl FnMut(&mut [f64])) -> f64 {
    let (mut x, mut best) = (b.to_vec(), f64::INFINITY);
    for _ in 0..repeats {
        x.copy_from_slice(b);
        let start = Instant::now();
        run(&mut x);
        best = best.min(1e3 * start.elapsed().as_secs_f64());
    }
    assert!(x.iter().all(|x| x.is_finite()), "the solver failed");
    best
}

/// A box of nx x ny x nz nodes, each cell cut into the six tetrahedra of Kuhn.
pub fn grid(size: [usize; 3]) -> Arc<Pattern> {
    let [nx, ny, nz] = size;
    let node = |at: [usize; 3]| ((at[0] * ny + at[1]) * nz + at[2]) as u32;
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for x in 0..nx {
        for y in 0..ny {
            for z in 0..nz {
                // Kuhn's tetrahedra connect nodes that differ by 0 or 1 in every direction, all with the same sign.
                for step in 1..8 {
                    let to = [x + (step & 1), y + (step >> 1 & 1), z + (step >> 2 & 1)];
                    if (0..3).all(|d| to[d] < size[d]) {
                        edges.push([node([x, y, z]), node(to)]);
                    }
                }
            }
        }
    }
    Arc::new(Pattern::from_cliques(nx * ny * nz, edges.iter().map(|e| e.as_slice())))
}

/// Mass and springs along the edges, stiff enough to couple the whole body: the matrix of an implicit step.
pub fn springs(size: [usize; 3], pattern: &Arc<Pattern>) -> BlockMatrix {
    let [nx, ny, nz] = size;
    let at = |i: usize| [i / (ny * nz), i / nz % ny, i % nz].map(|x| x as f64);
    let mut a = BlockMatrix::zeros(pattern.clone());
    assert_eq!(pattern.rows(), nx * ny * nz);
    for i in 0..pattern.rows() {
        for (j, slot) in pattern.lower(i) {
            let d: [f64; 3] = std::array::from_fn(|k| at(i)[k] - at(j)[k]);
            let length = d.iter().map(|d| d * d).sum::<f64>();
            for r in 0..3 {
                for c in 0..3 {
                    let same = f64::from(r == c);
                    if i == j {
                        a.values[slot][r][c] += 0.01 * same;
                    } else {
                        let k = 1000.0 * (d[r] * d[c] / length + 0.1 * same);
                        a.values[slot][r][c] -= k;
                        a.values[pattern.diagonal(i)][r][c] += k;
                        a.values[pattern.diagonal(j)][r][c] += k;
                    }
                }
            }
        }
    }
    a
}
