//! SIERE with the rest by Newton's method: its identities, its equation, its work and what it survives.

use super::*;
use integrators::{Rest, StepReport};
use model::energy::contact::Obstacle;
use model::mesh::generate::{Value, generate};

fn by_newton(count: usize) -> Options {
    with_modes(count).with(&parameters::REST, Rest::Newton)
}

fn tightly(count: usize) -> Options {
    direct()
        .with(&parameters::MODES, Modes::Count(count))
        .with(&parameters::MODES_TOLERANCE, 1e-9)
        .with(&parameters::REST, Rest::Newton)
}

#[test]
fn without_modes_it_is_backward_euler_to_the_bit() {
    for problem in nonlinear_problems() {
        let Problem { name, model, start, duration, .. } = &problem;
        for options in [by_newton(0), by_newton(0).with(&parameters::SOLVER, SolverKind::Stale)] {
            let ends = ["siere", "backward-euler"].map(|name| run(method(name), &options, model, start, *duration, 20));
            assert!(ends[0].as_ref().unwrap() == ends[1].as_ref().unwrap(), "{name}");
        }
    }
}

#[test]
fn on_a_linear_body_both_rests_are_the_same() {
    type Edit = fn(&mut Blueprint);
    let cases: [(&str, Edit); 3] = [
        ("undamped", |_| ()),
        ("Rayleigh, consistent", |b| (b.consistent_mass, b.damping) = (true, [0.5, 0.002])),
        ("Rayleigh at rest", |b| (b.damping, b.damp_at_rest) = ([0.5, 0.002], true)),
    ];
    for (name, edit) in cases {
        let mut blueprint = solid(cuboid([0.4, 0.1, 0.1], [4, 1, 1]), "linear", 1e5, 0.3, 1000.0);
        blueprint.fixed = group(&blueprint.mesh, "x-");
        blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
        edit(&mut blueprint);
        let model = blueprint.build().unwrap();
        let mut start = model.state_at_rest();
        start.v[..model.dofs()].iter_mut().enumerate().for_each(|(i, v)| *v = (i as f64).sin());
        for count in [5, 20, model.dofs()] {
            let ends = [Rest::Linear, Rest::Newton].map(|rest| {
                run(method("siere"), &tightly(count).with(&parameters::REST, rest), &model, &start, 0.1, 20).unwrap()
            });
            let off = error(&ends[1], &ends[0], &start);
            println!("{name}, {count} modes: {off:e}");
            assert!(off < 1e-10, "{name}, {count} modes: off by {off:e}");
        }
    }
}

/// With all modes captured nothing is left to Newton's method, however nonlinear the body.
#[test]
fn with_all_modes_it_is_the_exact_linearised_motion() {
    for damping in [[0.0, 0.0], [0.5, 0.002]] {
        let (model, start) = wrung(|blueprint| blueprint.damping = damping);
        let (h, n) = (0.002, model.dofs());
        let mut found = start.clone();
        let report = make(method("siere"), &model, &by_newton(n)).step(&model, &mut found, h).unwrap();
        let off = error(&found, &paper(&model, &start, h, n), &start);
        println!("all modes: off by {off:e}, {} iterations", report.newton);
        assert!(off < 1e-11 && report.newton == 0, "off by {off:e}, {} iterations", report.newton);
    }
}

