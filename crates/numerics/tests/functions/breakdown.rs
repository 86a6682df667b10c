//! Krylov spaces that end early, and numbers that overflow: every propagator answers, or returns a true error.

use crate::pencil::{Pencil, Random, chain, times};
use faer::Mat;
use numerics::functions::scalar::response;
use numerics::functions::{
    Expokit, FunctionError, Kiops, Lanczos, Leja, Motion, Oscillator, Propagator, Rational, Sample, Taylor,
    rounding_floor,
};

/// Unit masses in a row, free at both ends; omega_max = `fastest`. The modes are known exactly.
struct Row {
    pencil: Pencil,
    values: Vec<f64>,
    modes: Mat<f64>,
    damping: [f64; 2],
}

impl Row {
    fn new(n: usize, fastest: f64, damping: [f64; 2], general: bool) -> Row {
        let angle = |k: usize| std::f64::consts::PI * k as f64 / n as f64;
        let length = |k: usize| if k == 0 { 1.0 / n as f64 } else { 2.0 / n as f64 }.sqrt();
        let (k, m) = (chain(n, 0.25 * fastest * fastest), Mat::identity(n, n));
        let [alpha, beta] = damping;
        let mut pencil = Pencil::new(k, m, alpha, beta);
        if general {
            pencil = Pencil::general(pencil.k, pencil.m, pencil.d);
        }
        Row {
            pencil,
            values: (0..n).map(|k| (fastest * (0.5 * angle(k)).sin()).powi(2)).collect(),
            modes: Mat::from_fn(n, n, |i, k| length(k) * (angle(k) * (i as f64 + 0.5)).cos()),
            damping,
        }
    }

    fn mode(&self, k: usize) -> Vec<f64> {
        (0..self.values.len()).map(|i| self.modes[(i, k)]).collect()
    }

    fn exact(&self, motion: &Motion, t: f64) -> [Vec<f64>; 2] {
        let n = self.values.len();
        let mut both = [vec![0.0; n], vec![0.0; n]];
        for k in 0..n {
            let r = response(t, self.values[k], self.damping[0] + self.damping[1] * self.values[k]);
            let part = |b: &[f64]| (0..n).map(|i| self.modes[(i, k)] * b[i]).sum::<f64>();
            let v = part(motion.velocity);
            let mut sizes = [r.impulse * v, r.impulse_rate * v];
            for (j, load) in motion.loads.iter().enumerate() {
                sizes[0] += r.loaded[j] * part(load);
                sizes[1] += if j == 0 { r.impulse } else { r.loaded[j - 1] } * part(load);
            }
            (0..2).for_each(|c| (0..n).for_each(|i| both[c][i] += sizes[c] * self.modes[(i, k)]));
        }
        both
    }
}

fn propagators(general: bool) -> Vec<(&'static str, Box<dyn Propagator>)> {
    let mut all: Vec<(&'static str, Box<dyn Propagator>)> = vec![
        ("rational", Box::new(Rational::new())),
        ("expokit", Box::new(Expokit::default())),
        ("kiops", Box::new(Kiops::new())),
        ("taylor", Box::new(Taylor::new())),
        ("leja", Box::new(Leja::new())),
    ];
    if !general {
        all.push(("lanczos", Box::new(Lanczos::new())));
        all.push(("lanczos in pieces", Box::new(Lanczos::new().with_limit(40))));
    }
    all
}

/// Asks all propagators for one motion of 1 s. Counts answers and errors.
fn ask(row: &mut Row, general: bool, what: &str, motion: &Motion, tolerance: f64, failures: &mut Vec<String>) -> usize {
    let n = row.pencil.dim();
    let [y, velocity] = row.exact(motion, 1.0);
    let fastest = row.values[n - 1].sqrt();
    let scale = row.pencil.norm(motion.velocity).max(row.pencil.norm(&velocity)).max(row.pencil.norm(&y));
    let mut answers = 0;
    for (name, mut propagator) in propagators(general) {
        let (mut found_y, mut found_velocity) = (vec![f64::NAN; n], vec![f64::NAN; n]);
        let mut samples = [Sample { time: 1.0, y: &mut found_y, velocity: &mut found_velocity }];
        let what = format!("{name}, {what}, h omega {fastest:.0e}, general {general}, tolerance {tolerance:.0e}");
        match propagator.propagate(&mut row.pencil, motion, tolerance, &mut samples) {
            Ok(report) => {
                let off =
                    |a: &[f64], b: &[f64]| row.pencil.norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>());
                let error = off(&y, &found_y).max(off(&velocity, &found_velocity));
                let allowed = tolerance.max(rounding_floor(fastest));
                if error.is_nan() || error > 3.0 * allowed * scale || !report.error.is_finite() {
                    println!("{what}: error {:.1e}", error / scale);
                    failures.push(format!("{what}: error {:.1e} of {scale:.1e}, {report:?}", error / scale));
                }
                answers += 1;
            }
            Err(error) => {
                let text = error.to_string();
                // Rounding over 1e4 oscillations may exceed the tolerance, which is reported.
                let is_hard = name == "rational" || fastest > 9e3;
                let is_true = matches!(error, FunctionError::NotConverged { .. }) && is_hard;
                if !is_true || text.contains("inf") || text.contains("NaN") {
                    println!("{what}: {text}");
                    failures.push(format!("{what}: {text}"));
                }
            }
        }
    }
    answers
}

