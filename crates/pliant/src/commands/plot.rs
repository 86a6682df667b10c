//! `pliant plot`: plots the series of a run, or the energies of several runs in one picture.

use crate::failure::{DONE, Failure};
use crate::print;
use report::png::png;
use report::series::{Named, Series, SeriesError, energies};
use scene::Problems;
use scene::files::read_regular;
use scene::output::{OutputError, SERIES_FILE, SUMMARY_FILE, write_whole};
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Longest name of a plot directory, without its ending [bytes].
const LONGEST_NAME: usize = 120;

/// Arguments of `pliant plot`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Run directories; with several, their energies are drawn in common pictures
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// Directory for the pictures [default: RUN-plots beside the first; for several RUN-with-OTHER-plots]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Width of the PNG pictures [pixels]
    #[arg(long, default_value_t = 1800, value_parser = clap::value_parser!(u32).range(100..=10_000))]
    width: u32,
}

/// Draws every plot as SVG and as PNG.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    let first = &arguments.runs[0];
    let plots = match arguments.runs.as_slice() {
        [run] => read(run, |series| series.plots(&title(run)))?,
        runs => {
            let named = runs.iter().map(|run| Ok((name(run), read(run, Ok)?, diverged(run))));
            let named: Vec<Named> = named.collect::<Result<_, Failure>>()?;
            energies(&named).map_err(|error| bad(&runs[0], error.to_string()))?
        }
    };
    // Not inside the run: foreign files in its directory would keep it from being replaced.
    let out = arguments.out.clone().unwrap_or_else(|| {
        let plots = format!("{}-plots", joined(&arguments.runs.iter().map(|run| name(run)).collect::<Vec<_>>()));
        // `.` and `..` have no name; otherwise the typed path is shorter to read.
        let run = if first.file_name().is_some() { first.clone() } else { whole(first) };
        run.with_file_name(plots)
    });
    std::fs::create_dir_all(&out).map_err(OutputError::io("create", &out))?;
    for (name, svg) in &plots {
        write_whole(&out.join(format!("{name}.svg")), svg.as_bytes())?;
        let path = out.join(format!("{name}.png"));
        let pixels = png(svg, arguments.width).ok_or_else(|| OutputError::Undrawn { path: path.clone() })?;
        write_whole(&path, &pixels)?;
    }
    let names: Vec<&str> = plots.iter().map(|(name, _)| *name).collect();
    print::out(&format!("wrote  {}: {} as SVG and PNG\n", out.display(), names.join(", ")));
    Ok(DONE)
}

/// Reads the series of a run and passes it to `make`.
fn read<T>(run: &Path, make: impl FnOnce(Series) -> Result<T, SeriesError>) -> Result<T, Failure> {
    let text = read_regular(&run.join(SERIES_FILE))
        .and_then(|bytes| String::from_utf8(bytes).map_err(|_| std::io::Error::other("it is no text")))
        .map_err(|error| bad(run, format!("it cannot be read ({error}); name the directory of a run")))?;
    Series::parse(&text).and_then(make).map_err(|error| bad(run, error.to_string()))
}

/// Returns the error of a bad series.
fn bad(run: &Path, message: String) -> Failure {
    Failure::Scene(Problems::of_file(&run.join(SERIES_FILE).display().to_string(), message))
}

/// Returns a name for the pictures of several runs: A-with-B. Of many only the first is named, with a hash of the
/// others.
fn joined(names: &[String]) -> String {
    let all = names.join("-with-");
    if all.len() <= LONGEST_NAME {
        return all;
    }
    let mut others = DefaultHasher::new();
    names[1..].hash(&mut others);
    format!("{}-with-{}-others-{:08x}", names[0], names.len() - 1, others.finish() as u32)
}

fn whole(run: &Path) -> PathBuf {
    run.canonicalize().unwrap_or_else(|_| run.to_path_buf())
}

/// Returns the name of a run's directory.
fn name(run: &Path) -> String {
    whole(run).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the summary of a run, if it has ended.
fn summary(run: &Path) -> Value {
    let summary = read_regular(&run.join(SUMMARY_FILE)).unwrap_or_default();
    serde_json::from_slice(&summary).unwrap_or_default()
}

/// Returns true if the run ended because it diverged.
fn diverged(run: &Path) -> bool {
    summary(run)["outcome"] == "diverged"
}

/// Returns the title of the scene and its method, if the run has ended and stored them.
fn title(run: &Path) -> String {
    let summary = summary(run);
    let words: Vec<&str> = ["title", "method"].iter().filter_map(|key| summary[*key].as_str()).collect();
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ")
}
