//! Results of a built scene: bodies of nodes and causes, displacements, and comparison with expected results.

use crate::build::{Built, Ground};
use crate::expect::{Bound, Expect, Outcome, Position, Reached};
use model::energy::ElementKind;
use numerics::mat3::Vec3;
use simulation::{Cause, Ending, Energies, Outcome as Ended, Progress};

impl Ground {
    /// Returns the number of the body that a node of the mesh belongs to.
    pub fn body_of_node(&self, node: usize) -> usize {
        self.bodies.partition_point(|body| body.nodes.end <= node)
    }

    /// Returns the name of the body where a step failed, if a node or tet is known.
    pub fn body_of_cause(&self, cause: &Cause) -> Option<&str> {
        let body = match (cause.node(), cause.element()) {
            (Some(node), _) => self.bodies.get(self.body_of_node(node)),
            (_, Some((ElementKind::Tet, tet))) => self.bodies.iter().find(|body| body.tets.contains(&tet)),
            _ => None,
        };
        body.map(|body| body.name.as_str())
    }
}

impl Built {
    /// Returns the distance of the farthest moved node from its initial position [m].
    pub fn moved(&self) -> f64 {
        let way = |(x, from): (&[f64], &[f64])| (0..3).map(|c| (x[c] - from[c]).powi(2)).sum::<f64>().sqrt();
        self.simulation.state().x.chunks_exact(3).zip(self.start.x.chunks_exact(3)).map(way).fold(0.0, f64::max)
    }
}

impl Built {
    /// Returns the largest force that holds a node with a prescribed motion [N]; 0 for methods without multipliers.
    fn holding_force(&self) -> f64 {
        let simulation = &self.simulation;
        let held =
            simulation.stepper().constraint_forces().map(|forces| &forces[3 * simulation.model().free_nodes()..]);
        let size = |force: &[f64]| force.iter().map(|x| x * x).sum::<f64>().sqrt();
        held.unwrap_or_default().chunks_exact(3).map(size).fold(0.0, f64::max)
    }
}

impl Position {
    /// Returns the centre of mass of the part [m]; NaN for one without mass.
    pub fn found(&self, built: &Built) -> Vec3 {
        let Ground { model, bodies, mesh, .. } = &*built.ground;
        let state = built.simulation.state();
        let range = bodies.iter().find(|body| body.name == self.body).map_or(0..0, |body| body.nodes.clone());
        let (mut sum, mut all) = ([0.0; 3], 0.0);
        // The selection is not empty: this was checked when the scene was built.
        let chosen = self.part.nodes(mesh).unwrap_or_default();
        let nodes = chosen.into_iter().map(|node| node as usize).filter(|node| range.contains(node));
        for i in nodes.map(|node| model.number(node)) {
            let mass = model.node_mass()[i];
            all += mass;
            (0..3).for_each(|c| sum[c] += mass * state.x[3 * i + c]);
        }
        sum.map(|c| c / all)
    }

    /// Returns whether it is at its expected position.
    pub fn holds(&self, built: &Built) -> bool {
        let position = self.found(built);
        (0..3).all(|c| (self.low[c]..=self.high[c]).contains(&position[c]))
    }
}

impl Expect {
    /// Returns whether the run met all expectations; `None` for a run that was interrupted.
    pub fn is_met(&self, built: &Built, outcome: &Ended) -> Option<bool> {
        let ended = match outcome.ending {
            Ending::Done => Outcome::Done,
            _ if outcome.ending.is_failure() => return Some(false),
            Ending::Diverged(_) => Outcome::Diverged,
            Ending::Interrupted => return None,
        };
        let reached = built.reached(outcome);
        let holds = |bound: &Bound| bound.holds((bound.of.measure)(&reached));
        let is_there = |position: &Position| position.holds(built);
        Some(ended == self.outcome && self.bounds.iter().all(holds) && self.positions.iter().all(is_there))
    }
}

impl Built {
    /// Returns the results of its run.
    pub fn reached<'a>(&self, outcome: &'a Ended) -> Reached<'a> {
        let (model, x) = (self.simulation.model(), &self.simulation.state().x);
        Reached {
            outcome,
            moved: self.moved(),
            stretch: model.stretch(x).map_or(0.0, |[mean, _]| mean),
            holding_force: self.holding_force(),
        }
    }

    /// Returns whether a run in which nothing ever moves would meet the expectations of the scene: then they are too
    /// weak to tell anything. To be called before the first step.
    pub fn expects_stillness(&self) -> bool {
        let mut still = self.simulation.state().clone();
        still.v.fill(0.0);
        still.turns.iter_mut().for_each(|turn| turn.spin = [0.0; 3]);
        let schedule = self.simulation.schedule();
        let energies = Energies::of(self.simulation.model(), &still);
        let progress = Progress { steps: schedule.steps(), first: energies, last: energies, ..Progress::default() };
        let outcome = Ended::new(Ending::Done, schedule.duration, &progress);
        self.expect.as_ref().is_some_and(|expect| expect.is_met(self, &outcome) == Some(true))
    }
}
