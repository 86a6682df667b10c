//! KIOPS: Krylov steps with incomplete orthogonalisation, both their length and the size of the basis adapted
//! (Gaudreault, Rainwater and Tokman 2018, after phipm of Niesen and Wright 2012).
//!
//! Each vector is made orthogonal only to the two before it, so a vector costs the same however many there are. A step
//! that is not accurate enough is either shortened or, with its basis, continued to more vectors, whichever promises
//! fewer products for the rest:
//!   tau_new = tau (gamma / w)^(1/q),   m_new = m + log(w / gamma) / log(kappa),   w = error / allowed, gamma = 0.8
//! with the order q and the gain kappa per vector observed in the last change of one of them.
//!
//! When it fails: on (y, y') unscaled, the basis becomes so nearly dependent that exp(tau H) is off by tens of orders
//! of magnitude while the estimate, which is only its last entry, passes. Two things prevent that: the operator is
//! balanced, and the rounding error of the basis, |exp(tau H)| eps, is part of the estimate. Where a shorter step does
//! not help, the vectors are fully orthogonalised from there on.

use super::arnoldi::Basis;
use super::first_order::{FirstOrder, Form};
use super::march::{Errors, Ledger, March, Method, Step};
use super::{FunctionError, Motion, Oscillator, Propagator, Report, Sample};

/// Number of earlier vectors that a vector is made orthogonal to.
const REACH: usize = 2;
/// Sizes of the basis.
const FEWEST: usize = 10;
const MOST: usize = 128;
/// Size of the first basis of a stiff system, and the phase (length times largest frequency) of its step.
const FIRST: usize = 64;
const FIRST_PHASE: f64 = 34.0;
/// Target below the allowed error, and factor up to which a step is accepted.
const GAMMA: f64 = 0.8;
const DELTA: f64 = 1.2;
/// Halvings of a step with a dependent basis before the basis is fully orthogonalised.
const PATIENCE: usize = 12;
/// Limit of lengths and sizes tried per step.
const MAX_TRIALS: usize = 80;

/// Adaptive Krylov steps with incomplete orthogonalisation (Gaudreault, Rainwater and Tokman 2018).
#[derive(Debug)]
pub struct Kiops {
    march: March,
    steps: Incomplete,
    form: Form,
}

#[derive(Debug, Default)]
struct Incomplete {
    basis: Basis,
    /// Number of earlier vectors that a vector is made orthogonal to.
    reach: usize,
    /// Initial size of the next basis, and length of the next step [s]; none before the first.
    suggested: Option<(usize, f64)>,
}

impl Default for Kiops {
    fn default() -> Kiops {
        Kiops::new()
    }
}

impl Kiops {
    /// Works on (omega_max y, y').
    pub fn new() -> Kiops {
        Kiops { march: March::default(), steps: Incomplete::default(), form: Form::Balanced }
    }

    /// Works on (y, y') unscaled: slow, or an error where the motion is stiff. For comparison.
    pub fn raw() -> Kiops {
        Kiops { form: Form::Raw, ..Kiops::new() }
    }
}

impl Propagator for Kiops {
    fn propagate(
        &mut self,
        system: &mut dyn Oscillator,
        motion: &Motion,
        tolerance: f64,
        samples: &mut [Sample],
    ) -> Result<Report, FunctionError> {
        (self.steps.suggested, self.steps.reach) = (None, REACH);
        self.march.run(&mut self.steps, self.form, (system, motion), tolerance, samples)
    }
}

/// One trial of a step, from which the next one learns.
#[derive(Debug, Clone, Copy)]
struct Trial {
    size: usize,
    time: f64,
    ratio: f64,
}

/// Order q and gain kappa, learned from trials.
#[derive(Debug, Clone, Copy)]
struct Model {
    order: f64,
    gain: f64,
}

impl Model {
    fn learn(&mut self, old: Trial, new: Trial) {
        if new.size == old.size && new.time != old.time {
            let order = (new.ratio / old.ratio).ln() / (new.time / old.time).ln();
            if order.is_finite() {
                self.order = order.clamp(1.0, 2.0 * new.size as f64);
            }
        } else if new.time == old.time && new.size != old.size {
            let gain = (new.ratio / old.ratio).powf(1.0 / (old.size as f64 - new.size as f64));
            if gain.is_finite() {
                self.gain = gain.clamp(1.1, 100.0);
            }
        }
    }

