//! `pliant doctor`: examines and mends a mesh file.

mod page;
mod report;
mod substance;

use super::convert::same_file;
use crate::failure::{DONE, Failure};
use crate::print;
use formats::{Doubt, Encoding};
use geometry::doctor::{Change, Diagnosis, Fix, Kind, examine, mend, renumber};
use indicatif::{ProgressBar, ProgressDrawTarget};
use model::mesh::{Mesh, closest_name};
use scene::files::{Loss, format_to_write, read_sick_mesh, reduce, write_mesh};
use scene::highest_frequency;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;
use substance::Substance;

/// Arguments of `pliant doctor`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Mesh file; see `pliant list formats`
    file: PathBuf,
    /// Assumed material: a name (rubber, flesh, foam, wood, concrete, aluminium, steel) or Young's modulus [Pa],
    /// Poisson's ratio and density [kg/m^3]
    #[arg(long, value_name = "NAME|E,NU,RHO", default_value = "rubber")]
    material: Substance,
    /// Assumed time step [s]
    #[arg(long, value_name = "SECONDS", default_value_t = 0.01)]
    step: f64,
    /// Defects to mend: broken, duplicates, degenerate, orientation, flat, surface, holes, unused, or all for all of these;
    /// parts, which keeps only the largest connected part, is not among them
    #[arg(long, value_name = "A,B,...", value_delimiter = ',', requires = "out")]
    fix: Vec<String>,
    /// File for the mended mesh; its extension decides the format
    #[arg(short, long, value_name = "FILE", requires = "fix")]
    out: Option<PathBuf>,
    /// Write numbers as text, in formats that also have a binary form
    #[arg(long)]
    ascii: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Findings about a mesh.
struct Seen {
    /// Defects of the file that do not show in its mesh.
    doubts: Vec<Doubt>,
    diagnosis: Diagnosis,
    /// Highest frequency of the sound tets [rad/s].
    frequency: Option<f64>,
}

/// Result of mending.
struct Mended<'a> {
    to: &'a Path,
    mesh: Mesh,
    changes: Vec<Change>,
    losses: Vec<Loss>,
    seen: Seen,
}

/// Examines the file, and mends it if asked.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    let result = doctor(arguments);
    if let (true, Err(failure)) = (arguments.json, &result) {
        print::out(&format!("{}\n", failure.to_json()));
    }
    result
}

fn doctor(arguments: &Arguments) -> Result<u8, Failure> {
    let Arguments { file, material, step, fix, out, ascii, json } = arguments;
    if !(*step > 0.0 && step.is_finite()) {
        return Err(Failure::Usage(format!("a step of {step} s cannot be taken; give one above 0")));
    }
    let fixes = fixes(fix)?;
    let target = match out {
        Some(out) if same_file(file, out) => {
            let message = format!("{} is the file itself; write the mended mesh to another", out.display());
            return Err(Failure::Usage(message));
        }
        Some(out) => {
            let format = format_to_write(out).map_err(|error| Failure::Usage(error.to_string()))?;
            Some((out.as_path(), format))
        }
        None => None,
    };
    let bar = progress();
    bar.set_message("reading");
    let (mesh, doubts) = read_sick_mesh(file)?;
    let seen = Seen { doubts, ..look(&mesh, material, &bar) };
    let mended = match target {
        Some((to, format)) => {
            bar.set_message("mending");
            let mut mended = mesh.clone();
            let changes = mend(&mut mended, &fixes);
            let (written, losses) = reduce(&mended, format);
            let seen = look(&written, material, &bar);
            let encoding = if *ascii { Encoding::Ascii } else { Encoding::Binary };
            write_mesh(to, &written, encoding)?;
            Some(Mended { to, mesh: written.into_owned(), changes, losses, seen })
        }
        None => None,
    };
    bar.finish_and_clear();
    if *json {
        let mut report = report::seen(&mesh, &seen, material, *step);
        report["outcome"] = json!("done");
        report["file"] = json!(file.to_string_lossy());
        if let Some(mended) = &mended {
            report["mended"] = report::mended(mended, material, *step);
        }
        print::out(&format!("{report}\n"));
        return Ok(DONE);
    }
    print::out(&page::seen(file, &mesh, &seen, material, *step));
    if let Some(mended) = &mended {
        print::out(&page::mended(mended));
    }
    Ok(DONE)
}

fn fixes(words: &[String]) -> Result<Vec<Fix>, Failure> {
    let mut fixes = Vec::new();
    for word in words.iter().map(|word| word.trim()) {
        match Fix::ALL.iter().find(|(_, name)| *name == word) {
            Some((fix, _)) => fixes.push(*fix),
            None if word == "all" => fixes.extend(Fix::ALL.iter().map(|(fix, _)| *fix).filter(|fix| fix.is_repair())),
            None => {
                let known = || Fix::ALL.iter().map(|(_, name)| *name).chain(["all"]);
                let closest = closest_name(word, known()).unwrap_or_default();
                return Err(Failure::Usage(format!(
                    "there is no fix '{word}'; perhaps '{closest}' of {}",
                    known().collect::<Vec<_>>().join(", ")
                )));
            }
        }
    }
    Ok(fixes)
}

/// Shows the current activity on a terminal.
fn progress() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(100));
    }
    bar
}

fn look(mesh: &Mesh, material: &Substance, bar: &ProgressBar) -> Seen {
    let diagnosis = examine(mesh, |what| bar.set_message(what));
    let broken = [Kind::NotFinite, Kind::OutOfRange].iter().any(|&kind| diagnosis.find(kind).is_some());
    if broken || mesh.tets.is_empty() {
        return Seen { doubts: Vec::new(), diagnosis, frequency: None };
    }
    bar.set_message("highest frequency");
    // For the part that could be simulated: the sound tets.
    let mut solid = Mesh { points: mesh.points.clone(), tets: mesh.tets.clone(), ..Mesh::default() };
    if !diagnosis.is_healthy() {
        mend(&mut solid, &[Fix::Degenerate, Fix::Orientation, Fix::Flat]);
    }
    renumber::drop_unused(&mut solid);
    let frequency = highest_frequency(solid, material.young, material.poisson, material.density);
    Seen { doubts: Vec::new(), diagnosis, frequency }
}
