//! Numerical damping of exponential methods: d = c h lam on each mode, which damps what a step of h cannot resolve.
//!
//! An undamped exponential method keeps every vibration, however fast. Where stiff springs turn, each step makes new ones along the
//! tangent, and the next steps turn them into motion (`docs/turning.md`). With D + c h K in place of D a mode of frequency w has the
//! damping ratio c h w / 2: slow ones are left alone, and those with h w >> 1 / c die within the step. It acts on y', the velocity in the
//! frame of the step, and is no part of the damping of the scene: its energy is reported apart. The order of the method falls to 1.

use crate::drift::Drift;
use crate::field::{Field, Form};
use crate::options::Setting;
use crate::turning_frame::{Frames, of_node, significant};
use model::energy::Stiffness;
use model::parameter::{Kind, Parameter, Preset, Range, Value};
use model::{Model, State};
use numerics::mat3::{norm, sub};

/// Factor c of a numerical damping c h K.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unresolved {
    /// 0.1 where the stiffness is the turned one, else 0; 0 too for methods with stages in a frame that turns.
    Auto,
    /// This factor.
    Factor(f64),
}

impl Unresolved {
    const AUTO: &'static str = "auto";
    /// Factor with the turned stiffness: enough that rational Krylov spaces converge however stiff the springs are.
    const TURNED: f64 = 0.1;

    /// Returns c for a model.
    pub(crate) fn factor(self, model: &Model) -> f64 {
        match self {
            Unresolved::Factor(factor) => factor,
            Unresolved::Auto if model.stiffness_kind() == Stiffness::Turned => Unresolved::TURNED,
            Unresolved::Auto => 0.0,
        }
    }
}

impl Field for Unresolved {
    const FORM: Form = Form::NumberOr(Unresolved::AUTO);

    fn value(&self) -> Value {
        match self {
            Unresolved::Auto => Value::from(Unresolved::AUTO),
            Unresolved::Factor(factor) => factor.value(),
        }
    }

    fn from_value(value: &Value) -> Option<Unresolved> {
        match value {
            Value::Word(word) => (word == Unresolved::AUTO).then_some(Unresolved::Auto),
            value => f64::from_value(value).map(Unresolved::Factor),
        }
    }
}

/// Numerical damping of exponential methods.
pub const UNRESOLVED_DAMPING: Setting<Unresolved> = Setting::new(Parameter {
    name: "unresolved_damping",
    kind: Kind::NumberOr { range: Range::Within { min: 0.0, max: 10.0 }, word: Unresolved::AUTO },
    default: Preset::Word(Unresolved::AUTO),
    doc: "factor c of a numerical damping c h K, which damps what a step of h cannot resolve and is no part of the damping of the scene; auto: 0.1 with stiffness = \"turned\", also of fibres, else 0; 0 too for methods with stages in a turning frame",
    unit: "",
});

/// f -= c K v of nodes that are not free, with the velocities seen from the frames of the step.
pub(crate) fn add_held(
    drift: &mut Drift,
    model: &Model,
    state: &State,
    frames: Option<&Frames>,
    c: f64,
    f: &mut [f64],
) {
    let seen = |i: usize| {
        let (v, carried) = (of_node(&state.v, i), frames.map(|frames| frames.of(i).carries(of_node(&state.x, i))));
        carried.map_or(v, |carried| significant(sub(v, carried), norm(v) + norm(carried)))
    };
    drift.add_held(model, state, seen, c, f);
}
