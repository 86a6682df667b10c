//! A method in progress: its state, the time of each step, and the work of all.

use super::time;
use crate::failure::Failure;
use integrators::{Options, StepReport, Stepper};
use model::{Model, State};
use serde_json::{Value, json};

/// A method in progress.
pub(super) struct Runner {
    pub stepper: Box<dyn Stepper>,
    pub state: State,
    /// Time of each step [ms].
    pub ms: Vec<f64>,
    /// Work of all steps.
    pub report: StepReport,
}

impl Runner {
    pub fn new(model: &Model, start: &State, method: &str, options: &Options) -> Result<Runner, Failure> {
        let method = integrators::find(method).ok_or_else(|| Failure::bench(format!("no method {method}")))?;
        let stepper = (method.make)(model, options).map_err(Failure::bench)?;
        Ok(Runner { stepper, state: start.clone(), ms: Vec::new(), report: StepReport::default() })
    }

    pub fn step(&mut self, model: &Model, h: f64) -> Result<(), Failure> {
        let (done, ms) = time(|| self.stepper.step(model, &mut self.state, h));
        self.report.add(&done.map_err(Failure::bench)?);
        self.ms.push(ms);
        Ok(())
    }

    /// Returns the mean of all steps but the first `skipped` [ms].
    pub fn mean(&self, skipped: usize) -> f64 {
        self.ms[skipped..].iter().sum::<f64>() / (self.ms.len() - skipped) as f64
    }

    /// Returns the work of the linear solver per step, as text.
    pub fn work(&self) -> String {
        let [factorisations, solves, iterations, products] = self.counts();
        format!(
            "{factorisations:.2} factorisations, {solves:.1} solves, {iterations:.1} iterations, {products:.1} products per step"
        )
    }

    /// Returns the work of the linear solver per step.
    pub fn work_json(&self) -> Value {
        let [factorisations, solves, iterations, products] = self.counts();
        json!({ "factorisations": factorisations, "solves": solves, "iterations": iterations, "products": products })
    }

    fn counts(&self) -> [f64; 4] {
        let work = self.report.linear;
        [work.factorisations, work.solves, work.iterations, work.products]
            .map(|count| count as f64 / self.ms.len() as f64)
    }
}
