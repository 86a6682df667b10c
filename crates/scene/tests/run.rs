//! The run loop: its end, its rule for divergence, and its response to that.

mod run_bodies;

use integrators::{Coupling, METHODS, Options, StepError, StepReport, Stepper, parameters};
use model::script::Motion;
use model::{Model, Region, State};
use run_bodies::{Bar, Witness};
use scene::scene::OnDivergence;
use scene::{Built, Cause, Ending, Moment, Observer, ObserverError, Schedule, output::OutputError, run};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

static GO_ON: AtomicBool = AtomicBool::new(false);

fn divergence(ending: &Ending) -> &scene::Divergence {
    match ending {
        Ending::Diverged(divergence) => divergence,
        other => panic!("{other:?} is no divergence"),
    }
}

#[test]
fn a_run_shows_every_step_and_ends_on_its_duration() {
    let mut built = Bar { step: 0.03, ..Bar::default() }.build();
    let mut witness = Witness::default();
    let outcome = run(&mut built, &mut [&mut witness], &GO_ON).unwrap();
    assert_eq!((outcome.ending, outcome.steps, outcome.time), (Ending::Done, 4, 0.1));
    assert_eq!(built.simulation.state().t, 0.1);
    let times: Vec<f64> = witness.seen.iter().map(|(_, t, _)| *t).collect();
    assert_eq!(times, [0.0, 0.03, 0.06, 0.09, 0.1]);
    assert_eq!(witness.finished, 1);
    assert_eq!((outcome.work.assemblies, outcome.work.linear.solves), (4, 4));
}

#[test]
fn honest_scenes_never_have_too_much_energy() {
    let shake = Motion::Shake { amplitude: [0.0, 0.05, 0.0], frequency: 5.0, start: 0.02, end: 1.0 };
    let pull = Motion::Keyframes { times: vec![0.05, 0.06], offsets: vec![[0.0; 3], [-0.05, 0.0, 0.0]] };
    let turn = Motion::Rotation { center: [0.0; 3], axis: [1.0, 0.0, 0.0], rate: 3.0, start: 0.0, end: 1.0 };
    for method in METHODS {
        // Far below the stable step of explicit methods, so that every method succeeds.
        let base = || Bar { method: method.name, step: 2e-4, ..Bar::default() };
        let scenes = [
            ("falls", base()),
            ("does nothing", Bar { gravity: 0.0, ..base() }),
            ("is shaken", Bar { gravity: 0.0, motion: Some(shake.clone()), ..base() }),
            ("is pulled", Bar { gravity: 0.0, motion: Some(pull.clone()), ..base() }),
            ("is turned", Bar { gravity: 0.0, motion: Some(turn.clone()), damping: [1.0, 1e-4], ..base() }),
            ("is let go", Bar { gravity: 0.0, stretch: 1.2, ..base() }),
            ("is pulled slowly from nothing", Bar { gravity: -1e-12, ..base() }),
        ];
        for (name, bar) in scenes {
            let outcome = run(&mut bar.build(), &mut [&mut Witness::default()], &GO_ON).unwrap();
            assert_eq!(outcome.ending, Ending::Done, "{} {name}", method.name);
        }
    }
}

#[test]
fn an_explosion_is_stopped_while_numbers_are_still_numbers() {
    for (method, material) in [("symplectic-euler", "linear"), ("rk4", "linear"), ("rk4", "st-venant-kirchhoff")] {
        let mut built = Bar { method, material, duration: 100.0, ..Bar::default() }.build();
        let mut witness = Witness::default();
        let outcome = run(&mut built, &mut [&mut witness], &GO_ON).unwrap();
        let divergence = divergence(&outcome.ending);
        assert_eq!(divergence.step, outcome.steps + 1);
        assert_eq!((divergence.time, divergence.h), (outcome.time, 0.01));
        assert!(outcome.steps < 100, "{method}, {material}: only after {} steps", outcome.steps);
        assert!(divergence.cause.node().is_some() || divergence.cause.element().is_some());
        // The state is the last good one, which the observers saw last.
        let (step, t, energy) = *witness.seen.last().unwrap();
        assert_eq!((step, t, energy), (outcome.steps, outcome.time, outcome.last.total()));
        assert_eq!(built.simulation.state().t, t);
        assert_eq!(witness.finished, 1);
        if material == "linear" {
            assert!(matches!(divergence.cause, Cause::EnergyJump { .. }), "{:?}", divergence.cause);
        }
    }
}

