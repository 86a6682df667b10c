//! Recording of a run: its series, and the positions of its frames.

use model::Model;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use scene::output::{COLUMNS, Cell, row};
use scene::{Built, Moment, Observer, ObserverError, Outcome, View};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Values of a column so far.
enum Column {
    Counts(Vec<u64>),
    Numbers(Vec<f64>),
    Words(Vec<&'static str>),
}

/// Store of positions: the memory, or a file of plain numbers that is mapped into it later.
enum Positions {
    Memory(Vec<f64>),
    File(BufWriter<File>),
}

/// Records a run.
pub struct Recorder {
    columns: Vec<Column>,
    times: Vec<f64>,
    positions: Positions,
    /// Scratch: positions of a frame in the order of the mesh.
    frame: Vec<f64>,
}

impl Recorder {
    /// Records into memory, or the positions into a file.
    pub fn new(file: Option<&Path>) -> Result<Recorder, std::io::Error> {
        let positions = match file {
            Some(path) => Positions::File(BufWriter::with_capacity(1 << 20, File::create(path)?)),
            None => Positions::Memory(Vec::new()),
        };
        Ok(Recorder { columns: Vec::new(), times: Vec::new(), positions, frame: Vec::new() })
    }

    /// Returns the size of the positions of a whole run [bytes].
    pub fn bytes(built: &Built) -> u64 {
        let frames = built.simulation.schedule().frames();
        frames.saturating_mul(24 * built.model.nodes() as u64)
    }

    fn frame(&mut self, view: &View) -> Result<(), ObserverError> {
        in_mesh(view.model, view.positions(), &mut self.frame);
        match &mut self.positions {
            Positions::Memory(all) => all.extend_from_slice(&self.frame),
            Positions::File(file) => {
                for number in &self.frame {
                    file.write_all(&number.to_ne_bytes())?;
                }
            }
        }
        self.times.push(view.state.t);
        Ok(())
    }

    /// Returns the columns of the series by name, the times of frames, and the positions as one row, which are `None` if they
    /// are in a file.
    #[allow(clippy::type_complexity)]
    pub fn into_arrays<'py>(
        self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyArray1<f64>>, Option<Bound<'py, PyArray1<f64>>>)> {
        let series = PyDict::new(py);
        for (name, column) in COLUMNS.iter().zip(self.columns) {
            match column {
                Column::Counts(counts) => {
                    let counts = counts.into_iter().map(|count| count as i64);
                    series.set_item(name, PyArray1::from_iter(py, counts))?;
                }
                Column::Numbers(numbers) => series.set_item(name, PyArray1::from_vec(py, numbers))?,
                Column::Words(words) => series.set_item(name, words)?,
            }
        }
        let positions = match self.positions {
            Positions::Memory(all) => Some(PyArray1::from_vec(py, all)),
            Positions::File(_) => None,
        };
        Ok((series, PyArray1::from_vec(py, self.times), positions))
    }
}

impl Observer for Recorder {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        for (k, cell) in row(moment).enumerate() {
            if self.columns.len() <= k {
                self.columns.push(match cell {
                    Cell::Count(_) => Column::Counts(Vec::new()),
                    Cell::Number(_) => Column::Numbers(Vec::new()),
                    Cell::Word(_) => Column::Words(Vec::new()),
                });
            }
            match (&mut self.columns[k], cell) {
                (Column::Counts(all), Cell::Count(count)) => all.push(count),
                (Column::Numbers(all), Cell::Number(number)) => all.push(number),
                (Column::Words(all), Cell::Word(word)) => all.push(word),
                _ => return Err("a column of the series has changed its kind".into()),
            }
        }
        if moment.is_frame { self.frame(moment) } else { Ok(()) }
    }

    fn between(&mut self, view: &View) -> Result<(), ObserverError> {
        self.frame(view)
    }

    fn finish(&mut self, moment: &Moment, _: &Outcome) -> Result<(), ObserverError> {
        if self.times.last() != Some(&moment.state.t) {
            self.frame(moment)?;
        }
        if let Positions::File(file) = &mut self.positions {
            file.flush()?;
        }
        Ok(())
    }
}

/// Writes values of the nodes of a model in the order of the mesh.
pub fn in_mesh(model: &Model, values: &[f64], to: &mut Vec<f64>) {
    to.clear();
    let nodes = values.as_chunks::<3>().0;
    to.extend((0..model.nodes()).flat_map(|node| nodes[model.number(node)]));
}
