//! Newton interpolation of the exponential at Leja points, with substeps (Caliari, Kandolf, Ostermann and Rainer 2014).
//!
//! The spectrum of A lies around a segment: i [-omega, omega] for an oscillation, [-d, 0] where damping d is larger.
//! With x = (A - c) / gamma, c the middle of the segment and gamma a quarter of its length, the polynomials
//!   oscillation:  1, x, x^2, x (x^2 + xi_1^2), x^2 (x^2 + xi_1^2), ...     conjugate pairs +-i xi_k: real throughout
//!   decay:        1, x - x_1, (x - x_1)(x - x_2), ...
//! stay of size 1 on it. Multiplication by x is a matrix Z in this basis, so the coefficients of exp(tau A) are the
//! first column of exp(tau c) exp(tau gamma Z): divided differences without their cancellation.
//!
//! The error is estimated by the last four terms, which shrink superlinearly once the degree exceeds tau omega. A piece
//! that does not converge with the available points is halved. Needs bounds of the spectrum (ten Lanczos steps), inner
//! products only for the estimate, and four vectors.

use super::dense::exponential;
use super::first_order::{FirstOrder, Form};
use super::march::{Errors, Ledger, March, Method, Step};
use super::{FunctionError, Motion, Oscillator, Propagator, Report, Sample};
use crate::vectors::axpy;
use faer::Mat;

/// Degree of the longest polynomial.
const MOST: usize = 80;
/// omega tau (or d tau / 4, the same capacity) of a piece: about half the degrees are left to converge.
const CAPACITY: f64 = 20.0;
/// Number of terms below the allowed error that count as convergence.
const QUIET: usize = 4;
/// Share of the total allowed error that rounding in one piece may take.
const QUIET_SHARE: f64 = 0.02;
/// Limit of halvings of a piece.
const MAX_HALVINGS: usize = 40;

/// Newton interpolation at Leja points with substeps.
#[derive(Debug)]
pub struct Leja {
    march: March,
    steps: Newton,
}

#[derive(Debug)]
struct Newton {
    /// xi_1, xi_2, ... of conjugate pairs on i [-2, 2], 0 being the first point.
    pairs: Vec<f64>,
    /// Points on [-2, 2].
    points: Vec<f64>,
    start: Vec<f64>,
    term: Vec<f64>,
    next: Vec<f64>,
    image: Vec<f64>,
    degree: usize,
    /// Halvings of the last piece: the next begins with them.
    halvings: usize,
}

impl Default for Leja {
    fn default() -> Leja {
        Leja::new()
    }
}

impl Leja {
    /// Makes it; there are no parameters.
    pub fn new() -> Leja {
        let steps = Newton {
            pairs: leja_points(MOST / 2, &[2.0], |x, points| {
                x.abs().ln() + points.iter().map(|p| (p * p - x * x).abs().ln()).sum::<f64>()
            }),
            points: leja_points(MOST, &[2.0], |x, points| points.iter().map(|p| (p - x).abs().ln()).sum()),
            start: Vec::new(),
            term: Vec::new(),
            next: Vec::new(),
            image: Vec::new(),
            degree: 0,
            halvings: 0,
        };
        Leja { march: March::default(), steps }
    }
}

/// Returns points on [-2, 2], each where the product of distances from those before, with logarithm `distance`, is
/// largest.
fn leja_points(count: usize, first: &[f64], distance: impl Fn(f64, &[f64]) -> f64) -> Vec<f64> {
    let grid = |k: usize| 2.0 - k as f64 / 500.0;
    let mut points = first.to_vec();
    while points.len() < count {
        let best = (0..=2000).map(grid).map(|x| (x, distance(x, &points)));
        let best = best.fold((0.0, f64::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best });
        points.push(best.0);
    }
    points
}

impl Propagator for Leja {
    fn propagate(
        &mut self,
        system: &mut dyn Oscillator,
        motion: &Motion,
        tolerance: f64,
        samples: &mut [Sample],
    ) -> Result<Report, FunctionError> {
        self.steps.halvings = 0;
        self.march.run(&mut self.steps, Form::Balanced, (system, motion), tolerance, samples)
    }
}

/// Segment around which a spectrum lies.
#[derive(Debug, Clone, Copy)]
struct Segment {
    decay: bool,
    /// c [1/s].
    middle: f64,
    /// gamma [1/s].
    quarter: f64,
}

impl Segment {
    fn around(a: &FirstOrder) -> Segment {
        let decay = a.damping > 2.0 * a.scale();
        if decay {
            Segment { decay, middle: -0.5 * a.damping, quarter: 0.25 * (a.damping + a.scale()) }
        } else {
            Segment { decay, middle: 0.0, quarter: 0.5 * a.scale() + a.tail_rate() }
        }
    }
}

