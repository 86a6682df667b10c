//! Joints: a pendulum, a chain with a heavy end, momentum, and degenerate positions.

use crate::bodies::*;
use collision::{Pose, Shape};
use model::{Anchor, Joint, JointKind, Model, State};
use numerics::mat3::{Vec3, norm, sub};
use numerics::quaternion::{from_axis_angle, rotate};
use std::f64::consts::PI;

const G: f64 = 10.0;

fn joint(kind: JointKind, a: Anchor, b: Anchor) -> Joint {
    Joint { kind, ends: [a, b], compliance: 0.0 }
}

/// A rod of 1 m along x, held at its left end.
fn rod(kind: JointKind) -> Model {
    let mut cast = Cast::default();
    let rod = cast.add(Shape::Box { half: [0.5, 0.02, 0.02] }, Pose::at([0.5, 0.0, 0.0]), 2.0, 0.0);
    cast.blueprint.joints.push(joint(kind, Anchor::Rigid(rod, [-0.5, 0.0, 0.0]), Anchor::World([0.0; 3])));
    cast.build([0.0, 0.0, -G])
}

#[test]
fn a_hinged_rod_swings_with_the_period_of_theory() {
    let model = rod(JointKind::Hinge([[0.0, 1.0, 0.0]; 2]));
    let mut stepper = small_steps(&model, 40, 1);
    let mut state = model.state_at_rest();
    // Released 0.05 rad off the vertical.
    let turn = from_axis_angle([0.0, 1.0, 0.0], PI / 2.0 - 0.05);
    let at = 3 * model.rigids()[0].node as usize;
    state.x[at..at + 3].copy_from_slice(&rotate(turn, [0.5, 0.0, 0.0]));
    state.turns[0].orientation = turn;
    let (mut crossings, mut before) = (Vec::new(), state.x[at]);
    for frame in 1..=600 {
        stepper.step(&model, &mut state, FRAME).unwrap();
        let now = state.x[at];
        if before > 0.0 && now <= 0.0 {
            crossings.push((frame as f64 - 1.0 + before / (before - now)) * FRAME);
        }
        before = now;
    }
    let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    let inertia = model.rigids()[0].inertia[1] + 2.0 * 0.25;
    let expected = 2.0 * PI * (inertia / (2.0 * G * 0.5)).sqrt() * (1.0 + 0.05_f64.powi(2) / 16.0);
    println!("period {period:.5} s, theory {expected:.5} s");
    assert!((period / expected - 1.0).abs() < 2e-3, "{period} s is not {expected} s");
    assert!(state.x[at + 1].abs() < 1e-9, "it stays in its plane");
}

#[test]
fn a_fixed_rod_stays_where_it_is() {
    let model = rod(JointKind::Fixed(numerics::quaternion::NONE));
    let mut stepper = small_steps(&model, 20, 1);
    let mut state = model.state_at_rest();
    run(&model, stepper.as_mut(), &mut state, 2.0);
    let off = norm(sub(centre(&model, &state, 0), [0.5, 0.0, 0.0]));
    assert!(off < 1e-4, "{off} m");
}

/// Links of 0.1 kg and a weight of 100 kg at the end, all hanging from the world.
fn chain(links: u32) -> Model {
    let mut cast = Cast::default();
    let mut above = Anchor::World([0.0; 3]);
    for i in 0..links {
        let link = cast.add(
            Shape::Capsule { half_length: 0.05, radius: 0.02 },
            Pose::at([0.0, 0.0, -0.05 - 0.1 * f64::from(i)]),
            0.1,
            0.0,
        );
        cast.blueprint.joints.push(joint(JointKind::Ball, Anchor::Rigid(link, [0.0, 0.0, 0.05]), above));
        above = Anchor::Rigid(link, [0.0, 0.0, -0.05]);
    }
    let weight = cast.add(Shape::Ball { radius: 0.2 }, Pose::at([0.0, 0.0, -0.1 * f64::from(links) - 0.2]), 100.0, 0.0);
    cast.blueprint.joints.push(joint(JointKind::Ball, Anchor::Rigid(weight, [0.0, 0.0, 0.2]), above));
    cast.build([0.0, 0.0, -G])
}

fn gap(model: &Model, substeps: usize, passes: usize) -> f64 {
    let mut stepper = small_steps(model, substeps, passes);
    let mut state = model.state_at_rest();
    let gaps = (0..120).map(|_| stepper.step(model, &mut state, FRAME).unwrap().joint_gap);
    gaps.fold(0.0, f64::max)
}

#[test]
fn a_heavy_end_parts_joints_less_by_substeps_than_by_passes() {
    let model = chain(10);
    let [passes, more, substeps] = [(1, 100), (1, 500), (100, 1)].map(|(n, m)| gap(&model, n, m));
    println!("1 x 100: {passes:.3e} m, 1 x 500: {more:.3e} m, 100 x 1: {substeps:.3e} m");
    assert!(substeps < 0.1 * passes && substeps < more, "{substeps} m, {passes} m, {more} m");
}

