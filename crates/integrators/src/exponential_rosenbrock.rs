//! Exponential Rosenbrock methods: the linearised motion is integrated exactly, the remainder by stages.
//!
//! With u = (x, v), u' = F(t, u), J its Jacobian, and g = dF/dt where F depends on time:
//!
//!   U_i = u + c_i h phi_1(c_i h J) F + (c_i h)^2 phi_2(c_i h J) g
//!   R_i = F(t + c_i h, U_i) - F - J (U_i - u) - c_i h g
//!   u+  = u + h phi_1(h J) F + h^2 phi_2(h J) g + h phi_3(h J) sum b3_i R_i + h phi_4(h J) sum b4_i R_i
//!
//! Each line is a motion of the linearised model (`numerics::functions`): the first is sampled at several times, and
//! the remainders are loads that grow with t^2 and t^3. All stages begin at u, so one pass serves them.
//!
//! | method | nodes c | sum b3 R | sum b4 R | order |
//! |---|---|---|---|---|
//! | ere | none | | | 2 |
//! | exprb42 | 3/4 | 32/9 R_2 | | 4 |
//! | pexprb43 | 1/2, 1 | 16 R_2 - 2 R_3 | -48 R_2 + 12 R_3 | 4 |
//! | epirk4s3 | 1/8, 1/9 | -1024 R_2 + 1458 R_3 | 27648 R_2 - 34992 R_3 | 4 |
//!
//! epirk4s3 is eq. (20) of the 2017 paper with its differences of remainders multiplied out. The term with phi_4 (with
//! phi_3 for exprb42) is the difference to a method of lower order, hence the error estimate of variable steps.
//!
//! **In a frame that turns** with each body over the step (`frame = "turning"`, the default; `turning_frame.rs`) u is (r, r'),
//! and inertial forces belong to F and to J (`frame_forces.rs`). Without them a stiff body that merely turns is held fast or
//! blown up (`docs/turning.md`). Methods with stages take the Coriolis force 2 M w^ r' into J for the first line, whose matrices
//! are then not symmetric (KIOPS), and to the order of the method for the last one. ere splits it off: half of its
//! rotation of r' before the motion of the rest, half after it (Strang), which conserves the energy, keeps second order and
//! symmetric matrices, and costs no product.
//! Free bodies without torque keep their angular momentum to rounding: the velocities at the end of the step are corrected by a
//! rotation of the size of the local error.
//!
//! In Stokes flow ere takes its form of first order (`overdamped.rs`).
//!
//! Cost per step: one assembly; one force, and one more per stage; matrix functions of v, F, (g,) and the two sums.
//! With the exact Jacobian of damping by the current stiffness two assemblies more. In a frame a pendulum has a g, for its weight
//! turns; stages need 1.1 (soft) to 4 times (h omega of 1000) the products.
//! Properties: exact on linear problems up to the tolerance of the matrix functions. No artificial damping, and no
//! bound on the energy: all of them fail where stiff directions rotate against each other within a step (h omega above
//! about 25, for epirk4s3 about 12, whose weights of 1e4 amplify everything that is not smooth; ERRATA.md). Jumps of loads
//! cost an order. With the projected or turned stiffness J is not the Jacobian, and the order is 1;
//! with the turned one they damp what the step does not resolve (`unresolved.rs`).
//! Citation: Chen, Ascher, Pai 2018 (ere); Luan 2017 (exprb42); Luan, Ostermann 2016 (pexprb43);
//! Michels, Luan, Tokman 2017 (epirk4s3).

mod schemes;

use crate::controller::{ADAPTIVE, Controller, STEP_TOLERANCE, Verdict};
use crate::drift::{Drift, Slope};
use crate::framed::{Framed, place};
use crate::linearised::{Jacobian, Linearised};
use crate::matrix_functions::MatrixFunctions;
use crate::options::Options;
use crate::stepper::{StepError, StepReport, Stepper, check_finite};
use crate::turning_frame::FrameKind;
use crate::unresolved::{UNRESOLVED_DAMPING, Unresolved, add_held};
use model::{Model, State};
use numerics::functions::{FunctionError, Motion, Oscillator, Sample};
use numerics::linear::LinearError;
use schemes::Scheme;
pub(crate) use schemes::{EPIRK4S3_METHOD, ERE_METHOD, EXPRB42_METHOD, PEXPRB43_METHOD};

/// Limit of samples of a scheme, including the end of the step.
const SAMPLES: usize = 3;

