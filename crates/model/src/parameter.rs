//! Parameters of generators, shapes, materials and methods: declared as data, checked in one place.
//!
//! A row of any table declares its parameters as [`Parameter`]s. Reading scenes, listing, the JSON schema and the
//! manual need no code for a single parameter.

mod error;

pub use error::ParameterError;

use crate::name::closest_name;
use std::collections::BTreeMap;
use std::fmt;

/// Parameter, as declared in the table of its owner.
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
    /// Declares a parameter that must be given.
    pub const fn required(name: &'static str, kind: Kind, unit: &'static str, doc: &'static str) -> Parameter {
        Parameter { name, kind, default: Preset::Required, doc, unit }
    }

    /// Returns a given value with all its components; `None` if it is of another kind or out of range.
    pub fn accepts(&self, value: &Value) -> Option<Value> {
        let n = self.kind.components();
        let fits = |each: &dyn Fn(f64) -> bool| match value {
            Value::Numbers(x) if x.len() == n && x.iter().all(|&x| each(x)) => Some(x.clone()),
            Value::Numbers(x) if x.len() == 1 && self.kind != Kind::Direction && each(x[0]) => Some(vec![x[0]; n]),
            _ => None,
        };
        match self.kind {
            Kind::Number { range, .. } => fits(&|x| range.holds(x)).map(Value::Numbers),
            Kind::CountOr { word, .. } if *value == Value::Word(word.to_string()) => Some(value.clone()),
            Kind::Count { range: [least, most], .. } | Kind::CountOr { range: [least, most], .. } => {
                fits(&|x| x >= least.into() && x <= most.into() && x.fract() == 0.0).map(Value::Numbers)
            }
            Kind::Flag => matches!(value, Value::Flag(_)).then(|| value.clone()),
            Kind::Direction => fits(&f64::is_finite).filter(|d| d.iter().any(|&x| x != 0.0)).map(Value::Numbers),
            Kind::List { range } => match value {
                Value::Numbers(x) if !x.is_empty() && x.iter().all(|&x| range.holds(x)) => Some(value.clone()),
                _ => None,
            },
            Kind::Points { .. } => match value {
                Value::Points(x) if !x.is_empty() && x.iter().flatten().all(|x| x.is_finite()) => Some(value.clone()),
                _ => None,
            },
            Kind::Word { choices } => match value {
                Value::Word(word) if choices.contains(&word.as_str()) => Some(value.clone()),
                _ => None,
            },
        }
    }
}

/// Kind of values that a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Finite numbers; a single number stands for all components.
    Number {
        /// Number of components.
        components: usize,
        /// Allowed numbers.
        range: Range,
    },
    /// Integers; a single one stands for all components.
    Count {
        /// Number of components.
        components: usize,
        /// Lowest and highest allowed value.
        range: [u32; 2],
    },
    /// An integer, or a word that leaves the choice to the owner.
    CountOr {
        /// Lowest and highest allowed value.
        range: [u32; 2],
        /// The word.
        word: &'static str,
    },
    /// True or false.
    Flag,
    /// A direction: three numbers, not all 0, of any length.
    Direction,
    /// List of one or more numbers.
    List {
        /// Allowed numbers.
        range: Range,
    },
    /// List of one or more points.
    Points {
        /// Number of coordinates of each point.
        components: usize,
    },
    /// One of several words.
    Word {
        /// Allowed words.
        choices: &'static [&'static str],
    },
}

impl Kind {
    /// One positive length.
    pub const LENGTH: Kind = Kind::lengths(1);
    /// One integer, 1 or more.
    pub const COUNT: Kind = Kind::counts(1);

    /// Returns the kind of several positive lengths.
    pub const fn lengths(components: usize) -> Kind {
        Kind::Number { components, range: Range::Positive }
    }

    /// Returns the kind of several integers, 1 or more each.
    pub const fn counts(components: usize) -> Kind {
        Kind::Count { components, range: [1, u32::MAX] }
    }

    /// Returns the kind of one number within bounds, both included.
    pub const fn within(min: f64, max: f64) -> Kind {
        Kind::Number { components: 1, range: Range::Within { min, max } }
    }

    /// Returns the kind of one integer within bounds, both included.
    pub const fn count_within(least: u32, most: u32) -> Kind {
        Kind::Count { components: 1, range: [least, most] }
    }

    /// One number, 0 or above.
    pub const NOT_NEGATIVE: Kind = Kind::Number { components: 1, range: Range::NotNegative };

    /// List of one or more finite numbers.
    pub const NUMBERS: Kind = Kind::List { range: Range::Any };

    /// Position or other vector.
    pub const VECTOR: Kind = Kind::Number { components: 3, range: Range::Any };

    /// Returns the reason why numbers out of range are refused; empty if none is given.
    pub fn why(&self) -> &'static str {
        match self {
            Kind::Number { range: Range::Between { why, .. }, .. } => why,
            _ => "",
        }
    }

    fn components(&self) -> usize {
        match *self {
            Kind::Number { components, .. } | Kind::Count { components, .. } | Kind::Points { components } => {
                components
            }
            Kind::Direction => 3,
            Kind::List { .. } | Kind::Word { .. } | Kind::CountOr { .. } | Kind::Flag => 1,
        }
    }
}

