//! Parameters of siere: the number of captured modes and their accuracy.

use crate::options::{Field, Options, Setting};
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