#[test]
fn a_tet_that_turns_inside_out_is_named() {
    let mut built =
        Bar { method: "symplectic-euler", material: "neo-hookean", duration: 100.0, ..Bar::default() }.build();
    let outcome = run(&mut built, &mut [&mut Witness::default()], &GO_ON).unwrap();
    let divergence = divergence(&outcome.ending);
    let (kind, tet) = divergence.cause.element().expect("an element");
    assert_eq!((kind.name(), divergence.cause.word()), ("tet", "inverted element"));
    assert!(tet < built.mesh.tets.len());
    assert_eq!(built.body_of_cause(&divergence.cause), Some("bar"));
}

#[test]
fn a_scene_that_begins_impossibly_is_shown_to_nobody() {
    let mut built = Bar { material: "neo-hookean", stretch: -1.0, ..Bar::default() }.build();
    let mut witness = Witness::default();
    let outcome = run(&mut built, &mut [&mut witness], &GO_ON).unwrap();
    assert_eq!((divergence(&outcome.ending).step, outcome.steps), (0, 0));
    assert!(witness.seen.is_empty());
}

#[test]
fn advice_names_what_the_method_reads_and_a_step_that_works() {
    let cause = Cause::Step(StepError::NewtonStalled { iterations: 20, residual: 0.5, node: 3 });
    let stalled = scene::Divergence { step: 4, time: 0.3, h: 0.1, halvings: 0, cause };
    for method in METHODS {
        let advice =
            scene::advice(&stalled, &Bar { method: method.name, ..Bar::default() }.build().simulation).join("\n");
        assert_eq!(advice.contains("hessian_correction"), method.reads(&parameters::HESSIAN_CORRECTION.parameter));
        assert_eq!(advice.contains("halvings"), method.reads(&parameters::HALVINGS.parameter));
        assert_eq!(advice.contains("--method"), method.family == integrators::Family::Explicit);
        assert!(advice.contains("\"halve\""), "{advice}");
        let step = advice.split("--step ").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
        let outcome = run(&mut Bar { method: method.name, step, ..Bar::default() }.build(), &mut [], &GO_ON).unwrap();
        assert_eq!(outcome.ending, Ending::Done, "{} with a step of {step} s", method.name);
    }
}

#[test]
fn advice_knows_ratios_that_may_grow_and_what_linear_bodies_have_no_use_for() {
    let jump = Cause::EnergyJump { energy: 1e3, budget: 1.0, node: 3 };
    let jumped = scene::Divergence { step: 4, time: 0.3, h: 0.1, halvings: 0, cause: jump };
    for material in ["linear", "corotational"] {
        for (ratio, coupling) in [(10, Coupling::Paper), (11, Coupling::Paper), (11, Coupling::Conserving)] {
            let method = "asynchronous-backward-euler";
            let mut built = Bar { method, material, ..Bar::default() }.build();
            let mut model = (*built.model).clone();
            model.set_regions(vec![Region { nodes: vec![0, 1], ratio }]).unwrap();
            let options = Options::default().with(&parameters::COUPLING, coupling);
            let method = built.simulation.method();
            built.simulation.change_method(model.into(), method, &options).unwrap();
            let advice = scene::advice(&jumped, &built.simulation).join("\n");
            let may_grow = ratio > 10 && coupling == Coupling::Paper;
            assert_eq!(advice.contains("ratio = 10 at most"), may_grow, "{advice}");
            assert_eq!(advice.contains("projected"), material != "linear", "{advice}");
        }
    }
}

/// Fails steps longer than a limit, after moving nodes, and counts its calls.
struct Picky {
    longest: f64,
    forgotten: u64,
}

impl Stepper for Picky {
    fn step(&mut self, _: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        state.t += h;
        state.x[0] += h;
        if h > self.longest {
            // Not an error of the method: the loop must find it.
            state.v[2] = f64::NAN;
        }
        Ok(StepReport { forces: 1, ..StepReport::default() })
    }

