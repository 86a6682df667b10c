//! siere2: its identities, and its order where the matrix is inexact or the body stiff.

use super::*;
use integrators::{Method, RestRule};
use model::SolidPart;
use model::energy::Stiffness;
use model::material::sample;

const RULES: [(RestRule, &str); 2] = [(RestRule::TrBdf2, "tr-bdf2"), (RestRule::Midpoint, "implicit-midpoint")];

fn by_rule(rest_rule: RestRule, count: usize) -> Options {
    direct().with(&parameters::MODES, Modes::Count(count)).with(&parameters::REST_RULE, rest_rule)
}

#[test]
fn without_modes_it_is_the_method_of_the_rest_to_the_bit() {
    for problem in nonlinear_problems() {
        let Problem { name, model, start, duration, .. } = &problem;
        for (rule, other) in RULES {
            let options = by_rule(rule, 0);
            let ends = ["siere2", other].map(|name| run(method(name), &options, model, start, *duration, 20).unwrap());
            assert!(ends[0] == ends[1], "{name}, {other}");
        }
    }
}

#[test]
fn with_all_modes_a_linear_body_moves_exactly() {
    let mut blueprint = solid(cuboid([0.4, 0.1, 0.1], [4, 1, 1]), "linear", 1e5, 0.3, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    blueprint.damping = [0.5, 0.002];
    let model = blueprint.build().unwrap();
    let mut start = model.state_at_rest();
    start.v[..model.dofs()].iter_mut().enumerate().for_each(|(i, v)| *v = (i as f64).sin());
    let exact = run(method("ere"), &tight(), &model, &start, 0.1, 20).unwrap();
    for (rule, _) in RULES {
        let options = by_rule(rule, model.dofs()).with(&parameters::MODES_TOLERANCE, 1e-9);
        let end = run(method("siere2"), &options, &model, &start, 0.1, 20).unwrap();
        let off = error(&end, &exact, &start);
        println!("{rule:?}: off by {off:e}");
        assert!(off < 1e-9, "{rule:?}: off by {off:e}");
    }
}

/// Returns errors at these numbers of steps.
fn errors(
    method: &Method,
    options: &Options,
    problem: (&Model, &State, f64),
    reference: &State,
    steps: &[usize],
) -> Vec<f64> {
    let (model, start, duration) = problem;
    steps.iter().map(|&n| distance(&run(method, options, model, start, duration, n).unwrap(), reference)).collect()
}

fn orders(errors: &[f64]) -> Vec<f64> {
    errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect()
}

#[test]
fn loose_modes_and_other_stiffnesses_keep_the_order() {
    for stiffness in [Stiffness::Exact, Stiffness::Projected, Stiffness::Turned] {
        let mut blueprint = solid(cuboid([0.4, 0.1, 0.1], [4, 1, 1]), "neo-hookean", 2e4, 0.3, 1000.0);
        blueprint.fixed = group(&blueprint.mesh, "x-");
        blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
        blueprint.stiffness = stiffness;
        let model = blueprint.build().unwrap();
        let start = model.state_at_rest();
        let reference = run(method("rk4"), &tight(), &model, &start, 0.1, 8000).unwrap();
        for ((rule, _), modes_tolerance) in RULES.iter().flat_map(|rule| [(rule, 1e-4), (rule, 0.3)]) {
            let options = by_rule(*rule, 5).with(&parameters::MODES_TOLERANCE, modes_tolerance);
            let problem = (&model, &start, 0.1);
            let orders = orders(&errors(method("siere2"), &options, problem, &reference, &[80, 160, 320]));
            println!("{stiffness:?}, {rule:?}, modes to {modes_tolerance}: {orders:.3?}");
            assert!(orders.iter().all(|order| (1.9..2.1).contains(order)), "{stiffness:?}, {rule:?}: {orders:?}");
        }
    }
}

/// A beam whose clamped half is 1e5 times stiffer than its soft half: its fast modes are far from resolved.
#[test]
fn stiff_parts_that_are_not_resolved_keep_the_order() {
    let mut blueprint = solid(cuboid([0.4, 0.1, 0.1], [4, 1, 1]), "stable-neo-hookean", 2e4, 0.3, 1000.0);
    let mesh = &blueprint.mesh;
    let is_stiff = |tet: &[u32; 4]| tet.iter().map(|&i| mesh.points[i as usize][0]).sum::<f64>() < 0.8;
    let (stiff, soft): (Vec<u32>, Vec<u32>) =
        (0..mesh.tets.len() as u32).partition(|&tet| is_stiff(&mesh.tets[tet as usize]));
    let part = |tets, young| SolidPart::new(tets, sample("stable-neo-hookean", young, 0.3).unwrap(), 1000.0);
    blueprint.solids = vec![part(soft, 2e4), part(stiff, 2e9)];
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    let model = blueprint.build().unwrap();
    let start = model.state_at_rest();
    let reference = run(method("tr-bdf2"), &direct(), &model, &start, 0.2, 6400).unwrap();
    for (name, options) in [
        ("siere2", by_rule(RestRule::TrBdf2, 5)),
        ("siere2", by_rule(RestRule::Midpoint, 5)),
        ("tr-bdf2", direct()),
        ("implicit-midpoint", direct()),
        ("siere", with_modes(5)),
        ("backward-euler", direct()),
    ] {
        let errors = errors(method(name), &options, (&model, &start, 0.2), &reference, &[20, 40, 80, 160]);
        let texts: Vec<String> = errors.iter().map(|error| format!("{error:.1e}")).collect();
        println!("{}: errors {} m, orders {:.2?}", label(method(name), &options), texts.join(" "), orders(&errors));
        if name == "siere2" {
            // At the coarsest step 1.95 and 1.84, as with the same rule alone.
            assert!(orders(&errors).iter().all(|order| (1.8..2.1).contains(order)), "{errors:?}");
        }
    }
}
