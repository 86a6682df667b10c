//! Words of files as messages quote them.

/// Characters of a word that a message quotes.
const MOST_QUOTED: usize = 40;

/// A word as messages quote it: short, without control characters.
pub(crate) fn quote(word: &[u8]) -> String {
    shorten(&String::from_utf8_lossy(word), MOST_QUOTED)
}

/// At most so many characters of a text, without control characters.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    let shown: String = text.chars().map(|c| if c.is_control() { '?' } else { c }).take(most).collect();
    if text.chars().nth(most).is_some() { shown + "..." } else { shown }
}
