//! The JSON schema of scene files, for editors that complete and check TOML.

use super::{Bounds, Key, Kind, Presence, Section, Variant, root};
use crate::tree;
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
        if matches!(key.presence, Presence::Required) {
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
    let mut schema = kind(&key.kind);
    if let Value::Object(map) = &mut schema {
        let unit = if key.unit.is_empty() { String::new() } else { format!(" [{}]", key.unit) };
        map.insert("description".to_string(), json!(format!("{}{unit}", key.doc)));
        if let Presence::Default(value) = &key.presence {
            map.insert("default".to_string(), plain(value));
        }
    }
    schema
}

fn kind(kind: &Kind) -> Value {
    let array =
        |items: Value, count: usize| json!({ "type": "array", "items": items, "minItems": count, "maxItems": count });
    let one_or = |each: Value, components: usize| match components {
        1 => each,
        n => json!({ "anyOf": [each.clone(), array(each, n)] }),
    };
    let whole = |min: &u64, max: &u64| json!({ "type": "integer", "minimum": min, "maximum": max });
    match kind {
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Number(bounds) => number(bounds),
        Kind::Count { min, max } => whole(min, max),
        Kind::CountOr { min, max, word } => json!({ "anyOf": [whole(min, max), { "const": word }] }),
        Kind::Text => json!({ "type": "string" }),
        Kind::Word(words) => {
            let names = words.iter().flat_map(|(name, aliases)| std::iter::once(name).chain(aliases.iter()));
            json!({ "enum": names.collect::<Vec<_>>() })
        }
        Kind::Numbers { components, bounds, spread: true } => one_or(number(bounds), *components),
        Kind::Numbers { components, bounds, spread: false } => array(number(bounds), *components),
        Kind::Counts { components, min, max } => one_or(whole(min, max), *components),
        Kind::Direction => array(json!({ "type": "number" }), 3),
        Kind::List(bounds) => {
            json!({ "anyOf": [number(bounds), { "type": "array", "items": number(bounds), "minItems": 1 }] })
        }
        Kind::Vectors { components } => {
            json!({ "type": "array", "items": array(json!({ "type": "number" }), *components), "minItems": 1 })
        }
        Kind::OneOf(keys) => {
            let properties: Map<String, Value> = keys.iter().map(|key| (key.name.to_string(), property(key))).collect();
            json!({
                "type": "object",
                "properties": properties,
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": false,
            })
        }
        Kind::Table(inner) => section(inner),
        Kind::Tables(inner) => json!({ "type": "array", "items": section(inner) }),
    }
}

fn number(bounds: &Bounds) -> Value {
    let mut schema = Map::from_iter([("type".to_string(), json!("number"))]);
    for (limit, closed, names) in [
        (bounds.min, bounds.closed[0], ["exclusiveMinimum", "minimum"]),
        (bounds.max, bounds.closed[1], ["exclusiveMaximum", "maximum"]),
    ] {
        if limit.is_finite() {
            schema.insert(names[usize::from(closed)].to_string(), json!(limit));
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
