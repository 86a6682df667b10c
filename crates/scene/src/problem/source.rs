//! The text that a scene is read from, and parts of it.

use super::Problem;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Most characters shown of a line; scenes may have very long ones.
const MOST_SHOWN: usize = 120;

/// The text of a scene, and of the flags that override parts of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Source {
    /// Name of the file in messages.
    pub name: String,
    /// The file, followed by a line for each flag.
    pub text: String,
    /// Length of the file itself [bytes].
    pub file_length: usize,
    /// Keys of a text that the program wrote and no user has seen: messages name them.
    pub keys: Option<Keys>,
    /// Lines after the file that were added in code, each with the path of the key that it sets.
    pub set: Vec<(Range<usize>, String)>,
}

/// Keys of a text that the program wrote.
#[derive(Debug, Clone)]
pub(crate) struct Keys {
    /// Every key and table.
    pub list: Vec<Keyed>,
    /// Earlier text with the same contents.
    pub origin: Option<Arc<Said>>,
}

/// A key or table of a text.
#[derive(Debug, Clone)]
pub(crate) struct Keyed {
    /// Its path, entries of lists by number: `body.1.scale`.
    pub path: String,
    /// Its path, entries of lists by name where they have one: `body.bar.scale`.
    pub shown: String,
    /// Its span.
    pub at: Range<usize>,
}

/// Text that a scene was read from, kept for messages only.
#[derive(Debug)]
pub(crate) struct Said {
    pub source: Source,
    /// Spans of keys by path, entries of lists by number: `body.1.scale`.
    pub spans: BTreeMap<String, Range<usize>>,
    /// Contents, as the program writes them. A scene that is written differently was changed since.
    pub written: String,
}

impl Said {
    /// Returns the span of a key, or of its table if it has none.
    pub fn span(&self, path: &str) -> Range<usize> {
        let outer = || path.rsplit_once('.').map(|(outer, _)| self.span(outer));
        self.spans.get(path).cloned().or_else(outer).unwrap_or_default()
    }
}

impl Keys {
    /// Returns the innermost key or table that holds a byte of the text.
    fn find(&self, at: usize) -> Option<&Keyed> {
        self.list.iter().filter(|key| key.at.contains(&at)).min_by_key(|key| key.at.len())
    }
}

impl Source {
    /// Returns a source with this text.
    pub fn new(name: &str, text: &str) -> Source {
        Source { name: name.to_string(), text: text.to_string(), file_length: text.len(), keys: None, set: vec![] }
    }

    /// Adds a line of the command line, such as `--step 0.01`; returns its beginning.
    pub fn push_line(&mut self, line: &str) -> usize {
        self.text.push('\n');
        self.text.push_str(line);
        self.text.len() - line.len()
    }

    /// Describes a part of the text: a line, or a key if there is no text to show.
    pub fn words(&self, at: &Range<usize>) -> String {
        let problem = self.problem(at.clone(), String::new(), None);
        problem.key.unwrap_or_else(|| format!("line {}", problem.line))
    }

    /// Returns the problem at `span`.
    pub fn problem(&self, span: Range<usize>, message: String, suggestion: Option<String>) -> Problem {
        if let Some(keys) = self.keys.as_ref().filter(|_| span.start <= self.file_length) {
            // The whole text has no key, though its first key begins there.
            let key = if span == (0..0) { None } else { keys.find(span.start) };
            if let Some(origin) = &keys.origin {
                let span = key.map(|key| origin.span(&key.path)).unwrap_or_default();
                return origin.source.problem(span, message, suggestion);
            }
            let key = key.map(|key| key.shown.clone());
            return Problem { key, ..Problem::of_file(&self.name, message, suggestion) };
        }
        if let Some((_, path)) = self.set.iter().find(|(line, _)| line.contains(&span.start)) {
            return Problem { key: Some(path.clone()), ..Problem::of_file(&self.name, message, suggestion) };
        }
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
            key: None,
        }
    }
}

/// Returns the start of the character that holds this byte.
fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}
