//! A finished run made longer equals the run that was longer from the beginning, for any last step.

use crate::runs::{BAR, Until, assert_same, begin, empty_directory, label, resume, variants, with};
use scene::output::Paused;

fn lasting(variant: &str, duration: f64) -> String {
    with(BAR, &[("linearly-implicit-euler\"", variant), ("duration = 0.08", &format!("duration = {duration:?}"))])
}

#[test]
fn a_longer_duration_gives_the_longer_run() {
    for (method, variant) in variants() {
        let name = format!("longer-{}", label(method, &variant));
        let (whole, grown) = (empty_directory(&name), empty_directory(&format!("{name}-grown")));
        begin(&whole, &lasting(&variant, 0.08), Until::End);
        // A whole number of steps; one whose last step is shorter; one whose end is rounded differently, because 9 *
        // 0.004 is not 0.036; one on a frame.
        for (duration, taken_up) in [(0.04, 10), (0.05, 12), (0.036, 8), (0.068, 17)] {
            begin(&grown, &lasting(&variant, duration), Until::End);
            assert_eq!(resume(&grown, Some(0.08), Until::End), taken_up, "{name} from {duration} s");
            assert_same(&whole, &grown);
        }
        // Made longer several times, with a pause.
        begin(&grown, &lasting(&variant, 0.01), Until::Asked(1));
        resume(&grown, Some(0.03), Until::End);
        resume(&grown, Some(0.06), Until::Killed(14));
        resume(&grown, Some(0.08), Until::Asked(15));
        resume(&grown, None, Until::End);
        assert_same(&whole, &grown);
    }
}

#[test]
fn interpolated_frames_are_those_of_the_longer_run() {
    for rate in ["83.0", "700.0", "125.0"] {
        let frames = format!("frame_rate = {rate}\nframes = \"interpolated\"");
        let text = |duration: f64| with(&lasting("bdf2\"", duration), &[("frame_rate = 80.0", &frames)]);
        let (whole, grown) = (empty_directory("longer-interpolated"), empty_directory("longer-interpolated-grown"));
        begin(&whole, &text(0.08), Until::End);
        for duration in [0.04, 0.05, 0.036, 0.068] {
            begin(&grown, &text(duration), Until::End);
            resume(&grown, Some(0.08), Until::End);
            assert_same(&whole, &grown);
        }
    }
}

#[test]
fn a_shorter_duration_is_possible_as_long_as_it_is_not_passed() {
    let (whole, cut) = (empty_directory("shorter"), empty_directory("shorter-cut"));
    begin(&whole, &lasting("bdf2\"", 0.05), Until::End);
    begin(&cut, &lasting("bdf2\"", 0.08), Until::Asked(9));
    resume(&cut, Some(0.05), Until::End);
    assert_same(&whole, &cut);
    let error = Paused::open(&cut, Some(0.02)).err().expect("passed").to_string();
    assert!(error.contains("--duration") && error.contains("0.02"), "{error}");
}

#[test]
fn a_finished_run_knows_that_it_is() {
    for duration in [0.04, 0.05] {
        let path = empty_directory("finished");
        begin(&path, &lasting("newmark\"", duration), Until::Asked(3));
        assert!(Paused::open(&path, None).unwrap().done.is_none());
        resume(&path, None, Until::End);
        assert!(Paused::open(&path, None).unwrap().done.is_some());
        assert!(Paused::open(&path, Some(duration)).unwrap().done.is_some());
        assert!(Paused::open(&path, Some(0.08)).unwrap().done.is_none());
        // Killed after its last step, before the summary was written.
        let whole = empty_directory("finished-whole");
        begin(&whole, &lasting("newmark\"", duration), Until::End);
        std::fs::remove_file(path.join("summary.json")).unwrap();
        resume(&path, None, Until::End);
        assert_same(&whole, &path);
    }
}
