//! A run that was interrupted continues, bit-for-bit identical.

mod bad;
mod longer;
mod runs;
mod same_bits;
