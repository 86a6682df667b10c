//! Parameters of siere: the number of captured modes and their accuracy.

use crate::field::{Field, Form};
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
    doc: "number of slowest modes that are integrated exactly; auto: those with six steps per period or more",
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
