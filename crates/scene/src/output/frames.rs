//! Frames: positions and velocities of all nodes.

use super::OutputError;
use super::directory::{Directory, FRAMES};
use super::mark::{Mark, Written};
use super::sequence::Sequence;
use super::vtu::{Fields, Grid};
use model::mesh::Mesh;
use numerics::mat3::Vec3;
use numerics::vectors::is_finite;
use simulation::{Moment, Observer, ObserverError, Outcome, View};

/// Writes the frames of the schedule, and the last good state at any end.
pub struct Frames {
    grid: Grid,
    /// Positions at rest [m].
    rest: Vec<Vec3>,
    files: Sequence,
}

impl Frames {
    /// Begins the frames of a mesh; `body` returns the number of the body that a node belongs to.
    pub fn new(directory: &Directory, mesh: &Mesh, body: impl Fn(u32) -> usize) -> Result<Frames, OutputError> {
        Ok(Frames::of(mesh, body, Sequence::new(directory, FRAMES)?))
    }

    /// Continues with frame number `written`, listed after earlier ones; frames from there on are removed.
    pub(super) fn resume(
        directory: &Directory,
        mesh: &Mesh,
        body: impl Fn(u32) -> usize,
        listed: Written,
        written: u64,
    ) -> Result<Frames, OutputError> {
        Ok(Frames::of(mesh, body, Sequence::resume(directory, FRAMES, listed, written)?))
    }

    fn of(mesh: &Mesh, body: impl Fn(u32) -> usize, files: Sequence) -> Frames {
        Frames { grid: Grid::new(mesh, body), rest: mesh.points.clone(), files }
    }

    /// Returns the mark of the list of frames, without its end.
    pub(super) fn mark(&self) -> Mark {
        self.files.mark()
    }

    /// Waits until all is on the disk.
    pub(super) fn sync(&mut self) -> Result<(), OutputError> {
        self.files.sync()
    }

    /// Returns the number of frames written.
    pub fn written(&self) -> u64 {
        self.files.written()
    }

    fn write(&mut self, view: &View) -> Result<(), OutputError> {
        let View { model, state, is_interpolated, constraint_forces, .. } = view;
        let at = |values: &[f64], node: usize| -> [f64; 3] {
            let i = 3 * model.number(node);
            [values[i], values[i + 1], values[i + 2]]
        };
        // Forces of a method that panicked may be anything.
        let forces = constraint_forces.filter(|forces| is_finite(forces));
        let force_at = forces.map(|forces| move |node: usize| at(forces, node));
        let fields = Fields {
            time: state.t,
            is_interpolated: *is_interpolated,
            rest: &self.rest,
            positions: |node| at(view.positions(), node),
            velocities: |node| at(&state.v, node),
            constraint_forces: force_at.as_ref().map(|at| at as &dyn Fn(usize) -> Vec3),
        };
        self.files.write(state.t, &self.grid.frame(&fields))
    }
}

impl Observer for Frames {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        if moment.is_frame {
            self.write(moment)?;
        }
        Ok(())
    }

    fn between(&mut self, view: &View) -> Result<(), ObserverError> {
        Ok(self.write(view)?)
    }

    fn finish(&mut self, moment: &Moment, _: &Outcome) -> Result<(), ObserverError> {
        if !self.files.has(moment.state.t) {
            self.write(moment)?;
        }
        Ok(())
    }
}
