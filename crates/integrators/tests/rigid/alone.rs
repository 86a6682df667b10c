//! A body that meets nothing: its conserved quantities.

use crate::bodies::*;
use collision::{Pose, Shape};
use numerics::mat3::{add, cross, norm, scale, sub};
use numerics::quaternion::{from_axis_angle, rotate};

fn wing() -> Cast {
    let mut cast = Cast::default();
    let pose = Pose::new([0.1, 0.2, 0.3], from_axis_angle([1.0, 2.0, 3.0], 0.8));
    cast.add(Shape::Box { half: [0.3, 0.15, 0.05] }, pose, 2.0, 0.0);
    cast
}

#[test]
fn a_body_that_flips_keeps_its_angular_momentum_and_its_energy_to_the_square_of_dt() {
    let model = wing().build([0.0; 3]);
    let mut last = f64::INFINITY;
    for substeps in [1, 2, 4, 8] {
        let mut stepper = small_steps(&model, substeps, 1);
        let mut state = model.state_at_rest();
        // About the middle axis, slightly off.
        let spin = rotate(state.turns[0].orientation, [0.05, 12.0, 0.05]);
        throw(&model, &mut state, 0, [0.0; 3], spin);
        let (energy, momentum) = (model.kinetic(&state), model.angular_momentum(&state));
        let (mut worst, mut flips, mut side) = (0.0_f64, 0, 1.0);
        for _ in 0..1200 {
            stepper.step(&model, &mut state, FRAME).unwrap();
            worst = worst.max((model.kinetic(&state) / energy - 1.0).abs());
            let off = norm(sub(model.angular_momentum(&state), momentum)) / norm(momentum);
            assert!(off < 1e-12, "angular momentum is off by {off}");
            let now = numerics::quaternion::rotate_back(state.turns[0].orientation, state.turns[0].spin)[1];
            if now * side < 0.0 {
                (flips, side) = (flips + 1, -side);
            }
        }
        println!("{substeps} substeps: energy within {worst:.2e}, {flips} flips");
        assert!(flips >= 10, "{flips} flips in 20 s");
        assert!(worst < 0.3 * last, "{substeps} substeps: {worst} is no quarter of {last}");
        last = worst;
    }
    assert!(last < 1e-3, "{last}");
}

#[test]
fn a_body_falls_as_a_point_does_and_carries_its_nodes() {
    let model = wing().build([0.0, 0.0, -10.0]);
    let mut stepper = small_steps(&model, 20, 1);
    let mut state = model.state_at_rest();
    throw(&model, &mut state, 0, [1.0, 0.0, 3.0], [4.0, -2.0, 7.0]);
    run(&model, stepper.as_mut(), &mut state, 1.0);
    // x = v t + g t^2 / 2 and the first-order error: g t dt / 2.
    let expected = [1.1, 0.2, 0.3 + 3.0 - 5.0 - 5.0 / 1200.0];
    let found = centre(&model, &state, 0);
    assert!(norm(sub(found, expected)) < 1e-9, "{found:?}");
    let arm = rotate(state.turns[0].orientation, [0.1, 0.2, 0.3]);
    let at = 3 * model.number(1);
    let carried = [state.x[at], state.x[at + 1], state.x[at + 2]];
    assert_eq!(carried, add(found, arm));
    let speed = [state.v[at], state.v[at + 1], state.v[at + 2]];
    assert_eq!(speed, add(velocity(&model, &state, 0), cross(state.turns[0].spin, arm)));
}

#[test]
fn a_symmetric_top_precesses_at_the_rate_of_theory() {
    let mut cast = Cast::default();
    cast.add(Shape::Capsule { half_length: 0.5, radius: 0.1 }, Pose::default(), 3.0, 0.0);
    let model = cast.build([0.0; 3]);
    let mut state = model.state_at_rest();
    throw(&model, &mut state, 0, [0.0; 3], [0.7, 0.0, 9.0]);
    // The axis precesses about L with |L| / I_across.
    let momentum = model.angular_momentum(&state);
    let rate = norm(momentum) / model.rigids()[0].inertia[0];
    let axis = scale(1.0 / norm(momentum), momentum);
    let mut stepper = small_steps(&model, 20, 1);
    run(&model, stepper.as_mut(), &mut state, 5.0);
    let found = rotate(state.turns[0].orientation, [0.0, 0.0, 1.0]);
    let expected = rotate(from_axis_angle(axis, 5.0 * rate), [0.0, 0.0, 1.0]);
    assert!(norm(sub(found, expected)) < 1e-3, "{found:?} is not {expected:?}");
}

#[test]
fn damping_slows_a_spin_as_it_slows_all_motion() {
    let mut cast = wing();
    cast.blueprint.damping = [0.5, 0.0];
    let model = cast.build([0.0; 3]);
    let mut stepper = small_steps(&model, 20, 1);
    let mut state = model.state_at_rest();
    throw(&model, &mut state, 0, [2.0, 0.0, 0.0], [3.0, 1.0, 2.0]);
    let before = model.angular_momentum(&state);
    run(&model, stepper.as_mut(), &mut state, 1.0);
    let kept = (1.0 + 0.5 / 1200.0_f64).powi(-1200);
    let spun =
        sub(model.angular_momentum(&state), cross(centre(&model, &state, 0), scale(2.0 * kept * 2.0, [1.0, 0.0, 0.0])));
    let at_first = sub(before, cross([0.1, 0.2, 0.3], scale(2.0 * 2.0, [1.0, 0.0, 0.0])));
    assert!(norm(sub(spun, scale(kept, at_first))) < 1e-12 * norm(at_first), "{spun:?}");
}
