//! Checksums of files.
//!
//! XXH3 of 128 bits: it detects accidental changes, at the speed of memory, and needs one crate without dependencies.
//! It does not protect against deliberate forgery.

use xxhash_rust::xxh3::Xxh3Default;

/// A checksum that is updated as bytes arrive.
#[derive(Clone)]
pub(crate) struct Checksum(Xxh3Default);

impl Checksum {
    /// Returns the checksum of nothing.
    pub fn new() -> Checksum {
        Checksum(Xxh3Default::new())
    }

    /// Returns the checksum continued over these bytes.
    pub fn with(mut self, bytes: &[u8]) -> Checksum {
        self.update(bytes);
        self
    }

    /// Continues over these bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the checksum of all bytes so far.
    pub fn sum(&self) -> u128 {
        self.0.digest128()
    }
}