pub(crate) struct ExponentialRosenbrock {
    scheme: &'static Scheme,
    linearised: Linearised,
    functions: MatrixFunctions,
    drift: Drift,
    /// Frames that turn with bodies; `None` where none can.
    turning: Option<Framed>,
    controller: Option<Controller>,
    /// y and y' at each sample, and of the correction by remainders.
    samples: [[Vec<f64>; 2]; SAMPLES],
    correction: [Vec<f64>; 2],
    /// r_0, g, the sums of remainders, one remainder, and zeros.
    load: Vec<f64>,
    rate: Vec<f64>,
    sums: [Vec<f64>; 2],
    remainder: Vec<f64>,
    zero: Vec<f64>,
    /// State of a stage, and state at the beginning of an inner step.
    stage: State,
    inner: State,
}

impl ExponentialRosenbrock {
    pub fn new(
        model: &Model,
        options: &Options,
        scheme: &'static Scheme,
    ) -> Result<ExponentialRosenbrock, LinearError> {
        // A second-order method needs the change of damping along the motion only.
        let exact = !scheme.nodes.is_empty();
        let jacobian = if exact { Jacobian::Exact } else { Jacobian::Frozen };
        let mut linearised = Linearised::new(model, options, jacobian)?;
        let turning = Framed::new(model, options);
        // In a frame that turns the matrices of stages are not symmetric, and only polynomials are left: damping of what they do not
        // resolve costs them many more products than they need without.
        let factor = match options.get(&UNRESOLVED_DAMPING) {
            Unresolved::Auto if exact && turning.is_some() => 0.0,
            chosen => chosen.factor(model),
        };
        linearised.damp_unresolved(factor);
        let n = model.dofs();
        let empty = || vec![0.0; n];
        let pair = || [empty(), empty()];
        Ok(ExponentialRosenbrock {
            scheme,
            functions: MatrixFunctions::new(model, options, &linearised),
            linearised,
            drift: Drift::new(model),
            turning,
            controller: (options.get(&ADAPTIVE) && exact)
                .then(|| Controller::new(options.get(&STEP_TOLERANCE), scheme.estimate)),
            samples: [pair(), pair(), pair()],
            correction: pair(),
            load: empty(),
            rate: empty(),
            sums: pair(),
            remainder: empty(),
            zero: empty(),
            stage: model.state_at_rest(),
            inner: model.state_at_rest(),
        })
    }

    /// Index of the sample at the end of the step.
    fn end(&self) -> usize {
        self.scheme.nodes.iter().filter(|&&c| c < 1.0).count()
    }

    /// Takes one step of `h` from `inner` into `stage`. Returns the estimated error, relative to the motion.
    ///
    /// Motions seen from a frame may be so small that rounding exceeds their tolerance. Such a step is repeated in a fixed frame.
    fn advance(&mut self, model: &Model, h: f64, report: &mut StepReport) -> Result<f64, StepError> {
        let result = self.advance_in(FrameKind::Turning, model, h, report);
        let is_turning = self.turning.as_ref().is_some_and(|turning| turning.active);
        match result {
            Err(StepError::Functions(FunctionError::NotConverged { .. })) if is_turning => {
                self.advance_in(FrameKind::Fixed, model, h, report)
            }
            result => result,
        }
    }

