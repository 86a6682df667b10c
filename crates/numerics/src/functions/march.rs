//! From sample to sample with u' = A u: who counts the errors of the steps and decides whether an answer is one.
//!
//! A [`Method`] takes steps; it may ask a [`Ledger`] how its error compares with what a step of that length is allowed:
//!
//!   error of a step of length tau <= tolerance V tau / T,   V = largest |y'| met so far
//!
//! but never less than a few units in the last place, which is all that numbers can say. Errors of steps add up and grow as
//! the solution does; rounding errors, which know nothing of each other, add up in squares. V at a sample may be smaller than
//! the largest |y'| met on the way, so the sum is held against the contract at every sample, and where it does not meet it
//! everything is done again with a tolerance that will.

use super::first_order::{FirstOrder, Form};
use super::{FunctionError, Motion, Oscillator, Report, Sample, rounding_floor};

/// Times everything is done again before giving up.
const ATTEMPTS: usize = 4;
/// More pieces than this are too many.
const MAX_SUBSTEPS: usize = 200_000;
/// Errors of a step below this, relative to the motion, are rounding.
const SMALLEST: f64 = 4.0 * f64::EPSILON;

/// What a step did.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// Its length [s].
    pub time: f64,
    /// Estimated error of y and of y'.
    pub error: Errors,
}

/// Estimated errors of y and of y', M norm.
#[derive(Debug, Clone, Copy)]
pub(super) struct Errors {
    /// What the method leaves out.
    pub truncation: [f64; 2],
    /// What the numbers leave out.
    pub rounding: [f64; 2],
}

impl Errors {
    /// What the method leaves out is less than what the numbers do: the estimate says no more.
    pub fn is_rounding(&self) -> bool {
        (0..2).all(|k| self.truncation[k] <= self.rounding[k])
    }
}

/// A one-step method for u' = A u.
pub(super) trait Method {
    /// Whether the solution inside a step comes for free: steps then need not end at the samples.
    const DENSE: bool;

    /// Moves u by a step of at most `left` [s], whose error the ledger allows.
    fn step(
        &mut self,
        a: &mut FirstOrder,
        system: &mut dyn Oscillator,
        u: &mut Vec<f64>,
        left: f64,
        ledger: &Ledger,
    ) -> Result<Step, FunctionError>;

    /// The solution `time` after the beginning of the last step, and its error.
    fn inside(&mut self, a: &mut FirstOrder, system: &dyn Oscillator, time: f64, u: &mut Vec<f64>) -> Option<Errors> {
        let _ = (a, system, time, u);
        None
    }

    /// Products taken before the march, which count as its own, and the largest frequency they met [1/s].
    fn spent(&self) -> (u64, f64) {
        (0, 0.0)
    }

    /// Size of the basis, or the degree, of the last step.
    fn dimension(&self) -> usize;
}

/// Errors made so far and allowed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ledger {
    /// Allowed error by second [1/s]: tolerance / T, or less.
    rate: f64,
    /// T [s].
    span: f64,
    /// Time of the next sample [s].
    next: f64,
    /// Largest |y| and |y'| so far.
    largest: [f64; 2],
    /// Sums of the errors of y and y' over the largest |y| and |y'| of their time: of the truncation, and of the
    /// squares of rounding.
    truncation: [f64; 2],
    squares: [f64; 2],
    /// What rounding makes of the whole motion, as far as its frequencies are known.
    floor: f64,
}

impl Ledger {
    /// Error over allowance of a step of length `time` that ends in motion |y|, |y'|: good at 1 or below.
    pub fn ratio(&self, error: [f64; 2], motion: [f64; 2], time: f64) -> f64 {
        let [y, velocity] = self.relative_to(error, motion);
        let worst = y.max(velocity);
        if worst > 0.0 { worst / self.allowed(time) } else { 0.0 }
    }

    /// Rounding errors over all that is allowed from the beginning to the end: they do not shrink with the step.
    pub fn rounding(&self, error: [f64; 2], motion: [f64; 2]) -> f64 {
        let [y, velocity] = self.relative_to(error, motion);
        let worst = y.max(velocity);
        if worst > 0.0 { worst / self.floor.max(self.rate * self.span) } else { 0.0 }
    }

    /// The tolerance a step of length `time` has, relative to the motion.
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

    /// The measure of the contract: sums of absolute errors over what the sample shows.
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

/// Vectors every march needs.
#[derive(Debug, Clone, Default)]
pub(super) struct March {
    a: FirstOrder,
    u: Vec<f64>,
    between: Vec<f64>,
}

impl March {
    /// The contract of [`super::Propagator`], with the steps of `method`.
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
            // What a tighter tolerance does not mend is rounding.
            if report.error > 0.5 * before || report.error.is_infinite() {
                break;
            }
            before = report.error;
            rate *= 0.3 * tolerance / report.error;
        }
        Err(self.a.not_converged(report.error))
    }

    /// Once from the beginning through all samples; stops early, and says false, at a sample that is not good enough.
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
            // The last step ends where it should, whatever the sum of the lengths is.
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
