//! Generalized-alpha of Chung and Hulbert.
//!
//!   am = (2 r - 1) / (r + 1),  af = r / (r + 1),  gamma = 1/2 - am + af,  beta = (1 - am + af)^2 / 4
//!
//! with r = rho_infinity, the share of an infinitely fast mode left after a step: 1 damps nothing, 0 removes it at
//! once. (The 2018 paper on exponential Rosenbrock-Euler prints am + af instead of am - af; that is first order and
//! unstable, see ERRATA.md.)
//! Cost per step: as backward Euler. Properties: second order, unconditionally stable for linear bodies. Fails when
//! Newton stalls.
//! Citation: Chung, Hulbert 1993.

use crate::alpha_family::{AlphaFamily, Alphas};
use crate::linear_system;
use crate::method::{EnergyBehaviour, Family, Method, VISCOUS};
use crate::one_mode::{self, OneMode};
use crate::options::{Options, Setting};
use crate::stage;
use model::Model;
use model::parameter::{Kind, Parameter, Preset};
use numerics::linear::LinearError;

/// The facts of generalized-alpha.
pub(crate) const METHOD: Method = Method {
    name: "generalized-alpha",
    aliases: &["chung-hulbert"],
    description: "second order with a chosen damping of fast modes",
    citation: "Chung, Hulbert 1993",
    order: 2,
    exact_on_linear: false,
    energy: EnergyBehaviour::Damps,
    family: Family::Implicit,
    parameters: &[
        RHO_INFINITY.parameter,
        stage::TOLERANCE.parameter,
        stage::ITERATIONS.parameter,
        stage::LINE_SEARCH.parameter,
        stage::HESSIAN_CORRECTION.parameter,
        linear_system::SOLVER.parameter,
        linear_system::SOLVER_TOLERANCE.parameter,
    ],
    // Position, velocity and algorithmic acceleration; without damping that remains the acceleration of the force.
    one_mode: OneMode {
        roots: |options| if options.get(&RHO_INFINITY) == 1.0 { 2 } else { 3 },
        radius: |options, z| one_mode::radius(&alphas(options).amplification(z)),
    },
    keeps_factor: true,
    linearises_once: false,
    has_explicit_regions: false,
    conserves_momentum: |_| true,
    serves: VISCOUS,
    make: |model, options| Ok(Box::new(generalized_alpha(model, options)?)),
};

/// Spectral radius of generalized-alpha for infinitely fast modes.
pub const RHO_INFINITY: Setting<f64> = Setting::new(Parameter {
    name: "rho_infinity",
    kind: Kind::within(0.0, 1.0),
    default: Preset::Numbers(&[0.5]),
    doc: "share of infinitely fast modes kept per step: 1 all, 0 nothing",
    unit: "",
});

pub(crate) fn generalized_alpha(model: &Model, options: &Options) -> Result<AlphaFamily, LinearError> {
    AlphaFamily::new(model, options, alphas(options))
}

pub(crate) fn alphas(options: &Options) -> Alphas {
    let r = options.get(&RHO_INFINITY);
    let alpha_m = (2.0 * r - 1.0) / (r + 1.0);
    let alpha_f = r / (r + 1.0);
    let gamma = 0.5 - alpha_m + alpha_f;
    let beta = 0.25 * (1.0 - alpha_m + alpha_f).powi(2);
    Alphas { alpha_m, alpha_f, beta, gamma }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stepper::Stepper;
    use model::energy::spring::Law;
    use model::mesh::Mesh;
    use model::{Blueprint, SpringPart};

    /// Returns the growth per step of one undamped mode at h omega = 1, with rho_infinity = 1/2 (am = 0, af = 1/3).
    fn growth(alpha: f64) -> f64 {
        let mesh = Mesh { points: vec![[0.0; 3]; 2], edges: vec![[0, 1]], ..Mesh::default() };
        let springs = vec![SpringPart { pairs: vec![[0, 1]], law: Law::Linear, stiffness: 1.0 }];
        let node_masses = vec![(0, 1.0), (1, 1.0)];
        let model = Blueprint { mesh, springs, node_masses, fixed: vec![0], ..Blueprint::default() }.build().unwrap();
        let alphas =
            Alphas { alpha_m: 0.0, alpha_f: 1.0 / 3.0, beta: 0.25 * (1.0 - alpha).powi(2), gamma: 0.5 - alpha };
        let mut method = AlphaFamily::new(&model, &Options::default(), alphas).unwrap();
        let mut state = model.state_at_rest();
        state.x[0] = 1.0;
        let mut sizes = Vec::new();
        for _ in 0..200 {
            method.step(&model, &mut state, 1.0).unwrap();
            sizes.push(state.x[0].hypot(state.v[0]));
        }
        // The phase repeats only roughly; over 100 steps that is less than a hundredth.
        (sizes[199] / sizes[99]).powf(0.01)
    }

    #[test]
    fn the_printed_sum_of_the_alphas_amplifies_and_their_difference_does_not() {
        let (sum, difference) = (growth(1.0 / 3.0), growth(-1.0 / 3.0));
        assert!((sum - 1.223).abs() < 0.01, "{sum}");
        assert!(difference < 1.0, "{difference}");
    }
}
