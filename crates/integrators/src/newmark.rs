//! Newmark's method: the alpha family with the balance at the end of the step.
//!
//! beta = 1/4, gamma = 1/2 is the average acceleration: second order, damps nothing, conserves the energy of linear
//! bodies. gamma > 1/2 damps and is first order.
//! Cost per step: as backward Euler. Fails when Newton stalls.
//! Citation: Newmark 1959.

use crate::alpha_family::{AlphaFamily, Alphas};
use crate::linear_system;
use crate::method::{ELASTIC, EnergyBehaviour, Family, Method};
use crate::one_mode::{self, OneMode};
use crate::options::{Field, Options, Setting};
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
        &BETA,
        &GAMMA,
        &stage::TOLERANCE,
        &stage::ITERATIONS,
        &stage::LINE_SEARCH,
        &stage::HESSIAN_CORRECTION,
        &linear_system::SOLVER,
        &linear_system::SOLVER_TOLERANCE,
    ],
    // Newmark's accelerations are always those of the force, not separate unknowns.
    one_mode: OneMode {
        roots: one_mode::TWO,
        radius: |options, z| one_mode::radius(&alphas(options).amplification(z)),
    },
    keeps_factor: true,
    has_explicit_regions: false,
    serves: ELASTIC,
    make: |model, options| Ok(Box::new(newmark(model, options)?)),
};

pub(crate) const BETA: Setting = Setting {
    parameter: Parameter {
        name: "beta",
        kind: Kind::within(1e-6, 1.0),
        default: Preset::Numbers(&[Options::DEFAULT.beta]),
        doc: "Newmark's beta; 1/4 is the average acceleration",
        unit: "",
    },
    get: |options| options.beta.value(),
    set: |options, value| options.beta.take(value),
};

pub(crate) const GAMMA: Setting = Setting {
    parameter: Parameter {
        name: "gamma",
        kind: Kind::within(0.5, 1.5),
        default: Preset::Numbers(&[Options::DEFAULT.gamma]),
        doc: "Newmark's gamma; above 1/2 it damps and is first order",
        unit: "",
    },
    get: |options| options.gamma.value(),
    set: |options, value| options.gamma.take(value),
};

pub(crate) fn newmark(model: &Model, options: &Options) -> Result<AlphaFamily, LinearError> {
    AlphaFamily::new(model, options, alphas(options))
}

pub(crate) fn alphas(options: &Options) -> Alphas {
    let Options { beta, gamma, .. } = *options;
    Alphas { alpha_m: 0.0, alpha_f: 0.0, beta, gamma }
}
