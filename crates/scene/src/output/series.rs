//! series.csv: energies, momenta and work, a row a step.

use super::OutputError;
use super::directory::{Directory, SERIES_FILE};
use crate::run::{Moment, Observer};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;

/// The columns, in order; units: [s], [J], [kg m/s], [kg m^2/s], counts.
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
    "halvings",
    "negative_pivots",
];

/// Writes a row a step. Every row goes to the system at once, in one piece: an abort leaves whole lines.
pub struct Series {
    path: PathBuf,
    file: File,
    row: String,
    /// Length of the rows that are whole [bytes].
    length: u64,
}

impl Series {
    /// Begins the file with its header.
    pub fn new(directory: &Directory) -> Result<Series, OutputError> {
        let path = directory.join(SERIES_FILE);
        let file = File::create(&path).map_err(OutputError::io("create", &path))?;
        let mut series = Series { path, file, row: COLUMNS.join(",") + "\n", length: 0 };
        series.write()?;
        Ok(series)
    }

    fn write(&mut self) -> Result<(), OutputError> {
        if let Err(error) = self.file.write_all(self.row.as_bytes()) {
            // Half a row may be there: take it back.
            self.file.set_len(self.length).ok();
            return Err(OutputError::io("write", &self.path)(error));
        }
        self.length += self.row.len() as u64;
        Ok(())
    }
}

impl Observer for Series {
    fn observe(&mut self, moment: &Moment) -> Result<(), OutputError> {
        let (e, work) = (moment.energies, moment.work);
        let [p, l] = [moment.momentum, moment.angular_momentum];
        let numbers = [moment.state.t, moment.h, e.kinetic, e.elastic, e.load, e.total()];
        let counts = [
            work.forces,
            work.assemblies,
            work.newton,
            work.backtracks,
            work.linear.factorisations,
            work.linear.solves,
            work.linear.iterations,
            work.linear.products,
            work.halvings,
            work.negative_pivots,
        ];
        self.row.clear();
        // Writing to a string cannot fail. The shortest digits that read back as the same number.
        let _ = write!(self.row, "{}", moment.step);
        numbers.iter().chain(&p).chain(&l).for_each(|number| _ = write!(self.row, ",{number:?}"));
        counts.iter().for_each(|count| _ = write!(self.row, ",{count}"));
        self.row.push('\n');
        self.write()
    }
}
