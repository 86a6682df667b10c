//! A force and an observer of your own: a bar in the wind, its tip recorded.
//!
//!     cargo run --release --example own_force_and_observer

use pliant::prelude::*;

/// Height of one node at every step [m].
struct Tip {
    node: usize,
    heights: Vec<f64>,
}

impl Observer for Tip {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        self.heights.push(moment.position(self.node)[2]);
        Ok(()) // an error would end the run
    }
}

fn main() -> Result<(), ObserverError> {
    let mesh = generate("bar", [])?;
    let node = mesh.groups["x+"].nodes[0] as usize;
    let mut world = Builder::new([0.0; 3]);
    let bar = world.solid(&mesh, material("stable-neo-hookean", [("young", 1e6), ("poisson", 0.45)])?, 1000.0);
    world.fix(&bar, |x| x[0] < 1e-9);
    let mut simulation = Simulation::new(world.build()?, method("implicit-midpoint")?, &Options::default(), 0.01)?;

    let mut tip = Tip { node, heights: Vec::new() };
    while simulation.time() < 1.0 {
        // A drag against air that moves upwards; forces are numbered as the mesh and held during a step.
        let velocities = simulation.velocities();
        for (force, v) in simulation.forces_mut().iter_mut().zip(&velocities) {
            *force = [0.0, 0.0, 0.02 * (5.0 - v[2])];
        }
        let next = simulation.time() + 0.01;
        simulation.run(&mut tip, next)?;
    }
    let highest = tip.heights.iter().fold(f64::NEG_INFINITY, |high, z| high.max(*z));
    println!("the wind lifts the tip from {:.4} to {highest:.4} m", tip.heights[0]);
    assert!(highest > tip.heights[0] + 1e-4);
    Ok(())
}
