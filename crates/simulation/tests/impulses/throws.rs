//! Random throws: cloths thrown at each other and at a still ball.

use super::apart::crossing;
use super::{Dice, World, momentum, places};
use collision::{Pose, Shape};
use numerics::mat3::{add, norm, scale, sub, unit};
use simulation::{Cause, Simulation};

const RADIUS: f64 = 0.15;

/// Returns two to four cloths that fly at a ball and at each other.
fn throw(seed: u64, with_ball: bool) -> (World, &'static str, f64) {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    (0..8).for_each(|_| _ = dice.any());
    let mut world = World::new(0.01);
    let (count, mut stiffest) = (2 + (dice.between(0.0, 2.99) as usize), 0.0_f64);
    for k in 0..count {
        // On a circle, far enough from each other.
        let angle = std::f64::consts::TAU * k as f64 / count as f64;
        let middle = add([0.55 * angle.cos(), 0.55 * angle.sin(), 0.0], scale(0.05, dice.vector()));
        let velocity = add(scale(-dice.between(0.5, 15.0), unit(middle)), scale(2.0, dice.vector()));
        let stiffness = 10f64.powf(dice.between(0.0, 2.5));
        stiffest = stiffest.max(stiffness);
        let turn = (dice.vector(), dice.between(0.0, 6.0));
        let first = world.cloth([0.3, stiffness], 5, middle, turn, velocity);
        if dice.any() > 0.6 {
            world.blueprint.fixed.push(first);
        }
    }
    world.collisions.friction = dice.between(0.0, 1.0);
    world.collisions.impulses.as_mut().unwrap().restitution = dice.between(-0.5, 1.0).max(0.0);
    world.gravity(scale(5.0, dice.vector()));
    if with_ball {
        let friction = dice.between(0.0, 1.0);
        world.obstacle(Shape::Ball { radius: RADIUS }, Pose::at([0.0; 3]), friction);
    }
    let method = ["siere", "backward-euler", "linearly-implicit-euler"][(dice.between(0.0, 2.99)) as usize];
    // Beyond this step, of nodes of 1 g, elastic forces change too much within a step (docs/collisions.md).
    (world, method, 10f64.powf(dice.between(-3.0, -2.0)).min((1e-3 / stiffest).sqrt()))
}

/// Fails if anything crosses anything.
fn check(simulation: &Simulation, name: &str) {
    let x = places(simulation);
    if let Some(found) = crossing(simulation.model(), &x) {
        panic!("{name}: after step {}, {found:?} cross", simulation.steps());
    }
    for collider in &simulation.model().collisions().unwrap().colliders {
        for &node in &collider.nodes {
            let distance = norm(sub(x[node as usize], collider.pose.position)) - RADIUS;
            assert!(distance > 0.0, "{name}: node {node} is {distance} m from the ball");
        }
    }
}

/// Returns the number of throws: some, or as many as the environment asks for.
fn throws() -> u64 {
    std::env::var("PLIANT_THROWS").ok().and_then(|count| count.parse().ok()).unwrap_or(60)
}

#[test]
fn thrown_cloth_never_crosses_itself_others_or_a_ball() {
    let (mut contacts, mut zones, mut rounds, mut diverged) = (0, 0, 0, 0);
    for seed in 1..=throws() {
        let (world, method, step) = throw(seed, true);
        let mut simulation = world.build(method, step);
        for k in 0..25 {
            let name = format!("throw {seed}, {method}, {step:.1e} s");
            let report = match simulation.step() {
                Ok(report) => report,
                // Some of these motions are too violent for a method, which is no matter of contact.
                Err(error) if !matches!(error.cause, Cause::Caught { .. } | Cause::TooNear { .. }) => {
                    println!("{name}: {error}");
                    diverged += 1;
                    break;
                }
                Err(error) => panic!("{name}: {error}"),
            };
            let kinetic = simulation.energies().kinetic;
            assert!(report.contact_work <= 1e-12 * kinetic, "{name}: step {k} adds {} J", report.contact_work);
            contacts += u64::from(report.contacts > 0);
            zones += report.contact_zones;
            rounds += report.contact_rounds;
            check(&simulation, &name);
        }
    }
    println!("steps with contacts {contacts}, rounds {rounds}, zones {zones}, diverged {diverged}");
    assert!(diverged <= throws() / 10, "{diverged} of {} throws diverged", throws());
    assert!(contacts > 5 * throws(), "the throws must meet: {contacts}");
}

#[test]
fn linear_momentum_is_kept_by_contacts_among_bodies() {
    let mut met = 0;
    for (seed, name) in (1..8).flat_map(|seed| [(seed, None), (seed, Some("siere"))]) {
        let (mut world, method, _) = throw(seed, false);
        let method = name.unwrap_or(method);
        world.blueprint.fixed.clear();
        world.blueprint.loads.clear();
        let mut simulation = world.build(method, 3e-3);
        let before = momentum(&simulation);
        for _ in 0..25 {
            met += simulation.step().unwrap().contacts;
        }
        let lost = norm(sub(momentum(&simulation), before));
        let scale = 1e-3 * simulation.model().nodes() as f64 * 10.0;
        assert!(lost < 1e-9 * scale, "throw {seed}, {method}: {lost} kg m/s lost");
    }
    assert!(met > 100, "{met} contacts");
}

fn bits(simulation: &Simulation) -> Vec<u64> {
    simulation.state().x.iter().chain(&simulation.state().v).map(|x| x.to_bits()).collect()
}

#[test]
fn throws_have_the_same_bits_on_any_number_of_threads_and_after_a_restart() {
    for seed in [2, 5] {
        let run = |threads: usize, is_split: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (world, method, _) = throw(seed, true);
                let mut simulation = world.build(method, 5e-3);
                for k in 0..20 {
                    if is_split && k == 12 {
                        // Another simulation takes over: only the state and the stepper's memory go on.
                        let (world, _, _) = throw(seed, true);
                        let mut other = world.build(method, 5e-3);
                        let (state, progress) = (simulation.state().clone(), simulation.progress().unwrap().clone());
                        other.resume(state, &simulation.stepper().memory(), progress).unwrap();
                        simulation = other;
                    }
                    simulation.step().unwrap();
                }
                bits(&simulation)
            })
        };
        let one = run(1, false);
        assert!(one == run(3, false), "throw {seed}: other bits on three threads");
        assert!(one == run(2, true), "throw {seed}: other bits after a restart");
    }
}
