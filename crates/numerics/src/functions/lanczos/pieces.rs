//! Motions too long for one basis, in pieces.
//!
//! A piece begins at the end of the last one, at y_0 with velocity v_0. The rest of the motion, z = y - y_0, is a
//! separate motion from rest at zero: its velocity is v_0, its loads are those from the current time on, and K y_0 is
//! subtracted from the first of them. Its basis does not depend on its length, so shortening a piece costs almost
//! nothing.

use super::super::first_order::FirstOrder;
use super::super::march::{Errors, Ledger, Method, Step};
use super::super::tridiagonal::Chebyshev;
use super::super::{Damping, FunctionError, Motion, Oscillator, Sample};
use super::estimate::{Accuracy, size_for};
use super::recurrence::Recurrence;

/// Limit of halvings of a piece.
const MAX_HALVINGS: usize = 60;
/// Shortest piece, as a share of the rest.
const SHORTEST: f64 = 1e-9;
/// Limit of loads of a motion.
const LOADS: usize = 4;

/// Steps of the march: one basis each.
#[derive(Debug, Clone, Default)]
pub(super) struct Pieces {
    /// Limit of vectors per run.
    pub limit: usize,
    pub recurrence: Recurrence,
    pub chebyshev: Chebyshev,
    /// Products made before the march, and the largest frequency found by them [1/s].
    pub spent: (u64, f64),
    /// r_0, r_1, ... of the whole motion.
    given: Vec<Vec<f64>>,
    /// u at the beginning of the piece, and its loads.
    start: Vec<f64>,
    loads: [Vec<f64>; LOADS],
    image: Vec<f64>,
    moved: [Vec<f64>; 2],
    size: usize,
}

impl Pieces {
    /// Makes it with at most `limit` vectors per run.
    pub fn new(limit: usize, recurrence: Recurrence) -> Pieces {
        Pieces { limit, recurrence, ..Pieces::default() }
    }

    /// Takes the loads of a motion.
    pub fn take(&mut self, motion: &Motion) {
        self.given.resize_with(motion.loads.len(), Vec::new);
        for (given, load) in self.given.iter_mut().zip(motion.loads) {
            given.clear();
            given.extend_from_slice(load);
        }
    }

    /// Computes the loads of a piece that begins at u.
    fn shift_loads(&mut self, a: &mut FirstOrder, system: &dyn Oscillator, u: &[f64]) -> Result<(), FunctionError> {
        let n = system.dim();
        system.go_on(&a.work())?;
        self.image.resize(n, 0.0);
        system.stiffness_times(&u[..n], &mut self.image, 1);
        a.products += 1;
        let powers: [f64; LOADS] = std::array::from_fn(|k| a.power_of_time(u, k));
        for (j, load) in self.loads.iter_mut().enumerate() {
            load.clear();
            load.resize(n, 0.0);
            for (given, power) in self.given.iter().skip(j).zip(powers) {
                load.iter_mut().zip(given).for_each(|(load, r)| *load += power * r);
            }
        }
        self.loads[0].iter_mut().zip(&self.image).for_each(|(load, force)| *load -= force);
        Ok(())
    }
}

impl Method for Pieces {
    const DENSE: bool = false;

    fn step(
        &mut self,
        a: &mut FirstOrder,
        system: &mut dyn Oscillator,
        u: &mut Vec<f64>,
        left: f64,
        ledger: &Ledger,
    ) -> Result<Step, FunctionError> {
        let Damping::Rayleigh { mass, stiffness } = system.damping() else {
            return Err(FunctionError::DampingNotRayleigh);
        };
        self.shift_loads(a, system, u)?;
        self.start.clone_from(u);
        let Pieces { limit, recurrence, chebyshev, start, loads, moved, size: k, .. } = self;
        let n = system.dim();
        let loads: [&[f64]; LOADS] = loads.each_ref().map(|load| load.as_slice());
        let motion = Motion { velocity: &start[n..2 * n], loads: &loads };
        let speed = recurrence.begin(system, &motion)?;
        moved.iter_mut().for_each(|x| x.resize(n, 0.0));

        let (mut time, mut next, mut halvings) = (left, 4, 0);
        *k = 0;
        while halvings < MAX_HALVINGS {
            while *k < next.min(*limit) && !recurrence.ended() {
                system.go_on(&a.work())?;
                recurrence.step(system, *k)?;
                a.products += recurrence.runs.len() as u64;
                *k += 1;
            }
            let phase = recurrence.largest_phase(time)?;
            let predicted = size_for(phase, ledger.allowed(time));
            if !recurrence.ended() && predicted > *limit as f64 {
                // With a limit of a few vectors no piece is short enough.
                if time < SHORTEST * left {
                    return Err(a.not_converged(f64::INFINITY));
                }
                // Equal pieces, so that the last is not tiny.
                time = left / (left / (0.9 * time)).ceil().max((left / time).round() + 1.0);
                continue;
            }
            if !recurrence.ended() && (*k as f64) < predicted {
                next = predicted.ceil() as usize;
                continue;
            }
            let [dy, dv] = &mut *moved;
            let mut sample = [Sample { time, y: dy, velocity: dv }];
            let mut accuracy = [Accuracy { scale: speed, ..Accuracy::default() }];
            let mut known = true;
            for run in &mut recurrence.runs {
                known &= run.evaluate((mass, stiffness), chebyshev, &sample, &mut accuracy)?;
            }
            let frequency = recurrence.fastest(time)?;
            let Accuracy { y, velocity, rounding, scale, .. } = accuracy[0];
            // An error of y is one of y' a quarter period later.
            let truncation = [y * time, velocity + frequency * y * time];
            if known && ledger.ratio(truncation, [scale * time, scale], time) <= 1.0 {
                a.products += recurrence.combine(system, &motion, *k, &mut sample)?;
                (0..n).for_each(|i| u[i] = start[i] + moved[0][i]);
                u[n..2 * n].copy_from_slice(&moved[1]);
                let shown = a.measure(system, u);
                if ledger.ratio(truncation, shown, time) <= 1.0 {
                    a.advance_tail(&start[2 * n..], time, &mut u[2 * n..]);
                    let error = Errors { truncation, rounding: [rounding * time, rounding] };
                    return Ok(Step { time, error });
                }
            }
            if *k < *limit && !recurrence.ended() {
                next = *k + 2 + *k / 24;
            } else {
                time *= 0.5;
                halvings += 1;
            }
        }
        Err(a.not_converged(f64::INFINITY))
    }

    fn spent(&self) -> (u64, f64) {
        self.spent
    }

    fn dimension(&self) -> usize {
        self.size
    }
}
