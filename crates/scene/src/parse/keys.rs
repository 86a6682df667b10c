//! Paths of keys: `body.bar.material.young`. Entries of lists go by name, or by number from 1.

use crate::problem::Keyed;
use crate::tree::{Table, Value};
use std::collections::BTreeMap;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// Returns every key and table of a text, with its span. The text was written by the program, so it can be read.
pub(super) fn of_text(text: &str) -> Vec<Keyed> {
    let mut list = Vec::new();
    of_table(DeTable::parse_recoverable(text).0.get_ref(), ["", ""], &mut list);
    list
}

fn of_table(table: &DeTable, [path, shown]: [&str; 2], list: &mut Vec<Keyed>) {
    for (key, value) in table.iter() {
        let [path, shown] = [path, shown].map(|outer| join(outer, key.get_ref()));
        for at in [key.span(), value.span()] {
            list.push(Keyed { path: path.clone(), shown: shown.clone(), at });
        }
        match value.get_ref() {
            DeValue::Table(table) => of_table(table, [&path, &shown], list),
            DeValue::Array(array) => {
                for (i, element) in array.iter().enumerate() {
                    let DeValue::Table(table) = element.get_ref() else { continue };
                    let number = (i + 1).to_string();
                    let name = table.get("name").and_then(|name| name.get_ref().as_str());
                    let path = join(&path, &number);
                    let shown = join(&shown, name.unwrap_or(&number));
                    list.push(Keyed { path: path.clone(), shown: shown.clone(), at: element.span() });
                    of_table(table, [&path, &shown], list);
                }
            }
            _ => {}
        }
    }
}

/// Returns the spans of all keys of a checked table, entries of lists by number.
pub(super) fn spans(table: &Table) -> BTreeMap<String, Range<usize>> {
    let mut spans = BTreeMap::new();
    add_spans(table, "", &mut spans);
    spans
}

fn add_spans(table: &Table, outer: &str, spans: &mut BTreeMap<String, Range<usize>>) {
    for (key, node) in &table.entries {
        let path = join(outer, key);
        match &node.value {
            Value::Table(inner) => add_spans(inner, &path, spans),
            Value::Tables(inner) => {
                for (i, table) in inner.iter().enumerate() {
                    let path = join(&path, &(i + 1).to_string());
                    add_spans(table, &path, spans);
                    spans.insert(path, table.at.clone());
                }
            }
            _ => {}
        }
        spans.insert(path, node.at.clone());
    }
}

/// Appends a word to a path, in quotes if it could be read as several.
fn join(path: &str, word: &str) -> String {
    let is_plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
    let word = if is_plain { word.to_string() } else { format!("{word:?}") };
    if path.is_empty() { word } else { format!("{path}.{word}") }
}

/// Splits a path into words with their spans; `None` if a quote does not end, or a word is empty.
pub(super) fn split(path: &str) -> Option<Vec<(String, Range<usize>)>> {
    let (mut words, mut start) = (Vec::new(), 0);
    loop {
        let rest = &path[start..];
        let (word, length) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let end = quoted.find('"')?;
                (&quoted[..end], end + 2)
            }
            None => {
                let end = rest.find('.').unwrap_or(rest.len());
                (rest[..end].trim(), end)
            }
        };
        if word.is_empty() {
            return None;
        }
        words.push((word.to_string(), start..start + length));
        match path[start + length..].trim_start() {
            "" => return Some(words),
            rest => start = path.len() - rest.strip_prefix('.')?.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{join, split};

    #[test]
    fn paths_are_put_together_and_taken_apart() {
        let words = |path| split(path).map(|words| words.into_iter().map(|(word, _)| word).collect::<Vec<_>>());
        assert_eq!(words("run.duration").unwrap(), ["run", "duration"]);
        assert_eq!(words("body.\"a.b\".scale").unwrap(), ["body", "a.b", "scale"]);
        assert_eq!(words("title").unwrap(), ["title"]);
        for wrong in ["", ".", "a.", ".a", "a..b", "a.\"b", "a.\"b\"c"] {
            assert_eq!(words(wrong), None, "{wrong}");
        }
        assert_eq!(words(&join("body", "a.b c")).unwrap(), ["body", "a.b c"]);
        let (_, span) = split("body.bar.scale").unwrap().pop().unwrap();
        assert_eq!(&"body.bar.scale"[span], "scale");
    }
}
