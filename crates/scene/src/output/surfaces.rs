//! The finer surface of each frame, moved with the tets.

use super::OutputError;
use super::directory::{Directory, SURFACES};
use super::mark::{Mark, Written};
use super::sequence::Sequence;
use super::vtu::{Fields, Grid};
use crate::build::EmbeddedSurface;
use numerics::mat3::Vec3;
use simulation::{Moment, Observer, ObserverError, Outcome, View};
use std::sync::Arc;

/// Writes the surface with every frame; does nothing if no body has one.
pub struct Surfaces {
    surface: Arc<EmbeddedSurface>,
    grid: Grid,
    files: Sequence,
    /// Positions [m] and velocities [m/s] of its points, allocated once.
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
}

impl Surfaces {
    /// Begins with the first frame.
    pub fn new(directory: &Directory, surface: &Arc<EmbeddedSurface>) -> Result<Surfaces, OutputError> {
        Ok(Surfaces::of(surface, Sequence::new(directory, SURFACES)?))
    }

    /// Continues with the surface of frame `written`, listed after earlier ones; those from there on are removed.
    pub(super) fn resume(
        directory: &Directory,
        surface: &Arc<EmbeddedSurface>,
        listed: Written,
        written: u64,
    ) -> Result<Surfaces, OutputError> {
        Ok(Surfaces::of(surface, Sequence::resume(directory, SURFACES, listed, written)?))
    }

    fn of(surface: &Arc<EmbeddedSurface>, files: Sequence) -> Surfaces {
        let grid = Grid::new(&surface.mesh, |point| surface.body_of_point(point), &[]);
        let zeros = || vec![[0.0; 3]; surface.embedding.len()];
        Surfaces { surface: surface.clone(), grid, files, positions: zeros(), velocities: zeros() }
    }

    /// Returns the mark of the list of surfaces, without its end.
    pub(super) fn mark(&self) -> Mark {
        self.files.mark()
    }

    /// Waits until all is on the disk.
    pub(super) fn sync(&mut self) -> Result<(), OutputError> {
        self.files.sync()
    }

    fn write(&mut self, view: &View) -> Result<(), OutputError> {
        let Surfaces { surface, grid, files, positions, velocities } = self;
        // The embedding is numbered as the state.
        surface.embedding.follow(view.positions().as_chunks().0, positions);
        surface.embedding.follow(view.state.v.as_chunks().0, velocities);
        let fields = Fields {
            time: view.state.t,
            is_interpolated: view.is_interpolated,
            rest: &surface.mesh.points,
            positions: |point| positions[point],
            velocities: |point| velocities[point],
            constraint_forces: None,
        };
        files.write(view.state.t, &grid.frame(&fields))
    }
}

impl Observer for Surfaces {
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
