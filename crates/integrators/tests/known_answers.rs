//! Answers known from mechanics: free fall, stretch, patch test, beams.

mod problems;
mod side_by_side;
mod viscous;

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use integrators::{LineariseAt, Options, parameters};
use model::energy::Stiffness;
use model::load::Profile;
use model::material::{Law, MATERIALS, sample};
use model::script::Motion;
use model::{Basis, Blueprint, LoadPart, Model, State};
use numerics::blocks::BlockMatrix;
use numerics::linear::{Cholesky, LinearSolver};
use problems::*;
use std::sync::Arc;

#[test]
fn free_fall() {
    let mut blueprint = solid(cuboid([0.2, 0.1, 0.1], [2, 1, 1]), "neo-hookean", 1e5, 0.3, 1000.0);
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    let model = blueprint.build().unwrap();
    let start = model.state_at_rest();
    let (duration, steps) = (0.5, 100);
    for (method, options) in variants(&tight()) {
        // Explicit methods need smaller steps to stay stable, but fall the same way.
        let steps = if method.family != integrators::Family::Explicit { steps } else { 20 * steps };
        let h = duration / steps as f64;
        let end = run(method, &options, &model, &start, duration, steps).unwrap();
        // First-order methods move with the velocity at the end of the step or substep; siere has the translations among
        // its modes.
        let late = match method.family {
            integrators::Family::PositionBased => h / options.get(&parameters::SUBSTEPS) as f64,
            integrators::Family::Exponential => 0.0,
            _ if method.order == 1 => h,
            _ => 0.0,
        };
        let fallen = 0.5 * GRAVITY[2] * duration * (duration + late);
        for (i, (x, v)) in end.x.chunks(3).zip(end.v.chunks(3)).enumerate() {
            assert!((x[2] - start.x[3 * i + 2] - fallen).abs() < 1e-9, "{}: {:?}", method.name, x);
            assert!((v[2] - GRAVITY[2] * duration).abs() < 1e-8, "{}: {:?}", method.name, v);
        }
    }
}

/// A twisted, moving bar, held, shaken or free, under loads that change.
fn wrung(material: &str, edit: impl FnOnce(&mut Blueprint)) -> (Model, State) {
    let mut blueprint = solid(cuboid([0.3, 0.1, 0.1], [3, 1, 2]), material, 1e5, 0.4, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.stiffness = Stiffness::Exact;
    let nodes = group(&blueprint.mesh, "x+");
    let profile = Profile::Pulse { start: 0.015, duration: 1.0, period: 10.0 };
    let pulse = LoadPart { nodes, basis: Basis::Mass, direction: [3.0, 20.0, 0.0], profile };
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY), pulse];
    edit(&mut blueprint);
    let model = blueprint.build().unwrap();
    let mut state = model.state_at_rest();
    for (k, (x, v)) in state.x.chunks_mut(3).zip(state.v.chunks_mut(3)).enumerate().take(model.free_nodes()) {
        let ((s, c), k) = ((3.0 * x[0]).sin_cos(), k as f64);
        let (y, z) = (x[1] - 0.05, x[2] - 0.05);
        x.copy_from_slice(&[0.9 * x[0], 0.05 + c * y - s * z, 0.05 + s * y + c * z]);
        v.copy_from_slice(&[0.5 * k.sin(), (2.0 * k).cos(), 0.7 * (3.0 * k).sin()]);
    }
    (model, state)
}

/// Returns backward Euler's velocity after one Newton iteration from v+ = v, by dense matrices.
fn one_newton_iteration(model: &Model, state: &State, h: f64) -> Vec<f64> {
    let (n, t) = (model.dofs(), state.t + h);
    let State { mut x, mut v, .. } = state.clone();
    (0..n).for_each(|i| x[i] += h * v[i]);
    model.place(t, &mut x, &mut v);
    // Residual M (v+ - v) - h f(t + h, x + h v+, v+) there; by products of elements, without matrices of the model.
    let mut force = vec![0.0; n];
    model.force(t, &x, &v, &mut force);
    // Its derivative with respect to v+, column by column.
    let column = |j: usize| -> Vec<f64> {
        let (mut unit, mut a) = (vec![0.0; x.len()], vec![0.0; n]);
        unit[j] = 1.0;
        let damping = model.damping();
        model.mass().multiply_add(1.0 + h * damping.mass, &unit[..n], &mut a);
        model.add_stiffness_times(h * h, &x, &unit, &mut a);
        let place = if damping.at_rest.is_some() { model.rest() } else { &x };
        model.add_stiffness_times(h * damping.stiffness, place, &unit, &mut a);
        a
    };
    let columns: Vec<Vec<f64>> = (0..n).map(column).collect();
    let a = Mat::from_fn(n, n, |i, j| columns[j][i]);
    let dv = a.partial_piv_lu().solve(Mat::from_fn(n, 1, |i, _| h * force[i]));
    (0..n).map(|i| state.v[i] + dv[(i, 0)]).collect()
}

