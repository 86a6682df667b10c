//! A Gautschi-type method: a constant linear part is integrated exactly; the rest of the force should be smooth.
//!
//!   M x'' + D x' + K (x - x_n) = r(t),   K constant,   r = f + K (x - x_n) + D v
//!   x+ : the motion under r = r_n + t g;   v+ : the same, and under the growth of r that g does not know
//!
//! g is the change of loads and of scripted nodes (`drift.rs`), zero for most scenes.
//! Without damping the positions obey Gautschi's two-step formula x+ - 2 x + x- = h^2 sinc^2(h Omega / 2) M^-1 f(x), and
//! K is the stiffness at rest, or that turned with each element at the beginning of the step (corotational).
//!
//! Cost per step: two forces; matrix functions of v, f and the change of r; one assembly with the corotational part.
//! Properties: second order, exact on linear problems. Fails where the force differs from its linear part by stiff
//! terms: with K at rest that is any large rotation of a stiff body, with the corotational part large strains. Damping is split likewise.
//!
//! **With the corotational part**, the default where a body is not held in place, each body is seen from a frame that turns with it over the step (`turning_frame.rs`),
//! or a stiff body that merely turns is held fast (`docs/turning.md`). With the whole force f and y = r - r_0
//!
//!   M y'' + D y' + (K + M w^2) y = r(t),   r = R^T (f - M A) - M w^2 r + (K + M w^2) y + D y'
//!
//! and the Coriolis force is split off as in ere. The part at rest belongs to a direction of space. It serves bodies that turn by
//! small angles only, and has a fixed frame.
//! Citation: Michels, Sobottka, Weber 2014; Hairer, Lubich 1999. The 2014 paper does not define the velocities: here
//! they are those of a linearly growing r, which keeps second order without a division by sinc.

use crate::drift::{Drift, Slope};
use crate::field::Words;
use crate::framed::Framed;
use crate::linear_system;
use crate::linearised::{Jacobian, Linearised};
use crate::matrix_functions::{self, MatrixFunctions};
use crate::method::{ELASTIC, EnergyBehaviour, Family, Method};
use crate::one_mode;
use crate::options::{Options, Setting};
use crate::stepper::{StepError, StepReport, Stepper, check_finite};
use crate::turning_frame::{self, FrameKind, Frames};
use crate::unresolved::{UNRESOLVED_DAMPING, add_held};
use model::energy::Stiffness;
use model::parameter::{Kind, Parameter, Preset};
use model::{Model, State};
use numerics::functions::{Motion, Sample};
use numerics::linear::LinearError;

/// The facts of gautschi.
pub(crate) const METHOD: Method = Method {
    name: "gautschi",
    aliases: &[],
    description: "a constant linear part exactly, the rest of the force once per step",
    citation: "Michels, Sobottka, Weber 2014",
    order: 2,
    exact_on_linear: true,
    energy: EnergyBehaviour::Drifts,
    family: Family::Exponential,
    parameters: &[
        LINEAR_PART.parameter,
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
    make: |model, options| Ok(Box::new(Gautschi::new(model, options)?)),
};

/// Constant stiffness that is integrated exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinearPart {
    /// The corotational one where a body may turn, else that at rest.
    Auto,
    /// Stiffness of the undeformed body.
    Rest,
    /// Stiffness of the undeformed body, rotated with each element.
    Corotational,
}

impl Words for LinearPart {
    const WORDS: &'static [(&'static str, LinearPart)] =
        &[("auto", LinearPart::Auto), ("rest", LinearPart::Rest), ("corotational", LinearPart::Corotational)];
}

/// Constant stiffness that is integrated exactly.
pub const LINEAR_PART: Setting<LinearPart> = Setting::new(Parameter {
    name: "linear_part",
    kind: Kind::Word { choices: LinearPart::CHOICES },
    default: Preset::Word("auto"),
    doc: "constant stiffness that is integrated exactly: at rest, rotated with each element, or (auto) rotated where a body is not held in place",
    unit: "",
});

pub(crate) struct Gautschi {
    part: LinearPart,
    linearised: Linearised,
    functions: MatrixFunctions,
    drift: Drift,
    /// Frames that turn with bodies; `None` where none can.
    framed: Option<Framed>,
    rate: Vec<f64>,
    later: Vec<f64>,
    load: Vec<f64>,
    zero: Vec<f64>,
    motion: [Vec<f64>; 2],
    correction: [Vec<f64>; 2],
    end: State,
}

