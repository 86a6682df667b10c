//! One run alone, in the form of a comparison: for its page.

use crate::compare::{ComparedRun, Comparison};
use crate::drawing::Drawing;
use crate::flow::FlowPlane;
use crate::obstacles::Drawn;
use crate::recording::Recording;
use scene::{Built, Ending, Outcome, Scene};

impl Comparison {
    /// Returns the comparison of one run that was recorded.
    pub fn of_run(
        scene: &Scene,
        built: &Built,
        drawing: Drawing,
        recording: Recording,
        outcome: &Outcome,
    ) -> Comparison {
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
            plane: FlowPlane::new(&built.model),
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
}
