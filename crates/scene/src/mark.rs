//! Marks: parts of a text, kept beside the data for messages only.

use std::ops::{Deref, Range};

/// Span in a text that a value was read from [bytes]. Data made in code has none. All marks are equal: two scenes with
/// the same values are equal, wherever these stand in their files.
#[derive(Debug, Clone, Default)]
pub struct Mark(Range<usize>);

impl PartialEq for Mark {
    fn eq(&self, _: &Mark) -> bool {
        true
    }
}

impl From<Range<usize>> for Mark {
    fn from(span: Range<usize>) -> Mark {
        Mark(span)
    }
}

impl Deref for Mark {
    type Target = Range<usize>;

    fn deref(&self) -> &Range<usize> {
        &self.0
    }
}
