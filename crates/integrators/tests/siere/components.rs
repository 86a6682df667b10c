//! Many small bodies: every method solves them side by side, and siere takes the modes of each.

use super::*;
use integrators::METHODS;
use model::energy::spring::Law;
use model::load::Profile;
use model::mesh::Mesh;
use model::{Basis, LoadPart, SpringPart};

/// Strips of springs, clamped at one end, 8 cells long and of slightly different stiffness, which fall.
fn strips(count: usize, damping: [f64; 2]) -> Blueprint {
    let mut mesh = Mesh::default();
    let (mut springs, mut fixed) = (Vec::new(), Vec::new());
    for k in 0..count {
        let first = mesh.points.len() as u32;
        for cell in 0..=8 {
            let x = 0.1 * f64::from(cell);
            mesh.points.extend([[x, 0.0, k as f64], [x, 0.1, k as f64], [x, 0.05, k as f64 + 0.08]]);
        }
        let ring = |cell: u32| (0..3).map(move |c| first + 3 * cell + c);
        let mut pairs = Vec::new();
        for cell in 0..=8 {
            let here: Vec<u32> = ring(cell).collect();
            pairs.extend([[here[0], here[1]], [here[1], here[2]], [here[0], here[2]]]);
            if cell > 0 {
                pairs.extend(ring(cell - 1).flat_map(|a| here.iter().map(move |&b| [a, b])));
            }
        }
        springs.push(SpringPart { pairs, law: Law::Linear, stiffness: 300.0 + 10.0 * (k % 5) as f64 });
        fixed.extend(ring(0));
    }
    let nodes: Vec<u32> = (0..mesh.points.len() as u32).collect();
    Blueprint {
        springs,
        node_masses: nodes.iter().map(|&i| (i, 0.01)).collect(),
        fixed,
        loads: vec![LoadPart { nodes, basis: Basis::Mass, direction: GRAVITY, profile: Profile::Constant }],
        damping,
        mesh,
        ..Blueprint::default()
    }
}

#[test]
fn every_method_solves_components_as_it_solves_the_whole() {
    let model = strips(9, [0.0, 1e-3]).build().unwrap();
    for method in METHODS.iter().filter(|method| method.reads(&parameters::SOLVER.parameter)) {
        // The modes of each and the modes of all are different methods.
        let tight = tight().with(&parameters::MODES, Modes::Count(0));
        let [by_components, by_auto, whole] =
            [SolverKind::Components, SolverKind::Auto, SolverKind::Direct].map(|solver| {
                let mut stepper = make(method, &model, &tight.clone().with(&parameters::SOLVER, solver));
                let mut state = model.state_at_rest();
                let reports: Vec<_> = (0..4).map(|_| stepper.step(&model, &mut state, 0.005).unwrap()).collect();
                (state, reports)
            });
        assert!(by_components.0 == by_auto.0, "{}: auto does not know components", method.name);
        let off = distance(&by_components.0, &whole.0);
        assert!(off < 1e-9, "{}: {off:.1e}", method.name);
        // These take one motion per step, for which every body has a space of its own. That is other work than one for all.
        if method.reads(&parameters::KRYLOV.parameter) && method.order == 2 {
            continue;
        }
        for (one, other) in by_components.1.iter().zip(&whole.1) {
            assert_eq!(one.linear.factorisations, other.linear.factorisations, "{}", method.name);
            assert_eq!(one.linear.solves, other.linear.solves, "{}", method.name);
        }
    }
}

#[test]
fn each_body_moves_as_it_does_alone() {
    for damping in [[0.0, 0.0], [0.3, 1e-3]] {
        let (many, alone) = (strips(11, damping).build().unwrap(), strips(1, damping).build().unwrap());
        let options = with_modes(5).with(&parameters::MODES_TOLERANCE, 1e-7);
        let each = options.clone().with(&parameters::SOLVER, SolverKind::Auto);
        let (mut of_many, mut of_one) = (make(method("siere"), &many, &each), make(method("siere"), &alone, &options));
        let (mut states, mut state) = (many.state_at_rest(), alone.state_at_rest());
        let euler = run_of(&alone, "linearly-implicit-euler");
        for _ in 0..10 {
            let report = of_many.step(&many, &mut states, 0.02).unwrap();
            assert!(report.modes == 5 && report.mode_angle <= 1e-7, "{report:?}");
            of_one.step(&alone, &mut state, 0.02).unwrap();
        }
        // The strips with the stiffness of the one: every fifth.
        let (all, one) = (in_mesh(&many, &states), in_mesh(&alone, &state));
        let moved = euler.iter().zip(&one).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        for k in [0, 5, 10] {
            for (i, x) in one.iter().enumerate() {
                let shift = if i % 3 == 2 { k as f64 } else { 0.0 };
                let off = (all[81 * k + i] - shift - x).abs();
                assert!(off < 1e-4 * moved, "strip {k}: {off:.1e} of {moved:.1e}");
            }
        }
    }
}

/// Returns the positions after the same steps by another method, in the numbering of the mesh.
fn run_of(model: &Model, name: &str) -> Vec<f64> {
    let mut stepper = make(method(name), model, &Options::default());
    let mut state = model.state_at_rest();
    (0..10).for_each(|_| {
        stepper.step(model, &mut state, 0.02).unwrap();
    });
    in_mesh(model, &state)
}

/// Returns the positions in the numbering of the mesh.
fn in_mesh(model: &Model, state: &State) -> Vec<f64> {
    (0..model.nodes()).flat_map(|node| (0..3).map(move |c| state.x[3 * model.number(node) + c])).collect()
}

#[test]
fn modes_of_each_body_continue_after_a_restart_and_on_any_threads() {
    let model = strips(11, [0.0, 1e-3]).build().unwrap();
    let steps = |stepper: &mut dyn Stepper, state: &mut State, count: usize| {
        (0..count).for_each(|_| {
            stepper.step(&model, state, 0.02).unwrap();
        });
    };
    let fresh = || make(method("siere"), &model, &Options::default());
    let (mut stepper, mut state) = (fresh(), model.state_at_rest());
    steps(&mut *stepper, &mut state, 3);
    let (memory, middle) = (stepper.memory(), state.clone());
    steps(&mut *stepper, &mut state, 3);
    let mut again = fresh();
    assert!(!again.recall(&memory[..memory.len() - 1]) && again.recall(&memory));
    let mut other = middle.clone();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    pool.install(|| steps(&mut *again, &mut other, 3));
    assert!(other == state);
}
