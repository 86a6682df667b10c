//! Stiff bodies that turn: a bar hinged along an edge and a bar that spins freely, beside the rigid body that they nearly are;
//! a chain and a body of stiff springs.
//!
//! A step that is linear in the displacements turns a body along a tangent and stretches it. Methods that linearise once per
//! step with the exact stiffness then hold a stiff body fast. With the automatic one, the default, and with the turned one they
//! do not.

mod problems;

use integrators::{Family, FrameKind, LinearPart, METHODS, Method, Modes, Options, StepError, parameters};
use model::energy::spring::Law;
use model::energy::{Configuration, Stiffness};
use model::{Blueprint, FaceSpringPart, Model, SpringPart, State};
use numerics::blocks::BlockMatrix;
use numerics::linear::SolverKind;
use problems::hair::hairs;
use problems::turning::{Turning, hinged, spinning};
use problems::{GRAVITY, chain, cuboid, distance, gravity, make, method, run, solid};

/// Methods that one linearisation with the exact stiffness holds fast.
const NUMB_WITH_EXACT: [&str; 3] = ["linearly-implicit-euler", "asynchronous-backward-euler", "schroeder"];
/// Methods that few passes leave soft, however stiff the body is: a bar turns as one of rubber does.
const NUMB_WHEN_STIFF: [&str; 1] = ["small-steps"];
/// Methods whose weights amplify the bending of a bar that is released, however stiff it is and with any stiffness.
const NUMB_WHEN_HINGED: [&str; 1] = ["epirk4s3"];

/// Largest error of the angle [degrees]: backward Euler loses 7 of 128 degrees by damping the fall itself.
fn tolerance(method: &Method) -> f64 {
    if method.order == 1 { 9.0 } else { 5.0 }
}

/// Default options, but for a limit of work that ends the runs of methods that fail.
fn default_options() -> Options {
    Options::default().with(&parameters::PRODUCTS, 20_000)
}

/// Returns the true angle [degrees]: that of the rigid body, or of fine steps where the body is soft enough to bend.
fn truth(turning: &Turning, young: f64, h: f64) -> f64 {
    if young > 1e7 {
        return turning.rigid;
    }
    let steps = (10.0 * turning.duration / h).round() as usize;
    turning.angle(&turning.end(method("implicit-midpoint"), &Options::default(), steps).unwrap())
}

/// Tests that a method turns a body as it should; returns the angle [degrees] too, for messages.
fn turns(turning: &Turning, truth: f64, method: &Method, options: &Options, h: f64) -> (bool, Option<f64>) {
    let steps = (turning.duration / h).round() as usize;
    let angle = turning.end(method, options, steps).map(|end| turning.angle(&end));
    (angle.is_some_and(|angle| (angle - truth).abs() < tolerance(method)), angle)
}

/// Methods with steps that resolve no stiff vibration: all but the explicit ones and the listed.
fn implicit_methods() -> impl Iterator<Item = &'static Method> {
    METHODS.iter().filter(|method| method.family != Family::Explicit && !NUMB_WHEN_STIFF.contains(&method.name))
}

/// Tests that these methods turn both bars from soft to stiff.
fn all_turn<'a>(methods: impl Fn() -> Box<dyn Iterator<Item = &'a Method>>, stiffness: Stiffness, options: &Options) {
    for young in [1e6, 1e8, 1e10] {
        let bars = [("hinged", hinged(young, stiffness), 1.0 / 60.0), ("spinning", spinning(young, stiffness), 0.01)];
        let bars = bars.map(|(what, turning, h)| (what, truth(&turning, young, h), turning, h));
        for method in methods() {
            let has_stages = method.reads(&parameters::FRAME.parameter) && method.order > 2;
            for &(what, truth, ref turning, h) in &bars {
                // The spaces of methods with stages are long at 1e10 Pa: `frame.rs` tests one of them there.
                if (has_stages && young > 1e9) || (what == "hinged" && NUMB_WHEN_HINGED.contains(&method.name)) {
                    continue;
                }
                let (is_right, angle) = turns(turning, truth, method, options, h);
                println!("{what} {young:e} {} {}: {angle:.1?} of {truth:.1}", stiffness.name(), method.name);
                assert!(is_right, "{what} {young:e} {}: {angle:?} of {truth}", method.name);
            }
        }
    }
}

