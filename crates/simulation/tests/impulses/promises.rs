//! Hard cases of the promise: three turns of a strip, needles, threads at 50 m/s, a ball through a sheet; and stacks.

use super::apart::crossing;
use super::{Dice, World, mean_velocity, places};
use collision::{Pose, Shape};
use model::mesh::Mesh;
use model::mesh::generate::generate;
use model::script::Motion;
use model::{SolidPart, material};
use numerics::mat3::{Vec3, add, dot, norm, scale, sub, unit};
use simulation::Simulation;

/// Takes steps, after each of which nothing may cross; returns the number of steps with contacts, and of zones.
pub fn steps(simulation: &mut Simulation, count: usize, name: &str) -> [u64; 2] {
    let mut met = [0; 2];
    for _ in 0..count {
        let report = simulation.step().unwrap_or_else(|error| panic!("{name}: {error}"));
        met = [met[0] + u64::from(report.contacts > 0), met[1] + report.contact_zones];
        if let Some(found) = crossing(simulation.model(), &places(simulation)) {
            panic!("{name}: after step {}, {found:?} cross", simulation.steps());
        }
    }
    met
}

/// Nodes of a world at the lowest or highest x.
fn side(world: &World, is_low: bool) -> Vec<u32> {
    let x: Vec<f64> = world.blueprint.mesh.points.iter().map(|p| p[0]).collect();
    let end = x.iter().fold(if is_low { f64::INFINITY } else { f64::NEG_INFINITY }, |m, x| {
        if is_low { m.min(*x) } else { m.max(*x) }
    });
    (0..x.len() as u32).filter(|&i| (x[i as usize] - end).abs() < 1e-9).collect()
}

#[test]
fn a_strip_that_is_twisted_by_three_turns_never_crosses_itself() {
    let mut world = World::new(0.01);
    world.cloth([0.6, 50.0], 12, [0.0; 3], ([0.0, 0.0, 1.0], 0.0), [0.0; 3]);
    for (is_low, rate) in [(true, -1.0), (false, 1.0)] {
        let nodes = side(&world, is_low);
        let (center, axis) = ([0.0; 3], [1.0, 0.0, 0.0]);
        let turn = Motion::Rotation { center, axis, rate: rate * 6.0 * std::f64::consts::PI, start: 0.0, end: 0.5 };
        world.blueprint.scripts.push((nodes, turn));
    }
    world.blueprint.damping = [2.0, 1e-3];
    let mut simulation = world.build("linearly-implicit-euler", 4e-3);
    let [met, zones] = steps(&mut simulation, 130, "twisted strip");
    println!("twisted strip: {met} steps with contacts, {zones} zones");
    assert!(met > 50);
}

#[test]
fn needles_do_not_pierce_a_sheet() {
    for speed in [5.0, 50.0] {
        let mut dice = Dice(7);
        let mut world = World::new(5e-3);
        world.cloth([0.4, 200.0], 6, [0.0; 3], ([0.0, 0.0, 1.0], 0.0), [0.0; 3]);
        world.blueprint.fixed = [side(&world, true), side(&world, false)].concat();
        for _ in 0..6 {
            let at = [0.12 * dice.any(), 0.12 * dice.any(), 0.05];
            let tip = add(at, scale(0.1, unit([0.3 * dice.any(), 0.3 * dice.any(), 1.0])));
            let mesh = Mesh { points: vec![at, tip], edges: vec![[0, 1]], ..Mesh::default() };
            let first = world.add(&mesh, [0.0, 0.0, -speed]);
            world.blueprint.node_masses.extend([(first, 2e-4), (first + 1, 2e-4)]);
            let pairs = vec![[first, first + 1]];
            let law = model::energy::spring::Law::Linear;
            world.blueprint.springs.push(model::SpringPart { pairs, law, stiffness: 1e3 });
        }
        let mut simulation = world.build("linearly-implicit-euler", 1e-3);
        let [met, zones] = steps(&mut simulation, 60, "needles");
        println!("needles at {speed} m/s: {met} steps with contacts, {zones} zones");
        assert!(met > 5);
    }
}

#[test]
fn threads_that_cross_at_50_metres_per_second_do_not_pass_through_each_other() {
    let mut world = World::new(2e-3);
    let thread = |along: Vec3, middle: Vec3| {
        let points = (0..9).map(|k| add(middle, scale(0.02 * f64::from(k - 4), along))).collect();
        Mesh { points, edges: (0..8).map(|k| [k, k + 1]).collect(), ..Mesh::default() }
    };
    let up = add([0.0, 0.0, 0.06], [0.003, 0.004, 0.0]);
    for (along, middle, way) in [([1.0, 0.0, 0.0], up, -50.0), ([0.0, 1.0, 0.0], [0.0, 0.0, -0.06], 50.0)] {
        let mesh = thread(along, middle);
        let first = world.add(&mesh, [0.0, 0.0, way]);
        world.blueprint.node_masses.extend((first..first + 9).map(|i| (i, 1e-4)));
        let pairs = mesh.edges.iter().map(|e| e.map(|i| i + first)).collect();
        let law = model::energy::spring::Law::Linear;
        world.blueprint.springs.push(model::SpringPart { pairs, law, stiffness: 1e4 });
    }
    let mut simulation = world.build("linearly-implicit-euler", 1e-3);
    // The side of the one middle segment against the other: the sign of their volume must not change while both are there.
    let mut met = 0;
    for _ in 0..12 {
        met += simulation.step().unwrap().contacts;
        let at = |i: usize| {
            let k = 3 * simulation.model().number(i);
            std::array::from_fn::<f64, 3, _>(|c| simulation.state().x[k + c])
        };
        let over = dot(sub(at(4), at(13)), [0.0, 0.0, 1.0]);
        assert!(over > 0.0, "the threads have changed sides: {over} m");
    }
    assert!(met > 0);
}

