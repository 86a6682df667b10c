use super::*;
use integrators::METHODS;
use model::State;
use scene::{Ending, run};
use std::sync::atomic::AtomicBool;

const SCENE: &str = include_str!("../../tests/bar.toml");

pub(crate) fn live(method: &str) -> Live {
    let scene = Scene::parse("live.toml", SCENE).and_then(|scene| scene.with_method(method));
    built(scene.unwrap_or_else(|problems| panic!("{problems}")))
}

fn built(scene: Scene) -> Live {
    let built = scene.build().unwrap_or_else(|problems| panic!("{problems}"));
    Live::new(scene, built)
}

/// A bar whose first step takes minutes.
pub(crate) fn endless() -> Live {
    let text =
        SCENE.replace("young = 1e6", "young = 1e20").replace("\"backward-euler\"", "\"ere\"\nproducts = 1000000000");
    built(Scene::parse("live.toml", &text).unwrap_or_else(|problems| panic!("{problems}")))
}

fn bits(live: &Live) -> Vec<u64> {
    let State { t, x, v, .. } = live.simulation().state();
    [t].into_iter().chain(x).chain(v).map(|x| x.to_bits()).collect()
}

/// Returns the drawn point farthest along x, and its position.
fn tip(live: &Live) -> (usize, Vec3) {
    let points = live.points();
    let far = (0..points.len()).max_by(|&a, &b| points[a][0].total_cmp(&points[b][0])).unwrap();
    (far, points[far])
}

#[test]
fn left_alone_it_does_what_a_run_does_to_the_bit() {
    for method in ["backward-euler", "bdf2", "siere", "ere"] {
        let mut live = live(method);
        (0..20).for_each(|_| live.step());
        let mut whole = live.scene.build().unwrap_or_else(|problems| panic!("{problems}"));
        run(&mut whole, &mut [], &AtomicBool::new(false)).unwrap();
        let run = Live::new(live.scene.clone(), whole);
        assert_eq!(bits(&live), bits(&run), "{method}");
        // It continues beyond the scene's duration.
        live.step();
        assert!(live.time() > 0.205 && live.goes_on());
    }
}

#[test]
fn linear_bodies_are_shown_warped_where_the_scene_wants_it() {
    let text = SCENE.replace("neo-hookean", "linear").replace("young = 1e6", "young = 3e4");
    let made = |text: &str| {
        let mut live = built(Scene::parse("live.toml", text).unwrap_or_else(|problems| panic!("{problems}")));
        (0..30).for_each(|_| live.step());
        live
    };
    let plain = made(&text);
    let warped = made(&text.replace("duration = 0.2", "duration = 0.2\nwarp = true"));
    assert_eq!(bits(&plain), bits(&warped));
    let [(_, plain), (_, warped)] = [tip(&plain), tip(&warped)];
    // The tip of a bar that turns comes nearer to the clamp.
    assert!(warped[0] < plain[0] - 0.02, "{plain:?}, warped {warped:?}");
}

#[test]
fn what_is_too_much_energy_is_the_same_as_in_a_run() {
    // Almost without gravity all energy grows from nearly nothing, and the duration decides how much is too much.
    let text = SCENE
        .replace("-9.81", "-1e-12")
        .replace("duration = 0.2", "duration = 20.0")
        .replace("backward-euler", "symplectic-euler");
    let scene = Scene::parse("live.toml", &text).unwrap_or_else(|problems| panic!("{problems}"));
    let build = || scene.build().unwrap_or_else(|problems| panic!("{problems}"));
    let mut whole = build();
    let Ending::Diverged(divergence) = run(&mut whole, &mut [], &AtomicBool::new(false)).unwrap().ending else {
        panic!("the step is far too long")
    };
    assert_eq!(divergence.cause.word(), "energy jump");
    let mut live = Live::new(scene.clone(), build());
    (0..divergence.step).for_each(|_| live.step());
    assert_eq!(live.failed, Some((divergence.time, divergence.cause.to_string())));
    assert_eq!(bits(&live), bits(&Live::new(scene.clone(), whole)));
    live.obey(Command::Reset, &Board::new()).unwrap();
    (0..divergence.step).for_each(|_| live.step());
    assert_eq!(live.failed, Some((divergence.time, divergence.cause.to_string())), "after a reset");
}

#[test]
fn a_refused_command_changes_nothing() {
    let board = Board::new();
    let mut live = live("bdf2");
    (0..5).for_each(|_| live.step());
    let (before, memory) = (bits(&live), live.simulation().stepper().memory());
    let fixed = live.drawing.rest.iter().position(|point| point[0] == 0.0).unwrap();
    for refused in [
        Command::Method("no-such".to_string()),
        Command::Method(String::new()),
        Command::Pull { point: usize::MAX, to: [0.0; 3] },
        Command::Pull { point: live.drawing.rest.len(), to: [0.0; 3] },
        Command::Pull { point: fixed, to: [0.0; 3] },
    ] {
        let words = live.obey(refused.clone(), &board).unwrap_err();
        assert!(words.len() > 10, "{refused:?}: {words}");
        assert_eq!(
            (bits(&live), live.simulation().stepper().memory()),
            (before.clone(), memory.clone()),
            "{refused:?}"
        );
        assert_eq!(live.simulation().method().name, "bdf2");
    }
    assert!(live.running && live.pull.is_none());
}

