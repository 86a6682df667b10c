//! Obstacles met at large steps or at small steps.

use crate::bars::*;
use crate::problems::bar::{Span, apart, between, steps, with};
use crate::problems::*;
use integrators::{ContactStep, Coupling, Options, parameters};
use model::energy::contact::Obstacle;
use model::{Model, State};
use numerics::linear::SolverKind;

/// The bar, free, above a floor that its tip falls on.
fn falling(regions: &[Span], damp_at_rest: bool) -> (Model, State) {
    let mut blueprint = bar(DAMPED);
    blueprint.damp_at_rest = damp_at_rest;
    blueprint.fixed.clear();
    let nodes = (0..blueprint.mesh.points.len() as u32).collect();
    let floor = Obstacle::Plane { point: [0.0, 0.0, -0.003], normal: [-0.1, 0.0, 0.995] };
    blueprint.contacts = vec![(floor, nodes, 2e3)];
    let model = with(blueprint, regions).build().unwrap();
    let mut start = model.state_at_rest();
    start.v.chunks_mut(3).for_each(|v| v[2] = -1.0);
    (model, start)
}

#[test]
fn contact_at_the_small_steps_is_that_of_small_steps() {
    let small = Options::default().with(&parameters::CONTACT, ContactStep::Small);
    let [_, euler] = [true, false].map(|damp_at_rest| {
        let (model, start) = falling(&[(0.0, 0.8, 5)], damp_at_rest);
        let ours = steps(&mut *stepper("asynchronous-backward-euler", &model, &small), &model, &start, STEP, 6);
        let euler = steps(&mut *stepper("linearly-implicit-euler", &model, &direct()), &model, &start, STEP / 5.0, 30);
        assert!(model.is_touching(&ours.x));
        let gap = apart(&ours, &euler, &start);
        assert!(gap < 1e-11, "{gap:e}");
        euler
    });
    // With contact at large steps the tip's contact is seen too late, and the result is closer to that of large steps.
    let (model, start) = falling(&[(0.6, 0.8, 5)], false);
    let error = |contact: ContactStep, coupling: Coupling| {
        let options = Options::default().with(&parameters::CONTACT, contact).with(&parameters::COUPLING, coupling);
        let end = steps(&mut *stepper("asynchronous-backward-euler", &model, &options), &model, &start, STEP, 6);
        // Error of the tip, which meets the floor at small steps.
        let nodes = (0..model.free_nodes()).filter(|&i| model.rest()[3 * i] > 0.55);
        nodes.flat_map(|i| 3 * i..3 * i + 3).map(|k| (end.x[k] - euler.x[k]).abs()).fold(0.0, f64::max)
    };
    for coupling in COUPLINGS {
        let [at_small, at_large] = [ContactStep::Small, ContactStep::Large].map(|contact| error(contact, coupling));
        println!("{coupling:?}: {at_small:.3e} {at_large:.3e}");
        assert!(at_small < at_large, "{coupling:?}: {at_small:e}, {at_large:e}");
    }
}

#[test]
fn what_swings_out_and_back_within_a_large_step_meets_what_is_in_its_way() {
    // A stretched bar of 1e7 Pa, let go, is as long again after a large step; in between its tip would pass the plane.
    const STEP: f64 = 0.032;
    let swung = |is_met: bool| {
        let mut blueprint = bar(LINEAR);
        blueprint.loads.clear();
        let trunk = blueprint.solids.remove(0).tets;
        blueprint.solids[0].tets.extend(trunk);
        let plane = Obstacle::Plane { point: [0.785, 0.0, 0.0], normal: [1.0, 0.0, 0.0] };
        if is_met {
            blueprint.contacts = vec![(plane, between(&blueprint, 0.8, 0.8), 1e6)];
        }
        let model = with(blueprint, &[(0.0, 0.8, 32)]).build().unwrap();
        let mut start = model.state_at_rest();
        start.x.chunks_mut(3).for_each(|x| x[0] *= 1.05);
        let small = Options::default().with(&parameters::CONTACT, ContactStep::Small);
        let ours = steps(&mut *stepper("asynchronous-backward-euler", &model, &small), &model, &start, STEP, 1);
        let fine = steps(&mut *stepper("linearly-implicit-euler", &model, &direct()), &model, &start, STEP / 32.0, 32);
        assert!(!model.is_touching(&ours.x));
        // Relative to the speeds of the end, which are a hundredth of those in between.
        let gap = apart(&ours, &fine, &start);
        assert!(gap < 1e-10, "{gap:e}");
        ours
    };
    let (free, met) = (swung(false), swung(true));
    let fastest = free.v.chunks(3).map(|v| v[0].abs()).fold(0.0, f64::max);
    let change = distance(&free, &met);
    println!("{:.3} m in a step at most, at the end {fastest:.2} m/s; contact changes {change:.1e}", STEP * fastest);
    // The speeds at both ends, of which one is zero, would not bring it to the plane, which is 0.055 m away.
    assert!(STEP * fastest < 0.05 && change > 1e-3, "{fastest}, {change}");
}

#[test]
fn contact_at_the_large_steps_is_linearly_implicit() {
    let (model, start) = falling(&[(0.6, 0.8, 1)], false);
    let ours = steps(&mut *asynchronous(&model), &model, &start, STEP, 6);
    let euler = steps(&mut *stepper("linearly-implicit-euler", &model, &direct()), &model, &start, STEP, 6);
    assert!(model.is_touching(&ours.x));
    let gap = apart(&ours, &euler, &start);
    assert!(gap < 1e-11, "{gap:e}");
    // Factors are kept until something touches.
    let mut ours = asynchronous(&model);
    let mut state = start.clone();
    let made: Vec<u64> = (0..6).map(|_| ours.step(&model, &mut state, STEP).unwrap().linear.factorisations).collect();
    assert!(made[0] == 2 && made[1..].contains(&2), "{made:?}");
}

#[test]
fn what_stands_on_a_plane_is_free_to_leave_it() {
    // The lowest nodes lie exactly on the plane: no force pushes or holds them.
    let risen = |name: &str, regions: &[Span], is_met: bool| {
        let mut blueprint = bar(LINEAR);
        blueprint.fixed.clear();
        blueprint.loads.clear();
        let nodes: Vec<u32> = (0..blueprint.mesh.points.len() as u32).collect();
        assert!(blueprint.mesh.points.iter().any(|point| point[2] == 0.0));
        if is_met {
            let plane = Obstacle::Plane { point: [0.0; 3], normal: [0.0, 0.0, 1.0] };
            blueprint.contacts = vec![(plane, nodes, 1e6)];
        }
        let model = with(blueprint, regions).build().unwrap();
        let mut start = model.state_at_rest();
        start.v.as_chunks_mut::<3>().0.iter_mut().for_each(|v| v[2] = 1.0);
        assert!(!model.is_touching(&start.x));
        let stepper = &mut *stepper(name, &model, &Options::default().with(&parameters::SOLVER, SolverKind::Direct));
        (steps(stepper, &model, &start, STEP, 5), start)
    };
    for (name, regions) in [
        ("linearly-implicit-euler", [].as_slice()),
        ("asynchronous-backward-euler", &[]),
        ("asynchronous-backward-euler", &[(0.6, 0.8, 5)]),
        ("schroeder", &[(0.6, 0.8, 50)]),
    ] {
        let [(free, start), (met, _)] = [false, true].map(|is_met| risen(name, regions, is_met));
        let gap = distance(&free, &met) / distance(&free, &start);
        println!("{name}: {gap:.1e}");
        assert!(gap < 1e-14, "{name}: {gap:e}");
    }
}