fn swinging_pair(kind: JointKind) -> (Model, State) {
    let mut cast = Cast::default();
    let a = cast.add(Shape::Box { half: [0.2, 0.1, 0.05] }, Pose::at([-0.2, 0.0, 0.0]), 1.0, 0.0);
    let b = cast.add(Shape::Capsule { half_length: 0.2, radius: 0.05 }, Pose::at([0.0, 0.0, 0.25]), 3.0, 0.0);
    let ends = [Anchor::Rigid(a, [0.2, 0.0, 0.0]), Anchor::Rigid(b, [0.0, 0.0, -0.25])];
    cast.blueprint.joints.push(joint(kind, ends[0], ends[1]));
    let model = cast.build([0.0; 3]);
    let mut state = model.state_at_rest();
    throw(&model, &mut state, 0, [0.3, 0.0, -1.0], [0.0, 3.0, 1.0]);
    throw(&model, &mut state, 1, [-0.2, 0.5, 0.0], [1.0, 0.0, -2.0]);
    (model, state)
}

#[test]
fn joints_keep_momentum_to_rounding_and_angular_momentum_with_the_substep() {
    let kinds = [
        JointKind::Ball,
        JointKind::Hinge([[0.0, 1.0, 0.0]; 2]),
        JointKind::Fixed(numerics::quaternion::NONE),
        JointKind::Distance(0.0),
    ];
    for kind in kinds {
        let mut errors = [0.0; 2];
        for (error, substeps) in errors.iter_mut().zip([20, 80]) {
            let (model, mut state) = swinging_pair(kind);
            let (linear, angular) = (model.momentum(&state.v), model.angular_momentum(&state));
            let mut stepper = small_steps(&model, substeps, 2);
            run(&model, stepper.as_mut(), &mut state, 1.0);
            let off = norm(sub(model.momentum(&state.v), linear));
            assert!(off < 1e-12 * norm(linear), "{kind:?}: momentum is off by {off}");
            *error = norm(sub(model.angular_momentum(&state), angular)) / norm(angular);
        }
        println!("{kind:?}: angular momentum off by {errors:?}");
        assert!(errors[1] < 0.4 * errors[0].max(1e-9) && errors[0] < 0.1, "{kind:?}: {errors:?}");
    }
}

#[test]
fn joints_without_a_way_to_go_make_no_nan() {
    let far: Vec3 = [0.0, 0.0, 5.0];
    for (kind, end) in [
        (JointKind::Distance(1.0), [0.0; 3]),
        (JointKind::Distance(0.0), [0.0; 3]),
        (JointKind::Hinge([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]), [0.0; 3]),
        (JointKind::Ball, far),
        (JointKind::Fixed([0.0, 1.0, 0.0, 0.0]), far),
    ] {
        let mut cast = Cast::default();
        let body = cast.add(Shape::Box { half: [0.1, 0.1, 0.1] }, Pose::default(), 1.0, 0.0);
        let held = cast.add(Shape::Ball { radius: 0.1 }, Pose::at(end), 1.0, 0.0);
        cast.hold(held);
        cast.blueprint.joints.push(joint(kind, Anchor::Rigid(body, [0.0; 3]), Anchor::Rigid(held, [0.0; 3])));
        let model = cast.build([0.0; 3]);
        let mut stepper = small_steps(&model, 5, 3);
        let mut state = model.state_at_rest();
        for _ in 0..60 {
            stepper.step(&model, &mut state, FRAME).unwrap();
        }
        assert!(state.x.iter().chain(&state.v).all(|x| x.is_finite()), "{kind:?}");
        assert_eq!(centre(&model, &state, 1), end, "{kind:?}: what is held stays");
    }
}

#[test]
fn a_compliant_joint_gives_by_its_compliance() {
    let mut cast = Cast::default();
    let ball = cast.add(Shape::Ball { radius: 0.1 }, Pose::default(), 2.0, 0.0);
    let ends = [Anchor::Rigid(ball, [0.0; 3]), Anchor::World([0.0; 3])];
    cast.blueprint.joints.push(Joint { kind: JointKind::Ball, ends, compliance: 1e-3 });
    cast.blueprint.damping = [10.0, 0.0];
    let model = cast.build([0.0, 0.0, -G]);
    let mut stepper = small_steps(&model, 10, 1);
    let mut state = model.state_at_rest();
    run(&model, stepper.as_mut(), &mut state, 5.0);
    let found = -centre(&model, &state, 0)[2];
    assert!((found - 1e-3 * 2.0 * G).abs() < 1e-6, "{found} m");
}

#[test]
fn the_largest_force_of_a_joint_is_the_weight_below_it() {
    let mut cast = Cast::default();
    let ball = cast.add(Shape::Ball { radius: 0.1 }, Pose::default(), 2.0, 0.0);
    let below = cast.add(Shape::Ball { radius: 0.1 }, Pose::at([0.0, 0.0, -0.5]), 3.0, 0.0);
    let hung = [Anchor::Rigid(ball, [0.0; 3]), Anchor::World([0.0; 3])];
    let from = [Anchor::Rigid(below, [0.0; 3]), Anchor::Rigid(ball, [0.0; 3])];
    cast.blueprint.joints.push(joint(JointKind::Ball, hung[0], hung[1]));
    cast.blueprint.joints.push(joint(JointKind::Distance(0.5), from[0], from[1]));
    cast.blueprint.damping = [10.0, 0.0];
    let model = cast.build([0.0, 0.0, -G]);
    let mut stepper = small_steps(&model, 10, 1);
    let mut state = model.state_at_rest();
    run(&model, stepper.as_mut(), &mut state, 5.0);
    let force = stepper.step(&model, &mut state, FRAME).unwrap().joint_force;
    assert!((force / (5.0 * G) - 1.0).abs() < 1e-6, "{force} N");
}
