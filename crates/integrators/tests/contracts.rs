//! Contracts that every method of the table fulfils.

mod problems;

use integrators::{EnergyBehaviour, Family, METHODS, Method, Options, StepError, find, parameters, settings};
use model::energy::ElementKind;
use model::energy::contact::Obstacle;
use model::energy::spring::Law;
use model::material::MATERIALS;
use model::parameter::{Kind, Parameter, Range, Value};
use model::script::Motion;
use model::{Model, SpringPart};
use numerics::linear::SolverKind;
use problems::*;

#[test]
fn names_and_options_of_the_table_are_sound() {
    let mut names: Vec<&str> = METHODS.iter().flat_map(|m| m.aliases.iter().copied().chain([m.name])).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "two methods share a name");
    for method in METHODS {
        assert!(std::ptr::eq(find(method.name).unwrap(), method));
    }
}

/// Fails for a default out of range, and for a parameter without a range.
#[test]
fn every_parameter_can_be_set_and_read_back() {
    for parameter in settings() {
        let name = parameter.name;
        let values: Vec<Value> = match parameter.kind {
            Kind::Number { range: Range::Within { min, max }, .. } => vec![min.into(), max.into()],
            Kind::Count { range, .. } => range.map(|n| f64::from(n).into()).to_vec(),
            Kind::CountOr { range, word } => {
                range.map(|n| f64::from(n).into()).into_iter().chain([word.into()]).collect()
            }
            Kind::NumberOr { range: Range::Within { min, max }, word } => vec![min.into(), max.into(), word.into()],
            Kind::Flag => vec![Value::Flag(true), Value::Flag(false)],
            Kind::Word { choices } => choices.iter().map(|word| (*word).into()).collect(),
            kind => panic!("{name} is of a kind that no method reads: {kind:?}"),
        };
        assert!(values.len() > 1 && values[0] != values[1], "{name} leaves no choice");
        for value in values {
            let mut options = Options::default();
            assert!(options.put(parameter, &value), "{name} cannot be set");
            assert_eq!(options.value(parameter), Some(value), "{name}");
        }
        // The default is of its own kind and in its own range; set, it is as if not set.
        let default = parameter.default.value().unwrap();
        let mut options = Options::default();
        assert_eq!(options.value(parameter), Some(default.clone()), "{name}");
        assert!(options.put(parameter, &default) && options == Options::default(), "{name}: default {default}");
        for wrong in [Value::from("nonsense"), Value::from(-1.0), Value::from(f64::NAN), Value::from(1e10)] {
            assert!(!options.put(parameter, &wrong) && options == Options::default(), "{name} = {wrong}");
        }
    }
}

/// Fails where two methods declare different parameters of one name, and where one is missing in `parameters`.
#[test]
fn every_parameter_is_declared_once_and_is_public() {
    let public = include_str!("../src/parameters.rs");
    let public: Vec<&str> = public.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    for parameter in settings() {
        let name = parameter.name;
        assert!(public.contains(&name.to_uppercase().as_str()), "{name} is not in src/parameters.rs");
        for own in METHODS.iter().flat_map(|method| method.parameters).filter(|own| own.name == name) {
            let facts = |p: &Parameter| (p.kind, p.default, p.doc, p.unit);
            assert_eq!(facts(own), facts(parameter), "{name}");
        }
    }
}

#[test]
fn options_are_equal_if_they_read_the_same() {
    let set = Options::default().with(&parameters::ITERATIONS, 7).with(&parameters::SOLVER, SolverKind::Pcg);
    assert_ne!(set, Options::default());
    assert_eq!(set, Options::default().with(&parameters::SOLVER, SolverKind::Pcg).with(&parameters::ITERATIONS, 7));
    let back = set.with(&parameters::ITERATIONS, 20).with(&parameters::SOLVER, SolverKind::Auto);
    assert_eq!(back, Options::default());
}

/// Rounding error of positions in these problems [m].
const ROUNDING: f64 = 1e-14;

