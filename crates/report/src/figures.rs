//! The plots of a comparison: energies over time, error against cost, artificial damping against the step.

use crate::compare::Comparison;
use crate::page::DAMPING_AXIS;
use crate::plot::{self, Axis, Curve, Dots};
use scene::Ending;

/// Plots the total energies of all runs over time.
pub fn energy(comparison: &Comparison) -> String {
    // As a share where a total is defined, in joules where loads do work.
    let scales: Option<Vec<f64>> = (comparison.runs.iter())
        // A run that failed at once has nothing to draw, and does not affect the scale.
        .map(|run| if run.recording.samples.is_empty() { Some(1.0) } else { run.recording.energy_to_keep() })
        .collect();
    let curves: Vec<Curve> = (comparison.runs.iter().enumerate())
        .map(|(r, run)| {
            let scale = scales.as_ref().map_or(1.0, |scales| scales[r]);
            Curve {
                name: run.label.clone(),
                points: run.recording.samples.iter().map(|sample| (sample.time, sample.total() / scale)).collect(),
                diverged: matches!(run.outcome.ending, Ending::Diverged(_)),
                ..Curve::default()
            }
        })
        .collect();
    let end = curves.iter().flat_map(|curve| &curve.points).map(|point| point.0).fold(0.0, f64::max);
    let y = if scales.is_some() {
        Axis::linear("total energy / energy at the start", 1.25)
    } else {
        // A diverging run may go anywhere: the others define the axis.
        let arrived = curves.iter().filter(|curve| !curve.diverged).flat_map(|curve| &curve.points);
        Axis::around("total energy [J]", arrived.map(|point| point.1))
    };
    plot::svg(&comparison.title, &Axis::linear("time [s]", end), &y, &curves)
}

/// Plots error against cost, one curve per method, where there are a reference and several steps.
pub fn precision(comparison: &Comparison) -> Option<String> {
    let curves: Vec<Curve> = (comparison.precision().into_iter())
        .map(|(method, points)| Curve {
            name: method.to_string(),
            points: points.iter().map(|&[cost, error, _]| (cost, error)).collect(),
            dots: Dots::OnLine,
            ..Curve::default()
        })
        .collect();
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let x = Axis::log("computing for a simulated second [ms]", all().map(|point| point.0));
    let y = Axis::log("error against the reference", all().map(|point| point.1));
    (!curves.is_empty()).then(|| plot::svg(&comparison.title, &x, &y, &curves))
}

/// Plots the artificial damping of every method against the step, by formula and measured.
pub fn damping(comparison: &Comparison) -> String {
    let curves: Vec<Curve> = (comparison.damping.iter())
        .map(|damping| Curve {
            name: match damping.stable_up_to {
                Some(limit) => format!("{}, stable up to {limit:.2}", damping.label),
                None => damping.label.clone(),
            },
            points: damping.points.iter().map(|point| (point.h_omega, point.formula)).collect(),
            beside: damping.measured().map(|[h_omega, _, measured]| (h_omega, measured)).collect(),
            ..Curve::default()
        })
        .collect();
    let all = || curves.iter().flat_map(|curve| curve.points.iter().chain(&curve.beside));
    let x = Axis::log("step × frequency, hω", all().map(|point| point.0));
    let y = Axis::around(DAMPING_AXIS, all().map(|point| point.1));
    plot::svg("Artificial damping: lines by formula, dots measured", &x, &y, &curves)
}
