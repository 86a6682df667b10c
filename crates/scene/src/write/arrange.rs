//! Arranges the entries of a table in the order and kinds of the spec.

use crate::spec::{Key, Kind, Section};
use crate::tree::{Table, Value};

/// Puts the entries of a table, and of tables inside, in the order of the spec. Unknown entries come last.
pub(super) fn arrange(section: &Section, table: Table) -> Table {
    let choice = section.choice.as_ref();
    let word = choice.and_then(|choice| table.maybe_text(choice.key).ok().flatten());
    let chosen = word.and_then(|word| section.variant(word)).map(|variant| variant.keys.as_slice());
    let keys: Vec<&Key> = section.keys.iter().chain(chosen.unwrap_or_default()).collect();
    let order: Vec<&str> = choice.map(|choice| choice.key).into_iter().chain(keys.iter().map(|key| key.name)).collect();
    let rank = |name: &str| order.iter().position(|known| *known == name).unwrap_or(order.len());
    let mut table = table;
    table.entries.sort_by_key(|(name, _)| rank(name));
    for (name, node) in &mut table.entries {
        if let Some(key) = keys.iter().find(|key| key.name == *name) {
            node.value = conform(&key.kind, std::mem::replace(&mut node.value, Value::Broken));
        }
    }
    table
}

/// Converts a value to the kind of the spec: counts become whole numbers, one number that stands for several is
/// repeated.
fn conform(kind: &Kind, value: Value) -> Value {
    match (kind, value) {
        (Kind::Table(section), Value::Table(table)) => Value::Table(arrange(section, table)),
        (Kind::Tables(section), Value::Tables(tables)) => {
            Value::Tables(tables.into_iter().map(|table| arrange(section, table)).collect())
        }
        (Kind::OneOf(keys), Value::Table(mut table)) => {
            for (name, node) in &mut table.entries {
                if let Some(key) = keys.iter().find(|key| key.name == *name) {
                    node.value = conform(&key.kind, std::mem::replace(&mut node.value, Value::Broken));
                }
            }
            Value::Table(table)
        }
        (Kind::Number(_), Value::Numbers(numbers)) if numbers.len() == 1 => Value::Number(numbers[0]),
        (Kind::Count { .. } | Kind::CountOr { .. }, Value::Numbers(numbers)) if is_counts(&numbers, 1) => {
            Value::Count(numbers[0] as u64)
        }
        (Kind::Numbers { components, spread: true, .. }, Value::Numbers(numbers)) if numbers.len() == 1 => {
            Value::Numbers(vec![numbers[0]; *components])
        }
        (Kind::Counts { components, .. }, Value::Numbers(numbers)) if is_counts(&numbers, 1) => {
            Value::Counts(vec![numbers[0] as u64; *components])
        }
        (Kind::Counts { components, .. }, Value::Numbers(numbers)) if is_counts(&numbers, *components) => {
            Value::Counts(numbers.iter().map(|x| *x as u64).collect())
        }
        (_, value) => value,
    }
}

/// Returns whether these are so many whole numbers. Others are written as they are, and refused as they would be in a
/// file.
fn is_counts(numbers: &[f64], length: usize) -> bool {
    numbers.len() == length && numbers.iter().all(|x| x.fract() == 0.0 && (0.0..=u64::MAX as f64).contains(x))
}
