//! March from sample to sample with u' = A u: sums up the errors of the steps and decides if an answer is accepted.
//!
//! A [`Method`] takes steps; a [`Ledger`] compares its error with the allowed error of a step of that length:
//!
//!   error of a step of length tau <= tolerance V tau / T,   V = largest |y'| so far
//!
//! but at least a few units in the last place, the limit of the number format. Errors of steps add up and grow as the
//! solution does; rounding errors, which are independent, add up in squares. V at a sample may be smaller than the
//! largest |y'| before it, so the sum is checked against the contract at every sample. Where it does not meet it,
//! everything is repeated with a tighter tolerance.

use super::first_order::{FirstOrder, Form};
use super::{FunctionError, Motion, Oscillator, Report, Sample, rounding_floor};

/// Limit of repetitions.
const ATTEMPTS: usize = 4;
/// Limit of pieces.
const MAX_SUBSTEPS: usize = 200_000;
/// Relative error of a step below which it counts as rounding.
const SMALLEST: f64 = 4.0 * f64::EPSILON;

/// Result of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// Length [s].
    pub time: f64,
    /// Estimated error of y and of y'.
    pub error: Errors,
}

/// Estimated errors of y and of y', M norm.
#[derive(Debug, Clone, Copy)]
pub(super) struct Errors {
    /// Error of the method.
    pub truncation: [f64; 2],
    /// Error of floating-point numbers.
    pub rounding: [f64; 2],
}

impl Errors {
    /// Returns true if the truncation error is below the rounding error, so that the estimate says no more.
    pub fn is_rounding(&self) -> bool {
        (0..2).all(|k| self.truncation[k] <= self.rounding[k])
    }
}

/// A one-step method for u' = A u.
pub(super) trait Method {
    /// True if the solution inside a step costs nothing: steps then need not end at the samples.
    const DENSE: bool;

    /// Moves u by a step of at most `left` [s] with an error that the ledger allows.
    fn step(
        &mut self,
        a: &mut FirstOrder,
        system: &mut dyn Oscillator,
        u: &mut Vec<f64>,
        left: f64,
        ledger: &Ledger,
    ) -> Result<Step, FunctionError>;

    /// Computes the solution `time` after the beginning of the last step; returns its error.
    fn inside(&mut self, a: &mut FirstOrder, system: &dyn Oscillator, time: f64, u: &mut Vec<f64>) -> Option<Errors> {
        let _ = (a, system, time, u);
        None
    }

    /// Returns the products made before the march, which count as its own, and the largest frequency found by them
    /// [1/s].
    fn spent(&self) -> (u64, f64) {
        (0, 0.0)
    }

    /// Returns the size of the basis, or the degree, of the last step.
    fn dimension(&self) -> usize;
}

/// Errors so far, and allowed errors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ledger {
    /// Allowed error per second [1/s]: tolerance / T, or less.
    rate: f64,
    /// T [s].
    span: f64,
    /// Time of the next sample [s].
    next: f64,
    /// Largest |y| and |y'| so far.
    largest: [f64; 2],
    /// Sums of the errors of y and y', relative to the largest |y| and |y'| of their time: of the truncation, and of
    /// the squares of rounding.
    truncation: [f64; 2],
    squares: [f64; 2],
    /// Rounding error of the whole motion, as far as its frequencies are known.
    floor: f64,
}

impl Ledger {
    /// Returns error over allowed error of a step of length `time` that ends with |y|, |y'|: good at 1 or below.
    pub fn ratio(&self, error: [f64; 2], motion: [f64; 2], time: f64) -> f64 {
        let [y, velocity] = self.relative_to(error, motion);
        let worst = y.max(velocity);
        if worst > 0.0 { worst / self.allowed(time) } else { 0.0 }
    }

    /// Returns rounding errors relative to the total allowed error: they do not shrink with the step.
    pub fn rounding(&self, error: [f64; 2], motion: [f64; 2]) -> f64 {
        let [y, velocity] = self.relative_to(error, motion);
        let worst = y.max(velocity);
        if worst > 0.0 { worst / self.floor.max(self.rate * self.span) } else { 0.0 }
    }

    /// Returns the tolerance of a step of length `time`, relative to the motion.
    pub fn allowed(&self, time: f64) -> f64 {
        (self.rate * time).max(SMALLEST)
    }

    fn relative_to(&self, error: [f64; 2], motion: [f64; 2]) -> [f64; 2] {
        let velocity = self.largest[1].max(motion[1]);
        let y = self.largest[0].max(motion[0]).max(self.next * velocity);
        [(0, y), (1, velocity)].map(|(k, size)| match error[k] / size {
            ratio if ratio >= 0.0 => ratio,
            _ if error[k] == 0.0 => 0.0,
            _ => f64::INFINITY,
        })
    }

    fn enter(&mut self, error: Errors, motion: [f64; 2]) {
        let truncation = self.relative_to(error.truncation, motion);
        let rounding = self.relative_to(error.rounding, motion);
        (0..2).for_each(|k| self.truncation[k] += truncation[k]);
        (0..2).for_each(|k| self.squares[k] += rounding[k].powi(2));
        (0..2).for_each(|k| self.largest[k] = self.largest[k].max(motion[k]));
    }

