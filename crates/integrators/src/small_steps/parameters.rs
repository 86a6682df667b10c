//! Parameters of small-steps: substeps, passes, and the kind and order of relaxation.

use crate::field::Words;
use crate::options::Setting;
use model::energy::Order;
use model::parameter::{Kind, Parameter, Preset};

/// Kind of relaxation of constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sweep {
    /// One after the other, each seeing the moves of those before.
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

impl Words for Order {
    const WORDS: &'static [(&'static str, Order)] =
        &[("coloured", Order::Coloured), ("forward", Order::Forward), ("backward", Order::Backward)];
}

/// Substeps per step of a position-based method.
pub const SUBSTEPS: Setting<usize> = Setting::new(Parameter {
    name: "substeps",
    kind: Kind::count_within(1, 100_000),
    default: Preset::Numbers(&[20.0]),
    doc: "substeps per step; the error falls with their square",
    unit: "",
});

/// Passes over all constraints per substep.
pub const PASSES: Setting<usize> = Setting::new(Parameter {
    name: "passes",
    kind: Kind::count_within(1, 100_000),
    default: Preset::Numbers(&[1.0]),
    doc: "passes over all constraints per substep, the iterations of position-based dynamics; more substeps help more",
    unit: "",
});

/// Kind of relaxation of constraints.
pub const RELAXATION: Setting<Sweep> = Setting::new(Parameter {
    name: "relaxation",
    kind: Kind::Word { choices: Sweep::CHOICES },
    default: Preset::Word("gauss-seidel"),
    doc: "relaxation of constraints: one after the other, or all simultaneously with the mass of nodes divided by their number or by `weight`",
    unit: "",
});

/// Share of a node's mass that a constraint uses where all are relaxed simultaneously; above 1/2 it diverges.
pub const WEIGHT: Setting<f64> = Setting::new(Parameter {
    name: "weight",
    kind: Kind::within(1e-3, 0.5),
    default: Preset::Numbers(&[0.5]),
    doc: "for relaxation = \"jacobi\": share of a node's mass that each constraint uses; above 1/2 it diverges",
    unit: "",
});

/// Order in which constraints are relaxed.
pub const ORDER: Setting<Order> = Setting::new(Parameter {
    name: "order",
    kind: Kind::Word { choices: Order::CHOICES },
    default: Preset::Word("coloured"),
    doc: "order of constraints: by colours on all cores, or one by one as numbered, forward or backward",
    unit: "",
});
