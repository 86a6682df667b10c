//! The bytes of an array, wherever they are: any range of them without decoding the rest.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Bytes as they are, or base64.
pub(super) enum Stream<'a> {
    Raw(&'a [u8]),
    Base64(Cow<'a, [u8]>),
}

/// Why a range of bytes cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    /// The file ends before.
    Ended,
    /// A character that is not base64, so many characters behind the start.
    Character(usize),
}

/// How many characters of base64 make so many bytes.
pub(super) fn characters(bytes: usize) -> usize {
    bytes.div_ceil(3).saturating_mul(4)
}

impl<'a> Stream<'a> {
    /// An upper bound of how many bytes there are.
    pub fn most(&self) -> usize {
        match self {
            Stream::Raw(bytes) => bytes.len(),
            Stream::Base64(text) => text.len().div_ceil(4) * 3,
        }
    }

    /// The stream that begins behind what was encoded before as a piece of its own, `bytes` long.
    pub fn behind(&self, bytes: usize) -> Stream<'_> {
        match self {
            Stream::Raw(all) => Stream::Raw(all.get(bytes..).unwrap_or(&[])),
            Stream::Base64(text) => Stream::Base64(Cow::Borrowed(text.get(characters(bytes)..).unwrap_or(&[]))),
        }
    }

    /// Whether the first `bytes` bytes were encoded as a piece of their own, which shows by its padding.
    pub fn ends_after(&self, bytes: usize) -> bool {
        match self {
            Stream::Raw(_) => true,
            Stream::Base64(text) => characters(bytes).checked_sub(1).and_then(|i| text.get(i)) == Some(&b'='),
        }
    }

    /// The bytes from one to another. `scratch` keeps them if they must be decoded.
    pub fn bytes<'s>(&'s self, from: usize, to: usize, scratch: &'s mut Vec<u8>) -> Result<&'s [u8], Broken> {
        let text = match self {
            Stream::Raw(bytes) => return bytes.get(from..to).ok_or(Broken::Ended),
            Stream::Base64(text) => text,
        };
        // Four characters are three bytes.
        let start = from / 3 * 4;
        let quads = text.get(start..characters(to)).ok_or(Broken::Ended)?;
        scratch.resize(quads.len() / 4 * 3, 0);
        let decoded = STANDARD.decode_slice(quads, scratch).map_err(|error| match error {
            base64::DecodeSliceError::DecodeError(base64::DecodeError::InvalidByte(at, _)) => {
                Broken::Character(start + at)
            }
            _ => Broken::Ended,
        })?;
        scratch.get(from % 3..(from % 3 + to - from)).filter(|_| decoded >= from % 3 + to - from).ok_or(Broken::Ended)
    }
}
