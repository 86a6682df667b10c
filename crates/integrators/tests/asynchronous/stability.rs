//! Stable numbers of small steps, and the error for unstable ones.

use crate::bars::*;
use crate::equations::{Rule, by_brute_force};
use crate::problems::bar::{SHORT, Span, TIP, between, steps, thrown, with};
use faer::Mat;
use integrators::{Coupling, StepError, growth};
use model::load::Profile;
use model::{Basis, LoadPart, Model};

/// Returns the spectral radius of a step.
fn radius(model: &Model, h: f64, coupling: Coupling) -> f64 {
    let growth = growth(model, &mut *coupled(model, coupling), h).unwrap();
    assert!(growth.is_exact);
    growth.radius
}

#[test]
fn the_scheme_as_printed_is_stable_up_to_ten_small_steps_and_may_grow_with_forty() {
    let step = 0.05;
    for (made, ratio, h, known) in [
        (LINEAR, 5, step, 0.992),
        (LINEAR, 10, step, 0.993),
        (LINEAR, 40, step, 1.137),
        (DAMPED, 40, step, 0.992),
        // Damping helps only up to a point.
        (DAMPED, 40, 4.0 * step, 1.085),
    ] {
        let radius = radius(&tip(made, ratio), h, Coupling::Paper);
        println!("h = {h}, m = {ratio}, beta = {}: {radius:.5}", made.damping[1]);
        assert_eq!(radius < 1.0, known < 1.0, "m = {ratio}: {radius}");
        assert!((radius - known).abs() < 1e-3, "m = {ratio}: {radius} is not {known}");
    }
}

#[test]
fn steps_that_conserve_momentum_do_not_grow() {
    for (made, ratio, h) in [
        (LINEAR, 2, 0.05),
        (LINEAR, 10, 0.05),
        (LINEAR, 40, 0.05),
        (LINEAR, 200, 0.05),
        (LINEAR, 40, 1.0),
        (CONSISTENT, 10, 0.05),
        (CONSISTENT, 40, 0.05),
        (DAMPED, 40, 0.05),
        (DAMPED, 40, 0.2),
        (BOTH, 40, 0.2),
    ] {
        let [radius, printed] = COUPLINGS.map(|coupling| radius(&tip(made, ratio), h, coupling));
        println!("h = {h}, m = {ratio}, {made:?}: {radius:.5}, as printed {printed:.5}");
        assert!(radius < 1.0, "h = {h}, m = {ratio}: {radius}");
    }
    // Regions of different ratios, and a soft border between stiff parts.
    let radius_of = |regions: &[Span], soft: (f64, f64)| {
        let stiff = [(0.0, soft.0, 1e8, 1000.0), (soft.1, 1.0, 1e8, 1000.0)];
        let model = with(crate::problems::bar::bar(SHORT, "linear", &stiff), regions).build().unwrap();
        radius(&model, 0.05, Coupling::Conserving)
    };
    for (regions, soft) in [
        ([(0.6, 0.8, 40), (0.1, 0.3, 2)].as_slice(), (0.3, 0.6)),
        (&[(0.6, 0.8, 10)], (0.5, 0.6)),
        (&[(0.2, 0.5, 20)], (0.1, 0.6)),
    ] {
        let radius = radius_of(regions, soft);
        println!("{regions:?}: {radius:.5}");
        assert!(radius < 1.0, "{regions:?}: {radius}");
    }
}

/// The spectral radius of a step, by the propagator of a basis of unit displacements and velocities.
fn radius_of_propagator(model: &Model, h: f64, coupling: Coupling) -> f64 {
    // The radius is the same in any units; these are of the order of the motion, and differ from those of `growth`.
    const FREQUENCY: f64 = 100.0;
    let n = model.dofs();
    let mut ours = coupled(model, coupling);
    let still = steps(&mut *ours, model, &model.state_at_rest(), h, 1);
    let mut propagator = Mat::zeros(2 * n, 2 * n);
    for j in 0..n {
        for (at, [x, v]) in [(j, [1.0, 0.0]), (n + j, [0.0, FREQUENCY])] {
            let mut state = model.state_at_rest();
            state.x[j] += x;
            state.v[j] += v;
            // Every state comes from outside.
            ours.forget();
            let end = steps(&mut *ours, model, &state, h, 1);
            for i in 0..n {
                propagator[(i, at)] = end.x[i] - still.x[i];
                propagator[(n + i, at)] = (end.v[i] - still.v[i]) / FREQUENCY;
            }
        }
    }
    propagator.eigenvalues().unwrap().iter().map(|z| z.re.hypot(z.im)).fold(0.0, f64::max)
}

