//! Contact of rigid bodies: rest, friction, collisions, overlaps.

use crate::bodies::*;
use collision::{Pose, Shape};
use model::{Model, State};
use numerics::mat3::{norm, sub};
use numerics::quaternion::{from_axis_angle, rotate};

const G: f64 = 10.0;

/// A box on a slope of some angle [rad], with friction.
fn slope(angle: f64, friction: f64) -> Model {
    let turn = from_axis_angle([0.0, 1.0, 0.0], angle);
    let mut cast = Cast::default();
    let ground =
        cast.add(Shape::Box { half: [5.0, 5.0, 0.5] }, Pose::new(rotate(turn, [0.0, 0.0, -0.5]), turn), 1.0, friction);
    cast.hold(ground);
    cast.add(Shape::Box { half: [0.2, 0.2, 0.1] }, Pose::new(rotate(turn, [0.0, 0.0, 0.1]), turn), 3.0, friction);
    cast.build([0.0, 0.0, -G])
}

/// How far the box has slid after a second [m].
fn slid(angle: f64, friction: f64, substeps: usize) -> f64 {
    let model = slope(angle, friction);
    let mut stepper = small_steps(&model, substeps, 2);
    let mut state = model.state_at_rest();
    let before = centre(&model, &state, 1);
    run(&model, stepper.as_mut(), &mut state, 1.0);
    norm(sub(centre(&model, &state, 1), before))
}

#[test]
fn a_box_sticks_below_the_angle_of_friction_and_slides_above_it() {
    let (mu, angle) = (0.5_f64, 0.5_f64.atan());
    let [coarse, below] = [10, 40].map(|substeps| slid(0.9 * angle, mu, substeps));
    let above = slid(1.1 * angle, mu, 40);
    let steep = 1.1 * angle;
    let expected = 0.5 * G * (steep.sin() - mu * steep.cos());
    println!("below {coarse:.3e} and {below:.3e} m, above {above:.4} m, theory {expected:.4} m");
    // What one sweep over the corners leaves, about g dt^2, is forgotten when contacts are found anew, once a frame.
    let creep = G * (FRAME / 40.0).powi(2) / FRAME;
    assert!(below < 5.0 * creep && below < 0.15 * coarse, "{below} m below the angle, {coarse} m with 10 substeps");
    assert!((above / expected - 1.0).abs() < 0.02, "{above} m is not {expected} m");
}

fn two_balls() -> (Model, State) {
    let mut cast = Cast::default();
    cast.add(Shape::Ball { radius: 0.1 }, Pose::at([-0.5, 0.0, 0.0]), 1.0, 0.0);
    cast.add(Shape::Ball { radius: 0.1 }, Pose::at([0.5, 0.0, 0.0]), 3.0, 0.0);
    let model = cast.build([0.0; 3]);
    let mut state = model.state_at_rest();
    throw(&model, &mut state, 0, [4.0, 0.0, 0.0], [0.0; 3]);
    (model, state)
}

#[test]
fn two_balls_collide_inelastically() {
    let (model, mut state) = two_balls();
    let mut stepper = small_steps(&model, 20, 1);
    run(&model, stepper.as_mut(), &mut state, 1.0);
    for ball in 0..2 {
        let found = velocity(&model, &state, ball);
        assert!(norm(sub(found, [1.0, 0.0, 0.0])) < 1e-9, "{found:?}");
    }
    let apart = sub(centre(&model, &state, 1), centre(&model, &state, 0))[0];
    assert!((apart - 0.2).abs() < 1e-9, "{apart} m");
}

