//! Checks of a single value against its kind.

use super::suggest::similar;
use crate::problem::{Found, Source};
use crate::spec::{Content, Key};
use crate::tree::Value;
use model::parameter::{self, Kind, Range};
use toml::Spanned;
use toml::de::DeValue;

/// Longest list: scenes are written by people.
const MOST_LISTED: usize = 1_000_000;

/// Returns the checked value, or [`Value::Broken`] and a problem.
pub(crate) fn check(key: &Key, value: &Spanned<DeValue>, found: &mut Found) -> Value {
    if let Some(accepted) = accepted(&key.content, value.get_ref()) {
        return key.content.form(accepted);
    }
    let culprit = culprit(&key.content, value);
    let mut message = format!("`{}` takes {}, not {}", key.name, key.takes(), describe(culprit, found.source));
    let mut suggestion = None;
    match (&key.content, culprit.get_ref()) {
        (Content::Row(rows), DeValue::String(word)) => {
            let all = rows.iter().flat_map(|(name, aliases)| std::iter::once(*name).chain(aliases.iter().copied()));
            suggestion = similar(word, all);
        }
        (Content::Value(Kind::Word { choices }), DeValue::String(word)) => {
            suggestion = similar(word, choices.iter().copied());
        }
        (Content::Value(kind), DeValue::String(text)) if is_single(kind) && text.parse::<f64>().is_ok() => {
            message.push_str("; remove the quotes");
        }
        (Content::Value(Kind::CountOr { word, .. } | Kind::NumberOr { word, .. }), DeValue::String(text)) => {
            suggestion = similar(text, [*word]);
        }
        (Content::Value(Kind::Count { .. } | Kind::CountOr { .. }), DeValue::Float(_)) => {
            message.push_str("; write it without a point");
        }
        _ if !key.why().is_empty() => {
            message.push_str("; ");
            message.push_str(key.why());
        }
        _ => {}
    }
    found.suggest(&culprit.span(), message, suggestion);
    Value::Broken
}

/// Returns whether a kind is written as one word, without brackets and quotes.
fn is_single(kind: &Kind) -> bool {
    match kind {
        Kind::Flag | Kind::CountOr { .. } | Kind::NumberOr { .. } => true,
        Kind::Number { components, .. } | Kind::Count { components, .. } => *components == 1,
        _ => false,
    }
}

/// Returns a value that this content takes, with all its components; aliases give way to names.
fn accepted(content: &Content, value: &DeValue) -> Option<parameter::Value> {
    match content {
        Content::Value(kind) => kind.accepts(&written(kind, value)?),
        Content::Row(rows) => {
            let word = value.as_str()?;
            let (name, _) = rows.iter().find(|(name, aliases)| *name == word || aliases.contains(&word))?;
            Some(parameter::Value::from(*name))
        }
        Content::OneOf(_) | Content::Table(_) | Content::Tables(_) => None,
    }
}

/// Reads a value as it is written: numbers with a point are no counts, and an array has as many elements as the kind has
/// components.
fn written(kind: &Kind, value: &DeValue) -> Option<parameter::Value> {
    let numbers = |length: usize, each: fn(&DeValue) -> Option<f64>| {
        let listed = || array(value, each).filter(|list| length > 1 && list.len() == length);
        each(value).map(|x| vec![x]).or_else(listed).map(parameter::Value::Numbers)
    };
    let word = || value.as_str().map(parameter::Value::from);
    match *kind {
        Kind::Flag => value.as_bool().map(parameter::Value::Flag),
        Kind::Number { components, .. } => numbers(components, number),
        Kind::Count { components, .. } => numbers(components, count),
        Kind::CountOr { .. } => word().or_else(|| numbers(1, count)),
        Kind::NumberOr { .. } => word().or_else(|| numbers(1, number)),
        Kind::Direction => array(value, number).map(parameter::Value::Numbers),
        Kind::List { .. } => {
            // A list of one may be a number: run.toml writes it so inside a table on one line.
            number(value).map(|x| vec![x]).or_else(|| array(value, number)).map(parameter::Value::Numbers)
        }
        Kind::Points { components } => {
            let padded = |row: &DeValue| array(row, finite).filter(|x| x.len() == components).map(pad);
            array(value, padded).map(parameter::Value::Points)
        }
        Kind::Word { .. } | Kind::Text => word(),
    }
}

