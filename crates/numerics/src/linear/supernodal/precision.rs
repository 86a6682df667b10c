//! Precision of a factor, and its vectors.

use std::ops::{Add, Mul, Neg, Sub};
use wide::{f32x16, f64x8};

/// `f32` or `f64`.
pub trait Precision:
    faer::traits::RealField
    + Copy
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// Distance from 1 to the next larger number.
    const EPSILON: f64;
    /// Numbers in a vector register.
    const LANES: usize;
    /// [`Precision::LANES`] numbers in memory.
    type Chunk: Copy + Send + Sync + AsRef<[Self]> + AsMut<[Self]>;
    /// [`Precision::LANES`] numbers in a register.
    type Lanes: Copy + Send + Sync;
    /// Rounds to this precision.
    fn of(value: f64) -> Self;
    /// The same number in double precision.
    fn to_f64(self) -> f64;
    /// a b + c, rounded once.
    fn fused(a: Self, b: Self, c: Self) -> Self;
    /// Returns the slice in chunks; a remainder is left out.
    fn chunks(slice: &[Self]) -> &[Self::Chunk];
    /// The slice in chunks, to write to.
    fn chunks_mut(slice: &mut [Self]) -> &mut [Self::Chunk];
    /// Loads from memory.
    fn load(chunk: &Self::Chunk) -> Self::Lanes;
    /// Stores to memory.
    fn store(lanes: Self::Lanes) -> Self::Chunk;
    /// The same number in all lanes.
    fn splat(value: Self) -> Self::Lanes;
    /// a b + c in every lane, rounded once.
    fn fused_lanes(a: Self::Lanes, b: Self::Lanes, c: Self::Lanes) -> Self::Lanes;
    /// a + b in every lane.
    fn plus(a: Self::Lanes, b: Self::Lanes) -> Self::Lanes;
    /// a b in every lane.
    fn times(a: Self::Lanes, b: Self::Lanes) -> Self::Lanes;
    /// The numbers in the lanes.
    fn lanes(lanes: &Self::Lanes) -> &Self::Chunk;
    /// The numbers in the lanes, to write to.
    fn lanes_mut(lanes: &mut Self::Lanes) -> &mut Self::Chunk;
    /// The sum of all lanes, in a fixed order.
    fn sum(lanes: Self::Lanes) -> Self;
}

macro_rules! precision {
    ($scalar:ty, $vector:ty, $lanes:literal) => {
        impl Precision for $scalar {
            const EPSILON: f64 = <$scalar>::EPSILON as f64;
            const LANES: usize = $lanes;
            type Chunk = [$scalar; $lanes];
            type Lanes = $vector;
            #[inline(always)]
            fn of(value: f64) -> $scalar {
                value as $scalar
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn fused(a: $scalar, b: $scalar, c: $scalar) -> $scalar {
                a.mul_add(b, c)
            }
            #[inline(always)]
            fn chunks(slice: &[$scalar]) -> &[[$scalar; $lanes]] {
                slice.as_chunks().0
            }
            #[inline(always)]
            fn chunks_mut(slice: &mut [$scalar]) -> &mut [[$scalar; $lanes]] {
                slice.as_chunks_mut().0
            }
            #[inline(always)]
            fn load(chunk: &[$scalar; $lanes]) -> $vector {
                <$vector>::from(*chunk)
            }
            #[inline(always)]
            fn store(lanes: $vector) -> [$scalar; $lanes] {
                lanes.to_array()
            }
            #[inline(always)]
            fn splat(value: $scalar) -> $vector {
                <$vector>::splat(value)
            }
            #[inline(always)]
            fn fused_lanes(a: $vector, b: $vector, c: $vector) -> $vector {
                a.mul_add(b, c)
            }
            #[inline(always)]
            fn plus(a: $vector, b: $vector) -> $vector {
                a + b
            }
            #[inline(always)]
            fn times(a: $vector, b: $vector) -> $vector {
                a * b
            }
            #[inline(always)]
            fn lanes(lanes: &$vector) -> &[$scalar; $lanes] {
                lanes.as_array()
            }
            #[inline(always)]
            fn lanes_mut(lanes: &mut $vector) -> &mut [$scalar; $lanes] {
                lanes.as_mut_array()
            }
            #[inline(always)]
            fn sum(lanes: $vector) -> $scalar {
                lanes.reduce_add()
            }
        }
    };
}

precision!(f32, f32x16, 16);
precision!(f64, f64x8, 8);
