//! A reader of binary files, number by number, in either byte order.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::care::{Care, Doubt};
use crate::error::{Fault, FormatError, Position};
use crate::rows::Source;

/// Least rows per thread at a time.
const LEAST_ROWS: usize = 4096;

/// Bytes and a position in them.
#[derive(Clone)]
pub(crate) struct Binary<'a> {
    pub format: &'static str,
    pub bytes: &'a [u8],
    /// Position of the next byte.
    pub at: usize,
    /// True if the high byte of a number comes first.
    pub big_endian: bool,
    /// Handling of errors.
    pub care: Care<'a>,
}

impl<'a> Binary<'a> {
    pub fn new(format: &'static str, bytes: &'a [u8], at: usize) -> Binary<'a> {
        Binary { format, bytes, at, big_endian: false, care: Care::STRICT }
    }

    /// Returns the number of bytes left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Makes an error at this position.
    pub fn error(&self, fault: Fault) -> FormatError {
        FormatError { format: self.format, position: Position::Byte(self.at), fault }
    }

    /// Takes the next bytes.
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

    /// Checks a count of things that take at least `least` bytes each of the rest; lenient readers take those that
    /// exist.
    pub fn count(&self, count: u64, things: &str, least: usize) -> Result<usize, FormatError> {
        let limit = (self.left() / least.max(1)) as u64;
        if count > limit && self.care.is_lenient() {
            self.care.doubt(Doubt::Count { things: things.to_string(), announced: count, found: limit });
            return Ok(limit as usize);
        }
        if count > limit {
            return Err(self.error(Fault::TooMany { what: things.to_string(), count, limit }));
        }
        Ok(count as usize)
    }

    /// Makes a row of a table of this file.
    pub fn row<'b>(&self, bytes: &'b [u8]) -> Row<'b> {
        let at = (bytes.as_ptr() as usize).wrapping_sub(self.bytes.as_ptr() as usize);
        Row { format: self.format, bytes, at, big_endian: self.big_endian, lenient: self.care.is_lenient() }
    }

    /// Converts the rows of a table in parallel, each of `stride` bytes. Returns the error of the first that cannot be
    /// converted; until it is found, `blank` replaces it.
    pub fn rows<'b, T: Copy + Send + Sync>(
        &self,
        table: &'b [u8],
        stride: usize,
        blank: T,
        convert: impl Fn(Row) -> Option<T> + Sync,
    ) -> Result<Vec<T>, (usize, Row<'b>)> {
        let sound = AtomicBool::new(true);
        let one = |bytes| {
            convert(self.row(bytes)).unwrap_or_else(|| {
                sound.store(false, Ordering::Relaxed);
                blank
            })
        };
        let rows = if table.len() / stride > LEAST_ROWS {
            table.par_chunks_exact(stride).with_min_len(LEAST_ROWS).map(one).collect()
        } else {
            table.chunks_exact(stride).map(one).collect()
        };
        let wrong = || table.chunks_exact(stride).map(|bytes| self.row(bytes)).enumerate();
        match sound.into_inner() {
            true => Ok(rows),
            false => wrong().find(|(_, row)| convert(row.clone()).is_none()).map_or(Ok(rows), Err),
        }
    }
}

/// A row of a table: numbers at given bytes.
#[derive(Clone)]
pub(crate) struct Row<'a> {
    format: &'static str,
    bytes: &'a [u8],
    at: usize,
    big_endian: bool,
    lenient: bool,
}

impl Row<'_> {
    #[inline]
    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.bytes[at..at + N]);
        if self.big_endian {
            bytes.reverse();
        }
        bytes
    }

    #[inline]
    pub fn i32(&self, at: usize) -> i32 {
        i32::from_le_bytes(self.array(at))
    }

    #[inline]
    pub fn i64(&self, at: usize) -> i64 {
        i64::from_le_bytes(self.array(at))
    }

    #[inline]
    pub fn f32(&self, at: usize) -> f32 {
        f32::from_le_bytes(self.array(at))
    }

    #[inline]
    pub fn f64(&self, at: usize) -> f64 {
        f64::from_le_bytes(self.array(at))
    }

    /// Returns an integer of `size` bytes, 4 or 8.
    #[inline]
    pub fn integer(&self, at: usize, size: usize) -> i64 {
        if size == 8 { self.i64(at) } else { i64::from(self.i32(at)) }
    }

    /// Returns three coordinates in double precision, if they are finite; lenient readers take any.
    #[inline]
    pub fn point(&self, at: usize) -> Option<[f64; 3]> {
        let point = [self.f64(at), self.f64(at + 8), self.f64(at + 16)];
        (self.lenient || point.iter().all(|x| x.is_finite())).then_some(point)
    }

    /// Makes the error for a missing [`Row::point`].
    pub fn no_point(&self, at: usize, node: &str) -> FormatError {
        let axis = (0..3).find(|k| !self.f64(at + 8 * k).is_finite()).unwrap_or(0);
        let what = format!("the {} coordinate of {node}", ["x", "y", "z"][axis]);
        self.error(at + 8 * axis, Fault::NotFinite { what, value: self.f64(at + 8 * axis) })
    }

    /// Makes an error at a byte of the row.
    pub fn error(&self, at: usize, fault: Fault) -> FormatError {
        FormatError { format: self.format, position: Position::Byte(self.at + at), fault }
    }
}

/// Integers of 32 bits and doubles.
impl Source for Binary<'_> {
    type Error = FormatError;

    #[inline]
    fn integer(&mut self, what: impl Fn() -> String) -> Result<i64, FormatError> {
        if self.left() < 4 {
            return Err(self.error(Fault::Ended { what: what() }));
        }
        self.i32("").map(i64::from)
    }

    #[inline]
    fn real(&mut self, what: impl Fn() -> String) -> Result<f64, FormatError> {
        if self.left() < 8 {
            return Err(self.error(Fault::Ended { what: what() }));
        }
        self.f64("")
    }

    fn fault(&self, fault: impl FnOnce() -> Fault) -> FormatError {
        self.error(fault())
    }

    fn is_lenient(&self) -> bool {
        self.care.is_lenient()
    }
}