#[test]
fn order_is_as_declared_on_nonlinear_problems() {
    for problem in nonlinear_problems() {
        let Problem { name, model, start, duration, steps, .. } = &problem;
        let reference = run(method("rk4"), &tight(), model, start, *duration, 64 * steps).unwrap();
        for (method, options) in problem.variants(&tight()) {
            let label = label(method, &options);
            // Fine enough for the leading error term, coarse enough to stay above rounding: the small errors of
            // high-order methods are halved as long as a sixteenth of them is well above it.
            let start_at = [16, 8, 2, 1][method.order as usize - 1];
            let error = |n: usize| {
                let end = run(method, &options, model, start, *duration, n * start_at * steps).unwrap();
                distance(&end, &reference)
            };
            let (coarse, mut fine, mut halvings) = (error(1), error(2), 1);
            while method.order > 2 && fine > 160.0 * ROUNDING && halvings < 4 {
                halvings += 1;
                fine = error(1 << halvings);
            }
            let order = (coarse / fine).log2() / f64::from(halvings);
            println!("{name}, {label}: {coarse:.2e} {fine:.2e} order {order:.3}");
            // The leading errors of fourth-order exponential methods are so small that the next ones show near
            // rounding.
            let declared = f64::from(method.order);
            let is_tiny = method.family == Family::Exponential && method.order == 4;
            let most = declared + if is_tiny { 0.6 } else { 0.1 };
            assert!(order >= declared - 0.1 && order <= most, "{name}, {label}: order {order:.3}");
        }
    }
}

