//! Many numbers in text, read on all threads.

use crate::numbers;
use crate::scalar::Wanted;

/// Bytes of text that one thread reads at a time.
const PART: usize = 1 << 16;

/// Returns true if a byte separates words: blanks, line ends and control characters, which XML does not have.
fn is_blank(byte: &u8) -> bool {
    *byte <= b' '
}

/// Cuts a text between its words into parts of about the same length.
pub(super) fn parts(text: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::with_capacity(text.len() / PART + 1);
    let mut rest = text;
    while !rest.is_empty() {
        let least = PART.min(rest.len());
        let end = rest[least..].iter().position(is_blank).map_or(rest.len(), |blank| least + blank);
        let (part, behind) = rest.split_at(end);
        parts.push(part);
        rest = behind;
    }
    parts
}

/// Counts the words.
pub(super) fn count(text: &[u8]) -> usize {
    // Words begin after blanks. Small sums fit bytes, so that the additions are vectorised.
    let behind = text.get(1..).unwrap_or_default();
    let pairs = text.chunks(128).zip(behind.chunks(128));
    let begins = |(a, b): (&u8, &u8)| u8::from(is_blank(a) & !is_blank(b));
    let starts: usize = pairs.map(|(a, b)| usize::from(a.iter().zip(b).map(begins).sum::<u8>())).sum();
    starts + usize::from(text.first().is_some_and(|byte| !is_blank(byte)))
}

/// Parses as many words as `to` holds, as whole numbers unless `real`; the error is the word that is not a number.
pub(super) fn numbers<'a, T: Wanted>(text: &'a [u8], real: bool, to: &mut [T]) -> Result<(), &'a [u8]> {
    let mut rest = text;
    for to in to {
        rest = &rest[rest.iter().take_while(|byte| is_blank(byte)).count()..];
        let word = |from: usize| rest[from..].iter().position(is_blank).map_or(rest.len(), |blank| from + blank);
        let (value, length) = if real {
            let length = word(0);
            (numbers::real(&rest[..length]).and_then(T::from_real), length)
        } else {
            match numbers::leading_integer(rest) {
                Some((value, length)) if rest.get(length).is_none_or(is_blank) => (T::from_integer(value), length),
                _ => (None, word(0)),
            }
        };
        *to = value.ok_or(&rest[..length])?;
        rest = &rest[length..];
    }
    Ok(())
}