impl Gautschi {
    pub fn new(model: &Model, options: &Options) -> Result<Gautschi, LinearError> {
        let empty = || vec![0.0; model.dofs()];
        let mut linearised = Linearised::new(model, options, Jacobian::LinearPart)?;
        linearised.damp_unresolved(options.get(&UNRESOLVED_DAMPING).factor(model));
        let part = match options.get(&LINEAR_PART) {
            LinearPart::Auto if Frames::new(model).is_some_and(|frames| frames.any_is_loose(model)) => {
                LinearPart::Corotational
            }
            LinearPart::Auto => LinearPart::Rest,
            part => part,
        };
        if part == LinearPart::Rest {
            linearised.take(model, Stiffness::Exact, model.rest());
        }
        Ok(Gautschi {
            part,
            functions: MatrixFunctions::new(model, options, &linearised),
            linearised,
            drift: Drift::new(model),
            framed: Framed::new(model, options).filter(|_| part == LinearPart::Corotational),
            rate: empty(),
            later: empty(),
            load: empty(),
            zero: empty(),
            motion: [empty(), empty()],
            correction: [empty(), empty()],
            end: model.state_at_rest(),
        })
    }
}

impl Stepper for Gautschi {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        let Gautschi { part, linearised, functions, drift, framed, rate, later, load, zero, motion, correction, end } =
            self;
        let dofs = model.dofs();
        linearised.begin(h);
        model.force(state.t, &state.x, &state.v, load);
        report.forces += 1;
        check_finite(model, &state.x, load)?;
        if *part == LinearPart::Corotational {
            linearised.take(model, Stiffness::Corotated, &state.x);
            report.assemblies += 1;
        }

        // Motion under the current force.
        let mut framed = framed
            .as_mut()
            .and_then(|framed| framed.begins(FrameKind::Turning, model, state, load, h).then_some(framed));
        let (velocity, drifts, frames) = match &mut framed {
            Some(framed) => {
                framed.see(model, state, load);
                linearised.add_damping_times(model, 1.0, &framed.velocity, load);
                framed.deflect_start(model, linearised, h);
                framed.turn(model, linearised, false);
                (&framed.velocity[..], false, Some(&framed.frames))
            }
            None => {
                linearised.add_damping_times(model, 1.0, &state.v[..dofs], load);
                (&state.v[..dofs], drift.rate(model, state, h, Slope::Chord, true, rate), None)
            }
        };
        let unresolved = linearised.unresolved();
        if unresolved != 0.0 {
            add_held(drift, model, state, frames, unresolved, load);
        }
        let loads: [&[f64]; 2] = [load, rate];
        let moved = Motion { velocity, loads: &loads[..1 + usize::from(drifts)] };
        let [y, after] = &mut *motion;
        let mut samples = [Sample { time: h, y, velocity: after }];
        functions.propagate(model, linearised, &moved, 1.0, &mut samples, &mut report)?;
        if unresolved != 0.0 {
            let [y, after] = &*motion;
            let rate: &[f64] = if drifts { rate } else { zero };
            report.numerical_damping +=
                linearised.taken_by_unresolved(model, h, [velocity, y, after], [load, rate], later);
            // Constant during the step: no part of the change of the force.
            add_held(drift, model, state, frames, -unresolved, load);
        }

        // Force at its end beyond the prediction: r+ - r - h g.
        let [y, velocity] = motion;
        end.clone_from(state);
        end.t = state.t + h;
        if let Some(framed) = &mut framed {
            framed.deflect(model, linearised, 0.5 * h, velocity);
            framed.frames.at(h);
            framed.frames.to_space(state, Some(y), velocity, &mut end.x, &mut end.v);
        } else {
            end.x.iter_mut().zip(&*y).for_each(|(x, y)| *x += y);
            end.v[..dofs].copy_from_slice(velocity);
        }
        model.place(end.t, &mut end.x, &mut end.v);
        model.force(end.t, &end.x, &end.v, later);
        report.forces += 1;
        check_finite(model, &end.x, later)?;
        if let Some(framed) = &mut framed {
            framed.see_end(model, state, y, velocity, later);
        }
        linearised.stiffness.multiply_add(1.0, y, later);
        report.linear.products += 1;
        linearised.add_damping_times(model, 1.0, velocity, later);
        for i in 0..dofs {
            later[i] = (later[i] - load[i]) / h - if drifts { rate[i] } else { 0.0 };
        }

        let moved = Motion { velocity: zero, loads: &[zero, later] };
        let [dy, dv] = correction;
        let mut samples = [Sample { time: h, y: dy, velocity: dv }];
        functions.propagate(model, linearised, &moved, 1.0, &mut samples, &mut report)?;
        if let Some(Framed { frames, forces, .. }) = framed {
            velocity.iter_mut().zip(&*dv).for_each(|(v, dv)| *v += dv);
            frames.to_space(state, Some(y), velocity, &mut end.x, &mut end.v);
            model.place(end.t, &mut end.x, &mut end.v);
            forces.keep_angular_momentum(model, frames, h, end);
        } else {
            end.v.iter_mut().zip(&*dv).for_each(|(v, dv)| *v += dv);
        }
        check_finite(model, &state.x, &end.v[..dofs])?;
        state.clone_from(end);
        Ok(report)
    }
}
