//! Propagators that exploit symmetry, against the modes of small pencils.

mod breakdown;
mod pencil;

use faer::Mat;
use numerics::functions::{Damping, FunctionError, Lanczos, Motion, Oscillator, Propagator, Rational, Report, Sample};
use pencil::{Pencil, Random, chain, times};

/// Returns the largest true error of all samples, in the measure of the module, and the report.
fn run(
    propagator: &mut dyn Propagator,
    pencil: &mut Pencil,
    motion: &Motion,
    tolerance: f64,
    times: &[f64],
) -> Result<(f64, Report), FunctionError> {
    let n = pencil.dim();
    let mut memory: Vec<_> = times.iter().map(|_| (vec![f64::NAN; n], vec![f64::NAN; n])).collect();
    let mut samples: Vec<Sample> =
        memory.iter_mut().zip(times).map(|((y, velocity), &time)| Sample { time, y, velocity }).collect();
    let before = (pencil.products.get(), pencil.solves, pencil.factorisations);
    let report = propagator.propagate(pencil, motion, tolerance, &mut samples)?;
    let used = (pencil.products.get() - before.0, pencil.solves - before.1, pencil.factorisations - before.2);
    assert_eq!(used, (report.work.products, report.work.solves, report.work.factorisations), "work");
    let speed = pencil.norm(motion.velocity);
    let mut worst: f64 = 0.0;
    for ((y, velocity), &t) in memory.iter().zip(times) {
        let (exact_y, exact_velocity) = pencil.exact(motion, t);
        let difference = |a: &[f64], b: &[f64]| pencil.norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>());
        let scale = speed.max(pencil.norm(&exact_velocity)).max(pencil.norm(&exact_y) / t);
        let error = difference(velocity, &exact_velocity).max(difference(y, &exact_y) / t);
        let error = if error == 0.0 { 0.0 } else { error / scale };
        assert!(!error.is_nan());
        worst = worst.max(error);
    }
    Ok((worst, report))
}

/// Pencils of every kind: lumped and full mass, definite, indefinite and no stiffness, every damping, scales.
fn pencils() -> Vec<(String, Pencil)> {
    let mut random = Random(5);
    let mut all = Vec::new();
    for n in [1, 2, 7, 30] {
        for (alpha, beta) in [(0.0, 0.0), (0.7, 0.0), (0.0, 0.02), (0.3, 0.3)] {
            let lumped = Mat::from_fn(n, n, |i, j| if i == j { 0.3 + random.next().abs() } else { 0.0 });
            let full = random.symmetric(n, 0.2);
            let definite = random.symmetric(n, 0.0);
            let indefinite = random.symmetric(n, -0.2);
            let zero = Mat::zeros(n, n);
            for (name, k, m, scale) in [
                ("definite, lumped", &definite, &lumped, 1.0),
                ("definite, full, stiff", &definite, &full, 1e4),
                ("indefinite, lumped", &indefinite, &lumped, 10.0),
                ("indefinite, full", &indefinite, &full, 1.0),
                ("no stiffness", &zero, &full, 1.0),
            ] {
                let name = format!("{name}, n {n}, alpha {alpha}, beta {beta}");
                all.push((name, Pencil::new(k * faer::Scale(scale), m.clone(), alpha, beta)));
            }
            // Extreme units: seconds, kilograms and metres scaled away.
            let k = &definite * faer::Scale(1e52);
            all.push((format!("huge, n {n}"), Pencil::new(k, &full * faer::Scale(1e50), alpha, beta)));
            let k = &definite * faer::Scale(1e-48);
            all.push((format!("tiny, n {n}"), Pencil::new(k, &full * faer::Scale(1e-50), alpha, beta)));
        }
    }
    all
}

