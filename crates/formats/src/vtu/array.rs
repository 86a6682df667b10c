//! Decoding of the arrays of a VTU file on all threads, directly into their type and memory.

use std::cell::Cell;

use rayon::prelude::*;

use super::blocks::Blocks;
use super::stream::{Broken, Stream};
use super::xml::{Appended, Array, File, Location};
use crate::error::{Fault, FormatError, Position};
use crate::scalar::{Refused, Scalar, Wanted, first};
use crate::text::quote;

/// Limit of bytes that all arrays together may decode to: a constant, and a factor of the file size.
const LEAST_BUDGET: usize = 64 << 20;
const BUDGET_RATIO: usize = 100;
/// Numbers decoded at a time by one thread. Divisible by 3, so that base64 is cut between its groups.
const CHUNK: usize = 3 << 12;

/// Reads arrays, and counts their decoded size: a small file that names one array many times must not become a large
/// mesh.
pub(super) struct Decoder<'a> {
    file: &'a File<'a>,
    budget: Cell<usize>,
}

/// Error in a part of an array.
pub(super) enum Trouble {
    Stream(Broken),
    Number(Refused),
    Block(usize),
}

impl<'a> Decoder<'a> {
    pub fn new(file: &'a File<'a>) -> Decoder<'a> {
        let budget = file.text.bytes.len().saturating_mul(BUDGET_RATIO).saturating_add(LEAST_BUDGET);
        Decoder { file, budget: Cell::new(budget) }
    }

    /// Reads an array of `rows` rows of K numbers.
    pub fn read<T: Wanted, const K: usize>(&self, array: &Array, rows: u64) -> Result<Vec<[T; K]>, FormatError> {
        let count = rows.saturating_mul(K as u64);
        if let Location::Ascii(from, to) = array.location {
            return self.ascii(array, from, to, count);
        }
        let stream =
            self.stream(array).ok_or_else(|| self.error(array, Fault::Ended { what: self.describe(array) }))?;
        // Blanks within base64 are rare: searching for them first is expensive, trying again without them is not.
        self.binary(array, &stream, count).or_else(|error| match (array.location, stream) {
            (Location::Base64(..), Stream::Base64(text)) if text.iter().any(u8::is_ascii_whitespace) => {
                let dense: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
                self.binary(array, &Stream::Base64(dense.into()), count)
            }
            _ => Err(error),
        })
    }

    /// Returns true if an array is known to be `rows` whole numbers with number i equal to `expected(i)`, without
    /// decoding it: false if it is not compressed.
    pub fn holds(&self, array: &Array, rows: u64, expected: impl Fn(u64) -> u64 + Sync) -> bool {
        let Some(stream) = self.stream(array).filter(|_| self.file.compressed) else { return false };
        let Ok(Some(blocks)) = self.blocks(array, &stream) else { return false };
        let total = blocks.total();
        rows.checked_mul(array.scalar.size() as u64) == Some(total as u64)
            && total <= self.budget.get()
            && blocks.hold(array.scalar, self.file.big_endian, expected)
    }

    /// Returns the bytes of an array that is not text, if they are in the file.
    fn stream(&self, array: &Array) -> Option<Stream<'a>> {
        let bytes = self.file.text.bytes;
        match array.location {
            Location::Ascii(..) => None,
            Location::Base64(from, to) => Some(Stream::Base64(bytes[from..to].trim_ascii().into())),
            Location::Appended(offset) => {
                let Appended { start, end, base64 } = self.file.appended?;
                let rest = bytes.get(start.checked_add(usize::try_from(offset).ok()?)?..end)?;
                Some(if base64 { Stream::Base64(rest.into()) } else { Stream::Raw(rest) })
            }
        }
    }

    /// Returns the name of an array for messages.
    pub fn describe(&self, array: &Array) -> String {
        format!("the array '{}' of the element {}", quote(array.name.as_bytes()), array.section)
    }

    /// Makes an error of an array as a whole: at its line, or at its byte of the appended data.
    pub fn error(&self, array: &Array, fault: Fault) -> FormatError {
        match (array.location, self.file.appended) {
            (Location::Appended(offset), Some(Appended { start, .. })) => {
                let position = Position::Byte(start.saturating_add(offset as usize).min(self.file.text.bytes.len()));
                FormatError { format: "vtu", position, fault }
            }
            _ => self.file.text.error_at(array.at, fault),
        }
    }

    /// Allocates `wants` numbers, if the array has as many.
    fn allocate<T: Wanted, const K: usize>(
        &self,
        array: &Array,
        has: u64,
        wants: u64,
    ) -> Result<Vec<[T; K]>, FormatError> {
        if has != wants {
            let what = format!("{} has {has} numbers, but {wants} are needed", self.describe(array));
            let cure = "correct the counts of the element Piece, or export the file again".to_string();
            return Err(self.error(array, Fault::Contradiction { what, cure }));
        }
        // A byte of the file may become a number of eight.
        let bytes = (wants as usize).saturating_mul(array.scalar.size().max(size_of::<T>()));
        let left = self.budget.get().checked_sub(bytes).ok_or_else(|| {
            let what = format!("{} brings what is decoded to far more than the file could mean", self.describe(array));
            let cure = "save the file without compression if it is sound".to_string();
            self.error(array, Fault::Unsupported { what, cure })
        })?;
        self.budget.set(left);
        Ok(vec![[T::default(); K]; wants as usize / K])
    }

    fn ascii<T: Wanted, const K: usize>(
        &self,
        array: &Array,
        from: usize,
        to: usize,
        count: u64,
    ) -> Result<Vec<[T; K]>, FormatError> {
        let (text, parts) = (&self.file.text, super::words::parts(&self.file.text.bytes[from..to]));
        let counts: Vec<usize> = parts.par_iter().map(|part| super::words::count(part)).collect();
        let mut out = self.allocate::<T, K>(array, counts.iter().sum::<usize>() as u64, count)?;
        let mut rest = out.as_flattened_mut();
        let mut targets = Vec::with_capacity(parts.len());
        for (part, &count) in parts.iter().zip(&counts) {
            let (target, behind) = rest.split_at_mut(count);
            targets.push((*part, target));
            rest = behind;
        }
        let real = matches!(array.scalar, Scalar::F32 | Scalar::F64);
        first(targets.into_par_iter().map(|(part, target)| super::words::numbers(part, real, target))).map_err(
            |word| {
                let what = format!("a number of {}, which must be {},", self.describe(array), T::WHAT);
                // Position of the word in the file.
                let at = word.as_ptr() as usize - text.bytes.as_ptr() as usize;
                text.error_at(at, Fault::NotNumber { what, found: quote(word) })
            },
        )?;
        Ok(out)
    }

    fn binary<T: Wanted, const K: usize>(
        &self,
        array: &Array,
        stream: &Stream,
        count: u64,
    ) -> Result<Vec<[T; K]>, FormatError> {
        let (file, size) = (self.file, array.scalar.size());
        let failed = |trouble| self.trouble::<T>(array, trouble);
        let numbers = |bytes: usize| {
            let part = || {
                let what =
                    format!("{bytes} bytes of {} are no whole number of {:?}", self.describe(array), array.scalar);
                self.error(
                    array,
                    Fault::Contradiction { what, cure: "correct the type, or export it again".to_string() },
                )
            };
            if bytes.is_multiple_of(size) { Ok((bytes / size) as u64) } else { Err(part()) }
        };
        if file.compressed {
            let Some(blocks) = self.blocks(array, stream)? else { return self.allocate::<T, K>(array, 0, count) };
            let mut out = self.allocate::<T, K>(array, numbers(blocks.total())?, count)?;
            let inflated = blocks.inflate(array.scalar, file.big_endian, out.as_flattened_mut());
            return inflated.map_err(failed).map(|()| out);
        }

        let bytes = self.heads(array, stream, 0, 1)?[0];
        // VTK itself encodes the head together with the data, but others encode it separately.
        let (skip, behind) =
            if stream.ends_after(file.head) { (0, stream.behind(file.head)) } else { (file.head, stream.behind(0)) };
        self.check_fits(array, bytes, behind.most() - skip.min(behind.most()))?;
        let mut out = self.allocate::<T, K>(array, numbers(bytes)?, count)?;
        let parts = out.as_flattened_mut().par_chunks_mut(CHUNK).enumerate();
        let decoded = parts.map_init(Vec::new, |scratch, (part, to)| {
            let from = skip + part * CHUNK * size;
            let bytes = behind.bytes(from, from + to.len() * size, scratch).map_err(Trouble::Stream)?;
            array
                .scalar
                .convert(bytes, file.big_endian, to)
                .map_err(|refused| Trouble::Number(Refused { index: part * CHUNK + refused.index, ..refused }))
        });
        first(decoded).map_err(failed).map(|()| out)
    }

    /// Reads numbers of the head of an array, from one of them on.
    fn heads(&self, array: &Array, stream: &Stream, from: usize, count: usize) -> Result<Vec<usize>, FormatError> {
        let head = self.file.head;
        let kind = if head == 8 { Scalar::U64 } else { Scalar::U32 };
        let (mut scratch, mut numbers) = (Vec::new(), vec![0u64; count]);
        let failed = |trouble| self.trouble::<u64>(array, trouble);
        let bytes = stream.bytes(from * head, (from + count) * head, &mut scratch);
        let bytes = bytes.map_err(|broken| failed(Trouble::Stream(broken)))?;
        let converted = kind.convert(bytes, self.file.big_endian, &mut numbers);
        converted.map_err(|refused| failed(Trouble::Number(refused)))?;
        Ok(numbers.into_iter().map(|number| usize::try_from(number).unwrap_or(usize::MAX)).collect())
    }

    /// Reads the blocks of a compressed array, if there are any. Its head: their number, the bytes of a block, of the
    /// last if it is shorter, and the size of each in the file.
    fn blocks<'s>(&self, array: &Array, stream: &'s Stream) -> Result<Option<Blocks<'s>>, FormatError> {
        let head = self.file.head;
        let count = self.heads(array, stream, 0, 1)?[0];
        if count == 0 {
            return Ok(None);
        }
        self.check_fits(array, count, stream.most() / head)?;
        let failed = |trouble| self.trouble::<u64>(array, trouble);
        let [block, last] = self.heads(array, stream, 1, 2)?[..] else { return Err(failed(Trouble::Block(0))) };
        let packed = self.heads(array, stream, 3, count)?;
        let data = stream.behind((3 + count) * head);
        let blocks = Blocks::new(data, [block, last], packed, array.scalar.size()).map_err(failed)?;
        let (bytes, most) = blocks.packed();
        self.check_fits(array, bytes, most)?;
        Ok(Some(blocks))
    }

    /// Checks a number of bytes or blocks against the available ones.
    fn check_fits(&self, array: &Array, count: usize, limit: usize) -> Result<(), FormatError> {
        if count <= limit {
            return Ok(());
        }
        let what = format!("bytes or blocks of {}", self.describe(array));
        Err(self.error(array, Fault::TooMany { what, count: count as u64, limit: limit as u64 }))
    }

    fn trouble<T: Wanted>(&self, array: &Array, trouble: Trouble) -> FormatError {
        let described = self.describe(array);
        let fault = match trouble {
            Trouble::Stream(Broken::Ended) => Fault::Ended { what: format!("the rest of {described}") },
            Trouble::Stream(Broken::Character(at)) => Fault::Contradiction {
                what: format!("character {at} of {described} is not base64"),
                cure: "correct the format, the byte_order or the header_type, or copy the file again".to_string(),
            },
            Trouble::Number(Refused { index, value }) => {
                let what = format!("number {index} of {described}, which must be {},", T::WHAT);
                Fault::NotNumber { what, found: value }
            }
            Trouble::Block(block) => Fault::Contradiction {
                what: format!("block {block} of {described} cannot be decompressed to the size announced"),
                cure: "correct the byte_order or the header_type, or copy the file again".to_string(),
            },
        };
        self.error(array, fault)
    }
}
