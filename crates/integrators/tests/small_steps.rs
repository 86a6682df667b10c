//! Small steps against closed forms of a hanging chain, and on constraints that cannot be met.

mod problems;

use integrators::{Options, Sweep, parameters};
use model::energy::Order;
use model::energy::contact::Obstacle;
use model::energy::spring::Law;
use model::material::{Defined, MATERIALS};
use model::mesh::Mesh;
use model::parameter::{Kind, Range};
use model::{Blueprint, Model, SpringPart, State};
use problems::*;

const G: f64 = 10.0;
const FRAME: f64 = 1.0 / 60.0;

/// Twenty particles of 1 kg, 1 cm apart, the top one fixed, hanging straight down; the last has another mass. Stiff
/// enough that the elongation of the springs, 1900 N m / k in all, is negligible beside the errors tested.
fn chain_of_20(bottom: f64) -> Model {
    let points = (0..20).map(|i| [0.0, 0.0, -0.01 * f64::from(i)]).collect();
    let pairs: Vec<[u32; 2]> = (0..19).map(|i| [i, i + 1]).collect();
    let mesh = Mesh { points, edges: pairs.clone(), ..Mesh::default() };
    let springs = vec![SpringPart { pairs, law: Law::Linear, stiffness: 1e16 }];
    let node_masses = (0..20).map(|i| (i, if i == 19 { bottom } else { 1.0 })).collect();
    let loads = vec![gravity(&mesh, [0.0, 0.0, -G])];
    Blueprint { mesh, springs, node_masses, loads, fixed: vec![0], ..Blueprint::default() }.build().unwrap()
}

/// Returns the sag of the chain's bottom after some frames, largest and final [m], and the force at the top [N].
fn hang(options: &Options, bottom: f64, frames: usize) -> (f64, f64, f64) {
    let model = chain_of_20(bottom);
    let mut stepper = make(method("small-steps"), &model, options);
    let mut state = model.state_at_rest();
    let at = 3 * model.number(19) + 2;
    let (mut most, mut error) = (0.0_f64, 0.0);
    for _ in 0..frames {
        stepper.step(&model, &mut state, FRAME).unwrap();
        error = -0.19 - state.x[at];
        most = most.max(error);
    }
    let top = 3 * model.number(0) + 2;
    (most, error, -stepper.constraint_forces().unwrap()[top])
}

fn chosen(order: Order, substeps: usize, passes: usize) -> Options {
    Options::default()
        .with(&parameters::ORDER, order)
        .with(&parameters::SUBSTEPS, substeps)
        .with(&parameters::PASSES, passes)
}

#[test]
fn a_chain_hangs_as_closed_forms_say() {
    let jacobi =
        chosen(Order::Coloured, 10, 1).with(&parameters::RELAXATION, Sweep::Jacobi).with(&parameters::WEIGHT, 0.5);
    for (options, expected) in
        [(chosen(Order::Forward, 10, 1), 171.0), (chosen(Order::Backward, 10, 1), 189.0), (jacobi, 721.0)]
    {
        // Jacobi oscillates longest.
        let (_, error, force) = hang(&options, 1.0, 4000);
        let found = error / (G * (FRAME / 10.0).powi(2));
        println!(
            "{:?} {:?}: {found:.6} g dt^2, {force:.6} N",
            options.get(&parameters::RELAXATION),
            options.get(&parameters::ORDER)
        );
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} is not {expected}");
        assert!((force - 190.0).abs() < 5e-5, "{force} N at the top");
    }
}

/// n; error of n passes, of n substeps [m], computed by a short program that projects points on a line.
const TABLE: [(usize, f64, f64); 6] = [
    (2, 2.3701655e-01, 1.1880197e-01),
    (5, 9.3888889e-02, 1.9e-2),
    (10, 4.6249948e-02, 4.75e-3),
    (20, 2.2429385e-02, 1.1875e-3),
    (50, 8.1292716e-03, 1.9e-4),
    (100, 3.3878691e-03, 4.75e-5),
];

#[test]
fn substeps_shorten_the_chain_with_their_square_and_passes_do_not() {
    for (n, of_passes, of_substeps) in TABLE {
        let tolerance = 1e-6;
        let (_, passes, _) = hang(&chosen(Order::Forward, 1, n), 1.0, 1000);
        let (_, substeps, force) = hang(&chosen(Order::Forward, n, 1), 1.0, 1000);
        println!("{n:3}: {passes:.9e} {substeps:.6e} {force:.4}");
        assert!((passes / of_passes - 1.0).abs() < tolerance, "{n} passes: {passes} is not {of_passes}");
        assert!((substeps / of_substeps - 1.0).abs() < tolerance, "{n} substeps: {substeps} is not {of_substeps}");
        assert!((force - 190.0).abs() < if n == 2 { 0.2 } else { 5e-5 }, "{n} substeps: {force} N");
    }
    // One of each still oscillates after 1000 frames.
    let (_, error, force) = hang(&chosen(Order::Forward, 1, 1), 1.0, 1000);
    assert!((error - 0.466).abs() < 5e-4 && (force - 187.24).abs() < 5e-3, "{error} m, {force} N");
}

