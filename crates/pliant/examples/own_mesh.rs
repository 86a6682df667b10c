//! A mesh of your own, from arrays: a pyramid of two tets that falls onto a floor.
//!
//!     cargo run --release --example own_mesh

use pliant::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let points = vec![[0.0, 0.0, 0.2], [1.0, 0.0, 0.2], [1.0, 1.0, 0.2], [0.0, 1.0, 0.2], [0.5, 0.5, 1.2]];
    let mut mesh = Mesh { points, tets: vec![[0, 1, 2, 4], [0, 2, 3, 4]], ..Mesh::default() };
    mesh.orient(); // corners in any order are fine
    mesh.validate()?; // an error names the tet

    let mut world = Builder::new([0.0, 0.0, -9.81]);
    let jelly = material("stable-neo-hookean", [("young", 2e5), ("poisson", 0.4)])?;
    world.solid(&mesh, jelly, 1000.0);
    world.plane([0.0; 3], [0.0, 0.0, 1.0], 1e6);

    let mut simulation = Simulation::new(world.build()?, method("backward-euler")?, &Options::default(), 0.005)?;
    let lowest = |simulation: &Simulation| simulation.positions().iter().fold(f64::INFINITY, |low, x| low.min(x[2]));
    for _ in 0..100 {
        simulation.step()?;
    }
    println!(
        "after {:.2} s its lowest point is {:.1} mm above the floor",
        simulation.time(),
        1e3 * lowest(&simulation)
    );
    assert!(lowest(&simulation).abs() < 0.02, "it lies on the floor");
    Ok(())
}
