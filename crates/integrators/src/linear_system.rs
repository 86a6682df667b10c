//! The matrix m M + d D + k K that every implicit method solves with.

use crate::options::Options;
use crate::stepper::StepReport;
use model::Model;
use numerics::blocks::BlockMatrix;
use numerics::linear::{self, Definiteness, LinearError, LinearSolver};

/// A system matrix with the solver that goes with it.
pub(crate) struct LinearSystem {
    pub stiffness: BlockMatrix,
    pub matrix: BlockMatrix,
    pub solver: Box<dyn LinearSolver>,
}

impl LinearSystem {
    pub fn new(model: &Model, options: &Options) -> Result<LinearSystem, LinearError> {
        let zeros = BlockMatrix::zeros(model.pattern().clone());
        let solver = linear::choose(model.pattern(), options.solver, options.stop(model))?;
        Ok(LinearSystem { stiffness: zeros.clone(), matrix: zeros, solver })
    }

    /// Makes ready m M + d D + k K, with K the stiffness at hand; `damping` is the K in D where it is another.
    pub fn prepare(
        &mut self,
        model: &Model,
        factors: [f64; 3],
        damping: Option<&BlockMatrix>,
        report: &mut StepReport,
    ) -> Result<(), LinearError> {
        model.combine(factors, &self.stiffness, damping, &mut self.matrix);
        self.counted(report, |solver, matrix| solver.prepare(matrix).map(|_| ()))
    }

    /// Overwrites a right-hand side with the solution.
    pub fn solve(&mut self, rhs: &mut [f64], report: &mut StepReport) -> Result<(), LinearError> {
        self.solve_columns(rhs, 1, report)
    }

    /// Overwrites right-hand sides, column-major, with their solutions.
    pub fn solve_columns(
        &mut self,
        rhs: &mut [f64],
        columns: usize,
        report: &mut StepReport,
    ) -> Result<(), LinearError> {
        self.counted(report, |solver, matrix| solver.solve(matrix, rhs, columns))
    }

    /// Lets the solver work, and reports what it did and found.
    fn counted(
        &mut self,
        report: &mut StepReport,
        work: impl FnOnce(&mut dyn LinearSolver, &BlockMatrix) -> Result<(), LinearError>,
    ) -> Result<(), LinearError> {
        let before = self.solver.work();
        let result = work(self.solver.as_mut(), &self.matrix);
        report.linear += self.solver.work() - before;
        if let Definiteness::Indefinite { negative } = self.solver.definiteness() {
            report.negative_pivots = report.negative_pivots.max(negative as u64);
        }
        result
    }
}