#[test]
fn what_lies_on_the_ground_stays_there_and_a_rolling_ball_rolls() {
    let mut cast = Cast::default();
    let ground = cast.add(Shape::Box { half: [5.0, 5.0, 0.5] }, Pose::at([0.0, 0.0, -0.5]), 1.0, 0.6);
    cast.hold(ground);
    cast.add(Shape::Box { half: [0.2, 0.2, 0.1] }, Pose::at([0.0, 0.0, 0.1]), 1.0, 0.6);
    cast.add(
        Shape::Capsule { half_length: 0.2, radius: 0.1 },
        Pose::new([1.0, 0.0, 0.1], from_axis_angle([0.0, 1.0, 0.0], std::f64::consts::FRAC_PI_2)),
        1.0,
        0.6,
    );
    cast.add(Shape::Ball { radius: 0.1 }, Pose::at([-2.0, 1.0, 0.1]), 1.0, 0.6);
    let model = cast.build([0.0, 0.0, -G]);
    let mut state = model.state_at_rest();
    throw(&model, &mut state, 3, [1.0, 0.0, 0.0], [0.0, 10.0, 0.0]);
    let before = state.clone();
    let mut stepper = small_steps(&model, 20, 1);
    run(&model, stepper.as_mut(), &mut state, 1.0);
    for body in 1..3 {
        let went = sub(centre(&model, &state, body), centre(&model, &before, body));
        println!("{body} went {went:?}");
        let off = norm(went);
        assert!(off < 5.0 * G * (FRAME / 20.0).powi(2) / FRAME, "body {body} went {off} m");
    }
    let rolled = sub(centre(&model, &state, 3), centre(&model, &before, 3));
    println!("rolled {rolled:?}, spin {:?}", state.turns[3].spin);
    assert!((rolled[0] - 1.0).abs() < 0.02 && rolled[2].abs() < 1e-3, "{rolled:?}");
}

#[test]
fn bodies_that_begin_inside_each_other_part_gently() {
    let mut cast = Cast::default();
    cast.add(Shape::Box { half: [0.1; 3] }, Pose::default(), 1.0, 0.0);
    cast.add(Shape::Box { half: [0.1; 3] }, Pose::at([0.15, 0.01, 0.02]), 1.0, 0.0);
    cast.add(Shape::Ball { radius: 0.1 }, Pose::at([0.0, 3.0, 0.0]), 1.0, 0.0);
    cast.add(Shape::Ball { radius: 0.1 }, Pose::at([0.0, 3.0, 0.0]), 1.0, 0.0);
    let model = cast.build([0.0; 3]);
    let mut stepper = small_steps(&model, 20, 1);
    let mut state = model.state_at_rest();
    run(&model, stepper.as_mut(), &mut state, 1.0);
    let apart = |a, b| norm(sub(centre(&model, &state, a), centre(&model, &state, b)));
    assert!(apart(0, 1) >= 0.2 - 1e-3 && apart(2, 3) >= 0.2 - 1e-3, "{} m, {} m", apart(0, 1), apart(2, 3));
    let fastest = state.v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    assert!(fastest <= 0.1 * 0.1 / FRAME * 1.8, "{fastest} m/s");
    assert!(norm(model.momentum(&state.v)) < 1e-12);
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let run_with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut cast = Cast::default();
            let ground = cast.add(Shape::Box { half: [5.0, 5.0, 0.5] }, Pose::at([0.0, 0.0, -0.5]), 1.0, 0.6);
            cast.hold(ground);
            for i in 0..30 {
                let x = f64::from(i);
                let pose = Pose::new(
                    [0.05 * (x * 1.7).sin(), 0.05 * (x * 2.3).cos(), 0.3 + 0.22 * x],
                    from_axis_angle([x.sin(), 1.0, 0.3], x),
                );
                cast.add(Shape::Box { half: [0.1, 0.08, 0.06] }, pose, 1.0, 0.4);
            }
            let model = cast.build([0.0, 0.0, -G]);
            let mut stepper = small_steps(&model, 8, 1);
            let mut state = model.state_at_rest();
            run(&model, stepper.as_mut(), &mut state, 1.5);
            state
        })
    };
    let one = run_with(1);
    assert!(one.x.iter().all(|x| x.is_finite()));
    for threads in [2, 3, 4] {
        assert_eq!(run_with(threads), one, "{threads} threads");
    }
}
