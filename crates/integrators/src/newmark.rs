//! Newmark's method: the alpha family with the balance at the end of the step.
//!
//! beta = 1/4, gamma = 1/2 is the average acceleration: second order, damps nothing, conserves the energy of linear
//! bodies. gamma > 1/2 damps and is first order.
//! Cost per step: as backward Euler. Fails when Newton stalls.
//! Citation: Newmark 1959.

use crate::alpha_family::{AlphaFamily, Alphas};
use crate::linear_system;
use crate::method::{EnergyBehaviour, Family, Method, VISCOUS};
use crate::one_mode::{self, OneMode};
use crate::options::{Options, Setting};
use crate::stage;
use model::Model;
use model::parameter::{Kind, Parameter, Preset};
use numerics::linear::LinearError;

/// The facts of newmark.
pub(crate) const METHOD: Method = Method {
    name: "newmark",
    aliases: &["average-acceleration"],
    description: "Newmark's family; by default the average acceleration, which does not damp",
    citation: "Newmark 1959",
    order: 2,
    exact_on_linear: false,
    energy: EnergyBehaviour::Conserves,
    family: Family::Implicit,
    parameters: &[
        BETA.parameter,
        GAMMA.parameter,
        stage::TOLERANCE.parameter,
        stage::ITERATIONS.parameter,
        stage::LINE_SEARCH.parameter,
        stage::HESSIAN_CORRECTION.parameter,
        linear_system::SOLVER.parameter,
        linear_system::SOLVER_TOLERANCE.parameter,
    ],
    // Newmark's accelerations are always those of the force, not separate unknowns.
    one_mode: OneMode {
        roots: one_mode::TWO,
        radius: |options, z| one_mode::radius(&alphas(options).amplification(z)),
    },
    keeps_factor: true,
    linearises_once: false,
    has_explicit_regions: false,
    conserves_momentum: |_| true,
    serves: VISCOUS,
    make: |model, options| Ok(Box::new(newmark(model, options)?)),
};

/// Newmark's beta.
pub const BETA: Setting<f64> = Setting::new(Parameter {
    name: "beta",
    kind: Kind::within(1e-6, 1.0),
    default: Preset::Numbers(&[0.25]),
    doc: "Newmark's beta; 1/4 is the average acceleration",
    unit: "",
});

/// Newmark's gamma.
pub const GAMMA: Setting<f64> = Setting::new(Parameter {
    name: "gamma",
    kind: Kind::within(0.5, 1.5),
    default: Preset::Numbers(&[0.5]),
    doc: "Newmark's gamma; above 1/2 it damps and is first order",
    unit: "",
});

pub(crate) fn newmark(model: &Model, options: &Options) -> Result<AlphaFamily, LinearError> {
    AlphaFamily::new(model, options, alphas(options))
}

pub(crate) fn alphas(options: &Options) -> Alphas {
    Alphas { alpha_m: 0.0, alpha_f: 0.0, beta: options.get(&BETA), gamma: options.get(&GAMMA) }
}
