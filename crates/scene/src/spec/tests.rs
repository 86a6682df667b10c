//! Contracts of all keys, of scenes and of shape files.

use super::{Content, Key, Section, root, shape_file};
use model::parameter::Preset;

/// Calls `visit` with every key, the path to it and the keys before it.
fn for_each_key(section: &Section, path: &str, visit: &mut dyn FnMut(&str, &Key, &[Key])) {
    let variants = section.choice.iter().flat_map(|choice| &choice.variants);
    for keys in std::iter::once(&section.keys).chain(variants.map(|variant| &variant.keys)) {
        for (i, key) in keys.iter().enumerate() {
            let path = format!("{path}.{}", key.name);
            visit(&path, key, &keys[..i]);
            match &key.content {
                Content::Table(inner) | Content::Tables(inner) => for_each_key(inner, &path, visit),
                Content::OneOf(keys) => for_each_key(&Section::new("", keys.clone()), &path, visit),
                Content::Value(_) | Content::Row(_) => {}
            }
        }
    }
}

#[test]
fn every_key_is_declared_well() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for section in [root(), shape_file()] {
        for_each_key(section, "", &mut |path, key, before| {
            count += 1;
            let is_snake_case = key.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
            let taken = match (&key.content, key.default, key.default.value()) {
                (_, Preset::SameAs(other), _) => before.iter().any(|key| key.name == other),
                (Content::Value(kind), _, Some(value)) => kind.accepts(&value).is_some(),
                (Content::Row(rows), _, Some(value)) => rows.iter().any(|(name, _)| value == (*name).into()),
                (_, _, Some(_)) => false,
                (_, _, None) => true,
            };
            let is_described = !key.doc.is_empty() && !key.doc.ends_with('.');
            for (holds, what) in [
                (is_snake_case, "is not in snake_case"),
                (taken, "does not take its default"),
                (is_described, "has no description, or one with a full stop"),
                (!key.content.words().is_empty(), "does not say what it takes"),
            ] {
                if !holds {
                    wrong.push(format!("{path} {what}"));
                }
            }
        });
    }
    assert!(count > 400, "only {count} keys were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
