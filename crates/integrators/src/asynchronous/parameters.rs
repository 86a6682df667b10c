//! Parameters of the asynchronous method: coupling of regions and the rest, and contact of regions.

use crate::options::{Field, Options, Setting, Words, words};
use model::parameter::{Kind, Parameter, Preset};

/// Steps at which penalties of regions are evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContactStep {
    /// At the beginning of the large one.
    #[default]
    Large,
    /// At every small one.
    Small,
}

impl Words for ContactStep {
    const WORDS: &'static [(&'static str, ContactStep)] =
        &[("large", ContactStep::Large), ("small", ContactStep::Small)];
}

/// Coupling of regions and the rest within a large step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coupling {
    /// Force for force at every small step: linear momentum is conserved, free bodies fall exactly, and motions of linear
    /// bodies do not grow.
    Conserving,
    /// As the paper has it: regions feel the rest at every small step, the rest feels regions at the end of the large one.
    #[default]
    Paper,
}

impl Coupling {
    /// Returns whether the linear momentum of a free body with regions is conserved.
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
        doc: "how regions and the rest feel each other: paper, the scheme as printed, which keeps more of fast motions; conserving, force for force at every small step, which keeps linear momentum, lets free bodies fall exactly and is stable",
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
        doc: "take the matrix of the large step for symmetric where a consistent mass makes it almost so: one solve instead of some four; the error is reported",
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
        doc: "at which steps regions look at penalties: at the large ones, as the rest does, or at every small one",
        unit: "",
    },
    get: |options| options.contact.value(),
    set: |options, value| options.contact.take(value),
};
