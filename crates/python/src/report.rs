//! Work of a step.

use pyo3::prelude::*;

/// Counted work of a step, attempts that failed included.
#[pyclass(frozen, get_all, module = "pliant")]
pub struct StepReport {
    /// Evaluations of the whole force.
    forces: u64,
    /// Assemblies of the stiffness matrix.
    assemblies: u64,
    /// Newton iterations.
    newton: u64,
    /// Times a Newton step was shortened.
    backtracks: u64,
    /// Factorisations of a matrix.
    factorisations: u64,
    /// Right-hand sides solved for.
    solves: u64,
    /// Iterations of linear solvers.
    iterations: u64,
    /// Products of a matrix with a vector.
    products: u64,
    /// Times the step was halved.
    halvings: u64,
    /// Largest number of captured modes.
    modes: u64,
    /// Largest estimated angle between those modes and the exact ones [rad].
    mode_angle: f64,
    /// Energy that the method took and the scene does not [J].
    numerical_damping: f64,
    /// Steps inside the step.
    substeps: u64,
    /// Decision about the factor kept from step to step, a word.
    factor: &'static str,
    /// Largest number of matrices it has been kept for.
    factor_age: u64,
}

impl From<integrators::StepReport> for StepReport {
    fn from(report: integrators::StepReport) -> StepReport {
        let linear = report.linear;
        StepReport {
            forces: report.forces,
            assemblies: report.assemblies,
            newton: report.newton,
            backtracks: report.backtracks,
            factorisations: linear.factorisations,
            solves: linear.solves,
            iterations: linear.iterations,
            products: linear.products,
            halvings: report.halvings,
            modes: report.modes,
            mode_angle: report.mode_angle,
            numerical_damping: report.numerical_damping,
            substeps: report.substeps,
            factor: report.factor.word(),
            factor_age: report.factor_age,
        }
    }
}

#[pymethods]
impl StepReport {
    fn __repr__(&self) -> String {
        let StepReport { forces, newton, factorisations, solves, iterations, products, .. } = self;
        format!(
            "StepReport(forces={forces}, newton={newton}, factorisations={factorisations}, solves={solves}, \
             iterations={iterations}, products={products}, factor={:?})",
            self.factor
        )
    }
}
