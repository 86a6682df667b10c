//! How much of a growing file has been written, and what.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The FNV-1a checksum of 64 bits: a change of any single byte changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Checksum(pub u64);

impl Checksum {
    /// Of nothing.
    pub const EMPTY: Checksum = Checksum(0xcbf2_9ce4_8422_2325);

    /// Of what was before and these bytes.
    pub fn with(self, bytes: &[u8]) -> Checksum {
        Checksum(bytes.iter().fold(self.0, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)))
    }
}

/// The beginning of a file that a checkpoint counts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    /// Its length [bytes].
    pub length: u64,
    /// Its checksum.
    pub checksum: Checksum,
}

impl Mark {
    /// Of an empty file.
    pub const EMPTY: Mark = Mark { length: 0, checksum: Checksum::EMPTY };

    /// Goes on over bytes that were written.
    pub fn advance(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.checksum = self.checksum.with(bytes);
    }

    /// Whether a file begins as it did when it was marked.
    pub fn holds(&self, path: &Path) -> io::Result<bool> {
        let mut file = File::open(path)?.take(self.length);
        let (mut found, mut bytes) = (Mark::EMPTY, vec![0; 1 << 16]);
        loop {
            match file.read(&mut bytes) {
                Ok(0) => return Ok(found == *self),
                Ok(count) => found.advance(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
