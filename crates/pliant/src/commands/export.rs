//! `pliant export`: writes a run in the formats of other programs.

use crate::failure::{DONE, Failure};
use crate::print;
use clap::builder::PossibleValuesParser;
use scene::export::{Choice, EXPORTS, Export, Exported, Show, export};
use serde_json::json;
use std::path::PathBuf;

/// Arguments of `pliant export`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Output directory of a run
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Format; see `pliant list exports`
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(EXPORTS.iter().map(|e| e.name)))]
    to: String,
    /// File to write, or directory for one file per frame [default: DIR.FORMAT, or DIR-FORMAT]
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Use only every N-th frame
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    every: Option<u32>,
    /// Leave out frames before this time [s]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    from: Option<f64>,
    /// Leave out frames after this time [s]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    until: Option<f64>,
    /// Show the finer surfaces of bodies that have one; default for all formats but vtu and csv
    #[arg(long)]
    surface: bool,
    /// Show the simulated mesh, not the finer surfaces
    #[arg(long, conflicts_with = "surface")]
    tets: bool,
    /// Leave out obstacles; vtu, obj, gltf and usda show them as separate objects
    #[arg(long)]
    without_obstacles: bool,
    /// Print errors only
    #[arg(short, long)]
    quiet: bool,
    /// Print one JSON object as the last line of stdout
    #[arg(long)]
    json: bool,
}

/// Exports the run.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    print::failure_json(arguments.json, run(arguments))
}

fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let Arguments { directory, to, output, every, from, until, surface, tets, without_obstacles, quiet, json } =
        arguments;
    let Some(format) = Export::find(to) else {
        return Err(Failure::Usage(format!("{to} is no format; `pliant list exports` names them")));
    };
    let show = match (surface, tets) {
        (true, _) => Some(Show::Surface),
        (_, true) => Some(Show::Tets),
        _ => None,
    };
    let choice = Choice {
        show,
        every: every.map(|every| every as usize),
        from: *from,
        until: *until,
        without_obstacles: *without_obstacles,
    };
    let output = output.clone().unwrap_or_else(|| format.default_output(directory));
    let Exported { outputs, frames, nodes, elements, particles, notes } = export(directory, format, &choice, &output)?;
    let outputs: Vec<String> = outputs.iter().map(|path| path.display().to_string()).collect();
    if !quiet {
        let kinds = elements.iter().zip(["tets", "triangles", "lines"]).filter(|(count, _)| **count > 0);
        let kinds = kinds.chain((particles > 0).then_some((&particles, "particles")));
        let kinds: String = kinds.map(|(count, kind)| format!(", {count} {kind}")).collect();
        print::out(&format!("wrote  {}: {frames} frames of {nodes} nodes{kinds}\n", outputs.join(" and ")));
        notes.iter().for_each(|note| print::out(&format!("note   {note}\n")));
    }
    if *json {
        let [tets, triangles, lines] = elements;
        let report = json!({
            "outcome": "done", "format": format.name, "output": outputs, "frames": frames, "nodes": nodes, "tets": tets,
            "triangles": triangles, "lines": lines, "particles": particles, "notes": notes,
        });
        print::out(&format!("{report}\n"));
    }
    Ok(DONE)
}
