//! Given values checked against the parameters of their owner.

use super::{Parameter, ParameterError, Preset, Value};
use crate::name::closest_name;
use std::collections::BTreeMap;

/// Checked values of all parameters of a generator, shape, material or fibres, with defaults filled in. Single values need
/// no further check.
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
            match value {
                Some(value) => values.insert(parameter.name, check(generator, parameter, &value)?),
                None if parameter.default == Preset::Optional => None,
                None => {
                    return Err(ParameterError::Missing {
                        generator,
                        parameter: parameter.name,
                        doc: parameter.doc,
                        need: need(parameter),
                    });
                }
            };
        }
        Ok(Self { generator, values })
    }

    /// Returns every name with its value, sorted by name.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.values.iter().map(|(&name, value)| (name, value))
    }

    /// Returns the value of a parameter that may be missing.
    pub fn maybe(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
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

/// Describes the values that a parameter takes, and why.
fn need(parameter: &Parameter) -> String {
    match parameter.kind.why() {
        "" => parameter.takes(),
        why => format!("{}: {why}", parameter.takes()),
    }
}
