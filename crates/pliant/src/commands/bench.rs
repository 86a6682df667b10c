//! `pliant bench`: measurements of this program.

use crate::bench::BENCHES;
use crate::failure::{DONE, Failure};
use crate::print;
use serde_json::json;

/// Arguments of `pliant bench`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Name of the bench; without one, all are listed
    name: Option<String>,
    /// Print one JSON object as the last line of stdout
    #[arg(long)]
    json: bool,
}

/// Runs a bench, or lists them.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    let Some(name) = &arguments.name else {
        if arguments.json {
            let list = BENCHES.iter().map(|bench| json!({ "name": bench.name, "description": bench.description }));
            print::out(&format!("{}\n", json!({ "benches": list.collect::<Vec<_>>() })));
        } else {
            let rows = BENCHES.iter().map(|bench| format!("  {:18} {}\n", bench.name, bench.description));
            print::out(&format!("benches:\n{}", rows.collect::<String>()));
        }
        return Ok(DONE);
    };
    let bench = BENCHES.iter().find(|bench| bench.name == name).ok_or_else(|| {
        let names: Vec<&str> = BENCHES.iter().map(|bench| bench.name).collect();
        Failure::Usage(format!("there is no bench \"{name}\"; choose one of: {}", names.join(", ")))
    })?;
    let report = (bench.run)()?;
    print::out(&report.text);
    if arguments.json {
        print::out(&format!("{}\n", report.json));
    }
    Ok(DONE)
}
