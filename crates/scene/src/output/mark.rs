//! Marks: the length of the written part of a file, and its checksum.

use crate::disk::{Checksum, open_regular};
use std::fmt;
use std::io::{self, Read};
use std::path::Path;

/// Beginning of a file that a checkpoint depends on, or a whole file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    /// Length [bytes].
    pub length: u64,
    /// Checksum.
    pub checksum: u128,
}

impl Mark {
    /// Returns the mark of these bytes.
    pub fn of(bytes: &[u8]) -> Mark {
        let mut written = Written::default();
        written.advance(bytes);
        written.mark()
    }
}

/// Writes the mark of a whole file as lists of frames state it.
impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes, XXH3 {:032x}", self.length, self.checksum)
    }
}

/// Written part of a growing file.
#[derive(Clone)]
pub(super) struct Written {
    length: u64,
    checksum: Checksum,
}

impl Default for Written {
    fn default() -> Self {
        Written { length: 0, checksum: Checksum::new() }
    }
}

impl Written {
    /// Continues over bytes that were written.
    pub fn advance(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.checksum.update(bytes);
    }

    /// Returns the length so far [bytes].
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Returns the mark of the bytes so far.
    pub fn mark(&self) -> Mark {
        Mark { length: self.length, checksum: self.checksum.sum() }
    }

    /// Reads the first `length` bytes of a file, or all of them if it is shorter.
    pub fn read(path: &Path, length: u64) -> io::Result<Written> {
        let mut file = open_regular(path)?.take(length);
        let (mut found, mut bytes) = (Written::default(), vec![0; 1 << 18]);
        loop {
            match file.read(&mut bytes) {
                Ok(0) => return Ok(found),
                Ok(count) => found.advance(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
