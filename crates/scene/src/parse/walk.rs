//! Checks a parsed document against the spec: every key known, none missing, every value of its kind, defaults filled
//! in.
//!
//! Values that cannot be used are reported and kept as [`Value::Broken`], so that one mistake is reported once and
//! everything else is still checked.

use super::suggest::similar;
use super::value;
use crate::problem::Found;
use crate::spec::{Content, Key, Section, Variant};
use crate::tree::{Node, Table, Value};
use model::parameter::Preset;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Name of the outermost table in messages.
pub(crate) const FILE: &str = "the file";

/// Largest number of repetitions of a section: more were not written by hand, and checking them would be slow.
const MOST_TABLES: usize = 10_000;

/// A walk along a document, and the problems found.
pub(crate) struct Walk<'a, 's> {
    pub found: &'a mut Found<'s>,
}

impl Walk<'_, '_> {
    /// Checks a table; `label` is its name in messages, such as "[run]".
    pub fn section(&mut self, section: &Section, given: &DeTable, at: Range<usize>, label: &str) -> Table {
        let mut table = Table { entries: Vec::new(), at };
        let variant = self.choose(section, given, label, &mut table);
        for key in &section.keys {
            if let Some(node) = self.key(key, given, &table, label) {
                table.entries.push((key.name, node));
            }
        }
        if let (Some(choice), Some(variant)) = (&section.choice, variant) {
            let label = format!("{label} with {} = \"{}\"", choice.key, variant.name);
            for key in &variant.keys {
                if let Some(node) = self.key(key, given, &table, &label) {
                    table.entries.push((key.name, node));
                }
            }
        }
        self.unknown_keys(section, variant, given, label);
        table
    }