    /// Chooses the next size and length: changes the one that promises fewer products.
    fn choose(&self, trial: Trial, left: f64) -> (usize, f64) {
        let Trial { size, time, ratio } = trial;
        let ratio = ratio.clamp(1e-30, 1e30);
        let shorter = (time * (GAMMA / ratio).powf(1.0 / self.order)).clamp(0.2 * time, 5.0 * time).min(left);
        let larger = size as f64 + ((ratio / GAMMA).ln() / self.gain.ln()).ceil();
        let larger = larger.clamp(0.75 * size as f64, (4.0 / 3.0 * size as f64).ceil());
        let larger = (larger as usize).clamp(FEWEST, MOST);
        let products = |size: usize, time: f64| size as f64 * (left / time).ceil();
        if larger != size && products(larger, time.min(left)) <= products(size, shorter) {
            (larger, time.min(left))
        } else {
            (size, shorter)
        }
    }
}

/// Returns size of the basis and length of the first step. A long step of a stiff system would be shortened many times: with
/// `FIRST` vectors a phase of `FIRST_PHASE` is resolved to about 1e-8.
fn first_guess(frequency: f64, left: f64) -> (usize, f64) {
    if frequency * left <= FIRST_PHASE { (FEWEST, left) } else { (FIRST, FIRST_PHASE / frequency) }
}

impl Method for Incomplete {
    const DENSE: bool = true;

    fn step(
        &mut self,
        a: &mut FirstOrder,
        system: &mut dyn Oscillator,
        u: &mut Vec<f64>,
        left: f64,
        ledger: &Ledger,
    ) -> Result<Step, FunctionError> {
        let basis = &mut self.basis;
        basis.begin(a, u, MOST);
        if u.len() <= FEWEST {
            // The basis is the whole space.
            self.reach = usize::MAX;
        }
        let (mut size, mut time) = self.suggested.unwrap_or_else(|| first_guess(a.frequency, left));
        time = time.min(left);
        let mut model = Model { order: size as f64 / 4.0, gain: 2.0 };
        let mut last: Option<Trial> = None;
        let (first, mut halvings) = (time, 0);
        for _ in 0..MAX_TRIALS {
            basis.grow(a, system, size, self.reach)?;
            size = size.max(basis.size);
            let Some(c) = basis.at(time) else {
                time *= 0.1;
                last = None;
                continue;
            };
            // An error of y is one of y' a quarter period later.
            let rate = if a.frequency > 0.0 { a.scale() } else { basis.rate() };
            let [y, velocity] = a.measure(system, basis.next());
            let along = [y, velocity + rate * y];
            basis.combine(&c, u);
            let motion = a.measure(system, u);
            let truncation = along.map(|x| if basis.invariant { 0.0 } else { c.uncorrected * x });
            let rounding = a.in_mass_norm(c.rounding, rate);
            let dependent = ledger.rounding(rounding, motion) > 0.5;
            let ratio = ledger.ratio(truncation, motion, time);
            let trial = Trial { size: basis.size, time, ratio };
            if let Some(last) = last {
                model.learn(last, trial);
            }
            let (next_size, next_time) = model.choose(trial, left);
            let error = Errors { truncation, rounding };
            if (ratio <= DELTA || error.is_rounding()) && !dependent {
                self.suggested = Some((next_size, next_time));
                return Ok(Step { time, error });
            }
            if dependent && halvings == PATIENCE && self.reach == REACH {
                // Short recurrences are not enough here.
                (self.reach, size, time, halvings) = (usize::MAX, FEWEST, time.max(first), 0);
                basis.restart();
            } else if dependent {
                // More vectors would be even more dependent.
                time *= 0.5;
                halvings += 1;
            } else {
                (size, time) = (next_size.max(basis.size), next_time.min(time));
            }
            last = Some(trial);
        }
        Err(a.not_converged(f64::INFINITY))
    }

    fn inside(&mut self, a: &mut FirstOrder, system: &dyn Oscillator, time: f64, u: &mut Vec<f64>) -> Option<Errors> {
        self.basis.read(a, system, time, u)
    }

    fn dimension(&self) -> usize {
        self.basis.size
    }
}
