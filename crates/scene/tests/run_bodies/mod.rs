//! Small bodies for tests of the run loop and of output.
#![allow(dead_code)] // each test file uses some of them

use integrators::Options;
use model::material::sample;
use model::mesh::generate::generate;
use model::script::Motion;
use model::{Basis, Blueprint, LoadPart, SolidPart, load::Profile};
use scene::scene::OnDivergence;
use scene::{BodyRange, Built, Ground, Moment, Observer, ObserverError, Schedule, Simulation};
use std::sync::Arc;

/// The tested body: a bar of 1 m, 6 cells of rubber.
pub struct Bar {
    pub method: &'static str,
    pub material: &'static str,
    pub step: f64,
    pub duration: f64,
    pub on_divergence: OnDivergence,
    pub gravity: f64,
    pub motion: Option<Motion>,
    pub damping: [f64; 2],
    /// Stretch along x before the first step.
    pub stretch: f64,
}

impl Default for Bar {
    fn default() -> Bar {
        Bar {
            method: "linearly-implicit-euler",
            material: "stable-neo-hookean",
            step: 0.01,
            duration: 0.1,
            on_divergence: OnDivergence::Stop,
            gravity: -9.81,
            motion: None,
            damping: [0.0; 2],
            stretch: 1.0,
        }
    }
}

impl Bar {
    pub fn build(&self) -> Built {
        let cells = [("cells_along", 6.0.into()), ("cells_across", 1.0.into())];
        let mesh = generate("bar", cells).unwrap();
        let held = mesh.groups["x-"].nodes.clone();
        let nodes: Vec<u32> = (0..mesh.points.len() as u32).collect();
        let tets: Vec<u32> = (0..mesh.tets.len() as u32).collect();
        let material = sample(self.material, 1e6, 0.3).unwrap();
        let direction = [0.0, 0.0, self.gravity];
        let (fixed, scripts) = match &self.motion {
            Some(motion) => (Vec::new(), vec![(held, motion.clone())]),
            None => (held, Vec::new()),
        };
        let bodies = vec![BodyRange {
            name: "bar".to_string(),
            nodes: 0..mesh.points.len(),
            tets: 0..mesh.tets.len(),
            triangles: 0..0,
            edges: 0..0,
        }];
        let model = Blueprint {
            mesh: mesh.clone(),
            solids: vec![SolidPart::new(tets, material, 1000.0)],
            loads: vec![LoadPart { nodes, basis: Basis::Mass, direction, profile: Profile::Constant }],
            fixed,
            scripts,
            damping: self.damping,
            ..Blueprint::default()
        }
        .build()
        .unwrap();
        let method = integrators::find(self.method).unwrap();
        let mut start = model.state_at_rest();
        (0..model.free_nodes()).for_each(|i| start.x[3 * i] *= self.stretch);
        let Bar { step, duration, on_divergence, .. } = *self;
        let model = Arc::new(model);
        let mut simulation = Simulation::new(model.clone(), method, &Options::default(), step).unwrap();
        simulation.set_schedule(Schedule {
            step,
            duration,
            frame_rate: 60.0,
            frames: scene::scene::FrameTimes::Steps,
            on_divergence,
            is_endless: false,
        });
        simulation.begin_from(start.clone()).unwrap();
        let ground = Ground {
            model,
            start,
            mesh,
            bodies,
            solids: Vec::new(),
            surface: None,
            lines: Default::default(),
            proposal: None,
            files: Vec::new(),
        };
        Built { title: String::new(), ground: Arc::new(ground), simulation, expect: None }
    }
}

/// Records the moments it is shown, and checks that they are finite.
#[derive(Default)]
pub struct Witness {
    /// Step, time and total energy of every moment.
    pub seen: Vec<(u64, f64, f64)>,
    pub halvings: u64,
    pub finished: u64,
}

impl Observer for Witness {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        let numbers = moment.state.x.iter().chain(&moment.state.v);
        assert!(numbers.chain(&moment.momentum).chain(&moment.angular_momentum).all(|x| x.is_finite()));
        assert!(moment.energies.total().is_finite());
        self.seen.push((moment.step, moment.state.t, moment.energies.total()));
        self.halvings += moment.work.halvings;
        Ok(())
    }

    fn finish(&mut self, _: &Moment, _: &scene::Outcome) -> Result<(), ObserverError> {
        self.finished += 1;
        Ok(())
    }
}
