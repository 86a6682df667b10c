//! Verdict on a comparison at equal cost: the cost of a simulated second, and the least error, where it can be decided.

use crate::compare::Comparison;
use scene::Ending;

/// A run that can be compared.
struct Entrant<'a> {
    label: &'a str,
    /// Order of its method.
    order: u32,
    /// Cost of a simulated second [ms], and its relative uncertainty.
    cost: f64,
    spread: f64,
    error: Option<f64>,
}

impl Entrant<'_> {
    /// Returns the bounds of its error at another cost [ms], given the uncertainty of measured costs: the error falls
    /// with the step by the method's order.
    fn error_at(&self, cost: f64, spread: f64) -> Option<[f64; 2]> {
        let doubt = (1.0 + self.spread) * (1.0 + spread);
        let scaled = |factor: f64| self.error.map(|error| error * (factor * self.cost / cost).powi(self.order as i32));
        Some([scaled(1.0 / doubt)?, scaled(doubt)?])
    }
}

impl Comparison {
    /// Returns sentences on a comparison at equal cost, one per line; none where steps were given.
    pub fn verdict(&self) -> Vec<String> {
        let arrived = self.runs.iter().filter(|run| run.outcome.ending == Ending::Done && run.outcome.time > 0.0);
        let entrants: Vec<Entrant> = arrived
            .filter_map(|run| {
                let cost = run.ms_per_step? * run.outcome.steps as f64 / run.outcome.time;
                let order = integrators::find(run.method).map_or(1, |method| method.order);
                Some(Entrant { label: &run.label, order, cost, spread: run.spread?, error: run.error })
            })
            .collect();
        if !self.equal_cost || entrants.len() < 2 {
            return Vec::new();
        }
        let costs: Vec<String> =
            (entrants.iter()).map(|e| format!("{} {:.3} ms + {:.0} %", e.label, e.cost, 100.0 * e.spread)).collect();
        let mut said = vec![format!(
            "Steps were chosen by counted work. Measured, a simulated second costs {} (the fastest of some repetitions, and how \
             much longer the slowest took).",
            costs.join(", ")
        )];
        said.extend(winner(&entrants));
        said
    }
}

/// Names the contender with the least error, or the reason why none can be named; `None` without a reference.
fn winner(entrants: &[Entrant]) -> Option<String> {
    let first = &entrants[0];
    let mut errors: Vec<(&str, [f64; 2])> = Vec::new();
    for entrant in entrants {
        errors.push((entrant.label, entrant.error_at(first.cost, first.spread)?));
    }
    errors.sort_by(|a, b| a.1[1].total_cmp(&b.1[1]));
    let ((best, [_, most]), (next, _)) = (errors[0], errors[1]);
    let rivals: Vec<&str> =
        errors[1..].iter().filter(|(_, [least, _])| *least <= most).map(|(label, _)| *label).collect();
    Some(if rivals.is_empty() {
        format!("Least error at this cost: {best}; {next} is next.")
    } else {
        format!(
            "No winner: {best} and {} err alike within what the costs and their spread leave open; measure on a quiet machine, or \
             give --steps.",
            rivals.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(entrants: &[(&'static str, f64)], spread: f64) -> String {
        let entrant = |&(label, error): &(&'static str, f64)| Entrant {
            label,
            order: 1,
            cost: 100.0,
            spread,
            error: Some(error),
        };
        winner(&entrants.iter().map(entrant).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn nobody_wins_within_the_spread() {
        let calm = said(&[("a", 0.10), ("b", 0.12)], 0.02);
        assert!(calm.starts_with("Least error at this cost: a; b is next"), "{calm}");
        // The same errors, with times uncertain by a tenth.
        let noisy = said(&[("a", 0.10), ("b", 0.12)], 0.1);
        assert!(noisy.starts_with("No winner: a and b err alike"), "{noisy}");
        let clear = said(&[("a", 0.10), ("b", 0.02), ("c", 0.2)], 0.1);
        assert!(clear.starts_with("Least error at this cost: b; a is next"), "{clear}");
    }
}
