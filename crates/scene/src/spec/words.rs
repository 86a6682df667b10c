//! Descriptions of the values that keys take.

use super::{Bounds, Key, Kind};

/// Formats 0.5 as such, but small numbers as 1e-14, without many zeros.
fn short(x: f64) -> String {
    if x != 0.0 && !(1e-3..1e6).contains(&x.abs()) { format!("{x:e}") } else { x.to_string() }
}

impl Bounds {
    /// Returns "a number above 0", "a number from 0 to 1" ...
    pub fn words(&self) -> String {
        let low = match (self.min, self.closed[0]) {
            (f64::NEG_INFINITY, _) => None,
            (min, true) => Some(format!("{} or above", short(min))),
            (min, false) => Some(format!("above {}", short(min))),
        };
        let high = match (self.max, self.closed[1]) {
            (f64::INFINITY, _) => None,
            (max, true) => Some(format!("{} or below", short(max))),
            (max, false) => Some(format!("below {}", short(max))),
        };
        match (low, high, self.closed) {
            (None, None, [true, _]) => "a number or inf".to_string(),
            (None, None, _) => "a finite number".to_string(),
            (Some(_), Some(_), [true, true]) => format!("a number from {} to {}", short(self.min), short(self.max)),
            (Some(low), Some(high), _) => format!("a number {low} and {high}"),
            (Some(one), None, _) | (None, Some(one), _) => format!("a number {one}"),
        }
    }
}

impl Kind {
    /// Describes this kind, with an article.
    pub fn words(&self) -> String {
        let whole = |min: u64, max: u64| match max {
            u64::MAX => format!("a whole number, {min} or above"),
            _ => format!("a whole number from {min} to {max}"),
        };
        match self {
            Kind::Flag => "true or false".to_string(),
            Kind::Number(bounds) => bounds.words(),
            Kind::Count { min, max } => whole(*min, *max),
            Kind::CountOr { min, max, word } => format!("{} or \"{word}\"", whole(*min, *max)),
            Kind::Text => "a string".to_string(),
            Kind::Word(words) => {
                let names: Vec<String> = words.iter().map(|(name, _)| format!("\"{name}\"")).collect();
                format!("one of {}", names.join(", "))
            }
            Kind::Numbers { components: 1, bounds, .. } => bounds.words(),
            Kind::Numbers { components, bounds, spread } => {
                let one = if *spread { "one number or " } else { "" };
                let each = if *bounds == Bounds::FINITE { String::new() } else { format!(", each {}", bounds.words()) };
                format!("{one}an array of {components} numbers{each}")
            }
            Kind::Counts { components: 1, min, max } => whole(*min, *max),
            Kind::Counts { components, min, max } => {
                format!("one whole number or an array of {components}, each {}", whole(*min, *max))
            }
            Kind::Direction => "an array of 3 numbers that are not all 0".to_string(),
            Kind::List(bounds) if *bounds == Bounds::FINITE => "an array of numbers".to_string(),
            Kind::List(bounds) => format!("an array of numbers, each {}", bounds.words()),
            Kind::Vectors { components } => format!("an array of arrays of {components} numbers"),
            Kind::OneOf(keys) => {
                let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
                format!("a table with one of the keys {}", names.join(", "))
            }
            Kind::Table(_) => "a table".to_string(),
            Kind::Tables(_) => "an array of tables".to_string(),
        }
    }
}

impl Key {
    /// Describes the values that this key takes, with the unit.
    pub fn takes(&self) -> String {
        match self.unit {
            "" => self.kind.words(),
            unit => format!("{} [{unit}]", self.kind.words()),
        }
    }
}
