//! Checksums of files.
//!
//! XXH3 of 128 bits: it tells files apart that differ by accident, at the speed of memory, and needs one crate without
//! dependencies. It is no protection against somebody who forges files on purpose.

use xxhash_rust::xxh3::Xxh3Default;

/// A checksum that goes on as bytes come.
#[derive(Clone)]
pub(crate) struct Checksum(Xxh3Default);

impl Checksum {
    /// Of nothing.
    pub fn new() -> Checksum {
        Checksum(Xxh3Default::new())
    }

    /// Of what was before and these bytes.
    pub fn with(mut self, bytes: &[u8]) -> Checksum {
        self.update(bytes);
        self
    }

    /// Goes on over these bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Of all so far.
    pub fn sum(&self) -> u128 {
        self.0.digest128()
    }
}
