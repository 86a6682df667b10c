//! Impacts and friction against closed forms.

use super::{World, mean_velocity, places};
use collision::{Pose, Shape};
use model::mesh::Mesh;
use model::mesh::generate::generate;
use model::{SolidPart, material};
use numerics::mat3::scale;

const G: f64 = 10.0;

fn particle(x: [f64; 3]) -> Mesh {
    Mesh { points: vec![x], ..Mesh::default() }
}

#[test]
fn a_particle_bounces_off_a_plane_as_newton_and_coulomb_say() {
    for (restitution, friction) in [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.5, 0.2), (0.0, 10.0)] {
        let mut world = World::new(0.01);
        let first = world.add(&particle([0.0, 0.0, 0.105]), [3.0, 0.0, -2.0]);
        world.blueprint.node_masses.push((first, 0.5));
        let ground = world.obstacle(Shape::HalfSpace, Pose::default(), friction);
        ground.restitution = restitution;
        let mut simulation = world.build("backward-euler", 0.01);
        (0..10).for_each(|_| _ = simulation.step().unwrap());
        let [x, _, z] = mean_velocity(&simulation, first..first + 1);
        let along = (3.0 - friction * (1.0 + restitution) * 2.0_f64).max(0.0);
        assert!((z - 2.0 * restitution).abs() < 1e-12, "{restitution}: {z}");
        assert!((x - along).abs() < 1e-12, "{restitution} {friction}: {x} is not {along}");
    }
}

#[test]
fn two_sheets_collide_head_on_as_two_masses() {
    for (restitution, heavier) in [(0.0, 1.0), (1.0, 1.0), (0.5, 3.0)] {
        let mut world = World::new(0.01);
        let still = (([0.0, 0.0, 1.0]), 0.0);
        let a = world.cloth([0.2, 1.0], 2, [0.0, 0.0, 0.1], still, [0.0, 0.0, -1.0]);
        let b = world.cloth([0.2, 1.0], 2, [0.0, 0.0, -0.1], still, [0.0, 0.0, 1.0]);
        for (node, mass) in &mut world.blueprint.node_masses {
            *mass *= if *node >= b { heavier } else { 1.0 };
        }
        world.collisions.impulses.as_mut().unwrap().restitution = restitution;
        let mut simulation = world.build("backward-euler", 5e-3);
        (0..40).for_each(|_| _ = simulation.step().unwrap());
        let [above, below] = [a..b, b..2 * b].map(|nodes| mean_velocity(&simulation, nodes)[2]);
        let common = (heavier - 1.0) / (heavier + 1.0);
        let apart = 2.0 * restitution / (1.0 + heavier);
        let expected = [common + heavier * apart, common - apart];
        assert!(
            (above - expected[0]).abs() < 1e-6 && (below - expected[1]).abs() < 1e-6,
            "{above} {below} {expected:?}"
        );
    }
}

/// A block of rubber on a slope that is turned instead of gravity.
fn on_a_slope(angle: f64, friction: f64) -> (simulation::Simulation, u32) {
    let (size, cells) = ([0.2, 0.2, 0.1], [2.0, 2.0, 1.0]);
    let mut mesh = generate("box", [("size", size.into()), ("cells", cells.into())]).unwrap();
    let low = mesh.points.iter().map(|p| p[2]).fold(f64::INFINITY, f64::min);
    mesh.points.iter_mut().for_each(|p| p[2] += 0.005 - low);
    let mut world = World::new(0.01);
    world.add(&mesh, [0.0; 3]);
    let tets = (0..mesh.tets.len() as u32).collect();
    let rubber = material::sample("stable-neo-hookean", 1e6, 0.3).unwrap();
    world.blueprint.solids.push(SolidPart::new(tets, rubber, 1000.0));
    world.gravity([G * angle.sin(), 0.0, -G * angle.cos()]);
    world.obstacle(Shape::HalfSpace, Pose::default(), friction);
    (world.build("backward-euler", 2e-3), mesh.points.len() as u32)
}

#[test]
fn a_block_on_a_slope_slides_as_coulomb_says() {
    let (angle, friction) = (0.6_f64, 0.4);
    let (mut simulation, nodes) = on_a_slope(angle, friction);
    (0..100).for_each(|_| _ = simulation.step().unwrap());
    let early = mean_velocity(&simulation, 0..nodes)[0];
    (0..150).for_each(|_| _ = simulation.step().unwrap());
    let acceleration = (mean_velocity(&simulation, 0..nodes)[0] - early) / 0.3;
    let expected = G * (angle.sin() - friction * angle.cos());
    assert!((acceleration / expected - 1.0).abs() < 0.01, "{acceleration} is not {expected} m/s^2");
}

#[test]
fn a_block_on_a_gentle_slope_stays() {
    let (mut simulation, _) = on_a_slope(0.3, 0.4);
    // It settles for half a second; the rest is creep.
    (0..250).for_each(|_| _ = simulation.step().unwrap());
    let before = places(&simulation);
    (0..500).for_each(|_| _ = simulation.step().unwrap());
    let after = places(&simulation);
    let moved = before.iter().zip(&after).map(|(a, b)| (a[0] - b[0]).abs()).fold(0.0, f64::max);
    assert!(scale(5.0, [moved, 0.0, 0.0])[0] < 1e-3, "creeps {moved} m in 1 s");
}

#[test]
fn siere_keeps_its_modes_through_contact() {
    let solves = |is_thrown: bool| {
        let mut world = World::new(0.01);
        let down = [0.0, 0.0, if is_thrown { -3.0 } else { 0.0 }];
        world.cloth([0.4, 50.0], 8, [0.0, 0.0, 0.27], ([0.0, 0.0, 1.0], 0.0), down);
        world.obstacle(Shape::Ball { radius: 0.2 }, Pose::default(), 0.3);
        let mut simulation = world.build("siere", 5e-3);
        (0..40).for_each(|_| _ = simulation.step().unwrap());
        let report = simulation.report();
        assert_eq!(report.contacts > 0, is_thrown);
        report.linear.solves
    };
    let [free, thrown] = [false, true].map(solves);
    println!("solves: {free} free, {thrown} in contact");
    // A search from nothing in each step in contact takes forty times as many.
    assert!(thrown < 4 * free, "{thrown} solves in contact, {free} without");
}
