//! Pages of runs and comparisons.

use crate::work::short;
use pyo3::prelude::*;
use report::{ComparedRun, Comparison, Drawing, Drawn, Recording, page};
use scene::{Built, Ending, Outcome, Scene};

/// Returns the page of a comparison; `command` says how it was made.
pub fn html(py: Python, comparison: &Comparison, command: &str) -> PyResult<String> {
    short(py, || page::html(comparison, command))
}

/// Returns the comparison of one run alone.
pub fn alone(scene: &Scene, built: &Built, drawing: Drawing, recording: Recording, outcome: &Outcome) -> Comparison {
    let method = built.simulation.method();
    let first = recording.energy_to_keep().filter(|_| outcome.ending == Ending::Done);
    let advice = match &outcome.ending {
        Ending::Diverged(divergence) => scene::advice(divergence, &built.simulation),
        _ => Vec::new(),
    };
    let run = ComparedRun {
        label: method.name.to_string(),
        method: method.name,
        step: built.simulation.schedule().step,
        ms_per_step: (outcome.steps > 0).then(|| outcome.ms_per_step()),
        spread: None,
        energy_kept: first.map(|first| outcome.last.total() / first),
        why_no_share: recording.why_none_to_keep(),
        error: None,
        advice,
        recording,
        outcome: outcome.clone(),
    };
    Comparison {
        drawing,
        runs: vec![run],
        reference: None,
        damping: Vec::new(),
        scene: scene.to_toml(),
        title: scene.title.clone(),
        obstacles: Drawn::all(scene),
        interrupted: outcome.ending == Ending::Interrupted,
        equal_cost: false,
        models: 1,
    }
}
