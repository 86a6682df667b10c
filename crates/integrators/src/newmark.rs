//! Newmark's method: the alpha family with the balance at the end of the step.
//!
//! beta = 1/4, gamma = 1/2 is the average acceleration: second order, damps nothing, conserves the
//! energy of linear bodies. gamma > 1/2 damps and is of first order.
//! Cost a step: as backward Euler. Fails when Newton stalls.
//! Citation: Newmark 1959.

use crate::alpha_family::{AlphaFamily, Alphas};
use crate::options::Options;
use model::Model;
use numerics::linear::LinearError;

pub(crate) fn newmark(model: &Model, options: &Options) -> Result<AlphaFamily, LinearError> {
    AlphaFamily::new(model, options, alphas(options))
}

pub(crate) fn alphas(options: &Options) -> Alphas {
    let Options { beta, gamma, .. } = *options;
    Alphas { alpha_m: 0.0, alpha_f: 0.0, beta, gamma }
}
