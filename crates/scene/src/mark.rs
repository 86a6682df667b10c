//! Marks: the place of a text where something was said, kept beside the data for messages only.

use std::ops::{Deref, Range};

/// The place of a text where something was said [bytes]. Data made in code has none. All marks are equal: two scenes that say
/// the same are the same, wherever they say it.
#[derive(Debug, Clone, Default)]
pub struct Mark(Range<usize>);

impl PartialEq for Mark {
    fn eq(&self, _: &Mark) -> bool {
        true
    }
}

impl From<Range<usize>> for Mark {
    fn from(place: Range<usize>) -> Mark {
        Mark(place)
    }
}

impl Deref for Mark {
    type Target = Range<usize>;

    fn deref(&self) -> &Range<usize> {
        &self.0
    }
}
