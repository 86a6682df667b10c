//! Values given to parameters.

use std::fmt;

/// Given value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// One or several numbers.
    Numbers(Vec<f64>),
    /// Points; two-dimensional ones have 0 as third coordinate.
    Points(Vec<[f64; 3]>),
    /// A word or other text.
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