/// Returns the wrong element of an array, if there is one, so that the message points at it.
fn culprit<'v, 'i>(content: &Content, value: &'v Spanned<DeValue<'i>>) -> &'v Spanned<DeValue<'i>> {
    let one = |range: Range| Kind::Number { components: 1, range };
    let (each, length) = match content {
        Content::Value(Kind::Number { components, range }) => (one(*range), Some(*components)),
        Content::Value(Kind::Count { components, range }) => {
            (Kind::Count { components: 1, range: *range }, Some(*components))
        }
        Content::Value(Kind::Direction) => (Kind::FINITE, Some(3)),
        Content::Value(Kind::List { range }) => (one(*range), None),
        Content::Value(Kind::Points { components }) => {
            (Kind::Number { components: *components, range: Range::Any }, None)
        }
        _ => return value,
    };
    let is_wrong = |element: &&Spanned<DeValue>| accepted(&Content::Value(each), element.get_ref()).is_none();
    match value.get_ref().as_array() {
        Some(array) if length.is_none_or(|n| n > 1 && n == array.len()) => array.iter().find(is_wrong).unwrap_or(value),
        _ => value,
    }
}

fn number(value: &DeValue) -> Option<f64> {
    match value {
        DeValue::Float(float) => float.as_str().parse().ok(),
        DeValue::Integer(_) => integer(value).map(|n| n as f64),
        _ => None,
    }
}

fn finite(value: &DeValue) -> Option<f64> {
    number(value).filter(|x| x.is_finite())
}

fn integer(value: &DeValue) -> Option<i128> {
    let integer = value.as_integer()?;
    i128::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// Returns a whole number; those above 2^53 are rounded, and larger than any count.
fn count(value: &DeValue) -> Option<f64> {
    integer(value).map(|n| n as f64)
}

/// Extends two numbers to three with 0.
fn pad(row: Vec<f64>) -> [f64; 3] {
    std::array::from_fn(|k| row.get(k).copied().unwrap_or(0.0))
}

fn array<T>(value: &DeValue, each: impl Fn(&DeValue) -> Option<T>) -> Option<Vec<T>> {
    let array = value.as_array()?;
    if array.len() > MOST_LISTED { None } else { array.iter().map(|element| each(element.get_ref())).collect() }
}

/// Describes a value, for messages.
pub(crate) fn describe(value: &Spanned<DeValue>, source: &Source) -> String {
    let text = source.text.get(value.span()).unwrap_or_default();
    let short = |limit: usize| -> String {
        let shown: String = text.chars().take(limit).map(|c| if c.is_control() { ' ' } else { c }).collect();
        if text.chars().nth(limit).is_some() { format!("{shown}...") } else { shown }
    };
    match value.get_ref() {
        DeValue::String(_) => format!("the string {}", short(40)),
        DeValue::Array(array) if text.len() > 40 => format!("an array of {}", array.len()),
        DeValue::Array(_) => short(40),
        DeValue::Table(_) => "a table".to_string(),
        DeValue::Datetime(_) => format!("the date {}", short(40)),
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) => short(40),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::parameter::Preset;

    #[test]
    fn a_count_or_a_word_is_either_and_nothing_else() {
        let key = Key::new("modes", Kind::CountOr { range: [0, 9], word: "auto" }, Preset::Optional, "", "");
        let says = |text: &str| {
            let source = Source::new("test", text);
            let mut found = Found::new(&source);
            let value = DeValue::parse(text).map(|value| check(&key, &value, &mut found));
            (value.unwrap(), found.into_problems().to_string())
        };
        assert_eq!(says("7").0, Value::Count(7));
        assert_eq!(says("\"auto\"").0, Value::Text("auto".to_string()));
        for (text, message) in [
            ("10", "`modes` takes a whole number from 0 to 9 or \"auto\", not 10"),
            ("-1", "not -1"),
            ("2.0", "write it without a point"),
            ("\"7\"", "remove the quotes"),
            ("\"atuo\"", "did you mean `auto`?"),
            ("true", "not true"),
        ] {
            let (value, problems) = says(text);
            assert_eq!(value, Value::Broken, "{text}");
            assert!(problems.contains(message), "{text}: {problems}");
        }
    }
}