#[test]
fn stiff_bodies_turn_by_default() {
    all_turn(|| Box::new(implicit_methods()), Stiffness::default(), &default_options());
}

/// Explicit methods turn bodies of any stiffness too, with steps a few of which are a vibration of the smallest tet.
#[test]
fn explicit_methods_turn_with_stable_steps() {
    for young in [1e6_f64, 1e8] {
        for (what, turning) in
            [("hinged", hinged(young, Stiffness::Auto)), ("spinning", spinning(young, Stiffness::Auto))]
        {
            let (size, density) = (0.03, 1000.0);
            let h = 0.4 * size / (young / density).sqrt();
            let truth = truth(&turning, young, 1.0 / 60.0);
            for method in METHODS.iter().filter(|method| method.family == Family::Explicit) {
                let (is_right, angle) = turns(&turning, truth, method, &default_options(), h);
                println!("{what} {young:e} {}: {angle:.1?} of {truth:.1}", method.name);
                assert!(is_right, "{what} {young:e} {}: {angle:?} of {truth}", method.name);
            }
        }
    }
}

/// A method of the list that turns is to leave it.
#[test]
fn listed_methods_do_not_turn_stiff_bodies() {
    let [small, weights] = [NUMB_WHEN_STIFF[0], NUMB_WHEN_HINGED[0]];
    for (name, turning, h) in [
        (small, hinged(1e10, Stiffness::Auto), 1.0 / 60.0),
        (small, spinning(1e10, Stiffness::Auto), 0.01),
        (weights, hinged(1e8, Stiffness::Auto), 1.0 / 60.0),
    ] {
        let (is_right, angle) = turns(&turning, turning.rigid, method(name), &default_options(), h);
        println!("{name}: {angle:.1?} of {:.1}", turning.rigid);
        assert!(!is_right, "{name}: {angle:?} is right, take it from the list");
    }
}

#[test]
fn stiff_bodies_turn_with_the_turned_stiffness() {
    let numb = |method: &&Method| method.name == "siere" || NUMB_WITH_EXACT.contains(&method.name);
    let options = default_options().with(&parameters::MODES, Modes::Auto);
    all_turn(|| Box::new(implicit_methods().filter(numb)), Stiffness::Turned, &options);
}

#[test]
fn with_the_exact_stiffness_methods_of_one_linearisation_hold_stiff_bodies_fast() {
    let options = default_options().with(&parameters::MODES, Modes::Auto);
    let turning = spinning(1e8, Stiffness::Exact);
    for method in implicit_methods() {
        let (is_right, angle) = turns(&turning, turning.rigid, method, &options, 0.01);
        println!("{}: {angle:.1?} of {:.1}", method.name, turning.rigid);
        assert_eq!(is_right, !NUMB_WITH_EXACT.contains(&method.name), "{}: {angle:?}", method.name);
    }
    // A constant part of the stiffness in a fixed direction, or a fixed frame, holds these fast.
    for (name, options) in [
        ("gautschi", options.clone().with(&parameters::LINEAR_PART, LinearPart::Rest)),
        ("gautschi", options.clone().with(&parameters::FRAME, FrameKind::Fixed)),
        ("siere", options.clone().with(&parameters::FRAME, FrameKind::Fixed)),
    ] {
        let (is_right, angle) = turns(&turning, turning.rigid, method(name), &options, 0.01);
        assert!(!is_right, "{name}: {angle:?} is right without its frame");
    }
}

/// The error does not grow with stiffness: the angle at 1e10 Pa is that at 1e7 Pa.
#[test]
fn steps_are_flat_in_stiffness() {
    for stiffness in [Stiffness::Auto, Stiffness::Turned] {
        for name in ["linearly-implicit-euler", "asynchronous-backward-euler", "siere"] {
            let options = default_options().with(&parameters::MODES, Modes::Auto);
            let [soft, stiff] = [1e7, 1e10].map(|young| {
                let turning = spinning(young, stiffness);
                let (_, angle) = turns(&turning, turning.rigid, method(name), &options, 0.01);
                (angle.unwrap() - turning.rigid).abs()
            });
            println!("{name}, {}: off by {soft:.3} and {stiff:.3} degrees", stiffness.name());
            assert!(stiff < 1.2 * soft + 0.3, "{name}, {}: {soft} and {stiff} degrees", stiffness.name());
        }
    }
}

