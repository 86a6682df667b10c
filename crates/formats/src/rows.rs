//! Tables of text, read in parallel.
//!
//! The reading of a row is written once, over a [`Source`] of numbers. If every row is one line, threads share the
//! lines, read by [`Line`]s that are fast and accept only the regular case. Anything irregular (a row over two lines, a
//! comment, a wrong number) sends the whole table to [`Text`], which reads it word by word and makes good errors. So
//! the result never depends on threads, and errors are those of the first wrong row.

use rayon::prelude::*;

use crate::care::Doubt;
use crate::error::{Fault, FormatError};
use crate::numbers;
use crate::text::{Text, quote};

/// Bytes per thread at a time.
const CHUNK: usize = 1 << 18;

/// Source of the numbers of a row.
pub(crate) trait Source {
    /// Error of a wrong number.
    type Error;

    /// Reads the next number, an integer.
    fn integer(&mut self, what: impl Fn() -> String) -> Result<i64, Self::Error>;

    /// Reads the next number.
    fn real(&mut self, what: impl Fn() -> String) -> Result<f64, Self::Error>;

    /// Makes an error at this position.
    fn fault(&self, fault: impl FnOnce() -> Fault) -> Self::Error;

    /// Returns true if coordinates may be NaN or infinite.
    fn is_lenient(&self) -> bool;

    /// Reads the next number, which must be finite.
    #[inline]
    fn coordinate(&mut self, what: impl Fn() -> String) -> Result<f64, Self::Error> {
        let value = self.real(&what)?;
        if value.is_finite() || self.is_lenient() {
            Ok(value)
        } else {
            Err(self.fault(|| Fault::NotFinite { what: what(), value }))
        }
    }

    /// Reads the next three numbers, which must be finite.
    #[inline]
    fn point(&mut self, what: impl Fn() -> String) -> Result<[f64; 3], Self::Error> {
        let mut point = [0.0; 3];
        for (x, axis) in point.iter_mut().zip(["x", "y", "z"]) {
            *x = self.coordinate(|| format!("the {axis} coordinate of {}", what()))?;
        }
        Ok(point)
    }
}

/// Reading of the rows of a table.
pub(crate) trait Rows: Sync {
    /// Result of consecutive rows, one of several to be concatenated.
    type Output: Default + Send;

    /// Reads row `number` (from 0) and appends it.
    fn row<S: Source>(&self, source: &mut S, number: usize, part: &mut Self::Output) -> Result<(), S::Error>;
}

/// Reads `count` rows from here on: parts, to be concatenated.
pub(crate) fn read<R: Rows>(rows: &R, text: &mut Text, count: usize) -> Result<Vec<R::Output>, FormatError> {
    if let Some((parts, at)) = by_lines(rows, text, count) {
        text.at = at;
        return Ok(parts);
    }
    let mut part = R::Output::default();
    for number in 0..count {
        rows.row(text, number, &mut part)?;
    }
    Ok(vec![part])
}

/// Reads a table of `count` rows of these things. A lenient reader takes the rows that exist, up to the first word that
/// is not a number, or to a truncated row.
pub(crate) fn read_table<R: Rows>(
    rows: &R,
    text: &mut Text,
    things: &str,
    count: usize,
) -> Result<Vec<R::Output>, FormatError> {
    if !text.care.is_lenient() {
        return read(rows, text, count);
    }
    let goes_on = |text: &Text| text.clone().maybe_word().is_some_and(|word| numbers::real(word).is_some());
    let start = text.clone();
    if let Ok(parts) = read(rows, text, count)
        && !goes_on(text)
    {
        return Ok(parts);
    }
    *text = start;
    let (mut part, mut found) = (R::Output::default(), 0);
    while goes_on(text) {
        // A row that fails must leave no trace.
        if let Err(error) = rows.row(&mut text.clone(), found, &mut R::Output::default()) {
            if !matches!(error.fault, Fault::Ended { .. }) {
                return Err(error);
            }
            text.at = text.bytes.len();
            break;
        }
        rows.row(text, found, &mut part)?;
        found += 1;
    }
    let (announced, found) = (count as u64, found as u64);
    if announced != found {
        text.care.doubt(Doubt::Count { things: things.to_string(), announced, found });
    }
    Ok(vec![part])
}

/// Lines from `at` on, of a table whose row `first` is the first of them.
struct Chunk {
    at: usize,
    first: usize,
    count: usize,
}

fn by_lines<R: Rows>(rows: &R, text: &Text, count: usize) -> Option<(Vec<R::Output>, usize)> {
    let lenient = text.care.is_lenient();
    let mut start = Line { bytes: text.bytes, at: text.at, lenient };
    // Earlier content may end in this line or have ended the line before.
    if text.at > 0 && text.bytes.get(text.at - 1) != Some(&b'\n') {
        start.end()?;
    }
    let chunks = cut(text.bytes, start.at, count);
    let read = |chunk: &Chunk| {
        let mut line = Line { bytes: text.bytes, at: chunk.at, lenient };
        let mut part = R::Output::default();
        for number in chunk.first..chunk.first + chunk.count {
            rows.row(&mut line, number, &mut part).ok()?;
            line.end()?;
        }
        Some((part, line.at))
    };
    let parts: Option<Vec<_>> = match chunks.as_slice() {
        [chunk] => read(chunk).map(|part| vec![part]),
        _ => chunks.par_iter().map(read).collect(),
    };
    let parts = parts?;
    let at = parts.last().map_or(start.at, |&(_, at)| at);
    Some((parts.into_iter().map(|(part, _)| part).collect(), at))
}

