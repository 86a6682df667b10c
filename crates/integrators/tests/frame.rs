//! Frames that turn with bodies over a step (`frame = "turning"`).

mod problems;

use integrators::{FrameKind, Options, StepReport, parameters};
use model::energy::Stiffness;
use model::energy::contact::Obstacle;
use model::script::Motion;
use model::{Model, State};
use problems::turning::{Turning, hinged, spinning};
use problems::*;

const METHODS: [&str; 4] = ["ere", "exprb42", "pexprb43", "epirk4s3"];

#[test]
fn explore() {
    let wanted =
        |key: &str, value: &str| std::env::var(key).map_or(true, |list| list.split(',').any(|word| word == value));
    for (what, h, make_it) in
        [("spinning", 0.01, spinning as fn(f64, Stiffness) -> Turning), ("hinged", 1.0 / 60.0, hinged)]
    {
        for young in [1e5, 1e6, 1e7, 1e8, 1e9, 1e10] {
            if !wanted("YOUNG", &format!("{young:e}")) || !wanted("WHAT", what) {
                continue;
            }
            let turning = make_it(young, Stiffness::Exact);
            for name in METHODS.into_iter().filter(|name| wanted("METHOD", name)) {
                for frame in [FrameKind::Turning, FrameKind::Fixed] {
                    let options =
                        Options::default().with(&parameters::FRAME, frame).with(&parameters::PRODUCTS, 20_000);
                    let mut stepper = make(method(name), &turning.model, &options);
                    let mut state = turning.start.clone();
                    let energy = |s: &model::State| turning.model.potential(s.t, &s.x) + turning.model.kinetic(s);
                    let before = energy(&state);
                    let mut work = StepReport::default();
                    let clock = std::time::Instant::now();
                    let mut message = String::new();
                    let steps = (turning.duration / h).round() as usize;
                    for k in 0..steps {
                        match stepper.step(&turning.model, &mut state, h) {
                            Ok(report) => work.add(&report),
                            Err(error) => {
                                message = format!("{error} in step {k}");
                                break;
                            }
                        }
                    }
                    println!(
                        "{what} {young:.0e} {name} {frame:?}: {:.2} of {:.2}, energy {:.4} - {before:.4}, {} products, {:.2} s {message}",
                        turning.angle(&state),
                        turning.rigid,
                        energy(&state),
                        work.linear.products,
                        clock.elapsed().as_secs_f64()
                    );
                }
            }
        }
    }
}

