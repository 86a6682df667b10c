//! Single steps, runs, external forces, the numbering of the mesh, and the state after an error.

mod impulses;

use integrators::{METHODS, Options, StepError, StepReport, Stepper, find};
use model::load::Profile;
use model::material;
use model::mesh::generate::generate;
use model::{Basis, Blueprint, LoadPart, Model, SolidPart, State};
use simulation::{
    Cause, Ending, Moment, Observer, ObserverError, OnDivergence, Outcome, Schedule, Simulation, SimulationError, Until,
};
use std::sync::Arc;

/// Returns a bar of rubber under gravity, fixed at one end or free.
fn bar(is_fixed: bool) -> Arc<Model> {
    let mesh = generate("bar", [("cells_along", 4.0.into()), ("cells_across", 1.0.into())]).unwrap();
    let nodes = (0..mesh.points.len() as u32).collect();
    let tets = (0..mesh.tets.len() as u32).collect();
    let fixed = if is_fixed { mesh.groups["x-"].nodes.clone() } else { Vec::new() };
    let material = material::sample("neo-hookean", 1e5, 0.3).unwrap();
    let direction = [0.0, 0.0, -9.81];
    let loads = vec![LoadPart { nodes, basis: Basis::Mass, direction, profile: Profile::Constant }];
    let solids = vec![SolidPart::new(tets, material, 1000.0)];
    Arc::new(Blueprint { mesh, solids, fixed, loads, ..Blueprint::default() }.build().unwrap())
}

fn simulation(model: &Arc<Model>, method: &str, step: f64) -> Simulation {
    Simulation::new(model.clone(), find(method).unwrap(), &Options::default(), step).unwrap()
}

fn bits(state: &State) -> Vec<u64> {
    [state.t].iter().chain(&state.x).chain(&state.v).map(|x| x.to_bits()).collect()
}

#[test]
fn steps_are_those_of_a_run_bit_for_bit() {
    let model = bar(true);
    for method in METHODS {
        let mut one = simulation(&model, method.name, 1e-3);
        let reports: Vec<StepReport> = (0..6).map(|_| one.step().unwrap()).collect();
        let mut whole = simulation(&model, method.name, 1e-3);
        let outcome = whole.run(&mut (), Until::steps(6)).unwrap();
        assert_eq!(outcome.ending, Ending::Done);
        assert_eq!(bits(one.state()), bits(whole.state()), "{}", method.name);
        assert_eq!(one.stepper().memory(), whole.stepper().memory(), "{}", method.name);
        // In two runs, to a time.
        let mut broken = simulation(&model, method.name, 1e-3);
        broken.run(&mut (), 2e-3).unwrap();
        assert_eq!(broken.steps(), 2);
        broken.run(&mut (), 6e-3).unwrap();
        assert_eq!(bits(broken.state()), bits(whole.state()), "{}", method.name);
        let sum = reports.iter().map(|report| report.forces).sum::<u64>();
        assert_eq!((one.report().forces, whole.report().forces, outcome.work.forces), (sum, sum, sum));
        assert_eq!(one.energies(), whole.progress().unwrap().last);
    }
    assert_eq!(Arc::strong_count(&model), 1, "all shared it, and let go");
}

/// Moves a node per step, and fails in its third step after it has spoiled the state.
struct Clumsy {
    steps: u64,
    how: &'static str,
}

impl Stepper for Clumsy {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        self.steps += 1;
        state.x[0] += 1e-6;
        if self.steps > 2 {
            match self.how {
                "panic" => panic!("it fell down"),
                "error" => return Err(StepError::NonFinite { node: 3 }),
                "nan" => state.v[4] = f64::NAN,
                _ => (0..model.dofs()).for_each(|i| state.v[i] = 1e6),
            }
        }
        state.t += h;
        Ok(StepReport::default())
    }

    fn memory(&self) -> Vec<f64> {
        vec![self.steps as f64]
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        self.steps = memory[0] as u64;
        true
    }
}

#[test]
fn an_error_leaves_the_last_good_state() {
    let model = bar(true);
    for (how, word) in [
        ("panic", "fault of the program"),
        ("error", "non-finite value"),
        ("nan", "non-finite value"),
        ("jump", "energy jump"),
    ] {
        for on_divergence in [OnDivergence::Stop, OnDivergence::Halve] {
            let mut simulation = simulation(&model, "backward-euler", 0.01);
            simulation.set_schedule(Schedule { on_divergence, ..Schedule::endless(0.01) });
            simulation.set_stepper(Box::new(Clumsy { steps: 0, how }));
            (0..2).for_each(|_| _ = simulation.step().unwrap());
            let before = (bits(simulation.state()), simulation.stepper().memory(), simulation.progress().cloned());
            // The same step fails again.
            for _ in 0..2 {
                let divergence = simulation.step().unwrap_err();
                assert_eq!((divergence.step, divergence.time, divergence.cause.word()), (3, 0.02, word), "{how}");
                let after = (bits(simulation.state()), simulation.stepper().memory(), simulation.progress().cloned());
                assert_eq!(after, before, "{how}");
            }
            // Another method continues.
            simulation.change_method(model.clone(), find("bdf2").unwrap(), &Options::default()).unwrap();
            simulation.step().unwrap();
            assert_eq!(simulation.time(), 0.03);
        }
    }
}

