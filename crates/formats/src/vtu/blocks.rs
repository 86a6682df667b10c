//! Compressed arrays: blocks of one size, each a separate zlib stream.

use libdeflater::{Decompressor, adler32};
use rayon::prelude::*;

use super::array::Trouble;
use super::stream::Stream;
use crate::scalar::{Refused, Scalar, Wanted, first};

/// Largest compression of deflate: 258 bytes in 2 bits.
const DEFLATE_LIMIT: usize = 1032;
/// Bytes of the shortest zlib stream: a head of two, one of data and a checksum of four.
const SHORTEST: usize = 7;
/// Largest block that is generated for comparison; writers make blocks of 32 KiB.
const LARGEST: usize = 1 << 20;

/// Positions of the blocks of an array.
pub(super) struct Blocks<'s> {
    data: Stream<'s>,
    /// Bytes of a block, and of the last.
    block: usize,
    last: usize,
    /// Bytes of each in the file, and where they end.
    packed: Vec<usize>,
    ends: Vec<usize>,
}

impl<'s> Blocks<'s> {
    /// Makes blocks of `block` bytes, the last of `last` unless that is zero; an error names an impossible one, for
    /// numbers of a size.
    pub fn new(
        data: Stream<'s>,
        [block, last]: [usize; 2],
        packed: Vec<usize>,
        size: usize,
    ) -> Result<Blocks<'s>, Trouble> {
        let last = if last > 0 { last } else { block };
        let ends = packed.iter().scan(0usize, |end, &packed| {
            *end = end.saturating_add(packed);
            Some(*end)
        });
        let blocks = Blocks { block, last, ends: ends.collect(), packed, data };
        // The last of several blocks may be shorter, never longer.
        let wrong = |&i: &usize| {
            let length = blocks.length(i);
            length > blocks.packed[i].saturating_mul(DEFLATE_LIMIT) || length > block || !block.is_multiple_of(size)
        };
        (0..blocks.packed.len()).find(wrong).map_or(Ok(()), |i| Err(Trouble::Block(i)))?;
        Ok(blocks)
    }

    /// Returns the bytes of a block.
    fn length(&self, i: usize) -> usize {
        if i + 1 == self.packed.len() { self.last } else { self.block }
    }

    /// Returns the bytes of all blocks in the file, and the largest possible number.
    pub fn packed(&self) -> (usize, usize) {
        (self.ends.last().copied().unwrap_or(0), self.data.most())
    }

    /// Returns the bytes of all blocks.
    pub fn total(&self) -> usize {
        self.packed.len().saturating_sub(1).saturating_mul(self.block).saturating_add(self.last)
    }

    /// Decompresses all blocks; `to` has their size.
    pub fn inflate<T: Wanted>(&self, scalar: Scalar, big_endian: bool, to: &mut [T]) -> Result<(), Trouble> {
        let numbers = (self.block / scalar.size()).max(1);
        let parts = to.par_chunks_mut(numbers).enumerate();
        first(parts.map_init(
            || (Decompressor::new(), Vec::new(), Vec::new()),
            |(inflate, scratch, plain), (i, to)| {
                let bytes =
                    self.data.bytes(self.ends[i] - self.packed[i], self.ends[i], scratch).map_err(Trouble::Stream)?;
                plain.resize(self.length(i), 0);
                match inflate.zlib_decompress(bytes, plain) {
                    Ok(length) if length == plain.len() => {}
                    _ => return Err(Trouble::Block(i)),
                }
                let shift = |refused: Refused| Refused { index: i * numbers + refused.index, ..refused };
                scalar.convert(plain, big_endian, to).map_err(|refused| Trouble::Number(shift(refused)))
            },
        ))
    }

    /// Returns true if the checksum of every block is that of the expected whole numbers, where number i is
    /// `expected(i)`: then the content is known, and need not be decompressed.
    ///
    /// Adler-32 detects accidental damage, and is no proof against crafted files: other bytes of the same sum are
    /// easily made, and are taken for the expected ones. Both the types and the offsets of the cells must collide for
    /// that, and the result is another mesh with indices in range, as any file can contain.
    pub fn hold(&self, scalar: Scalar, big_endian: bool, expected: impl Fn(u64) -> u64 + Sync) -> bool {
        let put = match scalar {
            Scalar::I8 | Scalar::U8 => put::<1, _>,
            Scalar::I32 | Scalar::U32 => put::<4, _>,
            Scalar::I64 | Scalar::U64 => put::<8, _>,
            _ => return false,
        };
        let is_as_expected = |plain: &mut Vec<u8>, i: usize| {
            let ([mut head, mut tail], end) = ([const { Vec::new() }; 2], self.ends[i]);
            let start = end - self.packed[i];
            let head = self.data.bytes(start, start + 2, &mut head);
            let tail = self.data.bytes(end.saturating_sub(4), end, &mut tail);
            let (Ok(&[method, flags]), Ok(&[a, b, c, d])) = (head, tail) else { return false };
            let is_zlib = method & 15 == 8 && u16::from_be_bytes([method, flags]).is_multiple_of(31);
            plain.resize(self.length(i), 0);
            let fits = put(plain, (i * self.block / scalar.size()) as u64, big_endian, &expected);
            self.packed[i] >= SHORTEST && is_zlib && fits && adler32(plain) == u32::from_be_bytes([a, b, c, d])
        };
        self.block <= LARGEST
            && (0..self.packed.len()).into_par_iter().map_init(Vec::new, is_as_expected).all(|expected| expected)
    }
}

/// Writes whole numbers of N bytes, the first of which has index `base`; returns true if all fit.
fn put<const N: usize, F: Fn(u64) -> u64>(to: &mut [u8], base: u64, big_endian: bool, expected: &F) -> bool {
    let most = u64::MAX >> (64 - 8 * N + 1);
    let mut greatest = 0;
    for (number, i) in to.as_chunks_mut::<N>().0.iter_mut().zip(base..) {
        let value = expected(i);
        greatest = greatest.max(value);
        *number = *value.to_le_bytes().first_chunk().unwrap_or(&[0; N]);
        if big_endian {
            number.reverse();
        }
    }
    greatest <= most
}