/// The false stretch of a turn is one of volume too, and its pressure is large.
#[test]
fn nearly_incompressible_bodies_turn() {
    for (h, allowed) in [(0.01, 0.06), (0.05, 0.1)] {
        let error = |kind: Stiffness| {
            let mut blueprint = solid(cuboid([1.0, 0.1, 0.1], [8, 2, 2]), "stable-neo-hookean", 1e6, 0.49, 1000.0);
            let on_hinge = |p: &[f64; 3]| p[0].abs() + p[2].abs() < 1e-9;
            blueprint.fixed = (0..).zip(&blueprint.mesh.points).filter(|(_, p)| on_hinge(p)).map(|(i, _)| i).collect();
            blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
            blueprint.stiffness = kind;
            let model = blueprint.build().unwrap();
            let (start, steps) = (model.state_at_rest(), (0.6_f64 / h).round() as usize);
            let fine = run(method("implicit-midpoint"), &Options::default(), &model, &start, 0.6, 10 * steps).unwrap();
            let end = run(method("linearly-implicit-euler"), &Options::default(), &model, &start, 0.6, steps);
            end.map_or(f64::INFINITY, |end| distance(&end, &fine) / distance(&fine, &start))
        };
        let [exact, automatic] = [Stiffness::Exact, Stiffness::Auto].map(error);
        println!("nu 0.49, h {h}: {exact:.4} exact, {automatic:.4} automatic");
        assert!(automatic < allowed && exact > 3.0 * allowed, "h {h}: {exact} exact, {automatic} automatic");
    }
}

/// A chain of ten links, hinged at one end and released horizontally.
fn hanging_chain(stiffness: f64, kind: Stiffness) -> Model {
    let mut blueprint = chain(10, 0.1, stiffness, Law::Linear, 0.1);
    blueprint.fixed = vec![0];
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    blueprint.stiffness = kind;
    blueprint.build().unwrap()
}

/// A block of 27 nodes of soft edges and stiff diagonals, from nodes to faces, hinged along an edge.
fn hinged_springs(stiffness: f64, kind: Stiffness) -> Model {
    let mesh = cuboid([1.0; 3], [2; 3]);
    let on_hinge = |p: &[f64; 3]| p[0].abs() + p[2].abs() < 1e-9;
    let fixed = (0..).zip(&mesh.points).filter(|(_, p)| on_hinge(p)).map(|(i, _)| i).collect();
    let node_masses = (0..27).map(|i| (i, 1.0 / 27.0)).collect();
    let springs = vec![SpringPart { pairs: mesh.edges_of_tets(), law: Law::Linear, stiffness: 100.0 }];
    let face_springs =
        vec![FaceSpringPart { tets: (0..mesh.tets.len() as u32).collect(), law: Law::Linear, stiffness }];
    let loads = vec![gravity(&mesh, GRAVITY)];
    let blueprint =
        Blueprint { mesh, springs, face_springs, node_masses, fixed, loads, stiffness: kind, ..Default::default() };
    blueprint.build().unwrap()
}

