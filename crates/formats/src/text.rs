//! A place in a text file that moves on, word by word or line by line.
//!
//! Lines are not counted on the way: an error counts them up to its byte, and only errors need to know.

use crate::care::Care;
use crate::error::{Fault, FormatError, Place};
pub(crate) use crate::quote::{quote, shorten};

/// A text and a place in it.
#[derive(Clone)]
pub(crate) struct Text<'a> {
    pub format: &'static str,
    pub bytes: &'a [u8],
    /// The next byte.
    pub at: usize,
    /// A byte that begins a comment up to the end of the line.
    pub comment: Option<u8>,
    /// What becomes of what is wrong.
    pub care: Care<'a>,
}

impl<'a> Text<'a> {
    pub fn new(format: &'static str, bytes: &'a [u8]) -> Text<'a> {
        Text { format, bytes, at: 0, comment: None, care: Care::STRICT }
    }

    /// The same text with comments that begin with this byte.
    pub fn with_comments(self, byte: u8) -> Text<'a> {
        Text { comment: Some(byte), ..self }
    }

    /// The same text, read so.
    pub fn with_care(self, care: Care<'a>) -> Text<'a> {
        Text { care, ..self }
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// An error at a byte.
    pub fn error_at(&self, at: usize, fault: Fault) -> FormatError {
        let before = &self.bytes[..at.min(self.bytes.len())];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        FormatError { format: self.format, place: Place::Line(line), fault }
    }

    /// An error here.
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

    /// Goes to the start of the next line.
    pub fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |i| i + 1);
    }

    /// The rest of this line without its end, and goes to the next; `None` at the end of the file.
    pub fn line(&mut self) -> Option<&'a [u8]> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let start = self.at;
        self.skip_line();
        Some(self.bytes[start..self.at].trim_ascii_end())
    }

    /// The next word, wherever it stands; `None` at the end of the file.
    pub fn maybe_word(&mut self) -> Option<&'a [u8]> {
        self.skip_blank();
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|byte| !byte.is_ascii_whitespace()) {
            self.at += 1;
        }
        (self.at > start).then(|| &self.bytes[start..self.at])
    }

    /// The next word, which must be there.
    pub fn word(&mut self, what: impl FnOnce() -> String) -> Result<&'a [u8], FormatError> {
        self.maybe_word().ok_or_else(|| self.error(Fault::Ended { what: what() }))
    }

    /// The next word as a number of any kind.
    pub fn number<T: std::str::FromStr>(&mut self, what: impl Fn() -> String) -> Result<T, FormatError> {
        let word = self.word(&what)?;
        parse(word).ok_or_else(|| {
            let fault = Fault::NotNumber { what: what(), found: quote(word) };
            self.error_at(self.at - word.len(), fault)
        })
    }

    /// The next word as a count of things that take at least `least` bytes each of what follows; lenient readers see for
    /// themselves how many there are.
    pub fn count(&mut self, things: &str, least: usize) -> Result<usize, FormatError> {
        let count: u64 = self.number(|| format!("the number of {things}"))?;
        let room = (self.left() / least.max(1)) as u64;
        if count > room && !self.care.is_lenient() {
            return Err(self.error(Fault::TooMany { what: things.to_string(), count, room }));
        }
        Ok(count as usize)
    }
}

/// A word as a number.
pub(crate) fn parse<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}
