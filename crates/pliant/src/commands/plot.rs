//! `pliant plot`: the series of a run as pictures.

use crate::failure::{DONE, Failure};
use crate::print;
use report::png::png;
use report::series::Series;
use scene::Problems;
use scene::output::{OutputError, SERIES_FILE, SUMMARY_FILE, write_whole};
use serde_json::Value;
use std::path::PathBuf;

/// What to draw.
#[derive(clap::Args)]
pub struct Arguments {
    /// The directory of a run
    run: PathBuf,
    /// Directory for the pictures [default: RUN-plots beside it]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Width of the PNG pictures [pixels]
    #[arg(long, default_value_t = 1800, value_parser = clap::value_parser!(u32).range(100..=10_000))]
    width: u32,
}

/// Draws every plot as SVG and as PNG.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    let path = arguments.run.join(SERIES_FILE);
    let bad = |message: String| Failure::Scene(Problems::of_file(&path.display().to_string(), message));
    let text = std::fs::read_to_string(&path)
        .map_err(|error| bad(format!("it cannot be read ({error}); name the directory of a run")))?;
    let plots = Series::parse(&text).and_then(|series| series.plots(&title(arguments)));
    let plots = plots.map_err(|error| bad(error.to_string()))?;
    // Not inside: what others put into the directory of a run keeps it from being replaced.
    let out = arguments.out.clone().unwrap_or_else(|| {
        let run = arguments.run.canonicalize().unwrap_or_else(|_| arguments.run.clone());
        let mut name = run.file_name().unwrap_or_default().to_os_string();
        name.push("-plots");
        // `.` and `..` have no name of their own; otherwise what was typed is shorter to read.
        if arguments.run.file_name().is_some() { arguments.run.with_file_name(name) } else { run.with_file_name(name) }
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

/// The title of the scene and its method, if the run has ended and said so.
fn title(arguments: &Arguments) -> String {
    let summary = std::fs::read_to_string(arguments.run.join(SUMMARY_FILE)).unwrap_or_default();
    let summary: Value = serde_json::from_str(&summary).unwrap_or_default();
    let words: Vec<&str> = ["title", "method"].iter().filter_map(|key| summary[*key].as_str()).collect();
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ")
}
