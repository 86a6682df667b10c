//! Scripts, loads and hard contact, as the model applies them.

use model::energy::contact::Projection;
use model::load::{Load, Profile};
use model::script::Motion;
use numerics::mat3::{norm, sub};

fn motions() -> Vec<(&'static str, Motion)> {
    vec![
        (
            "keyframes",
            Motion::Keyframes {
                times: vec![0.5, 1.0, 3.0],
                offsets: vec![[0.0; 3], [0.2, 0.0, -0.1], [0.0, 0.4, 0.0]],
            },
        ),
        (
            "rotation",
            Motion::Rotation { center: [0.1, 0.2, 0.0], axis: [0.6, 0.0, 0.8], rate: 3.0, start: 0.5, end: 2.0 },
        ),
        ("shake", Motion::Shake { amplitude: [0.1, 0.0, 0.2], frequency: 1.7, start: 0.5, end: 2.0 }),
    ]
}

#[test]
fn velocity_is_the_derivative_of_position() {
    let origin = [1.0, -0.5, 0.3];
    for (name, motion) in motions() {
        for t in [0.1, 0.7, 0.93, 1.2, 1.9, 2.5, 4.0] {
            let step = 1e-6;
            let (_, v) = motion.at(t, origin);
            let (ahead, behind) = (motion.at(t + step, origin).0, motion.at(t - step, origin).0);
            let difference = sub(ahead, behind).map(|d| d / (2.0 * step));
            assert!(norm(sub(v, difference)) < 1e-8, "{name} at {t}: {v:?} {difference:?}");
        }
    }
}

#[test]
fn motions_begin_where_the_node_was_and_end_still() {
    let origin = [1.0, -0.5, 0.3];
    for (name, motion) in motions() {
        let (begin, v) = motion.at(0.0, origin);
        assert!(norm(sub(begin, origin)) < 1e-15 && v == [0.0; 3], "{name} before it begins");
        let (end, v) = motion.at(5.0, origin);
        assert_eq!((motion.at(9.0, origin).0, v), (end, [0.0; 3]), "{name} after its end");
    }
    let Some((_, rotation)) = motions().into_iter().nth(1) else { unreachable!() };
    let (turned, _) = rotation.at(2.0, origin);
    let arm = |x: [f64; 3]| norm(sub(x, [0.1, 0.2, 0.0]));
    assert!((arm(turned) - arm(origin)).abs() < 1e-14, "a rotation keeps distances");
    let (key, _) = motions()[0].1.at(1.0, origin);
    assert!(norm(sub(key, [1.2, -0.5, 0.2])) < 1e-15, "a keyframe is reached");
}

fn strength(profile: Profile, t: f64, x: f64) -> f64 {
    let load = Load { weights: vec![(0, 2.0)], direction: [0.0, 3.0, 0.0], profile };
    let mut f = [0.0; 3];
    load.add_force(1.0, t, &[0.0, x, 0.0], &mut f);
    assert!((load.potential(t, &[0.0, x, 0.0], &[0.0, 7.0, 0.0]) + 7.0 * f[1]).abs() < 1e-12);
    f[1] / 6.0
}

#[test]
fn profiles_in_time() {
    let pulse = Profile::Pulse { start: 1.0, duration: 0.5, period: 2.0 };
    let found = [0.9, 1.0, 1.4, 1.6, 2.9, 3.1, 3.6].map(|t| strength(pulse, t, 0.0));
    assert_eq!(found, [0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    let once = Profile::Pulse { start: 1.0, duration: 0.5, period: f64::INFINITY };
    assert_eq!([1.2, 3.2].map(|t| strength(once, t, 0.0)), [1.0, 0.0]);

    let gusts = Profile::Gusts { strength: 0.4, period: 2.0, speed: 5.0 };
    let samples: Vec<f64> = (0..20_000).map(|k| strength(gusts, 0.01 * k as f64, 0.0)).collect();
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    let (low, high) = samples.iter().fold((1.0_f64, 1.0_f64), |(l, h), s| (l.min(*s), h.max(*s)));
    assert!((mean - 1.0).abs() < 0.01 && low >= 0.6 && high <= 1.4 && high - low > 0.5, "{mean} {low} {high}");
    // The gust at one place is 5 m further downwind one second later.
    assert!((strength(gusts, 3.3, 1.0) - strength(gusts, 4.3, 6.0)).abs() < 1e-12);
}

#[test]
fn projection_puts_nodes_on_the_ball_and_takes_their_inward_velocity() {
    let ball = Projection { nodes: vec![0, 1, 2], center: [1.0, 0.0, 0.0], radius: 0.5 };
    // Inside and moving in, inside and moving out, outside.
    let mut x = [1.3, 0.0, 0.0, 1.0, 0.4, 0.0, 1.0, 0.0, 0.7];
    let mut v = [-2.0, 1.0, 0.5, 0.0, 3.0, 0.2, 0.0, 0.0, -4.0];
    assert!(ball.apply(&mut x, &mut v));
    let close = |a: &[f64], b: [f64; 9]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15);
    assert!(close(&x, [1.5, 0.0, 0.0, 1.0, 0.5, 0.0, 1.0, 0.0, 0.7]), "{x:?}");
    assert!(close(&v, [0.0, 1.0, 0.5, 0.0, 3.0, 0.2, 0.0, 0.0, -4.0]), "{v:?}");
    assert!(!ball.apply(&mut x, &mut v), "nothing is left to move");
}
