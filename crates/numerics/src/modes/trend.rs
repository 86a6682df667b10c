//! Motion of modes from step to step, which predicts where they are next, and what a pass gains.
//!
//! A body that deforms smoothly changes its modes smoothly. With O the vectors of the last step, turned with the body, and X
//! the new ones, the change is D = X - O O^T M X: what rotations within the carried space cannot explain. The next search
//! begins with X + s D, turned. Each vector has its own share s, which is what the last change explained of the new one:
//! 1 in a steady motion, 0 where changes are noise.

use super::Pencil;
use super::tall::{block, combine, gram, scratch_size};
use rayon::prelude::*;

/// Factor by which a pass reduces angles, while none was measured.
const GAIN: f64 = 3.0;

#[derive(Debug, Clone)]
pub(super) struct Trend {
    /// Factor by which a pass reduced angles, and the searches with a pass since it was measured.
    pub gain: f64,
    pub age: u64,
    /// D, and the share of each vector.
    change: Vec<f64>,
    shares: Vec<f64>,
    /// Stored vectors and their changes, turned to the current pose: scratch of the search.
    turned: Vec<f64>,
    turned_change: Vec<f64>,
    scratch: Vec<f64>,
    sums: Vec<f64>,
}

impl Default for Trend {
    fn default() -> Trend {
        let [change, shares, turned, turned_change, scratch, sums] = [(); 6].map(|()| Vec::new());
        Trend { gain: GAIN, age: u64::MAX, change, shares, turned, turned_change, scratch, sums }
    }
}

impl Trend {
    /// Allocates for so many vectors of `n` numbers, so that no later search allocates.
    pub fn reserve(&mut self, columns: usize, n: usize) {
        let Trend { change, shares, turned, turned_change, scratch, sums, .. } = self;
        for vectors in [change, turned, turned_change, scratch] {
            vectors.reserve((columns * n).saturating_sub(vectors.len()));
        }
        shares.reserve(columns.saturating_sub(shares.len()));
        sums.reserve(scratch_size(n, columns, columns).saturating_sub(sums.len()));
    }

    /// Writes the vectors `old`, of `n` numbers each, as they are expected now. `turn` rotates vectors to the current pose.
    pub fn predict(&mut self, old: &[f64], n: usize, turn: &mut dyn FnMut(&mut [f64], usize), v: &mut [f64]) {
        let Trend { change, shares, turned, turned_change, .. } = self;
        let columns = old.len() / n.max(1);
        turned.clear();
        turned.extend_from_slice(old);
        turned_change.clear();
        if change.len() < old.len() || shares.is_empty() {
            turn(turned, columns);
            v.copy_from_slice(turned);
            return;
        }
        turned_change.extend_from_slice(&change[..old.len()]);
        turn(turned, columns);
        turn(turned_change, columns);
        for (k, share) in shares.iter().enumerate().take(columns) {
            let column = k * n..(k + 1) * n;
            let both = turned[column.clone()].iter().zip(&turned_change[column.clone()]);
            v[column].iter_mut().zip(both).for_each(|(v, (x, d))| *v = x + share * d);
        }
    }

    /// Becomes the trend after a search that began from `from` and found the vectors `now`.
    pub fn follow(&mut self, from: &Trend, now: &[f64], pencil: &dyn Pencil) {
        let n = pencil.dim().max(1);
        let (old, columns) = (from.turned.len() / n, now.len().min(from.turned.len()) / n);
        self.change.clear();
        self.shares.clear();
        if columns == 0 {
            return;
        }
        let Trend { change, shares, scratch, sums, .. } = self;
        let now = &now[..columns * n];
        scratch.resize(columns * n, 0.0);
        pencil.mass_times(now, scratch, columns);
        let inside = gram(block(&from.turned, n, old), block(scratch, n, columns), sums);
        change.resize(columns * n, 0.0);
        combine(change, columns, &[(block(&from.turned, n, old), inside.as_ref())]);
        change.iter_mut().zip(now).for_each(|(d, x)| *d = x - *d);
        shares.resize(columns, 1.0);
        if from.turned_change.len() < old * n {
            return;
        }
        let expected = &mut scratch[..columns * n];
        combine(expected, columns, &[(block(&from.turned_change, n, old), inside.as_ref())]);
        let mass = pencil.lumped_mass();
        let pairs = change.par_chunks_exact(n).zip(expected.par_chunks_exact(n));
        pairs.zip(shares).for_each(|((d, e), share)| {
            let inner = |a: &[f64], b: &[f64]| -> f64 {
                let nodes = a.as_chunks::<3>().0.iter().zip(b.as_chunks::<3>().0).zip(mass);
                nodes.map(|((a, b), m)| m * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2])).sum()
            };
            let size = inner(e, e);
            *share = if size > 0.0 { (inner(d, e) / size).clamp(0.0, 1.0) } else { 0.0 };
        });
    }

    /// Begins anew, with the same memory.
    pub fn forget(&mut self) {
        (self.gain, self.age) = (GAIN, u64::MAX);
        [&mut self.change, &mut self.shares, &mut self.turned, &mut self.turned_change]
            .into_iter()
            .for_each(Vec::clear);
    }

    /// Returns gain, age, the number of vectors, their shares and changes.
    pub fn memory(&self) -> Vec<f64> {
        let age = self.age.min(1 << 53) as f64;
        let head = [self.gain, age, self.shares.len() as f64];
        head.into_iter().chain(self.shares.iter().copied()).chain(self.change.iter().copied()).collect()
    }

    /// Restores the result of `memory` for vectors of `n` numbers; false if the numbers are impossible.
    pub fn recall(&mut self, memory: &[f64], n: usize) -> bool {
        self.forget();
        let [gain, age, count, rest @ ..] = memory else { return memory.is_empty() };
        let is_count = |x: f64| (0.0..=(1_u64 << 53) as f64).contains(&x) && x.fract() == 0.0;
        if !(*gain >= 1.0 && gain.is_finite() && is_count(*age) && is_count(*count)) {
            return false;
        }
        let count = *count as usize;
        if rest.len() != count.saturating_mul(n + 1) {
            return false;
        }
        (self.gain, self.age) = (*gain, *age as u64);
        (self.shares, self.change) = (rest[..count].to_vec(), rest[count..].to_vec());
        true
    }
}
