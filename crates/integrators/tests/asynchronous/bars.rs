//! Test bars with a stiff tip.

use crate::problems::bar::{SHORT, Span, TIP, with};
use crate::problems::{GRAVITY, gravity, make, method};
use integrators::{Coupling, Options, Stepper, parameters};
use model::{Blueprint, Model};

pub const STEP: f64 = 0.01;

/// Material and damping of a bar.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    pub material: &'static str,
    pub damping: [f64; 2],
    pub consistent: bool,
}

pub const LINEAR: Made = Made { material: "linear", damping: [0.0; 2], consistent: false };
pub const DAMPED: Made = Made { damping: [0.3, 1e-3], ..LINEAR };
pub const CONSISTENT: Made = Made { consistent: true, ..LINEAR };
pub const BOTH: Made = Made { consistent: true, ..DAMPED };

/// A bar with a tip of 1e7 Pa; 216 unknowns.
pub fn bar(made: Made) -> Blueprint {
    let mut blueprint = crate::problems::bar::bar(SHORT, made.material, &[(TIP.0, f64::INFINITY, 1e7, 1000.0)]);
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    blueprint.damping = made.damping;
    blueprint.consistent_mass = made.consistent;
    blueprint
}

/// The bar with these regions.
pub fn cut(made: Made, regions: &[Span]) -> Model {
    with(bar(made), regions).build().unwrap()
}

/// The bar whose tip takes `ratio` small steps per large step.
pub fn tip(made: Made, ratio: usize) -> Model {
    cut(made, &[(TIP.0, TIP.1, ratio)])
}

pub fn stepper(name: &str, model: &Model, options: &Options) -> Box<dyn Stepper> {
    make(method(name), model, options)
}

pub fn asynchronous(model: &Model) -> Box<dyn Stepper> {
    stepper("asynchronous-backward-euler", model, &Options::default())
}

pub const COUPLINGS: [Coupling; 2] = [Coupling::Conserving, Coupling::Paper];

pub fn coupled(model: &Model, coupling: Coupling) -> Box<dyn Stepper> {
    stepper("asynchronous-backward-euler", model, &Options::default().with(&parameters::COUPLING, coupling))
}
