use super::*;
use model::load::Profile;
use model::material::sample;
use model::mesh::generate::{Value, generate};
use model::{Basis, Blueprint, LoadPart, SolidPart};
use numerics::modes::Stop;

/// A clamped neo-Hookean bar under gravity.
fn bar(young: f64, cells: [f64; 3]) -> Model {
    let numbers = |values: [f64; 3]| Value::Numbers(values.to_vec());
    let mesh = generate("box", [("size", numbers([1.0, 0.2, 0.2])), ("cells", numbers(cells))]).unwrap();
    let material = sample("neo-hookean", young, 0.45).unwrap();
    let nodes = (0..mesh.points.len() as u32).collect();
    let direction = [0.0, 0.0, -9.81];
    Blueprint {
        solids: vec![SolidPart::new((0..mesh.tets.len() as u32).collect(), material, 1000.0)],
        fixed: mesh.groups["x-"].nodes.clone(),
        loads: vec![LoadPart { nodes, basis: Basis::Mass, direction, profile: Profile::Constant }],
        mesh,
        ..Blueprint::default()
    }
    .build()
    .unwrap()
}

/// Runs 60 steps; returns the states, and mean and largest residual of the wanted modes.
fn swing(model: &Model, modes: usize, set: impl Fn(&mut Siere)) -> (Vec<State>, f64, f64, u64) {
    let options = Options::default().with(&MODES, Modes::Count(modes));
    let mut siere = Siere::new(model, &options).unwrap();
    set(&mut siere);
    let mut state = model.state_at_rest();
    let (mut states, mut sum, mut worst, mut solves) = (Vec::new(), 0.0, 0.0_f64, 0);
    for _ in 0..60 {
        let report = siere.step(model, &mut state, 0.01).unwrap();
        solves += report.linear.solves;
        let residuals = &siere.search.modes.kept().angles[..modes];
        sum += residuals.iter().sum::<f64>() / modes as f64;
        worst = residuals.iter().fold(worst, |m, r| m.max(*r));
        states.push(state.clone());
    }
    (states, sum / 60.0, worst, solves)
}

fn apart(a: &[State], b: &[State]) -> f64 {
    let largest = |a: &State, b: &State| a.x.iter().zip(&b.x).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
    a.iter().zip(b).map(|(a, b)| largest(a, b)).fold(0.0, f64::max)
}

#[test]
fn modes_keep_up_with_a_swinging_bar_and_their_errors_do_not_matter() {
    for (young, count) in [(1e5, 5), (1e6, 5), (1e6, 20)] {
        let model = bar(young, [10.0, 3.0, 3.0]);
        let (plain, mean, worst, solves) = swing(&model, count, |_| ());
        let (first, ..) = swing(&model, count, |siere| siere.nearly_singular = f64::INFINITY);
        let tight = Stop { warm_passes: 100, cold_passes: 200, ..Stop::at(3e-9) };
        let (exact, _, converged, _) = swing(&model, count, |siere| siere.search.modes.stop = tight);
        let (euler, ..) = swing(&model, 0, |siere| siere.search.count = 0);
        let range = apart(&exact, &vec![model.state_at_rest(); 60]);
        let [plain, first, euler] = [plain, first, euler].map(|run| apart(&run, &exact) / range);
        println!(
            "E {young:e}, {count} modes: residual {mean:.1e}, at most {worst:.1e} (converged {converged:.1e}), {} solves; \
             error, plain right-hand side {plain:.1e}, projected {first:.1e}; linearly implicit Euler {euler:.1e}",
            solves
        );
        assert!(converged <= 1e-8);
        assert!(mean <= 1e-2, "mean residual {mean:e}");
        assert!(worst <= 5e-2, "worst residual {worst:e}");
        assert!(plain < 0.05 * euler, "{plain:e} of {euler:e}");
    }
}