#[test]
fn a_body_held_against_its_weight_stays_at_rest() {
    let model = bar(false);
    let weights: Vec<f64> = (0..model.nodes()).map(|i| 9.81 * model.node_mass()[model.number(i)]).collect();
    for method in METHODS {
        let mut held = simulation(&model, method.name, 1e-3);
        held.forces_mut().iter_mut().zip(&weights).for_each(|(force, weight)| force[2] = *weight);
        held.run(&mut (), Until::steps(10)).unwrap();
        let off = |now: &[[f64; 3]], rest: &dyn Fn(usize) -> [f64; 3]| {
            let off = |(i, x): (usize, &[f64; 3])| (0..3).map(|c| (x[c] - rest(i)[c]).abs()).fold(0.0, f64::max);
            now.iter().enumerate().map(off).fold(0.0, f64::max)
        };
        // Rounding alone, of ten steps; velocities are differences of positions over a step.
        let moved = off(&held.positions(), &|i| rest(&model, i));
        let fastest = off(&held.velocities(), &|_| [0.0; 3]);
        assert!(moved < 4e-15 && fastest < 1e-12, "{}: {moved:e} m, {fastest:e} m/s", method.name);
        assert!(!model.has_given_forces(), "others share the model");
        // Released, it falls.
        held.clear_forces();
        held.run(&mut (), Until::steps(20)).unwrap();
        let mean = held.velocities().iter().map(|v| v[2]).sum::<f64>() / model.nodes() as f64;
        // A method with a memory of earlier steps takes up to one of them to feel a jump.
        assert!((-0.0991..-0.0981 + 9.81e-3).contains(&mean), "{}: {mean} m/s", method.name);
    }
}

#[test]
fn a_force_acts_on_the_node_of_the_mesh_that_it_is_given_for() {
    let model = bar(true);
    let tip = (0..model.nodes()).max_by(|&a, &b| rest(&model, a)[0].total_cmp(&rest(&model, b)[0])).unwrap();
    let mut pulled = simulation(&model, "backward-euler", 1e-3);
    pulled.forces_mut()[tip] = [0.0, 3.0, 0.0];
    pulled.step().unwrap();
    let along: Vec<f64> = pulled.velocities().iter().map(|v| v[1]).collect();
    let fastest = (0..along.len()).max_by(|&a, &b| along[a].total_cmp(&along[b])).unwrap();
    assert_eq!(fastest, tip);
    // The potential of a force is part of the loads' energy.
    let mut alone = simulation(&model, "backward-euler", 1e-3);
    alone.begin_from(pulled.state().clone()).unwrap();
    let potential = pulled.energies().load - alone.energies().load;
    assert!((potential + 3.0 * pulled.positions()[tip][1]).abs() < 1e-12, "{potential}");
    pulled.forces_mut()[tip][0] = f64::NAN;
    let before = bits(pulled.state());
    let divergence = pulled.step().unwrap_err();
    assert_eq!(divergence.cause, Cause::Step(StepError::NonFinite { node: tip }));
    assert_eq!(bits(pulled.state()), before);
}

fn rest(model: &Model, node: usize) -> [f64; 3] {
    let i = 3 * model.number(node);
    std::array::from_fn(|c| model.rest()[i + c])
}

#[test]
fn nodes_are_numbered_as_in_the_mesh_there_and_back() {
    let model = bar(true);
    assert!((0..model.nodes()).any(|i| model.number(i) != i), "the fixed nodes come first in the mesh");
    let mut simulation = simulation(&model, "bdf2", 1e-3);
    assert!((0..model.nodes()).all(|i| simulation.positions()[i] == rest(&model, i)));
    let is_free = |i: usize| model.number(i) < model.free_nodes();
    let (mut x, mut v) = (simulation.positions(), simulation.velocities());
    for i in (0..model.nodes()).filter(|&i| is_free(i)) {
        x[i][1] += 1e-3 * i as f64;
        v[i] = [i as f64, 0.0, 0.5];
    }
    simulation.set_positions(&x).unwrap();
    simulation.set_velocities(&v).unwrap();
    assert_eq!((simulation.positions(), simulation.velocities()), (x.clone(), v.clone()));
    let node = (0..model.nodes()).find(|&i| is_free(i)).unwrap();
    assert_eq!(simulation.state().v[3 * model.number(node)], node as f64);

    // Refused input changes nothing.
    let before = bits(simulation.state());
    let held = (0..model.nodes()).find(|&i| !is_free(i)).unwrap();
    let changed = |change: &dyn Fn(&mut Vec<[f64; 3]>)| {
        let mut x = x.clone();
        change(&mut x);
        x
    };
    let inside_out = changed(&|x| (0..x.len()).filter(|&i| is_free(i)).for_each(|i| x[i][0] = -x[i][0]));
    let count = SimulationError::Count { found: model.nodes() - 1, expected: model.nodes() };
    assert_eq!(simulation.set_positions(&x[1..]), Err(count));
    assert_eq!(simulation.set_positions(&changed(&|x| x[held][0] += 1.0)), Err(SimulationError::Held { node: held }));
    let nan = changed(&|x| x[node][2] = f64::NAN);
    assert_eq!(simulation.set_velocities(&nan), Err(SimulationError::NonFinite { node }));
    assert!(matches!(simulation.set_positions(&inside_out), Err(SimulationError::Inverted { .. })));
    assert_eq!(bits(simulation.state()), before);
}

