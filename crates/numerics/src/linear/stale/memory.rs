//! Memory of a solver that keeps its factor: what is needed to make it again, bit-for-bit identical.

use super::{Form, Held, Ledger, Origin, Stale};
use crate::blocks::BlockMatrix;
use crate::linear::LinearError;
use crate::rotation::weights;

impl Stale {
    /// Returns the numbers needed to make the same factor again.
    pub fn memory(&self) -> Vec<f64> {
        let held = match self.held {
            Held::Nothing if self.form == self.first => return Vec::new(),
            Held::Nothing => 0.0,
            Held::Here(form) | Held::Wanted(form) => form.code(),
        };
        let Ledger { age, uses, iterations, lately } = self.ledger;
        let counts = [age, uses, iterations].map(|count| count as f64);
        let head = [held, self.form.code(), lately].into_iter().chain(counts).chain(self.birth.tag);
        head.chain(self.birth.positions.iter().copied().take(if held == 0.0 { 0 } else { usize::MAX })).collect()
    }

    /// Restores the result of [`Stale::memory`]; false if the numbers are impossible. The caller checks that the
    /// positions in it ([`Stale::wanted`]) are those of its nodes.
    pub fn recall(&mut self, memory: &[f64]) -> bool {
        self.forget();
        let [held, form, lately, age, uses, iterations, t0, t1, t2, t3, rest @ ..] = memory else {
            return memory.is_empty();
        };
        let counts = [*age, *uses, *iterations];
        let is_count = |count: &f64| *count >= 0.0 && *count < 1e15 && count.fract() == 0.0;
        let held = match Form::of_code(*held) {
            Some(form) if rest.len() >= 3 * self.warp.len() => Held::Wanted(form),
            None if *held == 0.0 && rest.is_empty() => Held::Nothing,
            _ => return false,
        };
        let is_sound = counts.iter().all(is_count) && *lately >= 0.0 && lately.is_finite();
        let Some(form) = Form::of_code(*form).filter(|_| is_sound) else { return false };
        let [age, uses, iterations] = counts.map(|count| count as u64);
        self.ledger = Ledger { age, uses, iterations, lately: *lately };
        self.birth.set([*t0, *t1, *t2, *t3], rest);
        (self.held, self.form) = (held, form);
        true
    }

    /// Returns the origin of the factor to be made after a restart.
    pub fn wanted(&self) -> Option<&Origin> {
        matches!(self.held, Held::Wanted(_)).then_some(&self.birth)
    }

    /// Makes that factor; its work was counted when it was first made.
    pub fn rebuild(&mut self, a: &BlockMatrix) -> Result<(), LinearError> {
        let Held::Wanted(form) = self.held else { return Ok(()) };
        weights(a, &mut self.weights);
        let work = self.work;
        let positions = std::mem::take(&mut self.birth.positions);
        let made = self.make(a, form, &positions);
        self.birth.positions = positions;
        self.work = work;
        if made == Err(LinearError::Interrupted) {
            // Still to be made, when the work continues.
            return Err(LinearError::Interrupted);
        }
        self.held = Held::Nothing;
        if made? {
            self.held = Held::Here(form);
        }
        self.is_exact = false;
        Ok(())
    }

    /// Drops the factor.
    pub fn forget(&mut self) {
        (self.held, self.form, self.ledger) = (Held::Nothing, self.first, Ledger::default());
    }
}
