//! Frames: positions and velocities of all nodes; of fibres those of their centre lines.

use super::OutputError;
use super::directory::{Directory, FRAMES};
use super::frame_points::FramePoints;
use super::mark::{Mark, Written};
use super::sequence::Sequence;
use super::vtu::{Fields, Grid};
use crate::build::Ground;
use numerics::mat3::Vec3;
use numerics::vectors::is_finite;
use simulation::{Moment, Observer, ObserverError, Outcome, View};

/// Writes the frames of the schedule, and the last good state at any end.
pub struct Frames {
    grid: Grid,
    /// Positions of the points at rest [m].
    rest: Vec<Vec3>,
    points: FramePoints,
    files: Sequence,
}

impl Frames {
    /// Begins the frames of a scene.
    pub fn new(directory: &Directory, ground: &Ground) -> Result<Frames, OutputError> {
        Ok(Frames::of(ground, Sequence::new(directory, FRAMES)?))
    }

    /// Continues with frame number `written`, listed after earlier ones; frames from there on are removed.
    pub(super) fn resume(
        directory: &Directory,
        ground: &Ground,
        listed: Written,
        written: u64,
    ) -> Result<Frames, OutputError> {
        Ok(Frames::of(ground, Sequence::resume(directory, FRAMES, listed, written)?))
    }

    fn of(ground: &Ground, files: Sequence) -> Frames {
        let (points, mesh) = FramePoints::new(ground);
        let body = |point: u32| ground.body_of_node(points.nodes(point as usize).start);
        let grid = Grid::new(&mesh, body, &points.thickness(ground));
        Frames { grid, rest: mesh.points, points, files }
    }

    /// Returns the mark of the list of frames, without its end.
    pub(super) fn mark(&self) -> Mark {
        self.files.mark()
    }

    /// Waits until all is on the disk.
    pub(super) fn sync(&mut self) -> Result<(), OutputError> {
        self.files.sync()
    }

    /// Returns the approximate size of a frame [bytes]: positions, displacements and velocities, cells and thickness.
    pub fn bytes(ground: &Ground) -> u64 {
        let Ground { mesh, lines, .. } = ground;
        let rings = lines.thickness.len();
        let points = mesh.points.len() - 3 * rings;
        // Nodes are numbers of 8 bytes, as is the end of each cell; a type and a body come with each.
        let cell = |nodes: usize, count: usize| (8 * nodes + 13) * count;
        let lines = mesh.edges.len() + rings - lines.rings.len();
        let cells = cell(4, mesh.tets.len()) + cell(3, mesh.triangles.len()) + cell(2, lines);
        // Base64 takes four bytes for three.
        (4 * (72 * points + 8 * if rings > 0 { points } else { 0 } + cells) / 3) as u64
    }

    /// Returns the number of frames written.
    pub fn written(&self) -> u64 {
        self.files.written()
    }

    fn write(&mut self, view: &View) -> Result<(), OutputError> {
        let View { model, state, is_interpolated, constraint_forces, .. } = view;
        let at = |values: &[f64], point: usize| {
            self.points.mean(point, |node| {
                let i = 3 * model.number(node);
                [values[i], values[i + 1], values[i + 2]]
            })
        };
        // Forces of a method that panicked may be anything.
        let forces = constraint_forces.filter(|forces| is_finite(forces));
        let force_at = forces.map(|forces| move |point: usize| at(forces, point));
        let fields = Fields {
            time: state.t,
            is_interpolated: *is_interpolated,
            rest: &self.rest,
            positions: |point| at(view.positions(), point),
            velocities: |point| at(&state.v, point),
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
