//! Recording of a run: the drawn points of each frame, their fields, and the energies of each step.

use crate::drawing::Drawing;
use crate::fields::Fields;
use crate::flow::FlowPlane;
use model::Model;
use numerics::mat3::Vec3;
use scene::{Built, Moment, Observer, ObserverError, Outcome, View};

/// Energies after a step [J].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Time [s].
    pub time: f64,
    /// Energy of motion.
    pub kinetic: f64,
    /// Energy of deformation.
    pub elastic: f64,
    /// Energy of the loads.
    pub load: f64,
}

impl Sample {
    /// Returns the sum [J].
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.load
    }
}

/// Recorded data of a run.
#[derive(Debug, Clone, Default)]
pub struct Recording {
    /// Time of each frame [s].
    pub times: Vec<f64>,
    /// Drawn points of each frame [m].
    pub points: Vec<Vec<[f32; 3]>>,
    /// Their fields, as [`crate::FIELDS`] names them.
    pub fields: Vec<Vec<[f32; 3]>>,
    /// In Stokes flow the plane of arrows of each frame, as [`FlowPlane::at`] returns it [m, m/s].
    pub flow: Vec<Vec<[f32; 3]>>,
    /// Energies at the beginning and after each step.
    pub samples: Vec<Sample>,
    /// True if only loads may change the energy.
    pub is_conservative: bool,
    /// Another cause that changes the energy, if there is one.
    pub changed_by: Option<&'static str>,
}

impl Recording {
    /// Returns the initial energy that the exact motion would conserve [J]; `None` where there is none, where damping,
    /// scripts or hard contact change it, or where loads such as gravity do work: their energy has no zero, so a share
    /// of it has no meaning.
    pub fn energy_to_keep(&self) -> Option<f64> {
        let first = self.samples.first()?.total();
        let loaded = self.samples.iter().any(|sample| sample.load != 0.0);
        (self.is_conservative && !loaded && first > 0.0).then_some(first)
    }

    /// Returns the reason why there is no energy to conserve; `None` where there is.
    pub fn why_none_to_keep(&self) -> Option<&'static str> {
        if self.energy_to_keep().is_some() {
            return None;
        }
        let loaded = self.samples.iter().any(|sample| sample.load != 0.0);
        let why =
            if loaded { "loads such as gravity do work, whose energy has no zero" } else { "it begins without energy" };
        Some(self.changed_by.unwrap_or(why))
    }
}

/// Returns the cause that changes the energy of a model, apart from loads.
fn changed_by(model: &Model) -> Option<&'static str> {
    let damping = model.damping();
    if model.is_conservative() {
        None
    } else if damping.mass != 0.0 || damping.stiffness != 0.0 {
        Some("the scene's own damping takes energy")
    } else if model.is_scripted() || model.has_given_forces() {
        Some("what is moved from outside gives and takes energy")
    } else if model.stokes().is_some() {
        Some("the drag in the fluid takes energy")
    } else if !model.fluids().is_empty() {
        Some("fluids spend energy")
    } else {
        Some("hard contact takes energy")
    }
}

/// Records a run.
pub struct Recorder<'d> {
    drawing: &'d Drawing,
    fields: Fields,
    plane: Option<FlowPlane>,
    /// Time of the last frame [s].
    last: Option<f64>,
    /// Data recorded so far.
    pub recording: Recording,
}

impl<'d> Recorder<'d> {
    /// A recorder of what is drawn of a built.
    pub fn new(drawing: &'d Drawing, built: &Built) -> Recorder<'d> {
        let fields = Fields::new(&built.mesh, &built.model);
        let model = &built.model;
        let (is_conservative, changed_by) = (model.is_conservative(), changed_by(model));
        let recording = Recording { is_conservative, changed_by, ..Recording::default() };
        Recorder { drawing, fields, plane: FlowPlane::new(model), last: None, recording }
    }

    fn frame(&mut self, view: &View) {
        let single = |points: Vec<Vec3>| points.into_iter().map(|p| p.map(|x| x as f32)).collect::<Vec<_>>();
        let nodes = vectors(view.model, view.positions());
        let fields = self.fields.at(view.model, view.state);
        self.recording.times.push(view.state.t);
        self.recording.points.push(single(self.drawing.take(view.model, &nodes)));
        self.recording.fields.push(single(self.drawing.take(view.model, &fields)));
        if let Some(plane) = &mut self.plane {
            self.recording.flow.push(single(plane.at(view.state)));
        }
        self.last = Some(view.state.t);
    }
}

/// Converts a flat array of all nodes to vectors.
pub(crate) fn vectors(model: &Model, x: &[f64]) -> Vec<Vec3> {
    (0..model.nodes()).map(|i| [x[3 * i], x[3 * i + 1], x[3 * i + 2]]).collect()
}

impl Observer for Recorder<'_> {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        let e = moment.energies;
        self.recording.samples.push(Sample {
            time: moment.state.t,
            kinetic: e.kinetic,
            elastic: e.elastic,
            load: e.load,
        });
        if moment.is_frame {
            self.frame(moment);
        }
        Ok(())
    }

    fn between(&mut self, view: &View) -> Result<(), ObserverError> {
        self.frame(view);
        Ok(())
    }

    fn finish(&mut self, moment: &Moment, _: &Outcome) -> Result<(), ObserverError> {
        if self.last != Some(moment.state.t) {
            self.frame(moment);
        }
        Ok(())
    }
}