    /// Returns the error in the measure of the contract: sums of absolute errors relative to the sample.
    fn at_sample(&self, motion: [f64; 2], initial: f64, time: f64) -> f64 {
        let velocity = initial.max(motion[1]);
        let y = motion[0].max(time * velocity);
        let sizes = [self.largest[0].max(self.next * self.largest[1]), self.largest[1]];
        let sum = |k: usize| (self.truncation[k] + self.squares[k].sqrt()) * sizes[k];
        let errors = [sum(0) + time * sum(1), sum(1)];
        [(errors[0], y), (errors[1], velocity)].iter().fold(0.0, |worst: f64, &(error, size)| match error / size {
            ratio if ratio >= 0.0 => worst.max(ratio),
            _ if error == 0.0 => worst,
            _ => f64::INFINITY,
        })
    }
}

/// Vectors that every march needs.
#[derive(Debug, Clone, Default)]
pub(super) struct March {
    a: FirstOrder,
    u: Vec<f64>,
    between: Vec<f64>,
}

impl March {
    /// Fulfils the contract of [`super::Propagator`] with the steps of `method`.
    pub fn run<M: Method>(
        &mut self,
        method: &mut M,
        form: Form,
        (system, motion): (&mut dyn Oscillator, &Motion),
        tolerance: f64,
        samples: &mut [Sample],
    ) -> Result<Report, FunctionError> {
        let Some(span) = samples.last().map(|sample| sample.time) else {
            return Ok(Report::default());
        };
        let mut report = Report::default();
        if tolerance < f64::EPSILON {
            return Err(self.a.not_converged(f64::EPSILON));
        }
        self.a.prepare(system, motion, span, form)?;
        let (products, frequency) = method.spent();
        self.a.products += products;
        self.a.fastest = self.a.fastest.max(frequency);
        let (mut rate, mut before) = (tolerance / span, f64::INFINITY);
        for _ in 0..ATTEMPTS {
            report.error = 0.0;
            let done = self.pass(method, (system, motion), (rate, tolerance), samples, &mut report)?;
            report.work = self.a.work();
            if done {
                return Ok(report);
            }
            // An error that a tighter tolerance does not reduce is rounding.
            if report.error > 0.5 * before || report.error.is_infinite() {
                break;
            }
            before = report.error;
            rate *= 0.3 * tolerance / report.error;
        }
        Err(self.a.not_converged(report.error))
    }

    /// Passes once through all samples; stops early and returns false at a sample that is not accurate enough.
    fn pass<M: Method>(
        &mut self,
        method: &mut M,
        (system, motion): (&mut dyn Oscillator, &Motion),
        (rate, tolerance): (f64, f64),
        samples: &mut [Sample],
        report: &mut Report,
    ) -> Result<bool, FunctionError> {
        let March { a, u, between } = self;
        a.start(motion.velocity, u);
        let initial = a.measure(system, u)[1];
        let end = samples.last().map_or(0.0, |sample| sample.time);
        let nothing = [0.0; 2];
        let mut ledger = Ledger {
            rate,
            span: end,
            next: 0.0,
            largest: [0.0, initial],
            truncation: nothing,
            squares: nothing,
            floor: rounding_floor(end * a.fastest),
        };
        let (mut now, mut served) = (0.0, 0);
        while let Some(next) = samples.get(served).map(|sample| sample.time) {
            ledger.next = next;
            let goal = if M::DENSE { end } else { next };
            let step = method.step(a, system, u, goal - now, &ledger)?;
            report.substeps += 1;
            report.dimension = report.dimension.max(method.dimension());
            let start = now;
            // The last step ends exactly at the sample, whatever the sum of the lengths is.
            now = if step.time >= goal - now { goal } else { now + step.time };
            let after = a.measure(system, u);
            if !(after[0].is_finite() && after[1].is_finite()) {
                return Err(FunctionError::Overflow);
            }
            let before = ledger;
            ledger.enter(step.error, after);
            while let Some(sample) = samples.get_mut(served).filter(|sample| sample.time <= now) {
                let error = if sample.time < now {
                    let error =
                        method.inside(a, system, sample.time - start, between).ok_or(FunctionError::Overflow)?;
                    a.read(between, sample.y, sample.velocity);
                    let shown = a.measure(system, between);
                    let mut there = Ledger { next: sample.time, ..before };
                    there.enter(error, shown);
                    there.at_sample(shown, initial, sample.time)
                } else {
                    a.read(u, sample.y, sample.velocity);
                    ledger.at_sample(after, initial, sample.time)
                };
                report.error = report.error.max(error);
                if report.error > tolerance.max(ledger.floor) {
                    return Ok(false);
                }
                served += 1;
            }
            if report.substeps > MAX_SUBSTEPS {
                return Err(a.not_converged(f64::INFINITY));
            }
        }
        Ok(true)
    }
}
