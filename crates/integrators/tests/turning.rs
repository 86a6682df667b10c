//! Stiff bodies that turn: a bar hinged along an edge and a bar that spins freely, beside the rigid body that they nearly are;
//! a chain and a body of stiff springs.
//!
//! A step that is linear in the displacements turns a body along a tangent and stretches it. Methods that linearise once per
//! step with the exact stiffness then hold a stiff body fast. With the automatic one, the default, and with the turned one they
//! do not.

mod problems;

use integrators::{Family, FrameKind, LinearPart, METHODS, Method, Modes, Options, StepError, Unresolved, parameters};
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

/// A block of 27 nodes of soft edges and stiff diagonals, from nodes to faces, hinged along an edge of its top.
fn hinged_springs(stiffness: f64, kind: Stiffness) -> Model {
    block_of_springs(1.0, 1.0, stiffness, kind)
}

/// The same, hinged at some height, with these node masses.
fn block_of_springs(hinge: f64, mass: f64, stiffness: f64, kind: Stiffness) -> Model {
    let mesh = cuboid([1.0; 3], [2; 3]);
    let on_hinge = |p: &[f64; 3]| p[0].abs() + (p[2] - hinge).abs() < 1e-9;
    let fixed = (0..).zip(&mesh.points).filter(|(_, p)| on_hinge(p)).map(|(i, _)| i).collect();
    let node_masses = (0..27).map(|i| (i, mass)).collect();
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

/// Error at the end of springs that turn after some steps; infinite where a step fails. That of the chain is in metres, that of the body
/// relative to its motion.
fn error_of_springs(springs: Springs, name: &str, k: f64, kind: Stiffness, finer: usize) -> f64 {
    let (what, build, duration, h) = springs;
    let steps = (duration / h).round() as usize;
    let options = default_options().with(&parameters::ITERATIONS, 50);
    let at_rest = build(k, Stiffness::Turned);
    let start = at_rest.state_at_rest();
    let fine = run(method("implicit-midpoint"), &options, &at_rest, &start, duration, 80 * steps).unwrap();
    let motion = if what == "body" { distance(&fine, &start) } else { 1.0 };
    let end = run(method(name), &options, &build(k, kind), &start, duration, finer * steps);
    end.map_or(f64::INFINITY, |end| distance(&end, &fine) / motion)
}

/// Beside the errors that a prototype in another language has with the same bodies and steps.
#[test]
fn stiff_springs_turn() {
    // The body at 1/18 and 1/72 s, the chain at 20 and 10 ms.
    let prototype = |what: &str, k: f64| match (what, k) {
        ("body", 1e4) => [0.012, 0.0050],
        ("body", _) => [0.0094, 0.0026],
        (_, 1e3) => [0.047, 0.028],
        _ => [0.019, 0.013],
    };
    for springs in SPRINGS {
        let what = springs.0;
        let finer = [1, if what == "body" { 4 } else { 2 }];
        let soft = if what == "body" { 1e4 } else { 1e3 };
        let errors = |kind: Stiffness| {
            [soft, 1e6, 1e8, 1e10, 1e12].map(|k| {
                let found = finer.map(|n| error_of_springs(springs, "linearly-implicit-euler", k, kind, n));
                println!("{what}, {k:.0e} N/m, {}: {found:.4?}", kind.name());
                (k, found)
            })
        };
        let exact = errors(Stiffness::Exact);
        let turned = errors(Stiffness::Turned);
        for (k, found) in turned {
            let ratios = found.iter().zip(prototype(what, k)).map(|(found, known)| found / known);
            assert!(ratios.into_iter().all(|ratio| (ratio - 1.0).abs() < 0.2), "{what}, {k:e}: {found:?}");
        }
        // Tension of the chain beyond what the step bears stays in the automatic matrix, and damps: 0.04 m instead of 0.02 m.
        let automatic = if what == "chain" { 8.0 } else { 20.0 };
        for (ours, times) in [(turned, 20.0), (errors(Stiffness::Auto), automatic)] {
            let [_, (_, [first, _]), .., (_, [last, _])] = ours;
            assert!(last < 1.2 * first, "{what}: {ours:?}");
            let stiff = ours.iter().zip(&exact).skip(1);
            assert!(stiff.into_iter().all(|((_, ours), (_, exact))| times * ours[0] < exact[0]), "{what}: {ours:?}");
        }
    }
}

/// Exponential methods with their numerical damping, as springs get stiffer.
#[test]
fn exponential_methods_damp_what_they_do_not_resolve() {
    let [chain, body] = SPRINGS;
    let stiff = [1e6, 1e8, 1e10];
    for (springs, name, stiff, most) in
        [(body, "ere", stiff, 0.002), (body, "gautschi", stiff, 0.002), (chain, "ere", [1e5, 1e6, 1e8], 0.2)]
    {
        let errors = stiff.map(|k| error_of_springs(springs, name, k, Stiffness::Turned, 1));
        println!("{}, {name}: {errors:.4?}", springs.0);
        assert!(errors[2] < 1.2 * errors[0] && errors[2] < most, "{}, {name}: {errors:?}", springs.0);
    }
}

#[test]
fn newton_with_the_turned_stiffness_needs_as_many_iterations_for_any_stiffness() {
    let iterations = |model: Model, duration: f64, h: f64| -> Result<u64, StepError> {
        let options = Options::default().with(&parameters::ITERATIONS, 100);
        let mut stepper = make(method("implicit-midpoint"), &model, &options);
        let mut state = model.state_at_rest();
        let mut step = |_| Ok(stepper.step(&model, &mut state, h)?.newton);
        (0..(duration / h).round() as usize).map(&mut step).sum()
    };
    for (name, build, duration, h) in SPRINGS {
        let of = |k: f64, kind: Stiffness| iterations(build(k, kind), duration, h).unwrap();
        let exact = [1e6, 1e8].map(|k| of(k, Stiffness::Exact));
        let turned = [1e4, 1e6, 1e8, 1e10, 1e12].map(|k| of(k, Stiffness::Turned));
        println!("{name}: {exact:?} exact, {turned:?} turned");
        assert!(2 * turned[4] < 3 * turned[0], "{name}: {turned:?}");
        assert!(exact[1] > 2 * exact[0], "{name}: {exact:?}");
    }
    // Upside down a light body turns so fast that pressure, as an iteration predicts it, exceeds what inertia holds.
    let falling =
        [1e6, 1e12].map(|k| iterations(block_of_springs(0.0, 1.0 / 27.0, k, Stiffness::Turned), 1.0, 1.0 / 18.0));
    println!("falling body: {falling:?}");
    assert!(falling.iter().all(|count| count.as_ref().is_ok_and(|count| *count < 150)), "{falling:?}");
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
    let damps = METHODS.iter().filter(|method| method.reads(&parameters::UNRESOLVED_DAMPING.parameter));
    for (method, kind) in damps.flat_map(|method| [Stiffness::Turned, Stiffness::Exact].map(|kind| (method, kind))) {
        for [alpha, beta] in [[0.0, 0.0], [0.5, 1e-4]] {
            let mut blueprint = chain(10, 0.1, 1e4, Law::Linear, 0.1);
            (blueprint.fixed, blueprint.stiffness, blueprint.damping) = (vec![0], kind, [alpha, beta]);
            let model = blueprint.build().unwrap();
            let energy = |state: &State| model.potential(state.t, &state.x) + model.kinetic(state);
            let mut state = model.state_at_rest();
            (0..model.free_nodes()).for_each(|i| state.v[3 * i] = 1e-3 * (i as f64).sin());
            let options = default_options().with(&parameters::UNRESOLVED_DAMPING, Unresolved::Factor(0.1));
            let mut stepper = make(method, &model, &options);
            let (h, before) = (0.002, energy(&state));
            let taken: f64 = (0..20).map(|_| stepper.step(&model, &mut state, h).unwrap().numerical_damping).sum();
            let lost = before - energy(&state);
            let what = format!("{}, {}, damping {alpha}, {beta}", method.name, kind.name());
            println!("{what}: {taken:e} of {lost:e} J by numerical damping");
            // That of the scene takes its own share.
            let (numerical, share) = (0.1 * h, taken / lost);
            let expected = if alpha == 0.0 { 1.0 } else { numerical / (numerical + beta) };
            assert!((share - expected).abs() < if alpha == 0.0 { 1e-6 } else { 0.1 }, "{what}: {share} of {expected}");
        }
    }
}

/// It is there where the stiffness is the turned one, and nowhere else unless a scene asks for it.
#[test]
fn unresolved_damping_belongs_to_the_turned_stiffness() {
    let taken_in = |frame: FrameKind, name: &str, kind: Stiffness, chosen: Unresolved| {
        let mut blueprint = chain(10, 0.1, 1e4, Law::Linear, 0.1);
        (blueprint.fixed, blueprint.stiffness) = (vec![0], kind);
        let model = blueprint.build().unwrap();
        let mut state = model.state_at_rest();
        (0..model.free_nodes()).for_each(|i| state.v[3 * i] = 1e-3 * (i as f64).sin());
        let options = default_options().with(&parameters::UNRESOLVED_DAMPING, chosen).with(&parameters::FRAME, frame);
        make(method(name), &model, &options).step(&model, &mut state, 0.002).unwrap().numerical_damping
    };
    let taken = |name: &str, kind: Stiffness, chosen: Unresolved| taken_in(FrameKind::Fixed, name, kind, chosen);
    for name in ["ere", "gautschi", "exprb42", "pexprb43", "epirk4s3"] {
        let given = taken(name, Stiffness::Turned, Unresolved::Factor(0.1));
        assert_eq!(taken(name, Stiffness::Turned, Unresolved::Auto), given, "{name}");
        assert!(given > 0.0 && taken(name, Stiffness::Turned, Unresolved::Factor(0.0)) == 0.0, "{name}: {given}");
        assert_eq!(taken(name, Stiffness::Exact, Unresolved::Auto), 0.0, "{name}");
        // Matrices of stages in a frame that turns are not symmetric, and damping only costs.
        let turning = taken_in(FrameKind::Turning, name, Stiffness::Turned, Unresolved::Auto);
        assert_eq!(turning > 0.0, ["ere", "gautschi"].contains(&name), "{name}: {turning}");
    }
}