/// Springs that turn, their stiffnesses [N/m], the duration [s] and the step [s].
type Springs = (&'static str, fn(f64, Stiffness) -> Model, f64, f64);
const SPRINGS: [Springs; 2] = [("chain", hanging_chain, 0.6, 0.02), ("body", hinged_springs, 1.0, 1.0 / 18.0)];

/// Error at the end of springs that turn, relative to their motion; infinite where a step fails.
fn error_of_springs(springs: Springs, name: &str, stiffness: f64, kind: Stiffness) -> f64 {
    let (_, build, duration, h) = springs;
    let steps = (duration / h).round() as usize;
    let options = default_options().with(&parameters::ITERATIONS, 50);
    let at_rest = build(stiffness, Stiffness::Turned);
    let start = at_rest.state_at_rest();
    let fine = run(method("implicit-midpoint"), &options, &at_rest, &start, duration, 50 * steps).unwrap();
    let end = run(method(name), &options, &build(stiffness, kind), &start, duration, steps);
    end.map_or(f64::INFINITY, |end| distance(&end, &fine) / distance(&fine, &start))
}

#[test]
fn stiff_springs_turn() {
    let stiff = [1e6, 1e8, 1e12];
    for springs in SPRINGS {
        let errors = |name: &str, kind: Stiffness, stiff: [f64; 3]| {
            let errors = stiff.map(|k| error_of_springs(springs, name, k, kind));
            println!("{}, {name}, {}: {errors:.4?}", springs.0, kind.name());
            errors
        };
        let exact = errors("linearly-implicit-euler", Stiffness::Exact, stiff);
        for kind in [Stiffness::Auto, Stiffness::Turned] {
            let ours = errors("linearly-implicit-euler", kind, stiff);
            assert!(ours[2] < 1.2 * ours[0] && ours[0] < 0.04, "{}, {}: {ours:?}", springs.0, kind.name());
            // Tension of the chain beyond what the step bears stays in the automatic matrix, and damps: 0.038 instead of 0.012.
            let times = if kind == Stiffness::Auto && springs.0 == "chain" { 8.0 } else { 20.0 };
            assert!(ours.iter().zip(exact).all(|(ours, exact)| times * ours < exact), "{}: {exact:?}", springs.0);
        }
        // With numerical damping of what the step does not resolve.
        let ere = errors("ere", Stiffness::Turned, [1e6, 1e7, 1e8]);
        assert!(ere[2] < 1.2 * ere[0] && ere[0] < 0.15, "{}: {ere:?}", springs.0);
    }
}

#[test]
fn newton_with_the_turned_stiffness_needs_as_many_iterations_for_any_stiffness() {
    for (name, build, duration, h) in SPRINGS {
        let iterations = |k: f64, kind: Stiffness| -> Result<u64, StepError> {
            let model = build(k, kind);
            let options = Options::default().with(&parameters::ITERATIONS, 100);
            let mut stepper = make(method("implicit-midpoint"), &model, &options);
            let mut state = model.state_at_rest();
            let mut step = |_| Ok(stepper.step(&model, &mut state, h)?.newton);
            (0..(duration / h).round() as usize).map(&mut step).sum()
        };
        let exact = [1e6, 1e8].map(|k| iterations(k, Stiffness::Exact).unwrap());
        let turned = [1e4, 1e6, 1e8, 1e10, 1e12].map(|k| iterations(k, Stiffness::Turned));
        println!("{name}: {exact:?} exact, {turned:?} turned");
        // At 1e12 N/m the matrix of the body is indefinite, and too badly conditioned for the check of its factor.
        let [first, .., last] = [0, 1, 2, 3].map(|i| turned[i].clone().unwrap());
        assert!(2 * last < 3 * first, "{name}: {turned:?}");
        assert!(exact[1] > 2 * exact[0], "{name}: {exact:?}");
    }
}

/// The matrix keeps the tension that the last iteration predicted; without it Newton's method stalls on hair that turns.
#[test]
fn newton_on_a_tuft_of_hair_takes_few_iterations_and_continues_after_a_restart() {
    let model = hairs(6).build().unwrap();
    let (h, steps) = (0.01, 40);
    for solver in [SolverKind::Auto, SolverKind::Stale] {
        let run = |restart: Option<usize>| {
            let new = || make(method("backward-euler"), &model, &Options::default().with(&parameters::SOLVER, solver));
            let (mut stepper, mut state, mut iterations) = (new(), model.state_at_rest(), 0);
            for step in 0..steps {
                if restart == Some(step) {
                    let memory = stepper.memory();
                    stepper = new();
                    assert!(stepper.recall(&memory));
                }
                iterations += stepper.step(&model, &mut state, h).unwrap().newton;
            }
            (state, iterations)
        };
        let (state, iterations) = run(None);
        println!("hair, {solver:?}: {iterations} iterations in {steps} steps");
        assert!(iterations < 5 * steps as u64, "{iterations} iterations");
        assert_eq!(run(Some(25)), (state, iterations));
    }
}

/// A step along the tangent of a circle stretches nothing to first order, and a step of no length leaves the true tension.
#[test]
fn predicted_tension_is_that_of_the_linear_step() {
    let model = hairs(3).build().unwrap();
    let start = model.state_at_rest().x;
    let turn: Vec<f64> = start.chunks(3).flat_map(|p| [-0.3 * p[1], 0.3 * p[0], 0.0]).collect();
    let end: Vec<f64> = start.iter().zip(&turn).map(|(x, turn)| x + turn).collect();
    let stiffness = |kind: Stiffness, way: &[f64]| {
        let mut k = BlockMatrix::zeros(model.pattern().clone());
        model.stiffness(kind, Configuration { x: &end, way, inertia: &[] }, &mut k);
        k.values.into_flattened().into_flattened()
    };
    let [exact, turned] = [Stiffness::Exact, Stiffness::Turned].map(|kind| stiffness(kind, &[]));
    let [none, along] = [vec![0.0; turn.len()], turn].map(|way| stiffness(Stiffness::Predicted, &way));
    let size = |k: &[f64]| k.iter().fold(0.0, |most: f64, k| most.max(k.abs()));
    let off = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs())) / size(a);
    println!("{:e} {:e} {:e}", off(&exact, &turned), off(&exact, &none), off(&turned, &along));
    assert!(off(&exact, &turned) > 1e-2, "there is no tension");
    assert!(off(&exact, &none) < 1e-12 && off(&turned, &along) < 1e-9);
}