/// Allowed numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range {
    /// x > 0
    Positive,
    /// x >= 0
    NotNegative,
    /// Every finite number.
    Any,
    /// min <= x <= max
    Within {
        /// Lower bound.
        min: f64,
        /// Upper bound.
        max: f64,
    },
    /// min < x < max
    Between {
        /// Lower bound, excluded.
        min: f64,
        /// Upper bound, excluded.
        max: f64,
        /// Reason for the bounds, and advice: appended to the message about a refused number.
        why: &'static str,
    },
}

impl Range {
    fn holds(self, x: f64) -> bool {
        x.is_finite()
            && match self {
                Range::Positive => x > 0.0,
                Range::NotNegative => x >= 0.0,
                Range::Any => true,
                Range::Within { min, max } => x >= min && x <= max,
                Range::Between { min, max, .. } => x > min && x < max,
            }
    }
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
    /// No default: the value must be given.
    Required,
}

impl Preset {
    /// Returns the value; `None` if it must be given or is that of another parameter.
    pub fn value(&self) -> Option<Value> {
        match self {
            Preset::Numbers(numbers) => Some(Value::Numbers(numbers.to_vec())),
            Preset::Points(points) => Some(Value::Points(points.to_vec())),
            Preset::Word(word) => Some(Value::from(*word)),
            Preset::Flag(flag) => Some(Value::Flag(*flag)),
            Preset::SameAs(_) | Preset::Required => None,
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Preset::Numbers(numbers) => Value::Numbers(numbers.to_vec()).fmt(f),
            Preset::Points(points) => Value::Points(points.to_vec()).fmt(f),
            Preset::Word(word) => Value::Word(word.to_string()).fmt(f),
            Preset::Flag(flag) => flag.fmt(f),
            Preset::SameAs(name) => f.write_str(name),
            Preset::Required => f.write_str("required"),
        }
    }
}

/// Given value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// One or several numbers.
    Numbers(Vec<f64>),
    /// Points; two-dimensional ones have 0 as third coordinate.
    Points(Vec<[f64; 3]>),
    /// A word.
    Word(String),
    /// True or false.
    Flag(bool),
}

impl From<f64> for Value {
    fn from(x: f64) -> Self {
        Value::Numbers(vec![x])
    }
}

impl<const N: usize> From<[f64; N]> for Value {
    fn from(x: [f64; N]) -> Self {
        Value::Numbers(x.to_vec())
    }
}

impl From<&str> for Value {
    fn from(word: &str) -> Self {
        Value::Word(word.to_string())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Numbers(numbers) if numbers.len() == 1 => write!(f, "{}", numbers[0]),
            Value::Numbers(numbers) => write!(f, "{numbers:?}"),
            Value::Points(points) => write!(f, "{points:?}"),
            Value::Word(word) => write!(f, "{word:?}"),
            Value::Flag(flag) => flag.fmt(f),
        }
    }
}

/// Checked values of all parameters of a generator, shape or material, with defaults filled in. Single values need no
/// further check.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    generator: &'static str,
    values: BTreeMap<&'static str, Value>,
}

impl Parameters {
    /// Checks the given values against the table and fills in the defaults; messages use the name `generator`.
    pub fn resolve(
        generator: &'static str,
        table: &'static [Parameter],
        given: &BTreeMap<String, Value>,
    ) -> Result<Self, ParameterError> {
        let names = || table.iter().map(|parameter| parameter.name);
        if let Some(name) = given.keys().find(|name| !names().any(|known| known == name.as_str())) {
            let closest = closest_name(name, names()).unwrap_or_default();
            return Err(ParameterError::UnknownParameter {
                generator,
                name: name.clone(),
                known: names().collect(),
                closest,
            });
        }
        let mut values = BTreeMap::new();
        for parameter in table {
            let value = match (given.get(parameter.name), parameter.default) {
                (Some(value), _) => Some(value.clone()),
                (None, Preset::SameAs(other)) => {
                    Some(values.get(other).cloned().ok_or(ParameterError::Undeclared { generator, parameter: other })?)
                }
                (None, preset) => preset.value(),
            };
            let value = value.ok_or_else(|| ParameterError::Missing {
                generator,
                parameter: parameter.name,
                doc: parameter.doc,
                need: need(parameter),
            })?;
            values.insert(parameter.name, check(generator, parameter, &value)?);
        }
        Ok(Self { generator, values })
    }

