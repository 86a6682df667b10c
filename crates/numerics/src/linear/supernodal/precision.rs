//! The precision a factor is held in.

/// `f32` or `f64`.
pub trait Precision: faer::traits::RealField + Copy + Send + Sync + 'static {
    /// Distance from 1 to the next larger number.
    const EPSILON: f64;
    /// Rounds to this precision.
    fn of(value: f64) -> Self;
    /// The same number in double precision.
    fn to_f64(self) -> f64;
}

impl Precision for f32 {
    const EPSILON: f64 = f32::EPSILON as f64;
    #[inline(always)]
    fn of(value: f64) -> f32 {
        value as f32
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Precision for f64 {
    const EPSILON: f64 = f64::EPSILON;
    #[inline(always)]
    fn of(value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
}
