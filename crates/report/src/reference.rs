//! Reference of a comparison: a run whose states and velocities are stored, so that it is known between frames.

use crate::recording::vectors;
use model::Model;
use numerics::mat3::{Vec3, add, dot, scale, sub};
use scene::{Moment, Observer, ObserverError};

/// States of a run at its frames.
#[derive(Debug, Clone, Default)]
pub struct Reference {
    states: Vec<(f64, Vec<Vec3>, Vec<Vec3>)>,
    /// Largest root-mean-square distance of its nodes from their start [m].
    reach: f64,
}

impl Reference {
    /// Returns the positions at a time within the run: a cubic between frames, fourth order in their distance.
    fn at(&self, time: f64) -> Option<Vec<Vec3>> {
        let after = self.states.partition_point(|(t, ..)| *t < time);
        let (t1, x1, v1) = self.states.get(after)?;
        let Some((t0, x0, v0)) = after.checked_sub(1).map(|before| &self.states[before]) else {
            return Some(x1.clone());
        };
        let h = t1 - t0;
        let s = (time - t0) / h;
        let weights = [
            (1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s),
            h * s * (1.0 - s) * (1.0 - s),
            s * s * (3.0 - 2.0 * s),
            h * s * s * (s - 1.0),
        ];
        let blend = |i: usize| {
            let terms = [
                scale(weights[0], x0[i]),
                scale(weights[1], v0[i]),
                scale(weights[2], x1[i]),
                scale(weights[3], v1[i]),
            ];
            add(add(terms[0], terms[1]), add(terms[2], terms[3]))
        };
        Some((0..x0.len()).map(blend).collect())
    }
}

/// Returns the root-mean-square distance of two sets of points [m].
fn distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    let sum: f64 = a.iter().zip(b).map(|(p, q)| dot(sub(*p, *q), sub(*p, *q))).sum();
    (sum / a.len().max(1) as f64).sqrt()
}

impl Observer for Reference {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        if moment.passes_frame {
            let (model, state) = (moment.model, moment.state);
            let x = vectors(model, &state.x);
            let reach = self.states.first().map_or(0.0, |(_, first, _)| distance(first, &x));
            self.reach = self.reach.max(reach);
            self.states.push((state.t, x, vectors(model, &state.v)));
        }
        Ok(())
    }
}

/// Distance of a run from a reference, frame by frame.
pub(crate) struct Distances<'r> {
    reference: Option<&'r Reference>,
    squares: f64,
    frames: usize,
}

impl<'r> Distances<'r> {
    pub fn new(reference: Option<&'r Reference>) -> Distances<'r> {
        Distances { reference, squares: 0.0, frames: 0 }
    }

    /// Returns the root mean square over nodes and frames, as a share of the reference's motion; `None` without a
    /// reference that moves.
    pub fn error(&self) -> Option<f64> {
        let reach = self.reference?.reach;
        (reach > 0.0 && self.frames > 0).then(|| (self.squares / self.frames as f64).sqrt() / reach)
    }

    fn look(&mut self, model: &Model, time: f64, x: &[f64]) {
        if let Some(expected) = self.reference.and_then(|reference| reference.at(time)) {
            self.squares += distance(&expected, &vectors(model, x)).powi(2);
            self.frames += 1;
        }
    }
}

impl Observer for Distances<'_> {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        if moment.passes_frame && moment.step > 0 {
            self.look(moment.model, moment.state.t, &moment.state.x);
        }
        Ok(())
    }
}