    fn advance_in(
        &mut self,
        frame: FrameKind,
        model: &Model,
        h: f64,
        report: &mut StepReport,
    ) -> Result<f64, StepError> {
        let end = self.end();
        let ExponentialRosenbrock {
            scheme,
            linearised,
            functions,
            drift,
            turning,
            samples,
            load,
            rate,
            remainder,
            zero,
            inner,
            ..
        } = self;
        let dofs = model.dofs();
        let exact = !scheme.nodes.is_empty();
        let slope = if exact { Slope::Tangent } else { Slope::Chord };

        // The linearisation, in the frames of the bodies.
        model.static_force(inner.t, &inner.x, load);
        report.forces += 1;
        check_finite(model, &inner.x, load)?;
        linearised.at(model, inner, h, report);
        let turning =
            turning.as_mut().and_then(|turning| turning.begins(frame, model, inner, load, h).then_some(turning));
        let (velocity, drifts, frames) = match turning {
            Some(turning) => {
                let drifts = turning.load_and_rate(model, inner, h, slope, load, rate);
                let drifts = if exact { drifts } else { turning.deflect_first(model, linearised, h, rate) || drifts };
                turning.turn(model, linearised, exact);
                (&turning.velocity[..], drifts, Some(&turning.frames))
            }
            None => {
                linearised.turn(model, None);
                drift.add_scripted(model, inner, load);
                (&inner.v[..dofs], drift.rate(model, inner, h, slope, exact, rate), None)
            }
        };

        let unresolved = linearised.unresolved();
        if unresolved != 0.0 {
            add_held(drift, model, inner, frames, unresolved, load);
        }

        // Its motion, at the nodes and at the end.
        let loads: [&[f64]; 2] = [load, rate];
        let motion = Motion { velocity, loads: &loads[..1 + usize::from(drifts)] };
        let times = scheme.nodes[..end].iter().chain([&1.0]);
        let mut wanted: Vec<Sample> =
            (samples.iter_mut().zip(times)).map(|([y, velocity], c)| Sample { time: c * h, y, velocity }).collect();
        functions.propagate(model, linearised, &motion, 1.0, &mut wanted, report)?;

        if unresolved != 0.0 {
            let [y, after] = &samples[end];
            let rate: &[f64] = if drifts { rate } else { zero };
            report.numerical_damping +=
                linearised.taken_by_unresolved(model, h, [velocity, y, after], [load, rate], remainder);
            // Constant during the step: no part of the remainders.
            add_held(drift, model, inner, frames, -unresolved, load);
        }

        let mut error = 0.0;
        if exact {
            self.sum_remainders(model, h, drifts, report)?;
            error = self.correct(model, h, report)?;
        }

        let ExponentialRosenbrock { linearised, samples, turning, stage, inner, .. } = self;
        if let Some(turning) = turning.as_ref().filter(|turning| turning.active && !exact) {
            turning.deflect(model, linearised, 0.5 * h, &mut samples[end][1]);
        }
        place(model, turning, inner, h, &samples[end], stage);
        check_finite(model, &inner.x, &stage.x[..dofs])?;
        check_finite(model, &inner.x, &stage.v[..dofs])?;
        if let Some(Framed { frames, forces, .. }) = turning.as_mut().filter(|turning| turning.active) {
            forces.keep_angular_momentum(model, frames, h, stage);
        }
        Ok(error)
    }

    /// Sums M times the remainders with the weights of the scheme, into the loads r_2 and r_3.
    fn sum_remainders(
        &mut self,
        model: &Model,
        h: f64,
        drifts: bool,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let ExponentialRosenbrock {
            scheme,
            linearised,
            drift,
            turning,
            samples,
            load,
            rate,
            sums,
            remainder,
            stage,
            inner,
            ..
        } = self;
        let damping = model.damping();
        let current = damping.stiffness != 0.0 && damping.at_rest.is_none();
        sums.iter_mut().for_each(|sum| sum.fill(0.0));
        for (i, &c) in scheme.nodes.iter().enumerate() {
            place(model, turning, inner, c * h, &samples[i], stage);
            let [y, velocity] = &samples[i];
            if let Some(turning) = turning.as_mut().filter(|turning| turning.active) {
                let Framed { frames, forces, reduced, .. } = turning;
                forces.remainder(model, (frames, linearised), (stage, y, velocity), reduced, remainder);
            } else {
                // Force without the part of a constant D, which cancels.
                if current {
                    model.static_force(stage.t, &stage.x, remainder);
                    model.add_stiffness_times(-damping.stiffness, &stage.x, &stage.v, remainder);
                    linearised.add_damping_times(model, 1.0, velocity, remainder);
                    model.mass().multiply_add(-damping.mass, velocity, remainder);
                } else {
                    drift.load(model, stage, remainder);
                }
                linearised.stiffness.multiply_add(1.0, y, remainder);
                remainder.iter_mut().zip(&*load).for_each(|(remainder, load)| *remainder -= load);
            }
            report.forces += 1;
            report.linear.products += 1;
            if drifts {
                remainder.iter_mut().zip(&*rate).for_each(|(remainder, rate)| *remainder -= c * h * rate);
            }
            check_finite(model, &stage.x, remainder)?;
            // h phi_3 R is the motion under the load R / h^2 t^2/2!, and h phi_4 R under R / h^3 t^3/3!.
            let weights = [scheme.third[i] / (h * h), scheme.fourth[i] / (h * h * h)];
            for (sum, weight) in sums.iter_mut().zip(weights) {
                sum.iter_mut().zip(&*remainder).for_each(|(sum, r)| *sum += weight * r);
            }
        }
        Ok(())
    }

