//! Comparisons: energy kept, errors, and the data of the page.

use report::{Comparison, Contender, Plan, compare, page};
use scene::{Ending, Moment, Observer, ObserverError, Scene};
use std::sync::atomic::AtomicBool;

const SWING: &str = r#"
title = "A bar </script> that swings"
[run]
duration = 0.4
frame_rate = 50.0
[world]
gravity = [0.0, 0.0, 0.0]
[integrator]
method = "backward-euler"
step = 0.01
[[body]]
shape = { generator = "bar", length = 1.0, thickness = 0.2, cells_along = 5, cells_across = 1 }
material = { model = "stable-neo-hookean", young = 1e5, poisson = 0.3, density = 1000.0 }
[[fix]]
where = { group = "x-" }
[[initial]]
kind = "velocity"
angular = [0.0, -1.0, 0.0]
center = [0.0, 0.0, 0.0]
"#;

struct Nobody;

impl Observer for Nobody {
    fn observe(&mut self, _: &Moment) -> Result<(), ObserverError> {
        Ok(())
    }
}

fn contender(method: &str, step: f64) -> Contender {
    Contender { method: Some(method.to_string()), step: Some(step) }
}

fn swing(contenders: Vec<Contender>, reference: Option<Contender>) -> Comparison {
    let scene = Scene::parse("swing.toml", SWING).unwrap();
    let plan = Plan { scene, contenders, reference, equal_cost: false, side_by_side: true };
    let stop = AtomicBool::new(false);
    compare(&plan, &|_, _| Box::new(Nobody), &stop).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn methods_share_one_model_where_it_is_the_same() {
    let methods = ["backward-euler", "siere", "bdf2", "rk4"].map(|method| contender(method, 0.01));
    let shared = swing(methods.to_vec(), Some(contender("implicit-midpoint", 0.005)));
    assert_eq!((shared.runs.len(), shared.models), (4, 1));
    // Each result is the same as that of the method alone.
    let alone = swing(vec![contender("siere", 0.01)], None);
    assert_eq!(shared.runs[1].recording.points, alone.runs[0].recording.points);
    // Obstacles may know the step.
    let text = format!(
        "{SWING}[[contact]]\nobstacle = {{ plane = {{ point = [0, 0, -1], normal = [0, 0, 1] }} }}\n\
                        kind = \"penalty\"\nstiffness = 100.0\n"
    );
    let scene = Scene::parse("swing.toml", &text).unwrap_or_else(|problems| panic!("{problems}"));
    let contenders = [0.01, 0.005].iter().flat_map(|&h| ["bdf2", "siere"].map(|method| contender(method, h))).collect();
    let plan = Plan { scene, contenders, reference: None, equal_cost: false, side_by_side: true };
    let compared = compare(&plan, &|_, _| Box::new(Nobody), &AtomicBool::new(false)).unwrap();
    assert_eq!((compared.runs.len(), compared.models), (4, 2));
}

/// Panics after some steps.
struct Clumsy(u64);

impl Observer for Clumsy {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        assert!(moment.step < self.0, "all fell down, \"twice\"");
        Ok(())
    }
}

#[test]
fn a_run_that_fails_takes_no_other_with_it() {
    let scene = Scene::parse("swing.toml", SWING).unwrap();
    let methods = ["backward-euler", "siere", "bdf2", "implicit-midpoint"];
    let contenders = methods.map(|method| contender(method, 0.01)).to_vec();
    for side_by_side in [true, false] {
        let plan = Plan {
            scene: scene.clone(),
            contenders: contenders.clone(),
            reference: None,
            equal_cost: false,
            side_by_side,
        };
        let watch = |_: &scene::Built, label: &str| -> Box<dyn Observer> {
            match label {
                "siere" => Box::new(Clumsy(5)),
                "bdf2" => panic!("not even begun"),
                _ => Box::new(Nobody),
            }
        };
        let comparison = compare(&plan, &watch, &AtomicBool::new(false)).unwrap_or_else(|error| panic!("{error}"));
        let words: Vec<&str> = comparison.runs.iter().map(|run| run.outcome.ending.word()).collect();
        assert_eq!(words, ["done", "failed", "failed", "done"]);
        assert!(!comparison.interrupted);
        let [whole, siere, bdf2, _] = &comparison.runs[..] else { panic!("four runs") };
        assert!(whole.energy_kept.is_some() && siere.energy_kept.is_none());
        // Earlier results are kept: the beginning and four steps, and the step that no observer saw.
        assert_eq!((siere.outcome.steps, siere.recording.samples.len(), bdf2.recording.samples.len()), (5, 6, 0));
        let cause = |run: &report::ComparedRun| match &run.outcome.ending {
            Ending::Diverged(divergence) => divergence.cause.to_string(),
            other => panic!("{other:?}"),
        };
        assert!(cause(siere).starts_with("the program failed: all fell down, \"twice\" ("), "{}", cause(siere));
        assert!(cause(bdf2).contains("not even begun"), "{}", cause(bdf2));
        // Page, plots and tables show it.
        let html = page::html(&comparison, "");
        assert_eq!(html.matches("\"outcome\":\"failed\"").count(), 2);
        assert!(html.contains("all fell down, \\\"twice\\\""));
        let rows = report::tables::runs(&comparison);
        let row = rows.lines().find(|line| line.starts_with("siere,")).unwrap();
        assert!(
            row.contains(",failed,") && row.contains(",\"the program failed: all fell down, \"\"twice\"\" ("),
            "{row}"
        );
        assert!(report::figures::energy(&comparison).contains("siere"));
        assert_eq!(comparison.damping.len(), swing(contenders.clone(), None).damping.len());
    }
}

