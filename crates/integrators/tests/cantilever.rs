//! Small steps on a stiff beam: stable with few substeps; many substeps reach the static answer, many passes do not.

mod problems;

use integrators::{Options, StepError, StepReport, parameters};
use model::Model;
use numerics::linear::SolverKind;
use numerics::mat3::{norm, sub};
use problems::*;

const FRAME: f64 = 1.0 / 60.0;

fn chosen(substeps: usize, passes: usize) -> Options {
    Options::default().with(&parameters::SUBSTEPS, substeps).with(&parameters::PASSES, passes)
}

/// A beam of 2 m and 480 tets, E = 1e7 Pa, clamped at one end under gravity; and the index of its tip's height.
fn cantilever(material: &str, damping: f64) -> (Model, usize) {
    let mut blueprint = solid(cuboid([2.0, 0.2, 0.2], [20, 2, 2]), material, 1e7, 0.45, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    blueprint.damping = [damping, 0.0];
    let end = group(&blueprint.mesh, "x+")[0] as usize;
    let model = blueprint.build().unwrap();
    let tip = 3 * model.number(end) + 2;
    (model, tip)
}

/// Linearly implicit steps by conjugate gradients of at most this many iterations.
fn gradients(most: usize) -> Options {
    Options::default().with(&parameters::SOLVER, SolverKind::Pcg).with(&parameters::SOLVER_ITERATIONS, most)
}

#[test]
fn capped_iterations_are_taken_as_they_are_and_counted() {
    let (model, tip) = cantilever("corotational", 10.0);
    let hangs = |most: usize| {
        let mut stepper = make(method("linearly-implicit-euler"), &model, &gradients(most));
        let mut state = model.state_at_rest();
        let mut work = StepReport::default();
        (0..180).for_each(|_| work.add(&stepper.step(&model, &mut state, FRAME).unwrap()));
        (state, work)
    };
    let (whole, free) = hangs(0);
    let (same, roomy) = hangs(1000);
    assert!(
        (free.linear.capped, roomy.linear.capped) == (0, 0) && same == whole,
        "a cap that is not reached does nothing"
    );
    let (short, few) = hangs(5);
    assert_eq!((few.linear.solves, few.linear.capped, few.linear.iterations), (180, 180, 5 * 180));
    assert!(short.x.iter().all(|x| x.is_finite()));
    let fallen = [&whole, &short].map(|state| state.x[tip] - model.state_at_rest().x[tip]);
    println!("whole solves hang at {:.4} m, 5 iterations at {:.4} m", fallen[0], fallen[1]);
    assert!((fallen[1] / fallen[0] - 1.0).abs() > 0.01, "five iterations cannot suffice: {fallen:?}");
}

#[test]
fn few_substeps_are_survived() {
    for material in ["stable-neo-hookean", "neo-hookean"] {
        let (model, tip) = cantilever(material, 0.0);
        for (substeps, passes) in [(1, 100), (5, 1), (20, 1), (100, 1)] {
            let mut stepper = make(method("small-steps"), &model, &chosen(substeps, passes));
            let mut state = model.state_at_rest();
            let (start, mut lowest) = (state.x[tip], 0.0_f64);
            let failed = (0..90).find_map(|_| {
                let outcome = stepper.step(&model, &mut state, FRAME);
                lowest = lowest.min(state.x[tip] - start);
                outcome.err()
            });
            let fastest = state.v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
            println!(
                "{material}, {substeps} x {passes}: {lowest:.4} m at most, {fastest:.2} m/s at the end, {failed:?}"
            );
            match failed {
                // Where elements invert with five substeps, a material without an energy there reports it.
                Some(StepError::Inverted { .. }) => assert!((material, substeps) == ("neo-hookean", 5)),
                Some(error) => panic!("{material}, {substeps} x {passes}: {error}"),
                None => assert!(lowest > -2.2 && (fastest < 5.0 || substeps == 5), "{lowest} m, {fastest} m/s"),
            }
        }
    }
}

#[test]
fn substeps_reach_the_static_answer_and_passes_sag() {
    for material in ["stable-neo-hookean", "corotational"] {
        // Critically damped, so that it comes to rest in equilibrium.
        let (model, tip) = cantilever(material, 10.0);
        let rest = model.state_at_rest();
        let sag = |name: &str, options: &Options| {
            let end = run(method(name), options, &model, &rest, 3.0, 180).unwrap();
            end.x[tip] - rest.x[tip]
        };
        let still = sag("backward-euler", &tight());
        let [coarse, fine] = [100, 200].map(|substeps| sag("small-steps", &chosen(substeps, 1)));
        let passes = sag("small-steps", &chosen(1, 100));
        let capped = sag("linearly-implicit-euler", &gradients(100));
        println!(
            "{material}: static {still:.5} m, 100 x 1 {coarse:.5} m, 200 x 1 {fine:.5} m, 1 x 100 {passes:.5} m, linearly \
             implicit with 100 iterations {capped:.5} m"
        );
        assert!((capped / still - 1.0).abs() < 1e-3, "{material}: 100 iterations hang at {capped} m, not {still} m");
        // At rest with one pass the sag is too large by a multiple of g dt^2, as for a chain.
        let order = ((coarse - still) / (fine - still)).log2();
        assert!((order - 2.0).abs() < 0.1, "{material}: order {order}");
        assert!((coarse / still - 1.0).abs() < 0.025, "{material}: 100 substeps hang at {coarse} m, not {still} m");
        assert!(passes / still > 1.5, "{material}: 100 passes hang at {passes} m, {still} m is right");
    }
}

#[test]
fn a_free_spin_is_kept_the_better_the_smaller_the_steps() {
    // Every block conserves linear momentum to rounding. A block solved for its stress bounds its twist by a modulus,
    // and conserves angular momentum to the order of the method.
    let model = solid(cuboid([1.0, 0.2, 0.2], [10, 2, 2]), "stable-neo-hookean", 1e6, 0.4, 1000.0).build().unwrap();
    let mut start = model.state_at_rest();
    for (x, v) in start.x.chunks(3).zip(start.v.chunks_mut(3)) {
        v.copy_from_slice(&[-5.0 * (x[1] - 0.1), 5.0 * (x[0] - 0.5), 0.0]);
    }
    let before = model.angular_momentum(&start);
    let lost = |substeps: usize| {
        let end = run(method("small-steps"), &chosen(substeps, 1), &model, &start, 1.0, 60).unwrap();
        norm(sub(model.angular_momentum(&end), before)) / norm(before)
    };
    let [coarse, fine, finest] = [10, 20, 40].map(lost);
    println!("lost of the spin in 1 s: {coarse:.2e}, {fine:.2e}, {finest:.2e}");
    assert!(coarse < 0.1 && fine < 0.6 * coarse && finest < 0.6 * fine);
}
