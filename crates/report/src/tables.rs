//! The tables of a comparison as CSV, for programs.

use crate::compare::Comparison;
use scene::Ending;

/// Returns one row per run.
pub fn runs(comparison: &Comparison) -> String {
    let mut text = "run,method,step,outcome,diverged_at,steps,ms_per_step,factorisations,solves,iterations,products,\
                    energy_kept,error,spread,cause\n"
        .to_string();
    for run in &comparison.runs {
        let work = &run.outcome.work.linear;
        let (diverged, cause) = match &run.outcome.ending {
            Ending::Diverged(divergence) => (Some(divergence.time), quoted(&divergence.cause.to_string())),
            _ => (None, String::new()),
        };
        text += &format!(
            "{},{},{:?},{},{},{},{},{},{},{},{},{},{},{},{cause}\n",
            run.label,
            run.method,
            run.step,
            run.outcome.ending.word(),
            number(diverged),
            run.outcome.steps,
            number(run.ms_per_step),
            work.factorisations,
            work.solves,
            work.iterations,
            work.products,
            number(run.energy_kept),
            number(run.error),
            number(run.spread)
        );
    }
    text
}

/// Returns the energies of every run and step [J]. Not called series.csv: that is the name in a run's directory.
pub fn energies(comparison: &Comparison) -> String {
    let mut text = "run,time,kinetic,elastic,load,total\n".to_string();
    for run in &comparison.runs {
        for s in &run.recording.samples {
            text +=
                &format!("{},{:?},{:?},{:?},{:?},{:?}\n", run.label, s.time, s.kinetic, s.elastic, s.load, s.total());
        }
    }
    text
}

/// Returns one row per curve and step: artificial damping d / omega by formula, and measured where available.
pub fn damping(comparison: &Comparison) -> String {
    let mut text = "curve,method,h_omega,formula,measured\n".to_string();
    for curve in &comparison.damping {
        for point in &curve.points {
            // Commas separate columns.
            let label = curve.label.replace(',', "");
            let measured = number(point.measured);
            text += &format!("{label},{},{:?},{:?},{measured}\n", curve.method, point.h_omega, point.formula);
        }
    }
    text
}

/// Quotes text as one cell: it may contain commas.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\"").replace('\n', " "))
}

/// Formats a number with all its digits, or nothing.
fn number(x: Option<f64>) -> String {
    x.map_or(String::new(), |x| format!("{x:?}"))
}
