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
    /// Returns the positions of all nodes, numbered as the mesh [m].
    pub fn positions(&self) -> Vec<Vec3> {
        in_mesh(&self.model, &self.state.x)
    }

    /// Returns the velocities of all nodes, numbered as the mesh [m/s].
    pub fn velocities(&self) -> Vec<Vec3> {
        in_mesh(&self.model, &self.state.v)
    }

    /// Sets the positions of nodes, numbered as the mesh [m]. Nodes that are fixed, scripted or carried by a rigid body
    /// must keep theirs. The method forgets earlier steps; after an error nothing has changed.
    pub fn set_positions(&mut self, positions: &[Vec3]) -> Result<(), SimulationError> {
        let x = self.in_model(positions, &self.state.x)?;
        let before = std::mem::replace(&mut self.state.x, x);
        // Rigid bodies move the nodes that they carry.
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

    /// Sets the velocities of nodes, numbered as the mesh [m/s]. Nodes that are fixed, scripted or carried by a rigid
    /// body must keep theirs. The method forgets earlier steps; after an error nothing has changed.
    pub fn set_velocities(&mut self, velocities: &[Vec3]) -> Result<(), SimulationError> {
        self.state.v = self.in_model(velocities, &self.state.v)?;
        self.model.carry(&mut self.state);
        self.stepper.forget();
        self.changed();
        Ok(())
    }

    /// Returns the nearest two features that are too near for contact by impulses, or cross, by a node of each in the
    /// mesh, and their distance [m], 0 if they cross. Steps would fail.
    pub fn too_near(&mut self) -> Option<([usize; 2], f64)> {
        let found = self.impulses.as_mut()?.too_near(&self.state)?;
        Some(([found.nodes[0], found.nodes[3]].map(|node| self.model.origin(node)), found.distance))
    }

    /// Returns the external forces, numbered as the mesh [N]; empty if there are none.
    pub fn forces(&self) -> &[Vec3] {
        &self.forces
    }

    /// Returns the external forces, one per node of the mesh [N], zero at first: loads that are constant during a step
    /// and stay until they are changed. They act in every method as gravity does, on free nodes only.
    ///
    /// A force that was computed from velocities, such as a drag -c v, is therefore explicit: keep c times the step below
    /// the mass of a node, or damp by [`Builder::damping`](crate::Builder::damping), which is implicit.
    ///
    /// A shared model is copied before the next step, except its elements: other simulations are not affected.
    pub fn forces_mut(&mut self) -> &mut [Vec3] {
        self.forces.resize(self.model.nodes(), [0.0; 3]);
        self.has_new_forces = true;
        &mut self.forces
    }

    /// Removes all external forces.
    pub fn clear_forces(&mut self) {
        self.forces.clear();
        self.has_new_forces = false;
        if self.model.has_given_forces() {
            Arc::make_mut(&mut self.model).set_forces(&[]);
        }
    }

    /// Gives the forces to the model before a step, and those of its motors.
    pub(super) fn give_forces(&mut self) -> Result<(), (u32, Cause)> {
        if !self.model.motors().is_empty() {
            Arc::make_mut(&mut self.model).drive(&self.state.x);
        }
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

    /// Returns values of the nodes of the mesh in the numbering of the model; those of nodes that are not free must be
    /// unchanged.
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

/// Returns values of the nodes of the model in the numbering of the mesh.
fn in_mesh(model: &Model, values: &[f64]) -> Vec<Vec3> {
    let nodes = values.as_chunks::<3>().0;
    (0..model.nodes()).map(|node| nodes[model.number(node)]).collect()
}
