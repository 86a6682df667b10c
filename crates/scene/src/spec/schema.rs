//! The JSON schema of scene files, for editors that complete and check TOML.

use super::{Content, Key, Section, Variant, root};
use crate::tree;
use model::parameter::{Kind, Preset, Range};
use serde_json::{Map, Value, json};

/// Returns the JSON schema of scene files (draft 2020-12).
pub fn schema() -> Value {
    let mut schema = section(root());
    if let Value::Object(map) = &mut schema {
        map.insert("$schema".to_string(), json!("https://json-schema.org/draft/2020-12/schema"));
        map.insert("title".to_string(), json!("pliant scene"));
    }
    schema
}

fn section(section: &Section) -> Value {
    let Some(choice) = &section.choice else { return object(section.doc, section.keys.iter(), Vec::new()) };
    let variants = choice.variants.iter().map(|variant| {
        let tag = (choice.key, word(variant), choice.default == Some(variant.name));
        object(variant.doc, section.keys.iter().chain(&variant.keys), vec![tag])
    });
    json!({ "description": section.doc, "type": "object", "oneOf": variants.collect::<Vec<_>>() })
}

/// Matches the word of a variant, or one of its aliases.
fn word(variant: &Variant) -> Value {
    let names: Vec<&str> = std::iter::once(variant.name).chain(variant.aliases.iter().copied()).collect();
    json!({ "description": variant.doc, "enum": names })
}

fn object<'k>(doc: &str, keys: impl Iterator<Item = &'k Key>, tags: Vec<(&'static str, Value, bool)>) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (name, schema, optional) in tags {
        properties.insert(name.to_string(), schema);
        if !optional {
            required.push(name);
        }
    }
    for key in keys {
        properties.insert(key.name.to_string(), property(key));
        if key.default == Preset::Required {
            required.push(key.name);
        }
    }
    json!({
        "description": doc,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn property(key: &Key) -> Value {
    let mut schema = content(&key.content);
    if let Value::Object(map) = &mut schema {
        let unit = if key.unit.is_empty() { String::new() } else { format!(" [{}]", key.unit) };
        map.insert("description".to_string(), json!(format!("{}{unit}", key.doc)));
        if let Some(value) = key.preset() {
            map.insert("default".to_string(), plain(&value));
        }
    }
    schema
}

fn content(of: &Content) -> Value {
    match of {
        Content::Value(kind) => value(kind),
        Content::Row(rows) => {
            let names = rows.iter().flat_map(|(name, aliases)| std::iter::once(name).chain(aliases.iter()));
            json!({ "enum": names.collect::<Vec<_>>() })
        }
        Content::OneOf(keys) => {
            let properties: Map<String, Value> = keys.iter().map(|key| (key.name.to_string(), property(key))).collect();
            json!({
                "type": "object",
                "properties": properties,
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": false,
            })
        }
        Content::Table(inner) => section(inner),
        Content::Tables(inner) => json!({ "type": "array", "items": section(inner) }),
    }
}

fn value(kind: &Kind) -> Value {
    let array =
        |items: Value, count: usize| json!({ "type": "array", "items": items, "minItems": count, "maxItems": count });
    let one_or = |each: Value, components: usize| match components {
        1 => each,
        n if kind.spreads() => json!({ "anyOf": [each.clone(), array(each, n)] }),
        n => array(each, n),
    };
    let whole = |[min, max]: [u32; 2]| json!({ "type": "integer", "minimum": min, "maximum": max });
    match *kind {
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Number { components, range } => one_or(number(range), components),
        Kind::Count { components, range } => one_or(whole(range), components),
        Kind::CountOr { range, word } => json!({ "anyOf": [whole(range), { "const": word }] }),
        Kind::NumberOr { range, word } => json!({ "anyOf": [number(range), { "const": word }] }),
        Kind::Text => json!({ "type": "string" }),
        Kind::Word { choices } => json!({ "enum": choices }),
        Kind::Direction => array(json!({ "type": "number" }), 3),
        Kind::List { range } => {
            json!({ "anyOf": [number(range), { "type": "array", "items": number(range), "minItems": 1 }] })
        }
        Kind::Points { components } => {
            json!({ "type": "array", "items": array(json!({ "type": "number" }), components), "minItems": 1 })
        }
    }
}

fn number(range: Range) -> Value {
    let mut schema = Map::from_iter([("type".to_string(), json!("number"))]);
    let names = [["exclusiveMinimum", "minimum"], ["exclusiveMaximum", "maximum"]];
    for (limit, names) in range.limits().into_iter().zip(names) {
        if let Some(limit) = limit {
            schema.insert(names[usize::from(limit.is_allowed)].to_string(), json!(limit.value));
        }
    }
    Value::Object(schema)
}

fn plain(value: &tree::Value) -> Value {
    match value {
        tree::Value::Flag(flag) => json!(flag),
        tree::Value::Number(x) => json!(x),
        tree::Value::Count(n) => json!(n),
        tree::Value::Text(text) => json!(text),
        tree::Value::Numbers(x) if x.len() == 1 => json!(x[0]),
        tree::Value::Numbers(x) => json!(x),
        tree::Value::Counts(n) if n.len() == 1 => json!(n[0]),
        tree::Value::Counts(n) => json!(n),
        tree::Value::Vectors(x) => json!(x),
        tree::Value::Table(_) | tree::Value::Tables(_) | tree::Value::Broken => Value::Null,
    }
}