#[test]
fn velocities_from_outside_are_no_jump_of_energy() {
    let model = bar(false);
    let mut thrown = simulation(&model, "linearly-implicit-euler", 1e-4);
    thrown.step().unwrap();
    thrown.set_velocities(&vec![[1e4, 0.0, 0.0]; model.nodes()]).unwrap();
    thrown.step().unwrap();
    assert!((thrown.velocities()[0][0] - 1e4).abs() < 1.0);
}

#[test]
fn what_cannot_be_simulated_is_refused() {
    let model = bar(true);
    for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let made = Simulation::new(model.clone(), &METHODS[0], &Options::default(), step);
        assert!(matches!(made, Err(SimulationError::Step { .. })), "{step}");
    }
    let mesh = generate("bar", []).unwrap();
    let tets = (0..mesh.tets.len() as u32).collect();
    let material = material::sample("neo-hookean", 1e5, 0.3).unwrap();
    let solids = vec![SolidPart::new(tets, material, 1000.0)];
    let model = Blueprint { mesh, solids, consistent_mass: true, ..Blueprint::default() }.build().unwrap();
    let made = Simulation::new(Arc::new(model), find("small-steps").unwrap(), &Options::default(), 0.01);
    let Err(error) = made else { panic!("it knows lumped masses only") };
    assert!(error.to_string().starts_with("small-steps needs a separate mass for each node"), "{error}");
}

/// Counts, and fails at a step with an error of its own.
#[derive(Default)]
struct Counter {
    seen: u64,
    finished: u64,
    fails_at: Option<u64>,
}

#[derive(Debug, PartialEq)]
struct Enough(u64);

impl std::fmt::Display for Enough {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "step {} is enough", self.0)
    }
}

impl std::error::Error for Enough {}

impl Observer for Counter {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        self.seen += 1;
        if self.fails_at == Some(moment.step) { Err(Enough(moment.step).into()) } else { Ok(()) }
    }

    fn finish(&mut self, _: &Moment, _: &Outcome) -> Result<(), ObserverError> {
        self.finished += 1;
        Ok(())
    }
}

#[test]
fn an_observer_ends_the_run_with_its_own_error() {
    let mut simulation = simulation(&bar(true), "backward-euler", 0.01);
    let (mut first, mut failing, mut last) = (Counter::default(), Counter::default(), Counter::default());
    failing.fails_at = Some(3);
    let error = simulation.run(&mut (&mut first, &mut failing, &mut last), 1.0).unwrap_err();
    assert_eq!(error.downcast_ref(), Some(&Enough(3)));
    assert_eq!((first.seen, failing.seen, last.seen, last.finished), (4, 4, 3, 0));
    assert_eq!((simulation.steps(), simulation.time()), (3, 0.03), "the step that was seen is good");
    // A slice of observers of any kind, and the run continues.
    let mut counters = [Counter::default(), Counter::default()];
    let (mut more, mut others) = (Counter::default(), counters.as_mut_slice());
    let all: &mut [&mut dyn Observer] = &mut [&mut more, &mut others];
    simulation.run(all, Until::steps(5)).unwrap();
    assert_eq!((more.seen, counters[0].seen, counters[1].finished), (3, 3, 1));
}

#[test]
fn a_simulation_goes_to_other_threads_and_is_looked_at_by_several() {
    fn is_shared<T: Send + Sync>(_: &T) {}
    let mut simulation = simulation(&bar(true), "siere", 0.01);
    is_shared(&simulation);
    let moved = std::thread::spawn(move || {
        simulation.step().unwrap();
        simulation
    });
    let simulation = moved.join().unwrap();
    let times =
        std::thread::scope(|scope| [0; 2].map(|_| scope.spawn(|| simulation.time())).map(|t| t.join().unwrap()));
    assert_eq!(times, [0.01; 2]);
}
