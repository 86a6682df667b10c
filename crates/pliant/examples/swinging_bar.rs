//! A bar of rubber, held at one end, swings under its weight: a simulation in ten lines.
//!
//!     cargo run --release --example swinging_bar

use pliant::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = Builder::new([0.0, 0.0, -9.81]);
    let rubber = material("stable-neo-hookean", [("young", 1e6), ("poisson", 0.45)])?;
    let bar = world.solid(&generate("bar", [])?, rubber, 1000.0);
    world.fix(&bar, |x| x[0] < 1e-9);
    let mut simulation = Simulation::new(world.build()?, method("siere")?, &Options::default(), 0.01)?;
    while simulation.time() < 0.5 {
        simulation.step()?;
        println!("{:.2} s  {:8.3} J", simulation.time(), simulation.energies().kinetic);
    }
    assert!(simulation.energies().kinetic > 0.0);
    Ok(())
}
