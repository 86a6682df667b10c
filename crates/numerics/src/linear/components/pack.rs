//! Eight components of one shape, factorised and solved side by side: one lane each.
//!
//! Every operation acts on each lane by itself. So the bits of a component do not depend on its neighbours in the pack,
//! and threads share whole packs.

use super::shape::Shape;
use crate::linear::supernodal::NOISE;
use crate::mat3::Mat3;
use crate::real::{Lanes, Real};

/// A block of L left of the diagonal, by rows.
pub(super) type Block = [[Lanes; 3]; 3];
/// A diagonal block: L_10, L_20, L_21, and the inverses of the three pivots.
pub(super) type Triangle = [Lanes; 6];
/// Slots of a block of the matrix in the eight components, doubled; odd where the slot holds the transposed block.
pub(super) type Sources = [u32; Lanes::LANES];

/// Blocks of the matrices of a pack.
pub(super) trait Source {
    /// Returns block `b` of the factor's lower triangle; zero where it is fill.
    fn left(&mut self, b: usize) -> Block;
    /// Returns the block on the diagonal of row `i`.
    fn diagonal(&mut self, i: usize) -> Block;
}

/// Blocks of a matrix in main memory, at the slots of the shape's pattern.
pub(super) struct Gathered<'a> {
    pub shape: &'a Shape,
    pub values: &'a [Mat3],
    pub sources: &'a [Sources],
    /// No longer zero if a number is not finite.
    pub bad: Lanes,
}

impl Source for Gathered<'_> {
    #[inline(always)]
    fn left(&mut self, b: usize) -> Block {
        let zero = [[Lanes::splat(0.0); 3]; 3];
        self.shape.slot[b].map_or(zero, |slot| load(self.values, &self.sources[slot as usize], &mut self.bad))
    }

    #[inline(always)]
    fn diagonal(&mut self, i: usize) -> Block {
        load(self.values, &self.sources[self.shape.pattern.diagonal(i)], &mut self.bad)
    }
}

impl Gathered<'_> {
    /// Returns true if a number was not finite.
    pub fn is_bad(&self) -> bool {
        (0..Lanes::LANES).any(|lane| self.bad.lane(lane) != 0.0)
    }
}

/// Factorises the matrices of a pack. Returns the bit of each lane with a pivot that is not positive, or lost in rounding.
#[inline(always)]
pub(super) fn factorise(
    shape: &Shape,
    source: &mut impl Source,
    blocks: &mut [Block],
    triangles: &mut [Triangle],
) -> u8 {
    let zero = Lanes::splat(0.0);
    let mut doubtful = 0;
    for i in 0..shape.rows() {
        for b in shape.row(i) {
            let mut c = source.left(b);
            for &[p, q] in shape.products(b) {
                subtract(&mut c, &blocks[p as usize], &blocks[q as usize]);
            }
            let [l10, l20, l21, ..] = triangles[shape.column[b] as usize];
            for c in &mut c {
                c[1] = l10.mul_neg_add(c[0], c[1]);
                c[2] = l21.mul_neg_add(c[1], l20.mul_neg_add(c[0], c[2]));
            }
            blocks[b] = c;
        }
        // The row of U becomes that of L; both give the diagonal.
        let mut s = source.diagonal(i);
        let noise = [s[0][0], s[1][1], s[2][2]].map(|d| d * Lanes::splat(NOISE * f64::EPSILON));
        for b in shape.row(i) {
            let [.., d0, d1, d2] = triangles[shape.column[b] as usize];
            let u = blocks[b];
            let l = u.map(|u| [u[0] * d0, u[1] * d1, u[2] * d2]);
            for r in 0..3 {
                for c in 0..=r {
                    (0..3).for_each(|k| s[r][c] = u[r][k].mul_neg_add(l[c][k], s[r][c]));
                }
            }
            blocks[b] = l;
        }
        let one = Lanes::splat(1.0);
        let d0 = one / s[0][0];
        let (l10, l20) = (s[1][0] * d0, s[2][0] * d0);
        let p1 = l10.mul_neg_add(s[1][0], s[1][1]);
        let d1 = one / p1;
        let u21 = l20.mul_neg_add(s[1][0], s[2][1]);
        let l21 = u21 * d1;
        let p2 = l21.mul_neg_add(u21, l20.mul_neg_add(s[2][0], s[2][2]));
        triangles[i] = [l10, l20, l21, d0, d1, one / p2];
        for (pivot, noise) in [s[0][0], p1, p2].into_iter().zip(noise) {
            doubtful |= !larger(pivot, noise.at_least(zero));
        }
    }
    doubtful
}

