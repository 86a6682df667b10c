//! run.toml: a checked scene as a file, every default filled in, units beside the numbers.

use super::{Content, Key, Section, root};
use crate::tree::{Table, Value};
use model::parameter::Kind;

/// Returns the file of a table.
pub(crate) fn write(scene: &Table) -> String {
    let mut out = String::new();
    body(&mut out, root(), scene, "");
    out
}

/// Writes the keys of a table; those that are tables with a header of their own come last.
fn body(out: &mut String, section: &Section, table: &Table, path: &str) {
    let mut later = Vec::new();
    for (name, node) in &table.entries {
        let key = find(section, table, name);
        match (&node.value, key.map(|key| &key.content)) {
            (Value::Table(inner), Some(Content::Table(section))) if path.is_empty() || has_tables(inner) => {
                later.push((*name, section, vec![inner]))
            }
            (Value::Tables(inner), Some(Content::Tables(section))) => {
                later.push((*name, section, inner.iter().collect()))
            }
            (value, content) => {
                let unit = key.map_or("", |key| key.unit);
                let comment = if unit.is_empty() || content.is_none() { String::new() } else { format!(" # [{unit}]") };
                let text = match (value, content) {
                    // A list stays a list, however short.
                    (Value::Vectors(rows), Some(Content::Value(Kind::Points { components }))) => {
                        format!("{:?}", rows.iter().map(|row| &row[..*components]).collect::<Vec<_>>())
                    }
                    (Value::Numbers(numbers), Some(Content::Value(Kind::List { .. }))) => format!("{numbers:?}"),
                    _ => text(value),
                };
                out.push_str(&format!("{name} = {text}{comment}\n"));
            }
        }
    }
    for (name, inner_section, tables) in later {
        let is_array = matches!(table.get(name).map(|node| &node.value), Some(Value::Tables(_)));
        let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        for inner in tables {
            out.push_str(&if is_array { format!("\n[[{path}]]\n") } else { format!("\n[{path}]\n") });
            body(out, inner_section, inner, &path);
        }
    }
}

/// Returns whether a table does not fit on a line.
fn has_tables(table: &Table) -> bool {
    table.entries.iter().any(|(_, node)| matches!(&node.value, Value::Tables(tables) if !tables.is_empty()))
}

/// Returns the key of this name, of the section or of its chosen variant.
fn find<'s>(section: &'s Section, table: &Table, name: &str) -> Option<&'s Key> {
    let chosen = section.choice.as_ref().and_then(|choice| section.variant(table.maybe_text(choice.key).ok()??));
    section.keys.iter().chain(chosen.iter().flat_map(|variant| &variant.keys)).find(|key| key.name == name)
}

/// Returns a value in TOML, on one line.
pub(super) fn text(value: &Value) -> String {
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    // Debug writes the shortest decimal that reads back as the same number, and `inf` as TOML does; `NaN` it does not.
    let number = |x: &f64| if x.is_nan() { "nan".to_string() } else { format!("{x:?}") };
    match value {
        Value::Flag(flag) => flag.to_string(),
        Value::Number(x) => number(x),
        Value::Count(n) => n.to_string(),
        Value::Text(text) => toml::Value::String(text.clone()).to_string(),
        Value::Numbers(numbers) if numbers.len() == 1 => number(&numbers[0]),
        Value::Numbers(numbers) => list(numbers.iter().map(number).collect()),
        Value::Counts(counts) if counts.len() == 1 => counts[0].to_string(),
        Value::Counts(counts) => list(counts.iter().map(u64::to_string).collect()),
        Value::Vectors(vectors) => list(vectors.iter().map(|v| list(v.iter().map(number).collect())).collect()),
        Value::Table(table) => {
            let entries: Vec<String> =
                table.entries.iter().map(|(name, node)| format!("{name} = {}", text(&node.value))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Value::Tables(tables) => list(tables.iter().map(|table| text(&Value::Table(table.clone()))).collect()),
        Value::Broken => String::new(), // never in a scene
    }
}
