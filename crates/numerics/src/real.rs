//! Number type of element kernels: one `f64`, or several elements side by side.
//!
//! Element formulas are written once, generic over [`Real`]. Instantiated with `f64` they serve
//! tests and single elements; instantiated with [`Lanes`] each operation works on
//! [`Lanes::LANES`] elements. Branches become [`Real::select`].

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// Several elements side by side.
pub type Lanes = wide::f64x8;

/// Operations of element kernels on numbers.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + Send
    + Sync
    + 'static
{
    /// Number of elements in one value.
    const LANES: usize;
    /// Puts the same number into every lane.
    fn splat(value: f64) -> Self;
    /// Makes one value per lane, from a function of the lane's index.
    fn from_fn(f: impl FnMut(usize) -> f64) -> Self;
    /// Returns the number in one lane.
    fn lane(self, lane: usize) -> f64;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Sine and cosine of an angle [rad].
    fn sin_cos(self) -> (Self, Self);
    /// Natural logarithm; not a number for negative arguments, as for `f64`.
    fn ln(self) -> Self;
    /// Exponential.
    fn exp(self) -> Self;
    /// Real cube root, negative for negative arguments.
    fn cbrt(self) -> Self;
    /// `self * a + b`.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// `yes` in the lanes where `self > bound`, `no` elsewhere.
    fn select_gt(self, bound: Self, yes: Self, no: Self) -> Self;
    /// Returns the larger of both.
    fn max(self, other: Self) -> Self;
    /// Returns the larger of both; unlike `max` it keeps a NaN in `self`.
    #[inline(always)]
    fn at_least(self, floor: Self) -> Self {
        floor.select_gt(self, floor, self)
    }
}

impl Real for f64 {
    const LANES: usize = 1;
    #[inline(always)]
    fn splat(value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn from_fn(mut f: impl FnMut(usize) -> f64) -> f64 {
        f(0)
    }
    #[inline(always)]
    fn lane(self, _: usize) -> f64 {
        self
    }
    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn sin_cos(self) -> (f64, f64) {
        f64::sin_cos(self)
    }
    #[inline(always)]
    fn ln(self) -> f64 {
        f64::ln(self)
    }
    #[inline(always)]
    fn exp(self) -> f64 {
        f64::exp(self)
    }
    #[inline(always)]
    fn cbrt(self) -> f64 {
        f64::cbrt(self)
    }
    #[inline(always)]
    fn mul_add(self, a: f64, b: f64) -> f64 {
        f64::mul_add(self, a, b)
    }
    #[inline(always)]
    fn select_gt(self, bound: f64, yes: f64, no: f64) -> f64 {
        if self > bound { yes } else { no }
    }
    #[inline(always)]
    fn max(self, other: f64) -> f64 {
        f64::max(self, other)
    }
}

impl Real for Lanes {
    const LANES: usize = 8;
    #[inline(always)]
    fn splat(value: f64) -> Lanes {
        Lanes::splat(value)
    }
    #[inline(always)]
    fn from_fn(f: impl FnMut(usize) -> f64) -> Lanes {
        Lanes::new(std::array::from_fn(f))
    }
    #[inline(always)]
    fn lane(self, lane: usize) -> f64 {
        self.as_array()[lane]
    }
    #[inline(always)]
    fn sqrt(self) -> Lanes {
        Lanes::sqrt(self)
    }
    #[inline(always)]
    fn sin_cos(self) -> (Lanes, Lanes) {
        Lanes::sin_cos(self)
    }
    #[inline(always)]
    fn ln(self) -> Lanes {
        Lanes::ln(self)
    }
    #[inline(always)]
    fn exp(self) -> Lanes {
        Lanes::exp(self)
    }
    #[inline(always)]
    fn cbrt(self) -> Lanes {
        // The library has none in lanes: one after the other.
        Lanes::from_fn(|lane| f64::cbrt(self.lane(lane)))
    }
    #[inline(always)]
    fn mul_add(self, a: Lanes, b: Lanes) -> Lanes {
        Lanes::mul_add(self, a, b)
    }
    #[inline(always)]
    fn select_gt(self, bound: Lanes, yes: Lanes, no: Lanes) -> Lanes {
        self.simd_gt(bound).select(yes, no)
    }
    #[inline(always)]
    fn max(self, other: Lanes) -> Lanes {
        Lanes::max(self, other)
    }
}