#[test]
fn a_fast_ball_does_not_pass_through_a_sheet() {
    let mut world = World::new(0.01);
    world.cloth([0.6, 2e3], 8, [0.0; 3], ([0.0, 0.0, 1.0], 0.0), [0.0; 3]);
    world.blueprint.fixed = [side(&world, true), side(&world, false)].concat();
    let mut ball = generate("ball", [("radius", 0.1.into()), ("resolution", 3.0.into())]).unwrap();
    let middle = scale(1.0 / ball.points.len() as f64, ball.points.iter().fold([0.0; 3], |sum, p| add(sum, *p)));
    ball.points.iter_mut().for_each(|p| *p = add(sub(*p, middle), [0.01, 0.02, 0.2]));
    let before = world.blueprint.mesh.tets.len() as u32;
    world.add(&ball, [0.0, 0.0, -30.0]);
    let rubber = material::sample("stable-neo-hookean", 1e5, 0.4).unwrap();
    let tets = (before..before + ball.tets.len() as u32).collect();
    world.blueprint.solids.push(SolidPart::new(tets, rubber, 100.0));
    let mut simulation = world.build("linearly-implicit-euler", 1e-3);
    let [met, zones] = steps(&mut simulation, 60, "ball and sheet");
    println!("ball through a sheet: {met} steps with contacts, {zones} zones");
    assert!(met > 10);
}

/// Returns a stack of ten blocks of 0.1 x 0.1 x 0.05 m, of 1e5 Pa and 500 kg/m^3, and the nodes of each.
pub fn stack() -> (World, Vec<std::ops::Range<u32>>) {
    let mut world = World::new(4e-3);
    let rubber = material::sample("stable-neo-hookean", 1e5, 0.3).unwrap();
    let mut blocks = Vec::new();
    for k in 0..10 {
        let mut mesh = generate("box", [("size", [0.1, 0.1, 0.05].into()), ("cells", [1.0, 1.0, 1.0].into())]).unwrap();
        mesh.points.iter_mut().for_each(|p| p[2] += 0.002 + 0.054 * f64::from(k));
        let before = world.blueprint.mesh.tets.len() as u32;
        let first = world.add(&mesh, [0.0; 3]);
        blocks.push(first..first + mesh.points.len() as u32);
        let tets = (before..before + mesh.tets.len() as u32).collect();
        world.blueprint.solids.push(SolidPart::new(tets, rubber.clone(), 500.0));
    }
    world.collisions.friction = 0.5;
    world.gravity([0.0, 0.0, -10.0]);
    world.obstacle(Shape::HalfSpace, Pose::default(), 0.5);
    (world, blocks)
}

/// Takes steps of a stack; returns the largest displacement [m] and the speed of the top block [m/s].
pub fn settle(mut simulation: Simulation, top: std::ops::Range<u32>, count: usize) -> [f64; 2] {
    let before = places(&simulation);
    steps(&mut simulation, count, "stack");
    let moved = before.iter().zip(places(&simulation)).map(|(a, b)| norm(sub(*a, b))).fold(0.0, f64::max);
    [moved, norm(mean_velocity(&simulation, top))]
}

#[test]
fn a_stack_of_ten_blocks_stands() {
    let (mut world, blocks) = stack();
    // At a corner (h^2 + h beta) k / m is 0.5: nodes alone are right below 1 (docs/collisions.md).
    world.blueprint.damping = [20.0, 1e-3];
    let [moved, speed] = settle(world.build("backward-euler", 1e-3), blocks[9].clone(), 500);
    println!("stack: moved {moved} m, top at {speed} m/s");
    // Its own weight presses it together by 6 mm.
    assert!(moved < 0.02 && speed < 0.01, "moved {moved} m, the top block at {speed} m/s");
}

#[test]
fn a_cloth_hangs_over_the_edge_of_a_box_as_friction_allows() {
    // A third hangs over the edge: friction on the rest holds it if it is above a half, and not at a tenth.
    let slides = |friction: f64| {
        let mut world = World::new(0.01);
        world.cloth([0.45, 30.0], 9, [0.075, 0.0, 0.006], ([0.0, 0.0, 1.0], 0.0), [0.0; 3]);
        world.gravity([0.0, 0.0, -10.0]);
        world.blueprint.damping = [3.0, 2e-3];
        let half = [0.5, 0.5, 0.5];
        world.obstacle(Shape::Box { half }, Pose::at([-0.35, 0.0, -0.5]), friction);
        let mut simulation = world.build("backward-euler", 5e-3);
        steps(&mut simulation, 160, "cloth over an edge");
        let x = places(&simulation);
        // The far side of the cloth on the box.
        x.iter().map(|p| p[0]).fold(f64::INFINITY, f64::min)
    };
    let (held, free) = (slides(1.0), slides(0.05));
    println!("over the edge: {held} held, {free} free");
    assert!(held < -0.14 && free > -0.12, "{held} {free}");
}
