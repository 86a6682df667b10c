//! Contact of rigid bodies: rest, friction, collisions, overlaps.

use crate::bodies::*;
use collision::{Pose, Shape};
use model::{Model, State};
use numerics::mat3::{Vec3, norm, sub};
use numerics::quaternion::{NONE, Quaternion, conjugate, from_axis_angle, product, rotate, rotation_vector};
use std::f64::consts::FRAC_PI_2;

const G: f64 = 10.0;

/// A body on a slope: shape, position in the frame of the slope [m], orientation, mass [kg].
type Placed = (Shape, Vec3, Quaternion, f64);

/// A slope of some angle [rad], and bodies on it.
fn slope(angle: f64, friction: f64, bodies: &[Placed]) -> Model {
    let turn = from_axis_angle([0.0, 1.0, 0.0], angle);
    let mut cast = Cast::default();
    let ground =
        cast.add(Shape::Box { half: [9.0, 5.0, 0.5] }, Pose::new(rotate(turn, [0.0, 0.0, -0.5]), turn), 1.0, friction);
    cast.hold(ground);
    for (shape, at, turned, mass) in bodies {
        cast.add(shape.clone(), Pose::new(rotate(turn, *at), product(turn, *turned)), *mass, friction);
    }
    cast.build([0.0, 0.0, -G])
}

/// Cases that may rest on a slope: a name, bodies, and the passes that hold them. One pass passes the load of a stack
/// forwards and backwards, but not evenly; two do.
fn resting() -> Vec<(&'static str, Vec<Placed>, usize)> {
    let across = from_axis_angle([0.0, 1.0, 0.0], FRAC_PI_2);
    let slab = Shape::Box { half: [0.2, 0.2, 0.1] };
    let capsule = Shape::Capsule { half_length: 0.2, radius: 0.1 };
    let corner = |i: u32| [i & 1, i >> 1 & 1, i >> 2].map(|k| f64::from(k) - 0.5);
    let blunt: Vec<Vec3> = (0..8).map(corner).map(|[x, y, z]| [0.3 * x, (0.4 + 0.1 * z) * y, 0.2 * z]).collect();
    let turned = from_axis_angle([0.0, 0.0, 1.0], 0.4);
    vec![
        ("box", vec![(slab.clone(), [0.0, 0.0, 0.1], NONE, 3.0)], 1),
        ("turned box", vec![(slab.clone(), [0.0, 0.0, 0.1], turned, 3.0)], 1),
        // The capsules point down the slope: the other way they would roll.
        (
            "two capsules",
            vec![(capsule.clone(), [0.0, 0.0, 0.1], across, 1.0), (capsule, [0.0, 0.5, 0.1], across, 2.0)],
            1,
        ),
        ("hull", vec![(Shape::hull(&blunt).unwrap(), [0.0, 0.0, 0.1], turned, 3.0)], 1),
        (
            "box on box",
            vec![
                (slab, [0.0, 0.0, 0.1], NONE, 2.0),
                (Shape::Box { half: [0.15, 0.1, 0.1] }, [0.0, 0.0, 0.3], NONE, 1.0),
            ],
            2,
        ),
    ]
}

#[test]
fn what_rests_on_a_slope_below_the_angle_of_friction_stays() {
    for (name, bodies, passes) in resting() {
        for angle in [10_f64, 20.0] {
            let model = slope(angle.to_radians(), 0.4, &bodies);
            let mut stepper = small_steps(&model, 20, passes);
            let mut state = model.state_at_rest();
            let before = state.clone();
            run(&model, stepper.as_mut(), &mut state, 5.0);
            for body in 1..=bodies.len() as u32 {
                let crept = norm(sub(centre(&model, &state, body), centre(&model, &before, body)));
                println!("{name} at {angle} degrees, body {body}: {:.4} mm in 5 s", 1e3 * crept);
                assert!(crept < 1e-3, "{name} at {angle} degrees, body {body} creeps by {crept} m");
            }
        }
    }
}