    /// Adds the terms with remainders to the end of the step; returns the relative size of the last of them.
    fn correct(&mut self, model: &Model, h: f64, report: &mut StepReport) -> Result<f64, StepError> {
        let end = self.end();
        let ExponentialRosenbrock {
            scheme, linearised, functions, turning, samples, sums, remainder, zero, inner, ..
        } = self;
        let dofs = model.dofs();
        let size = |x: &[f64]| model.mass().inner(x, x).sqrt();
        let [y, velocity] = &samples[end];
        let fastest = size(velocity).max(size(&inner.v[..dofs]));
        let farthest = size(y).max(h * fastest);

        let [third, fourth] = &*sums;
        let loads: [&[f64]; 4] = [zero, zero, third, fourth];
        let two_terms = scheme.estimate == 4;
        let all = if two_terms { &loads[..] } else { &loads[..3] };
        // Only their share of the motion has to be accurate: |phi_k| <= 1/k!.
        let mut bound = 0.0;
        for (load, factor) in all[2..].iter().zip([h.powi(3) / 6.0, h.powi(4) / 24.0]) {
            remainder.copy_from_slice(load);
            let mut oscillator = linearised.oscillator(model);
            let divided = oscillator.divide_by_mass(remainder, 1);
            report.linear += oscillator.work;
            divided.map_err(|error| StepError::linear(model, error))?;
            bound += factor * size(remainder);
        }
        if bound == 0.0 {
            return Ok(0.0);
        }
        let slack = (fastest / bound).max(1.0);

        // The last term separately where its size is needed.
        let apart = self.controller.is_some() && two_terms;
        let last: [&[f64]; 4] = [zero, zero, zero, fourth];
        let mut passes: [&[&[f64]]; 2] = if apart { [&loads[..3], &last] } else { [all, &[]] };
        let deflected: [&[f64]; 4];
        if let Some(Framed { frames, reduced, .. }) = turning.as_mut().filter(|turning| turning.active) {
            // Inertial forces only to the order of the method, so that matrices are symmetric: with C = -2 w^,
            // phi_3(h (J + C)) R = phi_3(h J) R + phi_4(h J) h C R + O(h^2) R, and R is O(h^2).
            linearised.turn(model, None);
            frames.spin_times(third, reduced);
            reduced.iter_mut().zip(fourth).for_each(|(c, fourth)| *c = if apart { 0.0 } else { *fourth } - 2.0 * *c);
            deflected = [zero, zero, third, reduced];
            passes[0] = &deflected;
        }
        let passes = &passes[..1 + usize::from(apart)];
        let mut error = 0.0;
        for (pass, loads) in passes.iter().enumerate() {
            let [dy, dv] = &mut self.correction;
            let mut wanted = [Sample { time: h, y: dy, velocity: dv }];
            let motion = Motion { velocity: zero, loads };
            functions.propagate(model, linearised, &motion, slack, &mut wanted, report)?;
            if pass + 1 == passes.len() {
                error = (size(dy) / farthest).max(size(dv) / fastest);
            }
            let [y, velocity] = &mut samples[end];
            y.iter_mut().zip(&*dy).for_each(|(y, dy)| *y += dy);
            velocity.iter_mut().zip(&*dv).for_each(|(v, dv)| *v += dv);
        }
        Ok(error)
    }
}

impl Stepper for ExponentialRosenbrock {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        self.inner.clone_from(state);
        let Some(before) = self.controller else {
            self.advance(model, h, &mut report)?;
            state.clone_from(&self.stage);
            return Ok(report);
        };

        let mut controller = before;
        let end = state.t + h;
        let mut left = h;
        while left > 0.0 {
            let step = controller.propose(left);
            let tried = self.advance(model, step, &mut report);
            if tried.as_ref().is_err_and(StepError::is_final) {
                return tried.map(|_| report);
            }
            let error = tried.as_ref().map_or(f64::INFINITY, |&error| error);
            match controller.judge(step, error) {
                Verdict::Accepted => {
                    std::mem::swap(&mut self.inner, &mut self.stage);
                    left = if step < left { left - step } else { 0.0 };
                    report.substeps += 1;
                }
                Verdict::Refused => report.rejected += 1,
                Verdict::Hopeless => {
                    tried?;
                    return Err(StepError::Unresolved { step, error });
                }
            }
        }
        self.controller = Some(controller);
        state.clone_from(&self.inner);
        // Rounding of many small steps must not shift the time, nor what depends on it.
        state.t = end;
        model.place(end, &mut state.x, &mut state.v);
        Ok(report)
    }

    fn forget(&mut self) {
        if let Some(controller) = &mut self.controller {
            controller.next = None;
        }
    }

    fn memory(&self) -> Vec<f64> {
        self.controller.and_then(|controller| controller.next).into_iter().collect()
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        self.forget();
        match (memory, &mut self.controller) {
            ([], _) => true,
            ([next], Some(controller)) if *next > 0.0 => {
                controller.next = Some(*next);
                true
            }
            _ => false,
        }
    }
}
