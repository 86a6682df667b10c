//! Warnings of steps that hold bodies fast that turn, or that blow them up (`docs/turning.md`).

use integrators::{Family, FrameKind, LinearPart, Method, Options, Rest, parameters};
use model::Model;
use model::energy::{Configuration, Stiffness};
use scene::{Built, Moment, Observer, ObserverError, Scene, Survey, explicit_tension, lost_per_radian};

/// Share of the rotation lost per radian from which it is told.
const MUCH: f64 = 0.05;
/// Turn per step times h omega above which exponential methods in a fixed frame break.
const EXPONENTIAL: f64 = 2.6;
/// Largest h omega that epirk4s3 follows where something vibrates: its weights of 1e4 amplify what is not smooth (`ERRATA.md`).
const SMOOTH: f64 = 30.0;
/// Largest h omega of tension that acts as a force only.
const TENSION: f64 = 2.0;

/// Returns true if steps of this method leave the stress of their own turns in the stiffness.
fn may_lock(method: &Method, options: &Options, model: &Model) -> bool {
    let keeps = matches!(model.stiffness_kind(), Stiffness::Exact | Stiffness::Projected);
    let iterates = method.reads(&parameters::REST.parameter) && options.get(&parameters::REST) == Rest::Newton;
    let turns = method.reads(&parameters::FRAME.parameter) && options.get(&parameters::FRAME) == FrameKind::Turning;
    method.linearises_once && !iterates && !turns && keeps && !model.is_linear()
}

/// Describes a loss of rotation; `None` if it is small.
fn loss(lost: f64, stiffness: Stiffness) -> Option<String> {
    let how_much = if lost >= 1.0 {
        "bodies that turn are held fast".to_string()
    } else {
        format!("bodies that turn lose about {:.0} % of their rotation per radian", 100.0 * lost)
    };
    let text = format!(
        "{how_much}: steps of one linearisation stretch what they turn, and with stiffness = \"{}\" the false stress resists the \
         next turn; use stiffness = \"auto\", the default, or a smaller step, or a method that iterates, such as backward-euler",
        stiffness.name()
    );
    (lost > MUCH).then_some(text)
}

/// Returns warnings about the initial motion.
pub fn warnings(scene: &Scene, built: &Built, survey: &Survey) -> Vec<String> {
    let (model, state) = (&*built.model, built.simulation.state());
    let (method, h) = (built.simulation.method(), built.simulation.schedule().step);
    let mut warnings = Vec::new();
    if may_lock(method, &scene.integrator.options, model) {
        // What the first step would make of it.
        let mut next = state.clone();
        next.x.iter_mut().zip(&state.v).for_each(|(x, v)| *x += h * v);
        warnings.extend(loss(lost_per_radian(model, &next, h), model.stiffness_kind()));
    }
    let options = &scene.integrator.options;
    // gautschi with its part at rest knows directions of space.
    let is_fixed = !method.reads(&parameters::FRAME.parameter)
        || options.get(&parameters::FRAME) == FrameKind::Fixed
        || (method.reads(&parameters::LINEAR_PART.parameter)
            && options.get(&parameters::LINEAR_PART) == LinearPart::Rest);
    if method.family == Family::Exponential && !method.linearises_once && is_fixed && !model.is_linear() {
        let way: Vec<f64> = state.v.iter().map(|v| h * v).collect();
        let (turn, z) = (model.turn(Configuration { x: &state.x, way: &way, inertia: &[] }), h * survey.fastest);
        if turn * z > EXPONENTIAL {
            warnings.push(format!(
                "elements turn by {turn:.1e} rad per step, and the fastest oscillation has h omega = {z:.1e}: the product has to be \
                 below about {EXPONENTIAL} for {}; use a smaller step, or a method with frame = \"turning\" (of gautschi with linear_part = \"corotational\"), or one that iterates",
                method.name
            ));
        }
    }
    let z = h * survey.fastest;
    if method.name == "epirk4s3" && z > SMOOTH && !model.is_linear() {
        warnings.push(format!(
            "the weights of epirk4s3 amplify vibrations with h omega above about {SMOOTH}, and the fastest here has {z:.1e}: the run diverges \
             unless these are never excited; use exprb42 or pexprb43, which have order 4 too, or a step of about {:.1e} s",
            SMOOTH / survey.fastest
        ));
    }
    if model.stiffness_kind() == Stiffness::Turned {
        let limit = TENSION / explicit_tension(model, &state.x);
        if h > limit {
            warnings.push(format!(
                "stiffness = \"turned\" leaves tension to the forces, which limits the step to about {limit:.1e} s here; use a smaller \
                 step, or stiffness = \"auto\""
            ));
        }
    }
    warnings
}

/// Watches a run for bodies that are held fast.
pub struct Locking {
    watches: bool,
    most: f64,
    stiffness: Stiffness,
}

impl Locking {
    /// Prepares to watch a run.
    pub fn new(scene: &Scene, built: &Built) -> Locking {
        let watches = may_lock(built.simulation.method(), &scene.integrator.options, &built.model);
        Locking { watches, most: 0.0, stiffness: built.model.stiffness_kind() }
    }

    /// Returns a warning if bodies lost much of their rotation.
    pub fn warning(&self) -> Option<String> {
        loss(self.most, self.stiffness)
    }
}

impl Observer for Locking {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        if self.watches && moment.is_frame && moment.h > 0.0 {
            self.most = self.most.max(lost_per_radian(moment.model, moment.state, moment.h));
        }
        Ok(())
    }
}