#[test]
fn the_radius_is_that_of_the_propagator() {
    let step = 0.05;
    for ratio in [10, 40] {
        let model = tip(LINEAR, ratio);
        for coupling in COUPLINGS {
            let (told, known) = (radius(&model, step, coupling), radius_of_propagator(&model, step, coupling));
            println!("m = {ratio}: {told:.12}, by the propagator {known:.12}, apart {:.1e}", (told - known).abs());
            assert!((told - known).abs() < 1e-7, "m = {ratio}: {told} is not {known}");
        }
    }
}

#[test]
fn the_sum_of_interpolated_velocities_would_grow() {
    // Two cells with a heavy tip: the other momentum-conserving motion of the rest, at ten small steps.
    let mut blueprint = crate::problems::bar::bar([2, 1, 1], "linear", &[]);
    blueprint.node_masses = between(&blueprint, 0.2, 0.2).into_iter().map(|i| (i, 50.0)).collect();
    let model = with(blueprint, &[(0.2, 0.2, 10)]).build().unwrap();
    let n = model.dofs();
    let radius = |rule: Rule, h: f64| {
        let mut propagator = Mat::zeros(2 * n, 2 * n);
        for j in 0..2 * n {
            let mut state = model.state_at_rest();
            if j < n {
                state.x[j] += 1.0
            } else {
                state.v[j - n] += 1.0 / h
            }
            let end = by_brute_force(&model, &state, h, rule);
            for i in 0..n {
                propagator[(i, j)] = end.x[i] - model.rest()[i];
                propagator[(n + i, j)] = h * end.v[i];
            }
        }
        propagator.eigenvalues().unwrap().iter().map(|z| z.re.hypot(z.im)).fold(0.0, f64::max)
    };
    let most = |rule: Rule| [0.03, 0.1, 0.3].map(|h| radius(rule, h)).into_iter().fold(0.0, f64::max);
    let [straight, interpolated] = [Rule::Straight, Rule::Interpolated].map(most);
    println!("straight {straight:.4}, by interpolated velocities {interpolated:.4}");
    assert!(straight < 1.0 && interpolated > 1.1, "{straight} {interpolated}");
}

#[test]
fn steps_that_make_energy_are_stopped_with_that_cause() {
    let step = 0.05;
    let run_by = |made: Made, ratio: usize, forgets_every: usize, coupling: Coupling| {
        let model = tip(made, ratio);
        let mut state = thrown(&model);
        let mut ours = coupled(&model, coupling);
        (0..1000).try_for_each(|k| {
            if k % forgets_every == 0 {
                ours.forget();
            }
            ours.step(&model, &mut state, step).map(|_| ())
        })
    };
    let run = |made, ratio, forgets_every| run_by(made, ratio, forgets_every, Coupling::Paper);
    run_by(LINEAR, 40, 1000, Coupling::Conserving).unwrap();
    for (made, ratio) in [(LINEAR, 5), (LINEAR, 10), (CONSISTENT, 10), (DAMPED, 40)] {
        run(made, ratio, 1000).unwrap_or_else(|error| panic!("m = {ratio}: {error}"));
    }
    // A change of the state from outside hides one step each time, and not the others.
    let is_growing = |error: StepError| matches!(error, StepError::Growing { ratio: 40, .. });
    assert!(run(LINEAR, 40, 2).is_err_and(is_growing));
    let error = run(LINEAR, 40, 1000).unwrap_err();
    assert!(matches!(error, StepError::Growing { ratio: 40, made, most } if made < most), "{error}");
    assert!(error.to_string().contains("lower the ratio to 10 or less"), "{error}");
}

#[test]
fn a_pull_that_ends_is_no_energy_of_the_steps() {
    let mut blueprint = bar(LINEAR);
    let nodes = between(&blueprint, 0.7, 0.8);
    let profile = Profile::Pulse { start: 0.0213, duration: 0.1, period: f64::INFINITY };
    blueprint.loads = vec![LoadPart { nodes, basis: Basis::Total, direction: [0.0, 50.0, 0.0], profile }];
    let model = with(blueprint, &[(TIP.0, TIP.1, 8)]).build().unwrap();
    let end = steps(&mut *asynchronous(&model), &model, &model.state_at_rest(), STEP, 300);
    assert!(model.kinetic(&end) > 0.0);
}
