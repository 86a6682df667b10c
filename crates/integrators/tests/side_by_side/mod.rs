//! Many small bodies side by side move as they do all at once.

use crate::problems::hair::hairs;
use crate::problems::*;
use integrators::{Krylov, Options, StepError, parameters};
use model::energy::Stiffness;
use model::energy::spring::Law;
use model::load::Profile;
use model::mesh::Mesh;
use model::{Basis, Blueprint, LoadPart, Model, SpringPart, State};
use numerics::linear::SolverKind;

/// Chains of some links that hang from fixed nodes, compressed where `squeeze` is below one.
fn chains(count: u32, links: u32, squeeze: f64) -> (Model, State) {
    let mut mesh = Mesh::default();
    let (mut pairs, mut fixed) = (Vec::new(), Vec::new());
    for k in 0..count {
        let first = mesh.points.len() as u32;
        fixed.push(first);
        mesh.points.extend((0..=links).map(|i| [0.1 * f64::from(i), f64::from(k), 0.0]));
        pairs.extend((first..first + links).map(|i| [i, i + 1]));
    }
    mesh.edges = pairs.clone();
    let node_masses = (0..mesh.points.len() as u32).map(|i| (i, 0.01)).collect();
    let loads = vec![gravity(&mesh, GRAVITY)];
    let springs = vec![SpringPart { pairs, law: Law::Linear, stiffness: 1e4 }];
    let stiffness = if squeeze < 1.0 { Stiffness::Exact } else { Stiffness::Auto };
    let blueprint = Blueprint { mesh, springs, node_masses, fixed, loads, stiffness, ..Blueprint::default() };
    let model = blueprint.build().unwrap();
    let mut state = model.state_at_rest();
    for x in state.x[..model.dofs()].chunks_mut(3) {
        x[0] *= squeeze;
    }
    (model, state)
}

fn with_solver(solver: SolverKind) -> Options {
    // Conjugate gradients are out of the game: factors are compared.
    Options::default().with(&parameters::SOLVER, solver)
}

fn moved(
    name: &str,
    options: &Options,
    model: &Model,
    start: &State,
    h: f64,
    steps: usize,
) -> Result<State, StepError> {
    let mut stepper = (method(name).make)(model, options).unwrap();
    let mut state = start.clone();
    for _ in 0..steps {
        stepper.step(model, &mut state, h)?;
    }
    Ok(state)
}

/// Returns the largest distance of two states, and that of the first from another [m].
fn apart(a: &State, b: &State, start: &State) -> [f64; 2] {
    let most = |b: &State| a.x.iter().zip(&b.x).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    [most(b), most(start)]
}

#[test]
fn bodies_side_by_side_move_as_all_at_once() {
    let mut damped = hairs(45);
    damped.damping = [0.5, 2e-4];
    let nodes = (0..damped.mesh.points.len() as u32).collect();
    let profile = Profile::Pulse { start: 0.015, duration: 0.02, period: 0.05 };
    damped.loads.push(LoadPart { nodes, basis: Basis::Mass, direction: [0.0, 5.0, 3.0], profile });
    let damped = damped.build().unwrap();
    let at_rest = damped.state_at_rest();
    let (hanging, start) = chains(13, 6, 1.0);
    for (what, model, start) in [("hairs", damped, at_rest), ("chains", hanging, start)] {
        let [alone, whole] = [SolverKind::Auto, SolverKind::Direct]
            .map(|solver| moved("linearly-implicit-euler", &with_solver(solver), &model, &start, 5e-3, 12).unwrap());
        let [off, way] = apart(&alone, &whole, &start);
        assert!(off < 1e-8 * way && way > 1e-3, "{what}: {off} of {way} m");
        assert!(alone.x != whole.x, "{what}: both are computed in the same way");
    }
}

#[test]
fn where_a_matrix_is_not_definite_all_is_as_before() {
    let (model, start) = chains(9, 5, 0.7);
    let ends = [SolverKind::Auto, SolverKind::Direct]
        .map(|solver| moved("linearly-implicit-euler", &with_solver(solver), &model, &start, 0.02, 1).unwrap());
    let [off, way] = apart(&ends[0], &ends[1], &start);
    assert!(off < 1e-9 * way, "{off} of {way} m");
    // What is not finite is an error that leaves the state alone.
    let mut bad = start.clone();
    bad.v[0] = f64::NAN;
    let mut stepper = (method("linearly-implicit-euler").make)(&model, &Options::default()).unwrap();
    let before = bad.x.clone();
    assert!(stepper.step(&model, &mut bad, 0.02).is_err() && bad.x == before);
}

#[test]
fn threads_do_not_change_a_bit_of_bodies_side_by_side() {
    let model = hairs(45).build().unwrap();
    let start = model.state_at_rest();
    for name in ["linearly-implicit-euler", "siere", "ere"] {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| moved(name, &Options::default(), &model, &start, 5e-3, 4).unwrap())
        };
        let one = on(1);
        assert!([2, 3].into_iter().all(|threads| on(threads) == one), "{name}");
    }
}

/// A Krylov space for each hair reaches the tolerance where one for all of them may not.
#[test]
fn ere_of_many_hairs_is_that_of_each() {
    let model = hairs(45).build().unwrap();
    let start = model.state_at_rest();
    let options = Options::default().with(&parameters::KRYLOV, Krylov::Rational);
    let to = |tolerance: f64| options.clone().with(&parameters::KRYLOV_TOLERANCE, tolerance);
    let fine = moved("ere", &to(1e-8), &model, &start, 5e-3, 20).unwrap();
    for (tolerance, most) in [(1e-2, 1e-2), (1e-4, 1e-4), (1e-6, 1e-6)] {
        let [off, way] = apart(&moved("ere", &to(tolerance), &model, &start, 5e-3, 20).unwrap(), &fine, &start);
        println!("{tolerance:e}: {off} of {way} m");
        assert!(off < most * way && way > 0.01, "{tolerance}: {off} of {way} m");
    }
    // One space for all, to a tolerance that it reaches.
    let direct = to(1e-5).with(&parameters::SOLVER, SolverKind::Direct);
    let whole = moved("ere", &direct, &model, &start, 5e-3, 4).unwrap();
    let [off, way] = apart(&moved("ere", &to(1e-8), &model, &start, 5e-3, 4).unwrap(), &whole, &start);
    assert!(off < 1e-4 * way, "{off} of {way} m");
}
