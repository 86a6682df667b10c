//! Cost of a linearly implicit step with default options: compared with a fresh factor, with rapier's finite elements,
//! within siere, and by the size of the body.
//!
//! All in one process: on one thread first, then, where nothing else is compared, on all cores. Bodies start with a
//! bending wave (`bodies::moving`), so that no step is like the one before.

mod bandwidth;
mod growth;
mod rapier;
mod refactor;

use super::{Findings, Report, peak_memory_mib};
use crate::failure::Failure;
use serde_json::json;
use std::time::Instant;

/// Time step of all bodies but the bridge [s].
const H: f64 = 0.01;
/// Measures the beams alone, and the bandwidth of memory in the same run.
pub fn beams() -> Result<Report, Failure> {
    let mut findings = Findings::default();
    bandwidth::measure(&mut findings);
    one_thread()?.install(|| rapier::measure(&mut findings))?;
    Ok(Report { text: findings.text, json: findings.json.into() })
}

/// Measures growth alone.
pub fn growth() -> Result<Report, Failure> {
    let mut findings = Findings::default();
    one_thread()?.install(|| growth::measure(&mut findings))?;
    Ok(Report { text: findings.text, json: findings.json.into() })
}

fn one_thread() -> Result<rayon::ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(Failure::bench)
}

/// Measures everything.
pub fn run() -> Result<Report, Failure> {
    let begun = Instant::now();
    let mut findings = Findings::default();
    let one = one_thread()?;
    findings.say("one thread:");
    // Runs first, while the process holds little other memory.
    let grown = one.install(|| growth::measure(&mut findings))?;
    let bodies = refactor::bodies()?;
    one.install(|| refactor::measure(&bodies, &mut findings).and_then(|()| rapier::measure(&mut findings)))?;

    let mut all = Findings::default();
    let threads = rayon::current_num_threads();
    all.say(&format!("all {threads} threads:"));
    refactor::measure(&bodies, &mut all)?;
    let peak = grown.max(peak_memory_mib());
    findings.text.push_str(&all.text);
    all.json.insert("threads".into(), json!(threads));
    findings.json.insert("all_cores".into(), all.json.into());

    bandwidth::measure(&mut findings);
    let seconds = begun.elapsed().as_secs_f64();
    findings.say(&format!("peak memory {peak:.0} MiB; the whole bench took {seconds:.0} s"));
    findings.json.insert("peak_memory_mib".into(), json!(peak));
    findings.json.insert("seconds".into(), json!(seconds));
    Ok(Report { text: findings.text, json: findings.json.into() })
}
