//! Parameters of siere: the number of captured modes and their accuracy, and the method of the rest, also of siere2.

use crate::field::{Field, Form, Words};
use crate::options::Setting;
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
}

impl Field for Modes {
    const FORM: Form = Form::CountOr(Modes::AUTO);

    fn value(&self) -> Value {
        match self {
            Modes::Count(count) => count.value(),
            Modes::Auto => Value::from(Modes::AUTO),
        }
    }

    fn from_value(value: &Value) -> Option<Modes> {
        match value {
            Value::Word(word) => (word == Modes::AUTO).then_some(Modes::Auto),
            value => usize::from_value(value).map(Modes::Count),
        }
    }
}

/// Number of modes captured by siere.
pub const MODES: Setting<Modes> = Setting::new(Parameter {
    name: "modes",
    kind: Kind::CountOr { range: [0, 1000], word: Modes::AUTO },
    default: Preset::Numbers(&[5.0]),
    doc: "number of slowest modes that are integrated exactly, of each component where many small ones are solved side by side; auto: those with six steps per period or more",
    unit: "",
});

/// Largest estimated angle between captured and exact modes [rad].
pub const MODES_TOLERANCE: Setting<f64> = Setting::new(Parameter {
    name: "modes_tolerance",
    kind: Kind::within(1e-9, 0.5),
    default: Preset::Numbers(&[1e-4]),
    doc: "largest estimated angle between those modes and the exact ones [rad]; by default a step stays within 1 % of the correction that exact modes make to linearly implicit Euler",
    unit: "",
});

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

/// Method of siere for everything but the captured modes.
pub const REST: Setting<Rest> = Setting::new(Parameter {
    name: "rest",
    kind: Kind::Word { choices: Rest::CHOICES },
    default: Preset::Word("linear"),
    doc: "everything but those modes: linearly implicit Euler as in the paper, or backward Euler solved by Newton's method, which alone reads tolerance, iterations, line_search, hessian_correction and halvings",
    unit: "",
});

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

/// Method of siere2 for everything but the captured modes.
pub const REST_RULE: Setting<RestRule> = Setting::new(Parameter {
    name: "rest_rule",
    kind: Kind::Word { choices: RestRule::CHOICES },
    default: Preset::Word("tr-bdf2"),
    doc: "everything but those modes: TR-BDF2, which damps fast modes, or implicit midpoint, which damps nothing",
    unit: "",
});