fn contract(make: impl Fn() -> Box<dyn Propagator>, pencils: Vec<(String, Pencil)>, tolerances: &[f64]) {
    let mut random = Random(11);
    for (name, mut pencil) in pencils {
        let n = pencil.dim();
        let v = random.vector(n);
        let force = pencil.norm(&v) / pencil.norm(&vec![1.0; n]);
        let loads: Vec<Vec<f64>> = (0..4)
            .map(|_| {
                let mut r = vec![0.0; n];
                times(&pencil.m, &random.vector(n), &mut r);
                r.iter().map(|r| 3.0 * force * r).collect()
            })
            .collect();
        let zero = vec![0.0; n];
        let some: Vec<&[f64]> = loads.iter().map(|r| r.as_slice()).collect();
        for tolerance in tolerances {
            for (motion, sampled) in [
                (Motion { velocity: &v, loads: &[] }, vec![0.5]),
                (Motion { velocity: &v, loads: &some[..1] }, vec![0.01, 0.5, 1.5]),
                (Motion { velocity: &zero, loads: &some[..1] }, vec![1.0]),
                (Motion { velocity: &v, loads: &some }, vec![1.0 / 9.0, 1.0]),
                (Motion { velocity: &zero, loads: &[&zero, some[1], &zero, some[3]] }, vec![1.0]),
                (Motion { velocity: &zero, loads: &[] }, vec![1.0]),
            ] {
                let (error, report) = run(&mut *make(), &mut pencil, &motion, *tolerance, &sampled)
                    .unwrap_or_else(|e| panic!("{name}, {sampled:?}, tolerance {tolerance}: {e}"));
                let loads = motion.loads.len();
                assert!(error <= *tolerance, "{name}, {loads} loads: error {error:e} for {tolerance:e}, {report:?}");
                assert!(report.error <= *tolerance && error <= 10.0 * report.error, "{name}: {error:e}, {report:?}");
            }
        }
    }
}

#[test]
fn lanczos_keeps_the_contract() {
    contract(|| Box::new(Lanczos::new()), pencils(), &[1e-2, 1e-6, 1e-11]);
}

/// Its answers are accurate; where it cannot answer (stiff and without damping) it returns an error.
#[test]
fn rational_lanczos_keeps_the_contract() {
    contract(|| Box::new(Rational::new()), pencils(), &[1e-2, 1e-6]);
}

/// Damping that has neither the modes of K nor of M.
#[test]
fn rational_arnoldi_keeps_the_contract() {
    let mut random = Random(7);
    let mut all = Vec::new();
    for (name, mut pencil) in pencils() {
        let n = pencil.dim();
        let Damping::Rayleigh { stiffness: beta, .. } = pencil.damping else { panic!() };
        let other = random.symmetric(n, 0.1) * faer::Scale(pencil.m.norm_max());
        let d = &pencil.d + &other * faer::Scale(beta + 0.01);
        pencil = Pencil::general(pencil.k, pencil.m, d);
        all.push((name, pencil));
    }
    contract(|| Box::new(Rational::new()), all, &[1e-2, 1e-6]);
}

/// Damping by an earlier stiffness, K0: the same few solves however stiff.
#[test]
fn rational_arnoldi_does_not_feel_stiffness() {
    let n = 100;
    let mut random = Random(37);
    let (v, r) = (random.vector(n), random.vector(n));
    let motion = Motion { velocity: &v, loads: &[&r] };
    let t = 0.01;
    for stiffness in [1e4, 1e6, 1e8, 1e10] {
        // Springs stiffer and softer than before, and a push outward.
        let spring = |i: usize| stiffness * (1.0 + 0.5 * (0.7 * i as f64).sin());
        let k0 = chain(n, stiffness);
        let mut k = Mat::zeros(n, n);
        for i in 0..n - 1 {
            for (a, b, sign) in [(i, i, 1.0), (i + 1, i + 1, 1.0), (i, i + 1, -1.0), (i + 1, i, -1.0)] {
                k[(a, b)] += sign * spring(i);
            }
        }
        (0..n).for_each(|i| k[(i, i)] -= 0.5 / (t * t));
        let mut pencil = Pencil::general(k, Mat::identity(n, n), k0 * faer::Scale(t));
        let (error, report) = run(&mut Rational::new(), &mut pencil, &motion, 1e-6, &[t]).unwrap();
        println!("k {stiffness:e}: {} vectors, error {error:.1e}, estimate {:.1e}", report.dimension, report.error);
        assert!(report.dimension <= 22 && report.work.factorisations == 1);
    }
    let mut pencil = Pencil::general(chain(n, 1e8), Mat::identity(n, n), Mat::zeros(n, n));
    let undamped = run(&mut Rational::new(), &mut pencil, &motion, 1e-6, &[t]);
    assert!(matches!(undamped, Err(FunctionError::NotConverged { .. })), "{undamped:?}");
}