#[test]
fn a_heavy_end_stretches_passes_a_hundred_times_as_far_as_substeps() {
    for relaxation in [Sweep::GaussSeidel, Sweep::JacobiAveraged, Sweep::Jacobi] {
        let with =
            |substeps, passes| chosen(Order::Forward, substeps, passes).with(&parameters::RELAXATION, relaxation);
        let [(passes, ..), (substeps, ..)] = [with(1, 100), with(100, 1)].map(|options| hang(&options, 1e5, 1000));
        println!("{relaxation:?}: {passes:.4} / {substeps:.4} = {:.3}", passes / substeps);
        assert!((passes / substeps - 99.5).abs() < 0.5, "{relaxation:?}: {passes} m over {substeps} m");
    }
}

#[test]
fn a_weight_that_diverges_is_not_in_range() {
    assert!(matches!(parameters::WEIGHT.parameter.kind, Kind::Number { range: Range::Within { max: 0.5, .. }, .. }));
    let options =
        chosen(Order::Coloured, 10, 1).with(&parameters::RELAXATION, Sweep::Jacobi).with(&parameters::WEIGHT, 1.0);
    let model = chain_of_20(1.0);
    let mut stepper = make(method("small-steps"), &model, &options);
    let mut state = model.state_at_rest();
    let diverged = (0..1000).any(|_| stepper.step(&model, &mut state, FRAME).is_err());
    assert!(diverged || distance(&state, &model.state_at_rest()) > 1e3);
}

