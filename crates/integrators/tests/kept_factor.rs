//! A stored factor gives the same motion as new ones, whatever happens, with the promised work.

mod problems;

use integrators::{METHODS, Method, Modes, Options, StepReport, parameters};
use model::energy::Stiffness;
use model::energy::contact::{Obstacle, Projection};
use model::energy::spring::Law;
use model::load::Profile;
use model::material::MATERIALS;
use model::script::Motion;
use model::{Basis, Blueprint, LoadPart, Model, SpringPart, State};
use numerics::linear::{Decision, SolverKind};
use problems::*;

/// A bar that is clamped at one end and falls.
fn bar(material: &str) -> Blueprint {
    let mut blueprint = solid(cuboid([0.4, 0.1, 0.1], [6, 2, 2]), material, 1e5, 0.3, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    blueprint
}

fn edited(edit: impl FnOnce(&mut Blueprint)) -> Blueprint {
    let mut blueprint = bar("neo-hookean");
    edit(&mut blueprint);
    blueprint
}

/// Event before a step; returns its length [s], and true if the method is told that the state was changed.
type Event = fn(&Model, &mut State, usize) -> (f64, bool);

/// A thrown body and what happens to it.
struct Course {
    name: &'static str,
    model: Model,
    event: Event,
    steps: usize,
    /// Largest deviation of siere, over the error of its steps.
    share: f64,
    options: Options,
}

const STEP: f64 = 0.005;

impl Course {
    fn new(name: &'static str, blueprint: Blueprint) -> Course {
        // Newton's tolerance is far below that of the solver. Six of the modes are rigid where nothing holds the body.
        let (tolerance, solver_tolerance, modes) = (1e-10, 1e-7, Modes::Count(12));
        let options = Options::default()
            .with(&parameters::TOLERANCE, tolerance)
            .with(&parameters::ITERATIONS, 40)
            .with(&parameters::SOLVER_TOLERANCE, solver_tolerance)
            .with(&parameters::MODES, modes);
        let model = blueprint.build().unwrap();
        Course { name, model, event: |_, _, _| (STEP, false), steps: 24, share: 0.05, options }
    }

    /// Returns the final state and the reports of all steps, each split into `parts`.
    fn run(&self, method: &Method, solver: SolverKind, parts: usize) -> (State, Vec<StepReport>) {
        self.run_form(&self.options, method, solver, parts)
    }

    /// The same in another form of the method.
    fn run_form(&self, form: &Options, method: &Method, solver: SolverKind, parts: usize) -> (State, Vec<StepReport>) {
        let model = &self.model;
        let mut stepper = make(method, model, &form.clone().with(&parameters::SOLVER, solver));
        let mut state = model.state_at_rest();
        for (x, v) in state.x.chunks(3).zip(state.v.chunks_mut(3)).take(model.free_nodes()) {
            v.copy_from_slice(&[0.0, 4.0 * x[0], 2.0 * x[0]]);
        }
        let step = |step: usize| {
            let (h, is_told) = (self.event)(model, &mut state, step);
            if is_told {
                stepper.forget();
            }
            let mut whole = StepReport::default();
            for _ in 0..parts {
                let part = stepper.step(model, &mut state, h / parts as f64);
                whole.add(&part.unwrap_or_else(|error| panic!("{}: {error}", self.name)));
            }
            whole
        };
        let reports = (0..self.steps).map(step).collect();
        (state, reports)
    }

    /// Fails unless every method moves the same with a stored factor as with new ones.
    fn assert_same(&self) {
        let start = self.model.state_at_rest();
        let methods = METHODS.iter().filter(|method| keeps_a_factor(method));
        for (method, form) in methods.flat_map(|m| forms(m, &self.options).into_iter().map(move |form| (m, form))) {
            let [(new, _), (kept, of_kept)] =
                [SolverKind::Direct, SolverKind::Stale].map(|solver| self.run_form(&form, method, solver, 1));
            let off = distance(&new, &kept) / distance(&new, &start);
            // Only the solves differ, and Newton corrects their errors. Modes have their own tolerance: siere is
            // measured by the error of its steps.
            let most = match method.name {
                "linearly-implicit-euler" => self.options.get(&parameters::SOLVER_TOLERANCE),
                "siere" | "siere2" => {
                    let (finer, _) = self.run_form(&form, method, SolverKind::Direct, 2);
                    self.share * distance(&new, &finer) / distance(&new, &start)
                }
                _ => 1e-10,
            };
            let StepReport { linear, newton, .. } = total(&of_kept);
            // siere has a matrix for the start of the step and one for the modes.
            let steps = self.steps as u64;
            let matrices =
                if method.reads(&parameters::MODES.parameter) { newton + 2 * steps } else { newton.max(steps) };
            let label = format!("{}, {}", self.name, label(method, &form));
            println!("{label}: off by {off:.1e} of {most:.1e}; {matrices} matrices, {linear:?}");
            assert!(off < most, "{label}: off by {off:e} of the motion, may be {most:e}");
            assert!(4 * linear.factorisations < 3 * matrices, "{label}: nothing is kept");
        }
    }
}

fn total(reports: &[StepReport]) -> StepReport {
    reports.iter().fold(StepReport::default(), |mut sum, report| {
        sum.add(report);
        sum
    })
}

#[test]
fn every_material_moves_as_with_new_factors() {
    for facts in MATERIALS {
        Course::new(facts.name, bar(facts.name)).assert_same();
    }
}

#[test]
fn so_do_springs_scripts_masses_and_every_damping() {
    let springs = edited(|b| {
        let pairs = b.mesh.edges_of_tets();
        b.springs = vec![SpringPart { pairs, law: Law::Cubic, stiffness: 100.0 }];
    });
    let scripted = edited(|b| {
        let (center, axis) = ([0.0, 0.05, 0.05], [1.0, 0.0, 0.0]);
        let turn = Motion::Rotation { center, axis, rate: 6.0, start: 0.0, end: 10.0 };
        b.scripts = vec![(std::mem::take(&mut b.fixed), turn)];
    });
    let cases = [
        ("springs", springs),
        ("scripted", scripted),
        ("damped", edited(|b| b.damping = [0.5, 0.002])),
        ("damped at rest", edited(|b| (b.damping, b.damp_at_rest) = ([0.5, 0.002], true))),
        ("consistent mass", edited(|b| b.consistent_mass = true)),
        ("projected", edited(|b| (b.stiffness, b.damping) = (Stiffness::Projected, [0.0, 0.002]))),
        ("free", edited(|b| b.fixed.clear())),
    ];
    for (name, blueprint) in cases {
        Course::new(name, blueprint).assert_same();
    }
    let mut corrected = Course::new("corrected", edited(|b| b.damping = [0.5, 0.002]));
    corrected.options.set(&parameters::HESSIAN_CORRECTION, true);
    corrected.assert_same();
}

#[test]
fn contacts_come_and_go() {
    let dropped = |edit: fn(&mut Blueprint, Vec<u32>)| {
        let mut blueprint = bar("stable-neo-hookean");
        blueprint.fixed.clear();
        let nodes = (0..blueprint.mesh.points.len() as u32).collect();
        edit(&mut blueprint, nodes);
        blueprint
    };
    let onto_floor = dropped(|b, nodes| {
        let floor = Obstacle::Plane { point: [0.0, 0.0, -0.01], normal: [0.0, 0.0, 1.0] };
        b.contacts = vec![(floor, nodes, 2e4)];
    });
    // Modes jump when contacts do: the result of a pass or two depends on the factor, old or new.
    Course { steps: 60, share: 1.0, ..Course::new("floor", onto_floor) }.assert_same();
    let onto_ball = dropped(|b, nodes| {
        b.projections = vec![Projection { nodes, center: [0.2, 0.1, -0.31], radius: 0.3 }];
    });
    let event: Event = |model, state, _| (STEP, model.project(state));
    Course { steps: 60, event, ..Course::new("hard ball", onto_ball) }.assert_same();
}

#[test]
fn loads_states_and_steps_change() {
    let pulses = edited(|b| {
        let nodes = (0..b.mesh.points.len() as u32).collect();
        let profile = Profile::Pulse { start: 0.02, duration: 0.02, period: 0.05 };
        b.loads.push(LoadPart { nodes, basis: Basis::Mass, direction: [20.0, 100.0, 0.0], profile });
    });
    Course::new("pulses", pulses).assert_same();
    let event: Event = |_, _, step| (STEP * [1.0, 0.1, 0.5, 2.0][step / 2 % 4], false);
    Course { event, ..Course::new("steps of all lengths", bar("neo-hookean")) }.assert_same();

    /// Bends the body and pushes it, now and then.
    fn edit(model: &Model, state: &mut State, step: usize) -> bool {
        if step % 8 == 5 {
            for (x, v) in state.x.chunks_mut(3).zip(state.v.chunks_mut(3)).take(model.free_nodes()) {
                x[1] += 0.1 * x[0] * x[0];
                v.copy_from_slice(&[0.0, v[1], 3.0 * x[0]]);
            }
        }
        step % 8 == 5
    }
    let told: Event = |model, state, step| (STEP, edit(model, state, step));
    let untold: Event = |model, state, step| {
        edit(model, state, step);
        (STEP, false)
    };
    for (name, event) in [("edited and told", told), ("edited", untold)] {
        Course { event, ..Course::new(name, bar("neo-hookean")) }.assert_same();
    }
}

#[test]
fn steps_are_halved_where_newton_stalls() {
    let mut course = Course::new("halved", bar("neo-hookean"));
    course.event = |_, _, _| (4.0 * STEP, false);
    course.options.set(&parameters::ITERATIONS, 3);
    course.options.set(&parameters::TOLERANCE, 1e-6);
    course.options.set(&parameters::HALVINGS, 8);
    let run = |solver, parts| {
        let (end, reports) = course.run(method("backward-euler"), solver, parts);
        (end, total(&reports).halvings)
    };
    let (new, halvings) = run(SolverKind::Direct, 1);
    let (kept, halvings_kept) = run(SolverKind::Stale, 1);
    // Loose solves may need one more iteration, and so another halving: the same within the error of a step.
    let (off, own) = (distance(&new, &kept), distance(&new, &run(SolverKind::Direct, 2).0));
    println!("{halvings} halvings, {halvings_kept} with a kept factor; off by {off:.1e} m, own error {own:.1e} m");
    assert!(halvings > 0 && halvings_kept > 0 && halvings_kept <= 2 * halvings);
    assert!(off < 0.5 * own, "off by {off:e} m, own error {own:e} m");
}

#[test]
fn modes_are_not_taken_from_a_factor_that_turns_out_hopeless() {
    for damp_at_rest in [false, true] {
        // Enough cells that a factor is kept for a second step and worth several iterations.
        let mesh = cuboid([0.4, 0.2, 0.2], [12, 6, 6]);
        let mut blueprint = solid(mesh, "stable-neo-hookean", 1e5, 0.3, 1000.0);
        blueprint.fixed = group(&blueprint.mesh, "x-");
        (blueprint.damping, blueprint.damp_at_rest) = ([0.1, 1e-4], damp_at_rest);
        let mut course = Course::new("pulled", blueprint);
        // Deformed to another shape, of another stiffness, without the method's knowledge.
        course.event = |model, state, step| {
            if step == 1 {
                for x in state.x.chunks_mut(3).take(model.free_nodes()) {
                    x.copy_from_slice(&[2.4 * x[0], 0.5 * x[1], x[2]]);
                }
            }
            (2.0 * STEP, false)
        };
        course.steps = 2;
        course.options.set(&parameters::MODES, Modes::Count(5));
        let [(new, _), (kept, of_kept)] =
            [SolverKind::Direct, SolverKind::Stale].map(|solver| course.run(method("siere"), solver, 1));
        let off = distance(&new, &kept) / distance(&new, &course.model.state_at_rest());
        println!("{:?}: off by {off:.1e} of the motion; {:?}", of_kept[1].factor, of_kept[1].linear);
        assert_eq!(of_kept[1].factor, Decision::Slow);
        // Modes of the old factor are off by some 1e-3.
        assert!(off < 1e-5, "off by {off:e} of the motion");
    }
}

#[test]
fn a_stiffness_with_negative_eigenvalues_is_solved_directly() {
    let mut course = Course::new("pressed", bar("neo-hookean"));
    // Compressed so far that some directions are unstable, with steps so long that the mass does not help.
    course.event = |model, state, step| {
        if step == 1 {
            state.x.copy_from_slice(model.rest());
            state.x.chunks_mut(3).for_each(|x| x[0] *= 0.6);
            state.v.fill(0.0);
        }
        (2.0 * STEP, step == 1)
    };
    course.steps = 2;
    // As tight as allowed: both runs find the modes on other ways, and differ by their error.
    course.options.set(&parameters::MODES_TOLERANCE, 1e-9);
    for name in ["linearly-implicit-euler", "siere"] {
        let [(new, of_new), (kept, of_kept)] =
            [SolverKind::Direct, SolverKind::Stale].map(|solver| course.run(method(name), solver, 1));
        let (before, pressed) = (of_kept[0], of_kept[1]);
        assert!(of_new[1].negative_pivots > 0, "{name}: the bar is not unstable");
        assert_eq!((before.factor, before.negative_pivots), (Decision::First, 0), "{name}");
        assert_eq!(
            (pressed.factor, pressed.negative_pivots),
            (Decision::Indefinite, of_new[1].negative_pivots),
            "{name}"
        );
        // Solved by the same kind of factor: equal to rounding, and to the error of the modes.
        let off = distance(&new, &kept) / distance(&new, &course.model.state_at_rest());
        println!("{name}: {} negative eigenvalues, off by {off:.1e}", pressed.negative_pivots);
        assert!(off < 1e-10, "{name}: off by {off:e} of the motion");
    }
}

#[test]
fn a_kept_factor_does_the_work_it_promises() {
    // A thick bar of 2,535 nodes that swings.
    let mut blueprint = solid(cuboid([1.0, 0.8, 0.8], [14, 12, 12]), "neo-hookean", 1e6, 0.45, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    let model = blueprint.build().unwrap();
    let start = model.state_at_rest();
    let options =
        Options::default().with(&parameters::SOLVER_TOLERANCE, 1e-6).with(&parameters::MODES, Modes::Count(5));
    for name in ["linearly-implicit-euler", "siere"] {
        let run = |solver: SolverKind| {
            let mut stepper = make(method(name), &model, &options.clone().with(&parameters::SOLVER, solver));
            let mut state = start.clone();
            let reports: Vec<StepReport> = (0..60).map(|_| stepper.step(&model, &mut state, 0.01).unwrap()).collect();
            (state, reports)
        };
        let [(new, of_new), (kept, of_kept)] = [SolverKind::Direct, SolverKind::Stale].map(run);
        let StepReport { linear, newton, .. } = total(&of_kept);
        let iterations = linear.iterations as f64 / newton.max(60) as f64;
        let off = distance(&new, &kept) / distance(&new, &start);
        println!("{name}: {} factors, {iterations:.2} iterations per solve, off by {off:.1e}", linear.factorisations);
        assert!(linear.factorisations <= 6, "{name}: {} factorisations", linear.factorisations);
        assert!(iterations <= 8.0, "{name}: {iterations} iterations per solve");
        assert!(off < 1e-5, "{name}: off by {off:e} of the motion");
        if name == "siere" {
            let residual = |reports: &[StepReport]| reports.iter().map(|report| report.mode_angle).sum::<f64>() / 60.0;
            let [ours, theirs] = [residual(&of_kept), residual(&of_new)];
            let solves: Vec<u64> = of_kept.iter().map(|report| report.linear.solves).collect();
            println!("mode angle {ours:.1e}, direct {theirs:.1e}; {solves:?}");
            // Five modes and three guards per pass; the right-hand side alone, and once more where it is part of the
            // block.
            assert!(of_kept[1..].iter().all(|report| report.linear.solves <= 8 * report.mode_passes + 2), "{solves:?}");
            let passes = total(&of_kept).mode_passes;
            println!("{passes} passes in 60 steps");
            assert!(passes <= 180, "{passes} passes in 60 steps");
            // Estimates belong to the pairs before the last pass, which makes them at least three times better.
            let most = 3.0 * options.get(&parameters::MODES_TOLERANCE);
            assert!(ours <= most && theirs <= most, "mode angles {ours:e}, with new factors {theirs:e}");
        }
    }
}

#[test]
fn a_linear_body_that_nothing_touches_is_factorised_once() {
    let mut blueprint = bar("linear");
    blueprint.damping = [0.1, 1e-3];
    let floor = Obstacle::Plane { point: [0.0, 0.0, -0.25], normal: [0.0, 0.0, 1.0] };
    let nodes = (0..blueprint.mesh.points.len() as u32).collect();
    blueprint.contacts = vec![(floor, nodes, 1e3)];
    let course = Course { steps: 60, ..Course::new("linear", blueprint) };
    let methods = ["backward-euler", "implicit-midpoint", "newmark", "linearly-implicit-euler"];
    for (method, solver) in
        methods.iter().flat_map(|name| [(method(name), SolverKind::Direct), (method(name), SolverKind::Stale)])
    {
        let (end, reports) = course.run(method, solver, 1);
        let made: Vec<u64> = reports.iter().map(|report| report.linear.factorisations).collect();
        let assembled = total(&reports).assemblies;
        println!("{}, {solver:?}: {} factors, {assembled} assemblies, {made:?}", method.name, made.iter().sum::<u64>());
        // It falls for a while, and then meets the floor.
        let free = made[1..].iter().take_while(|count| **count == 0).count();
        assert!(made[0] == 1 && free > 20, "{}, {solver:?}: {made:?}", method.name);
        assert!(
            made[1..].iter().sum::<u64>() > 0 && course.model.is_touching(&end.x),
            "{}, {solver:?}: {made:?}",
            method.name
        );
    }
}

#[test]
fn a_linear_body_whose_rest_touches_has_the_same_bits_after_a_restart_in_the_air() {
    let mut blueprint = bar("linear");
    blueprint.fixed.clear();
    blueprint.loads.clear();
    blueprint.damping = [0.1, 1e-3];
    let floor = Obstacle::Plane { point: [0.0, 0.0, 0.001], normal: [0.0, 0.0, 1.0] };
    let nodes = (0..blueprint.mesh.points.len() as u32).collect();
    blueprint.contacts = vec![(floor, nodes, 1e4)];
    let model = blueprint.build().unwrap();
    let options = Options::default().with(&parameters::SOLVER, SolverKind::Stale);
    // It begins on the floor and bounces off, or it falls first: then its first factor is that of a body in the air.
    for height in [0.0, 0.02] {
        let mut start = model.state_at_rest();
        for (x, v) in start.x.chunks_mut(3).zip(start.v.chunks_mut(3)) {
            x[2] += height;
            v[2] = 0.5 * x[0] - 0.4;
        }
        let run = |restarted: usize| {
            let mut stepper = make(method("linearly-implicit-euler"), &model, &options);
            let mut state = start.clone();
            let mut air = 0;
            for step in 0..60 {
                if step == restarted {
                    let memory = stepper.memory();
                    stepper = make(method("linearly-implicit-euler"), &model, &options);
                    assert!(stepper.recall(&memory));
                }
                stepper.step(&model, &mut state, STEP).unwrap();
                air += !model.is_touching(&state.x) as usize;
            }
            (state, air)
        };
        let (whole, air) = run(0);
        println!("{height} m: {air} steps in the air");
        assert!(air > 0 && air < 60, "{air} steps in the air");
        let other: Vec<usize> = (1..60).filter(|&step| run(step).0 != whole).collect();
        assert!(other.is_empty(), "{height} m: other bits after restarts at {other:?}");
    }
}
