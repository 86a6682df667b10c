//! A checked document: every key known, every value of its kind, every default filled in, in the order of the spec.

use crate::problem::Problems;
use model::parameter;
use std::ops::Range;

/// A value of one of the contents of [`crate::spec::Content`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Flag(bool),
    Number(f64),
    Count(u64),
    Text(String),
    /// A fixed or free number of numbers.
    Numbers(Vec<f64>),
    /// A fixed number of whole numbers.
    Counts(Vec<u64>),
    Vectors(Vec<[f64; 3]>),
    Table(Table),
    Tables(Vec<Table>),
    /// Given by the file, but unusable; a problem has been reported.
    Broken,
}

impl Value {
    /// Returns the value in the form of parameters of generators and methods; `None` if no parameter takes it.
    pub fn of_parameter(&self) -> Option<parameter::Value> {
        Some(match self {
            Value::Flag(flag) => parameter::Value::Flag(*flag),
            Value::Number(x) => parameter::Value::from(*x),
            Value::Count(n) => parameter::Value::from(*n as f64),
            Value::Numbers(numbers) => parameter::Value::Numbers(numbers.clone()),
            Value::Counts(counts) => parameter::Value::Numbers(counts.iter().map(|&n| n as f64).collect()),
            Value::Vectors(points) => parameter::Value::Points(points.clone()),
            Value::Text(word) => parameter::Value::Word(word.clone()),
            Value::Table(_) | Value::Tables(_) | Value::Broken => return None,
        })
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Value {
        Value::Flag(flag)
    }
}

impl From<f64> for Value {
    fn from(x: f64) -> Value {
        Value::Number(x)
    }
}

impl From<usize> for Value {
    fn from(n: usize) -> Value {
        Value::Count(n as u64)
    }
}

impl From<u32> for Value {
    fn from(n: u32) -> Value {
        Value::Count(n.into())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_string())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

impl<const N: usize> From<[f64; N]> for Value {
    fn from(numbers: [f64; N]) -> Value {
        Value::Numbers(numbers.to_vec())
    }
}

impl From<Vec<f64>> for Value {
    fn from(numbers: Vec<f64>) -> Value {
        Value::Numbers(numbers)
    }
}

impl From<Vec<[f64; 3]>> for Value {
    fn from(vectors: Vec<[f64; 3]>) -> Value {
        Value::Vectors(vectors)
    }
}

impl From<Table> for Value {
    fn from(table: Table) -> Value {
        Value::Table(table)
    }
}

/// Converts the value of a parameter; numbers become the kinds of the spec.
impl From<parameter::Value> for Value {
    fn from(value: parameter::Value) -> Value {
        match value {
            parameter::Value::Numbers(numbers) => Value::Numbers(numbers),
            parameter::Value::Points(points) => Value::Vectors(points),
            parameter::Value::Word(word) => Value::Text(word),
            parameter::Value::Flag(flag) => Value::Flag(flag),
        }
    }
}

/// A value and its span in the file; a default has the span of its table.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub value: Value,
    pub at: Range<usize>,
}

/// Equal when the values are, regardless of their spans and of defaults.
impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        self.value == other.value
    }
}

/// Keys and values in the order of the spec.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    pub entries: Vec<(&'static str, Node)>,
    pub at: Range<usize>,
}

impl PartialEq for Table {
    fn eq(&self, other: &Table) -> bool {
        self.entries == other.entries
    }
}

/// Error of a reader that asks for a key that the spec does not declare, or as another kind: a mistake in this crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Undeclared {
    pub key: String,
}

/// Result of reading a checked table.
pub(crate) type Read<T> = Result<T, Undeclared>;

impl Undeclared {
    /// Returns a problem of the file that names it as a mistake of the spec, not of the user.
    pub fn problem(self, file: &str) -> Problems {
        let message = format!("the spec does not declare `{}` as it is read; correct the spec", self.key);
        Problems::of_file(file, message)
    }
}

