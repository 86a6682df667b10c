//! Decodes the arrays of a VTU file on all threads, straight into the type and the place where they are needed.

use std::cell::Cell;

use libdeflater::Decompressor;
use rayon::prelude::*;

use super::stream::{Broken, Stream};
use super::xml::{Appended, Array, Body, File};
use crate::error::{Fault, FormatError, Place};
use crate::scalar::{Refused, Scalar, Wanted, first};
use crate::text::quote;

/// The most that deflate can compress: 258 bytes in 2 bits.
const DEFLATE_LIMIT: usize = 1032;
/// Bytes that all arrays together may decode to: so many, and so many times the size of the file.
const LEAST_BUDGET: usize = 64 << 20;
const BUDGET_RATIO: usize = 100;
/// Numbers decoded at a time by one thread. Divisible by 3, so that base64 is cut between its groups.
const CHUNK: usize = 3 << 12;

/// Reads arrays, and counts what they decode to: a small file that names one array many times must not become a
/// large mesh.
pub(super) struct Decoder<'a> {
    file: &'a File<'a>,
    budget: Cell<usize>,
}

/// What went wrong in a part of an array.
enum Trouble {
    Stream(Broken),
    Number(Refused),
    Block(usize),
}

impl<'a> Decoder<'a> {
    pub fn new(file: &'a File<'a>) -> Decoder<'a> {
        let budget = file.text.bytes.len().saturating_mul(BUDGET_RATIO).saturating_add(LEAST_BUDGET);
        Decoder { file, budget: Cell::new(budget) }
    }

    /// An array of `rows` rows of K numbers.
    pub fn read<T: Wanted, const K: usize>(&self, array: &Array, rows: u64) -> Result<Vec<[T; K]>, FormatError> {
        let count = rows.saturating_mul(K as u64);
        match array.body {
            Body::Ascii(from, to) => self.ascii(array, from, to, count),
            Body::Base64(from, to) => {
                let text = self.file.text.bytes[from..to].trim_ascii();
                // Blanks within base64 are rare: to look for them before is dear, to try again without them is not.
                self.binary(array, &Stream::Base64(text.into()), count).or_else(|error| {
                    let dense: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
                    if dense.len() == text.len() {
                        Err(error)
                    } else {
                        self.binary(array, &Stream::Base64(dense.into()), count)
                    }
                })
            }
            Body::Appended(offset) => {
                let rest = self.file.appended.and_then(|Appended { start, end, base64 }| {
                    let from = start.checked_add(usize::try_from(offset).ok()?)?;
                    Some((self.file.text.bytes.get(from..end)?, base64))
                });
                match rest {
                    Some((rest, false)) => self.binary(array, &Stream::Raw(rest), count),
                    Some((rest, true)) => self.binary(array, &Stream::Base64(rest.into()), count),
                    None => Err(self.error(array, Fault::Ended { what: self.describe(array) })),
                }
            }
        }
    }

    /// What an array is called in messages.
    pub fn describe(&self, array: &Array) -> String {
        format!("the array '{}' of the element {}", quote(array.name.as_bytes()), array.section)
    }

    /// An error of an array as a whole: at its line, or at its byte of the appended data.
    pub fn error(&self, array: &Array, fault: Fault) -> FormatError {
        match (array.body, self.file.appended) {
            (Body::Appended(offset), Some(Appended { start, .. })) => {
                let place = Place::Byte(start.saturating_add(offset as usize).min(self.file.text.bytes.len()));
                FormatError { format: "vtu", place, fault }
            }
            _ => self.file.text.error_at(array.at, fault),
        }
    }

    /// Room for so many numbers, if the array has so many.
    fn room<T: Wanted, const K: usize>(&self, array: &Array, has: u64, wants: u64) -> Result<Vec<[T; K]>, FormatError> {
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
        let mut out = self.room::<T, K>(array, counts.iter().sum::<usize>() as u64, count)?;
        let mut rest = out.as_flattened_mut();
        let mut places = Vec::with_capacity(parts.len());
        for (part, &count) in parts.iter().zip(&counts) {
            let (place, behind) = rest.split_at_mut(count);
            places.push((*part, place));
            rest = behind;
        }
        let real = matches!(array.scalar, Scalar::F32 | Scalar::F64);
        first(places.into_par_iter().map(|(part, place)| super::words::numbers(part, real, place))).map_err(
            |word| {
                let what = format!("a number of {}, which must be {},", self.describe(array), T::WHAT);
                // Where the word stands in the file.
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
        let file = self.file;
        let failed = |trouble| self.trouble::<T>(array, trouble);
        let mut scratch = Vec::new();
        let mut heads = |from: usize, count: usize| -> Result<Vec<usize>, FormatError> {
            let kind = if file.head == 8 { Scalar::U64 } else { Scalar::U32 };
            let bytes = stream.bytes(from * file.head, (from + count) * file.head, &mut scratch);
            let mut numbers = vec![0u64; count];
            let bytes = bytes.map_err(|broken| failed(Trouble::Stream(broken)))?;
            kind.convert(bytes, file.big_endian, &mut numbers).map_err(|refused| failed(Trouble::Number(refused)))?;
            Ok(numbers.into_iter().map(|number| usize::try_from(number).unwrap_or(usize::MAX)).collect())
        };
        let size = array.scalar.size();
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

        if !file.compressed {
            let bytes = heads(0, 1)?[0];
            // The head is encoded with the data by VTK itself, but on its own by others.
            let (skip, behind) = if stream.ends_after(file.head) {
                (0, stream.behind(file.head))
            } else {
                (file.head, stream.behind(0))
            };
            self.room_for(array, bytes, behind.most() - skip.min(behind.most()))?;
            let mut out = self.room::<T, K>(array, numbers(bytes)?, count)?;
            let parts = out.as_flattened_mut().par_chunks_mut(CHUNK).enumerate();
            let decoded = parts.map_init(Vec::new, |scratch, (part, to)| {
                let from = skip + part * CHUNK * size;
                let bytes = behind.bytes(from, from + to.len() * size, scratch).map_err(Trouble::Stream)?;
                array
                    .scalar
                    .convert(bytes, file.big_endian, to)
                    .map_err(|refused| Trouble::Number(Refused { index: part * CHUNK + refused.index, ..refused }))
            });
            return first(decoded).map_err(failed).map(|()| out);
        }

        // Compressed: the number of blocks, the bytes of a block, of the last if it is shorter, and what they are in.
        let blocks = heads(0, 1)?[0];
        if blocks == 0 {
            return self.room::<T, K>(array, 0, count);
        }
        self.room_for(array, blocks, stream.most() / file.head)?;
        let [block, last] = heads(1, 2)?[..] else { return Err(failed(Trouble::Block(0))) };
        let packed = heads(3, blocks)?;
        let data = stream.behind((3 + blocks) * file.head);
        let lengths = |i: usize| if i + 1 == blocks && last > 0 { last } else { block };
        let (mut ends, mut total, mut end) = (Vec::with_capacity(blocks), 0usize, 0usize);
        for (i, &packed) in packed.iter().enumerate() {
            let length = lengths(i);
            end = end.saturating_add(packed);
            total = total.saturating_add(length);
            ends.push(end);
            // A block that is the last of several may be shorter, never longer.
            if length > packed.saturating_mul(DEFLATE_LIMIT) || length > block || !block.is_multiple_of(size) {
                return Err(failed(Trouble::Block(i)));
            }
        }
        self.room_for(array, end, data.most())?;
        let mut out = self.room::<T, K>(array, numbers(total)?, count)?;
        let parts = out.as_flattened_mut().par_chunks_mut((block / size).max(1)).enumerate();
        let inflated = parts.map_init(
            || (Decompressor::new(), Vec::new(), Vec::new()),
            |(inflate, scratch, plain), (i, to)| {
                let bytes = data.bytes(ends[i] - packed[i], ends[i], scratch).map_err(Trouble::Stream)?;
                plain.resize(lengths(i), 0);
                match inflate.zlib_decompress(bytes, plain) {
                    Ok(length) if length == plain.len() => {}
                    _ => return Err(Trouble::Block(i)),
                }
                array.scalar.convert(plain, file.big_endian, to).map_err(|refused| {
                    Trouble::Number(Refused { index: i * (block / size) + refused.index, ..refused })
                })
            },
        );
        first(inflated).map_err(failed).map(|()| out)
    }

    /// Checks a number of bytes or blocks against what there is room for.
    fn room_for(&self, array: &Array, count: usize, room: usize) -> Result<(), FormatError> {
        if count <= room {
            return Ok(());
        }
        let what = format!("bytes or blocks of {}", self.describe(array));
        Err(self.error(array, Fault::TooMany { what, count: count as u64, room: room as u64 }))
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