#[test]
fn linearised_at_the_predicted_place_is_one_newton_iteration_of_backward_euler() {
    let cases = [
        ("undamped", wrung("neo-hookean", |_| {})),
        ("isochoric, free", wrung("neo-hookean-isochoric", |b| b.fixed.clear())),
        ("damped", wrung("neo-hookean", |b| b.damping = [0.4, 0.003])),
        ("damped at rest", wrung("stvk", |b| (b.damping, b.damp_at_rest) = ([0.4, 0.003], true))),
        ("consistent mass", wrung("corotational", |b| (b.consistent_mass, b.damping) = (true, [0.4, 0.003]))),
        ("projected", wrung("neo-hookean", |b| (b.stiffness, b.damping) = (Stiffness::Projected, [0.0, 0.003]))),
    ];
    let shaken = [false, true].map(|damp_at_rest| {
        let shake = Motion::Shake { amplitude: [0.01, 0.02, 0.01], frequency: 3.0, start: 0.0, end: 10.0 };
        let edit = |b: &mut Blueprint| {
            b.scripts = vec![(std::mem::take(&mut b.fixed), shake)];
            (b.damping, b.damp_at_rest) = ([0.4, 0.003], damp_at_rest);
        };
        ("shaken and damped", wrung("stable-neo-hookean", edit))
    });
    let h = 0.01;
    for (name, (model, mut start)) in cases.into_iter().chain(shaken) {
        start.t = 0.01; // the pulse begins within the step
        let mut scripted = start.clone();
        model.place(start.t, &mut scripted.x, &mut scripted.v);
        let expected = one_newton_iteration(&model, &scripted, h);
        let size = expected.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        for (method, options) in
            variants_of("linearly-implicit-euler", &tight().with(&parameters::SOLVER_TOLERANCE, 1e-13))
        {
            let mut state = scripted.clone();
            make(method, &model, &options).step(&model, &mut state, h).unwrap();
            let off = expected.iter().zip(&state.v).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / size;
            let label = label(method, &options);
            println!("{name}, {label}: {off:.1e}");
            match options.get(&parameters::LINEARISE_AT) {
                LineariseAt::Predicted => assert!(off < 1e-12, "{name}, {label}: off by {off:e}"),
                // The other form differs, so the test can tell them apart.
                LineariseAt::Current => assert!(off > 1e-3, "{name}, {label}: off by {off:e}"),
            }
            let moved = (0..model.dofs()).all(|i| (state.x[i] - scripted.x[i] - h * state.v[i]).abs() < 1e-15);
            assert!(moved && state.t == start.t + h, "{name}, {label}");
        }
    }
}

#[test]
fn on_a_linear_body_it_is_backward_euler() {
    let (model, start) = wrung("linear", |b| (b.damping, b.damp_at_rest) = ([0.4, 0.003], true));
    let expected = run(method("backward-euler"), &direct(), &model, &start, 0.1, 10).unwrap();
    for (method, options) in variants_of("linearly-implicit-euler", &tight()) {
        let end = run(method, &options, &model, &start, 0.1, 10).unwrap();
        let off = distance(&end, &expected) / distance(&start, &expected);
        assert!(off < 1e-10, "{}: off by {off:e}", label(method, &options));
    }
}

/// Returns the force of a bar at its end, stretched along x and contracted across [N].
fn pull(material: Arc<dyn Law>, along: f64, across: f64) -> f64 {
    let mesh = cuboid([1.0, 0.2, 0.3], [3, 2, 2]);
    let end = group(&mesh, "x+");
    let mut blueprint = solid(mesh, "linear", 1.0, 0.3, 1000.0);
    blueprint.solids[0].material = material;
    let model = blueprint.build().unwrap();
    let x: Vec<f64> = model.rest().chunks(3).flat_map(|x| [along * x[0], across * x[1], across * x[2]]).collect();
    let mut f = vec![0.0; model.dofs()];
    model.static_force(0.0, &x, &mut f);
    -end.iter().map(|&i| f[3 * model.number(i as usize)]).sum::<f64>()
}