#[test]
fn every_method_goes_on_from_the_same_state() {
    let board = Board::new();
    let mut live = live("backward-euler");
    (0..5).for_each(|_| live.step());
    for method in METHODS.iter() {
        let before = bits(&live);
        live.obey(Command::Method(method.name.to_string()), &board).unwrap();
        assert_eq!((bits(&live), live.state()["method"].as_str()), (before, Some(method.name)));
        let time = live.time();
        live.step();
        // An explicit method may fail because the step is too long; that is allowed here.
        assert!(live.failed.is_some() || live.time() > time, "{}", method.name);
    }
}

#[test]
fn a_pulled_point_goes_to_the_hand_and_comes_back() {
    let board = Board::new();
    for method in ["backward-euler", "implicit-midpoint", "newmark", "bdf2", "siere", "ere"] {
        let mut live = live(method);
        let (point, at) = tip(&live);
        let to = [at[0], at[1] + 0.3, at[2]];
        live.obey(Command::Pull { point, to }, &board).unwrap();
        (0..100).for_each(|_| live.step());
        assert_eq!(live.failed, None, "{method}");
        let pulled = live.points()[point];
        assert!(pulled[1] > at[1] + 0.1, "{method}: {pulled:?} from {at:?}");
        // The energy shown is the body's: lifted and bent, without that of the hand.
        live.obey(Command::Release, &board).unwrap();
        // Swinging or creeping, it comes near its old position within two seconds, which are two of its periods.
        let mut nearest = f64::INFINITY;
        for _ in 0..200 {
            live.step();
            nearest = nearest.min((live.points()[point][1] - at[1]).abs());
        }
        assert!(nearest < 0.2 * (pulled[1] - at[1]), "{method}: {nearest} of {}", pulled[1] - at[1]);
        assert_eq!(live.failed, None, "{method}");
    }
}

#[test]
fn a_wild_hand_does_not_blow_the_body_up() {
    let board = Board::new();
    let mut live = live("backward-euler");
    let (point, _) = tip(&live);
    for k in 0..200 {
        let far = if k % 2 == 0 { 1e9 } else { -1e9 };
        live.obey(Command::Pull { point, to: [0.0, far, far] }, &board).unwrap();
        live.step();
        assert!(live.frame(k).is_some());
    }
    let farthest = live.points().iter().flatten().fold(0.0, |far: f64, x| far.max(x.abs()));
    assert!(farthest < 10.0, "{farthest}");
}

#[test]
fn reset_goes_back_to_the_first_state_and_method() {
    let board = Board::new();
    let mut live = live("bdf2");
    let first = bits(&live);
    (0..3).for_each(|_| live.step());
    let third = bits(&live);
    live.obey(Command::Method("siere".to_string()), &board).unwrap();
    let (point, at) = tip(&live);
    live.obey(Command::Pull { point, to: [at[0], 1.0, 0.0] }, &board).unwrap();
    (0..3).for_each(|_| live.step());
    live.obey(Command::Reset, &board).unwrap();
    assert_eq!((bits(&live), live.simulation().method().name), (first, "bdf2"));
    (0..3).for_each(|_| live.step());
    assert_eq!(bits(&live), third, "nothing is remembered");
}

/// A method that panics in its second step.
struct Clumsy(u64);

impl integrators::Stepper for Clumsy {
    fn step(
        &mut self,
        _: &model::Model,
        state: &mut State,
        h: f64,
    ) -> Result<integrators::StepReport, integrators::StepError> {
        self.0 += 1;
        state.x[0] += 1e-9;
        assert!(self.0 < 2, "it fell down");
        state.t += h;
        Ok(integrators::StepReport::default())
    }
}

#[test]
fn a_method_that_panics_is_said_to_have_failed_and_another_goes_on() {
    let board = Board::new();
    let mut live = live("backward-euler");
    live.simulation.set_stepper(Box::new(Clumsy(0)));
    live.step();
    assert_eq!(live.failed, None);
    let before = bits(&live);
    live.step();
    assert_eq!(bits(&live), before, "the last good state stands");
    let state = live.state();
    assert_eq!((state["running"].as_bool(), state["diverged"]["failed"].as_bool()), (Some(false), Some(true)));
    let cause = state["diverged"]["cause"].as_str().unwrap();
    assert!(cause.contains("it fell down") && cause.contains("tests.rs:"), "{cause}");
    assert!(live.obey(Command::Step, &board).unwrap_err().contains("it failed at"));
    assert!(live.frame(1).is_some());
    let time = live.time();
    live.obey(Command::Method("bdf2".to_string()), &board).unwrap();
    live.step();
    assert!(live.time() > time && live.goes_on(), "{:?}", live.failed);
    assert_eq!(live.state()["diverged"], Value::Null);
}

#[test]
fn what_diverged_stands_at_the_last_good_state_until_another_method_goes_on() {
    let board = Board::new();
    let mut live = live("backward-euler");
    (0..3).for_each(|_| live.step());
    live.obey(Command::Method("rk4".to_string()), &board).unwrap();
    (0..500).for_each(|_| live.step());
    let (time, cause) = live.failed.clone().expect("the step is far too long for rk4");
    assert!(!cause.is_empty() && !live.goes_on());
    assert_eq!(live.time(), time);
    assert!(live.frame(1).is_some(), "the last good state can be shown");
    let state = live.state();
    assert_eq!((state["running"].as_bool(), state["diverged"]["time"].as_f64()), (Some(false), Some(time)));
    let before = bits(&live);
    assert!(live.obey(Command::Step, &board).is_err());
    assert_eq!(bits(&live), before);
    live.obey(Command::Method("backward-euler".to_string()), &board).unwrap();
    assert_eq!(bits(&live), before);
    live.step();
    assert!(live.time() > time && live.goes_on(), "{:?}", live.failed);
}