#[test]
fn nobody_left_is_still_a_page() {
    let scene = Scene::parse("swing.toml", SWING).unwrap();
    let plan = Plan {
        scene,
        contenders: vec![contender("bdf2", 0.01)],
        reference: None,
        equal_cost: false,
        side_by_side: true,
    };
    let watch = |_: &scene::Built, _: &str| -> Box<dyn Observer> { panic!("no") };
    let comparison = compare(&plan, &watch, &AtomicBool::new(false)).unwrap_or_else(|error| panic!("{error}"));
    assert!(page::html(&comparison, "").contains("\"times\":[0.0]"));
    assert!(
        report::figures::energy(&comparison).contains("<svg")
            && report::tables::energies(&comparison).lines().count() == 1
    );
    // A failing reference is an error.
    let reference = Some(contender("siere", 0.01));
    let plan = Plan { reference, ..plan };
    let error = compare(&plan, &watch, &AtomicBool::new(false)).err().expect("no reference").to_string();
    assert!(error.contains("the reference") && error.contains("no ("), "{error}");
}

#[test]
fn linear_bodies_are_drawn_warped_and_measured_as_they_are() {
    let linear = SWING.replace("stable-neo-hookean", "linear").replace("young = 1e5", "young = 2e3");
    let [plain, warped] = [linear.clone(), linear.replace("[world]", "warp = true\n[world]")].map(|text| {
        let scene = Scene::parse("swing.toml", &text).unwrap_or_else(|problems| panic!("{problems}"));
        let reference = Some(contender("implicit-midpoint", 0.001));
        let contenders = vec![contender("backward-euler", 0.01)];
        let plan = Plan { scene, contenders, reference, equal_cost: false, side_by_side: true };
        let mut comparison = compare(&plan, &|_, _| Box::new(Nobody), &AtomicBool::new(false)).unwrap();
        comparison.runs.remove(0)
    });
    assert_eq!((plain.error, &plain.recording.samples), (warped.error, &warped.recording.samples));
    assert_eq!(plain.recording.points.first(), warped.recording.points.first());
    assert_ne!(plain.recording.points.last(), warped.recording.points.last());
}

#[test]
fn errors_fall_with_the_step_by_the_order_of_the_method() {
    let steps = [0.004, 0.002, 0.001];
    let all = ["backward-euler", "implicit-midpoint"].map(|method| steps.map(|step| contender(method, step)));
    let reference = contender("implicit-midpoint", 0.0001);
    let comparison = swing(all.into_iter().flatten().collect(), Some(reference));
    assert_eq!(comparison.reference.as_deref(), Some("implicit-midpoint @ 0.0001 s"));
    for ((method, points), order) in comparison.precision().into_iter().zip([1.0, 2.0]) {
        let [_, error, finer]: [f64; 3] = std::array::from_fn(|k| points[k][1]);
        let found = (error / finer).log2();
        assert!((found - order).abs() < 0.25, "{method}: {points:?}, order {found}");
    }
    assert_eq!(comparison.precision().len(), 2);
}

