//! Runs side by side: bit-for-bit the same as one by one, timed alone; finished results are kept when they are stopped.

use report::{Comparison, Contender, Plan, compare};
use scene::{Ending, Moment, Observer, ObserverError, Scene};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const SCENE: &str = r#"
title = "A bar that swings"
[run]
duration = 0.3
frame_rate = 50.0
[integrator]
method = "backward-euler"
step = 0.01
[[body]]
shape = { generator = "bar", length = 1.0, thickness = 0.2, cells_along = 10, cells_across = 3 }
material = { model = "stable-neo-hookean", young = 1e6, poisson = 0.3, density = 1000.0 }
[[fix]]
where = { group = "x-" }
"#;

const METHODS: [&str; 7] =
    ["symplectic-euler", "backward-euler", "siere", "bdf2", "ere", "implicit-midpoint", "linearly-implicit-euler"];

fn plan(side_by_side: bool) -> Plan {
    let contenders = METHODS.map(|method| Contender { method: Some(method.to_string()), step: None }).to_vec();
    let scene = Scene::parse("swing.toml", SCENE).unwrap();
    let reference = Some(Contender { method: Some("implicit-midpoint".to_string()), step: Some(0.005) });
    Plan { scene, contenders, reference, equal_cost: false, side_by_side }
}

/// Sets a flag after a number of steps of all runs.
struct StopsAfter<'a> {
    left: &'a AtomicUsize,
    stop: &'a AtomicBool,
}

impl Observer for StopsAfter<'_> {
    fn observe(&mut self, _: &Moment) -> Result<(), ObserverError> {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.stop.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

fn run(plan: &Plan, steps: usize) -> Comparison {
    // Observers must be static, so their data is leaked, a few bytes per test.
    let (left, stop) = (&*Box::leak(Box::new(AtomicUsize::new(steps))), &*Box::leak(Box::new(AtomicBool::new(false))));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    pool.install(|| compare(plan, &|_, _| Box::new(StopsAfter { left, stop }), stop)).unwrap()
}

#[test]
fn side_by_side_and_one_by_one_are_the_same_bits() {
    let [together, apart] = [true, false].map(|side_by_side| run(&plan(side_by_side), usize::MAX));
    assert_eq!((together.runs.len(), apart.runs.len()), (METHODS.len(), METHODS.len()));
    for (a, b) in together.runs.iter().zip(&apart.runs) {
        assert_eq!((&a.label, a.method), (&b.label, b.method), "the order is kept");
        assert!(a.recording.samples == b.recording.samples, "{}: energies differ", a.label);
        assert!(a.recording.points == b.recording.points && a.recording.fields == b.recording.fields, "{}", a.label);
        assert_eq!((a.outcome.work, a.error, a.energy_kept), (b.outcome.work, b.error, b.energy_kept), "{}", a.label);
        assert_eq!(a.outcome.ending, b.outcome.ending);
        let (alone, in_turn) = (a.ms_per_step.unwrap(), b.ms_per_step.unwrap());
        assert!(alone > 0.0, "{}", a.label);
        // The time of a failed step does not count.
        let all = b.outcome.ms_per_step();
        let done = b.outcome.ending == Ending::Done;
        assert!(
            if done { (in_turn - all).abs() < 1e-9 * all } else { in_turn < all },
            "{}: {in_turn} of {all}",
            a.label
        );
    }
    assert!(together.runs.iter().any(|run| matches!(run.outcome.ending, Ending::Diverged(_))), "one fails");
    assert!(!together.interrupted && !apart.interrupted);
    assert_eq!(together.damping, apart.damping);
    // Timed alone afterwards, not as it ran.
    assert_ne!(together.runs[1].ms_per_step, Some(together.runs[1].outcome.ms_per_step()));
}

#[test]
fn what_is_done_is_kept_when_all_is_stopped() {
    for side_by_side in [true, false] {
        // The reference takes 61 steps; then the others run.
        let comparison = run(&plan(side_by_side), 61 + 50);
        assert!(comparison.interrupted);
        let stopped = comparison.runs.iter().filter(|run| run.outcome.ending == Ending::Interrupted).count();
        assert!((1..=3).contains(&stopped), "{stopped} were under way");
        assert!(comparison.runs.len() < METHODS.len(), "those that were not begun are left out");
        for run in &comparison.runs {
            assert_eq!(run.recording.samples.len() as u64, run.outcome.steps + 1);
            assert_eq!(run.ms_per_step.is_some(), !side_by_side, "nobody is timed after that");
        }
        let html = report::page::html(&comparison, "");
        assert!(html.contains("\"outcome\":\"stopped\""));
    }
}
