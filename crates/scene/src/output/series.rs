//! series.csv: energies, momenta and work, one row per step.

use super::OutputError;
use super::directory::{Directory, SERIES_FILE};
use super::mark::{Mark, Written};
use super::work;
use crate::disk::cut;
use simulation::{Moment, Observer, ObserverError};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;

/// Columns, in order; units: [s], [J], [kg m/s], [kg m^2/s], counts. The decision about the kept factor is a word. The
/// compression of fluids is relative to their density; gap and force of joints are the largest [m], [N]; contacts by impulses have
/// the kinetic energy they added [J] and the sum of their impulses [N s]; numerical damping is energy that the method took and the
/// scene does not [J]. These are zero if there are none.
pub const COLUMNS: &[&str] = &[
    "step",
    "time",
    "h",
    "kinetic",
    "elastic",
    "load",
    "total",
    "momentum_x",
    "momentum_y",
    "momentum_z",
    "angular_momentum_x",
    "angular_momentum_y",
    "angular_momentum_z",
    "forces",
    "assemblies",
    "newton",
    "backtracks",
    "factorisations",
    "solves",
    "iterations",
    "products",
    "capped",
    "halvings",
    "negative_pivots",
    "modes",
    "substeps",
    "rejected",
    "factor_age",
    "contacts",
    "contact_rounds",
    "contact_zones",
    "compression",
    "joint_gap",
    "joint_force",
    "contact_work",
    "contact_impulse",
    "numerical_damping",
    "factor",
];

/// Columns of words instead of numbers.
pub const WORD_COLUMNS: &[&str] = &["factor"];

/// Writes one row per step. Every row goes to the system at once, in one write: an abort leaves whole lines.
pub struct Series {
    path: PathBuf,
    file: File,
    row: String,
    /// Complete rows.
    written: Written,
}

impl Series {
    /// Begins the file with its header.
    pub fn new(directory: &Directory) -> Result<Series, OutputError> {
        let path = directory.join(SERIES_FILE);
        let file = File::create(&path).map_err(OutputError::io("create", &path))?;
        let mut series = Series { path, file, row: COLUMNS.join(",") + "\n", written: Written::default() };
        series.write()?;
        Ok(series)
    }

    /// Continues after `written`; the rest is cut off.
    pub(super) fn resume(directory: &Directory, written: Written) -> Result<Series, OutputError> {
        let path = directory.join(SERIES_FILE);
        let file = cut(&path, written.length())?;
        Ok(Series { path, file, row: String::new(), written })
    }

    /// Returns the mark of the complete rows.
    pub(super) fn mark(&self) -> Mark {
        self.written.mark()
    }

    /// Waits until all is on the disk.
    pub(super) fn sync(&self) -> Result<(), OutputError> {
        self.file.sync_data().map_err(OutputError::io("write", &self.path))
    }

    fn write(&mut self) -> Result<(), OutputError> {
        if let Err(error) = self.file.write_all(self.row.as_bytes()) {
            // Part of a row may have been written: remove it.
            self.file.set_len(self.written.length()).ok();
            return Err(OutputError::io("write", &self.path)(error));
        }
        self.written.advance(self.row.as_bytes());
        Ok(())
    }
}

/// A value of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell {
    /// A count.
    Count(u64),
    /// A quantity.
    Number(f64),
    /// A word.
    Word(&'static str),
}

/// Returns the values of a moment, in the order of [`COLUMNS`].
pub fn row(moment: &Moment) -> impl Iterator<Item = Cell> {
    let e = moment.energies;
    let numbers = [moment.state.t, moment.h, e.kinetic, e.elastic, e.load, e.total()];
    let momenta = [moment.momentum, moment.angular_momentum].into_iter().flatten();
    std::iter::once(Cell::Count(moment.step))
        .chain(numbers.into_iter().chain(momenta).map(Cell::Number))
        .chain(work::counts(&moment.work).into_iter().map(Cell::Count))
        .chain(work::measures(&moment.work).into_iter().map(Cell::Number))
        .chain(std::iter::once(Cell::Word(moment.work.factor.word())))
}

impl Observer for Series {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        self.row.clear();
        for (column, cell) in row(moment).enumerate() {
            let comma = if column == 0 { "" } else { "," };
            // Writing to a string cannot fail. The shortest digits that read back as the same number.
            let _ = match cell {
                Cell::Count(count) => write!(self.row, "{comma}{count}"),
                Cell::Number(number) => write!(self.row, "{comma}{number:?}"),
                Cell::Word(word) => write!(self.row, "{comma}{word}"),
            };
        }
        self.row.push('\n');
        Ok(self.write()?)
    }
}
