//! A bar whose parts may have another material and take small steps.

use super::{cuboid, group, solid};
use integrators::Stepper;
use model::material::sample;
use model::{Blueprint, Model, Region, SolidPart, State};

/// A part of a bar along x: beginning and end [m], modulus [Pa] and density [kg/m^3].
pub type Stuff = (f64, f64, f64, f64);
/// A part of a bar along x: beginning and end [m], and small steps per large step.
pub type Span = (f64, f64, usize);

/// Cells of a short bar.
pub const SHORT: [usize; 3] = [8, 2, 2];
/// Last three layers of nodes of a short bar [m].
pub const TIP: (f64, f64) = (0.6, 0.8);

/// Two regions of a short bar that do not touch.
pub const TWO: [Span; 2] = [(TIP.0, TIP.1, 5), (0.1, 0.3, 3)];

/// A bar of cells of 0.1 m held at x-, of 1e5 Pa and 1000 kg/m^3, except some parts.
pub fn bar(cells: [usize; 3], material: &str, parts: &[Stuff]) -> Blueprint {
    let mut blueprint = solid(cuboid(cells.map(|c| 0.1 * c as f64), cells), material, 1e5, 0.3, 1000.0);
    let mesh = &blueprint.mesh;
    let middle = |e: u32| mesh.tets[e as usize].iter().map(|&i| mesh.points[i as usize][0]).sum::<f64>() / 4.0;
    for &(low, high, young, density) in parts {
        let tets = std::mem::take(&mut blueprint.solids[0].tets);
        let (inside, rest) = tets.into_iter().partition(|&e| (low..high).contains(&middle(e)));
        blueprint.solids[0].tets = rest;
        let material = sample(material, young, 0.3).unwrap();
        blueprint.solids.push(SolidPart::new(inside, material, density));
    }
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint
}

/// Nodes between two planes across x.
pub fn between(blueprint: &Blueprint, low: f64, high: f64) -> Vec<u32> {
    let points = blueprint.mesh.points.iter();
    let inside = points.enumerate().filter(|(_, p)| (low - 1e-9..high + 1e-9).contains(&p[0]));
    inside.map(|(i, _)| i as u32).collect()
}

/// The same with these regions and no others.
pub fn with(mut blueprint: Blueprint, regions: &[Span]) -> Blueprint {
    let region = |&(low, high, ratio): &Span| Region { nodes: between(&blueprint, low, high), ratio };
    blueprint.regions = regions.iter().map(region).collect();
    blueprint
}

/// A bent, moving state.
pub fn thrown(model: &Model) -> State {
    let mut state = model.state_at_rest();
    for i in 0..model.free_nodes() {
        let x = state.x[3 * i];
        state.x[3 * i + 2] += 0.05 * x * x;
        state.v[3 * i..3 * i + 3].copy_from_slice(&[0.2 * x, (9.0 * x).sin(), 0.5 - x]);
    }
    state
}

/// Returns the state after some steps of h [s].
pub fn steps(stepper: &mut dyn Stepper, model: &Model, state: &State, h: f64, count: usize) -> State {
    let mut state = state.clone();
    (0..count).for_each(|_| _ = stepper.step(model, &mut state, h).unwrap());
    state
}

/// Returns the largest difference of positions relative to the motion since `start`, or of velocities if larger.
pub fn apart(a: &State, b: &State, start: &State) -> f64 {
    let most = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    (most(&a.x, &b.x) / most(&a.x, &start.x)).max(most(&a.v, &b.v) / most(&a.v, &start.v))
}

/// Fails unless four steps of h [s] are bit-for-bit identical for any number of threads, and with a new stepper from
/// the second on.
pub fn assert_same_bits(make: impl Fn() -> Box<dyn Stepper> + Sync, model: &Model, h: f64) {
    let start = thrown(model);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| steps(&mut *make(), model, &start, h, 4))
    };
    let one = on(1);
    assert!([2, 3, 8].map(on).iter().all(|many| *many == one), "other bits on other threads");
    let [mut first, mut second] = [make(), make()];
    let half = steps(&mut *first, model, &start, h, 2);
    assert!(second.recall(&first.memory()));
    assert!(steps(&mut *second, model, &half, h, 2) == one, "other bits after a restart");
}
