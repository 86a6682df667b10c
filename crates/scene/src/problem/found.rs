//! Problems as they are found.

use super::{Problems, Source};
use std::ops::Range;

/// Longest list that is useful.
const MOST_LISTED: usize = 100;
/// Most characters of a message: it may quote a name of any length.
const MOST_SAID: usize = 800;

/// Disjoint parts of a text, ascending.
pub(crate) struct Spans(Vec<Range<usize>>);

impl Spans {
    fn new(mut spans: Vec<Range<usize>>) -> Spans {
        spans.sort_by_key(|span| (span.start, span.end));
        let mut disjoint: Vec<Range<usize>> = Vec::new();
        for span in spans.into_iter().filter(|span| !span.is_empty()) {
            match disjoint.last_mut().filter(|last| span.start < last.end) {
                Some(last) => last.end = last.end.max(span.end),
                None => disjoint.push(span),
            }
        }
        Spans(disjoint)
    }

    /// Returns true if one of them overlaps a part of the text.
    pub fn overlap(&self, at: &Range<usize>) -> bool {
        let next = self.0.partition_point(|span| span.end <= at.start);
        self.0.get(next).is_some_and(|span| span.start < at.end)
    }
}

/// Problems as they are found, in any order.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    pub source: &'a Source,
    found: Vec<(Range<usize>, String, Option<String>)>,
    /// Number of further problems, which come after all listed ones.
    more: usize,
}

impl<'a> Found<'a> {
    pub fn new(source: &'a Source) -> Found<'a> {
        Found { source, found: Vec::new(), more: 0 }
    }

    pub fn add(&mut self, span: &Range<usize>, message: impl Into<String>) {
        self.suggest(span, message, None);
    }

    /// Adds the errors of a parser, given as span and message, each once: `words` makes the text of a problem. A file
    /// may have millions, so text is made only for those that can be listed.
    pub fn add_errors(&mut self, mut errors: Vec<(Range<usize>, &str)>, words: impl Fn(&str) -> String) {
        errors.sort_by_key(|(span, _)| (span.start, span.end));
        errors.dedup();
        self.more += errors.len().saturating_sub(MOST_LISTED);
        errors.iter().take(MOST_LISTED).for_each(|(span, message)| self.add(span, words(message)));
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

    /// Returns the spans of the problems.
    pub fn spans(&self) -> Spans {
        Spans::new(self.found.iter().map(|(span, ..)| span.clone()).collect())
    }

    /// Adds problems elsewhere in the text: where there is a problem already, it is kept.
    pub fn take_new(&mut self, others: Found) {
        let spans = self.spans();
        self.found.extend(others.found.into_iter().filter(|(span, ..)| !spans.overlap(span)));
    }

    /// Returns `Ok` if there are none.
    pub fn finish(self) -> Result<(), Problems> {
        if self.found.is_empty() { Ok(()) } else { Err(self.into_problems()) }
    }

    /// Returns the problems, in the order of the file.
    pub fn into_problems(mut self) -> Problems {
        self.found.sort_by_key(|(span, ..)| (span.start, span.end));
        self.found.dedup();
        let more = self.more + self.found.len().saturating_sub(MOST_LISTED);
        self.found.truncate(MOST_LISTED);
        let list = self.found.into_iter().map(|(span, message, word)| self.source.problem(span, message, word));
        Problems { list: list.collect(), more }
    }
}
