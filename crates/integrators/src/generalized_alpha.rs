//! Generalized-alpha of Chung and Hulbert.
//!
//!   am = (2 r - 1) / (r + 1),  af = r / (r + 1),  gamma = 1/2 - am + af,  beta = (1 - am + af)^2 / 4
//!
//! with r = rho_infinity, the share that is left of an infinitely fast mode after a step: 1 damps
//! nothing, 0 removes it at once. (The 2018 paper on exponential Rosenbrock-Euler prints am + af in
//! place of am - af; that is of first order and unstable, see ERRATA.md.)
//! Cost a step: as backward Euler. Properties: second order, unconditionally stable for linear
//! bodies. Fails when Newton stalls.
//! Citation: Chung, Hulbert 1993.

use crate::alpha_family::{AlphaFamily, Alphas};
use crate::options::Options;
use model::Model;
use numerics::linear::LinearError;

pub(crate) fn generalized_alpha(model: &Model, options: &Options) -> Result<AlphaFamily, LinearError> {
    let r = options.rho_infinity;
    let alpha_m = (2.0 * r - 1.0) / (r + 1.0);
    let alpha_f = r / (r + 1.0);
    let gamma = 0.5 - alpha_m + alpha_f;
    let beta = 0.25 * (1.0 - alpha_m + alpha_f).powi(2);
    AlphaFamily::new(model, options, Alphas { alpha_m, alpha_f, beta, gamma })
}