    /// Reads the word that determines the further keys.
    fn choose<'c>(
        &mut self,
        section: &'c Section,
        given: &DeTable,
        label: &str,
        table: &mut Table,
    ) -> Option<&'c Variant> {
        let choice = section.choice.as_ref()?;
        let listed = || choice.variants.iter().map(|v| format!("\"{}\"", v.name)).collect::<Vec<_>>().join(", ");
        let (variant, at) = match (given.get(choice.key), choice.default) {
            (Some(value), _) => {
                let variant = value.get_ref().as_str().and_then(|word| section.variant(word));
                if variant.is_none() {
                    let all =
                        choice.variants.iter().flat_map(|v| std::iter::once(v.name).chain(v.aliases.iter().copied()));
                    let suggestion = value.get_ref().as_str().and_then(|word| similar(word, all));
                    let what = value::describe(value, self.found.source);
                    let message = format!("`{}` takes one of {}, not {what}", choice.key, listed());
                    self.found.suggest(&value.span(), message, suggestion);
                }
                (variant, value.span())
            }
            (None, Some(word)) => (section.variant(word), table.at.clone()),
            (None, None) => {
                let (key, doc) = (choice.key, choice.doc);
                let message = format!("`{key}` is missing from {label}; add `{key} = ...`, {doc}: one of {}", listed());
                self.found.add(&table.at, message);
                (None, table.at.clone())
            }
        };
        let value = variant.map_or(Value::Broken, |variant| Value::Text(variant.name.to_string()));
        table.entries.push((choice.key, Node { value, at }));
        variant
    }

    /// Returns the value of a key: given, default, or none.
    fn key(&mut self, key: &Key, given: &DeTable, table: &Table, label: &str) -> Option<Node> {
        if let Some(value) = given.get(key.name) {
            let node = Node { value: self.value(key, value, label), at: value.span() };
            return Some(node);
        }
        let value = match (key.default, &key.content) {
            (Preset::Required, content) => {
                let message = match content {
                    Content::Table(_) if label == FILE => format!("[{}] is missing: {}; add it", key.name, key.doc),
                    Content::Tables(_) => format!("[[{}]] is missing: {}; add one", key.name, key.doc),
                    _ => format!(
                        "`{}` is missing from {label}; add `{} = ...`, {}: {}",
                        key.name,
                        key.name,
                        key.doc,
                        key.takes()
                    ),
                };
                self.found.add(&table.at, message);
                Value::Broken
            }
            (Preset::SameAs(other), _) => table.get(other)?.value.clone(),
            (_, Content::Table(section)) if section.is_filled => {
                Value::Table(self.section(section, &DeTable::new(), table.at.clone(), label))
            }
            _ => key.preset()?,
        };
        Some(Node { value, at: table.at.clone() })
    }

    fn value(&mut self, key: &Key, value: &Spanned<DeValue>, label: &str) -> Value {
        match (&key.content, value.get_ref()) {
            (Content::Table(section), DeValue::Table(given)) => {
                let label = if label == FILE { format!("[{}]", key.name) } else { format!("`{}`", key.name) };
                Value::Table(self.section(section, given, value.span(), &label))
            }
            (Content::Tables(section), DeValue::Array(array)) => self.tables(key, section, value, array),
            (Content::OneOf(keys), DeValue::Table(given)) => self.one_of(key, keys, given, value.span()),
            _ => value::check(key, value, self.found),
        }
    }

    fn tables(&mut self, key: &Key, section: &Section, value: &Spanned<DeValue>, array: &toml::de::DeArray) -> Value {
        if array.len() > MOST_TABLES {
            let message =
                format!("{} of `{}` are more than the {MOST_TABLES} allowed; use fewer", array.len(), key.name);
            self.found.add(&value.span(), message);
            return Value::Broken;
        }
        let mut tables = Vec::with_capacity(array.len());
        for element in array.iter() {
            match element.get_ref() {
                DeValue::Table(given) => {
                    tables.push(self.section(section, given, element.span(), &format!("[[{}]]", key.name)))
                }
                _ => {
                    let what = value::describe(element, self.found.source);
                    self.found.add(&element.span(), format!("`{}` takes an array of tables, not {what}", key.name));
                }
            }
        }
        if array.is_empty() && key.default == Preset::Required {
            self.found.add(&value.span(), format!("`{}` is empty: {}; add one", key.name, key.doc));
        }
        Value::Tables(tables)
    }

    /// Checks a table that must have exactly one of some keys.
    fn one_of(&mut self, key: &Key, keys: &[Key], given: &DeTable, at: Range<usize>) -> Value {
        let mut table = Table { entries: Vec::new(), at: at.clone() };
        let label = format!("`{}`", key.name);
        for inner in keys {
            if let Some(node) = self.key(inner, given, &table, &label) {
                table.entries.push((inner.name, node));
            }
        }
        for (name, _) in given.iter().filter(|(name, _)| keys.iter().all(|key| key.name != name.get_ref().as_ref())) {
            let suggestion = similar(name.get_ref(), keys.iter().map(|key| key.name));
            self.found.suggest(
                &name.span(),
                format!("unknown key `{}` in `{}`, which takes {}", name.get_ref(), key.name, key.takes()),
                suggestion,
            );
        }
        if given.len() != 1 {
            let count = if given.is_empty() { "is empty".to_string() } else { format!("has {} keys", given.len()) };
            self.found.add(&at, format!("`{}` {count}, but takes {}; use exactly one", key.name, key.takes()));
            return Value::Broken;
        }
        if table.entries.is_empty() { Value::Broken } else { Value::Table(table) }
    }

    fn unknown_keys(&mut self, section: &Section, variant: Option<&Variant>, given: &DeTable, label: &str) {
        let common = || section.keys.iter().map(|key| key.name).chain(section.choice.iter().map(|choice| choice.key));
        let chosen = || variant.iter().flat_map(|variant| variant.keys.iter().map(|key| key.name));
        for (name, _) in given.iter() {
            let word: &str = name.get_ref();
            if common().chain(chosen()).any(|known| known == word) {
                continue;
            }
            let Some(choice) = &section.choice else {
                let elsewhere = if label == FILE { home_of(word, section) } else { None };
                match elsewhere {
                    Some(home) => self.found.add(&name.span(), format!("`{word}` belongs in {home}; move it there")),
                    None => self.unknown(name, label, &common().collect::<Vec<_>>()),
                }
                continue;
            };
            let others: Vec<&str> = choice
                .variants
                .iter()
                .filter(|variant| variant.keys.iter().any(|key| key.name == word))
                .map(|variant| variant.name)
                .collect();
            match (variant, others.is_empty()) {
                (Some(variant), false) => self.found.add(
                    &name.span(),
                    format!(
                        "`{word}` does not go with {} = \"{}\", only with {}; remove it or change the {}",
                        choice.key,
                        variant.name,
                        others.join(", "),
                        choice.key
                    ),
                ),
                (None, false) => {} // nothing can be said before the word is known
                _ => self.unknown(name, label, &common().chain(chosen()).collect::<Vec<_>>()),
            }
        }
    }

    fn unknown(&mut self, name: &Spanned<toml::de::DeString>, label: &str, known: &[&str]) {
        let word: &str = name.get_ref();
        let shown: String = word.chars().take(60).collect();
        let suggestion = similar(word, known.iter().copied());
        // Without a similar word, list all that are possible.
        let takes = if suggestion.is_some() { String::new() } else { format!(", which takes {}", known.join(", ")) };
        let message = format!("unknown key `{shown}` in {label}{takes}; correct or remove it");
        self.found.suggest(&name.span(), message, suggestion);
    }
}

/// Returns the section of the file that has this key.
fn home_of(word: &str, root: &Section) -> Option<String> {
    root.keys.iter().find_map(|key| match &key.content {
        Content::Table(section) if has(section, word) => Some(format!("[{}]", key.name)),
        Content::Tables(section) if has(section, word) => Some(format!("[[{}]]", key.name)),
        _ => None,
    })
}

fn has(section: &Section, word: &str) -> bool {
    let in_choice = section.choice.iter().any(|choice| {
        choice.key == word || choice.variants.iter().any(|variant| variant.keys.iter().any(|key| key.name == word))
    });
    in_choice || section.keys.iter().any(|key| key.name == word)
}
