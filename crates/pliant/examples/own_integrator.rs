//! A time integrator of your own: velocity Verlet in thirty lines, beside pliant's.
//!
//!     cargo run --release --example own_integrator

use pliant::prelude::*;

/// v += h/2 a, x += h v, v += h/2 a: second order, symplectic, explicit.
struct VelocityVerlet {
    force: Vec<f64>,
}

impl VelocityVerlet {
    /// Adds half a step of acceleration to the velocities of free nodes.
    fn kick(&mut self, model: &Model, state: &mut State, h: f64) {
        model.force(state.t, &state.x, &state.v, &mut self.force);
        for (node, mass) in model.node_mass().iter().enumerate().take(model.free_nodes()) {
            for i in 3 * node..3 * node + 3 {
                state.v[i] += 0.5 * h * self.force[i] / mass;
            }
        }
    }
}

impl Stepper for VelocityVerlet {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        self.kick(model, state, h);
        (0..model.dofs()).for_each(|i| state.x[i] += h * state.v[i]);
        state.t += h;
        self.kick(model, state, h);
        Ok(StepReport { forces: 2, ..StepReport::default() })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = Builder::new([0.0, 0.0, -9.81]);
    let rubber = material("stable-neo-hookean", [("young", 1e5), ("poisson", 0.4)])?;
    let bar = world.solid(&generate("bar", [])?, rubber, 1000.0);
    world.fix(&bar, |x| x[0] < 1e-9);
    let model = world.build()?;
    // Explicit steps must be shorter than the fastest vibration; ask how short.
    let stable = stable_step(method("symplectic-euler")?, &model, model.rest()).ok_or("nothing moves")?;
    let h = 0.5 * stable;
    let mut known = Simulation::new(model.clone(), method("rk4")?, &Options::default(), h)?;
    let mut own = Simulation::new(model.clone(), method("rk4")?, &Options::default(), h)?;
    own.set_stepper(Box::new(VelocityVerlet { force: vec![0.0; model.dofs()] }));
    for _ in 0..200 {
        known.step()?;
        own.step()?;
    }
    let farthest = known
        .positions()
        .iter()
        .zip(own.positions())
        .fold(0.0, |far: f64, (a, b)| far.max((0..3).map(|c| (a[c] - b[c]).powi(2)).sum::<f64>().sqrt()));
    println!("after {:.4} s it is {farthest:.1e} m from the method of fourth order", own.time());
    assert!(farthest < 1e-4);
    Ok(())
}
