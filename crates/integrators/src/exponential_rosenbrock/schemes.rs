//! Exponential Rosenbrock methods as data: nodes and weights, and the facts of each method.

use super::ExponentialRosenbrock;
use crate::controller::{ADAPTIVE, STEP_TOLERANCE};
use crate::linear_system;
use crate::matrix_functions;
use crate::method::{ELASTIC, EnergyBehaviour, Family, Method};
use crate::one_mode;
use crate::overdamped::{OVERDAMPED, Overdamped};
use crate::turning_frame;
use crate::unresolved::UNRESOLVED_DAMPING;

/// Nodes and weights of a method.
#[derive(Debug)]
pub(crate) struct Scheme {
    /// c_i, ascending.
    pub nodes: &'static [f64],
    pub third: &'static [f64],
    pub fourth: &'static [f64],
    /// Order of the local error that the embedded estimate measures.
    pub estimate: u32,
}

pub(crate) static ERE: Scheme = Scheme { nodes: &[], third: &[], fourth: &[], estimate: 3 };
pub(crate) static EXPRB42: Scheme = Scheme { nodes: &[0.75], third: &[32.0 / 9.0], fourth: &[0.0], estimate: 3 };
pub(crate) static PEXPRB43: Scheme =
    Scheme { nodes: &[0.5, 1.0], third: &[16.0, -2.0], fourth: &[-48.0, 12.0], estimate: 4 };
pub(crate) static EPIRK4S3: Scheme =
    Scheme { nodes: &[1.0 / 9.0, 1.0 / 8.0], third: &[1458.0, -1024.0], fourth: &[-34992.0, 27648.0], estimate: 4 };

/// The facts of ere.
pub(crate) const ERE_METHOD: Method = Method {
    name: "ere",
    aliases: &["exponential-rosenbrock-euler"],
    description: "exact motion of the linearised body",
    citation: "Chen, Ascher, Pai 2018",
    order: 2,
    exact_on_linear: true,
    energy: EnergyBehaviour::Drifts,
    family: Family::Exponential,
    parameters: &[
        turning_frame::FRAME.parameter,
        UNRESOLVED_DAMPING.parameter,
        matrix_functions::KRYLOV.parameter,
        matrix_functions::KRYLOV_TOLERANCE.parameter,
        matrix_functions::PRODUCTS.parameter,
        linear_system::SOLVER.parameter,
        linear_system::SOLVER_TOLERANCE.parameter,
    ],
    one_mode: one_mode::UNDAMPED,
    keeps_factor: false,
    linearises_once: false,
    has_explicit_regions: false,
    conserves_momentum: |_| true,
    serves: OVERDAMPED,
    make: |model, options| match model.stokes() {
        Some(_) => Ok(Box::new(Overdamped::new(model, options)?)),
        None => Ok(Box::new(ExponentialRosenbrock::new(model, options, &ERE)?)),
    },
};

/// The facts of epirk4s3.
pub(crate) const EPIRK4S3_METHOD: Method = Method {
    name: "epirk4s3",
    aliases: &["sai"],
    description: "fourth order by two stages near the beginning of the step; stiffly accurate, for small h omega",
    citation: "Michels, Luan, Tokman 2017",
    order: 4,
    exact_on_linear: true,
    energy: EnergyBehaviour::Drifts,
    family: Family::Exponential,
    parameters: &[
        ADAPTIVE.parameter,
        STEP_TOLERANCE.parameter,
        turning_frame::FRAME.parameter,
        UNRESOLVED_DAMPING.parameter,
        matrix_functions::KRYLOV.parameter,
        matrix_functions::KRYLOV_TOLERANCE.parameter,
        matrix_functions::PRODUCTS.parameter,
        linear_system::SOLVER.parameter,
        linear_system::SOLVER_TOLERANCE.parameter,
    ],
    one_mode: one_mode::UNDAMPED,
    keeps_factor: false,
    linearises_once: false,
    has_explicit_regions: false,
    conserves_momentum: |_| true,
    serves: ELASTIC,
    make: |model, options| Ok(Box::new(ExponentialRosenbrock::new(model, options, &EPIRK4S3)?)),
};

/// The facts of pexprb43.
pub(crate) const PEXPRB43_METHOD: Method = Method {
    name: "pexprb43",
    aliases: &[],
    description: "fourth order by two stages at the middle and the end of the step",
    citation: "Luan, Ostermann 2016",
    make: |model, options| Ok(Box::new(ExponentialRosenbrock::new(model, options, &PEXPRB43)?)),
    ..EPIRK4S3_METHOD
};

/// The facts of exprb42.
pub(crate) const EXPRB42_METHOD: Method = Method {
    name: "exprb42",
    aliases: &[],
    description: "fourth order by one stage",
    citation: "Luan 2017",
    make: |model, options| Ok(Box::new(ExponentialRosenbrock::new(model, options, &EXPRB42)?)),
    ..EPIRK4S3_METHOD
};
