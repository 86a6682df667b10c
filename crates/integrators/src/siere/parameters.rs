//! Parameters of siere: the number of captured modes and their accuracy.

use crate::options::{Field, Options, Setting};
use model::parameter::{Kind, Parameter, Preset, Value};

/// How many modes are treated on their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modes {
    /// This many, from the slowest.
    Count(usize),
    /// As many as the step cannot resolve well otherwise.
    Auto,
}

impl Modes {
    /// The word for [`Modes::Auto`].
    pub const AUTO: &'static str = "auto";
    /// How many where nothing is said.
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
        doc: "how many of the slowest modes are integrated exactly; auto: those with six steps a period or more",
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
        doc: "largest angle between those modes and the exact ones, as it is estimated [rad]; the default keeps a step within 1 % of what exact modes add to linearly implicit Euler",
        unit: "",
    },
    get: |options| options.modes_tolerance.value(),
    set: |options, value| options.modes_tolerance.take(value),
};
