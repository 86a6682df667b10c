//! Parameters of everything that can be chosen: generators, shapes, materials, springs, contact, loads, fibres, methods.
//!
//! Whoever owns a parameter declares it as data, in a [`Parameter`]: a row of a table, or the file of a law. Reading
//! scenes, listing, the JSON schema and the manual need no code for a single parameter.

mod error;
mod kind;
mod resolved;
#[cfg(test)]
mod tests;
mod value;
mod words;

pub use error::ParameterError;
pub use kind::{Kind, Limit, Range};
pub use resolved::Parameters;
pub use value::Value;

use std::fmt;

/// Parameter, as declared by its owner.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Name in scene files.
    pub name: &'static str,
    /// Kind of values.
    pub kind: Kind,
    /// Value when none is given.
    pub default: Preset,
    /// Description, in a phrase.
    pub doc: &'static str,
    /// Unit: "m", or "" for pure numbers and words.
    pub unit: &'static str,
}

impl Parameter {
    /// Declares a parameter.
    pub const fn new(
        name: &'static str,
        kind: Kind,
        default: Preset,
        unit: &'static str,
        doc: &'static str,
    ) -> Parameter {
        Parameter { name, kind, default, doc, unit }
    }

    /// Declares a parameter that must be given.
    pub const fn required(name: &'static str, kind: Kind, unit: &'static str, doc: &'static str) -> Parameter {
        Parameter::new(name, kind, Preset::Required, unit, doc)
    }

    /// Declares a parameter that may be missing.
    pub const fn optional(name: &'static str, kind: Kind, unit: &'static str, doc: &'static str) -> Parameter {
        Parameter::new(name, kind, Preset::Optional, unit, doc)
    }

    /// Returns a given value with all its components; `None` if it is of another kind or out of range.
    pub fn accepts(&self, value: &Value) -> Option<Value> {
        self.kind.accepts(value)
    }
}

/// One of several forms of a thing, such as a profile of loads, with the parameters that it needs.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// Name in scene files.
    pub name: &'static str,
    /// Description, in a phrase.
    pub doc: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

/// Default value of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Preset {
    /// Numbers or counts, as many as the kind has components.
    Numbers(&'static [f64]),
    /// Points; two-dimensional ones have 0 as third coordinate.
    Points(&'static [[f64; 3]]),
    /// A word.
    Word(&'static str),
    /// True or false.
    Flag(bool),
    /// Value of another parameter, which must come earlier in the table.
    SameAs(&'static str),
    /// No value: the owner does without, or chooses one.
    Optional,
    /// No default: the value must be given.
    Required,
}

impl Preset {
    /// Returns the value; `None` if there is none or it is that of another parameter.
    pub fn value(&self) -> Option<Value> {
        match self {
            Preset::Numbers(numbers) => Some(Value::Numbers(numbers.to_vec())),
            Preset::Points(points) => Some(Value::Points(points.to_vec())),
            Preset::Word(word) => Some(Value::from(*word)),
            Preset::Flag(flag) => Some(Value::Flag(*flag)),
            Preset::SameAs(_) | Preset::Optional | Preset::Required => None,
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self, self.value()) {
            (_, Some(value)) => value.fmt(f),
            (Preset::SameAs(name), None) => f.write_str(name),
            (Preset::Required, None) => f.write_str("required"),
            (_, None) => f.write_str("none"),
        }
    }
}
