//! Units in which numbers of one size are near one, without rounding.

/// The largest power of two that is not above a positive size.
pub(crate) fn unit_below(size: f64) -> f64 {
    // The exponent alone, without the digits.
    f64::from_bits(size.max(f64::MIN_POSITIVE).to_bits() & f64::INFINITY.to_bits())
}
