//! series.csv of a run, read and plotted.

use crate::plot::{self, Axis, Curve};
use scene::output::WORD_COLUMNS;
use std::fmt;

/// Columns of a series, as in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    columns: Vec<(String, Vec<f64>)>,
}

/// Reason why a file is not a series.
#[derive(Debug, Clone, PartialEq)]
pub enum SeriesError {
    /// It has no rows.
    Empty,
    /// A column that plots need is missing.
    Missing {
        /// The column.
        column: &'static str,
    },
    /// A row has another number of values than the header.
    Width {
        /// The line, from 1.
        line: usize,
        /// Number of its values.
        found: usize,
        /// Number of values in the header.
        expected: usize,
    },
    /// A value is not a number.
    Value {
        /// The line, from 1.
        line: usize,
        /// The column.
        column: String,
        /// Text found there.
        found: String,
    },
}

impl fmt::Display for SeriesError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            SeriesError::Empty => f.write_str("the series has no rows; run the scene first"),
            SeriesError::Missing { column } => {
                write!(f, "the column '{column}' is missing; use the series.csv of a run")
            }
            SeriesError::Width { line, found, expected } => {
                write!(f, "line {line}: {found} values where the header has {expected}; remove the line, or run again")
            }
            SeriesError::Value { line, column, found } => {
                write!(f, "line {line}: {column} is '{found}', not a number; correct it, or run again")
            }
        }
    }
}

impl std::error::Error for SeriesError {}

impl Series {
    /// Parses the text of a series.csv. Columns of words are left out.
    pub fn parse(text: &str) -> Result<Series, SeriesError> {
        let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line));
        let names: Vec<&str> = lines.next().map(|(_, line)| line.split(',').collect()).unwrap_or_default();
        let mut columns: Vec<(String, Vec<f64>)> = names.iter().map(|name| (name.to_string(), Vec::new())).collect();
        for (line, row) in lines.filter(|(_, row)| !row.is_empty()) {
            let values: Vec<&str> = row.split(',').collect();
            if values.len() != names.len() {
                return Err(SeriesError::Width { line, found: values.len(), expected: names.len() });
            }
            for ((column, numbers), value) in columns.iter_mut().zip(values) {
                match value.parse() {
                    Ok(number) => numbers.push(number),
                    Err(_) if WORD_COLUMNS.contains(&column.as_str()) => {}
                    Err(_) => {
                        return Err(SeriesError::Value {
                            line,
                            column: column.clone(),
                            found: value.chars().take(40).collect(),
                        });
                    }
                }
            }
        }
        columns.retain(|(_, numbers)| !numbers.is_empty());
        if columns.is_empty() { Err(SeriesError::Empty) } else { Ok(Series { columns }) }
    }

    fn column(&self, name: &'static str) -> Result<&[f64], SeriesError> {
        let found = self.columns.iter().find(|(column, _)| column == name);
        found.map(|(_, numbers)| numbers.as_slice()).ok_or(SeriesError::Missing { column: name })
    }

    /// Returns kinetic and elastic energy and that of the loads at the last row up to a time [s] [J].
    pub fn energies(&self, time: f64) -> Option<[f64; 3]> {
        let after = self.column("time").ok()?.partition_point(|t| *t <= time + 1e-9 * time.abs());
        let at = |name| self.column(name).ok()?.get(after.checked_sub(1)?).copied();
        Some([at("kinetic")?, at("elastic")?, at("load")?])
    }

    /// Returns the sum of some columns over time.
    fn sum(&self, columns: &[&'static str]) -> Result<Vec<(f64, f64)>, SeriesError> {
        let mut points: Vec<(f64, f64)> = self.column("time")?.iter().map(|time| (*time, 0.0)).collect();
        for column in columns {
            points.iter_mut().zip(self.column(column)?).for_each(|(point, value)| point.1 += value);
        }
        Ok(points)
    }

    /// Returns the plots, each with a name for its file: energies, momentum, angular momentum, work of each step.
    pub fn plots(&self, title: &str) -> Result<Vec<(&'static str, String)>, SeriesError> {
        let time = self.column("time")?;
        let end = time.last().copied().unwrap_or_default();
        let mut plots = Vec::new();
        for Plot { name, label, columns, without_zeros } in &PLOTS {
            let mut curves = Vec::new();
            for &column in *columns {
                let points: Vec<_> = time.iter().copied().zip(self.column(column)?.iter().copied()).collect();
                if !without_zeros || points.iter().any(|point| point.1 != 0.0) {
                    curves.push(Curve { name: column.replace('_', " "), points, ..Curve::default() });
                }
            }
            let y = Axis::around(label, curves.iter().flat_map(|curve| &curve.points).map(|point| point.1));
            plots.push((*name, plot::svg(title, &Axis::linear("time [s]", end), &y, &curves)));
        }
        Ok(plots)
    }
}