#[test]
fn uniform_stretch() {
    let (young, poisson, area, strain) = (1e5, 0.3, 0.06, 1e-7);
    for facts in MATERIALS.iter().filter(|facts| facts.isotropic) {
        let material = sample(facts.name, young, poisson).unwrap();
        // ARAP keeps the shear modulus and has lambda = 0: E = 2 mu and no lateral contraction.
        let (young, poisson) = if facts.name == "arap" { (young / (1.0 + poisson), 0.0) } else { (young, poisson) };
        let pull = pull(material, 1.0 + strain, 1.0 - poisson * strain);
        let expected = young * area * strain;
        assert!((pull / expected - 1.0).abs() < 1e-5, "{}: {pull:e} is not {expected:e}", facts.name);
    }
    // Far from rest the lateral stress vanishes at mu (s - 1/s) + lambda ln(l s^2) / s = 0.
    let (mu, lambda) = (young / 2.6, young * poisson / (1.3 * 0.4));
    let along: f64 = 1.7;
    let lateral = |s: f64| mu * (s - 1.0 / s) + lambda * (along * s * s).ln() / s;
    let (mut low, mut high) = (0.2, 1.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if lateral(middle) > 0.0 { high = middle } else { low = middle }
    }
    let expected = area * (mu * (along - 1.0 / along) + lambda * (along * low * low).ln() / along);
    let pull = pull(sample("neo-hookean", young, poisson).unwrap(), along, low);
    assert!((pull / expected - 1.0).abs() < 1e-12, "{pull} is not {expected}");
}

#[test]
fn patch_test() {
    // An affine map of an irregular mesh leaves every inner node without force, in every material.
    let mut mesh = cuboid([1.0, 1.0, 1.0], [3, 3, 3]);
    let inner = |p: &[f64; 3]| p.iter().all(|c| *c > 0.01 && *c < 0.99);
    for (k, p) in mesh.points.iter_mut().enumerate().filter(|(_, p)| inner(p)) {
        *p = [p[0] + 0.08 * (k as f64).sin(), p[1] + 0.08 * (3.0 * k as f64).cos(), p[2] - 0.06 * (k as f64).cos()];
    }
    for facts in MATERIALS {
        let mut blueprint = solid(mesh.clone(), facts.name, 1e5, 0.3, 1000.0);
        blueprint.fixed = (0..mesh.points.len() as u32).filter(|&i| !inner(&mesh.points[i as usize])).collect();
        let model = blueprint.build().unwrap();
        let map = |x: &[f64]| {
            [1.2 * x[0] + 0.3 * x[1] + 0.4, 0.9 * x[1] - 0.2 * x[2], 0.1 * x[0] + 1.1 * x[2] - 0.2 * x[1] + 0.1]
        };
        let x: Vec<f64> = model.rest().chunks(3).flat_map(map).collect();
        let mut f = vec![0.0; model.dofs()];
        model.static_force(0.0, &x, &mut f);
        let largest = f.iter().fold(0.0_f64, |m, f| m.max(f.abs()));
        assert!(model.free_nodes() == 8 && largest < 1e-9, "{}: {largest:e} N", facts.name);
    }
}