#[test]
fn who_damps_keeps_less_and_who_diverges_is_shown() {
    let all = ["symplectic-euler", "backward-euler", "implicit-midpoint"].map(|method| contender(method, 0.05));
    let comparison = swing(all.into(), None);
    let [explicit, euler, midpoint] = comparison.runs.as_slice() else { panic!("a run is missing") };
    assert!(matches!(explicit.outcome.ending, Ending::Diverged(_)) && !explicit.advice.is_empty());
    assert_eq!((explicit.energy_kept, explicit.error), (None, None));
    assert!(!explicit.recording.points.is_empty(), "its good frames stay");
    assert!(euler.energy_kept < Some(0.9) && midpoint.energy_kept > Some(0.95), "{:?}", euler.energy_kept);
    assert_eq!(euler.label, "backward-euler");

    let html = page::html(&comparison, "pliant compare swing.toml");
    for words in
        ["id=\"pliant-report\"", "id=\"run-0-positions\"", "id=\"run-2-energy\"", "type=\"text/plain\" id=\"shape\""]
    {
        assert!(html.contains(words), "{words}");
    }
    assert!(!html.contains("<!--PLIANT-DATA-->"));
    let facts = html.split("id=\"pliant-report\">").nth(1).and_then(|rest| rest.split("</script>").next()).unwrap();
    let facts: serde_json::Value = serde_json::from_str(facts).expect("a title must not end the script that holds it");
    assert_eq!(facts["title"], "A bar </script> that swings");
    assert_eq!((&facts["runs"][0]["outcome"], &facts["runs"][1]["outcome"]), (&"diverged".into(), &"done".into()));
}

#[test]
fn where_loads_do_work_no_share_of_the_energy_is_claimed() {
    let falling = SWING.replace("gravity = [0.0, 0.0, 0.0]", "gravity = [0.0, 0.0, -9.81]");
    let scene = Scene::parse("falling.toml", &falling).unwrap();
    let plan = Plan {
        scene,
        contenders: vec![contender("backward-euler", 0.02)],
        reference: None,
        equal_cost: false,
        side_by_side: true,
    };
    let stop = AtomicBool::new(false);
    let comparison = compare(&plan, &|_, _| Box::new(Nobody), &stop).unwrap();
    assert_eq!(comparison.runs[0].energy_kept, None);
}

#[test]
fn the_page_goes_as_far_as_the_run_that_goes_farthest() {
    // A fine run that diverges early may have more frames than a coarse one that arrives.
    let comparison = swing(vec![contender("symplectic-euler", 0.019), contender("backward-euler", 0.2)], None);
    assert!(matches!(comparison.runs[0].outcome.ending, Ending::Diverged(_)));
    let html = page::html(&comparison, "");
    let facts = html.split("id=\"pliant-report\">").nth(1).and_then(|rest| rest.split("</script>").next()).unwrap();
    let facts: serde_json::Value = serde_json::from_str(facts).unwrap();
    assert_eq!(facts["times"].as_array().and_then(|times| times.last()?.as_f64()), Some(0.4));
}

/// Steps are chosen by counted work: independent of clocks and of the number of threads.
#[test]
fn steps_of_equal_cost_are_the_same_in_every_run() {
    let methods = ["backward-euler", "implicit-midpoint", "siere", "ere"];
    let contenders: Vec<Contender> = methods.map(|name| Contender { step: None, ..contender(name, 0.0) }).to_vec();
    let choose = |threads: usize| {
        let scene = Scene::parse("swing.toml", SWING).unwrap();
        let reference = Some(contender("implicit-midpoint", 0.002));
        let plan = Plan { scene, contenders: contenders.clone(), reference, equal_cost: true, side_by_side: true };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| compare(&plan, &|_, _| Box::new(Nobody), &AtomicBool::new(false)).unwrap())
    };
    let [first, second, third] = [1, 2, 1].map(choose);
    let steps = |comparison: &Comparison| comparison.runs.iter().map(|run| run.step).collect::<Vec<f64>>();
    assert_eq!(steps(&first)[0], 0.01, "the first keeps its own");
    assert!(steps(&first)[1..].iter().all(|step| (1e-4..0.4).contains(step)), "{:?}", steps(&first));
    assert_eq!((steps(&first), steps(&first)), (steps(&second), steps(&third)));
    assert!(first.runs.iter().all(|run| run.spread >= Some(0.0)), "everybody is timed more than once");
    let [costs, winner] = first.verdict().try_into().unwrap_or_else(|said| panic!("{said:?}"));
    assert!(costs.contains("Measured, a simulated second costs backward-euler @ 0.01 s"), "{costs}");
    assert!(winner.starts_with("No winner: ") || winner.starts_with("Least error at this cost: "), "{winner}");
    assert!(swing(vec![contender("siere", 0.01), contender("bdf2", 0.01)], None).verdict().is_empty());
}

