//! Numbers of every type in files of arrays, converted to the few types of a mesh.

use rayon::prelude::*;

use crate::care::NOWHERE;

/// Values converted at a time by one thread.
const CHUNK: usize = 1 << 14;

/// Type of the numbers of an array in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

/// A type of numbers in a mesh: conversion from a number of a file, or `None` if it has no meaning.
pub(crate) trait Wanted: Copy + Default + Send + Sync {
    /// Description of such a number, for messages.
    const WHAT: &'static str;
    fn from_integer(value: i64) -> Option<Self>;
    fn from_real(value: f64) -> Option<Self>;
}

impl Wanted for u8 {
    const WHAT: &'static str = "a whole number from 0 to 255";
    fn from_integer(value: i64) -> Option<u8> {
        u8::try_from(value).ok()
    }
    fn from_real(value: f64) -> Option<u8> {
        u8::from_integer(whole(value)?)
    }
}

impl Wanted for u32 {
    const WHAT: &'static str = "the index of a point";
    fn from_integer(value: i64) -> Option<u32> {
        u32::try_from(value).ok()
    }
    fn from_real(value: f64) -> Option<u32> {
        u32::from_integer(whole(value)?)
    }
}

impl Wanted for u64 {
    const WHAT: &'static str = "a whole number, 0 or more";
    fn from_integer(value: i64) -> Option<u64> {
        u64::try_from(value).ok()
    }
    fn from_real(value: f64) -> Option<u64> {
        u64::from_integer(whole(value)?)
    }
}

impl Wanted for f64 {
    const WHAT: &'static str = "a finite number";
    fn from_integer(value: i64) -> Option<f64> {
        Some(value as f64)
    }
    fn from_real(value: f64) -> Option<f64> {
        value.is_finite().then_some(value)
    }
}

/// A coordinate as it is, including NaN and infinities: for lenient readers.
#[derive(Clone, Copy, Default)]
pub(crate) struct Anywhere(pub f64);

impl Wanted for Anywhere {
    const WHAT: &'static str = "a number";
    fn from_integer(value: i64) -> Option<Anywhere> {
        Some(Anywhere(value as f64))
    }
    fn from_real(value: f64) -> Option<Anywhere> {
        Some(Anywhere(value))
    }
}

/// The index of a point, or of none where the number cannot be one: for lenient readers.
#[derive(Clone, Copy, Default)]
pub(crate) struct AnyNode(pub u32);

impl Wanted for AnyNode {
    const WHAT: &'static str = "a number";
    fn from_integer(value: i64) -> Option<AnyNode> {
        Some(AnyNode(u32::try_from(value).unwrap_or(NOWHERE)))
    }
    fn from_real(value: f64) -> Option<AnyNode> {
        AnyNode::from_integer(whole(value).unwrap_or(-1))
    }
}

/// Converts a real number that is whole.
fn whole(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() < 1e15).then_some(value as i64)
}

/// A number that could not be converted: its index and its text.
#[derive(Debug)]
pub(crate) struct Refused {
    pub index: usize,
    pub value: String,
}

impl Scalar {
    /// Returns the bytes of a number.
    pub fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// Converts as many numbers as fit `to` and exist in `bytes`; an error names the first without a meaning.
    pub fn convert<T: Wanted>(self, bytes: &[u8], big_endian: bool, to: &mut [T]) -> Result<(), Refused> {
        let refused = match self {
            Scalar::I8 => each(bytes, big_endian, to, |b| T::from_integer(i8::from_le_bytes(b).into())),
            Scalar::U8 => each(bytes, big_endian, to, |[b]| T::from_integer(b.into())),
            Scalar::I16 => each(bytes, big_endian, to, |b| T::from_integer(i16::from_le_bytes(b).into())),
            Scalar::U16 => each(bytes, big_endian, to, |b| T::from_integer(u16::from_le_bytes(b).into())),
            Scalar::I32 => each(bytes, big_endian, to, |b| T::from_integer(i32::from_le_bytes(b).into())),
            Scalar::U32 => each(bytes, big_endian, to, |b| T::from_integer(u32::from_le_bytes(b).into())),
            Scalar::I64 => each(bytes, big_endian, to, |b| T::from_integer(i64::from_le_bytes(b))),
            Scalar::U64 => each(bytes, big_endian, to, |b| from_u64(u64::from_le_bytes(b))),
            Scalar::F32 => each(bytes, big_endian, to, |b| T::from_real(f32::from_le_bytes(b).into())),
            Scalar::F64 => each(bytes, big_endian, to, |b| T::from_real(f64::from_le_bytes(b))),
        };
        refused.map_or(Ok(()), |index| {
            let start = index * self.size();
            Err(Refused { index, value: self.show(&bytes[start..start + self.size()], big_endian) })
        })
    }

