//! What every solver owes: answers, or an error that is true.

use super::*;
use crate::blocks::Pattern;
use crate::mat3::Mat3;
use std::sync::Arc;

/// Numbers in -1..1 that are the same on every run.
pub(super) struct Noise(u64);

impl Noise {
    pub fn new(seed: u64) -> Noise {
        Noise(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

/// A box of nx x ny x nz nodes, each cell cut into the six tetrahedra of Kuhn.
pub(super) fn grid(nx: usize, ny: usize, nz: usize) -> Arc<Pattern> {
    let node = |x: usize, y: usize, z: usize| ((x * ny + y) * nz + z) as u32;
    let mut tets: Vec<[u32; 4]> = Vec::new();
    for (x, y, z) in cells(nx, ny, nz) {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut at = [x, y, z];
            let mut tet = [node(x, y, z); 4];
            for k in 0..3 {
                at[order[k]] += 1;
                tet[k + 1] = node(at[0], at[1], at[2]);
            }
            tets.push(tet);
        }
    }
    Arc::new(Pattern::from_cliques(nx * ny * nz, tets.iter().map(|t| t.as_slice())))
}

fn cells(nx: usize, ny: usize, nz: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..nx - 1).flat_map(move |x| (0..ny - 1).flat_map(move |y| (0..nz - 1).map(move |z| (x, y, z))))
}

/// Springs along the edges of a pattern, plus `mass`: each edge adds k k^T to its nodes, so A >= mass.
pub(super) fn springs(pattern: &Arc<Pattern>, mass: f64, seed: u64) -> BlockMatrix {
    let mut noise = Noise::new(seed);
    let mut a = BlockMatrix::zeros(pattern.clone());
    for i in 0..pattern.rows() {
        for (j, slot) in pattern.lower(i) {
            let k = [noise.next(), noise.next(), noise.next()];
            let block: Mat3 = std::array::from_fn(|r| std::array::from_fn(|c| k[r] * k[c] + f64::from(r == c) * 0.1));
            for r in 0..3 {
                for c in 0..3 {
                    if i == j {
                        a.values[slot][r][c] += mass * f64::from(r == c);
                    } else {
                        a.values[slot][r][c] -= block[r][c];
                        a.values[pattern.diagonal(i)][r][c] += block[r][c];
                        a.values[pattern.diagonal(j)][r][c] += block[r][c];
                    }
                }
            }
        }
    }
    a
}

/// |b - A x| / |b|
pub(super) fn residual(a: &BlockMatrix, x: &[f64], b: &[f64]) -> f64 {
    let mut r = vec![0.0; b.len()];
    a.multiply(x, &mut r);
    let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|x| x * x).sum::<f64>().sqrt();
    norm(&mut r.iter().zip(b).map(|(r, b)| r - b)) / norm(&mut b.iter().copied())
}

#[test]
fn cholesky_solves_springs() {
    for (nx, ny, nz) in [(2, 2, 2), (5, 4, 6), (40, 3, 3)] {
        let pattern = grid(nx, ny, nz);
        let a = springs(&pattern, 0.01, 7);
        let mut solver = Cholesky::new(&pattern).unwrap();
        assert_eq!(solver.prepare(&a), Ok(Definiteness::Positive));
        let b = Noise::new(3).vector(a.dim());
        let mut x = b.clone();
        solver.solve(&a, &mut x, 1).unwrap();
        assert!(residual(&a, &x, &b) < 1e-12, "{}", residual(&a, &x, &b));
    }
}
