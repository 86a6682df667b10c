//! `pliant resume`: continues a run from its checkpoint, bit-for-bit identical to an uninterrupted run.

use super::run;
use crate::failure::Failure;
use crate::print::{self, short};
use crate::threads::use_threads;
use scene::Ending;
use scene::output::Paused;
use std::path::PathBuf;

/// Arguments of `pliant resume`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Directory of the run
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Override the run's duration [s]: a longer one continues a finished run
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Number of threads; results are bit-for-bit identical for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Print errors only
    #[arg(short, long)]
    quiet: bool,
    /// Print one JSON object as the last line of stdout
    #[arg(long)]
    json: bool,
}

/// Continues the run.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    let result = resume(arguments).map_err(|failure| match failure {
        Failure::Output(error) => Failure::InPlace(error),
        other => other,
    });
    print::failure_json(arguments.json, result)
}

fn resume(arguments: &Arguments) -> Result<u8, Failure> {
    let Arguments { directory, duration, threads, quiet, json } = arguments;
    use_threads(*threads)?;
    let paused = Paused::open(directory, *duration)?;
    if !paused.differences.is_empty() && !quiet {
        print::err(&format!(
            "warning: another program wrote the checkpoint ({}): bits may differ from those of a run without a break\n",
            paused.differences.join("; ")
        ));
    }
    if let Some(report) = &paused.done {
        if !quiet {
            print::out(&format!(
                "nothing left to do: the run has come to its duration of {} s; make it longer with\n  \
                 pliant resume {} --duration SECONDS\n",
                short(paused.built.simulation.schedule().duration),
                directory.display()
            ));
        }
        if *json {
            print::out(&format!("{report}\n"));
        }
        return Ok(run::code(&Ending::Done, report));
    }
    let files = paused.files()?;
    run::go(&paused.scene, paused.built, files, *quiet, *json)
}
