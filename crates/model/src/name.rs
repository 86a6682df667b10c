//! Closest name, for errors that suggest one.

/// Returns the candidate with the fewest single-letter edits from `name` (the first of equals); `None` without
/// candidates.
pub fn closest_name<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates.into_iter().min_by_key(|candidate| edits(name, candidate))
}

/// Computes the Levenshtein distance, one row of the table at a time.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let keep_or_replace = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = keep_or_replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_is_the_likely_one() {
        assert_eq!(closest_name("shel", ["core", "shell", "surface"]), Some("shell"));
        assert_eq!(closest_name("", ["a"]), Some("a"));
        assert_eq!(closest_name("x", []), None);
        assert_eq!((edits("kitten", "sitting"), edits("", "abc"), edits("same", "same")), (3, 3, 0));
    }
}
