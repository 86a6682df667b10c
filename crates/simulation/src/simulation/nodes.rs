//! Nodes in the numbering of the mesh that the model was built from: positions, velocities, forces.

use super::Simulation;
use crate::error::SimulationError;
use crate::outcome::Cause;
use integrators::StepError;
use model::Model;
use numerics::mat3::Vec3;
use numerics::vectors::is_finite;
use std::sync::Arc;

impl Simulation {
    /// Positions of all nodes, numbered as the mesh [m].
    pub fn positions(&self) -> Vec<Vec3> {
        in_mesh(&self.model, &self.state.x)
    }

    /// Velocities of all nodes, numbered as the mesh [m/s].
    pub fn velocities(&self) -> Vec<Vec3> {
        in_mesh(&self.model, &self.state.v)
    }

    /// Puts nodes elsewhere, numbered as the mesh [m]. Those that are fixed, scripted or carried by a rigid body must be where
    /// they are. The method forgets earlier steps; on an error nothing has changed.
    pub fn set_positions(&mut self, positions: &[Vec3]) -> Result<(), SimulationError> {
        let x = self.in_model(positions, &self.state.x)?;
        let before = std::mem::replace(&mut self.state.x, x);
        // Rigid bodies take along what they carry.
        self.model.carry(&mut self.state);
        if let Some(bad) = self.model.first_inadmissible(&self.state.x) {
            self.state.x = before;
            self.model.carry(&mut self.state);
            return Err(SimulationError::Inverted { element: bad.element, number: bad.number });
        }
        self.stepper.forget();
        self.changed();
        Ok(())
    }

    /// Gives nodes other velocities, numbered as the mesh [m/s]. Those that are fixed, scripted or carried by a rigid body must
    /// have theirs. The method forgets earlier steps; on an error nothing has changed.
    pub fn set_velocities(&mut self, velocities: &[Vec3]) -> Result<(), SimulationError> {
        self.state.v = self.in_model(velocities, &self.state.v)?;
        self.model.carry(&mut self.state);
        self.stepper.forget();
        self.changed();
        Ok(())
    }

    /// Forces given from outside, numbered as the mesh [N]; empty where there are none.
    pub fn forces(&self) -> &[Vec3] {
        &self.forces
    }

    /// Forces given from outside, one per node of the mesh [N], zero at first: loads that are held during a step and stay until
    /// they are changed. Every method feels them as it feels gravity; nodes that are not free do not.
    ///
    /// A model that is shared is copied before the next step, its elements excepted: others feel nothing.
    pub fn forces_mut(&mut self) -> &mut [Vec3] {
        self.forces.resize(self.model.nodes(), [0.0; 3]);
        self.has_new_forces = true;
        &mut self.forces
    }

    /// Takes away all forces that were given.
    pub fn clear_forces(&mut self) {
        self.forces.clear();
        self.has_new_forces = false;
        if self.model.has_given_forces() {
            Arc::make_mut(&mut self.model).set_forces(&[]);
        }
    }

    /// Tells the model of the forces before a step.
    pub(super) fn give_forces(&mut self) -> Result<(), (u32, Cause)> {
        if !self.has_new_forces {
            return Ok(());
        }
        if let Some(node) = self.forces.iter().position(|force| !is_finite(force)) {
            return Err((0, Cause::Step(StepError::NonFinite { node })));
        }
        let free = (0..self.model.free_nodes()).flat_map(|i| self.forces[self.model.origin(i)]);
        let forces: Vec<f64> = free.collect();
        Arc::make_mut(&mut self.model).set_forces(&forces);
        self.has_new_forces = false;
        Ok(())
    }

    /// Values of the nodes of the mesh in the numbering of the model; those of nodes that are not free must be as they are.
    fn in_model(&self, values: &[Vec3], now: &[f64]) -> Result<Vec<f64>, SimulationError> {
        let Simulation { model, .. } = self;
        if values.len() != model.nodes() {
            return Err(SimulationError::Count { found: values.len(), expected: model.nodes() });
        }
        if let Some(node) = values.iter().position(|value| !is_finite(value)) {
            return Err(SimulationError::NonFinite { node });
        }
        let moved: Vec<f64> = (0..model.nodes()).flat_map(|i| values[model.origin(i)]).collect();
        match (model.dofs()..moved.len()).find(|&i| moved[i] != now[i]) {
            Some(i) => Err(SimulationError::Held { node: model.origin(i / 3) }),
            None => Ok(moved),
        }
    }
}

/// Values of the nodes of the model in the numbering of the mesh.
fn in_mesh(model: &Model, values: &[f64]) -> Vec<Vec3> {
    let nodes = values.as_chunks::<3>().0;
    (0..model.nodes()).map(|node| nodes[model.number(node)]).collect()
}