#[test]
fn what_lies_on_too_steep_a_slope_slides_as_coulomb_says() {
    for (name, bodies, passes) in resting() {
        for angle in [30_f64, 35.0] {
            let (mu, angle) = (0.4, angle.to_radians());
            let model = slope(angle, mu, &bodies);
            let mut stepper = small_steps(&model, 20, passes);
            let mut state = model.state_at_rest();
            run(&model, stepper.as_mut(), &mut state, 1.0);
            let expected = G * (angle.sin() - mu * angle.cos());
            for body in 1..=bodies.len() as u32 {
                let speed = norm(velocity(&model, &state, body));
                println!("{name} at {angle:.3} rad, body {body}: {speed:.4} m/s, theory {expected:.4}");
                assert!((speed / expected - 1.0).abs() < 5e-3, "{name}, {angle} rad: {speed} is not {expected} m/s");
            }
        }
    }
}

/// Four corners of a slab, each with a quarter of its load and the same arm, stop a spin about the normal in I omega / (mu m g r).
#[test]
fn a_spin_about_the_normal_ends_as_coulomb_says_and_does_not_come_back() {
    let (mu, spin, half) = (0.4, 6.0, [0.2, 0.2, 0.1]);
    let model = slope(0.0, mu, &[(Shape::Box { half }, [0.0, 0.0, 0.1], NONE, 3.0)]);
    let mut stepper = small_steps(&model, 20, 1);
    let mut state = model.state_at_rest();
    throw(&model, &mut state, 1, [0.0; 3], [0.0, 0.0, spin]);
    let arm = half[0].hypot(half[1]);
    let inertia = (half[0] * half[0] + half[1] * half[1]) / 3.0;
    let time = inertia * spin / (mu * G * arm);
    run(&model, stepper.as_mut(), &mut state, 0.5 * time);
    let midway = state.turns[1].spin[2] / spin;
    run(&model, stepper.as_mut(), &mut state, time);
    let stopped = state.turns[1].orientation;
    run(&model, stepper.as_mut(), &mut state, 2.0);
    let turned = norm(rotation_vector(product(state.turns[1].orientation, conjugate(stopped))));
    println!("half of {time:.3} s: {midway:.4} of the spin is left; {turned:.2e} rad in 2 s after it stopped");
    assert!((midway - 0.5).abs() < 0.1, "{midway}");
    assert!(turned < 1e-3, "it turned on by {turned}");
}

#[test]
fn a_run_that_is_taken_up_again_sticks_to_the_same_bits() {
    let (_, bodies, passes) = resting().swap_remove(1);
    let model = slope(0.35, 0.4, &bodies);
    let mut stepper = small_steps(&model, 20, passes);
    let mut state = model.state_at_rest();
    run(&model, stepper.as_mut(), &mut state, 0.25);
    let mut again = small_steps(&model, 20, passes);
    let mut other = state.clone();
    assert!(again.recall(&stepper.memory()));
    assert_eq!(again.memory(), stepper.memory());
    // The memory matters: without it the result differs.
    let (mut forgetful, mut third) = (small_steps(&model, 20, passes), state.clone());
    run(&model, stepper.as_mut(), &mut state, 0.25);
    run(&model, again.as_mut(), &mut other, 0.25);
    run(&model, forgetful.as_mut(), &mut third, 0.25);
    assert_eq!(state, other);
    assert_ne!(state, third);
    // Memory of something else is refused.
    let memory = stepper.memory();
    for wrong in [&memory[1..], &memory[..memory.len() - 1], &[&memory[..], &[1.0]].concat()] {
        assert!(!again.recall(wrong));
        assert!(again.memory().is_empty());
    }
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
        Pose::new([1.0, 0.0, 0.1], from_axis_angle([0.0, 1.0, 0.0], FRAC_PI_2)),
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
