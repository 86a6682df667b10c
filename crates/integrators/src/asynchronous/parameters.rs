//! Parameters of the asynchronous method: coupling of regions and the rest, and contact of regions.

use crate::field::Words;
use crate::options::Setting;
use model::parameter::{Kind, Parameter, Preset};

/// Steps at which penalties of regions are evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactStep {
    /// At the beginning of the large step.
    Large,
    /// At every small step.
    Small,
}

impl Words for ContactStep {
    const WORDS: &'static [(&'static str, ContactStep)] =
        &[("large", ContactStep::Large), ("small", ContactStep::Small)];
}

/// Coupling of regions and the rest within a large step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coupling {
    /// Equal and opposite forces at every small step: linear momentum is conserved, free bodies fall exactly, and
    /// motions of linear bodies do not grow.
    Conserving,
    /// As in the paper: regions see the rest at every small step, the rest feels regions at the end of the large one.
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

/// Coupling of regions and the rest within a large step.
pub const COUPLING: Setting<Coupling> = Setting::new(Parameter {
    name: "coupling",
    kind: Kind::Word { choices: Coupling::CHOICES },
    default: Preset::Word("paper"),
    doc: "coupling of regions and the rest: paper, the published scheme, which damps fast motions less; conserving, equal and opposite forces at every small step, which conserves linear momentum, lets free bodies fall exactly and is stable",
    unit: "",
});

/// Treat the matrix of the large step as symmetric where it is only nearly so.
pub const SYMMETRIC: Setting<bool> = Setting::new(Parameter {
    name: "symmetric",
    kind: Kind::Flag,
    default: Preset::Flag(false),
    doc: "treat the matrix of the large step as symmetric where a consistent mass makes it nearly so: one solve instead of about four; the error is reported",
    unit: "",
});

/// Steps at which penalties of regions are evaluated.
pub const CONTACT: Setting<ContactStep> = Setting::new(Parameter {
    name: "contact",
    kind: Kind::Word { choices: ContactStep::CHOICES },
    default: Preset::Word("large"),
    doc: "steps at which penalties of regions are evaluated: large steps, as for the rest, or every small step",
    unit: "",
});
