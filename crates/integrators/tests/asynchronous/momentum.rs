//! Bodies that nothing holds: momentum and free fall.

use crate::bars::*;
use crate::problems::bar::{SHORT, Span, apart, steps, thrown, with};
use crate::problems::*;
use integrators::Coupling;
use model::{Model, State};

/// One, two and three regions, with as many ratios.
const REGIONS: [&[Span]; 3] =
    [&[(0.6, 0.8, 5)], &[(0.6, 0.8, 5), (0.1, 0.3, 3)], &[(0.7, 0.8, 10), (0.4, 0.5, 1), (0.0, 0.2, 4)]];

/// A bar of 1e5 Pa that nothing holds, with these regions. With any method, rounding errors of forces grow with the
/// modulus.
fn free(made: Made, regions: &[Span], gravity: bool) -> Model {
    let mut blueprint = crate::problems::bar::bar(SHORT, made.material, &[]);
    blueprint.fixed.clear();
    blueprint.damping = made.damping;
    blueprint.consistent_mass = made.consistent;
    if gravity {
        blueprint.loads = vec![crate::problems::gravity(&blueprint.mesh, GRAVITY)];
    }
    with(blueprint, regions).build().unwrap()
}

/// Returns the least and the largest fall of a node [m].
fn fallen(model: &Model, state: &State) -> [f64; 2] {
    let ways = || (0..model.free_nodes()).map(|i| model.rest()[3 * i + 2] - state.x[3 * i + 2]);
    [ways().fold(f64::INFINITY, f64::min), ways().fold(f64::NEG_INFINITY, f64::max)]
}

#[test]
fn free_fall_is_exact() {
    // Steps of x += h v + theta h dv fall this far in 1 s, with theta for the largest ratio.
    let (g, h) = (-GRAVITY[2], STEP);
    for (regions, largest) in REGIONS.iter().zip([5.0, 5.0, 10.0]) {
        let exact = 0.5 * g * (1.0 + h * (2.0 * (largest + 1.0) / (2.0 * largest) - 1.0));
        for made in
            [LINEAR, Made { damping: [0.0, 1e-3], ..LINEAR }, CONSISTENT, Made { material: "corotational", ..LINEAR }]
        {
            let model = free(made, regions, true);
            let end = steps(&mut *coupled(&model, Coupling::Conserving), &model, &model.state_at_rest(), h, 100);
            let [least, most] = fallen(&model, &end);
            println!("{} regions: {least:.15} to {most:.15} m, exactly {exact:.15}", regions.len());
            assert!((least - exact).abs() < 1e-11 && (most - exact).abs() < 1e-11, "{least} {most} {exact}");
            assert!(end.v.chunks(3).all(|v| (v[2] + g).abs() < 1e-11));
        }
    }
}

#[test]
fn the_scheme_as_printed_strains_a_body_that_falls() {
    let model = free(LINEAR, REGIONS[0], true);
    let fall = |h: f64| {
        let count = (1.0 / h).round() as usize;
        let end = steps(&mut *coupled(&model, Coupling::Paper), &model, &model.state_at_rest(), h, count);
        let mass: f64 = model.node_mass().iter().sum();
        let [least, most] = fallen(&model, &end);
        (most - least, 1.0 + model.momentum(&end.v)[2] / (mass * -GRAVITY[2]))
    };
    let [(strain, lost), (finer, less)] = [STEP, 0.5 * STEP].map(fall);
    println!(
        "strained by {strain:.4} m, {:.2} % of momentum lost; with half the step {finer:.4} m, {:.2} %",
        100.0 * lost,
        100.0 * less
    );
    assert!(strain > 1e-3 && lost > 1e-3, "{strain} {lost}");
    // It converges.
    assert!(finer < 0.7 * strain && less < 0.7 * lost, "{finer} {less}");
}

#[test]
fn momentum_is_conserved_whatever_the_ratios() {
    for regions in REGIONS {
        for made in
            [LINEAR, Made { damping: [0.0, 1e-3], ..LINEAR }, CONSISTENT, Made { material: "neo-hookean", ..LINEAR }]
        {
            let model = free(made, regions, false);
            let start = thrown(&model);
            let drift = |coupling: Coupling| {
                let end = steps(&mut *coupled(&model, coupling), &model, &start, STEP, 50);
                let (before, after) = (model.momentum(&start.v), model.momentum(&end.v));
                let size = before.iter().map(|p| p * p).sum::<f64>().sqrt();
                (0..3).map(|c| (after[c] - before[c]).abs()).fold(0.0, f64::max) / size
            };
            let [kept, printed] = COUPLINGS.map(drift);
            println!("{} regions, {}: {kept:.1e}, as printed {printed:.1e}", regions.len(), made.material);
            assert!(kept < 1e-12, "{kept:e}");
            assert!(printed > 1e-6, "the paper's loses {printed:e}: tell so no more");
        }
    }
}