/// On solids too, once they are stiff; soft ones that bend need more.
#[test]
fn newton_on_stiff_solids_that_spin_needs_fewer_iterations_with_the_turned_stiffness() {
    let iterations = |young: f64, kind: Stiffness| {
        let Turning { model, start, .. } = spinning(young, kind);
        let mut stepper = make(method("implicit-midpoint"), &model, &Options::default());
        let mut state = start.clone();
        (0..20).map(|_| stepper.step(&model, &mut state, 0.01).unwrap().newton).sum::<u64>()
    };
    let [exact, turned] =
        [Stiffness::Exact, Stiffness::Turned].map(|kind| [1e6, 1e8, 1e10].map(|e| iterations(e, kind)));
    println!("spinning bar: {exact:?} exact, {turned:?} turned");
    assert!(turned[2] < exact[2], "{exact:?} exact, {turned:?} turned");
    // The automatic stiffness leaves nothing out for a method that iterates.
    assert_eq!(iterations(1e8, Stiffness::Auto), exact[1]);
}

/// A string of springs, stretched by 30 %, that swings sideways in waves of every length.
fn taut_string(kind: Stiffness) -> (Model, State) {
    let mut blueprint = chain(10, 0.1, 1e3, Law::Linear, 0.1);
    (blueprint.fixed, blueprint.stiffness) = (vec![0, 10], kind);
    let model = blueprint.build().unwrap();
    let mut state = model.state_at_rest();
    state.x.iter_mut().for_each(|x| *x *= 1.3);
    (0..model.free_nodes()).for_each(|i| state.v[3 * i + 2] = if i % 2 == 0 { 0.5 } else { -0.3 });
    (model, state)
}

#[test]
fn true_tension_stays_implicit() {
    // h sqrt(4 T / (l m)) is 3.8: tension as a force alone diverges above 2.
    let (model, start) = taut_string(Stiffness::Exact);
    let end = |kind: Stiffness| {
        run(method("linearly-implicit-euler"), &Options::default(), &taut_string(kind).0, &start, 0.4, 10)
    };
    let [exact, automatic] = [Stiffness::Exact, Stiffness::Auto].map(|kind| end(kind).unwrap());
    // Relative to the displacement by the initial velocities in a step.
    let off = distance(&automatic, &exact) / (0.04 * 0.5);
    let grown = end(Stiffness::Turned).map_or(f64::INFINITY, |turned| model.kinetic(&turned) / model.kinetic(&start));
    println!("string: off by {off:.4}, and with the turned stiffness the energy grows {grown:.1e}-fold");
    assert!(off < 0.02, "{off}");
    assert!(grown > 10.0, "the turned stiffness was to diverge here: {grown}");
}

