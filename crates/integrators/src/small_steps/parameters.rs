//! Parameters of small-steps: substeps, passes, and the kind and order of relaxation.

use crate::options::{Field, Options, Setting, Words, words};
use model::energy::Order;
use model::parameter::{Kind, Parameter, Preset};

/// Kind of relaxation of constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sweep {
    /// One after the other, each seeing the moves of those before.
    #[default]
    GaussSeidel,
    /// All simultaneously, each using an equal share of its nodes' mass among all constraints there.
    JacobiAveraged,
    /// All simultaneously, each using the same share of mass.
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
        doc: "substeps per step; the error falls with their square",
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
        doc: "passes over all constraints per substep, the iterations of position-based dynamics; more substeps help more",
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
        doc: "relaxation of constraints: one after the other, or all simultaneously with the mass of nodes divided by their number or by `weight`",
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
        doc: "for relaxation = \"jacobi\": share of a node's mass that each constraint uses; above 1/2 it diverges",
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
        doc: "order of constraints: by colours on all cores, or one by one as numbered, forward or backward",
        unit: "",
    },
    get: |options| options.order.value(),
    set: |options, value| options.order.take(value),
};
