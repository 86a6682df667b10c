//! Arranges the entries of a table in the order and kinds of the spec.

use crate::spec::{Content, Key, Section};
use crate::tree::{Table, Value};
use model::parameter;

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
            node.value = conform(&key.content, std::mem::replace(&mut node.value, Value::Broken));
        }
    }
    table
}

/// Converts a value to the form of the spec.
fn conform(content: &Content, value: Value) -> Value {
    match (content, value) {
        (Content::Table(section), Value::Table(table)) => Value::Table(arrange(section, table)),
        (Content::Tables(section), Value::Tables(tables)) => {
            Value::Tables(tables.into_iter().map(|table| arrange(section, table)).collect())
        }
        (Content::OneOf(keys), Value::Table(mut table)) => {
            for (name, node) in &mut table.entries {
                if let Some(key) = keys.iter().find(|key| key.name == *name) {
                    node.value = conform(&key.content, std::mem::replace(&mut node.value, Value::Broken));
                }
            }
            Value::Table(table)
        }
        (content, Value::Numbers(numbers)) => content.form(parameter::Value::Numbers(numbers)),
        (_, value) => value,
    }
}