/// Bodies that turn and deform.
fn problems() -> Vec<(&'static str, Model, State, f64, usize)> {
    let mut found = Vec::new();
    let spun = |model: &Model, spin: [f64; 3], about: [f64; 3]| {
        let mut state = model.state_at_rest();
        for (x, v) in state.x.chunks(3).zip(state.v.chunks_mut(3)).take(model.free_nodes()) {
            let r = [x[0] - about[0], x[1] - about[1], x[2] - about[2]];
            v.copy_from_slice(&numerics::mat3::cross(spin, r));
        }
        state
    };
    let bar = |young: f64| solid(cuboid([0.4, 0.1, 0.1], [4, 1, 1]), "neo-hookean", young, 0.3, 1000.0);
    let model = bar(2e4).build().unwrap();
    let start = spun(&model, [0.0, 8.0, 0.0], [0.2, 0.05, 0.05]);
    found.push(("spinning bar", model, start, 0.1, 20));

    let mut blueprint = bar(2e4);
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    let model = blueprint.build().unwrap();
    let mut start = spun(&model, [6.0, 5.0, 3.0], [0.1, 0.0, 0.2]);
    start.x.chunks_mut(3).for_each(|x| x[0] += 0.5 * x[1] + 0.2 * x[2]);
    found.push(("tumbling skew bar that falls", model, start, 0.1, 20));

    let mut blueprint = bar(2e4);
    let on_hinge = |p: &[f64; 3]| p[0].abs() + p[2].abs() < 1e-9;
    blueprint.fixed = (0..).zip(&blueprint.mesh.points).filter(|(_, p)| on_hinge(p)).map(|(i, _)| i).collect();
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    let model = blueprint.build().unwrap();
    let start = spun(&model, [0.0, 5.0, 0.0], [0.0; 3]);
    found.push(("hinged bar", model, start, 0.1, 20));

    for (name, at_rest, consistent) in
        [("damped, consistent mass", false, true), ("damped at rest", true, false), ("damped and lumped", false, false)]
    {
        let mut blueprint = bar(2e4);
        blueprint.damping = [0.5, 0.002];
        blueprint.damp_at_rest = at_rest;
        blueprint.consistent_mass = consistent;
        blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
        let model = blueprint.build().unwrap();
        let mut start = spun(&model, [6.0, 5.0, 3.0], [0.1, 0.0, 0.2]);
        start.x.chunks_mut(3).for_each(|x| x[0] += 0.5 * x[1] + 0.2 * x[2]);
        found.push((name, model, start, 0.1, 40));
    }

    // A scripted hinge that turns, shaken, and a node at which it is held.
    for (name, nodes, damping) in
        [("shaken pivot", vec![0], [0.0, 0.0]), ("shaken pivot, damped", vec![0], [0.3, 0.002])]
    {
        let mut blueprint = bar(2e4);
        let shake = Motion::Shake { amplitude: [0.0, 0.02, 0.03], frequency: 2.0, start: -1.0, end: 10.0 };
        blueprint.scripts = vec![(nodes, shake)];
        blueprint.damping = damping;
        blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
        let model = blueprint.build().unwrap();
        let start = spun(&model, [0.0, 4.0, 3.0], [0.0; 3]);
        found.push((name, model, start, 0.1, 40));
    }
    let mut blueprint = bar(2e4);
    let turn = Motion::Rotation { center: [0.0; 3], axis: [0.0, 0.6, 0.8], rate: 5.0, start: -1.0, end: 10.0 };
    blueprint.scripts = vec![(group(&blueprint.mesh, "x-"), turn)];
    blueprint.damping = [0.3, 0.002];
    let model = blueprint.build().unwrap();
    let mut start = model.state_at_rest();
    // At time 0 the script has turned by 5 rad.
    let turn = numerics::mat3::rotation([0.0, 0.6, 0.8], 5.0);
    for (i, (x, v)) in start.x.chunks_mut(3).zip(start.v.chunks_mut(3)).enumerate() {
        let r = numerics::mat3::mat_vec(&turn, [model.rest()[3 * i], model.rest()[3 * i + 1], model.rest()[3 * i + 2]]);
        x.copy_from_slice(&r);
        v.copy_from_slice(&numerics::mat3::cross([0.0, 3.0, 4.0], r));
    }
    found.push(("turned end, damped", model, start, 0.1, 40));

    let mut blueprint = bar(2e4);
    let floor = Obstacle::Plane { point: [0.0, 0.0, 0.03], normal: [0.6, 0.0, 0.8] };
    blueprint.contacts = vec![(floor, (0..blueprint.mesh.points.len() as u32).collect(), 30.0)];
    blueprint.damping = [0.0, 0.001];
    let model = blueprint.build().unwrap();
    let start = spun(&model, [1.0, 5.0, 0.0], [0.2, 0.05, 0.05]);
    found.push(("pressed bar", model, start, 0.02, 10));
    found
}

#[test]
fn the_order_is_that_of_the_method() {
    let from: usize = std::env::var("FROM").map_or(1, |n| n.parse().unwrap());
    for (what, model, start, duration, steps) in problems() {
        if std::env::var("ONLY").is_ok_and(|only| !what.contains(&only)) {
            continue;
        }
        let reference = run(method("rk4"), &tight(), &model, &start, duration, 3000 * from).unwrap();
        for name in METHODS {
            for frame in [FrameKind::Turning, FrameKind::Fixed] {
                let options = tight().with(&parameters::FRAME, frame).with(&parameters::KRYLOV_TOLERANCE, 1e-12);
                let error = |n: usize| {
                    run(method(name), &options, &model, &start, duration, n).map_or_else(
                        |error| {
                            println!("{error}");
                            f64::NAN
                        },
                        |end| distance(&end, &reference),
                    )
                };
                let errors = [1, 2, 4, 8].map(|n| error(n * steps * from));
                let orders = [0, 1, 2].map(|k| (errors[k] / errors[k + 1]).log2());
                println!("{what}, {name} {frame:?}: {:?} orders {orders:.2?}", errors.map(|e| format!("{e:.1e}")));
            }
        }
    }
}
