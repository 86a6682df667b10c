//! Compressed arrays: blocks of one size, each a zlib stream of its own.

use libdeflater::{Decompressor, adler32};
use rayon::prelude::*;

use super::array::Trouble;
use super::stream::Stream;
use crate::scalar::{Refused, Scalar, Wanted, first};

/// The most that deflate can compress: 258 bytes in 2 bits.
const DEFLATE_LIMIT: usize = 1032;
/// What the shortest zlib stream takes: a head of two bytes, a byte of data and a checksum of four.
const SHORTEST: usize = 7;
/// The largest block that is made to be compared; writers make blocks of 32 KiB.
const LARGEST: usize = 1 << 20;

/// Where the blocks of an array are.
pub(super) struct Blocks<'s> {
    data: Stream<'s>,
    /// Bytes of a block, and of the last.
    block: usize,
    last: usize,
    /// Bytes of each as it is in the file, and where they end.
    packed: Vec<usize>,
    ends: Vec<usize>,
}

impl<'s> Blocks<'s> {
    /// Blocks of `block` bytes, the last of `last` unless that is zero; which of them cannot be, of numbers of a size.
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
        // A block that is the last of several may be shorter, never longer.
        let wrong = |&i: &usize| {
            let length = blocks.length(i);
            length > blocks.packed[i].saturating_mul(DEFLATE_LIMIT) || length > block || !block.is_multiple_of(size)
        };
        (0..blocks.packed.len()).find(wrong).map_or(Ok(()), |i| Err(Trouble::Block(i)))?;
        Ok(blocks)
    }

    /// Bytes of a block.
    fn length(&self, i: usize) -> usize {
        if i + 1 == self.packed.len() { self.last } else { self.block }
    }

    /// Bytes of all blocks, as they are in the file, and how many could be there.
    pub fn packed(&self) -> (usize, usize) {
        (self.ends.last().copied().unwrap_or(0), self.data.most())
    }

    /// Bytes of all blocks.
    pub fn total(&self) -> usize {
        self.packed.len().saturating_sub(1).saturating_mul(self.block).saturating_add(self.last)
    }

    /// Decompresses all blocks; `to` has room for them.
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

    /// Whether the checksum of every block is that of the whole numbers expected, of which number i is `expected(i)`:
    /// what is inside is known then, and need not be decompressed.
    ///
    /// Adler-32 tells what broke by chance, and is no proof against files that are crafted: other bytes of the same sum are
    /// easily made, and are taken for those expected. Both the types and the offsets of the cells must collide for that,
    /// and what is read then is another mesh with indices in range, as any file can say.
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

/// Puts whole numbers of N bytes, the first of which has index `base`; says whether all fit.
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