/// The estimate is never below the error, and rarely far above: stiffness, damping, roughness, tolerance.
#[test]
fn rational_estimates_are_honest_and_sharp() {
    let (n, t) = (40, 0.01);
    let mut random = Random(41);
    let (rough, load) = (random.vector(n), random.vector(n));
    let smooth: Vec<f64> = (0..n).map(|i| (0.1 * i as f64).cos()).collect();
    let zero = vec![0.0; n];
    let mut ratios = Vec::new();
    for stiffness in [1e3, 1e4, 1e5, 3e5, 1e6, 3e6, 1e7, 1e8, 1e10] {
        for beta in [0.1 * t, 0.3 * t, t, 10.0 * t] {
            for general in [false, true] {
                let k = chain(n, stiffness);
                let mut pencil = Pencil::new(k, Mat::identity(n, n), 0.1, beta);
                if general {
                    let d = &pencil.d + chain(n, 0.3 * stiffness * beta);
                    pencil = Pencil::general(pencil.k, pencil.m, d);
                }
                for (v, r) in [(&rough, &load), (&smooth, &load), (&rough, &zero), (&zero, &load), (&zero, &smooth)] {
                    for tolerance in [1e-2, 1e-4, 1e-6] {
                        let motion = Motion { velocity: v, loads: &[r] };
                        let Ok((error, report)) = run(&mut Rational::new(), &mut pencil, &motion, tolerance, &[t])
                        else {
                            continue;
                        };
                        assert!(
                            report.error <= tolerance && error <= report.error,
                            "{stiffness:e} {beta}: {error:e} {report:?}"
                        );
                        if error > 1e-12 {
                            ratios.push(report.error / error);
                        }
                    }
                }
            }
        }
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    println!("estimate / error: least {:.1e}, median {median:.1e} of {}", ratios[0], ratios.len());
    assert!(ratios.len() > 1000 && median < 100.0);
}

/// A damped chain takes the same few solves however stiff it is.
#[test]
fn rational_lanczos_does_not_feel_stiffness() {
    let n = 150;
    let mut random = Random(31);
    let (v, r) = (random.vector(n), random.vector(n));
    let motion = Motion { velocity: &v, loads: &[&r] };
    for stiffness in [1e4, 1e6, 1e8, 1e10] {
        let mut pencil = Pencil::new(chain(n, stiffness), Mat::identity(n, n), 0.01, 0.01);
        let (error, report) = run(&mut Rational::new(), &mut pencil, &motion, 1e-6, &[0.01]).unwrap();
        println!("k {stiffness:e}: {} vectors, error {error:.1e}, estimate {:.1e}", report.dimension, report.error);
        assert!(report.dimension <= 22 && report.work.factorisations == 1);
    }
    // Without damping the high modes are not resolved: an error, not an answer.
    let mut pencil = Pencil::new(chain(n, 1e8), Mat::identity(n, n), 0.0, 0.0);
    let undamped = run(&mut Rational::new(), &mut pencil, &motion, 1e-6, &[0.01]);
    assert!(matches!(undamped, Err(FunctionError::NotConverged { .. })), "{undamped:?}");
}

/// A basis that does not fit is made twice: the same answer to the bit, with twice the products except for the last
/// vector.
#[test]
fn two_passes_are_one_pass() {
    let n = 60;
    let mut pencil = Pencil::new(chain(n, 1e4), Mat::identity(n, n), 0.1, 1e-4);
    let mut random = Random(3);
    let (v, r) = (random.vector(n), random.vector(n));
    let motion = Motion { velocity: &v, loads: &[&r] };
    let mut answers = Vec::new();
    for bytes in [1 << 30, 8 * 2 * n * 7, 0] {
        let (mut y, mut velocity) = (vec![0.0; n], vec![0.0; n]);
        let mut samples = [Sample { time: 0.3, y: &mut y, velocity: &mut velocity }];
        let report = Lanczos::with_memory(bytes).propagate(&mut pencil, &motion, 1e-9, &mut samples).unwrap();
        assert!(report.dimension > 20);
        answers.push((y, velocity, report));
    }
    for (y, velocity, report) in &answers[1..] {
        assert!((y, velocity) == (&answers[0].0, &answers[0].1));
        assert_eq!(report.work.products, 2 * answers[0].2.work.products);
    }
}

/// k = t w/2 + 15 vectors suffice for 1e-7, and the check detects it.
#[test]
fn lanczos_takes_no_more_than_it_should() {
    let n = 150;
    let mut random = Random(9);
    let v = random.vector(n);
    let r = random.vector(n);
    for stiffness in [25.0, 2.5e2, 2.5e3, 2.5e4] {
        let mut pencil = Pencil::new(chain(n, stiffness), Mat::identity(n, n), 0.0, 0.0);
        let time = 1.0;
        let z = time * 2.0 * stiffness.sqrt();
        let motion = Motion { velocity: &v, loads: &[&r] };
        let (error, report) = run(&mut Lanczos::new(), &mut pencil, &motion, 1e-7, &[time]).unwrap();
        println!("z {z}: k {} = z/2 + {:.1}, error {error:.1e}", report.dimension, report.dimension as f64 - z / 2.0);
        assert!((report.dimension as f64) <= z / 2.0 + 17.0 + z / 16.0);
        assert!(error < 1e-7);
        assert_eq!(pencil.calls.get() * 2, report.work.products, "both runs in one product");

        // Forced to stop at z/2 + 15 it is as accurate as promised.
        let limit = (z / 2.0 + 15.0) as usize;
        let (error, _) = run(&mut Lanczos::new().with_limit(limit), &mut pencil, &motion, 1e-6, &[time]).unwrap();
        assert!(error < 1e-7, "{error:e}");
    }
}

/// No answer is accepted before the waves have had time to cross the basis.
#[test]
fn too_few_vectors_are_an_error() {
    let n = 200;
    let mut pencil = Pencil::new(chain(n, 1e6), Mat::identity(n, n), 0.0, 0.0);
    let v: Vec<f64> = (0..n).map(|i| (std::f64::consts::PI * (i as f64 + 0.5) / n as f64).cos() + 1e-3).collect();
    let mut random = Random(2);
    let rough = random.vector(n);
    let v: Vec<f64> = v.iter().zip(rough).map(|(v, r)| v + 1e-4 * r).collect();
    let motion = Motion { velocity: &v, loads: &[] };
    // Pieces of few vectors would take long.
    pencil.most = 400;
    for limit in 1..110 {
        if let Ok((error, report)) = run(&mut Lanczos::new().with_limit(limit), &mut pencil, &motion, 1e-3, &[0.1]) {
            assert!(error < 1e-3, "limit {limit}: {error:e} {report:?}");
        }
    }
    // A million products would suffice, if they were not limited.
    pencil.most = 2_000;
    let far = run(&mut Lanczos::new(), &mut pencil, &motion, 1e-6, &[1e3]);
    assert_eq!(far.err(), Some(FunctionError::TooMuchWork { most: 2_000 }));
}

#[test]
fn growth_beyond_numbers_is_an_error() {
    let mut pencil = Pencil::new(chain(5, -1e6), Mat::identity(5, 5), 0.0, 0.0);
    let v = [1.0, 2.0, -1.0, 0.0, 3.0];
    let motion = Motion { velocity: &v, loads: &[] };
    assert_eq!(run(&mut Lanczos::new(), &mut pencil, &motion, 1e-6, &[1.0]).err(), Some(FunctionError::Overflow));
    // Growth by e^20 is no problem.
    let (error, _) = run(&mut Lanczos::new(), &mut pencil, &motion, 1e-9, &[0.01]).unwrap();
    assert!(error < 1e-9);
}

/// K resists no translation: momentum is conserved to rounding.
#[test]
fn momentum_is_kept() {
    let n = 120;
    let mut random = Random(21);
    let masses: Vec<f64> = (0..n).map(|_| 0.2 + random.next().abs()).collect();
    let m = Mat::from_fn(n, n, |i, j| if i == j { masses[i] } else { 0.0 });
    let v: Vec<f64> = random.vector(n).iter().map(|v| v + 1.0).collect();
    let momentum = |v: &[f64]| masses.iter().zip(v).map(|(m, v)| m * v).sum::<f64>();
    for beta in [0.0, 1e-3] {
        let mut pencil = Pencil::new(chain(n, 1e5), m.clone(), 0.0, beta);
        let (mut y, mut velocity) = (vec![0.0; n], vec![0.0; n]);
        let mut samples = [Sample { time: 0.1, y: &mut y, velocity: &mut velocity }];
        let motion = Motion { velocity: &v, loads: &[] };
        Lanczos::new().propagate(&mut pencil, &motion, 1e-11, &mut samples).unwrap();
        assert!(
            (momentum(&velocity) / momentum(&v) - 1.0).abs() < 1e-12,
            "{:e}",
            momentum(&velocity) / momentum(&v) - 1.0
        );
        assert!((momentum(&y) / (0.1 * momentum(&v)) - 1.0).abs() < 1e-12);
    }
}