    fn forget(&mut self) {
        self.forgotten += 1;
    }
}

/// Moves nodes and, in its third step, reports a number that is not finite or fails halfway.
struct Odd {
    steps: u64,
    how: &'static str,
    forces: Vec<f64>,
}

impl Stepper for Odd {
    fn step(&mut self, _: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        self.steps += 1;
        state.t += h;
        let report = StepReport { forces: 1, joint_gap: 0.25, ..StepReport::default() };
        self.forces.fill(self.steps as f64);
        match self.how {
            _ if self.steps != 3 => Ok(report),
            "force" => {
                self.forces[7] = f64::NAN;
                Ok(report)
            }
            "gap" => Ok(StepReport { joint_gap: f64::NAN, ..report }),
            _ => {
                state.v[0] = f64::NAN;
                panic!("{} wheels came off", self.forces.len())
            }
        }
    }

    fn constraint_forces(&self) -> Option<&[f64]> {
        Some(&self.forces)
    }

    fn memory(&self) -> Vec<f64> {
        vec![self.steps as f64]
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        assert_ne!(self.how, "panic", "after a panic nothing is to be trusted");
        self.steps = memory[0] as u64;
        self.forces.fill(memory[0]);
        true
    }
}

#[test]
fn what_constraints_tell_is_finite_or_the_run_stops() {
    for (how, words) in
        [("force", "node 2 has a value that is not finite"), ("gap", "the gap of a joint is not finite")]
    {
        let mut built = Bar { gravity: 0.0, ..Bar::default() }.build();
        let nodes = built.model.nodes();
        built.simulation.set_stepper(Box::new(Odd { steps: 0, how, forces: vec![0.0; 3 * nodes] }));
        let outcome = run(&mut built, &mut [&mut Witness::default()], &GO_ON).unwrap();
        let divergence = divergence(&outcome.ending);
        assert_eq!((divergence.step, outcome.steps, outcome.ending.word()), (3, 2, "diverged"));
        let origin = built.model.origin(2);
        assert_eq!(divergence.cause.to_string(), words.replace("node 2", &format!("node {origin}")));
        assert_eq!(divergence.cause.word(), "non-finite value");
        // Nothing of it is kept: neither in sums nor in the next frame.
        assert_eq!((outcome.work.forces, outcome.work.joint_gap), (3, 0.25));
        assert!(built.simulation.stepper().constraint_forces().unwrap().iter().all(|force| *force == 2.0));
    }
}

#[test]
fn a_method_that_panics_has_failed_and_no_more() {
    for on_divergence in [OnDivergence::Stop, OnDivergence::Halve] {
        let mut built = Bar { gravity: 0.0, on_divergence, ..Bar::default() }.build();
        let nodes = built.model.nodes();
        built.simulation.set_stepper(Box::new(Odd { steps: 0, how: "panic", forces: vec![0.0; 3 * nodes] }));
        let mut witness = Witness::default();
        let outcome = run(&mut built, &mut [&mut witness], &GO_ON).unwrap();
        assert_eq!((outcome.steps, outcome.ending.word(), witness.finished), (2, "failed", 1));
        assert!(outcome.ending.is_failure());
        let divergence = divergence(&outcome.ending);
        assert_eq!((divergence.step, divergence.halvings), (3, 0));
        let told = divergence.cause.to_string();
        let wheels = format!("the program failed: {} wheels came off (", 3 * nodes);
        assert!(told.starts_with(&wheels) && told.contains("run.rs:"), "{told}");
        let advice = scene::advice(divergence, &built.simulation).join("; ");
        assert!(advice.contains("--method backward-euler") && advice.contains("report it"), "{advice}");
        // The state is that before the step.
        assert!(built.simulation.state().v.iter().all(|v| v.is_finite()) && built.simulation.state().t == outcome.time);
    }
}