/// A bar of length 1 and square section 1/20, clamped at x = 0, `n` cubic cells across.
fn cantilever(n: usize, material: &str) -> model::Blueprint {
    let mesh = cuboid([1.0, 0.05, 0.05], [20 * n, n, n]);
    let mut blueprint = solid(mesh, material, 1e7, 0.3, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint
}

/// Computes the lowest frequencies [rad/s], by subspace iteration with the factor of K.
fn lowest_frequencies(model: &Model, count: usize) -> Vec<f64> {
    let mut k = BlockMatrix::zeros(model.pattern().clone());
    model.stiffness(Stiffness::Exact, model.rest(), &mut k);
    let mut solver = Cholesky::new(model.pattern()).unwrap();
    solver.prepare(&k).unwrap();
    let n = model.dofs();
    let wide = count + 4;
    let mut block: Vec<f64> = (0..n * wide).map(|i| ((i * i) as f64 * 0.7).sin()).collect();
    let mut values = Vec::new();
    for _ in 0..30 {
        let mut image = vec![0.0; n * wide];
        for (x, y) in block.chunks(n).zip(image.chunks_mut(n)) {
            model.mass().multiply_add(1.0, x, y);
        }
        let m_old = image.clone();
        solver.solve(&k, &mut image, wide).unwrap();
        // Rayleigh-Ritz with the new block Y = K^-1 M X: Y^T K Y = Y^T M X.
        let column = |a: &[f64], j: usize| a[j * n..(j + 1) * n].to_vec();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let stiff = faer::Mat::from_fn(wide, wide, |i, j| dot(&column(&image, i), &column(&m_old, j)));
        let mass = faer::Mat::from_fn(wide, wide, |i, j| model.mass().inner(&column(&image, i), &column(&image, j)));
        // Whitened by the stiffness, the largest eigenvalues of the mass are the lowest frequencies.
        let l = stiff.llt(Side::Lower).unwrap().L().to_owned();
        let mut whitened = mass.clone();
        faer::linalg::triangular_solve::solve_lower_triangular_in_place(l.as_ref(), whitened.as_mut(), faer::Par::Seq);
        let mut whitened = whitened.transpose().to_owned();
        faer::linalg::triangular_solve::solve_lower_triangular_in_place(l.as_ref(), whitened.as_mut(), faer::Par::Seq);
        let eigen = whitened.self_adjoint_eigen(Side::Lower).unwrap();
        let mut vectors = eigen.U().to_owned();
        faer::linalg::triangular_solve::solve_upper_triangular_in_place(
            l.transpose(),
            vectors.as_mut(),
            faer::Par::Seq,
        );
        values = (0..wide).rev().map(|i| eigen.S()[i].recip().sqrt()).collect();
        for j in 0..wide {
            for i in 0..n {
                block[j * n + i] = (0..wide).map(|c| image[c * n + i] * vectors[(c, j)]).sum();
            }
        }
    }
    values.truncate(count);
    values
}

#[test]
fn cantilever_frequencies_converge_to_euler_bernoulli() {
    // omega = b^2 sqrt(E I / (rho A L^4)); two modes each, across y and across z.
    let stiffness = (1e7_f64 * 0.05 * 0.05 / 12.0 / 1000.0).sqrt();
    let expected = [1.875_104_07_f64, 4.694_091_13].map(|b| b * b * stiffness);
    let errors = [2, 4, 8].map(|n| {
        let found = lowest_frequencies(&cantilever(n, "linear").build().unwrap(), 4);
        println!("{n} cells across: {found:?}, expected {expected:?}");
        [found[0] / expected[0] - 1.0, found[2] / expected[1] - 1.0]
    });
    for mode in 0..2 {
        let [coarse, middle, fine] = errors.map(|e| e[mode]);
        assert!(coarse > 0.0 && middle > 0.0, "a mesh of linear tets is too stiff, not too soft");
        assert!(coarse / middle > 2.5 && (middle - fine) / (coarse - middle) < 0.4, "{coarse} {middle} {fine}");
        // Extrapolated to a finer mesh from the last two; slender-beam theory itself is off by (t/L)^2.
        let extrapolated = fine - (middle - fine) / 3.0;
        assert!(extrapolated.abs() < 0.012, "mode {mode}: {extrapolated}");
    }
}

/// Returns tip deflections w/L of the cantilever under growing tip loads P L^2 / (E I).
fn deflections(n: usize, loads: &[f64]) -> Vec<f64> {
    let inertia = 0.05_f64.powi(4) / 12.0;
    let mut state: Option<State> = None;
    loads
        .iter()
        .map(|load| {
            let mut blueprint = cantilever(n, "st-venant-kirchhoff");
            let tip = group(&blueprint.mesh, "x+");
            let force = [0.0, 0.0, -load * 1e7 * inertia];
            blueprint.loads = vec![LoadPart {
                nodes: tip.clone(),
                basis: Basis::Total,
                direction: force,
                profile: Profile::Constant,
            }];
            let model = blueprint.build().unwrap();
            // Backward Euler with steps far above every period: inertia vanishes, statics is left.
            let mut now = state.take().unwrap_or_else(|| model.state_at_rest());
            let options = Options::default()
                .with(&parameters::TOLERANCE, 1e-8)
                .with(&parameters::ITERATIONS, 200)
                .with(&parameters::HESSIAN_CORRECTION, true);
            let mut stepper = make(method("backward-euler"), &model, &options);
            for _ in 0..3 {
                now.v.fill(0.0);
                stepper.step(&model, &mut now, 1e3).unwrap();
            }
            let mean =
                |x: &[f64]| tip.iter().map(|&i| x[3 * model.number(i as usize) + 2]).sum::<f64>() / tip.len() as f64;
            let deflection = mean(model.rest()) - mean(&now.x);
            state = Some(now);
            deflection
        })
        .collect()
}

#[test]
fn elastica_under_a_tip_load() {
    let loads = [1.0, 2.0, 5.0, 10.0];
    let expected = [0.30172, 0.49346, 0.71379, 0.81061];
    let [coarse, middle, fine] = [2, 4, 6].map(|n| deflections(n, &loads));
    println!("2, 4, 6 cells across: {coarse:?} {middle:?} {fine:?}, expected {expected:?}");
    for k in 0..4 {
        let [coarse, middle, fine] = [&coarse, &middle, &fine].map(|w| w[k]);
        let error = |w: f64| expected[k] / w - 1.0;
        assert!(error(coarse) > 2.0 * error(middle) && error(middle) > 1.5 * error(fine) && error(fine) > 0.0);
        // Tets add a stiffness that falls with the square of the cell size: extrapolated from 4 and 6 cells.
        let limit = 1.0 / (1.0 / fine - (1.0 / middle - 1.0 / fine) * 16.0 / 20.0);
        assert!(error(limit).abs() < 0.005, "load {}: {limit} is not {}", loads[k], expected[k]);
    }
}
