//! Truncated Taylor series with substeps (Al-Mohy and Higham 2011).
//!
//!   exp(tau A) u = sum_(j <= m) (tau A)^j / j! u,     tau |A| <= theta_m
//!
//! with theta_m such that the backward error is rounding. m and the number s of pieces minimise the products m s; a
//! series stops early once two consecutive terms are below the allowed error of the step.
//!
//! The paper estimates 1-norms of powers of A, because a norm of A itself may be far above its spectrum. On (omega_max
//! y, y') the M norm is not: |A| is between rho and omega_max + |M^-1 D|, so ten Lanczos steps on K suffice.
//!
//! Terms reach |u| exp(theta), and their rounding errors remain: a tight tolerance over many pieces limits theta. Cost
//! per piece: at most m products and as many updates; three vectors in all.

use super::first_order::{FirstOrder, Form};
use super::march::{Errors, Ledger, March, Method, Step};
use super::{FunctionError, Motion, Oscillator, Propagator, Report, Sample};
use crate::vectors::axpy;

/// (m, theta_m) for double precision, Table 3.1 of the paper and its extension.
const THETA: [(usize, f64); 16] = [
    (5, 2.40e-3),
    (8, 5.00e-2),
    (10, 1.44e-1),
    (12, 3.00e-1),
    (15, 6.41e-1),
    (18, 1.09),
    (20, 1.44),
    (22, 1.82),
    (25, 2.43),
    (27, 2.86),
    (30, 3.54),
    (35, 4.7),
    (40, 6.0),
    (45, 7.2),
    (50, 8.5),
    (55, 9.9),
];

/// Taylor series with substeps (Al-Mohy and Higham 2011).
#[derive(Debug, Default)]
pub struct Taylor {
    march: March,
    steps: Series,
}

#[derive(Debug, Default)]
struct Series {
    term: Vec<f64>,
    next: Vec<f64>,
    degree: usize,
}

impl Taylor {
    /// Makes it; there are no parameters.
    pub fn new() -> Taylor {
        Taylor::default()
    }
}

impl Propagator for Taylor {
    fn propagate(
        &mut self,
        system: &mut dyn Oscillator,
        motion: &Motion,
        tolerance: f64,
        samples: &mut [Sample],
    ) -> Result<Report, FunctionError> {
        self.march.run(&mut self.steps, Form::Balanced, (system, motion), tolerance, samples)
    }
}

/// Returns the degree and the number of pieces of `time` [s] with the fewest products, where |A| = `norm` [1/s].
fn plan(norm: f64, time: f64, ledger: &Ledger) -> (usize, f64) {
    let pieces = |theta: f64| (time * norm / theta).ceil().max(1.0);
    // The largest term is about exp(theta) / sqrt(2 pi theta); a tenth of the allowed error may be rounding.
    let rounding = |theta: f64| f64::EPSILON * theta.exp() / (1.0 + 2.5 * theta.sqrt());
    let quiet = |&&(_, theta): &&(usize, f64)| rounding(theta) <= 0.1 * ledger.allowed(time / pieces(theta));
    THETA
        .iter()
        .filter(quiet)
        .map(|&(m, theta)| (m, pieces(theta)))
        .min_by(|a, b| (a.0 as f64 * a.1).total_cmp(&(b.0 as f64 * b.1)))
        .unwrap_or((THETA[10].0, pieces(THETA[10].1)))
}

impl Method for Series {
    const DENSE: bool = false;

    fn step(
        &mut self,
        a: &mut FirstOrder,
        system: &mut dyn Oscillator,
        u: &mut Vec<f64>,
        left: f64,
        ledger: &Ledger,
    ) -> Result<Step, FunctionError> {
        // The tail has norm 1/T: at most one more radian over the whole motion.
        let norm = a.scale() + a.damping;
        let (most, pieces) = plan(norm, left, ledger);
        let time = left / pieces;
        self.term.clone_from(u);
        self.next.resize(u.len(), 0.0);
        self.degree = 0;
        let rate = a.scale();
        let mut before = [f64::INFINITY; 2];
        let mut largest = [0.0_f64; 2];
        let mut error = Errors { truncation: before, rounding: largest };
        while self.degree < most + 5 {
            self.degree += 1;
            a.apply(system, &self.term, &mut self.next)?;
            let factor = time / self.degree as f64;
            self.term.iter_mut().zip(&self.next).for_each(|(term, next)| *term = factor * next);
            axpy(1.0, &self.term, u);
            // Euclidean lengths are cheap and tell when to check; the M norm decides.
            let size = a.in_mass_norm(a.lengths(&self.term), rate);
            if !(size[0].is_finite() && size[1].is_finite()) {
                return Err(FunctionError::Overflow);
            }
            (0..2).for_each(|k| largest[k] = largest[k].max(size[k]));
            let both = [0, 1].map(|k| size[k] + before[k]);
            before = size;
            let last = self.degree == most + 5;
            if !last && (self.degree as f64) <= time * norm {
                continue;
            }
            if !last && ledger.ratio(both, a.in_mass_norm(a.lengths(u), 0.0), time) > 1.0 {
                continue;
            }
            // The remainder is below the last two terms once they shrink faster than by half.
            let [y, velocity] = a.measure(system, &self.term);
            let exact = [y, velocity + rate * y];
            let truncation = [0, 1].map(|k| if size[k] > 0.0 { exact[k] * (both[k] / size[k]) } else { both[k] });
            error = Errors { truncation, rounding: largest.map(|x| f64::EPSILON * x) };
            if ledger.ratio(truncation, a.measure(system, u), time) <= 0.5 {
                break;
            }
        }
        Ok(Step { time, error })
    }

    fn dimension(&self) -> usize {
        self.degree
    }
}
