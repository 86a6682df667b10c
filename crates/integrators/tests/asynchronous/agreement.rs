//! Cases in which the scheme equals another method: one small step, everything in a region, steps that go to zero.

use crate::bars::*;
use crate::problems::bar::{apart, between, steps, thrown, with};
use crate::problems::*;
use integrators::{Coupling, parameters};
use model::load::Profile;
use model::script::Motion;
use model::{Basis, LoadPart, Region};

#[test]
fn one_small_step_is_backward_euler() {
    for made in [LINEAR, DAMPED, CONSISTENT, BOTH] {
        let model = tip(made, 1);
        let start = thrown(&model);
        let euler = steps(&mut *stepper("backward-euler", &model, &tight()), &model, &start, STEP, 10);
        for coupling in COUPLINGS {
            let ours = steps(&mut *coupled(&model, coupling), &model, &start, STEP, 10);
            let apart = apart(&ours, &euler, &start);
            println!("{coupling:?}: apart by {apart:.1e}");
            assert!(apart < 1e-12, "{coupling:?}: {apart:e}");
        }
    }
}

#[test]
fn everything_in_a_region_is_small_steps() {
    for made in [LINEAR, BOTH] {
        let model = cut(made, &[(0.0, 0.8, 4)]);
        let start = thrown(&model);
        let small = steps(&mut *stepper("backward-euler", &model, &tight()), &model, &start, STEP / 4.0, 12);
        for coupling in COUPLINGS {
            let ours = steps(&mut *coupled(&model, coupling), &model, &start, STEP, 3);
            let apart = apart(&ours, &small, &start);
            assert!(apart < 1e-12, "{coupling:?}: {apart:e}");
        }
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
    let options = tight().with(&parameters::SOLVER_TOLERANCE, 1e-13);
    let small = steps(&mut *stepper("linearly-implicit-euler", &model, &options), &model, &start, STEP / 5.0, 10);
    let apart = apart(&ours, &small, &start);
    assert!(apart < 1e-11, "{apart:e}");
}

#[test]
fn the_order_is_one() {
    let model = tip(Made { material: "neo-hookean", ..DAMPED }, 3);
    let start = thrown(&model);
    let reference = run(method("rk4"), &tight(), &model, &start, 0.04, 40_000).unwrap();
    for coupling in COUPLINGS {
        let options = tight().with(&parameters::COUPLING, coupling);
        let method = method("asynchronous-backward-euler");
        let error = |count: usize| distance(&run(method, &options, &model, &start, 0.04, count).unwrap(), &reference);
        let order = (error(1600) / error(3200)).log2();
        println!("{coupling:?}: order {order:.3}");
        assert!((order - 1.0).abs() < 0.1, "{coupling:?}: order {order:.3}");
    }
}

#[test]
fn a_body_that_moves_with_its_script_is_left_alone() {
    // Elements of the border that also have scripted nodes: the cut between the region and the rest goes along x.
    let speed = 3.0;
    for damp_at_rest in [false, true] {
        let mut blueprint = bar(Made { damping: [0.0, 1e-3], ..LINEAR });
        blueprint.loads.clear();
        blueprint.damp_at_rest = damp_at_rest;
        let motion = Motion::Keyframes { times: vec![0.0, 10.0], offsets: vec![[0.0; 3], [10.0 * speed, 0.0, 0.0]] };
        blueprint.scripts = vec![(std::mem::take(&mut blueprint.fixed), motion)];
        let low = blueprint.mesh.points.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
        let points = blueprint.mesh.points.iter().enumerate();
        let nodes = points.filter(|(_, p)| p[1] < low + 0.05 && p[0] > 0.05).map(|(i, _)| i as u32).collect();
        blueprint.regions = vec![Region { nodes, ratio: 5 }];
        let model = blueprint.build().unwrap();
        let mut start = model.state_at_rest();
        start.v.chunks_mut(3).for_each(|v| v[0] = speed);
        let end = steps(&mut *coupled(&model, Coupling::Conserving), &model, &start, STEP, 10);
        for (x, rest) in end.x.chunks(3).zip(model.rest().chunks(3)) {
            let error = (x[0] - rest[0] - 10.0 * STEP * speed).abs().max((x[1] - rest[1]).abs());
            assert!(error < 1e-11, "off by {error:e} m");
        }
    }
}