/// Plot of some columns over time.
struct Plot {
    /// Name of its file.
    name: &'static str,
    /// Label of the axis.
    label: &'static str,
    columns: &'static [&'static str],
    /// Columns that are always 0 get no curve: work that a method does not do.
    without_zeros: bool,
}

const PLOTS: [Plot; 4] = [
    Plot {
        name: "energy",
        label: "energy [J]",
        columns: &["kinetic", "elastic", "load", "total"],
        without_zeros: false,
    },
    Plot {
        name: "momentum",
        label: "momentum [kg m/s]",
        columns: &["momentum_x", "momentum_y", "momentum_z"],
        without_zeros: false,
    },
    Plot {
        name: "angular-momentum",
        label: "angular momentum [kg m^2/s]",
        columns: &["angular_momentum_x", "angular_momentum_y", "angular_momentum_z"],
        without_zeros: false,
    },
    Plot {
        name: "work",
        label: "counts per step",
        columns: &["forces", "newton", "factorisations", "solves", "iterations", "products"],
        without_zeros: true,
    },
];

/// A run among others: its name, its series, and true if it diverged.
pub type Named = (String, Series, bool);

/// Plots the energies of several runs, each plot with a name for its file. A diverging run may go anywhere: the others
/// define the axis. Constraints that are not met yet hold elastic energy that is not part of the motion; hence the plot
/// without it.
pub fn energies(runs: &[Named]) -> Result<Vec<(&'static str, String)>, SeriesError> {
    const PLOTS: [(&str, &str, &[&str]); 2] = [
        ("energy", "total energy", &["total"]),
        ("energy-of-motion", "kinetic energy and that of the loads", &["kinetic", "load"]),
    ];
    let mut plots = Vec::new();
    for (file, title, columns) in PLOTS {
        let mut curves = Vec::new();
        for (name, series, diverged) in runs {
            let points = series.sum(columns)?;
            curves.push(Curve { name: name.clone(), points, diverged: *diverged, ..Curve::default() });
        }
        let end = curves.iter().flat_map(|curve| &curve.points).map(|point| point.0).fold(0.0, f64::max);
        let all_diverged = curves.iter().all(|curve| curve.diverged);
        let arrived = curves.iter().filter(|curve| all_diverged || !curve.diverged).flat_map(|curve| &curve.points);
        let y = Axis::around(&format!("{title} [J]"), arrived.map(|point| point.1).filter(|energy| energy.is_finite()));
        plots.push((file, plot::svg(title, &Axis::linear("time [s]", end), &y, &curves)));
    }
    Ok(plots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energies_of_several_runs_are_plots_as_high_as_those_that_arrived() {
        let head = "time,total,kinetic,load";
        let runs = [("good", "0,2,2,0\n1,1,3,-2\n", false), ("bad", "0,2,2,0\n0.1,1e200,1e200,0\n", true)];
        let runs = runs.map(|(name, rows, diverged)| {
            (name.to_string(), Series::parse(&format!("{head}\n{rows}")).unwrap(), diverged)
        });
        let plots = energies(&runs).unwrap();
        assert_eq!(plots.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["energy", "energy-of-motion"]);
        for (_, svg) in plots {
            assert_eq!(svg.matches("<polyline").count(), 2);
            assert!(svg.contains(">bad (diverged)<") && svg.contains(">good<"));
            assert!(!svg.contains("e200") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }

    const HEADER: &str = "step,time,kinetic,elastic,load,total,momentum_x,momentum_y,momentum_z,angular_momentum_x,\
                          angular_momentum_y,angular_momentum_z,forces,newton,factorisations,solves,iterations,products,factor";

    #[test]
    fn a_series_becomes_four_plots() {
        let text = format!(
            "{HEADER}\n0,0,1,2,-3,0,0,0,0,0,0,0,0,0,0,0,0,0,none\n1,0.1,1,2,-4,-1,1,2,3,0,0,0,1,0,1,2,0,0,made\n"
        );
        let plots = Series::parse(&text).unwrap().plots("A run").unwrap();
        assert_eq!(
            plots.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            ["energy", "momentum", "angular-momentum", "work"]
        );
        assert_eq!(plots[0].1.matches("<polyline").count(), 4);
        assert_eq!(plots[3].1.matches("<polyline").count(), 3, "what is never done is not drawn");
        assert!(plots.iter().all(|(_, svg)| !svg.contains("NaN")));
    }

    #[test]
    fn what_is_no_series_says_where() {
        for (text, words) in [
            ("", "no rows"),
            ("a,b\n", "no rows"),
            ("time,total\n1\n", "line 2: 1 values where the header has 2"),
            ("time,total\n0,1\n1,x\n", "line 3: total is 'x'"),
        ] {
            let error = Series::parse(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text:?}: {error}");
        }
        let error = Series::parse("time,total\n0,1\n").unwrap().plots("").unwrap_err();
        assert_eq!(error, SeriesError::Missing { column: "kinetic" });
    }
}