#[test]
fn spaces_that_end_early_are_answers() {
    let n = 16;
    let mut random = Random(17);
    let mut failures = Vec::new();
    let mut answers = 0;
    for fastest in [0.0, 1e-6, 1.0, 30.0, 1e3, 1e4] {
        let some: &[f64] = if fastest < 1e3 { &[0.1, 1e-6, 1e-14] } else { &[1e-13] };
        for (damping, general) in [([0.0, 0.0], false), ([0.3, 0.0], true), ([0.1, 2e-3], true), ([0.1, 0.1], false)] {
            // Damping far beyond the range of polynomials is no breakdown.
            if fastest * fastest * damping[1] > 3e3 {
                continue;
            }
            let mut row = Row::new(n, fastest, damping, general);
            let zero = vec![0.0; n];
            let still = vec![1.0; n];
            let [one, last] = [row.mode(3), row.mode(n - 1)];
            let two: Vec<f64> = one.iter().zip(&last).map(|(a, b)| a + 0.5 * b).collect();
            let (rough, load) = (random.vector(n), random.vector(n));
            let cases: [(&str, Motion); 9] = [
                ("nothing", Motion { velocity: &zero, loads: &[] }),
                ("zero loads", Motion { velocity: &zero, loads: &[&zero, &zero] }),
                ("falling", Motion { velocity: &zero, loads: &[&still] }),
                ("falling and later more", Motion { velocity: &zero, loads: &[&zero, &still] }),
                ("flying", Motion { velocity: &still, loads: &[&zero] }),
                ("one mode", Motion { velocity: &one, loads: &[] }),
                ("two modes, falling", Motion { velocity: &two, loads: &[&still] }),
                ("the fastest mode", Motion { velocity: &last, loads: &[&one] }),
                ("everything", Motion { velocity: &rough, loads: &[&load, &still] }),
            ];
            for (name, motion) in &cases {
                if fastest == 1e4 && !(*name == "two modes, falling" && damping == [0.0; 2]) {
                    continue;
                }
                for &tolerance in some {
                    answers += ask(&mut row, general, name, motion, tolerance, &mut failures);
                }
            }
        }
    }
    println!("{answers} answers");
    assert!(failures.is_empty(), "{} of {answers}:\n{}", failures.len(), failures.join("\n"));
    assert!(answers > 2700, "{answers}");
}

/// A motion too long for one basis is cut into pieces, and agrees with the one in a single basis.
#[test]
fn pieces_are_the_whole() {
    let n = 60;
    let mut random = Random(29);
    let (v, r, s) = (random.vector(n), random.vector(n), random.vector(n));
    let mut force = vec![0.0; n];
    times(&chain(n, 1.0), &s, &mut force);
    for (beta, fastest) in [(0.0, 1e3), (1e-5, 300.0)] {
        let mut row = Row::new(n, fastest, [0.1, beta], false);
        let motion = Motion { velocity: &v, loads: &[&r, &force, &s, &r] };
        for limit in [30, 100, 4000] {
            let mut memory = [[vec![0.0; n], vec![0.0; n]], [vec![0.0; n], vec![0.0; n]]];
            let [[y0, v0], [y1, v1]] = &mut memory;
            let mut samples = [Sample { time: 0.3, y: y0, velocity: v0 }, Sample { time: 1.0, y: y1, velocity: v1 }];
            row.pencil.products.set(0);
            let mut lanczos = Lanczos::new().with_limit(limit);
            let report = lanczos.propagate(&mut row.pencil, &motion, 1e-8, &mut samples).unwrap();
            assert_eq!(report.work.products, row.pencil.products.get());
            assert_eq!(report.substeps > 2, limit < 4000);
            for ([y, velocity], t) in memory.iter().zip([0.3, 1.0]) {
                let [exact_y, exact_velocity] = row.exact(&motion, t);
                let off =
                    |a: &[f64], b: &[f64]| row.pencil.norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>());
                let scale = row.pencil.norm(&v).max(row.pencil.norm(&exact_velocity));
                let error = off(y, &exact_y).max(off(velocity, &exact_velocity)) / scale;
                println!("limit {limit}, beta {beta}: error {error:.1e}, {report:?}");
                assert!(error < 1e-8);
            }
        }
    }
}
