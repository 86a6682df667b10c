//! A place in a binary file that moves on, number by number, in either byte order.

use crate::error::{Fault, FormatError, Place};

/// Bytes and a place in them.
#[derive(Clone)]
pub(crate) struct Binary<'a> {
    pub format: &'static str,
    pub bytes: &'a [u8],
    /// The next byte.
    pub at: usize,
    /// Whether the high byte of a number comes first.
    pub big_endian: bool,
}

impl<'a> Binary<'a> {
    pub fn new(format: &'static str, bytes: &'a [u8], at: usize) -> Binary<'a> {
        Binary { format, bytes, at, big_endian: false }
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// An error here.
    pub fn error(&self, fault: Fault) -> FormatError {
        FormatError { format: self.format, place: Place::Byte(self.at), fault }
    }

    /// The next bytes.
    pub fn take(&mut self, length: usize, what: &str) -> Result<&'a [u8], FormatError> {
        if length > self.left() {
            return Err(self.error(Fault::Ended { what: what.to_string() }));
        }
        let taken = &self.bytes[self.at..self.at + length];
        self.at += length;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], FormatError> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N, what)?);
        if self.big_endian {
            bytes.reverse();
        }
        Ok(bytes)
    }

    pub fn i32(&mut self, what: &str) -> Result<i32, FormatError> {
        Ok(i32::from_le_bytes(self.array(what)?))
    }

    pub fn u64(&mut self, what: &str) -> Result<u64, FormatError> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    pub fn f64(&mut self, what: &str) -> Result<f64, FormatError> {
        Ok(f64::from_le_bytes(self.array(what)?))
    }

    /// Checks a count of things that take at least `least` bytes each of what follows.
    pub fn count(&self, count: u64, things: &str, least: usize) -> Result<usize, FormatError> {
        let room = (self.left() / least.max(1)) as u64;
        if count > room {
            return Err(self.error(Fault::TooMany { what: things.to_string(), count, room }));
        }
        Ok(count as usize)
    }
}