/// Solves C right-hand sides: `x` holds those of the rows of the shape, column by column within a row.
pub(super) fn solve<const C: usize>(
    shape: &Shape,
    blocks: &[Block],
    triangles: &[Triangle],
    x: &mut [[[Lanes; 3]; C]],
) {
    for i in 0..shape.rows() {
        let mut own = x[i];
        for b in shape.row(i) {
            let (l, other) = (&blocks[b], &x[shape.column[b] as usize]);
            for (own, other) in own.iter_mut().zip(other) {
                for r in 0..3 {
                    (0..3).for_each(|k| own[r] = l[r][k].mul_neg_add(other[k], own[r]));
                }
            }
        }
        let [l10, l20, l21, ..] = triangles[i];
        for x in &mut own {
            x[1] = l10.mul_neg_add(x[0], x[1]);
            x[2] = l21.mul_neg_add(x[1], l20.mul_neg_add(x[0], x[2]));
        }
        x[i] = own;
    }
    for (x, [.., d0, d1, d2]) in x.iter_mut().zip(triangles) {
        x.iter_mut().for_each(|x| *x = [x[0] * *d0, x[1] * *d1, x[2] * *d2]);
    }
    for i in (0..shape.rows()).rev() {
        let [l10, l20, l21, ..] = triangles[i];
        let mut own = x[i];
        for x in &mut own {
            x[1] = l21.mul_neg_add(x[2], x[1]);
            x[0] = l10.mul_neg_add(x[1], l20.mul_neg_add(x[2], x[0]));
        }
        x[i] = own;
        for b in shape.row(i) {
            let (l, others) = (&blocks[b], &mut x[shape.column[b] as usize]);
            for (other, own) in others.iter_mut().zip(&own) {
                for k in 0..3 {
                    (0..3).for_each(|r| other[k] = l[r][k].mul_neg_add(own[r], other[k]));
                }
            }
        }
    }
}

/// C -= U L^T.
#[inline(always)]
fn subtract(c: &mut Block, u: &Block, l: &Block) {
    for k in 0..3 {
        for r in 0..3 {
            (0..3).for_each(|s| c[r][s] = u[r][k].mul_neg_add(l[s][k], c[r][s]));
        }
    }
}

/// Loads one block of each component; `bad` is no longer zero if a number is not finite.
#[inline(always)]
fn load(values: &[Mat3], sources: &Sources, bad: &mut Lanes) -> Block {
    let blocks: [&Mat3; Lanes::LANES] = std::array::from_fn(|lane| &values[sources[lane] as usize / 2]);
    let is_odd = |lane: usize| sources[lane] % 2 == 1;
    let odd = (0..Lanes::LANES).filter(|&lane| is_odd(lane)).count();
    // Components of one shape are mostly numbered alike: all blocks are transposed, or none.
    let loaded: Block = if odd == 0 {
        std::array::from_fn(|r| std::array::from_fn(|c| Lanes::from_fn(|lane| blocks[lane][r][c])))
    } else if odd == Lanes::LANES {
        std::array::from_fn(|r| std::array::from_fn(|c| Lanes::from_fn(|lane| blocks[lane][c][r])))
    } else {
        let entry =
            |lane: usize, r: usize, c: usize| if is_odd(lane) { blocks[lane][c][r] } else { blocks[lane][r][c] };
        std::array::from_fn(|r| std::array::from_fn(|c| Lanes::from_fn(|lane| entry(lane, r, c))))
    };
    // 0 x is NaN if x is not finite and 0 otherwise.
    loaded.iter().flatten().for_each(|&x| *bad = x.mul_add(Lanes::splat(0.0), *bad));
    loaded
}

/// Returns the bits of the lanes in which `a` is larger than `b`.
#[inline(always)]
fn larger(a: Lanes, b: Lanes) -> u8 {
    (0..Lanes::LANES).fold(0, |bits, lane| bits | (u8::from(a.lane(lane) > b.lane(lane)) << lane))
}