#[test]
fn constraints_that_cannot_be_met_move_nothing_and_make_no_nan() {
    // A spring of zero length, one compressed to a point, and one between fixed nodes that is far too long.
    let points = vec![[0.0; 3], [0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [5.0, 0.0, 0.0], [6.0, 0.0, 0.0]];
    let pairs = vec![[0, 1], [2, 3], [4, 5]];
    let mesh = Mesh { points, edges: pairs.clone(), ..Mesh::default() };
    let springs = vec![SpringPart { pairs, law: Law::Linear, stiffness: 1e6 }];
    let node_masses = (0..6).map(|i| (i, 1.0)).collect();
    let model = Blueprint { mesh, springs, node_masses, fixed: vec![4, 5], ..Blueprint::default() }.build().unwrap();
    let mut start = model.state_at_rest();
    for (node, x) in [(3, 1.0), (5, 9.0)] {
        start.x[3 * model.number(node)] = x;
    }
    for relaxation in [Sweep::GaussSeidel, Sweep::JacobiAveraged, Sweep::Jacobi] {
        for passes in [1, 3] {
            let options = chosen(Order::Coloured, 10, passes).with(&parameters::RELAXATION, relaxation);
            let end = run(method("small-steps"), &options, &model, &start, 0.1, 10).unwrap();
            assert!(end.x == start.x, "{relaxation:?}: something moved by {}", distance(&end, &start));
            assert!(end.v.iter().all(|v| *v == 0.0));
        }
    }
}

#[test]
fn a_flat_or_inverted_tet_recovers_where_its_material_has_an_energy_there() {
    for facts in MATERIALS.iter().filter(|facts| facts.defined == Defined::Everywhere) {
        for height in [1.0, 1e-9, 0.0, -0.5] {
            let mut blueprint = solid(cuboid([0.1, 0.1, 0.1], [1, 1, 1]), facts.name, 1e5, -0.3, 1000.0);
            blueprint.fixed = group(&blueprint.mesh, "z-");
            blueprint.damping = [0.0, 1e-3];
            let model = blueprint.build().unwrap();
            let mut start = model.state_at_rest();
            start.x.chunks_mut(3).for_each(|x| x[2] *= height);
            let end = run(method("small-steps"), &Options::default(), &model, &start, 0.5, 50).unwrap();
            assert!(end.x.iter().all(|x| x.abs() < 1.0), "{} from a height of {height}", facts.name);
        }
    }
}

#[test]
fn momentum_is_kept_by_every_way_to_relax() {
    let blueprint = solid(cuboid([0.3, 0.2, 0.1], [3, 2, 1]), "stable-neo-hookean", 1e5, 0.3, 1000.0);
    let model = blueprint.build().unwrap();
    let mut start = model.state_at_rest();
    for (x, v) in start.x.chunks_mut(3).zip(start.v.chunks_mut(3)) {
        v.copy_from_slice(&[0.3 - x[1], 0.1 + x[0], 0.2 + 0.5 * x[0]]);
        x[2] *= 1.1;
    }
    let before = model.momentum(&start.v);
    for relaxation in [Sweep::GaussSeidel, Sweep::JacobiAveraged, Sweep::Jacobi] {
        let options = Options::default().with(&parameters::RELAXATION, relaxation).with(&parameters::PASSES, 2);
        let end = run(method("small-steps"), &options, &model, &start, 0.05, 200).unwrap();
        let after = model.momentum(&end.v);
        for c in 0..3 {
            assert!((after[c] - before[c]).abs() < 1e-10 * before[0].abs(), "{relaxation:?}: {after:?} {before:?}");
        }
    }
}

#[test]
fn every_way_to_relax_has_the_same_limit() {
    for problem in nonlinear_problems().iter().filter(|problem| problem.needs.is_empty()) {
        let Problem { name, model, start, duration, steps, .. } = problem;
        let reference = run(method("rk4"), &tight(), model, start, *duration, 64 * steps).unwrap();
        for relaxation in [Sweep::JacobiAveraged, Sweep::Jacobi] {
            let options = Options::default().with(&parameters::RELAXATION, relaxation);
            let error = |n: usize| -> f64 {
                let end = run(method("small-steps"), &options, model, start, *duration, n * steps).unwrap();
                distance(&end, &reference)
            };
            let (coarse, fine) = (error(8), error(16));
            let order = (coarse / fine).log2();
            println!("{name}, {relaxation:?}: {coarse:.2e} {fine:.2e} order {order:.3}");
            assert!((order - 1.0).abs() < 0.1, "{name}, {relaxation:?}: order {order}");
        }
    }
}

#[test]
fn contact_and_loads_balance_on_given_nodes() {
    // A block on a penalty floor, fixed at one face: the forces on all nodes add up to the floor's alone.
    let mut blueprint = solid(cuboid([0.4, 0.1, 0.1], [4, 1, 1]), "stable-neo-hookean", 1e6, 0.4, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    blueprint.damping = [5.0, 1e-3];
    let nodes: Vec<u32> = (0..blueprint.mesh.points.len() as u32).collect();
    let floor = Obstacle::Plane { point: [0.0, 0.0, 0.0], normal: [0.0, 0.0, 1.0] };
    blueprint.contacts = vec![(floor, nodes, 1e4)];
    let model = blueprint.build().unwrap();
    let mut stepper = make(method("small-steps"), &model, &Options::default());
    let mut state = model.state_at_rest();
    for _ in 0..1500 {
        stepper.step(&model, &mut state, 0.01).unwrap();
    }
    assert!(state.v.iter().all(|v| v.abs() < 1e-6), "still moving");
    let forces = stepper.constraint_forces().unwrap();
    let free = model.free_nodes();
    let mass: f64 = model.node_mass()[..free].iter().sum();
    let lift: f64 = forces.chunks(3).take(free).map(|f| f[2]).sum();
    assert!((lift / (-GRAVITY[2] * mass) - 1.0).abs() < 1e-6, "{lift} N hold {mass} kg");
}

#[test]
fn same_bits_for_any_number_of_threads_and_passes() {
    let mut blueprint = solid(cuboid([1.0, 0.4, 0.4], [24, 9, 9]), "stable-neo-hookean", 1e5, 0.4, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    let pairs = blueprint.mesh.edges_of_tets();
    blueprint.springs = vec![SpringPart { pairs, law: Law::Linear, stiffness: 100.0 }];
    let model = blueprint.build().unwrap();
    for relaxation in [Sweep::GaussSeidel, Sweep::JacobiAveraged, Sweep::Jacobi] {
        let on = |threads: usize| -> (State, Vec<f64>) {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let options = chosen(Order::Coloured, 5, 2).with(&parameters::RELAXATION, relaxation);
                let mut stepper = make(method("small-steps"), &model, &options);
                let mut state = model.state_at_rest();
                (0..3).for_each(|_| _ = stepper.step(&model, &mut state, 0.01).unwrap());
                (state, stepper.constraint_forces().unwrap().to_vec())
            })
        };
        let one = on(1);
        for threads in [2, 4] {
            assert!(on(threads) == one, "{relaxation:?}: {threads} threads give other bits");
        }
    }
}

#[test]
fn one_constraint_is_backward_euler_at_the_substep() {
    // A spring without rest length whose mass moves along it, damped by alpha and beta.
    let mut blueprint = oscillator(7.0);
    blueprint.damping = [0.0, 0.03];
    let model = blueprint.build().unwrap();
    let mut start = model.state_at_rest();
    (start.x[0], start.v[0]) = (1.0, 2.0);
    for substeps in [1, 5] {
        let small = run(method("small-steps"), &chosen(Order::Coloured, substeps, 1), &model, &start, 1.0, 10).unwrap();
        let implicit = run(method("backward-euler"), &tight(), &model, &start, 1.0, 10 * substeps).unwrap();
        let apart = distance(&small, &implicit);
        assert!(apart < 1e-10, "{substeps} substeps: {apart:e} m apart");
    }
}