/// Q^T (M d - h f(t + h, x+, v+)) = 0, with exact modes: the equation, written with dense matrices.
#[test]
fn the_rest_balances_forces_at_the_end_of_the_step() {
    let (model, start) = wrung(|_| ());
    let (h, n, s) = (0.003, model.dofs(), 38);
    let Dense { m, values, u, .. } = dense_modes(&model, &start.x);
    let mut end = start.clone();
    let report = make(method("siere"), &model, &tightly(s)).step(&model, &mut end, h).unwrap();
    let column = |x: &[f64]| Mat::from_fn(n, 1, |i, _| x[i]);
    let mut captured: Vec<usize> = (0..n).collect();
    let rank = |k: usize| if (1.0 + h * h * values[k]).abs() < 0.5 { 0.0 } else { values[k].abs() };
    captured.sort_by(|&a, &b| rank(a).total_cmp(&rank(b)));
    captured.truncate(s);
    let us = Mat::from_fn(n, s, |i, j| u[(i, captured[j])]);
    let q = Mat::<f64>::identity(n, n) - &us * us.transpose() * &m;
    let dv = &q * (column(&end.v) - column(&start.v));
    let dx = &q * (column(&end.x) - column(&start.x));
    let mut f = vec![0.0; n];
    model.static_force(h, &end.x, &mut f);
    let residual = q.transpose() * (&m * &dv - h * column(&f));
    let positions = &dx - h * (&q * column(&end.v));
    let size = (h * column(&f)).norm_l2();
    println!("residual {:e} of {size:e}, {} iterations", residual.norm_l2(), report.newton);
    assert!(residual.norm_l2() < 1e-7 * size, "residual {:e} of {size:e}", residual.norm_l2());
    assert!(positions.norm_l2() < 1e-7 * dx.norm_l2(), "{:e}", positions.norm_l2());
    // The linear rest leaves a residual there.
    let mut linear = start.clone();
    make(method("siere"), &model, &tightly(s).with(&parameters::REST, Rest::Linear))
        .step(&model, &mut linear, h)
        .unwrap();
    model.static_force(h, &linear.x, &mut f);
    let dv = &q * (column(&linear.v) - column(&start.v));
    let left = (q.transpose() * (&m * &dv - h * column(&f))).norm_l2();
    assert!(left > 1e-2 * size, "{left:e} of {size:e}");
}

