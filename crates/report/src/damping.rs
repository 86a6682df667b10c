//! Artificial damping of the methods of a comparison: by formula, and measured on a single oscillator.

use integrators::damping::{formula, measure};
use integrators::{Method, Modes, Options, parameters};
use rayon::prelude::*;

/// Steps from 10^-2 to 10^2, as h omega.
const DECADES: [i32; 2] = [-2, 2];
/// Points of a curve per decade.
const FINE: i32 = 40;
/// Interval of measured points.
const MEASURED: i32 = 10;
/// Growth that counts as rounding.
const ROUNDING: f64 = 1e-9;

/// Artificial damping of an undamped oscillation by a method, over steps of all lengths.
#[derive(Debug, Clone, PartialEq)]
pub struct Damping {
    /// Label: the method, and the modes where it treats some differently.
    pub label: String,
    /// The method's name.
    pub method: &'static str,
    /// Points from short steps to long ones, as far as they are stable.
    pub points: Vec<DampingPoint>,
    /// Largest stable h omega; `None` if all that were tried are stable.
    pub stable_up_to: Option<f64>,
}

/// The damping at one length of the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DampingPoint {
    /// Step times frequency.
    pub h_omega: f64,
    /// d / omega by formula: amplitudes shrink like exp(-d t / 2).
    pub formula: f64,
    /// The same from steps of the method, where it was measured.
    pub measured: Option<f64>,
}

impl Damping {
    fn new(label: String, method: &Method, options: &Options) -> Damping {
        let mut points = Vec::new();
        let mut stable_up_to = None;
        for k in DECADES[0] * FINE..=DECADES[1] * FINE {
            let h_omega = 10f64.powf(f64::from(k) / f64::from(FINE));
            let stable = |z: f64| formula(method, options, z) > -ROUNDING;
            if !stable(h_omega) {
                let last = points.last().map_or(0.0, |point: &DampingPoint| point.h_omega);
                let limit = bisect(last, h_omega, stable);
                points.push(DampingPoint { h_omega: limit, formula: formula(method, options, limit), measured: None });
                stable_up_to = Some(limit);
                break;
            }
            let measured = if k % MEASURED == 0 { measure(method, options, h_omega) } else { None };
            points.push(DampingPoint { h_omega, formula: formula(method, options, h_omega), measured });
        }
        Damping { label, method: method.name, points, stable_up_to }
    }

    /// Returns the measured points: h omega, by formula, measured.
    pub fn measured(&self) -> impl Iterator<Item = [f64; 3]> {
        self.points.iter().filter_map(|point| Some([point.h_omega, point.formula, point.measured?]))
    }
}

/// Finds the largest stable h omega between a stable and an unstable one.
fn bisect(mut low: f64, mut high: f64, stable: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        *(if stable(middle) { &mut low } else { &mut high }) = middle;
    }
    low
}

/// Computes the curves of some methods, each once, in this order; then those of the modes that siere and siere2 leave to
/// their implicit part.
pub fn damping(methods: &[(&'static Method, Options)]) -> Vec<Damping> {
    let mut first = Vec::new();
    let mut rest = Vec::new();
    for (k, (method, options)) in methods.iter().enumerate() {
        if methods[..k].iter().any(|(before, _)| before.name == method.name) {
            continue;
        }
        first.push((method.name.to_string(), *method, options.clone()));
        if method.reads(&parameters::MODES.parameter) && options.get(&parameters::MODES) != Modes::Count(0) {
            let label = format!("{}, beyond its modes", method.name);
            rest.push((label, *method, options.clone().with(&parameters::MODES, Modes::Count(0))));
        }
    }
    first.append(&mut rest);
    first.into_par_iter().map(|(label, method, options)| Damping::new(label, method, &options)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_its_curve_and_what_is_measured_lies_on_it() {
        let methods: Vec<_> = integrators::METHODS.iter().map(|method| (method, Options::default())).collect();
        let all = damping(&[&methods[..], &methods[..2]].concat());
        assert_eq!(all.len(), methods.len() + 2, "each once, siere and siere2 again for the modes they do not keep");
        for curve in &all {
            assert!(curve.measured().count() >= 9, "{}: {}", curve.label, curve.measured().count());
            for [z, formula, measured] in curve.measured() {
                assert!((formula - measured).abs() < 1e-6, "{} at {z}: {measured}, not {formula}", curve.label);
            }
            let limit = match curve.method {
                "symplectic-euler" => Some(2.0),
                "rk4" => Some(8f64.sqrt()),
                _ => None,
            };
            let off = limit.unwrap_or(0.0) - curve.stable_up_to.unwrap_or(0.0);
            assert!(off.abs() < 1e-3, "{}: {:?}", curve.label, curve.stable_up_to);
        }
        let [siere, of_siere2] = all.last_chunk().unwrap();
        assert_eq!([&siere.label, &of_siere2.label], ["siere, beyond its modes", "siere2, beyond its modes"]);
        assert!(siere.points.iter().any(|point| point.formula > 0.8));
        assert!(of_siere2.points.iter().any(|point| point.formula > 0.1));
        assert!(all.iter().find(|curve| curve.label == "siere").unwrap().points.iter().all(|p| p.formula == 0.0));
    }
}
