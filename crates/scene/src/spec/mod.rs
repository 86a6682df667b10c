//! The spec of scene files: one table of sections and keys. The checker, the defaults, run.toml, the JSON schema, the
//! manual and the starter scene are made from it.
//!
//! Facts of materials, generators, methods and their options are those of their own tables; see `tables`.

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

/// A table of a scene file.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub doc: &'static str,
    pub keys: Vec<Key>,
    /// Key whose word determines the further keys.
    pub choice: Option<Choice>,
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

/// A key of a table.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub name: &'static str,
    pub kind: Kind,
    pub presence: Presence,
    /// Unit such as "m"; empty for pure numbers and for values that are not numbers.
    pub unit: &'static str,
    pub doc: &'static str,
    /// Hint after a value that cannot be used: the reason, and what to use instead.
    pub hint: &'static str,
    /// Old spelling, from before the key was renamed.
    pub old: Option<String>,
}

/// Presence of a key in a file.
#[derive(Debug, Clone)]
pub(crate) enum Presence {
    Required,
    /// May be missing.
    Optional,
    /// This value if missing.
    Default(Value),
    /// Value of an earlier key of the same table if missing.
    SameAs(&'static str),
    /// Table of defaults if missing.
    Filled,
}

/// Values that a key takes.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Flag,
    Number(Bounds),
    Count {
        min: u64,
        max: u64,
    },
    /// A whole number, or this word.
    CountOr {
        min: u64,
        max: u64,
        word: &'static str,
    },
    Text,
    /// One of these words: name and aliases.
    Word(Vec<(&'static str, &'static [&'static str])>),
    /// This many numbers; where `spread`, one alone stands for all.
    Numbers {
        components: usize,
        bounds: Bounds,
        spread: bool,
    },
    /// This many whole numbers; one alone stands for all.
    Counts {
        components: usize,
        min: u64,
        max: u64,
    },
    /// Three numbers, not all zero.
    Direction,
    /// Any number of numbers, at least one.
    List(Bounds),
    /// Any number of vectors of 2 or 3 numbers, at least one. Vectors of 2 get 0 as their third number.
    Vectors {
        components: usize,
    },
    /// A table with exactly one of these keys.
    OneOf(Vec<Key>),
    Table(Section),
    Tables(Section),
}

impl Kind {
    /// Returns the keys that a value of this kind may have inside.
    pub fn keys(&self) -> Vec<&Key> {
        match self {
            Kind::Table(section) | Kind::Tables(section) => section.all_keys().collect(),
            Kind::OneOf(keys) => keys.iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// An interval of numbers. NaN is in none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub min: f64,
    pub max: f64,
    /// True if `min` and `max` themselves are allowed.
    pub closed: [bool; 2],
}

impl Bounds {
    /// Every finite number.
    pub const FINITE: Bounds = Bounds { min: f64::NEG_INFINITY, max: f64::INFINITY, closed: [false; 2] };
    /// Every number and the infinities.
    pub const INFINITE: Bounds = Bounds { closed: [true; 2], ..Bounds::FINITE };
    pub const POSITIVE: Bounds = Bounds { min: 0.0, ..Bounds::FINITE };
    pub const NOT_NEGATIVE: Bounds = Bounds { min: 0.0, closed: [true, false], ..Bounds::FINITE };

    pub fn holds(&self, x: f64) -> bool {
        let above = if self.closed[0] { x >= self.min } else { x > self.min };
        above && if self.closed[1] { x <= self.max } else { x < self.max }
    }
}

impl Key {
    pub fn new(name: &'static str, kind: Kind, presence: Presence, unit: &'static str, doc: &'static str) -> Key {
        Key { name, kind, presence, unit, doc, hint: "", old: None }
    }

    pub fn hint(self, hint: &'static str) -> Key {
        Key { hint, ..self }
    }

    /// Adds an old spelling.
    pub fn once(self, old: impl Into<String>) -> Key {
        Key { old: Some(old.into()), ..self }
    }

    /// Returns whether this is its name, or an old spelling of it.
    pub fn is_called(&self, word: &str) -> bool {
        self.name == word || self.old.as_deref() == Some(word)
    }
}

impl Section {
    pub fn new(doc: &'static str, keys: Vec<Key>) -> Section {
        Section { doc, keys, choice: None }
    }

    pub fn with(self, choice: Choice) -> Section {
        Section { choice: Some(choice), ..self }
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
