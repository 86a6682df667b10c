//! Suggestions for misspelt words.

use model::mesh::closest_name;

/// Returns the most similar of some names, if it is similar enough.
pub(crate) fn similar<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A key of a thousand letters is no misspelling, and comparing it would be slow.
    if word.len() > 60 {
        return None;
    }
    let lower = word.to_lowercase();
    closest_name(&lower, names).filter(|name| alike(&lower, name))
}

/// Returns whether most letters are shared: the most similar name of a list may still be quite different.
fn alike(a: &str, b: &str) -> bool {
    let mut left: Vec<char> = b.chars().collect();
    let letters = a.chars().count() + left.len();
    let shared = a.chars().filter(|c| left.iter().position(|d| d == c).map(|i| left.swap_remove(i)).is_some()).count();
    // Both words count: 2 shared / letters is 1 for anagrams.
    10 * 2 * shared >= 6 * letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_close_is_suggested() {
        assert_eq!(similar("yung", ["young", "poisson", "density"]), Some("young"));
        assert_eq!(similar("Duration", ["duration"]), Some("duration"));
        assert_eq!(similar("backwards-euler", ["backward-euler", "bdf2"]), Some("backward-euler"));
        assert_eq!(similar("colour", ["young", "poisson"]), None);
        assert_eq!(similar(&"a".repeat(1000), ["a"]), None);
    }
}