/// Cuts the next `count` lines at line ends.
fn cut(bytes: &[u8], mut at: usize, count: usize) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut first = 0;
    while first < count {
        let newline = bytes.get(at + CHUNK..).and_then(|rest| memchr::memchr(b'\n', rest));
        let end = newline.map_or(bytes.len(), |i| at + CHUNK + i + 1);
        let lines = memchr::memchr_iter(b'\n', &bytes[at..end]).count();
        let last = newline.is_none() || first + lines >= count;
        chunks.push(Chunk { at, first, count: if last { count - first } else { lines } });
        first += if last { count } else { lines };
        at = end;
    }
    chunks
}

/// A fast reader of lines.
struct Line<'a> {
    bytes: &'a [u8],
    at: usize,
    lenient: bool,
}

/// Signal of a [`Line`] that is not regular.
struct Irregular;

impl Line<'_> {
    #[inline]
    fn skip_blank(&mut self) {
        while let Some(b' ' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    /// Moves to the next line; `None` if something is left of this one.
    #[inline]
    fn end(&mut self) -> Option<()> {
        self.skip_blank();
        match self.bytes.get(self.at..).unwrap_or_default() {
            [b'\n', ..] => self.at += 1,
            [b'\r', b'\n', ..] => self.at += 2,
            [] => {}
            _ => return None,
        }
        Some(())
    }
}

impl Source for Line<'_> {
    type Error = Irregular;

    #[inline]
    fn integer(&mut self, _: impl Fn() -> String) -> Result<i64, Irregular> {
        self.skip_blank();
        let rest = self.bytes.get(self.at..).ok_or(Irregular)?;
        let (value, length) = numbers::leading_integer(rest).ok_or(Irregular)?;
        self.at += length;
        if rest.get(length).is_none_or(u8::is_ascii_whitespace) { Ok(value) } else { Err(Irregular) }
    }

    #[inline]
    fn real(&mut self, _: impl Fn() -> String) -> Result<f64, Irregular> {
        self.skip_blank();
        let rest = self.bytes.get(self.at..).ok_or(Irregular)?;
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += length;
        numbers::real(&rest[..length]).ok_or(Irregular)
    }

    fn fault(&self, _: impl FnOnce() -> Fault) -> Irregular {
        Irregular
    }

    fn is_lenient(&self) -> bool {
        self.lenient
    }
}

impl Source for Text<'_> {
    type Error = FormatError;

    fn integer(&mut self, what: impl Fn() -> String) -> Result<i64, FormatError> {
        let word = self.word(&what)?;
        numbers::integer(word).ok_or_else(|| not_number(self, word, what()))
    }

    fn real(&mut self, what: impl Fn() -> String) -> Result<f64, FormatError> {
        let word = self.word(&what)?;
        numbers::real(word).ok_or_else(|| not_number(self, word, what()))
    }

    fn fault(&self, fault: impl FnOnce() -> Fault) -> FormatError {
        self.error(fault())
    }

    fn is_lenient(&self) -> bool {
        self.care.is_lenient()
    }
}

fn not_number(text: &Text, word: &[u8], what: String) -> FormatError {
    text.error_at(text.at - word.len(), Fault::NotNumber { what, found: quote(word) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Position;

    struct Pairs;

    impl Rows for Pairs {
        type Output = Vec<(i64, f64)>;

        fn row<S: Source>(&self, source: &mut S, number: usize, part: &mut Self::Output) -> Result<(), S::Error> {
            let what = || format!("pair {number}");
            part.push((source.integer(what)?, source.coordinate(what)?));
            Ok(())
        }
    }

    fn table(count: usize, end: &str) -> String {
        (0..count).map(|i| format!(" {i}\t{}.25{end}", 2 * i)).collect()
    }

    #[test]
    fn any_layout_reads_the_same() {
        let count = 100_000;
        let expected: Vec<_> = (0..count).map(|i| (i as i64, 2.0 * i as f64 + 0.25)).collect();
        for end in ["\n", "\r\n", " ", "\n\n", "  \n", " # odd\n"] {
            let text = format!("head\n{}tail", table(count, end));
            let mut text = Text::new("test", text.as_bytes()).with_comments(b'#');
            text.maybe_word();
            assert_eq!(read(&Pairs, &mut text, count).map(|parts| parts.concat()), Ok(expected.clone()), "{end:?}");
            assert_eq!(text.maybe_word(), Some(&b"tail"[..]), "{end:?}");
        }
    }

    #[test]
    fn the_first_wrong_row_is_named() {
        let wrong = table(100_000, "\n").replace(" 70000\t", " x\t").replace(" 90000\t", " y\t");
        let error = read(&Pairs, &mut Text::new("test", wrong.as_bytes()), 100_000).map(|_| ());
        let fault = Fault::NotNumber { what: "pair 70000".into(), found: "x".into() };
        assert_eq!(error, Err(FormatError { format: "test", position: Position::Line(70_001), fault }));
        let short = table(99_999, "\n");
        let error = read(&Pairs, &mut Text::new("test", short.as_bytes()), 100_000).map(|_| ());
        assert!(matches!(error, Err(FormatError { fault: Fault::Ended { .. }, .. })), "{error:?}");
    }
}