    /// The same on all threads.
    pub fn convert_all<T: Wanted>(self, bytes: &[u8], big_endian: bool, to: &mut [T]) -> Result<(), Refused> {
        let chunks = bytes.par_chunks(CHUNK * self.size()).zip(to.par_chunks_mut(CHUNK)).enumerate();
        first(chunks.map(|(chunk, (bytes, to))| {
            let shift = |refused: Refused| Refused { index: chunk * CHUNK + refused.index, ..refused };
            self.convert(bytes, big_endian, to).map_err(shift)
        }))
    }

    /// Converts one number of any type.
    pub fn real(self, bytes: &[u8], big_endian: bool) -> f64 {
        let bits = bits(bytes, big_endian);
        match self {
            Scalar::I8 => (bits as i8).into(),
            Scalar::I16 => (bits as i16).into(),
            Scalar::I32 => (bits as i32).into(),
            Scalar::I64 => bits as i64 as f64,
            Scalar::F32 => f32::from_bits(bits as u32).into(),
            Scalar::F64 => f64::from_bits(bits),
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => bits as f64,
        }
    }

    /// Formats a number as text.
    fn show(self, bytes: &[u8], big_endian: bool) -> String {
        match self {
            Scalar::I64 => (bits(bytes, big_endian) as i64).to_string(),
            Scalar::U64 => bits(bytes, big_endian).to_string(),
            _ => self.real(bytes, big_endian).to_string(),
        }
    }
}

/// Combines up to eight bytes to one number.
fn bits(bytes: &[u8], big_endian: bool) -> u64 {
    let add = |bits: u64, byte: &u8| bits << 8 | u64::from(*byte);
    if big_endian { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) }
}

/// Returns the first of the errors by index, whichever thread found one first: messages must not depend on scheduling.
pub(crate) fn first<E: Send>(results: impl IndexedParallelIterator<Item = Result<(), E>>) -> Result<(), E> {
    results.filter_map(Result::err).find_first(|_| true).map_or(Ok(()), Err)
}

/// Converts numbers beyond i64, which are no index but may be a coordinate.
fn from_u64<T: Wanted>(value: u64) -> Option<T> {
    i64::try_from(value).map_or_else(|_| T::from_real(value as f64), T::from_integer)
}

/// Converts numbers of N bytes; returns the index of the first without a meaning.
fn each<const N: usize, T: Wanted>(
    bytes: &[u8],
    big_endian: bool,
    to: &mut [T],
    read: impl Fn([u8; N]) -> Option<T>,
) -> Option<usize> {
    let value = |number: &[u8; N]| {
        let mut number = *number;
        if big_endian {
            number.reverse();
        }
        read(number)
    };
    // A loop without exit is vectorised; the wrong number is searched for later.
    let numbers = bytes.as_chunks().0;
    let mut sound = true;
    for (number, to) in numbers.iter().zip(to) {
        let value = value(number);
        sound &= value.is_some();
        *to = value.unwrap_or_default();
    }
    if sound { None } else { numbers.iter().position(|number| value(number).is_none()) }
}
