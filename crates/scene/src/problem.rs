//! What is wrong with a scene, said as a compiler would: where, what, and what to do.

use serde_json::{Value, json};
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

/// One thing that is wrong with a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file, or "command line" for what its flags said.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Where it is in the text, in bytes.
    pub span: Range<usize>,
    /// The line it is on, of a very long one the part around it.
    pub text: String,
    /// How many characters of the line stand before `text`.
    pub skipped: usize,
    /// What is wrong and what to do.
    pub message: String,
    /// The word that was probably meant.
    pub suggestion: Option<String>,
}

/// Everything that is wrong with a scene, in the order of the file. Never empty when it is an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems {
    /// The problems.
    pub list: Vec<Problem>,
    /// How many more there are than are listed.
    pub more: usize,
}

/// A list longer than this helps nobody.
const MOST_LISTED: usize = 100;
/// Characters of a message: it may quote a name, and names may be of any length.
const MOST_SAID: usize = 800;
/// Characters shown of a line; scenes may have very long ones.
const MOST_SHOWN: usize = 120;

impl Problem {
    /// The form programs read.
    pub fn to_json(&self) -> Value {
        json!({
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "span": [self.span.start, self.span.end],
            "text": self.text,
            "message": self.message,
            "suggestion": self.suggestion,
        })
    }

    /// Characters of `text` before what is wrong, and how many are wrong.
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
        // Of a file that is empty or cannot be read there is no line to show.
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
    /// One problem with a whole file, such as one that cannot be read.
    pub fn of_file(file: &str, message: String) -> Problems {
        let (line, column, span) = (1, 1, 0..0);
        let (text, skipped, suggestion) = (String::new(), 0, None);
        let problem = Problem { file: file.to_string(), line, column, span, text, skipped, message, suggestion };
        Problems { list: vec![problem], more: 0 }
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The form programs read.
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

/// The text of a scene, and of the flags that override parts of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Source {
    /// What the file is called in messages.
    pub name: String,
    /// The file, and behind it a line for each flag.
    pub text: String,
    /// The directory that its relative paths start from.
    pub directory: PathBuf,
    /// Length of the file itself [bytes].
    pub file_length: usize,
}

impl Source {
    /// A text; its paths start from the directory that the program works in.
    pub fn new(name: &str, text: &str) -> Source {
        let directory = PathBuf::new();
        Source { name: name.to_string(), text: text.to_string(), directory, file_length: text.len() }
    }

    /// Adds a flag such as `--step 0.01`; says where its value is.
    pub fn push_flag(&mut self, flag: &str, value: &str) -> Range<usize> {
        let start = self.text.len() + 1 + flag.len() + 1;
        self.text.push_str(&format!("\n{flag} {value}"));
        start..start + value.len()
    }

    /// The problem with what is at `span`.
    pub fn problem(&self, span: Range<usize>, message: String, suggestion: Option<String>) -> Problem {
        let start = floor_boundary(&self.text, span.start);
        let line_start = self.text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |i| start + i);
        let in_file = start <= self.file_length;
        let column = self.text[line_start..start].chars().count() + 1;
        let skipped = if column > MOST_SHOWN * 2 / 3 { column - MOST_SHOWN / 3 } else { 0 };
        let line = self.text[line_start..line_end].trim_end_matches('\r');
        Problem {
            file: if in_file { self.name.clone() } else { "command line".to_string() },
            line: if in_file { self.text[..start].matches('\n').count() + 1 } else { 1 },
            column,
            text: line.chars().skip(skipped).take(MOST_SHOWN).collect(),
            skipped,
            span: start..span.end.clamp(start, self.text.len()),
            message,
            suggestion,
        }
    }
}

/// The start of the character that holds this byte.
fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

/// Parts of a text that have no characters in common, ascending.
pub(crate) struct Places(Vec<Range<usize>>);

impl Places {
    fn new(mut spans: Vec<Range<usize>>) -> Places {
        spans.sort_by_key(|span| (span.start, span.end));
        let mut places: Vec<Range<usize>> = Vec::new();
        for span in spans.into_iter().filter(|span| !span.is_empty()) {
            match places.last_mut().filter(|last| span.start < last.end) {
                Some(last) => last.end = last.end.max(span.end),
                None => places.push(span),
            }
        }
        Places(places)
    }

    /// Whether one of them has characters in common with a part of the text.
    pub fn touch(&self, at: &Range<usize>) -> bool {
        let next = self.0.partition_point(|place| place.end <= at.start);
        self.0.get(next).is_some_and(|place| place.start < at.end)
    }
}

/// Problems as they are found, in any order.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    pub source: &'a Source,
    found: Vec<(Range<usize>, String, Option<String>)>,
}

impl<'a> Found<'a> {
    pub fn new(source: &'a Source) -> Found<'a> {
        Found { source, found: Vec::new() }
    }

    pub fn add(&mut self, span: &Range<usize>, message: impl Into<String>) {
        self.suggest(span, message, None);
    }

    pub fn suggest(&mut self, span: &Range<usize>, message: impl Into<String>, suggestion: Option<&str>) {
        let mut message: String = message.into();
        if let Some((cut, _)) = message.char_indices().nth(MOST_SAID) {
            message.truncate(cut);
            message.push_str(" ...");
        }
        self.found.push((span.clone(), message, suggestion.map(str::to_string)));
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Where the problems are.
    pub fn places(&self) -> Places {
        Places::new(self.found.iter().map(|(span, ..)| span.clone()).collect())
    }

    /// Adds what was found elsewhere in the text: of one mistake the first words are enough.
    pub fn take_new(&mut self, others: Found) {
        let places = self.places();
        self.found.extend(others.found.into_iter().filter(|(span, ..)| !places.touch(span)));
    }

    /// `Ok` when there are none.
    pub fn finish(self) -> Result<(), Problems> {
        if self.found.is_empty() { Ok(()) } else { Err(self.into_problems()) }
    }

    /// What was found, in the order of the file.
    pub fn into_problems(mut self) -> Problems {
        self.found.sort_by_key(|(span, ..)| (span.start, span.end));
        self.found.dedup();
        let more = self.found.len().saturating_sub(MOST_LISTED);
        self.found.truncate(MOST_LISTED);
        let list = self.found.into_iter().map(|(span, message, word)| self.source.problem(span, message, word));
        Problems { list: list.collect(), more }
    }
}
