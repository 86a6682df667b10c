//! Promises of exponential methods beyond the contracts: exact on linear problems with every algorithm for matrix
//! functions, honest error estimates, adaptive steps within their tolerance.

mod problems;

use integrators::{
    FrameKind, Krylov, LinearPart, METHODS, Options, StepError, StepReport, Unresolved, Words, parameters,
};
use model::energy::spring::Law;
use model::script::Motion;
use model::{Blueprint, Model, State};
use numerics::functions::FunctionError;
use problems::*;

/// A linear body under gravity, with lumped or consistent mass.
fn linear_body(damping: [f64; 2], at_rest: bool, consistent: bool) -> Blueprint {
    let mut blueprint = solid(cuboid([0.4, 0.1, 0.1], [4, 1, 1]), "linear", 1e5, 0.3, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    blueprint.damping = damping;
    blueprint.damp_at_rest = at_rest;
    blueprint.consistent_mass = consistent;
    blueprint
}

fn disturbed(model: &Model) -> State {
    let mut state = model.state_at_rest();
    for (i, v) in state.v[..model.dofs()].iter_mut().enumerate() {
        *v = 0.1 * (i as f64).sin();
    }
    state
}

/// Returns the largest difference of velocities [m/s].
fn difference_of_velocities(a: &State, b: &State) -> f64 {
    a.v.iter().zip(&b.v).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

#[test]
fn linear_problems_are_solved_exactly_in_one_step() {
    for (damping, at_rest, consistent) in [
        ([0.0, 0.0], false, false),
        ([0.5, 0.0], false, false),
        ([0.5, 1e-3], false, false),
        ([0.5, 1e-3], true, false),
        ([0.0, 0.0], false, true),
        ([0.2, 5e-3], true, true),
    ] {
        let model = linear_body(damping, at_rest, consistent).build().unwrap();
        let start = disturbed(&model);
        // h omega_max is about 14 (30 with the consistent mass): other methods need hundreds of steps.
        let h = 0.02;
        let reference = run(method("rk4"), &tight(), &model, &start, h, 40_000).unwrap();
        for method in METHODS.iter().filter(|m| m.exact_on_linear) {
            let end = run(method, &tight(), &model, &start, h, 1).unwrap();
            let errors = [distance(&end, &reference) / h, difference_of_velocities(&end, &reference)];
            println!("{damping:?} {at_rest} {consistent} {}: {errors:?}", method.name);
            let what = format!("{}, damping {damping:?}, at rest {at_rest}, consistent {consistent}", method.name);
            assert!(errors.iter().all(|e| *e < 1e-10), "{what}: {errors:?} m/s of about 0.1");
        }
    }
}

#[test]
fn a_scripted_end_that_moves_at_constant_speed_is_followed_exactly() {
    for damping in [[0.0, 0.0], [0.3, 2e-3]] {
        let mut blueprint = linear_body(damping, false, false);
        let motion = Motion::Keyframes { times: vec![0.0, 1.0], offsets: vec![[0.0; 3], [0.0, 0.3, 0.6]] };
        blueprint.scripts = vec![(std::mem::take(&mut blueprint.fixed), motion)];
        let model = blueprint.build().unwrap();
        let start = disturbed(&model);
        let h = 0.02;
        let reference = run(method("rk4"), &tight(), &model, &start, h, 40_000).unwrap();
        for method in METHODS.iter().filter(|m| m.exact_on_linear && m.name != "gautschi") {
            let end = run(method, &tight(), &model, &start, h, 1).unwrap();
            let errors = [distance(&end, &reference) / h, difference_of_velocities(&end, &reference)];
            assert!(errors.iter().all(|e| *e < 1e-10), "{} {damping:?}: {errors:?} m/s", method.name);
        }
    }
}

#[test]
fn every_way_to_compute_matrix_functions_gives_the_same_step() {
    for (damping, at_rest, ways) in [
        ([0.0, 0.0], false, &[Krylov::Expokit, Krylov::Kiops, Krylov::Taylor, Krylov::Leja][..]),
        ([0.5, 0.01], false, &[Krylov::Rational, Krylov::Expokit, Krylov::Kiops, Krylov::Taylor, Krylov::Leja][..]),
        ([0.5, 0.01], true, &[Krylov::Rational, Krylov::Expokit, Krylov::Taylor, Krylov::Leja][..]),
    ] {
        let mut blueprint = solid(cuboid([0.4, 0.1, 0.1], [4, 1, 1]), "neo-hookean", 1e5, 0.3, 1000.0);
        blueprint.fixed = group(&blueprint.mesh, "x-");
        blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
        blueprint.damping = damping;
        blueprint.damp_at_rest = at_rest;
        let model = blueprint.build().unwrap();
        let start = disturbed(&model);
        let step = |krylov: Krylov, krylov_tolerance: f64| {
            let options = Options::default()
                .with(&parameters::KRYLOV, krylov)
                .with(&parameters::KRYLOV_TOLERANCE, krylov_tolerance);
            run(method("ere"), &options, &model, &start, 0.02, 1).unwrap()
        };
        let reference = step(if at_rest { Krylov::Kiops } else { Krylov::Lanczos }, 1e-11);
        for &krylov in ways {
            let end = step(krylov, 1e-8);
            let error = difference_of_velocities(&end, &reference);
            assert!(error < 1e-7, "{krylov:?} with damping {damping:?}, at rest {at_rest}: {error:e} m/s");
        }
    }
}

#[test]
fn variable_steps_keep_their_tolerance() {
    let problem = &nonlinear_problems()[1];
    let Problem { model, start, duration, steps, .. } = problem;
    let reference = run(method("rk4"), &tight(), model, start, *duration, 200 * steps).unwrap();
    for name in ["epirk4s3", "pexprb43", "exprb42"] {
        let mut found = Vec::new();
        for step_tolerance in [1e-3, 1e-5, 1e-7] {
            let options = Options::default()
                .with(&parameters::ADAPTIVE, true)
                .with(&parameters::STEP_TOLERANCE, step_tolerance)
                .with(&parameters::KRYLOV_TOLERANCE, 1e-12);
            let mut stepper = make(method(name), model, &options);
            let mut state = start.clone();
            let mut work = StepReport::default();
            for _ in 0..4 {
                work.add(&stepper.step(model, &mut state, duration / 4.0).unwrap());
            }
            let error = distance(&state, &reference);
            println!(
                "{name} {step_tolerance:e}: error {error:.1e} m, {} steps, {} refused",
                work.substeps, work.rejected
            );
            found.push((error, work.forces));
        }
        // A hundredth of the tolerance: a smaller error for more work, and no error far beyond the tolerance.
        assert!(found.windows(2).all(|w| w[1].0 < 0.2 * w[0].0 && w[1].1 > w[0].1), "{name}: {found:?}");
        assert!(found[2].0 < 1e-6, "{name}: {found:?}");
    }
}

#[test]
fn a_gautschi_step_with_its_linear_part_turned_survives_the_rotation_that_the_other_does_not() {
    // A stiff chain with a large swing: its stiffness at rest has the wrong direction.
    let mut blueprint = chain(6, 0.1, 1e5, Law::Linear, 0.02);
    blueprint.fixed = vec![0];
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    let model = blueprint.build().unwrap();
    let start = model.state_at_rest();
    let reference = run(method("rk4"), &tight(), &model, &start, 0.2, 20_000).unwrap();
    let error = |linear_part: LinearPart| {
        let options = tight().with(&parameters::LINEAR_PART, linear_part);
        run(method("gautschi"), &options, &model, &start, 0.2, 400)
            .map_or(f64::INFINITY, |end| distance(&end, &reference))
    };
    let [at_rest, turned] = [LinearPart::Rest, LinearPart::Corotational].map(error);
    println!("at rest {at_rest:e}, turned {turned:e}");
    assert!(turned < 0.1 * at_rest.min(1.0), "at rest {at_rest:e} m, turned {turned:e} m");
}

/// The 2017 paper calls epirk4s3 insensitive to stiffness. On a swinging chain, where stiff directions rotate, it is
/// the most accurate method while h omega is small, and the first to explode when it is not (ERRATA.md).
#[test]
fn a_swinging_chain_shows_which_methods_stiffness_disturbs() {
    let error = |name: &str, stiffness: f64| {
        let mut blueprint = chain(6, 1.0 / 6.0, stiffness, Law::Linear, 1.0 / 6.0);
        blueprint.fixed = vec![0];
        blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
        let model = blueprint.build().unwrap();
        let start = model.state_at_rest();
        let steps = (40.0 * stiffness.sqrt()) as usize;
        let reference = run(method("rk4"), &tight(), &model, &start, 0.4, steps).unwrap();
        run(method(name), &tight(), &model, &start, 0.4, 80).map_or(f64::INFINITY, |end| distance(&end, &reference))
    };
    let [soft, stiff] =
        [1e3, 1e6].map(|k| ["ere", "pexprb43", "epirk4s3", "implicit-midpoint"].map(|name| error(name, k)));
    println!("k = 1e3: {soft:?}\nk = 1e6: {stiff:?}");
    let [_, pexprb43, epirk4s3, midpoint] = soft;
    assert!(epirk4s3 < pexprb43 && pexprb43 < 0.1 * midpoint, "{soft:?}");
    let [ere, _, epirk4s3, midpoint] = stiff;
    assert!((epirk4s3 > 1.0 || epirk4s3.is_nan()) && ere > 10.0 * midpoint && midpoint < 1e-3, "{stiff:?}");
}

/// A mass that circles about a pivot on a stiff spring, undamped and linearised in a frame at rest. Methods stay bounded up
/// to an angle per step that falls as 1 / (h omega): theta h omega < 2.6 with ere (ERRATA.md).
#[test]
fn a_whirled_mass_shows_how_far_a_stiff_spring_may_turn_in_a_step() {
    let fixed = |options: Options| options.with(&parameters::FRAME, FrameKind::Fixed);
    let is_bounded = |options: &Options, name: &str, h_omega: f64, theta: f64| {
        // A spring of 1 m, a mass of 1 kg and steps of 1 s: k = (h omega)^2, and theta is the angular velocity.
        let mut blueprint = chain(1, 1.0, h_omega * h_omega, Law::Linear, 1.0);
        blueprint.fixed = vec![0];
        let model = blueprint.build().unwrap();
        let mut state = model.state_at_rest();
        // The circle on which the pull of the spring holds the mass.
        let radius = 1.0 / (1.0 - (theta / h_omega).powi(2));
        let pivot: [f64; 3] = std::array::from_fn(|c| state.x[3 + c]);
        let along: [f64; 3] = std::array::from_fn(|c| state.x[c] - pivot[c]);
        let across = if along[2].abs() > 0.5 { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] };
        for c in 0..3 {
            state.x[c] = pivot[c] + radius * along[c];
            state.v[c] = radius * theta * across[c];
        }
        let mut stepper = make(method(name), &model, options);
        (0..150).all(|_| {
            let stepped = stepper.step(&model, &mut state, 1.0).is_ok();
            let reach: f64 = (0..3).map(|c| (state.x[c] - pivot[c]).powi(2)).sum::<f64>().sqrt();
            stepped && (0.5 * radius..2.0 * radius).contains(&reach)
        })
    };
    let tight = fixed(tight());
    let limit = |name: &str, h_omega: f64| {
        let [mut low, mut high] = [1e-3_f64, 2.0];
        for _ in 0..14 {
            let middle = (low * high).sqrt();
            *if is_bounded(&tight, name, h_omega, middle) { &mut low } else { &mut high } = middle;
        }
        low * h_omega
    };
    for h_omega in [10.0, 30.0, 100.0] {
        let [ere, epirk4s3] = ["ere", "epirk4s3"].map(|name| limit(name, h_omega));
        println!("h omega = {h_omega}: theta h omega < {ere:.2} (ere), {epirk4s3:.2} (epirk4s3)");
        assert!((2.4..3.2).contains(&ere), "{h_omega}: {ere}");
        // Its nodes at 1/8 and 1/9 of the step do not resolve the spring beyond h omega of about 30.
        assert!(epirk4s3 < if h_omega < 20.0 { 2.0 } else { 0.4 * ere }, "{h_omega}: {epirk4s3}");
    }
    // With numerical damping of what the step does not resolve ere has no such limit.
    let damped = fixed(Options::default()).with(&parameters::UNRESOLVED_DAMPING, Unresolved::Factor(0.1));
    for h_omega in [10.0, 100.0, 1000.0] {
        for theta in [0.1, 0.5, 1.0] {
            assert!(is_bounded(&damped, "ere", h_omega, theta), "h omega {h_omega}, theta {theta}");
        }
    }
}

/// A level rope at rest: its stiffness resists no transverse load, and Krylov spaces end after two or three vectors.
#[test]
fn a_level_rope_begins_to_fall_however_matrix_functions_are_computed() {
    for stiffness in [1.0, 1e3] {
        let mut blueprint = chain(50, 0.02, stiffness, Law::Linear, 2e-3);
        blueprint.fixed = vec![0];
        blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
        blueprint.damping = [0.01, 0.01];
        blueprint.damp_at_rest = true;
        let model = blueprint.build().unwrap();
        let start = model.state_at_rest();
        let h = 1.0 / 60.0;
        let fallen = 0.5 * GRAVITY[2] * h * h;
        for (word, krylov) in Krylov::WORDS {
            for krylov_tolerance in [1e-3, 1e-8, 1e-13] {
                for name in ["ere", "gautschi"] {
                    let what = format!("{name} {word} {krylov_tolerance:.0e} {stiffness}");
                    let options = Options::default()
                        .with(&parameters::KRYLOV, *krylov)
                        .with(&parameters::KRYLOV_TOLERANCE, krylov_tolerance);
                    let end = match run(method(name), &options, &model, &start, h, 1) {
                        Ok(end) => end,
                        // Expokit takes twenty steps, and reports their accumulated rounding error where it is too
                        // large.
                        Err(StepError::Functions(FunctionError::NotConverged { error, .. }))
                            if *word == "expokit" && krylov_tolerance < 1e-12 && error < 1e-11 =>
                        {
                            continue;
                        }
                        Err(error) => panic!("{what}: {error}"),
                    };
                    let z = end.x[..model.dofs()].chunks_exact(3).map(|x| x[2]);
                    let error = z.fold(0.0, |most: f64, z| most.max((z / fallen - 1.0).abs()));
                    // Damping by mass slows the fall by alpha h / 3.
                    assert!(error < 2e-4 + krylov_tolerance, "{what}: {error:e}");
                }
            }
        }
    }
}

/// A body far too stiff for its step costs no more than the limit, and the error states the limit.
#[test]
fn work_in_a_step_has_a_bound() {
    for (damping, at_rest) in [([0.0, 0.0], false), ([0.0, 1e-9], true)] {
        let mut blueprint = chain(10, 1.0, 1e9, Law::Linear, 1e-3);
        blueprint.damping = damping;
        blueprint.damp_at_rest = at_rest;
        let model = blueprint.build().unwrap();
        let start = disturbed(&model);
        for method in METHODS.iter().filter(|method| method.reads(&parameters::PRODUCTS.parameter)) {
            for adaptive in [false, true] {
                for (word, krylov) in Krylov::WORDS.iter().filter(|(_, krylov)| *krylov != Krylov::Rational) {
                    let options = Options::default()
                        .with(&parameters::KRYLOV, *krylov)
                        .with(&parameters::PRODUCTS, 2000)
                        .with(&parameters::ADAPTIVE, adaptive);
                    let result = make(method, &model, &options).step(&model, &mut start.clone(), 0.1);
                    let what = format!("{} {word}, adaptive {adaptive}: {result:?}", method.name);
                    let bound = StepError::Functions(FunctionError::TooMuchWork { most: 2000 });
                    // Expokit works on (y, y') unscaled, and may lose all digits first.
                    let gave_up = |error: &StepError| {
                        matches!(error, StepError::Functions(FunctionError::NotConverged { .. }))
                            && *krylov == Krylov::Expokit
                    };
                    assert!(result.is_err_and(|error| error == bound || gave_up(&error)), "{what}");
                }
            }
        }
    }
}
