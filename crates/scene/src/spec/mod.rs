//! The spec of scene files: one table of sections and keys. The checker, the defaults, run.toml, the JSON schema, the
//! manual and the starter scene are made from it.
//!
//! Values are described like all parameters, by [`Kind`] and [`Preset`]. Those of materials, generators, methods, springs,
//! contact, loads and fibres are declared by their owners; the spec adds the structure of the file.

mod contact;
mod fibres;
mod manual;
mod motion;
mod parts;
mod rigid;
mod schema;
mod sections;
mod selection;
mod starter;
mod stokes;
mod tables;
#[cfg(test)]
mod tests;
mod words;
mod write;

pub use manual::manual;
pub(crate) use parts::{ASSEMBLY, GIVEN, PARTS, SURFACE, shape_file};
pub use schema::schema;
pub(crate) use sections::root;
pub use starter::starter;
pub(crate) use tables::{FILE, STEP_REGION, STEP_REGIONS};
pub(crate) use write::write;

use crate::tree::Value;
use model::parameter::{self, Kind, Parameter, Preset};

/// A table of a scene file.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub doc: &'static str,
    pub keys: Vec<Key>,
    /// Key whose word determines the further keys.
    pub choice: Option<Choice>,
    /// True if a file without it has one of defaults.
    pub is_filled: bool,
}

/// A key whose word determines the further keys: `kind`, `method`, `generator` ...
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    pub key: &'static str,
    pub doc: &'static str,
    /// Default word; without it the key is required.
    pub default: Option<&'static str>,
    pub variants: Vec<Variant>,
}

/// A word of a choice and the keys that go with it.
#[derive(Debug, Clone)]
pub(crate) struct Variant {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub doc: &'static str,
    pub keys: Vec<Key>,
}

/// A key of a table: a value, which is described like any parameter, or a structure of further keys.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub name: &'static str,
    pub content: Content,
    pub default: Preset,
    /// Unit such as "m"; empty for pure numbers and for values that are not numbers.
    pub unit: &'static str,
    pub doc: &'static str,
    /// Old spelling, from before the key was renamed.
    pub old: Option<String>,
}

/// Content of a key.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// A value of a parameter.
    Value(Kind),
    /// Name of a row of a table: name and aliases.
    Row(Vec<(&'static str, &'static [&'static str])>),
    /// A table with exactly one of these keys.
    OneOf(Vec<Key>),
    Table(Section),
    Tables(Section),
}

impl Content {
    /// Returns the keys inside.
    pub fn keys(&self) -> Vec<&Key> {
        match self {
            Content::Table(section) | Content::Tables(section) => section.all_keys().collect(),
            Content::OneOf(keys) => keys.iter().collect(),
            Content::Value(_) | Content::Row(_) => Vec::new(),
        }
    }

    /// Returns a value in the form of this content: counts are whole numbers, one number that stands for several is repeated.
    pub fn form(&self, value: parameter::Value) -> Value {
        match (self, value) {
            (Content::Value(kind), parameter::Value::Numbers(numbers)) => formed(kind, numbers),
            (_, value) => value.into(),
        }
    }
}

/// Returns numbers in the form of a kind. Others than it takes are left as they are, and refused as they would be in a file.
fn formed(kind: &Kind, numbers: Vec<f64>) -> Value {
    let are_counts = |length: usize| {
        numbers.len() == length && numbers.iter().all(|x| x.fract() == 0.0 && (0.0..=u64::MAX as f64).contains(x))
    };
    match *kind {
        Kind::Number { components: 1, .. } | Kind::NumberOr { .. } if numbers.len() == 1 => Value::Number(numbers[0]),
        Kind::Number { components, .. } if numbers.len() == 1 && kind.spreads() => {
            Value::Numbers(vec![numbers[0]; components])
        }
        Kind::Count { components: 1, .. } | Kind::CountOr { .. } if are_counts(1) => Value::Count(numbers[0] as u64),
        Kind::Count { components, .. } if are_counts(1) => Value::Counts(vec![numbers[0] as u64; components]),
        Kind::Count { components, .. } if are_counts(components) => {
            Value::Counts(numbers.iter().map(|x| *x as u64).collect())
        }
        _ => Value::Numbers(numbers),
    }
}

impl From<Kind> for Content {
    fn from(kind: Kind) -> Content {
        Content::Value(kind)
    }
}

impl From<&Parameter> for Key {
    fn from(&Parameter { name, kind, default, doc, unit }: &Parameter) -> Key {
        Key::new(name, kind, default, unit, doc)
    }
}

impl Key {
    pub fn new(
        name: &'static str,
        content: impl Into<Content>,
        default: Preset,
        unit: &'static str,
        doc: &'static str,
    ) -> Key {
        Key { name, content: content.into(), default, unit, doc, old: None }
    }

    /// Adds an old spelling.
    pub fn once(self, old: impl Into<String>) -> Key {
        Key { old: Some(old.into()), ..self }
    }

    /// Returns whether this is its name, or an old spelling of it.
    pub fn is_called(&self, word: &str) -> bool {
        self.name == word || self.old.as_deref() == Some(word)
    }

    /// Returns the value if the file has none; `None` if it has to, may do without, or has that of another key.
    pub fn preset(&self) -> Option<Value> {
        self.default.value().map(|value| self.content.form(value))
    }

    /// Returns the reason why values are refused; empty if none is given.
    pub fn why(&self) -> &'static str {
        if let Content::Value(kind) = &self.content { kind.why() } else { "" }
    }
}

/// Returns the keys of some parameters.
fn keys(parameters: &[Parameter]) -> Vec<Key> {
    parameters.iter().map(Key::from).collect()
}

impl From<&parameter::Variant> for Variant {
    fn from(of: &parameter::Variant) -> Variant {
        Variant { name: of.name, aliases: &[], doc: of.doc, keys: keys(of.parameters) }
    }
}

impl Section {
    pub fn new(doc: &'static str, keys: Vec<Key>) -> Section {
        Section { doc, keys, choice: None, is_filled: false }
    }

    pub fn with(self, choice: Choice) -> Section {
        Section { choice: Some(choice), ..self }
    }

    /// Lets files leave the section out, to have one of defaults.
    pub fn filled(self) -> Section {
        Section { is_filled: true, ..self }
    }

    /// Returns its keys, and those of all words of its choice.
    pub fn all_keys(&self) -> impl Iterator<Item = &Key> {
        let chosen = self.choice.iter().flat_map(|choice| &choice.variants).flat_map(|variant| &variant.keys);
        self.keys.iter().chain(chosen)
    }

    /// Returns the choice's variant of this name or alias.
    pub fn variant(&self, word: &str) -> Option<&Variant> {
        let variants = self.choice.as_ref()?.variants.iter();
        variants.into_iter().find(|variant| variant.name == word || variant.aliases.contains(&word))
    }
}
