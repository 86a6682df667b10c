//! Bytes of an array at any location: any range of them without decoding the rest.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Raw bytes, or base64.
pub(super) enum Stream<'a> {
    Raw(&'a [u8]),
    Base64(Cow<'a, [u8]>),
}

/// Reason why a range of bytes is not available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    /// The file ends before it.
    Ended,
    /// A character that is not base64, with its offset from the start.
    Character(usize),
}

/// Returns the characters of base64 for this many bytes.
pub(super) fn characters(bytes: usize) -> usize {
    bytes.div_ceil(3).saturating_mul(4)
}

impl<'a> Stream<'a> {
    /// Returns an upper bound of the number of bytes.
    pub fn most(&self) -> usize {
        match self {
            Stream::Raw(bytes) => bytes.len(),
            Stream::Base64(text) => text.len().div_ceil(4) * 3,
        }
    }

    /// Returns the stream after a separately encoded piece of `bytes` bytes.
    pub fn behind(&self, bytes: usize) -> Stream<'_> {
        match self {
            Stream::Raw(all) => Stream::Raw(all.get(bytes..).unwrap_or(&[])),
            Stream::Base64(text) => Stream::Base64(Cow::Borrowed(text.get(characters(bytes)..).unwrap_or(&[]))),
        }
    }

    /// Returns true if the first `bytes` bytes were encoded separately, which their padding shows.
    pub fn ends_after(&self, bytes: usize) -> bool {
        match self {
            Stream::Raw(_) => true,
            Stream::Base64(text) => characters(bytes).checked_sub(1).and_then(|i| text.get(i)) == Some(&b'='),
        }
    }

    /// Returns the bytes from one to another. `scratch` holds them if they must be decoded.
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
