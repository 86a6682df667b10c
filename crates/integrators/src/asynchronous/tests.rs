//! Internals that steps do not show: the matrix of the rest, and the order in which small steps are taken.

use super::columns::rows_reached;
use super::{Asynchronous, CONTACT, ContactStep};
use crate::options::Options;
use crate::stepper::Stepper;
use model::energy::contact::Obstacle;
use model::load::Profile;
use model::material::sample;
use model::mesh::generate::{Value, generate};
use model::{Basis, Blueprint, LoadPart, Model, Region, SolidPart};

/// A bar held at one end whose last third takes five small steps per large step.
fn bar(consistent_mass: bool, damping: [f64; 2]) -> Model {
    Blueprint { consistent_mass, damping, ..bar_of(6, 3, 5) }.build().unwrap()
}

/// A bar of `cells` cells of 0.1 m; the last `small` take `ratio` small steps per large step.
fn bar_of(cells: usize, small: usize, ratio: usize) -> Blueprint {
    let size = Value::Numbers(vec![0.1 * cells as f64, 0.2, 0.2]);
    let mesh = generate("box", [("size", size), ("cells", Value::Numbers(vec![cells as f64, 2.0, 2.0]))]).unwrap();
    let beyond =
        |x: f64| mesh.points.iter().enumerate().filter(move |(_, p)| p[0] > x).map(|(i, _)| i as u32).collect();
    Blueprint {
        regions: vec![Region { nodes: beyond(0.1 * (cells - small) as f64 + 0.05), ratio }],
        solids: vec![SolidPart::new(
            (0..mesh.tets.len() as u32).collect(),
            sample("linear", 1e5, 0.3).unwrap(),
            1000.0,
        )],
        fixed: mesh.groups["x-"].nodes.clone(),
        mesh,
        ..Blueprint::default()
    }
}

/// Returns the relative skew part of the matrix that the region subtracts.
fn asymmetry(model: &Model) -> f64 {
    let mut stepper = Asynchronous::new(model, &Options::default()).unwrap();
    stepper.step(model, &mut model.state_at_rest(), 0.01).unwrap();
    let taken = &stepper.regions[0].taken;
    let n = taken.len().isqrt();
    let norm = |of: &dyn Fn(usize) -> f64| (0..n * n).map(|at| of(at).powi(2)).sum::<f64>().sqrt();
    norm(&|at| taken[at] - taken[at % n * n + at / n]) / norm(&|at| taken[at])
}

#[test]
fn a_lumped_mass_makes_the_complement_symmetric_and_a_consistent_one_almost() {
    for damping in [[0.0; 2], [0.5, 2e-3]] {
        let [lumped, consistent] = [false, true].map(|is_consistent| asymmetry(&bar(is_consistent, damping)));
        println!("{lumped:.1e} {consistent:.1e}");
        assert!(lumped < 1e-13, "{lumped:e}");
        assert!(consistent > 1e-9 && consistent < 0.1, "{consistent:e}");
    }
}

#[test]
fn rows_that_nothing_reaches_are_left_out() {
    let model = bar(false, [0.0; 2]);
    let mut stepper = Asynchronous::new(&model, &Options::default()).unwrap();
    let mut reached = |h: f64| {
        stepper.step(&model, &mut model.state_at_rest(), h).unwrap();
        stepper.regions[0].columns().unwrap().reached()
    };
    let all = model.regions()[0].nodes.len();
    assert_eq!(reached(0.01), all);
    assert!(reached(1e-6) < all);
}

#[test]
fn columns_have_limits_of_their_own() {
    // Three nodes: a soft column that reaches the first and, by rounding alone, the second; a stiff one that reaches
    // the third.
    let soft = [1.0, 0.0, 0.0, 1e-17, 0.0, 0.0, 0.0, 0.0, 0.0];
    let stiff = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1e-17, 0.0];
    let zeros = [0.0; 18];
    let columns = [soft, stiff].concat();
    assert_eq!(rows_reached([&columns, &zeros], 9).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(rows_reached([&zeros, &columns], 9).collect::<Vec<_>>(), [0, 2]);
}

