//! Kinds of values, and the values that each takes.

use super::Value;

/// Kind of values that a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Numbers; a single number stands for all components, unless any number is allowed, as in a position.
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
    /// One number, or a word that leaves the choice to the owner.
    NumberOr {
        /// Allowed numbers.
        range: Range,
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
    /// Any text: a name, a title, a path.
    Text,
}

impl Kind {
    /// One positive length.
    pub const LENGTH: Kind = Kind::lengths(1);
    /// One integer, 1 or more.
    pub const COUNT: Kind = Kind::counts(1);
    /// One finite number.
    pub const FINITE: Kind = Kind::Number { components: 1, range: Range::Any };
    /// One number above 0.
    pub const POSITIVE: Kind = Kind::LENGTH;
    /// One number, 0 or above.
    pub const NOT_NEGATIVE: Kind = Kind::Number { components: 1, range: Range::NotNegative };
    /// List of one or more finite numbers.
    pub const NUMBERS: Kind = Kind::List { range: Range::Any };
    /// Position or other vector.
    pub const VECTOR: Kind = Kind::Number { components: 3, range: Range::Any };

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

    /// Returns the kind of one number above 0; `why` is appended to the message about any other.
    pub const fn positive_because(why: &'static str) -> Kind {
        Kind::Number { components: 1, range: Range::Between { min: 0.0, max: f64::INFINITY, why } }
    }

    /// Returns the kind of one integer within bounds, both included.
    pub const fn count_within(least: u32, most: u32) -> Kind {
        Kind::Count { components: 1, range: [least, most] }
    }

    /// Returns the reason why numbers out of range are refused; empty if none is given.
    pub fn why(&self) -> &'static str {
        match self {
            Kind::Number { range: Range::Between { why, .. }, .. } => why,
            _ => "",
        }
    }

    /// Returns true if one number may stand for all components.
    pub fn spreads(&self) -> bool {
        match self {
            Kind::Number { components, range } => *components == 1 || !matches!(range, Range::Any | Range::Infinite),
            Kind::Count { .. } => true,
            _ => false,
        }
    }

    /// Returns a given value with all its components; `None` if it is of another kind or out of range.
    pub fn accepts(&self, value: &Value) -> Option<Value> {
        let numbers = |n: usize, each: &dyn Fn(f64) -> bool| match value {
            Value::Numbers(x) if x.len() == n && x.iter().all(|&x| each(x)) => Some(value.clone()),
            Value::Numbers(x) if x.len() == 1 && self.spreads() && each(x[0]) => Some(Value::Numbers(vec![x[0]; n])),
            _ => None,
        };
        match *self {
            Kind::Number { components, range } => numbers(components, &|x| range.holds(x)),
            Kind::CountOr { word, .. } | Kind::NumberOr { word, .. } if *value == Value::from(word) => {
                Some(value.clone())
            }
            Kind::Count { components, range } => numbers(components, &|x| is_count(x, range)),
            Kind::CountOr { range, .. } => numbers(1, &|x| is_count(x, range)),
            Kind::NumberOr { range, .. } => numbers(1, &|x| range.holds(x)),
            Kind::Flag => matches!(value, Value::Flag(_)).then(|| value.clone()),
            Kind::Direction => match value {
                Value::Numbers(x) if x.iter().any(|&x| x != 0.0) => numbers(3, &f64::is_finite),
                _ => None,
            },
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
            Kind::Text => matches!(value, Value::Word(_)).then(|| value.clone()),
        }
    }
}

fn is_count(x: f64, [least, most]: [u32; 2]) -> bool {
    x >= least.into() && x <= most.into() && x.fract() == 0.0
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
    /// Every number, and both infinities.
    Infinite,
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

/// Finite end of a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// The number.
    pub value: f64,
    /// True if the number itself is allowed.
    pub is_allowed: bool,
}

impl Range {
    /// Returns the lower and the upper end; `None` where there is none.
    pub fn limits(self) -> [Option<Limit>; 2] {
        let (ends, is_allowed) = match self {
            Range::Positive => ([0.0, f64::INFINITY], false),
            Range::NotNegative => ([0.0, f64::INFINITY], true),
            Range::Any | Range::Infinite => ([f64::NEG_INFINITY, f64::INFINITY], false),
            Range::Within { min, max } => ([min, max], true),
            Range::Between { min, max, .. } => ([min, max], false),
        };
        ends.map(|value| value.is_finite().then_some(Limit { value, is_allowed }))
    }

    /// Returns true if the number is allowed; NaN never is.
    pub fn holds(self, x: f64) -> bool {
        let inside = |end: Option<Limit>, sign: f64| match end {
            Some(Limit { value, is_allowed }) => sign * x > sign * value || is_allowed && x == value,
            None => true,
        };
        let [low, high] = self.limits();
        let is_number = if self == Range::Infinite { !x.is_nan() } else { x.is_finite() };
        is_number && inside(low, 1.0) && inside(high, -1.0)
    }
}