impl Newton {
    /// Returns the terms subtracted when x is applied to basis polynomial k: x b_k = b_(k+1) + `self` b_k + `before`
    /// b_(k-1).
    fn recurrence(&self, segment: Segment, k: usize) -> [f64; 2] {
        match (segment.decay, k) {
            (true, _) => [self.points[k], 0.0],
            (false, k) if k >= 2 && k.is_multiple_of(2) => [0.0, -self.pairs[k / 2 - 1].powi(2)],
            _ => [0.0, 0.0],
        }
    }

    /// Returns the coefficients of exp(tau A).
    fn coefficients(&self, segment: Segment, time: f64) -> Mat<f64> {
        let scale = time * segment.quarter;
        let z = Mat::from_fn(MOST, MOST, |i, k| {
            let [own, before] = self.recurrence(segment, k);
            match i as isize - k as isize {
                1 => scale,
                0 => scale * own + time * segment.middle,
                -1 => scale * before,
                _ => 0.0,
            }
        });
        exponential(z.as_ref())
    }

    /// u = exp(tau A) u; returns the error, or `None` if the points are not enough.
    fn piece(
        &mut self,
        (a, system): (&mut FirstOrder, &mut dyn Oscillator),
        u: &mut [f64],
        time: f64,
        ledger: &Ledger,
    ) -> Result<Option<Errors>, FunctionError> {
        let segment = Segment::around(a);
        let f = self.coefficients(segment, time);
        let rate = a.scale();
        let (mut errors, mut largest) = ([[f64::INFINITY; 2]; QUIET], [0.0_f64; 2]);
        self.term.clone_from(&self.start);
        // `before` is b_(k-1) u, stored in place: next = x term - ... may overwrite it.
        self.next.clear();
        self.next.resize(u.len(), 0.0);
        self.image.resize(u.len(), 0.0);
        u.fill(0.0);
        for k in 0..MOST {
            axpy(f[(k, 0)], &self.term, u);
            // Euclidean lengths are cheap and tell when to check; the M norm decides.
            let size = a.in_mass_norm(a.lengths(&self.term), rate);
            if !(size[0].is_finite() && size[1].is_finite()) {
                // Polynomials of degree 80 do not overflow by themselves; a shorter piece would only delay it.
                return Err(FunctionError::Overflow);
            }
            errors[k % QUIET] = size.map(|x| x * f[(k, 0)].abs());
            (0..2).for_each(|c| largest[c] = largest[c].max(errors[k % QUIET][c]));
            self.degree = k;
            let sum = [0, 1].map(|c| errors.iter().map(|e| e[c]).sum::<f64>());
            let ripe = k as f64 > 2.0 * time * segment.quarter;
            if ripe && ledger.ratio(sum, a.in_mass_norm(a.lengths(u), 0.0), time) <= 1.0 {
                let [y, velocity] = a.measure(system, &self.term);
                let exact = [y, velocity + rate * y];
                let truncation = [0, 1].map(|c| if size[c] > 0.0 { sum[c] * (exact[c] / size[c]) } else { sum[c] });
                let (motion, rounding) = (a.measure(system, u), largest.map(|x| f64::EPSILON * x));
                if ledger.ratio(truncation, motion, time) <= 1.0 {
                    // A shorter piece has smaller terms, and smaller rounding errors.
                    let is_quiet = ledger.rounding(rounding, motion) <= QUIET_SHARE;
                    return Ok(is_quiet.then_some(Errors { truncation, rounding }));
                }
            }
            let [own, before] = self.recurrence(segment, k);
            a.apply(system, &self.term, &mut self.image)?;
            for ((next, term), image) in self.next.iter_mut().zip(&self.term).zip(&self.image) {
                *next = (image - segment.middle * term) / segment.quarter - own * term - before * *next;
            }
            std::mem::swap(&mut self.next, &mut self.term);
        }
        Ok(None)
    }
}

impl Method for Newton {
    const DENSE: bool = false;

    fn step(
        &mut self,
        a: &mut FirstOrder,
        system: &mut dyn Oscillator,
        u: &mut Vec<f64>,
        left: f64,
        ledger: &Ledger,
    ) -> Result<Step, FunctionError> {
        self.start.clone_from(u);
        let longest = CAPACITY / (2.0 * Segment::around(a).quarter);
        for halvings in self.halvings..MAX_HALVINGS {
            let pieces = (left / longest * 2_f64.powi(halvings as i32)).ceil().max(1.0);
            let time = left / pieces;
            if let Some(error) = self.piece((a, system), u, time, ledger)? {
                self.halvings = halvings;
                return Ok(Step { time, error });
            }
        }
        Err(a.not_converged(f64::INFINITY))
    }

    fn dimension(&self) -> usize {
        self.degree
    }
}
