//! Where the scheme is another method: one small step, everything in a region, steps that go to nothing.

use crate::bars::*;
use crate::problems::bar::{apart, between, steps, thrown, with};
use crate::problems::*;
use integrators::Options;
use model::load::Profile;
use model::script::Motion;
use model::{Basis, LoadPart};

#[test]
fn one_small_step_is_backward_euler() {
    for made in [LINEAR, DAMPED, CONSISTENT, BOTH] {
        let model = tip(made, 1);
        let start = thrown(&model);
        let ours = steps(&mut *asynchronous(&model), &model, &start, STEP, 10);
        let euler = steps(&mut *stepper("backward-euler", &model, &tight()), &model, &start, STEP, 10);
        let apart = apart(&ours, &euler, &start);
        println!("apart by {apart:.1e}");
        assert!(apart < 1e-12, "{apart:e}");
    }
}

#[test]
fn everything_in_a_region_is_small_steps() {
    for made in [LINEAR, BOTH] {
        let model = cut(made, &[(0.0, 0.8, 4)]);
        let start = thrown(&model);
        let ours = steps(&mut *asynchronous(&model), &model, &start, STEP, 3);
        let small = steps(&mut *stepper("backward-euler", &model, &tight()), &model, &start, STEP / 4.0, 12);
        let apart = apart(&ours, &small, &start);
        assert!(apart < 1e-12, "{apart:e}");
    }
}

#[test]
fn loads_and_scripts_act_at_the_small_steps() {
    let mut blueprint = bar(DAMPED);
    let nodes = between(&blueprint, 0.7, 0.8);
    let profile = Profile::Pulse { start: 0.0, duration: 0.004, period: f64::INFINITY };
    blueprint.loads.push(LoadPart { nodes, basis: Basis::Total, direction: [0.0, 5.0, 0.0], profile });
    blueprint.scripts = vec![(
        std::mem::take(&mut blueprint.fixed),
        Motion::Shake { amplitude: [0.0, 0.02, 0.03], frequency: 10.0, start: 0.0, end: 10.0 },
    )];
    let model = with(blueprint, &[(0.0, 0.8, 5)]).build().unwrap();
    let start = thrown(&model);
    let ours = steps(&mut *asynchronous(&model), &model, &start, STEP, 2);
    let options = Options { solver_tolerance: 1e-13, ..tight() };
    let small = steps(&mut *stepper("linearly-implicit-euler", &model, &options), &model, &start, STEP / 5.0, 10);
    let apart = apart(&ours, &small, &start);
    assert!(apart < 1e-11, "{apart:e}");
}

#[test]
fn the_order_is_one() {
    let model = tip(Made { material: "neo-hookean", ..DAMPED }, 3);
    let start = thrown(&model);
    let reference = run(method("rk4"), &tight(), &model, &start, 0.04, 40_000).unwrap();
    let error = |count: usize| {
        distance(
            &run(method("asynchronous-backward-euler"), &tight(), &model, &start, 0.04, count).unwrap(),
            &reference,
        )
    };
    let order = (error(1600) / error(3200)).log2();
    println!("order {order:.3}");
    assert!((order - 1.0).abs() < 0.1, "order {order:.3}");
}