#[test]
fn a_load_gives_its_whole_impulse() {
    // Alpha damps momentum as one step of backward Euler does.
    let model = free(DAMPED, REGIONS[1], true);
    let end = steps(&mut *coupled(&model, Coupling::Conserving), &model, &model.state_at_rest(), STEP, 100);
    let v = (0..100).fold(0.0, |v, _| (v - STEP * -GRAVITY[2]) / (1.0 + STEP * DAMPED.damping[0]));
    assert!(end.v.chunks(3).all(|found| (found[2] - v).abs() < 1e-11), "{v}: {:?}", &end.v[..3]);
}

#[test]
fn one_small_step_of_a_free_body_is_backward_euler() {
    for made in [LINEAR, BOTH] {
        let model = free(made, &[(0.6, 0.8, 1), (0.1, 0.3, 1)], true);
        let start = thrown(&model);
        let ours = steps(&mut *coupled(&model, Coupling::Conserving), &model, &start, STEP, 10);
        let euler = steps(&mut *stepper("backward-euler", &model, &tight()), &model, &start, STEP, 10);
        let apart = apart(&ours, &euler, &start);
        assert!(apart < 1e-11, "{apart:e}");
    }
}

#[test]
fn a_body_beside_one_that_is_held_falls_alone() {
    // Two bars in one model: the first is held, the second is free; both have a region.
    let mut blueprint = bar(LINEAR);
    let (mesh, first) = (blueprint.mesh.clone(), blueprint.mesh.points.len() as u32);
    blueprint.mesh.points.extend(mesh.points.iter().map(|p| [p[0], p[1] + 1.0, p[2]]));
    let tets = blueprint.mesh.tets.len() as u32;
    blueprint.mesh.tets.extend(mesh.tets.iter().map(|tet| tet.map(|i| i + first)));
    for solid in &mut blueprint.solids {
        let more: Vec<u32> = solid.tets.iter().map(|e| e + tets).collect();
        solid.tets.extend(more);
    }
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    let model = with(blueprint, &[(0.6, 0.8, 5)]).build().unwrap();
    let end = steps(&mut *coupled(&model, Coupling::Conserving), &model, &model.state_at_rest(), STEP, 20);
    let exact = 0.5 * GRAVITY[2] * 0.2 * (0.2 + STEP * 0.2);
    let (mut fell, mut hangs) = (0, 0);
    for i in 0..model.free_nodes() {
        let way = end.x[3 * i + 2] - model.rest()[3 * i + 2];
        let is_second = model.origin(i) as u32 >= first;
        assert_eq!((way - exact).abs() < 1e-12, is_second, "node {}: {way} and {exact}", model.origin(i));
        if is_second { fell += 1 } else { hangs += 1 }
    }
    assert!(fell == first && hangs > 0);
}

#[test]
fn a_body_that_stands_on_the_floor_stays() {
    // In equilibrium nothing pushes a node, and nothing moves within a step either.
    let mut blueprint = bar(DAMPED);
    blueprint.fixed.clear();
    let nodes = (0..blueprint.mesh.points.len() as u32).collect();
    let floor = model::energy::contact::Obstacle::Plane { point: [0.0; 3], normal: [0.0, 0.0, 1.0] };
    blueprint.contacts = vec![(floor, nodes, 2e3)];
    let model = with(blueprint, &[(0.6, 0.8, 5)]).build().unwrap();
    let euler = direct();
    let mut still = steps(&mut *stepper("backward-euler", &model, &euler), &model, &model.state_at_rest(), 0.05, 2000);
    still.v.fill(0.0);
    let end = steps(&mut *coupled(&model, Coupling::Conserving), &model, &still, STEP, 20);
    let moved = distance(&end, &still);
    println!("moved by {moved:.1e} m");
    assert!(moved < 1e-9, "{moved:e}");
}
