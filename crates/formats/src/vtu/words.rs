//! Many numbers in text, read on all threads.

use crate::numbers;
use crate::scalar::Wanted;

/// Bytes of text that one thread reads at a time.
const PART: usize = 1 << 16;

/// Cuts a text between its words into parts of about the same length.
pub(super) fn parts(text: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::with_capacity(text.len() / PART + 1);
    let mut rest = text;
    while !rest.is_empty() {
        let least = PART.min(rest.len());
        let end = rest[least..].iter().position(u8::is_ascii_whitespace).map_or(rest.len(), |blank| least + blank);
        let (part, behind) = rest.split_at(end);
        parts.push(part);
        rest = behind;
    }
    parts
}

/// How many words there are.
pub(super) fn count(text: &[u8]) -> usize {
    let starts = text.windows(2).filter(|pair| pair[0].is_ascii_whitespace() && !pair[1].is_ascii_whitespace());
    starts.count() + usize::from(text.first().is_some_and(|byte| !byte.is_ascii_whitespace()))
}

/// Reads as many words as `to` has places, as whole numbers unless `real`; the word that is none is the error.
pub(super) fn numbers<'a, T: Wanted>(text: &'a [u8], real: bool, to: &mut [T]) -> Result<(), &'a [u8]> {
    let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    for (word, to) in words.zip(to) {
        let value = if real {
            numbers::real(word).and_then(T::from_real)
        } else {
            numbers::integer(word).and_then(T::from_integer)
        };
        *to = value.ok_or(word)?;
    }
    Ok(())
}