#[test]
fn where_no_share_of_the_energy_is_told_the_reason_is() {
    let why = |change: [&str; 2], method: &str| {
        let scene = Scene::parse("swing.toml", &SWING.replace(change[0], change[1])).unwrap();
        let contenders = vec![contender(method, 0.05)];
        let plan = Plan { scene, contenders, reference: None, equal_cost: false, side_by_side: true };
        let run = compare(&plan, &|_, _| Box::new(Nobody), &AtomicBool::new(false)).unwrap().runs.remove(0);
        assert_eq!(run.energy_kept.is_none(), run.why_no_share.is_some());
        run.why_no_share.unwrap_or_default()
    };
    let gravity = ["gravity = [0.0, 0.0, 0.0]", "gravity = [0.0, 0.0, -9.81]"];
    assert!(why(gravity, "backward-euler").contains("loads such as gravity do work"));
    assert!(why(["[world]", "[damping]\nmass = 1.0\n[world]"], "backward-euler").contains("damping takes energy"));
    assert!(why(["", ""], "symplectic-euler").contains("diverged"));
    assert_eq!(why(["", ""], "backward-euler"), "");
}

/// siere beyond its modes is backward Euler: the plot shows both, the second in dashes on the first.
#[test]
fn curves_of_damping_that_lie_on_each_other_are_both_drawn() {
    let comparison = swing(vec![contender("backward-euler", 0.01), contender("siere", 0.01)], None);
    let plot = report::figures::damping(&comparison);
    let lines: Vec<&str> = plot.lines().filter(|line| line.starts_with("<polyline")).collect();
    assert_eq!(lines.len(), 3);
    assert!(!lines[0].contains("stroke-dasharray") && lines[2].contains("stroke-dasharray"), "{plot}");
}

#[test]
fn a_page_of_stokes_flow_has_arrows_and_trails() {
    let text = r#"
[run]
duration = 0.2
frame_rate = 10.0
[world]
gravity = [0.0, 0.0, -1.0]
[integrator]
method = "backward-euler"
step = 0.1
[stokes]
viscosity = 1.0
[[body]]
name = "ball"
shape = { generator = "sphere", radius = 0.1, count = 12 }
springs = { stiffness = 100.0 }
node_mass = 0.01
"#;
    let scene = Scene::parse("sinking.toml", text).unwrap_or_else(|problems| panic!("{problems}"));
    let plan =
        Plan { scene, contenders: vec![contender("ere", 0.1)], reference: None, equal_cost: false, side_by_side: true };
    let sinking = compare(&plan, &|_, _| Box::new(Nobody), &AtomicBool::new(false)).unwrap();
    let recording = &sinking.runs[0].recording;
    assert_eq!((recording.flow.len(), recording.times.len()), (3, 3));
    // Its points are drawn, those of its axle are not part of its surface.
    let trail = &sinking.drawing.trails;
    assert!(trail.len() == 1 && trail[0].len() >= 12, "{trail:?}");
    // It sinks, and pulls the fluid down all around, most of all near to it.
    let frame = &recording.flow[2];
    let speeds: Vec<f32> = frame[1..].iter().map(|u| -u[2]).collect();
    let fastest = speeds.iter().fold(0.0_f32, |most, u| most.max(*u));
    assert!(frame[0][2] < 0.0 && speeds.iter().all(|u| *u > 0.0) && fastest > 1.3 * speeds[0], "{speeds:?}");
    let page = page::html(&sinking, "pliant compare");
    let facts = page.split("id=\"pliant-report\">").nth(1).unwrap().split("</script>").next().unwrap();
    let facts: serde_json::Value = serde_json::from_str(facts).unwrap();
    assert_eq!(facts["trails"][0].as_array().unwrap().len(), trail[0].len());
    assert_eq!(facts["runs"][0]["flow"], "run-0-flow");
    let (top, falls) = (facts["flow"]["max"].as_f64().unwrap(), f64::from(fastest));
    let faster = speeds.iter().filter(|speed| f64::from(**speed) > top).count();
    assert!(page.contains("id=\"run-0-flow\"") && top < falls && faster < speeds.len() / 5, "{top} {falls} {faster}");
    // Others have neither.
    let dry = page::html(&swing(vec![contender("siere", 0.01)], None), "pliant compare");
    assert!(dry.contains("\"trails\":[]") && dry.contains("\"flow\":null"));
}
