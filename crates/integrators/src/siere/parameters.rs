//! Parameters of siere: the number of captured modes and their accuracy, and the method of the rest, also of siere2.

use crate::options::{Field, Options, Setting, Words, words};
use model::parameter::{Kind, Parameter, Preset, Value};

/// Number of captured modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modes {
    /// This many, from the slowest.
    Count(usize),
    /// As many as the step does not resolve well otherwise.
    Auto,
}

impl Modes {
    /// Word for [`Modes::Auto`].
    pub const AUTO: &'static str = "auto";
    /// Default number.
    pub(crate) const DEFAULT: usize = 5;
}

impl Default for Modes {
    fn default() -> Modes {
        Modes::Count(Modes::DEFAULT)
    }
}

impl Field for Modes {
    fn value(&self) -> Value {
        match self {
            Modes::Count(count) => count.value(),
            Modes::Auto => Value::from(Modes::AUTO),
        }
    }

    fn take(&mut self, value: &Value) -> bool {
        let mut count = 0;
        match value {
            Value::Word(word) if word == Modes::AUTO => *self = Modes::Auto,
            value if count.take(value) => *self = Modes::Count(count),
            _ => return false,
        }
        true
    }
}

pub(crate) const MODES: Setting = Setting {
    parameter: Parameter {
        name: "modes",
        kind: Kind::CountOr { range: [0, 1000], word: Modes::AUTO },
        default: Preset::Numbers(&[Modes::DEFAULT as f64]),
        doc: "number of slowest modes that are integrated exactly; auto: those with six steps per period or more",
        unit: "",
    },
    get: |options| options.modes.value(),
    set: |options, value| options.modes.take(value),
};

pub(crate) const MODES_TOLERANCE: Setting = Setting {
    parameter: Parameter {
        name: "modes_tolerance",
        kind: Kind::within(1e-9, 0.5),
        default: Preset::Numbers(&[Options::DEFAULT.modes_tolerance]),
        doc: "largest estimated angle between those modes and the exact ones [rad]; by default a step stays within 1 % of the correction that exact modes make to linearly implicit Euler",
        unit: "",
    },
    get: |options| options.modes_tolerance.value(),
    set: |options, value| options.modes_tolerance.take(value),
};

/// Method of siere for everything but the captured modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rest {
    /// Linearly implicit Euler: one linearisation per step, as in the paper.
    #[default]
    Linear,
    /// Backward Euler, solved by Newton's method.
    Newton,
}

impl Words for Rest {
    const WORDS: &'static [(&'static str, Rest)] = &[("linear", Rest::Linear), ("newton", Rest::Newton)];
}

pub(crate) const REST: Setting = Setting {
    parameter: Parameter {
        name: "rest",
        kind: Kind::Word { choices: &const { words::<_, 2>(Rest::WORDS) } },
        default: Preset::Word(Rest::WORDS[0].0),
        doc: "everything but those modes: linearly implicit Euler as in the paper, or backward Euler solved by Newton's method, which alone reads tolerance, iterations, line_search, hessian_correction and halvings",
        unit: "",
    },
    get: |options| options.rest.value(),
    set: |options, value| options.rest.take(value),
};

/// Method of siere2 for everything but the captured modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RestRule {
    /// TR-BDF2, which damps fast modes.
    #[default]
    TrBdf2,
    /// Implicit midpoint, which damps nothing.
    Midpoint,
}

impl Words for RestRule {
    const WORDS: &'static [(&'static str, RestRule)] =
        &[("tr-bdf2", RestRule::TrBdf2), ("midpoint", RestRule::Midpoint)];
}

pub(crate) const REST_RULE: Setting = Setting {
    parameter: Parameter {
        name: "rest_rule",
        kind: Kind::Word { choices: &const { words::<_, 2>(RestRule::WORDS) } },
        default: Preset::Word(RestRule::WORDS[0].0),
        doc: "everything but those modes: TR-BDF2, which damps fast modes, or implicit midpoint, which damps nothing",
        unit: "",
    },
    get: |options| options.rest_rule.value(),
    set: |options, value| options.rest_rule.take(value),
};
