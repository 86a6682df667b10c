//! Checks of a single value against its kind.

use super::suggest::similar;
use crate::problem::{Found, Source};
use crate::spec::{Bounds, Key, Kind};
use crate::tree::Value;
use toml::Spanned;
use toml::de::DeValue;

/// Longest list: scenes are written by people.
const MOST_LISTED: usize = 1_000_000;

/// Returns the checked value, or [`Value::Broken`] and a problem.
pub(crate) fn check(key: &Key, value: &Spanned<DeValue>, found: &mut Found) -> Value {
    if let Some(value) = convert(&key.kind, value.get_ref()) {
        return value;
    }
    let culprit = culprit(&key.kind, value);
    let mut message = format!("`{}` takes {}, not {}", key.name, key.takes(), describe(culprit, found.source));
    let mut suggestion = None;
    match (&key.kind, culprit.get_ref()) {
        (Kind::Word(words), DeValue::String(word)) => {
            let all = words.iter().flat_map(|(name, aliases)| std::iter::once(*name).chain(aliases.iter().copied()));
            suggestion = similar(word, all);
        }
        (Kind::Flag | Kind::Number(_) | Kind::Count { .. } | Kind::CountOr { .. }, DeValue::String(text))
            if text.parse::<f64>().is_ok() =>
        {
            message.push_str("; remove the quotes");
        }
        (Kind::CountOr { word, .. }, DeValue::String(text)) => suggestion = similar(text, [*word]),
        (Kind::Count { .. } | Kind::CountOr { .. } | Kind::Counts { .. }, DeValue::Float(_)) => {
            message.push_str("; write it without a point");
        }
        _ if !key.hint.is_empty() => {
            message.push_str("; ");
            message.push_str(key.hint);
        }
        _ => {}
    }
    found.suggest(&culprit.span(), message, suggestion);
    Value::Broken
}

fn convert(kind: &Kind, value: &DeValue) -> Option<Value> {
    match kind {
        Kind::Flag => value.as_bool().map(Value::Flag),
        Kind::Number(bounds) => number(value).filter(|x| bounds.holds(*x)).map(Value::Number),
        Kind::Count { min, max } => count(value).filter(|n| (min..=max).contains(&n)).map(Value::Count),
        Kind::CountOr { min, max, word } => match value.as_str() {
            Some(text) => (text == *word).then(|| Value::Text(text.to_string())),
            None => convert(&Kind::Count { min: *min, max: *max }, value),
        },
        Kind::Text => value.as_str().map(|text| Value::Text(text.to_string())),
        Kind::Word(words) => {
            let word = value.as_str()?;
            let (name, _) = words.iter().find(|(name, aliases)| *name == word || aliases.contains(&word))?;
            Some(Value::Text(name.to_string()))
        }
        Kind::Numbers { components, bounds, spread } => {
            let one = number(value).filter(|_| *spread || *components == 1).map(|x| vec![x; *components]);
            let numbers = one.or_else(|| array(value, number).filter(|x| x.len() == *components))?;
            numbers.iter().all(|x| bounds.holds(*x)).then_some(Value::Numbers(numbers))
        }
        Kind::Counts { components, min, max } => {
            let one = count(value).map(|n| vec![n; *components]);
            let counts = one.or_else(|| array(value, count).filter(|n| n.len() == *components))?;
            counts.iter().all(|n| (min..=max).contains(&n)).then_some(Value::Counts(counts))
        }
        Kind::Direction => vector(value).filter(|d| d.iter().any(|x| *x != 0.0)).map(|d| Value::Numbers(d.to_vec())),
        Kind::List(bounds) => {
            // A list of one may be a number: run.toml writes it so inside a table on one line.
            let listed = number(value).map(|x| vec![x]).or_else(|| array(value, number));
            listed.filter(|x| !x.is_empty() && x.iter().all(|x| bounds.holds(*x))).map(Value::Numbers)
        }
        Kind::Vectors { components } => {
            let padded = |row: &DeValue| array(row, finite).filter(|x| x.len() == *components).map(pad);
            array(value, padded).filter(|x| !x.is_empty()).map(Value::Vectors)
        }
        Kind::OneOf(_) | Kind::Table(_) | Kind::Tables(_) => None,
    }
}

/// Returns the wrong element of an array, if there is one, so that the message points at it.
fn culprit<'v, 'i>(kind: &Kind, value: &'v Spanned<DeValue<'i>>) -> &'v Spanned<DeValue<'i>> {
    let (each, length) = match kind {
        Kind::Numbers { components, bounds, .. } => (Kind::Number(*bounds), Some(*components)),
        Kind::Counts { components, min, max } => (Kind::Count { min: *min, max: *max }, Some(*components)),
        Kind::Direction => (Kind::Number(Bounds::FINITE), Some(3)),
        Kind::List(bounds) => (Kind::Number(*bounds), None),
        Kind::Vectors { components } => {
            (Kind::Numbers { components: *components, bounds: Bounds::FINITE, spread: false }, None)
        }
        _ => return value,
    };
    match value.get_ref().as_array() {
        Some(array) if length.is_none_or(|n| n == array.len()) => {
            array.iter().find(|element| convert(&each, element.get_ref()).is_none()).unwrap_or(value)
        }
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

fn count(value: &DeValue) -> Option<u64> {
    integer(value).and_then(|n| u64::try_from(n).ok())
}

/// Extends two numbers to three with 0.
fn pad(row: Vec<f64>) -> [f64; 3] {
    std::array::from_fn(|k| row.get(k).copied().unwrap_or(0.0))
}

fn vector(value: &DeValue) -> Option<[f64; 3]> {
    array(value, finite)?.try_into().ok()
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
    use crate::spec::Presence;

    #[test]
    fn a_count_or_a_word_is_either_and_nothing_else() {
        let key = Key::new("modes", Kind::CountOr { min: 0, max: 9, word: "auto" }, Presence::Optional, "", "");
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
