//! Rigid bodies for tests.

use crate::problems::{make, method};
use collision::{Pose, Shape};
use integrators::{Options, Stepper, parameters};
use model::{Basis, Blueprint, LoadPart, Model, Rigid, RigidMass, State};
use numerics::mat3::Vec3;

pub const FRAME: f64 = 1.0 / 60.0;

/// Rigid bodies without others, each at its pose.
#[derive(Default)]
pub struct Cast {
    pub blueprint: Blueprint,
}

impl Cast {
    /// Adds a body of this mass [kg]; returns its number.
    pub fn add(&mut self, shape: Shape, pose: Pose, mass: f64, friction: f64) -> u32 {
        let node = self.blueprint.mesh.points.len() as u32;
        let (rigid, centre, mass) = Rigid::new(shape, &pose, RigidMass::Total(mass), node).unwrap();
        // One node to carry, so that all bodies have some.
        let carried = vec![(node + 1, [0.1, 0.2, 0.3])];
        self.blueprint.mesh.points.extend([centre, centre]);
        self.blueprint.node_masses.push((node, mass));
        self.blueprint.rigids.push(Rigid { carried, friction, ..rigid });
        self.blueprint.rigids.len() as u32 - 1
    }

    /// Fixes a body.
    pub fn hold(&mut self, rigid: u32) {
        self.blueprint.fixed.push(self.blueprint.rigids[rigid as usize].node);
    }

    /// Returns the blueprint, with gravity.
    pub fn with_gravity(mut self, gravity: Vec3) -> Blueprint {
        let nodes = (0..self.blueprint.mesh.points.len() as u32).collect();
        let profile = model::load::Profile::Constant;
        self.blueprint.loads.push(LoadPart { nodes, basis: Basis::Mass, direction: gravity, profile });
        self.blueprint
    }

    /// Returns the model, with gravity.
    pub fn build(self, gravity: Vec3) -> Model {
        self.with_gravity(gravity).build().unwrap()
    }
}

/// Returns the method with these substeps and passes.
pub fn small_steps(model: &Model, substeps: usize, passes: usize) -> Box<dyn Stepper> {
    make(
        method("small-steps"),
        model,
        &Options::default().with(&parameters::SUBSTEPS, substeps).with(&parameters::PASSES, passes),
    )
}

/// Takes steps of one frame for some time [s].
pub fn run(model: &Model, stepper: &mut dyn Stepper, state: &mut State, time: f64) {
    (0..(time / FRAME).round() as usize).for_each(|_| {
        stepper.step(model, state, FRAME).unwrap();
    });
}

/// Returns the position of a body's centre [m].
pub fn centre(model: &Model, state: &State, rigid: u32) -> Vec3 {
    let i = 3 * model.rigids()[rigid as usize].node as usize;
    [state.x[i], state.x[i + 1], state.x[i + 2]]
}

/// Returns the velocity of a body's centre [m/s].
pub fn velocity(model: &Model, state: &State, rigid: u32) -> Vec3 {
    let i = 3 * model.rigids()[rigid as usize].node as usize;
    [state.v[i], state.v[i + 1], state.v[i + 2]]
}

/// Gives a body a velocity [m/s] and a spin [rad/s].
pub fn throw(model: &Model, state: &mut State, rigid: u32, velocity: Vec3, spin: Vec3) {
    let i = 3 * model.rigids()[rigid as usize].node as usize;
    state.v[i..i + 3].copy_from_slice(&velocity);
    state.turns[rigid as usize].spin = spin;
}
