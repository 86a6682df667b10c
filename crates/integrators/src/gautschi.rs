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
//! terms: with K at rest that is any large rotation of a stiff body. Damping is split likewise.
//! The frame of exponential Rosenbrock methods (`turning_frame.rs`) is no cure: it begins aligned with space in each step, and
//! there the force still differs from K (x - x_n) by all that the body has turned since rest. K would have to be R K R^T with
//! the whole turn R of the body. R is not part of the state, and its best fit of the positions differs from the true one by the
//! deformation, so that the force left over is as stiff as K where bodies bend; the corotational part is that idea per element.
//! Citation: Michels, Sobottka, Weber 2014; Hairer, Lubich 1999. The 2014 paper does not define the velocities: here
//! they are those of a linearly growing r, which keeps second order without a division by sinc.

use crate::drift::{Drift, Slope};
use crate::field::Words;
use crate::linear_system;
use crate::linearised::{Jacobian, Linearised};
use crate::matrix_functions::{self, MatrixFunctions};
use crate::method::{ELASTIC, EnergyBehaviour, Family, Method};
use crate::one_mode;
use crate::options::{Options, Setting};
use crate::stepper::{StepError, StepReport, Stepper, check_finite};
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
    /// Stiffness of the undeformed body.
    Rest,
    /// Stiffness of the undeformed body, rotated with each element.
    Corotational,
}

impl Words for LinearPart {
    const WORDS: &'static [(&'static str, LinearPart)] =
        &[("rest", LinearPart::Rest), ("corotational", LinearPart::Corotational)];
}

/// Constant stiffness that is integrated exactly.
pub const LINEAR_PART: Setting<LinearPart> = Setting::new(Parameter {
    name: "linear_part",
    kind: Kind::Word { choices: LinearPart::CHOICES },
    default: Preset::Word("rest"),
    doc: "constant stiffness that is integrated exactly: at rest, or rotated with each element",
    unit: "",
});

pub(crate) struct Gautschi {
    part: LinearPart,
    linearised: Linearised,
    functions: MatrixFunctions,
    drift: Drift,
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
        let part = options.get(&LINEAR_PART);
        if part == LinearPart::Rest {
            linearised.take(model, Stiffness::Exact, model.rest());
        }
        Ok(Gautschi {
            part,
            functions: MatrixFunctions::new(model, options, &linearised),
            linearised,
            drift: Drift::new(model),
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
        let Gautschi { part, linearised, functions, drift, rate, later, load, zero, motion, correction, end } = self;
        let dofs = model.dofs();
        model.force(state.t, &state.x, &state.v, load);
        report.forces += 1;
        check_finite(model, &state.x, load)?;
        if *part == LinearPart::Corotational {
            linearised.take(model, Stiffness::Corotated, &state.x);
            report.assemblies += 1;
        }

        // Motion under the current force.
        linearised.add_damping_times(model, 1.0, &state.v[..dofs], load);
        let drifts = drift.rate(model, state, h, Slope::Chord, true, rate);
        let loads: [&[f64]; 2] = [load, rate];
        let moved = Motion { velocity: &state.v[..dofs], loads: &loads[..1 + usize::from(drifts)] };
        let [y, velocity] = motion;
        let mut samples = [Sample { time: h, y, velocity }];
        functions.propagate(model, linearised, &moved, 1.0, &mut samples, &mut report)?;

        // Force at its end beyond the prediction: r+ - r - h g.
        let [y, velocity] = motion;
        end.clone_from(state);
        end.t = state.t + h;
        end.x.iter_mut().zip(&*y).for_each(|(x, y)| *x += y);
        end.v[..dofs].copy_from_slice(velocity);
        model.place(end.t, &mut end.x, &mut end.v);
        model.force(end.t, &end.x, &end.v, later);
        report.forces += 1;
        check_finite(model, &end.x, later)?;
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
        end.v.iter_mut().zip(&*dv).for_each(|(v, dv)| *v += dv);
        check_finite(model, &state.x, &end.v[..dofs])?;
        state.clone_from(end);
        Ok(report)
    }
}
