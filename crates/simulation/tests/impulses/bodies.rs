//! Stiff bodies that respond as a whole to the impulses of a step.

use super::promises::{settle, stack};
use super::{World, momentum, places};
use collision::{Pose, Shape};
use model::SolidPart;
use model::fibre::{FibreKind, Fibres, Root, Section};
use model::material;
use model::mesh::generate::generate;
use model::script::Motion;
use numerics::mat3::{norm, sub};
use simulation::Simulation;

const METHODS: [&str; 3] = ["linearly-implicit-euler", "backward-euler", "siere"];

fn moving_bodies(mut world: World) -> World {
    world.collisions.impulses.as_mut().unwrap().moves_bodies = true;
    world
}

#[test]
fn a_stack_that_is_stiff_for_its_step_sinks_by_its_weight_alone() {
    let mut all = true;
    for (method, step, beta) in
        [("linearly-implicit-euler", 2e-3, 0.01), ("siere", 2e-3, 0.01), ("backward-euler", 1e-3, 0.01)]
    {
        let (mut world, blocks) = stack();
        // (h^2 + h beta) k / m is 2.6 and 5.8 at a corner, where nodes alone sink by 40 mm and more.
        world.blueprint.damping = [20.0, beta];
        let count = (0.5 / step) as usize;
        let [moved, speed] = settle(moving_bodies(world).build(method, step), blocks[9].clone(), count);
        println!("{method}: moved {moved} m, top at {speed} m/s");
        all &= (0.004..0.009).contains(&moved) && speed < 0.01;
    }
    assert!(all, "the stack should sink by 6 mm");
}

/// Two cubes of 5e4 Pa that fly at each other, turned a little.
fn cubes(gap: f64, speed: f64) -> World {
    let mut world = World::new(4e-3);
    let rubber = material::sample("stable-neo-hookean", 5e4, 0.3).unwrap();
    for side in [-1.0, 1.0] {
        let mut mesh = generate("box", [("size", [0.1; 3].into()), ("cells", [3.0; 3].into())]).unwrap();
        mesh.points.iter_mut().for_each(|p| {
            p[2] += side * (0.05 + 0.5 * gap) - 0.05;
            p[0] += 0.013 * side;
        });
        let before = world.blueprint.mesh.tets.len() as u32;
        world.add(&mesh, [0.0, 0.0, -side * speed]);
        let tets = (before..before + mesh.tets.len() as u32).collect();
        world.blueprint.solids.push(SolidPart::new(tets, rubber.clone(), 500.0));
    }
    world
}

#[test]
fn cubes_that_meet_at_5_ms_gain_no_energy_and_keep_their_momentum() {
    for method in METHODS {
        let mut simulation = moving_bodies(cubes(0.02, 0.5)).build(method, 5e-3);
        let (first, before, mut met) = (simulation.energies().kinetic, momentum(&simulation), 0);
        for k in 0..40 {
            met += simulation.step().unwrap().contacts;
            let energies = simulation.energies();
            let total = energies.kinetic + energies.elastic;
            assert!(total < 1.02 * first, "{method}: {total} J in step {k}, of {first} J");
        }
        assert!(met > 0);
        let lost = norm(sub(momentum(&simulation), before));
        assert!(lost < 1e-6 * 0.5, "{method}: {lost} kg m/s of 0.5 lost");
        // They have bounced.
        let x = places(&simulation);
        assert!(x.iter().all(|p| p[2].is_finite()));
    }
}

/// A bristle along x, clamped, whose tip a ball pushes up by 1 mm.
fn bristle(method: &str, step: f64, moves_bodies: bool) -> (Simulation, f64) {
    let kind = FibreKind {
        length: [0.01; 2],
        segments: [4; 2],
        section: Section::Round,
        diameter: vec![1.2e-4],
        young: 3.2e10,
        shear: 1e9,
        density: 1140.0,
        ring_scale: None,
        curl: None,
        curl_jitter: 0.0,
        direction_jitter: 0.0,
        seed: 1,
    };
    let mut fibres = Fibres::new(&kind, &[Root { point: [0.0; 3], direction: [1.0, 0.0, 0.0] }]);
    let mut world = World::new(2e-4);
    let nodes = fibres.mesh.points.len() as u32;
    world.add(&fibres.mesh.clone(), [0.0; 3]);
    (world.collisions.edges, world.collisions.points) = (vec![], vec![]);
    world.blueprint.energies.extend(fibres.energies(0));
    world.blueprint.node_masses.extend((0..nodes).zip(fibres.masses.clone()));
    world.blueprint.fixed = fibres.mesh.groups["roots"].nodes.clone();
    world.blueprint.stiffness = model::energy::Stiffness::Turned;
    world.blueprint.damping = [20.0, 1e-3];
    let rings: Vec<[u32; 4]> = (0..nodes).collect::<Vec<_>>().as_chunks::<4>().0.to_vec();
    let impulses = world.collisions.impulses.as_mut().unwrap();
    impulses.segments = (0..rings.len() as u32 - 1).map(|k| [k, k + 1]).collect();
    impulses.rings = rings;
    impulses.moves_bodies = moves_bodies;
    let ball = world.obstacle(Shape::Ball { radius: 1e-3 }, Pose::at([0.01, 0.0, -1.2e-3]), 0.0);
    ball.motion = Some(Motion::Keyframes { times: vec![0.0, 0.05], offsets: vec![[0.0; 3], [0.0, 0.0, 1.1e-3]] });
    (world.build(method, step), 0.1)
}

#[test]
fn a_bristle_bends_when_something_pushes_its_tip() {
    // Its tip, and its middle, which follows by 5/16 of the tip as a beam with an end load does; with four segments by a little more.
    let shape = |simulation: &Simulation| {
        let x = places(simulation);
        let ring = |k: usize| {
            let number = |i: usize| simulation.model().number(4 * k + i);
            (0..4).map(|i| 0.25 * x[number(i)][2]).sum::<f64>()
        };
        [ring(4), ring(2)]
    };
    for method in ["linearly-implicit-euler", "backward-euler"] {
        let (mut simulation, _) = bristle(method, 2.5e-3, true);
        (0..40).for_each(|_| _ = simulation.step().unwrap());
        let [tip, middle] = shape(&simulation);
        println!("{method}: tip {tip} m, middle {middle} m");
        assert!((9e-4..1.15e-3).contains(&tip), "{method}: the tip is at {tip} m");
        assert!((0.29..0.36).contains(&(middle / tip)), "{method}: the middle is at {middle} m, the tip at {tip} m");
    }
}

#[test]
fn bodies_respond_with_the_same_bits_on_any_number_of_threads_and_after_a_restart() {
    for method in METHODS {
        let run = |threads: usize, is_split: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut simulation = moving_bodies(cubes(5e-3, 0.5)).build(method, 5e-3);
                for k in 0..12 {
                    if is_split && k == 7 {
                        let mut other = moving_bodies(cubes(5e-3, 0.5)).build(method, 5e-3);
                        let (state, progress) = (simulation.state().clone(), simulation.progress().unwrap().clone());
                        other.resume(state, &simulation.stepper().memory(), progress).unwrap();
                        simulation = other;
                    }
                    simulation.step().unwrap();
                }
                assert!(simulation.report().contacts > 0);
                simulation.state().x.iter().chain(&simulation.state().v).map(|x| x.to_bits()).collect::<Vec<u64>>()
            })
        };
        let one = run(1, false);
        assert!(one == run(2, false), "{method}: other bits on two threads");
        assert!(one == run(1, true), "{method}: other bits after a restart");
    }
}