#[test]
fn halving_goes_back_and_takes_shorter_steps() {
    let mut built = Bar { on_divergence: OnDivergence::Halve, gravity: 0.0, ..Bar::default() }.build();
    built.simulation.set_stepper(Box::new(Picky { longest: 0.003, forgotten: 0 }));
    let x = built.simulation.state().x[0];
    let mut witness = Witness::default();
    let outcome = run(&mut built, &mut [&mut witness], &GO_ON).unwrap();
    assert_eq!((&outcome.ending, outcome.steps), (&Ending::Done, 10));
    // 0.01 and 0.005 fail, 0.0025 does not: 1 + 1 + 4 forces per step.
    assert_eq!(outcome.recoveries.len(), 10);
    assert!(outcome.recoveries.iter().all(|r| r.halvings == 2 && r.cause == "non-finite value"));
    assert_eq!((outcome.work.halvings, witness.halvings, outcome.work.forces), (20, 20, 60));
    assert!((built.simulation.state().x[0] - x - 0.1).abs() < 1e-12, "attempts that failed left no trace");
}

#[test]
fn halving_ends() {
    let mut built = Bar { on_divergence: OnDivergence::Halve, gravity: 0.0, ..Bar::default() }.build();
    built.simulation.set_stepper(Box::new(Picky { longest: 0.0, forgotten: 0 }));
    let before = built.simulation.state().clone();
    let outcome = run(&mut built, &mut [&mut Witness::default()], &GO_ON).unwrap();
    let divergence = divergence(&outcome.ending);
    assert_eq!((divergence.step, divergence.halvings), (1, OnDivergence::MOST_HALVINGS));
    assert_eq!(*built.simulation.state(), before);
}

/// Asks for an end after some steps.
struct Impatient<'a>(u64, &'a AtomicBool);

impl Observer for Impatient<'_> {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        self.1.store(moment.step >= self.0, Ordering::Relaxed);
        Ok(())
    }
}

#[test]
fn an_interrupt_finishes_the_step() {
    let stop = AtomicBool::new(false);
    let mut built = Bar::default().build();
    let mut witness = Witness::default();
    let outcome = run(&mut built, &mut [&mut Impatient(3, &stop), &mut witness], &stop).unwrap();
    assert_eq!((outcome.ending, outcome.steps, witness.finished), (Ending::Interrupted, 3, 1));
}

/// Fails as if the disk were full.
struct Full;

impl Observer for Full {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        let error = std::io::Error::from(std::io::ErrorKind::StorageFull);
        let full = OutputError::Io { doing: "write", path: PathBuf::from("x"), error };
        if moment.step < 2 { Ok(()) } else { Err(full.into()) }
    }
}

#[test]
fn an_observer_that_fails_ends_the_run() {
    let error = run(&mut Bar::default().build(), &mut [&mut Full], &GO_ON).unwrap_err();
    assert!(error.to_string().contains("make room"), "{error}");
}

/// Shortens a run to a millisecond.
fn shorten(built: &mut Built) {
    let schedule = Schedule { duration: 1e-3, ..*built.simulation.schedule() };
    built.simulation.set_schedule(schedule);
}

/// A step that is interrupted and taken again is bit-for-bit identical, for every method.
#[test]
fn a_step_that_is_interrupted_is_taken_again_to_the_same_bits() {
    use numerics::interrupt::{Signal, watch};
    for method in integrators::METHODS.iter().filter(|method| method.name != "schroeder") {
        let bar = Bar { method: method.name, step: 1e-4, ..Bar::default() };
        let mut whole = bar.build();
        shorten(&mut whole);
        let counted = Signal::new(&GO_ON);
        watch(&counted, || run(&mut whole, &mut [], &GO_ON)).unwrap();
        let mut broken = bar.build();
        shorten(&mut broken);
        let mut breaks = 0;
        for share in [0.3, 0.35, 0.9] {
            let number = (share * counted.checks() as f64) as u64;
            let outcome =
                watch(&Signal::at_check(&GO_ON, number.max(1)), || run(&mut broken, &mut [], &GO_ON)).unwrap();
            breaks += usize::from(outcome.ending == Ending::Interrupted);
        }
        assert!(breaks > 0, "{}", method.name);
        assert_eq!(run(&mut broken, &mut [], &GO_ON).unwrap().ending, Ending::Done);
        assert_eq!(broken.simulation.state(), whole.simulation.state(), "{}", method.name);
        assert_eq!(broken.simulation.stepper().memory(), whole.simulation.stepper().memory(), "{}", method.name);
    }
}
