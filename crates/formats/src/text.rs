//! A reader of text files, word by word or line by line.
//!
//! Lines are counted only for errors, up to their byte.

use crate::care::Care;
use crate::error::{Fault, FormatError, Position};
pub(crate) use crate::quote::{quote, shorten};

/// A text and a position in it.
#[derive(Clone)]
pub(crate) struct Text<'a> {
    pub format: &'static str,
    pub bytes: &'a [u8],
    /// Position of the next byte.
    pub at: usize,
    /// Byte that begins a comment up to the end of the line.
    pub comment: Option<u8>,
    /// Handling of errors.
    pub care: Care<'a>,
}

impl<'a> Text<'a> {
    pub fn new(format: &'static str, bytes: &'a [u8]) -> Text<'a> {
        Text { format, bytes, at: 0, comment: None, care: Care::STRICT }
    }

    /// Returns the same text with comments that begin with this byte.
    pub fn with_comments(self, byte: u8) -> Text<'a> {
        Text { comment: Some(byte), ..self }
    }

    /// Returns the same text with this handling of errors.
    pub fn with_care(self, care: Care<'a>) -> Text<'a> {
        Text { care, ..self }
    }

    /// Returns the number of bytes left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Makes an error at a byte.
    pub fn error_at(&self, at: usize, fault: Fault) -> FormatError {
        let before = &self.bytes[..at.min(self.bytes.len())];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        FormatError { format: self.format, position: Position::Line(line), fault }
    }

    /// Makes an error at this position.
    pub fn error(&self, fault: Fault) -> FormatError {
        self.error_at(self.at, fault)
    }

    fn skip_blank(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            if byte.is_ascii_whitespace() {
                self.at += 1;
            } else if Some(byte) == self.comment {
                self.skip_line();
            } else {
                return;
            }
        }
    }

    /// Moves to the start of the next line.
    pub fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |i| i + 1);
    }

    /// Returns the rest of this line without its end, and moves to the next; `None` at the end of the file.
    pub fn line(&mut self) -> Option<&'a [u8]> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let start = self.at;
        self.skip_line();
        Some(self.bytes[start..self.at].trim_ascii_end())
    }

    /// Returns the next word on any line; `None` at the end of the file.
    pub fn maybe_word(&mut self) -> Option<&'a [u8]> {
        self.skip_blank();
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|byte| !byte.is_ascii_whitespace()) {
            self.at += 1;
        }
        (self.at > start).then(|| &self.bytes[start..self.at])
    }

    /// Returns the next word, which must exist.
    pub fn word(&mut self, what: impl FnOnce() -> String) -> Result<&'a [u8], FormatError> {
        self.maybe_word().ok_or_else(|| self.error(Fault::Ended { what: what() }))
    }

    /// Parses the next word as a number of any kind.
    pub fn number<T: std::str::FromStr>(&mut self, what: impl Fn() -> String) -> Result<T, FormatError> {
        let word = self.word(&what)?;
        parse(word).ok_or_else(|| {
            let fault = Fault::NotNumber { what: what(), found: quote(word) };
            self.error_at(self.at - word.len(), fault)
        })
    }

    /// Parses the next word as a count of things that take at least `least` bytes each of the rest; lenient readers
    /// count for themselves.
    pub fn count(&mut self, things: &str, least: usize) -> Result<usize, FormatError> {
        let count: u64 = self.number(|| format!("the number of {things}"))?;
        let limit = (self.left() / least.max(1)) as u64;
        if count > limit && !self.care.is_lenient() {
            return Err(self.error(Fault::TooMany { what: things.to_string(), count, limit }));
        }
        Ok(count as usize)
    }
}

/// Parses a word as a number.
pub(crate) fn parse<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}
