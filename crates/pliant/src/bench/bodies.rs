//! Bodies that several benches use.

use crate::failure::Failure;
use model::energy::Stiffness;
use model::load::Profile;
use model::material::sample;
use model::mesh::Mesh;
use model::mesh::generate::{Value, generate};
use model::{Basis, Blueprint, LoadPart, Model, SolidPart, State};
use scene::Scene;
use std::f64::consts::TAU;

const BRIDGE: &str = include_str!("../../scenes/large/bridge.toml");

/// A box of Kuhn tets, clamped at x = 0, neo-Hookean, 1000 kg/m^3, under gravity.
pub(super) struct Cuboid {
    /// Lengths of its edges [m].
    pub size: [f64; 3],
    /// Cells along them, six tets each.
    pub cells: [usize; 3],
    /// Young's modulus [Pa].
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
}

/// A cube of 12,167 vertices.
pub(super) const CUBE_12K: Cuboid = Cuboid::cube(22);
/// A slender bar of 30,025 vertices.
pub(super) const BAR_30K: Cuboid = Cuboid::bar(1200);

impl Cuboid {
    /// A cube of 1 m.
    pub const fn cube(cells: usize) -> Cuboid {
        Cuboid { size: [1.0; 3], cells: [cells; 3], young: 1e6, poisson: 0.45 }
    }

    /// A bar of .1 m x .1 m, with cells of .025 m along x.
    pub const fn bar(cells: usize) -> Cuboid {
        Cuboid { size: [0.025 * cells as f64, 0.1, 0.1], cells: [cells, 4, 4], young: 1e6, poisson: 0.45 }
    }

    /// Makes the mesh alone.
    pub fn mesh(&self) -> Result<Mesh, Failure> {
        let numbers = |values: [f64; 3]| Value::Numbers(values.to_vec());
        let cells = self.cells.map(|cells| cells as f64);
        generate("box", [("size", numbers(self.size)), ("cells", numbers(cells))]).map_err(Failure::bench)
    }

    /// Makes the body.
    pub fn model(&self, stiffness: Stiffness) -> Result<Model, Failure> {
        let mesh = self.mesh()?;
        let material = sample("neo-hookean", self.young, self.poisson).map_err(Failure::bench)?;
        let nodes = (0..mesh.points.len() as u32).collect();
        let direction = [0.0, 0.0, -9.81];
        Blueprint {
            solids: vec![SolidPart::new((0..mesh.tets.len() as u32).collect(), material, 1000.0)],
            fixed: mesh.groups["x-"].nodes.clone(),
            loads: vec![LoadPart { nodes, basis: Basis::Mass, direction, profile: Profile::Constant }],
            stiffness,
            mesh,
            ..Blueprint::default()
        }
        .build()
        .map_err(Failure::bench)
    }
}

/// The lattice bridge in the wind, its start, and its step [s].
pub(super) fn bridge() -> Result<(Model, State, f64), Failure> {
    let scene = Scene::parse("bridge", BRIDGE)?;
    let built = scene.build()?;
    Ok(((*built.model).clone(), built.start.clone(), scene.integrator.step))
}

/// Largest velocity at the start [m/s].
const SPEED: f64 = 1.0;

/// A body at rest except for a bending wave of this length [m], v = V (0, sin kx, 1 - cos kx): nothing moves at x = 0.
pub(super) fn moving(model: &Model, length: f64) -> State {
    let mut state = model.state_at_rest();
    for (x, v) in state.x.as_chunks::<3>().0.iter().zip(state.v.as_chunks_mut::<3>().0) {
        let (sin, cos) = (TAU * x[0] / length).sin_cos();
        *v = [0.0, SPEED * sin, SPEED * (1.0 - cos)];
    }
    state
}

/// Counts the elements of a body.
pub(super) fn elements(model: &Model) -> usize {
    model.terms().iter().map(|term| term.count()).sum()
}
