//! Problems of a scene, reported like those of a compiler: line, message, advice.

mod found;
mod source;

pub(crate) use found::{Found, Spans};
pub(crate) use source::{Keyed, Keys, Said, Source};

use serde_json::{Value, json};
use std::fmt;
use std::ops::Range;

/// A problem of a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file, or "command line" for its flags.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Span in the text [bytes].
    pub span: Range<usize>,
    /// Line of the problem; of a very long one the part around it.
    pub text: String,
    /// Number of characters of the line before `text`.
    pub skipped: usize,
    /// The problem and advice.
    pub message: String,
    /// Similar word that was probably meant.
    pub suggestion: Option<String>,
    /// Path of the key, for a scene that was made or changed in code: it has no text to show.
    pub key: Option<String>,
}

/// All problems of a scene, in the order of the file. Never empty when it is an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems {
    /// The problems.
    pub list: Vec<Problem>,
    /// Number of problems that are not listed.
    pub more: usize,
}

impl Problem {
    /// Returns a problem without a line to show.
    fn of_file(file: &str, message: String, suggestion: Option<String>) -> Problem {
        let (file, text) = (file.to_string(), String::new());
        Problem { file, line: 1, column: 1, span: 0..0, text, skipped: 0, message, suggestion, key: None }
    }

    /// Returns the form that programs read.
    pub fn to_json(&self) -> Value {
        json!({
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "span": [self.span.start, self.span.end],
            "text": self.text,
            "message": self.message,
            "suggestion": self.suggestion,
            "key": self.key,
        })
    }

    /// Returns the number of characters of `text` before the problem, and of its own.
    fn marked(&self) -> (usize, usize) {
        let before = self.column - 1 - self.skipped;
        let start: usize = self.text.chars().take(before).map(char::len_utf8).sum();
        let wrong = self.text.get(start..start + self.span.len()).unwrap_or(&self.text[start..]);
        (before, wrong.chars().count().max(1))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let (before, width) = self.marked();
        // Control characters would break the picture, or the terminal.
        let shown = |c: char| if c.is_control() { ' ' } else { c };
        let line: String = self.text.chars().map(shown).collect();
        writeln!(f, "error: {}", self.message)?;
        if let Some(key) = &self.key {
            let meant = self.suggestion.iter().map(|word| format!(" did you mean `{word}`?")).collect::<String>();
            return writeln!(f, "{margin}--> {}: {key}{meant}", self.file);
        }
        // An empty or unreadable file has no line to show.
        if self.text.is_empty() && (self.line, self.column) == (1, 1) {
            return writeln!(f, "{margin}--> {}", self.file);
        }
        writeln!(f, "{margin}--> {}:{}:{}", self.file, self.line, self.column)?;
        writeln!(f, "{margin} |")?;
        writeln!(f, "{number} | {}", line.trim_end())?;
        write!(f, "{margin} | {}{}", " ".repeat(before), "^".repeat(width))?;
        match &self.suggestion {
            Some(word) => writeln!(f, " did you mean `{word}`?"),
            None => writeln!(f),
        }
    }
}

impl Problems {
    /// Returns one problem with a whole file, such as one that cannot be read.
    pub fn of_file(file: &str, message: String) -> Problems {
        Problems { list: vec![Problem::of_file(file, message, None)], more: 0 }
    }

    /// Returns whether there are no problems.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the form that programs read.
    pub fn to_json(&self) -> Value {
        json!({ "problems": self.list.iter().map(Problem::to_json).collect::<Vec<_>>(), "more": self.more })
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.list {
            writeln!(f, "{problem}")?;
        }
        if self.more > 0 {
            writeln!(f, "and {} more; correct these first", self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}
