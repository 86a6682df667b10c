//! A run that was interrupted goes on to the bits it would have had.

mod bad;
mod longer;
mod runs;
mod same_bits;