#[test]
fn small_steps_that_are_foreseen_are_those_that_are_waited_for() {
    for (damping, contact) in [[0.0; 2], [0.5, 2e-3]].into_iter().zip([ContactStep::Large, ContactStep::Small]) {
        let mut blueprint = Blueprint { damping, ..bar_of(30, 3, 8) };
        // One that acts throughout, and one that ends within the fourth step, in which nothing is foreseen.
        let profile = Profile::Pulse { start: 0.0, duration: 0.035, period: f64::INFINITY };
        let nodes: Vec<u32> = (0..blueprint.mesh.points.len() as u32).collect();
        for (profile, direction) in [(Profile::Constant, [0.0, 0.0, -9.81]), (profile, [0.0, 2.0, 0.0])] {
            blueprint.loads.push(LoadPart { nodes: nodes.clone(), basis: Basis::Mass, direction, profile });
        }
        // A floor that nothing meets; with contact at small steps these are repeated to look for it.
        let floor = Obstacle::Plane { point: [0.0, 0.0, -9.0], normal: [0.0, 0.0, 1.0] };
        blueprint.contacts = vec![(floor, nodes, 1e3)];
        let model = blueprint.build().unwrap();
        let options = Options::default().with(&CONTACT, contact);
        let mut steppers = [0, 1].map(|_| Asynchronous::new(&model, &options).unwrap());
        assert!(steppers[0].regions[0].foresight.is_some(), "it is worth it here");
        steppers[1].regions[0].foresight = None;
        let mut states = [0, 1].map(|_| model.state_at_rest());
        let mut is_ahead = [Vec::new(), Vec::new()];
        for _ in 0..8 {
            for ((stepper, state), is_ahead) in steppers.iter_mut().zip(&mut states).zip(&mut is_ahead) {
                stepper.step(&model, state, 0.01).unwrap();
                is_ahead.push(stepper.regions[0].is_ahead());
            }
        }
        assert_eq!(is_ahead[0], [true, true, true, false, true, true, true, true]);
        assert!(!is_ahead[1].contains(&true));
        let [foreseen, waited] = &states;
        let largest = (0..model.dofs()).map(|i| (waited.x[i] - model.rest()[i]).abs()).fold(0.0, f64::max);
        let apart = (0..model.dofs()).map(|i| (foreseen.x[i] - waited.x[i]).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-12 * largest, "{apart:e} of {largest:e}");
        assert!(largest > 1e-3);
    }
}

#[test]
fn small_steps_beside_a_solve_have_the_same_bits_on_any_number_of_threads() {
    // A cube whose corner takes twenty small steps: most of its factor is the top of a tree with several tasks.
    let mut blueprint = bar_of(11, 1, 20);
    let cells = Value::Numbers(vec![11.0; 3]);
    blueprint.mesh = generate("box", [("size", Value::Numbers(vec![1.1; 3])), ("cells", cells)]).unwrap();
    blueprint.solids[0].tets = (0..blueprint.mesh.tets.len() as u32).collect();
    blueprint.fixed = blueprint.mesh.groups["x-"].nodes.clone();
    let corner = |p: &[f64; 3]| p.iter().all(|x| *x > 0.85);
    let points = blueprint.mesh.points.iter().enumerate();
    blueprint.regions[0].nodes = points.filter(|(_, p)| corner(p)).map(|(i, _)| i as u32).collect();
    let nodes = (0..blueprint.mesh.points.len() as u32).collect();
    let (direction, profile) = ([0.0, 0.0, -9.81], Profile::Constant);
    blueprint.loads = vec![LoadPart { nodes, basis: Basis::Mass, direction, profile }];
    let model = blueprint.build().unwrap();
    let run = |threads: usize| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let mut stepper = Asynchronous::new(&model, &Options::default()).unwrap();
            let mut state = model.state_at_rest();
            for _ in 0..3 {
                stepper.step(&model, &mut state, 0.01).unwrap();
                assert!(stepper.regions[0].is_ahead());
            }
            (state.x, state.v)
        })
    };
    let one = run(1);
    [2, 3, 4].into_iter().for_each(|threads| assert!(run(threads) == one, "{threads} threads"));
}

#[test]
fn a_region_that_hangs_on_nothing_takes_its_small_steps() {
    // Two bars; the second is a region of its own.
    let mut blueprint = bar_of(30, 3, 8);
    let other = bar_of(3, 1, 1).mesh;
    let first = blueprint.mesh.points.len() as u32;
    blueprint.mesh.points.extend(other.points.iter().map(|p| [p[0], p[1] + 1.0, p[2]]));
    blueprint.mesh.tets.extend(other.tets.iter().map(|tet| tet.map(|i| i + first)));
    blueprint.solids[0].tets = (0..blueprint.mesh.tets.len() as u32).collect();
    let nodes: Vec<u32> = (first..blueprint.mesh.points.len() as u32).collect();
    blueprint.regions = vec![Region { nodes: nodes.clone(), ratio: 2 }];
    let direction = [0.0, 0.0, -9.81];
    blueprint.loads = vec![LoadPart { nodes, basis: Basis::Mass, direction, profile: Profile::Constant }];
    let model = blueprint.build().unwrap();
    let mut stepper = Asynchronous::new(&model, &Options::default()).unwrap();
    let mut state = model.state_at_rest();
    stepper.step(&model, &mut state, 0.01).unwrap();
    // Two steps of 5 ms in free fall.
    let i = 3 * model.regions()[0].nodes[0] as usize + 2;
    assert!((state.x[i] - model.rest()[i] + 3.0 * 9.81 * 0.005_f64.powi(2)).abs() < 1e-12);
    assert!((state.v[i] + 9.81 * 0.01).abs() < 1e-12);
}