/// Ropes of springs that swing freely and whip around: their true tension is more than a step can leave to the forces.
#[test]
fn ropes_that_whip_around_are_no_worse_by_default() {
    let modes = Options::default().with(&parameters::MODES, Modes::Auto);
    for (stiffness, steps) in [(100.0, 60), (1e4, 100), (1e6, 100)] {
        let rope = |kind: Stiffness| {
            let mut blueprint = chain(50, 0.02, stiffness, Law::Linear, 0.002);
            blueprint.fixed = vec![0];
            blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
            blueprint.stiffness = kind;
            blueprint.build().unwrap()
        };
        let start = rope(Stiffness::Exact).state_at_rest();
        let way = |model: &Model, name: &str, finer: usize| -> Option<Vec<State>> {
            let mut stepper = make(method(name), model, &modes);
            let mut state = start.clone();
            let h = 1.0 / (finer * steps) as f64;
            let step = |_| {
                (0..3 * finer).try_for_each(|_| stepper.step(model, &mut state, h).map(|_| ())).map(|()| state.clone())
            };
            (0..steps / 3).map(step).collect::<Result<_, _>>().ok()
        };
        let fine = way(&rope(Stiffness::Exact), "implicit-midpoint", 10).unwrap();
        let size = fine.iter().map(|fine| distance(fine, &start)).fold(0.0, f64::max);
        for name in ["linearly-implicit-euler", "siere"] {
            let [exact, automatic] = [Stiffness::Exact, Stiffness::Auto].map(|kind| {
                let way = way(&rope(kind), name, 1).unwrap_or_default();
                let off = way.iter().zip(&fine).map(|(found, fine)| distance(found, fine)).fold(0.0, f64::max) / size;
                if way.len() == fine.len() { off } else { f64::INFINITY }
            });
            println!("{stiffness:e} N/m, {name}: {exact:.4} exact, {automatic:.4} automatic");
            // The last few percent are those of the rope that hardly stretches.
            assert!(automatic < 1.02 * exact + 0.03, "{stiffness:e} N/m, {name}: {exact} and {automatic}");
        }
    }
}

#[test]
fn soft_bodies_lose_no_accuracy_by_default() {
    let options = default_options().with(&parameters::MODES, Modes::Auto);
    for young in [1e4, 1e5] {
        let turning = spinning(young, Stiffness::Exact);
        let fine = turning.end(method("implicit-midpoint"), &options, 500).unwrap();
        for name in ["linearly-implicit-euler", "siere"] {
            let error = |kind: Stiffness| {
                let end = spinning(young, kind).end(method(name), &options, 50).unwrap();
                distance(&end, &fine) / distance(&fine, &turning.start)
            };
            let [exact, automatic] = [Stiffness::Exact, Stiffness::Auto].map(error);
            println!("{young:e} Pa, {name}: {exact:.4} exact, {automatic:.4} automatic");
            assert!(automatic < 1.02 * exact + 1e-4, "{young:e} Pa, {name}: {exact} exact, {automatic} automatic");
        }
    }
}

/// Small vibrations at rest, where the turned stiffness is the exact one: all energy that is lost is lost to numerical damping.
#[test]
fn what_unresolved_damping_takes_is_told() {
    for [alpha, beta] in [[0.0, 0.0], [0.5, 1e-4]] {
        let mut blueprint = chain(10, 0.1, 1e4, Law::Linear, 0.1);
        (blueprint.fixed, blueprint.stiffness, blueprint.damping) = (vec![0], Stiffness::Turned, [alpha, beta]);
        let model = blueprint.build().unwrap();
        let energy = |state: &State| model.potential(state.t, &state.x) + model.kinetic(state);
        let mut state = model.state_at_rest();
        (0..model.free_nodes()).for_each(|i| state.v[3 * i] = 1e-3 * (i as f64).sin());
        let mut stepper = make(method("ere"), &model, &default_options());
        let (h, before) = (0.002, energy(&state));
        let taken: f64 = (0..20).map(|_| stepper.step(&model, &mut state, h).unwrap().numerical_damping).sum();
        let lost = before - energy(&state);
        println!("damping {alpha}, {beta}: {taken:e} of {lost:e} J by numerical damping");
        // That of the scene takes its own share.
        let (numerical, share) = (0.1 * h, taken / lost);
        let expected = if alpha == 0.0 { 1.0 } else { numerical / (numerical + beta) };
        assert!((share - expected).abs() < if alpha == 0.0 { 1e-6 } else { 0.1 }, "{share} of {expected}");
    }
}