impl Table {
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|(name, _)| *name == key).map(|(_, node)| node)
    }

    /// Returns the span of a key's value, or of the table if it has none.
    pub fn at(&self, key: &str) -> Range<usize> {
        self.get(key).map_or_else(|| self.at.clone(), |node| node.at.clone())
    }

    /// Sets the value of a key, with the span of its table; a new key comes last.
    pub fn set(&mut self, key: &'static str, value: Value) {
        let node = Node { value, at: self.at.clone() };
        match self.entries.iter_mut().find(|(name, _)| *name == key) {
            Some((_, old)) => *old = node,
            None => self.entries.push((key, node)),
        }
    }

    /// Returns the table with another key.
    pub fn with(mut self, key: &'static str, value: impl Into<Value>) -> Table {
        self.entries.push((key, Node { value: value.into(), at: self.at.clone() }));
        self
    }

    /// Returns the table with another key, if it has a value.
    pub fn maybe(self, key: &'static str, value: Option<impl Into<Value>>) -> Table {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Returns the table with a list of tables, if there are any.
    pub fn list(self, key: &'static str, tables: impl Iterator<Item = Table>) -> Table {
        let tables: Vec<Table> = tables.collect();
        if tables.is_empty() { self } else { self.with(key, Value::Tables(tables)) }
    }

    pub fn table_mut(&mut self, key: &str) -> Option<&mut Table> {
        self.entries.iter_mut().find_map(|(name, node)| match &mut node.value {
            Value::Table(table) if *name == key => Some(table),
            _ => None,
        })
    }

    fn read<'a, T>(&'a self, key: &str, as_kind: impl Fn(&'a Value) -> Option<T>) -> Read<Option<T>> {
        let undeclared = || Undeclared { key: key.to_string() };
        self.get(key).map(|node| as_kind(&node.value).ok_or_else(undeclared)).transpose()
    }

    pub fn maybe_number(&self, key: &str) -> Read<Option<f64>> {
        self.read(key, |value| if let Value::Number(x) = value { Some(*x) } else { None })
    }

    pub fn number(&self, key: &str) -> Read<f64> {
        need(key, self.maybe_number(key))
    }

    pub fn flag(&self, key: &str) -> Read<bool> {
        need(key, self.read(key, |value| if let Value::Flag(x) = value { Some(*x) } else { None }))
    }

    pub fn maybe_count(&self, key: &str) -> Read<Option<u64>> {
        self.read(key, |value| if let Value::Count(n) = value { Some(*n) } else { None })
    }

    pub fn count(&self, key: &str) -> Read<u64> {
        need(key, self.maybe_count(key))
    }

    pub fn counts<const N: usize>(&self, key: &str) -> Read<[u64; N]> {
        let counts = |value: &Value| if let Value::Counts(x) = value { x.as_slice().try_into().ok() } else { None };
        need(key, self.read(key, counts))
    }

    pub fn maybe_text(&self, key: &str) -> Read<Option<&str>> {
        self.read(key, |value| if let Value::Text(x) = value { Some(x.as_str()) } else { None })
    }

    pub fn text(&self, key: &str) -> Read<&str> {
        need(key, self.maybe_text(key))
    }

    pub fn maybe_numbers(&self, key: &str) -> Read<Option<&[f64]>> {
        self.read(key, |value| if let Value::Numbers(x) = value { Some(x.as_slice()) } else { None })
    }

    pub fn numbers(&self, key: &str) -> Read<&[f64]> {
        need(key, self.maybe_numbers(key))
    }

    pub fn maybe_array<const N: usize>(&self, key: &str) -> Read<Option<[f64; N]>> {
        self.read(key, |value| if let Value::Numbers(x) = value { x.as_slice().try_into().ok() } else { None })
    }

    pub fn vector(&self, key: &str) -> Read<[f64; 3]> {
        need(key, self.maybe_array(key))
    }

    pub fn vectors(&self, key: &str) -> Read<&[[f64; 3]]> {
        need(key, self.read(key, |value| if let Value::Vectors(x) = value { Some(x.as_slice()) } else { None }))
    }

    pub fn maybe_table(&self, key: &str) -> Read<Option<&Table>> {
        self.read(key, |value| if let Value::Table(x) = value { Some(x) } else { None })
    }

    pub fn table(&self, key: &str) -> Read<&Table> {
        need(key, self.maybe_table(key))
    }

    /// Returns the tables of an array; none if the file has none.
    pub fn tables(&self, key: &str) -> Read<&[Table]> {
        let tables = self.read(key, |value| if let Value::Tables(x) = value { Some(x.as_slice()) } else { None })?;
        Ok(tables.unwrap_or_default())
    }
}

fn need<T>(key: &str, value: Read<Option<T>>) -> Read<T> {
    value?.ok_or_else(|| Undeclared { key: key.to_string() })
}
