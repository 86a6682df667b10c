//! Damping by a stiffness held constant while Newton iterates; `stage.rs` explains why.

use crate::stepper::StepReport;
use model::Model;
use numerics::blocks::BlockMatrix;

/// beta K as last held.
pub(crate) struct HeldDamping {
    pub stiffness: BlockMatrix,
    /// Positions of all nodes then; empty where K is that at rest.
    pub positions: Vec<f64>,
    /// beta K v of the nodes that are not free, acting on the free ones [N].
    coupling: Vec<f64>,
    product: Vec<f64>,
    /// Velocities of the nodes that are not free; zero for the others.
    given: Vec<f64>,
}

impl HeldDamping {
    /// Returns `None` where beta is zero.
    pub fn new(model: &Model) -> Option<HeldDamping> {
        let damping = model.damping();
        if damping.stiffness == 0.0 {
            return None;
        }
        let stiffness = damping.at_rest.clone().unwrap_or_else(|| BlockMatrix::zeros(model.pattern().clone()));
        let zeros = vec![0.0; model.dofs()];
        let given = vec![0.0; 3 * model.nodes()];
        Some(HeldDamping { stiffness, positions: Vec::new(), coupling: zeros.clone(), product: zeros, given })
    }

    /// Takes K at x, and the damping force of scripted nodes moving with v.
    pub fn hold(&mut self, model: &Model, x: &[f64], v: &[f64], report: &mut StepReport) {
        let damping = model.damping();
        if damping.at_rest.is_none() {
            model.stiffness(model.stiffness_kind(), x, &mut self.stiffness);
            report.assemblies += 1;
            self.positions.clear();
            self.positions.extend_from_slice(model.positions_of_stiffness(x));
        }
        if model.is_scripted() {
            let x = if damping.at_rest.is_some() { model.rest() } else { x };
            self.given[model.dofs()..].copy_from_slice(&v[model.dofs()..]);
            self.coupling.fill(0.0);
            model.add_stiffness_times(damping.stiffness, x, &self.given, &mut self.coupling);
        }
    }

    /// f -= beta K v.
    pub fn add_force(&self, beta: f64, v: &[f64], f: &mut [f64]) {
        self.stiffness.multiply_add(-beta, v, f);
        f.iter_mut().zip(&self.coupling).for_each(|(f, c)| *f -= c);
    }

    /// 1/2 v . beta K v, with the coupling.
    pub fn potential(&mut self, beta: f64, v: &[f64]) -> f64 {
        self.stiffness.multiply(v, &mut self.product);
        let terms = v.iter().zip(&self.product).zip(&self.coupling);
        terms.map(|((v, product), coupling)| v * (0.5 * beta * product + coupling)).sum()
    }
}
