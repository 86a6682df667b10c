//! Boxes that move during a step.
//!
//! A box covers the straight motion between its current and its later position, so that features that move together
//! have boxes that stay apart, however far they go. In single precision, rounded outward, it is one register wide:
//!
//!   least x, y, z; least -x, -y, -z; both now and later
//!
//! The union is the least of each. Two boxes are separated along an axis if the least of one is above the greatest of
//! the other both now and later: since both move straight, also in between. The fourth number of each three holds
//! bodies in the same way.

use crate::Bounds;
use crate::tree::Volume;
use numerics::mat3::Vec3;

const NUMBERS: usize = 16;

/// A box that moves straight from one position to another within a step.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct Sweep([f32; NUMBERS]);

/// Returns the largest single-precision number not above x.
#[inline]
fn below(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) > x { near.next_down() } else { near }
}

impl Sweep {
    /// Makes the box of a moving point, enlarged by `fat` on every side [m]. Boxes of the same single `body` do not
    /// overlap; without it bodies do not matter.
    #[inline]
    pub fn of_point([now, then]: [Vec3; 2], fat: f64, body: Option<u32>) -> Sweep {
        let mut least = [0.0; NUMBERS];
        for k in 0..3 {
            for (first, x) in [(0, now[k]), (8, then[k])] {
                least[first + k] = below(x - fat);
                least[first + 4 + k] = below(-x - fat);
            }
        }
        // The range from 0 to 1 is never a single body.
        (least[3], least[7]) = body.map_or((0.0, -1.0), |body| (body as f32, -(body as f32)));
        Sweep(least)
    }
}

impl Volume for Sweep {
    const EMPTY: Sweep = Sweep([f32::INFINITY; NUMBERS]);

    #[inline(always)]
    fn union(&self, other: &Sweep) -> Sweep {
        let mut least = [0.0; NUMBERS];
        for k in 0..NUMBERS {
            // One instruction, unlike `min`, which handles NaN.
            least[k] = if other.0[k] < self.0[k] { other.0[k] } else { self.0[k] };
        }
        Sweep(least)
    }

    #[inline(always)]
    fn overlaps(&self, other: &Sweep) -> bool {
        let (meet, same) = compare(&self.0, &other.0);
        // Along each axis, in both directions, now or later; and not of one body alone.
        ((meet | meet >> 8) & 0x77 == 0x77) & (same & 0x88 != 0x88)
    }

    fn middle(&self) -> Vec3 {
        std::array::from_fn(|k| 0.5 * (f64::from(self.0[k]) - f64::from(self.0[4 + k])))
    }
}

impl Sweep {
    /// Returns true if the two overlap, whatever their bodies.
    #[inline(always)]
    pub fn meets(&self, other: &Sweep) -> bool {
        let (meet, _) = compare(&self.0, &other.0);
        (meet | meet >> 8) & 0x77 == 0x77
    }

    /// Returns the box now and later [m].
    pub fn ends(&self) -> [Bounds; 2] {
        [0, 8].map(|first| Bounds {
            low: std::array::from_fn(|k| f64::from(self.0[first + k])),
            high: std::array::from_fn(|k| -f64::from(self.0[first + 4 + k])),
        })
    }
}

/// Compares number by number, as bits: a's least is not above b's greatest, and both are equal.
#[inline(always)]
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
fn compare(a: &[f32; NUMBERS], b: &[f32; NUMBERS]) -> (u32, u32) {
    let (mut meet, mut same) = (0, 0);
    for k in 0..NUMBERS {
        // The sign of a rounded sum is that of the sum.
        let sum = a[k] + b[k ^ 4];
        meet |= u32::from(sum <= 0.0) << k;
        same |= u32::from(sum == 0.0) << k;
    }
    (meet, same)
}

/// The same in one register.
#[inline(always)]
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
fn compare(a: &[f32; NUMBERS], b: &[f32; NUMBERS]) -> (u32, u32) {
    use std::arch::x86_64::*;
    // SAFETY: the condition ensures the instructions; both arrays are as long as a register.
    unsafe {
        let (a, b) = (_mm512_loadu_ps(a.as_ptr()), _mm512_loadu_ps(b.as_ptr()));
        let sum = _mm512_add_ps(a, _mm512_shuffle_f32x4::<0b10_11_00_01>(b, b));
        let zero = _mm512_setzero_ps();
        let meet = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(sum, zero);
        let same = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(sum, zero);
        (u32::from(meet), u32::from(same))
    }
}
