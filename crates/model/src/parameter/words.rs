//! Descriptions of the values that parameters take.

use super::{Kind, Limit, Parameter, Range};

/// Formats 0.5 as such, but small numbers as 1e-14, without many zeros.
fn short(x: f64) -> String {
    if x != 0.0 && !(1e-3..1e6).contains(&x.abs()) { format!("{x:e}") } else { x.to_string() }
}

fn whole([least, most]: [u32; 2]) -> String {
    format!("a whole number from {least} to {most}")
}

impl Range {
    /// Returns "a number above 0", "a number from 0 to 1" ...
    pub fn words(self) -> String {
        let word = |end: Limit, word: &str| match end.is_allowed {
            true => format!("{} or {word}", short(end.value)),
            false => format!("{word} {}", short(end.value)),
        };
        match self.limits() {
            [None, None] if self == Range::Infinite => "a number or inf".to_string(),
            [None, None] => "a finite number".to_string(),
            [Some(low), Some(high)] if low.is_allowed && high.is_allowed => {
                format!("a number from {} to {}", short(low.value), short(high.value))
            }
            [Some(low), Some(high)] => format!("a number {} and {}", word(low, "above"), word(high, "below")),
            [Some(low), None] => format!("a number {}", word(low, "above")),
            [None, Some(high)] => format!("a number {}", word(high, "below")),
        }
    }
}

impl Kind {
    /// Describes the values of this kind, with an article.
    pub fn words(&self) -> String {
        match *self {
            Kind::Number { components: 1, range } => range.words(),
            Kind::Number { components, range } => {
                let one = if self.spreads() { "one number or " } else { "" };
                let each = if range == Range::Any { String::new() } else { format!(", each {}", range.words()) };
                format!("{one}an array of {components} numbers{each}")
            }
            Kind::Count { components: 1, range } => whole(range),
            Kind::Count { components, range } => {
                format!("one whole number or an array of {components}, each {}", whole(range))
            }
            Kind::CountOr { range, word } => format!("{} or \"{word}\"", whole(range)),
            Kind::NumberOr { range, word } => format!("{} or \"{word}\"", range.words()),
            Kind::Flag => "true or false".to_string(),
            Kind::Direction => "an array of 3 numbers that are not all 0".to_string(),
            Kind::List { range: Range::Any } => "an array of numbers".to_string(),
            Kind::List { range } => format!("an array of numbers, each {}", range.words()),
            Kind::Points { components } => format!("an array of arrays of {components} numbers"),
            Kind::Word { choices } => {
                let quoted: Vec<String> = choices.iter().map(|word| format!("\"{word}\"")).collect();
                format!("one of {}", quoted.join(", "))
            }
            Kind::Text => "a string".to_string(),
        }
    }
}

impl Parameter {
    /// Describes the values that this parameter takes, with the unit.
    pub fn takes(&self) -> String {
        match self.unit {
            "" => self.kind.words(),
            unit => format!("{} [{unit}]", self.kind.words()),
        }
    }
}
