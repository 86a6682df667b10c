//! Obstacles met at the large steps, or at the small ones.

use crate::bars::*;
use crate::problems::bar::{Span, apart, steps, with};
use crate::problems::*;
use integrators::{ContactStep, Options};
use model::energy::contact::Obstacle;
use model::{Model, State};

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
    let small = Options { contact: ContactStep::Small, ..Options::default() };
    let [_, euler] = [true, false].map(|damp_at_rest| {
        let (model, start) = falling(&[(0.0, 0.8, 5)], damp_at_rest);
        let ours = steps(&mut *stepper("asynchronous-backward-euler", &model, &small), &model, &start, STEP, 6);
        let euler = steps(&mut *stepper("linearly-implicit-euler", &model, &direct()), &model, &start, STEP / 5.0, 30);
        assert!(model.is_touching(&ours.x));
        let gap = apart(&ours, &euler, &start);
        assert!(gap < 1e-11, "{gap:e}");
        euler
    });
    // At the large steps the contact of a tip alone is seen too late, and is nearer to that of large steps.
    let (model, start) = falling(&[(0.6, 0.8, 5)], false);
    let error = |options: &Options| {
        let end = steps(&mut *stepper("asynchronous-backward-euler", &model, options), &model, &start, STEP, 6);
        distance(&end, &euler)
    };
    let (at_small, at_large) = (error(&small), error(&Options::default()));
    println!("{at_small:.2e} {at_large:.2e}");
    assert!(at_small < at_large, "{at_small:e}, {at_large:e}");
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
