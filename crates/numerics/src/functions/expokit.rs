//! Expokit: Arnoldi with full orthogonalisation, steps of controlled length (Sidje 1998), the baseline of Michels et al.
//!
//! A step of length tau builds m = 30 vectors, takes the corrected answer and estimates its error by
//!   p1 = error along v_(m+1) without the correction,   p2 = error along A v_(m+1) with it,
//!   err = p2 where p1 > 10 p2;  p1 p2 / (p1 - p2) where p1 > p2;  else p1
//! Accepted at err <= 1.2 allowed; the next step is 0.9 tau (allowed / err)^(1/m). The basis does not depend on tau,
//! so a rejected step costs a small exponential, and samples inside a step another.
//!
//! Cost per step: m + 1 products with K, m^2 + m inner products and updates of vectors of 2n numbers.
//! When it fails: steps far too long for m vectors have errors of 30 % and estimates of 1 %; tolerances below 1e-3 are
//! safe. Works on (y, y') unscaled, as the paper does; [`Expokit::balanced`], or a tolerance below 1e-10, on (omega_max
//! y, y').

use super::arnoldi::Basis;
use super::first_order::{FirstOrder, Form};
use super::march::{Errors, Ledger, March, Method, Step};
use super::{FunctionError, Motion, Oscillator, Propagator, Report, Sample};

/// Tolerance below which the balanced form is used.
const TIGHT: f64 = 1e-10;
/// Limit of lengths tried per step.
const MAX_TRIALS: usize = 60;

/// Arnoldi with substeps (Sidje 1998).
#[derive(Debug)]
pub struct Expokit {
    march: March,
    steps: Arnoldi,
    form: Form,
}

#[derive(Debug)]
struct Arnoldi {
    /// m.
    vectors: usize,
    basis: Basis,
    image: Vec<f64>,
    /// Suggested length of the next step [s]; none before the first.
    suggested: Option<f64>,
}

impl Default for Expokit {
    fn default() -> Expokit {
        Expokit::new(30)
    }
}

impl Expokit {
    /// Makes it with `vectors` vectors in the basis, at least 2; 30 is customary.
    pub fn new(vectors: usize) -> Expokit {
        let steps = Arnoldi { vectors: vectors.max(2), basis: Basis::default(), image: Vec::new(), suggested: None };
        Expokit { march: March::default(), steps, form: Form::Raw }
    }

    /// The same on displacements scaled by omega_max, which costs ten more products and loses fewer digits.
    pub fn balanced(self) -> Expokit {
        Expokit { form: Form::Balanced, ..self }
    }
}

impl Propagator for Expokit {
    fn propagate(
        &mut self,
        system: &mut dyn Oscillator,
        motion: &Motion,
        tolerance: f64,
        samples: &mut [Sample],
    ) -> Result<Report, FunctionError> {
        self.steps.suggested = None;
        // With (y, y') unscaled, rounding leaves fewer digits.
        let form = if tolerance < TIGHT { Form::Balanced } else { self.form };
        self.march.run(&mut self.steps, form, (system, motion), tolerance, samples)
    }
}

impl Method for Arnoldi {
    const DENSE: bool = true;

    fn step(
        &mut self,
        a: &mut FirstOrder,
        system: &mut dyn Oscillator,
        u: &mut Vec<f64>,
        left: f64,
        ledger: &Ledger,
    ) -> Result<Step, FunctionError> {
        let (m, basis) = (self.vectors, &mut self.basis);
        basis.begin(a, u, m);
        basis.grow(a, system, m, usize::MAX)?;
        let rate = basis.rate();
        // Both errors in the M norm. An error of y is one of y' a quarter period later.
        let mut along = [[0.0; 2]; 2];
        self.image.resize(u.len(), 0.0);
        if !basis.invariant {
            along[0] = a.measure(system, basis.next());
            a.apply(system, basis.next(), &mut self.image)?;
            along[1] = a.measure(system, &self.image);
            along.iter_mut().for_each(|[y, velocity]| *velocity += rate * *y);
        }
        let mut time = if basis.invariant { left } else { self.suggested.unwrap_or(m as f64 / rate).min(left) };
        let mut rounded_before = f64::INFINITY;
        for _ in 0..MAX_TRIALS {
            let Some(c) = basis.at(time) else {
                time *= 0.1;
                continue;
            };
            let estimate = |k: usize| {
                let (p1, p2) = (c.uncorrected * along[0][k], c.corrected * along[1][k]);
                if p1 > 10.0 * p2 {
                    p2
                } else if p1 > p2 {
                    p1 * p2 / (p1 - p2)
                } else {
                    p1
                }
            };
            basis.combine(&c, u);
            let motion = a.measure(system, u);
            let truncation = [0, 1].map(estimate);
            let ratio = ledger.ratio(truncation, motion, time);
            let rounding = a.in_mass_norm(c.rounding, rate);
            let order = if c.uncorrected > c.corrected { m } else { m - 1 };
            let factor = 0.9 * ratio.powf(-1.0 / order as f64);
            let error = Errors { truncation, rounding };
            let rounded = ledger.rounding(rounding, motion);
            // A motion that begins at rest is small at first, and its rounding errors are relatively large: shorter
            // steps do not help.
            let is_as_exact_as_can_be = rounded <= 0.5 || (rounded <= 4.0 && rounded >= 0.9 * rounded_before);
            if (ratio <= 1.2 || error.is_rounding()) && is_as_exact_as_can_be {
                self.suggested = Some(two_digits(time * factor.clamp(0.2, 5.0)));
                return Ok(Step { time, error });
            }
            if ratio <= 1.2 {
                rounded_before = rounded;
            }
            time = two_digits(time * factor.clamp(0.1, 0.9));
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

/// Rounds to two digits, so that lengths do not depend on the last bit of an estimate.
fn two_digits(time: f64) -> f64 {
    let unit = 10_f64.powi(time.log10().floor() as i32 - 1);
    let rounded = (time / unit).ceil() * unit;
    if rounded.is_finite() { rounded } else { time }
}