    /// Returns every name with its value, sorted by name.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.values.iter().map(|(&name, value)| (name, value))
    }

    /// Returns a length [m].
    pub fn length(&self, name: &'static str) -> Result<f64, ParameterError> {
        Ok(self.numbers::<1>(name)?[0])
    }

    /// Returns two lengths [m].
    pub fn lengths2(&self, name: &'static str) -> Result<[f64; 2], ParameterError> {
        self.numbers(name)
    }

    /// Returns three lengths [m].
    pub fn lengths3(&self, name: &'static str) -> Result<[f64; 3], ParameterError> {
        self.numbers(name)
    }

    /// Returns a position or other vector.
    pub fn vector(&self, name: &'static str) -> Result<[f64; 3], ParameterError> {
        self.numbers(name)
    }

    /// Returns a list of numbers.
    pub fn list(&self, name: &'static str) -> Result<&[f64], ParameterError> {
        match self.values.get(name) {
            Some(Value::Numbers(x)) => Ok(x),
            _ => Err(self.undeclared(name)),
        }
    }

    /// Returns a list of points; two-dimensional ones have 0 as third coordinate.
    pub fn points(&self, name: &'static str) -> Result<&[[f64; 3]], ParameterError> {
        match self.values.get(name) {
            Some(Value::Points(x)) => Ok(x),
            _ => Err(self.undeclared(name)),
        }
    }

    /// Returns a pure number.
    pub fn number(&self, name: &'static str) -> Result<f64, ParameterError> {
        self.length(name)
    }

    /// Returns a direction, normalised to length 1.
    pub fn direction(&self, name: &'static str) -> Result<[f64; 3], ParameterError> {
        let d = self.numbers::<3>(name)?;
        // Divide by the largest component first, so that no square overflows or underflows.
        let largest = d.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let d = d.map(|x| x / largest);
        let length = d.iter().map(|x| x * x).sum::<f64>().sqrt();
        Ok(d.map(|x| x / length))
    }

    /// Returns a count.
    pub fn count(&self, name: &'static str) -> Result<u32, ParameterError> {
        Ok(self.numbers::<1>(name)?[0] as u32)
    }

    /// Returns two counts.
    pub fn counts2(&self, name: &'static str) -> Result<[u32; 2], ParameterError> {
        Ok(self.numbers::<2>(name)?.map(|x| x as u32))
    }

    /// Returns three counts.
    pub fn counts3(&self, name: &'static str) -> Result<[u32; 3], ParameterError> {
        Ok(self.numbers::<3>(name)?.map(|x| x as u32))
    }

    /// Returns a word, one of the choices.
    pub fn word(&self, name: &'static str) -> Result<&str, ParameterError> {
        match self.values.get(name) {
            Some(Value::Word(word)) => Ok(word),
            _ => Err(self.undeclared(name)),
        }
    }

    /// Returns the error for a value that is valid alone but not together with the others.
    pub fn refuse(&self, parameter: &'static str, need: String) -> ParameterError {
        let value = self.values.get(parameter).map(Value::to_string).unwrap_or_default();
        ParameterError::Value { generator: self.generator, parameter, value, need }
    }

    fn numbers<const N: usize>(&self, name: &'static str) -> Result<[f64; N], ParameterError> {
        match self.values.get(name) {
            Some(Value::Numbers(x)) => x.as_slice().try_into().map_err(|_| self.undeclared(name)),
            _ => Err(self.undeclared(name)),
        }
    }

    fn undeclared(&self, parameter: &'static str) -> ParameterError {
        ParameterError::Undeclared { generator: self.generator, parameter }
    }
}

/// Returns the value with all its components, or an error that says what it must be.
fn check(generator: &'static str, parameter: &Parameter, value: &Value) -> Result<Value, ParameterError> {
    parameter.accepts(value).ok_or_else(|| ParameterError::Value {
        generator,
        parameter: parameter.name,
        value: value.to_string(),
        need: need(parameter),
    })
}

/// Describes the values that a parameter takes.
fn need(parameter: &Parameter) -> String {
    let number = match parameter.kind {
        Kind::Number { range, .. } | Kind::List { range } => match range {
            Range::Positive => "finite number above 0".to_string(),
            Range::NotNegative => "finite number, 0 or above".to_string(),
            Range::Any => "finite number".to_string(),
            Range::Within { min, max } => format!("number from {min} to {max}"),
            Range::Between { min, max: f64::INFINITY, .. } => format!("finite number above {min}"),
            Range::Between { min, max, .. } => format!("number above {min} and below {max}"),
        },
        Kind::Points { components } => return format!("one or more points of {components} finite coordinates"),
        Kind::Count { range: [least, most], .. } => format!("whole number from {least} to {most}"),
        Kind::CountOr { range: [least, most], word } => {
            return format!("a whole number from {least} to {most}, or \"{word}\"");
        }
        Kind::Flag => return "true or false".to_string(),
        Kind::Direction => return "three finite numbers that are not all 0".to_string(),
        Kind::Word { choices } => return format!("one of the words {}", choices.join(", ")),
    };
    let unit = if parameter.unit.is_empty() { String::new() } else { format!(" [{}]", parameter.unit) };
    let unit = match parameter.kind.why() {
        "" => unit,
        why => format!("{unit}: {why}"),
    };
    match parameter.kind.components() {
        _ if matches!(parameter.kind, Kind::List { .. }) => format!("one or more numbers, each a {number}{unit}"),
        1 => format!("a {number}{unit}"),
        n => format!("one or {n} numbers, each a {number}{unit}"),
    }
}