/// Work of 40 steps with a new factor for each matrix, in units of a factorisation. On these meshes a solve is a
/// fortieth of one, an assembly and a force are a twentieth each. A cuboid that untwists needs four passes per step for
/// its modes, a bar that swings one.
#[test]
fn a_step_costs_little_more_than_one_of_backward_euler() {
    let mut blueprint = solid(cuboid([1.0, 0.3, 0.3], [15, 8, 8]), "neo-hookean", 1e6, 0.4, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    let bar = blueprint.build().unwrap();
    let start = bar.state_at_rest();
    let (cuboid, twisted) = twisted_cuboid(CELLS, 90.0);
    for (body, model, start, most) in [("bar", bar, start, 1.3), ("twisted cuboid", cuboid, twisted, 1.3)] {
        let work = |name: &str, solver: SolverKind| {
            let options = by_newton(5).with(&parameters::SOLVER, solver);
            let mut stepper = make(method(name), &model, &options);
            let (mut state, mut sum) = (start.clone(), StepReport::default());
            let before = std::time::Instant::now();
            (0..40).for_each(|_| sum.add(&stepper.step(&model, &mut state, 0.01).unwrap()));
            (sum, before.elapsed().as_secs_f64())
        };
        for solver in [SolverKind::Direct, SolverKind::Stale] {
            let [(be, of_be), (siere, of_siere)] = ["backward-euler", "siere"].map(|name| work(name, solver));
            for (name, sum) in [("backward-euler", be), ("siere", siere)] {
                println!(
                    "{body}, {solver:?}, {name}: {} forces, {} assemblies, {} iterations of Newton, {} \
                     passes for modes, {:?}",
                    sum.forces, sum.assemblies, sum.newton, sum.mode_passes, sum.linear
                );
            }
            println!("    time over that of backward Euler: {:.2}", of_siere / of_be);
            let count = |sum: &StepReport| {
                let linear = sum.linear.factorisations as f64 + sum.linear.solves as f64 / 40.0;
                linear + (sum.forces + sum.assemblies) as f64 / 20.0
            };
            if solver == SolverKind::Direct {
                let ratio = count(&siere) / count(&be);
                println!("    counted work over that of backward Euler: {ratio:.3}");
                assert!(ratio < most, "{body}: {ratio}");
            }
            // The linear solution is the first iteration, and those in the complement are true steps of Newton's method.
            assert!(siere.newton + 40 <= be.newton + 10, "{} and {} iterations", siere.newton, be.newton);
        }
    }
}

/// The methods side by side: label, name, options.
fn contenders() -> [(&'static str, &'static str, Options); 8] {
    let predicted = with_modes(0).with(&parameters::LINEARISE_AT, LineariseAt::Predicted);
    let halved = |options: Options| options.with(&parameters::HALVINGS, 6);
    [
        ("siere, rest = newton", "siere", by_newton(5)),
        ("the same, hessian_correction", "siere", by_newton(5).with(&parameters::HESSIAN_CORRECTION, true)),
        ("the same, halvings = 6", "siere", halved(by_newton(5))),
        ("siere", "siere", with_modes(5)),
        ("backward-euler", "backward-euler", with_modes(0)),
        ("the same, halvings = 6", "backward-euler", halved(with_modes(0))),
        ("linearly-implicit-euler", "linearly-implicit-euler", with_modes(0)),
        ("the same, predicted", "linearly-implicit-euler", predicted),
    ]
}

/// Prints and returns the share of energy kept by each contender, or the step in which it is lost.
fn fates(title: &str, model: &Model, start: &State, steps: usize) -> [Result<f64, usize>; 8] {
    println!("{title}, {:.1} J", model.kinetic(start) + model.elastic_energy(&start.x));
    contenders().map(|(label, name, options)| {
        let fate = fate(name, &options, model, start, steps);
        match fate {
            Ok(kept) => println!("    {label}: {kept:.3}"),
            Err(step) => println!("    {label}: lost in step {step}"),
        }
        fate
    })
}

/// Fails where both runs are done and the first has kept less energy.
fn assert_livelier(title: &str, found: Result<f64, usize>, other: Result<f64, usize>) {
    let is_livelier = found.and_then(|found| other.map(|other| found > other));
    assert!(is_livelier != Ok(false), "{title}: {found:?} of {other:?}");
}

/// The cuboid at all twists, with exact stiffness: docs/siere-rest.md has this table.
#[test]
fn newton_survives_more_twist_and_keeps_more_energy() {
    for material in ["neo-hookean-isochoric", "arap"] {
        for degrees_per_metre in [90.0, 180.0, 300.0, 450.0, 630.0] {
            let (model, start) = twisted_cuboid_of(material, [9, 6, 3], degrees_per_metre);
            let title = format!("{material}, {degrees_per_metre} degrees/m");
            let [newton, _, halved, linear, be, be_halved, ..] = fates(&title, &model, &start, 40);
            assert!(halved.is_ok(), "{title}: {halved:?}");
            assert_livelier(&title, newton, be);
            // Of ARAP twisted by more, a thirtieth of the energy is left, whatever the method.
            if degrees_per_metre <= 450.0 || material != "arap" {
                assert_livelier(&title, halved, be_halved);
            }
            if degrees_per_metre <= 300.0 {
                assert_livelier(&title, newton, linear);
            }
            if degrees_per_metre == 450.0 {
                assert!(newton.is_ok() && (linear.is_err() || material == "arap"), "{title}");
            }
        }
    }
}

/// A soft ball that meets a plane with a penalty at 5 m/s. Its translation is a captured mode, which feels only the
/// contact at the start of the step.
#[test]
fn a_dropped_ball_keeps_more_energy() {
    for young in [1e5, 1e6] {
        let (model, start) = dropped_ball(young);
        let title = format!("ball of {young:e} Pa");
        let [newton, _, _, linear, be, ..] = fates(&title, &model, &start, 30);
        assert!(newton.unwrap() > 1.5 * be.unwrap(), "{title}: {newton:?}, backward Euler {be:?}");
        assert_livelier(&title, newton, linear);
    }
}

fn dropped_ball(young: f64) -> (Model, State) {
    let numbers = |value: f64| Value::Numbers(vec![value]);
    let sizes = [("radius", numbers(0.1)), ("resolution", numbers(5.0))];
    let mut blueprint = solid(generate("ball", sizes).unwrap(), "neo-hookean", young, 0.4, 1000.0);
    let nodes: Vec<u32> = (0..blueprint.mesh.points.len() as u32).collect();
    let floor = Obstacle::Plane { point: [0.0, 0.0, -0.11], normal: [0.0, 0.0, 1.0] };
    blueprint.contacts = vec![(floor, nodes, 1e4)];
    let model = blueprint.build().unwrap();
    let mut start = model.state_at_rest();
    start.v.chunks_mut(3).for_each(|v| v[2] = -5.0);
    (model, start)
}
