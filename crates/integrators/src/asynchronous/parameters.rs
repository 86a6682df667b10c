//! Parameters of the asynchronous method: coupling of regions and the rest, and contact of regions.

use crate::options::{Field, Options, Setting, Words, words};
use model::parameter::{Kind, Parameter, Preset};

/// Steps at which penalties of regions are evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContactStep {
    /// At the beginning of the large step.
    #[default]
    Large,
    /// At every small step.
    Small,
}

impl Words for ContactStep {
    const WORDS: &'static [(&'static str, ContactStep)] =
        &[("large", ContactStep::Large), ("small", ContactStep::Small)];
}

/// Coupling of regions and the rest within a large step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coupling {
    /// Equal and opposite forces at every small step: linear momentum is conserved, free bodies fall exactly, and
    /// motions of linear bodies do not grow.
    Conserving,
    /// As in the paper: regions see the rest at every small step, the rest feels regions at the end of the large one.
    #[default]
    Paper,
}

impl Coupling {
    /// Returns true if the linear momentum of a free body with regions is conserved.
    pub fn conserves_momentum(self) -> bool {
        self == Coupling::Conserving
    }
}

impl Words for Coupling {
    const WORDS: &'static [(&'static str, Coupling)] =
        &[("paper", Coupling::Paper), ("conserving", Coupling::Conserving)];
}

pub(crate) const COUPLING: Setting = Setting {
    parameter: Parameter {
        name: "coupling",
        kind: Kind::Word { choices: &const { words::<_, 2>(Coupling::WORDS) } },
        default: Preset::Word(Coupling::WORDS[0].0),
        doc: "coupling of regions and the rest: paper, the published scheme, which damps fast motions less; conserving, equal and opposite forces at every small step, which conserves linear momentum, lets free bodies fall exactly and is stable",
        unit: "",
    },
    get: |options| options.coupling.value(),
    set: |options, value| options.coupling.take(value),
};

pub(crate) const SYMMETRIC: Setting = Setting {
    parameter: Parameter {
        name: "symmetric",
        kind: Kind::Flag,
        default: Preset::Flag(Options::DEFAULT.symmetric),
        doc: "treat the matrix of the large step as symmetric where a consistent mass makes it nearly so: one solve instead of about four; the error is reported",
        unit: "",
    },
    get: |options| options.symmetric.value(),
    set: |options, value| options.symmetric.take(value),
};

pub(crate) const CONTACT: Setting = Setting {
    parameter: Parameter {
        name: "contact",
        kind: Kind::Word { choices: &const { words::<_, 2>(ContactStep::WORDS) } },
        default: Preset::Word(ContactStep::WORDS[0].0),
        doc: "steps at which penalties of regions are evaluated: large steps, as for the rest, or every small step",
        unit: "",
    },
    get: |options| options.contact.value(),
    set: |options, value| options.contact.take(value),
};
