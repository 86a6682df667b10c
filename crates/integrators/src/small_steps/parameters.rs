//! Parameters of small-steps: substeps, passes, and the way and order of relaxation.

use crate::options::{Field, Options, Setting, Words, words};
use model::energy::Order;
use model::parameter::{Kind, Parameter, Preset};

/// In which way constraints are relaxed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sweep {
    /// One after the other, each seeing what those before it have moved.
    #[default]
    GaussSeidel,
    /// All at the same time, each reckoning with the share of its nodes' mass that is left by the others at them.
    JacobiAveraged,
    /// All at the same time, each reckoning with the same share of mass.
    Jacobi,
}

impl Words for Sweep {
    const WORDS: &'static [(&'static str, Sweep)] =
        &[("gauss-seidel", Sweep::GaussSeidel), ("jacobi-averaged", Sweep::JacobiAveraged), ("jacobi", Sweep::Jacobi)];
}

pub(crate) const SUBSTEPS: Setting = Setting {
    parameter: Parameter {
        name: "substeps",
        kind: Kind::count_within(1, 100_000),
        default: Preset::Numbers(&[Options::DEFAULT.substeps as f64]),
        doc: "substeps a step; the error falls with their square",
        unit: "",
    },
    get: |options| options.substeps.value(),
    set: |options, value| options.substeps.take(value),
};

pub(crate) const PASSES: Setting = Setting {
    parameter: Parameter {
        name: "passes",
        kind: Kind::count_within(1, 100_000),
        default: Preset::Numbers(&[Options::DEFAULT.passes as f64]),
        doc: "passes over all constraints a substep, the iterations of position-based dynamics; more substeps do more",
        unit: "",
    },
    get: |options| options.passes.value(),
    set: |options, value| options.passes.take(value),
};

pub(crate) const RELAXATION: Setting = Setting {
    parameter: Parameter {
        name: "relaxation",
        kind: Kind::Word { choices: &const { words::<_, 3>(Sweep::WORDS) } },
        default: Preset::Word(Sweep::WORDS[0].0),
        doc: "constraints one after the other, or all at the same time with the mass of nodes shared by their number or by `weight`",
        unit: "",
    },
    get: |options| options.relaxation.value(),
    set: |options, value| options.relaxation.take(value),
};

pub(crate) const WEIGHT: Setting = Setting {
    parameter: Parameter {
        name: "weight",
        kind: Kind::within(1e-3, 0.5),
        default: Preset::Numbers(&[Options::DEFAULT.weight]),
        doc: "of relaxation = \"jacobi\": the share of a node's mass that each constraint reckons with; above 1/2 it diverges",
        unit: "",
    },
    get: |options| options.weight.value(),
    set: |options, value| options.weight.take(value),
};

pub(crate) const ORDER: Setting = Setting {
    parameter: Parameter {
        name: "order",
        kind: Kind::Word { choices: &const { words::<_, 3>(Order::WORDS) } },
        default: Preset::Word(Order::WORDS[0].0),
        doc: "which constraint after which: by colours on all cores, or one by one as they are numbered, forward or backward",
        unit: "",
    },
    get: |options| options.order.value(),
    set: |options, value| options.order.take(value),
};
