//! Random small scenes: whatever the body, its stiffness, the step and the number of modes, a step ends with finite
//! numbers or with an error.

use super::*;
use model::energy::Stiffness;
use model::energy::contact::Obstacle;
use model::material::MATERIALS;

/// Reproducible random numbers (splitmix64).
struct Chance(u64);

impl Chance {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
    /// Returns a number with a uniform exponent.
    fn power(&mut self, low: f64, high: f64) -> f64 {
        10_f64.powf(self.between(low, high))
    }
    fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }
    fn is(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
}

/// Returns the scene of this number, its step [s] and the options.
fn scene(number: u64) -> (Model, State, f64, Options) {
    let mut chance = Chance(number.wrapping_mul(0x1234_5678_9abc_def1));
    let cells: [usize; 3] = std::array::from_fn(|_| 1 + chance.below(4));
    let size = chance.power(-2.0, 0.0);
    let sizes = cells.map(|n| size * n as f64 / 3.0);
    let material = MATERIALS[chance.below(MATERIALS.len())].name;
    let (young, poisson) = (chance.power(3.0, 11.0), chance.between(0.0, 0.48));
    let mut blueprint = solid(cuboid(sizes, cells), material, young, poisson, chance.power(1.5, 4.0));
    if chance.is(0.3) {
        blueprint.fixed = group(&blueprint.mesh, "x-");
    }
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    if chance.is(0.7) {
        let nodes = (0..blueprint.mesh.points.len() as u32).collect();
        let point = [0.0, 0.0, size * chance.between(-0.5, 0.1)];
        blueprint.contacts = vec![(Obstacle::Plane { point, normal: [0.0, 0.0, 1.0] }, nodes, chance.power(1.0, 8.0))];
    }
    if chance.is(0.4) {
        blueprint.damping = [chance.power(-2.0, 1.0), chance.power(-6.0, -2.0)];
        blueprint.damp_at_rest = chance.is(0.5);
    }
    blueprint.consistent_mass = chance.is(0.3);
    blueprint.stiffness = if chance.is(0.3) { Stiffness::Projected } else { Stiffness::Exact };
    let model = blueprint.build().unwrap();
    let mut start = model.state_at_rest();
    let (twist, speed) = (chance.between(0.0, 2.0) / size, chance.power(-3.0, 1.0));
    let is_twisted = chance.is(0.4);
    for (x, v) in start.x.chunks_mut(3).zip(start.v.chunks_mut(3)).take(model.free_nodes()) {
        if is_twisted {
            let (s, c) = (twist * x[0]).sin_cos();
            (x[1], x[2]) = (c * x[1] - s * x[2], s * x[1] + c * x[2]);
        }
        v.copy_from_slice(&[0, 1, 2].map(|_| speed * chance.between(-1.0, 1.0)));
    }
    let modes = if chance.is(0.2) { Modes::Auto } else { Modes::Count(1 + chance.below(20)) };
    let solver = [SolverKind::Auto, SolverKind::Direct, SolverKind::Stale][chance.below(3)];
    let options = Options::default().with(&parameters::MODES, modes).with(&parameters::SOLVER, solver);
    (model, start, chance.power(-4.0, -0.3), options)
}

/// Steps through a scene; returns the number of steps done.
fn survive(number: u64) -> usize {
    let (model, mut state, h, options) = scene(number);
    let mut stepper = make(method("siere"), &model, &options);
    for step in 0..8 {
        let before = state.clone();
        match stepper.step(&model, &mut state, h) {
            Ok(_) => assert!(state.x.iter().chain(&state.v).all(|x| x.is_finite()), "scene {number}: not finite"),
            Err(_) => {
                assert!(state == before, "scene {number}: a step that failed changed the state");
                return step;
            }
        }
    }
    8
}

#[test]
fn no_scene_makes_it_panic() {
    // More of them by hand: SIERE_SEARCH=3000.
    let from: u64 = std::env::var("SIERE_SEARCH").ok().and_then(|count| count.parse().ok()).unwrap_or(60);
    let failed: Vec<u64> = (0..from).filter(|number| std::panic::catch_unwind(|| survive(*number)).is_err()).collect();
    assert!(failed.is_empty(), "{} of {from} scenes panic: {failed:?}", failed.len());
    let all: Vec<usize> = (0..from.min(60)).map(survive).collect();
    let done = all.iter().filter(|steps| **steps == 8).count();
    println!("{done} of {} scenes ran to the end: {all:?}", all.len());
    assert!(3 * done > all.len(), "most scenes end with an error: {all:?}");
}

/// Bodies so stiff that random directions are rigid motions after a solve: all modes are found nevertheless.
#[test]
fn stiff_free_bodies_have_as_many_modes_as_are_wanted() {
    for (young, h, modes) in [(2e11, 0.01, 10), (1e9, 0.1, 20)] {
        let mut blueprint = solid(cuboid([0.1, 0.1, 0.1], [3, 3, 3]), "stable-neo-hookean", young, 0.3, 7800.0);
        blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
        let model = blueprint.build().unwrap();
        let mut state = model.state_at_rest();
        let mut stepper = make(method("siere"), &model, &with_modes(modes));
        for step in 0..4 {
            let report = stepper.step(&model, &mut state, h).unwrap();
            assert_eq!(report.modes, modes as u64, "{young:e} Pa, {h} s, step {step}");
        }
        let expected = -9.81 * (4.0 * h) * (4.0 * h) / 2.0;
        let fall = state.x[2] - model.rest()[2];
        assert!((fall / expected - 1.0).abs() < 1e-6, "{young:e} Pa, {h} s: falls {fall} m, not {expected}");
    }
}