#[test]
fn energy_behaves_as_declared() {
    // A block released from a stretch; its slowest axial period is 4 L / c = 0.16 s.
    let mesh = cuboid([0.4, 0.1, 0.1], [4, 1, 1]);
    let mut blueprint = solid(mesh, "stable-neo-hookean", 1e5, 0.3, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    let model = blueprint.build().unwrap();
    let mut start = model.state_at_rest();
    start.x.chunks_mut(3).for_each(|x| x[0] *= 1.05);
    let energy = |state: &model::State| model.potential(state.t, &state.x) + model.kinetic(state);
    let before = energy(&start);
    for (method, options) in variants(&tight()) {
        let label = label(method, &options);
        let kept = |duration: f64, steps: usize| {
            run(method, &options, &model, &start, duration, steps).map(|end| energy(&end) / before)
        };
        // Largest change over 10 s, not only at the end.
        let drift = |h: f64| {
            let mut stepper = make(method, &model, &options);
            let mut state = start.clone();
            (0..(10.0 / h) as usize).fold(0.0_f64, |drift, _| {
                stepper.step(&model, &mut state, h).unwrap();
                drift.max((energy(&state) / before - 1.0).abs())
            })
        };
        match method.energy {
            EnergyBehaviour::Conserves => {
                let drift = drift(0.005);
                assert!(drift < 0.02, "{label}: drifts by {drift}");
            }
            EnergyBehaviour::Drifts => {
                let (coarse, fine) = (drift(0.005), drift(0.0025));
                println!("{label}: drifts by {coarse:.4}, with half the step by {fine:.4}");
                assert!(coarse < 0.2 && fine < 0.4 * coarse, "{label}: drifts by {coarse}, then {fine}");
            }
            EnergyBehaviour::Damps => {
                let (some, most) = (kept(0.1, 100).unwrap(), kept(0.4, 80).unwrap());
                assert!(some < 0.9999 && most < some, "{label}: {some} {most}");
            }
            EnergyBehaviour::ConditionallyStable { .. } => {
                let kept_of_small = kept(0.4, 4000).unwrap();
                assert!((kept_of_small - 1.0).abs() < 0.02, "{label}: {kept_of_small}");
                let large = kept(40.0, 800);
                assert!(large.is_err() || large.is_ok_and(|kept| kept > 1e3), "{label}: stable");
            }
        }
    }
}

#[test]
fn the_stable_limit_is_as_declared() {
    for method in METHODS {
        let EnergyBehaviour::ConditionallyStable { limit } = method.energy else { continue };
        let model = oscillator(1.0).build().unwrap();
        let mut start = model.state_at_rest();
        start.x[0] = 1.0;
        let grown = |h: f64| run(method, &tight(), &model, &start, 400.0 * h, 400).unwrap().x[0].abs();
        // RK4 is stable to 2.785 on the real axis, which damping may reach, and to 2.828 without.
        assert!(grown(0.99 * limit) < 10.0 && grown(1.03 * limit) > 1e3, "{}", method.name);
    }
}

#[test]
fn momentum_of_a_free_body_is_conserved() {
    let blueprint = || solid(cuboid([0.3, 0.2, 0.1], [3, 2, 1]), "neo-hookean", 1e5, 0.3, 1000.0);
    let model = blueprint().build().unwrap();
    let mut start = model.state_at_rest();
    for (x, v) in start.x.chunks_mut(3).zip(start.v.chunks_mut(3)) {
        v.copy_from_slice(&[0.3 - x[1], 0.1 + x[0], 0.2 + 0.5 * x[0]]);
        x[2] *= 1.1;
    }
    let before = model.momentum(&start.v);
    let drift = |model: &Model, method: &Method, options: &Options| {
        let end = run(method, options, model, &start, 0.05, 200).unwrap();
        assert!(end.v != start.v, "{}: nothing moved", label(method, options));
        let after = model.momentum(&end.v);
        (0..3).map(|c| (after[c] - before[c]).abs()).fold(0.0, f64::max) / before[0].abs()
    };
    // However loosely a step is solved: momentum does not depend on the tolerance.
    let loose = Options::default().with(&parameters::SOLVER_TOLERANCE, 0.1);
    for (method, options) in [tight(), Options::default(), loose].iter().flat_map(variants) {
        let drift = drift(&model, method, &options);
        let label = label(method, &options);
        assert!(
            drift < 1e-10,
            "{label} to {:e}: momentum drifts by {drift:e}",
            options.get(&parameters::SOLVER_TOLERANCE)
        );
    }
    // With a region of the same body; methods that declare not to conserve momentum do not.
    let cut = with_tip(blueprint(), 3).build().unwrap();
    for (method, options) in variants_with_regions(&tight()) {
        let (drift, label) = (drift(&cut, method, &options), label(method, &options));
        println!("{label} with a region: momentum drifts by {drift:.1e}");
        assert_eq!(drift < 1e-12, (method.conserves_momentum)(&options), "{label}: momentum drifts by {drift:e}");
    }
}

/// Frames that turn with their bodies see the momentum of each from another direction: that of all together would not do.
#[test]
fn momentum_of_bodies_that_spin_differently_is_conserved() {
    let mut mesh = cuboid([0.3, 0.2, 0.1], [3, 2, 1]);
    let first = mesh.points.len();
    let mut other = mesh.clone();
    other.points.iter_mut().for_each(|p| p[2] += 1.0);
    mesh.append(&other);
    let model = solid(mesh, "stable-neo-hookean", 1e5, 0.3, 1000.0).build().unwrap();
    let mut start = model.state_at_rest();
    for node in 0..model.nodes() {
        let (i, is_first) = (3 * model.number(node), node < first);
        let (x, v) = (&mut start.x[i..i + 3], &mut start.v[i..i + 3]);
        let way = if is_first { [0.3 - 9.0 * x[1], 0.1 + 9.0 * x[0], 0.2] } else { [-0.1, 7.0 * x[2], -7.0 * x[1]] };
        v.copy_from_slice(&way);
        x[1] *= 1.1;
    }
    let before = model.momentum(&start.v);
    let loose = Options::default().with(&parameters::SOLVER_TOLERANCE, 0.1);
    for (method, options) in [Options::default(), loose].iter().flat_map(variants) {
        let end = run(method, &options, &model, &start, 0.02, 80).unwrap();
        let after = model.momentum(&end.v);
        let size = before.iter().chain(&after).fold(0.0_f64, |most, p| most.max(p.abs()));
        let drift = (0..3).map(|c| (after[c] - before[c]).abs()).fold(0.0, f64::max) / size;
        assert!(drift < 1e-10, "{}: momentum drifts by {drift:e}", label(method, &options));
    }
}

#[test]
fn a_free_body_falls_without_being_strained() {
    let blueprint = || {
        let mut blueprint = solid(cuboid([0.4, 0.1, 0.1], [4, 1, 1]), "linear", 1e5, 0.3, 1000.0);
        blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
        blueprint
    };
    let [model, cut] = [blueprint(), with_tip(blueprint(), 4)].map(|blueprint| blueprint.build().unwrap());
    let strain = |model: &Model, method: &Method, options: &Options| {
        let end = run(method, options, model, &model.state_at_rest(), 0.2, 100).unwrap();
        let ways = || end.x.iter().zip(model.rest()).skip(2).step_by(3).map(|(x, rest)| rest - x);
        let [least, most] = [ways().fold(f64::INFINITY, f64::min), ways().fold(0.0, f64::max)];
        assert!(least > 0.15, "{}: fell {least} m", label(method, options));
        most - least
    };
    for (method, options) in variants(&tight()) {
        let strain = strain(&model, method, &options);
        assert!(strain < 1e-10, "{}: strained by {strain:e} m", label(method, &options));
    }
    for (method, options) in variants_with_regions(&tight()) {
        let (strain, label) = (strain(&cut, method, &options), label(method, &options));
        println!("{label} with a region: strained by {strain:.1e} m");
        let is_exact = !method.has_explicit_regions && (method.conserves_momentum)(&options);
        assert_eq!(strain < 1e-11, is_exact, "{label}: strained by {strain:e} m");
    }
}

#[test]
fn angular_momentum_is_conserved_by_methods_that_conserve_quadratic_invariants() {
    let blueprint = solid(cuboid([0.3, 0.2, 0.1], [3, 2, 1]), "stvk", 1e5, 0.3, 1000.0);
    let model = blueprint.build().unwrap();
    let mut start = model.state_at_rest();
    for (x, v) in start.x.chunks(3).zip(start.v.chunks_mut(3)) {
        v.copy_from_slice(&[-3.0 * x[1], 3.0 * x[0] - x[2], x[1]]);
    }
    let before = model.angular_momentum(&start);
    for (method, options) in
        ["symplectic-euler", "implicit-midpoint"].iter().flat_map(|name| variants_of(name, &tight()))
    {
        let end = run(method, &options, &model, &start, 0.05, 200).unwrap();
        let after = model.angular_momentum(&end);
        let drift = (0..3).map(|c| (after[c] - before[c]).abs()).fold(0.0, f64::max);
        assert!(drift < 1e-10 * before[2].abs(), "{}: {drift:e}", label(method, &options));
    }
}

#[test]
fn a_body_that_moves_with_its_scripted_end_is_left_alone() {
    // The end is carried along at a constant speed, by more than a cell per step, and all nodes move as fast: nothing
    // is deformed, so no method should change anything.
    for (material, cells_per_step) in [("neo-hookean", 0.4), ("stable-neo-hookean", 1.2)] {
        let speed = 0.1 * cells_per_step / 0.01;
        let blueprint = || {
            let mut blueprint = solid(cuboid([0.4, 0.1, 0.1], [4, 1, 1]), material, 1e5, 0.3, 1000.0);
            let motion = Motion::Keyframes { times: vec![0.0, 1.0], offsets: vec![[0.0; 3], [-speed, 0.0, 0.0]] };
            blueprint.scripts = vec![(group(&blueprint.mesh, "x-"), motion)];
            blueprint
        };
        let [model, cut] = [blueprint(), with_tip(blueprint(), 4)].map(|blueprint| blueprint.build().unwrap());
        let mut start = model.state_at_rest();
        start.v.chunks_mut(3).for_each(|v| v[0] = -speed);
        let whole = variants(&tight()).filter(|(method, _)| method.family != Family::Explicit).map(|of| (&model, of));
        for (model, (method, options)) in whole.chain(variants_with_regions(&tight()).map(|of| (&cut, of))) {
            let end = run(method, &options, model, &start, 0.1, 10).unwrap();
            for (x, rest) in end.x.chunks(3).zip(model.rest().chunks(3)) {
                let error = (x[0] - rest[0] + 0.1 * speed).abs().max((x[1] - rest[1]).abs());
                assert!(error < 1e-11, "{} of {material}: off by {error:e} m", label(method, &options));
            }
        }
    }
}

#[test]
fn rest_stays_at_rest_for_every_material() {
    for facts in MATERIALS {
        let blueprint = || solid(cuboid([0.2, 0.1, 0.1], [2, 1, 1]), facts.name, 1e5, 0.3, 1000.0);
        let [model, cut] = [blueprint(), with_tip(blueprint(), 2)].map(|blueprint| blueprint.build().unwrap());
        let start = model.state_at_rest();
        let (whole, parts) = (variants(&Options::default()), variants_with_regions(&Options::default()));
        for (model, (method, options)) in whole.map(|of| (&model, of)).chain(parts.map(|of| (&cut, of))) {
            let end = run(method, &options, model, &start, 0.02, 50).unwrap();
            let moved = distance(&start, &end);
            assert!(moved < 1e-12, "{} of {}: moved by {moved:e} m", label(method, &options), facts.name);
        }
    }
}

#[test]
fn a_failed_step_leaves_the_state_untouched() {
    let mut blueprint = solid(cuboid([0.2, 0.1, 0.1], [2, 1, 1]), "neo-hookean", 1e5, 0.3, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    let model = blueprint.build().unwrap();
    let mut start = model.state_at_rest();
    start.t = 0.25;
    start.v[0] = 0.125;
    // An inverted element, where this material has no energy.
    let last = model.dofs() - 3;
    start.x[last] -= 5.0;
    for (method, options) in variants(&tight().with(&parameters::HALVINGS, 3)) {
        let mut stepper = make(method, &model, &options);
        let mut state = start.clone();
        let error = stepper.step(&model, &mut state, 0.01).unwrap_err();
        assert!(matches!(error, StepError::Inverted { element: ElementKind::Tet, .. }), "{}: {error}", method.name);
        assert!(state == start, "{}: the state was changed", label(method, &options));
    }
}

#[test]
fn a_newton_that_may_not_iterate_stalls_and_halvings_rescue_it() {
    let mut blueprint = solid(cuboid([0.4, 0.1, 0.1], [4, 1, 1]), "neo-hookean", 1e4, 0.3, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    let model = blueprint.build().unwrap();
    let start = model.state_at_rest();
    let options = Options::default().with(&parameters::ITERATIONS, 3).with(&parameters::TOLERANCE, 1e-9);
    for (method, options) in variants_of("backward-euler", &options) {
        let mut state = start.clone();
        let error = make(method, &model, &options).step(&model, &mut state, 0.2).unwrap_err();
        assert!(
            matches!(error, StepError::NewtonStalled { iterations: 3, residual, .. } if residual > 1e-9),
            "{error}"
        );
        assert!(state == start);
        let options = options.with(&parameters::HALVINGS, 8);
        let report = make(method, &model, &options).step(&model, &mut state, 0.2).unwrap();
        assert!(report.halvings > 0 && (state.t - 0.2).abs() < 1e-12);
    }
}

#[test]
fn same_bits_on_any_number_of_threads() {
    let mut blueprint = solid(cuboid([1.0, 0.3, 0.3], [24, 7, 7]), "neo-hookean", 1e5, 0.4, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    blueprint.damping = [0.1, 1e-4];
    // Several groups with the same nodes.
    let nodes: Vec<u32> = (0..blueprint.mesh.points.len() as u32).collect();
    let floor = Obstacle::Plane { point: [0.0, 0.0, 0.02], normal: [0.0, 0.0, 1.0] };
    blueprint.contacts = vec![(floor, nodes, 100.0)];
    let pairs = blueprint.mesh.edges_of_tets();
    blueprint.springs = vec![SpringPart { pairs, law: Law::Cubic, stiffness: 10.0 }];
    let model = blueprint.build().unwrap();
    let start = model.state_at_rest();
    let direct_and_kept = variants(&Options::default());
    let iterative =
        METHODS.iter().map(|method| (method, Options::default().with(&parameters::SOLVER, SolverKind::Pcg)));
    for (method, options) in direct_and_kept.chain(iterative) {
        let on_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run(method, &options, &model, &start, 0.001, 2).unwrap())
        };
        let one = on_threads(1);
        for threads in [2, 3, 4, 8] {
            let many = on_threads(threads);
            let pairs = one.x.iter().zip(&many.x).chain(one.v.iter().zip(&many.v));
            let same = pairs.into_iter().all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same, "{}: {threads} threads give other bits", label(method, &options));
        }
    }
}

#[test]
fn a_restart_goes_on_to_the_bit() {
    for problem in nonlinear_problems() {
        let Problem { name, model, start, duration, steps, .. } = &problem;
        let h = duration / *steps as f64;
        for (method, options) in problem.variants(&Options::default()) {
            let label = label(method, &options);
            let mut stepper = make(method, model, &options);
            let mut state = start.clone();
            (0..5).for_each(|_| _ = stepper.step(model, &mut state, h).unwrap());
            let mut restarted = make(method, model, &options);
            assert!(restarted.recall(&stepper.memory()), "{label}");
            let mut again = state.clone();
            for _ in 0..5 {
                stepper.step(model, &mut state, h).unwrap();
                restarted.step(model, &mut again, h).unwrap();
            }
            assert!(state == again, "{name}, {label}: other bits after a restart");
            // Memory of something else: too long, too short, and wrong in the method's own numbers, where it has any.
            let good = stepper.memory();
            let mut wrong = good.clone();
            wrong.iter_mut().take(2).for_each(|number| *number = -*number);
            let bad = [vec![1.0; 7], [&good[..], &[1.0]].concat(), good[..good.len() / 2].to_vec(), wrong];
            for bad in bad.iter().filter(|bad| !bad.is_empty()) {
                assert!(restarted.recall(&good));
                assert!(!restarted.recall(bad), "{label}: takes up the memory of another");
                assert!(restarted.memory().is_empty(), "{label}: remembers what it refused");
            }
        }
    }
}

#[test]
fn a_failed_step_leaves_the_memory_untouched() {
    let problem = &nonlinear_problems()[0];
    let Problem { model, start, .. } = problem;
    for (method, options) in variants(&Options::default()) {
        let mut stepper = make(method, model, &options);
        let mut state = start.clone();
        (0..3).for_each(|_| _ = stepper.step(model, &mut state, 1e-3).unwrap());
        let memory = stepper.memory();
        let mut broken = state.clone();
        broken.x[model.dofs() - 3] -= 5.0;
        stepper.step(model, &mut broken, 1e-3).unwrap_err();
        assert_eq!(stepper.memory(), memory, "{}", label(method, &options));
    }
}

#[test]
fn a_step_does_the_work_it_promises() {
    let mut blueprint = solid(cuboid([0.4, 0.1, 0.1], [4, 1, 1]), "neo-hookean", 1e5, 0.3, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    let model = blueprint.build().unwrap();
    for method in METHODS {
        let mut stepper = make(method, &model, &Options::default().with(&parameters::SOLVER, SolverKind::Direct));
        let mut state = model.state_at_rest();
        stepper.step(&model, &mut state, 1e-3).unwrap();
        let report = stepper.step(&model, &mut state, 1e-3).unwrap();
        let linear = report.linear;
        match method.name {
            "symplectic-euler" => assert_eq!((report.forces, linear.solves), (1, 0)),
            "rk4" => assert_eq!((report.forces, linear.solves), (4, 0)),
            // Without regions they are the same.
            "linearly-implicit-euler" | "asynchronous-backward-euler" | "schroeder" => {
                assert_eq!((report.forces, report.assemblies, linear.factorisations, linear.solves), (1, 1, 1, 1));
            }
            // Five modes and three guards per pass besides the right-hand side; a factor of the step and one of the modes.
            "siere" => {
                assert_eq!((report.forces, report.assemblies), (1, 1));
                assert!(report.mode_passes <= 2 && linear.factorisations <= 2, "{report:?}");
                assert_eq!(linear.solves, 1 + 8 * report.mode_passes);
                assert_eq!(report.modes, 5);
            }
            // The same matrix is the first of Newton's; TR-BDF2 has two equations, and the force at the beginning.
            "siere2" => {
                let n = report.newton;
                assert!((1..=5).contains(&n) && report.mode_passes <= 2, "{report:?}");
                assert_eq!((report.assemblies, report.modes), (1 + n, 5));
                assert_eq!(report.forces, n + 4 + report.backtracks);
                let refined = linear.solves - (1 + n + 8 * report.mode_passes);
                assert!(refined <= 3 * n, "{refined} solves in the complement of the modes");
            }
            "ere" | "epirk4s3" | "pexprb43" | "exprb42" => {
                let stages = ["ere", "exprb42", "epirk4s3", "pexprb43"].iter().position(|n| *n == method.name).unwrap();
                let stages = stages.min(2) as u64;
                assert_eq!((report.forces, report.assemblies, linear.factorisations), (1 + stages, 1, 0));
                // One product per stage for its remainder; and about h omega / 2 + 10 for each of v, f and the
                // remainders.
                let vectors = 2 + stages;
                assert!(linear.products > vectors * 3 && linear.products < vectors * 20, "{}: {linear:?}", method.name);
            }
            // One evaluation of every constraint per substep, and no linear system.
            "small-steps" => assert_eq!((report.forces, report.substeps, linear.solves), (20, 20, 0)),
            "gautschi" => assert_eq!((report.forces, report.assemblies, linear.factorisations), (2, 0, 0)),
            // Two equations, and the acceleration at the beginning.
            "tr-bdf2" => {
                let n = report.newton;
                assert!((2..=6).contains(&n), "{n} iterations");
                assert_eq!((report.assemblies, linear.factorisations, linear.solves), (n, n, n));
                assert_eq!(report.forces, n + 3 + report.backtracks);
            }
            _ => {
                // One assembly, factorisation and solve per iteration, and one more force.
                let n = report.newton;
                assert!((1..=4).contains(&n), "{}: {n} iterations", method.name);
                assert_eq!((report.assemblies, linear.factorisations, linear.solves), (n, n, n), "{}", method.name);
                assert_eq!(report.forces, n + 1 + report.backtracks, "{}", method.name);
            }
        }
    }
}

/// A step interrupted at its k-th check stops there and leaves the state unchanged; repeated without the interrupt, it
/// gives the same result.
#[test]
fn every_method_can_be_interrupted_within_a_step() {
    use numerics::interrupt::{Signal, watch};
    use std::sync::atomic::AtomicBool;
    let never = AtomicBool::new(false);
    let model = {
        let mut blueprint = solid(cuboid([0.4, 0.1, 0.1], [4, 1, 1]), "stable-neo-hookean", 1e5, 0.3, 1000.0);
        blueprint.fixed = group(&blueprint.mesh, "x-");
        blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
        blueprint.build().unwrap()
    };
    let start = model.state_at_rest();
    let h = 1e-4;
    let all =
        METHODS.iter().flat_map(|method| forms(method, &Options::default()).into_iter().map(move |f| (method, f)));
    for (method, options) in all {
        let fresh = || make(method, &model, &options);
        let counted = Signal::new(&never);
        let mut whole = start.clone();
        watch(&counted, || fresh().step(&model, &mut whole, h))
            .unwrap_or_else(|error| panic!("{}: {error}", method.name));
        let checks = counted.checks();
        assert!(checks > 0, "{} never looks", method.name);
        for k in (1..=checks).step_by(1 + checks as usize / 7) {
            let (mut stepper, mut state) = (fresh(), start.clone());
            let memory = stepper.memory();
            let stopped = watch(&Signal::at_check(&never, k), || stepper.step(&model, &mut state, h));
            assert_eq!(stopped.err(), Some(StepError::Interrupted), "{} at check {k} of {checks}", method.name);
            assert_eq!(state, start, "{} at check {k}", method.name);
            assert!(stepper.recall(&memory), "{}", method.name);
            stepper.step(&model, &mut state, h).unwrap();
            assert_eq!(state, whole, "{} after check {k} of {checks}", method.name);
        }
    }
}
