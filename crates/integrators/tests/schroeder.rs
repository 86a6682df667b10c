//! The asynchronous scheme of 2011 against its equations, and against other methods where regions are nothing or
//! everything.

mod problems;

use faer::Mat;
use faer::linalg::solvers::Solve;
use integrators::{Options, Stepper};
use model::energy::{Configuration, Term};
use model::load::Profile;
use model::script::Motion;
use model::{Basis, Blueprint, LoadPart, Model, State};
use numerics::blocks::BlockMatrix;
use problems::bar::{SHORT, Span, TIP, TWO, apart, assert_same_bits, steps, thrown, with};
use problems::*;

const STEP: f64 = 2e-3;

/// A short bar with a tip of 1e6 Pa.
fn bar(material: &str, damping: [f64; 2]) -> Blueprint {
    let mut blueprint = problems::bar::bar(SHORT, material, &[(TIP.0, f64::INFINITY, 1e6, 1000.0)]);
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    blueprint.damping = damping;
    blueprint
}

fn cut(material: &str, damping: [f64; 2], regions: &[Span]) -> Model {
    with(bar(material, damping), regions).build().unwrap()
}

fn tip(material: &str, damping: [f64; 2], ratio: usize) -> Model {
    cut(material, damping, &[(TIP.0, TIP.1, ratio)])
}

fn schroeder(model: &Model) -> Box<dyn Stepper> {
    make(method("schroeder"), model, &Options::default())
}

/// Takes one step by the equations of the scheme, with dense matrices and sums over single elements.
fn by_brute_force(model: &Model, state: &State, h: f64) -> State {
    let n = model.dofs();
    let way: Vec<f64> = state.v.iter().map(|v| h * v).collect();
    let at = Configuration { x: &state.x, way: &way, inertia: &[] };
    let dense = |terms: &[Box<dyn Term>]| {
        let mut k = BlockMatrix::zeros(model.pattern().clone());
        terms.iter().for_each(|term| term.add_stiffness(model.stiffness_kind(), at, &mut k));
        Mat::from_fn(n, n, |i, j| k.block(i / 3, j / 3)[i % 3][j % 3])
    };
    let force = |terms: &[Box<dyn Term>], x: &[f64]| {
        let mut f = vec![0.0; n];
        terms.iter().for_each(|term| term.add_force(x, &mut f));
        Mat::from_fn(n, 1, |i, _| f[i])
    };
    let mut weight = vec![0.0; n];
    model.load_force(state.t + h, &mut weight);
    let weight = Mat::from_fn(n, 1, |i, _| weight[i]);
    let mass = Mat::from_fn(n, n, |i, j| if i == j { model.node_mass()[i / 3] } else { 0.0 });
    let (alpha, beta) = (model.damping().mass, model.damping().stiffness);
    let regions = model.regions();
    let is_in = |r: usize, i: usize| regions[r].nodes.contains(&(i as u32 / 3));
    let step = |i: usize| (0..regions.len()).find(|&r| is_in(r, i)).map_or(h, |r| h / regions[r].ratio as f64);
    let (mut x, mut v) = (state.x.clone(), Mat::from_fn(n, 1, |i, _| state.v[i]));
    // M + sum of steps times D, and the push of the last small steps.
    let mut damping = Mat::from_fn(n, n, |i, j| if i == j { alpha * step(i) * mass[(i, i)] } else { 0.0 });
    let mut push = Mat::zeros(n, 1);
    for (r, region) in regions.iter().enumerate() {
        let (own, s) = (model.terms_within(r), h / region.ratio as f64);
        let matrix = &mass + faer::Scale(s) * (faer::Scale(alpha) * &mass + faer::Scale(beta) * dense(&own));
        for _ in 1..region.ratio {
            let rhs = &mass * &v + faer::Scale(s) * (force(&own, &x) + &weight);
            let new = matrix.partial_piv_lu().solve(rhs);
            for i in (0..n).filter(|&i| is_in(r, i)) {
                v[(i, 0)] = new[(i, 0)];
                x[i] += s * new[(i, 0)];
            }
        }
        damping += faer::Scale(s * beta) * dense(&own);
        push += faer::Scale(s) * force(&own, &x);
    }
    let between = model.terms_between();
    let k = dense(&between);
    damping += faer::Scale(h * beta) * &k;
    push += faer::Scale(h) * force(&between, &state.x);
    push += Mat::from_fn(n, 1, |i, _| step(i) * weight[(i, 0)]);
    let end = (&mass + damping + faer::Scale(h * h) * k).partial_piv_lu().solve(&mass * &v + push);
    let mut state = state.clone();
    for i in 0..n {
        state.v[i] = end[(i, 0)];
        state.x[i] = x[i] + step(i) * end[(i, 0)];
    }
    state
}

#[test]
fn a_step_solves_the_equations_of_the_scheme() {
    for (material, damping) in [("linear", [0.0; 2]), ("linear", [0.3, 1e-3]), ("corotational", [0.3, 1e-3])] {
        let regions: [&[_]; 2] = [&[(TIP.0, TIP.1, 4)], &TWO];
        for model in regions.map(|regions| cut(material, damping, regions)) {
            let mut ours = schroeder(&model);
            let before = steps(&mut *ours, &model, &thrown(&model), STEP, 1);
            let after = steps(&mut *ours, &model, &before, STEP, 1);
            let gap = apart(&after, &by_brute_force(&model, &before, STEP), &before);
            println!("{material}, {damping:?}: apart by {gap:.1e}");
            assert!(gap < 1e-12, "{material}, {damping:?}: {gap:e}");
        }
    }
}

#[test]
fn without_regions_it_is_linearly_implicit_euler() {
    for material in ["linear", "neo-hookean"] {
        let mut blueprint = bar(material, [0.3, 1e-3]);
        blueprint.scripts = vec![(
            std::mem::take(&mut blueprint.fixed),
            Motion::Shake { amplitude: [0.0, 0.02, 0.03], frequency: 10.0, start: 0.0, end: 10.0 },
        )];
        let model = blueprint.build().unwrap();
        let start = thrown(&model);
        let ours = steps(&mut *schroeder(&model), &model, &start, STEP, 3);
        let mut euler = make(method("linearly-implicit-euler"), &model, &direct());
        let gap = apart(&ours, &steps(&mut *euler, &model, &start, STEP, 3), &start);
        assert!(gap < 1e-11, "{material}: {gap:e}");
    }
}

#[test]
fn everything_in_a_region_is_small_explicit_steps() {
    for material in ["linear", "neo-hookean"] {
        let model = cut(material, [0.0; 2], &[(0.0, 0.8, 4)]);
        let start = thrown(&model);
        let ours = steps(&mut *schroeder(&model), &model, &start, STEP, 3);
        let mut explicit = make(method("symplectic-euler"), &model, &Options::default());
        let gap = apart(&ours, &steps(&mut *explicit, &model, &start, STEP / 4.0, 12), &start);
        assert!(gap < 1e-12, "{material}: {gap:e}");
    }
    // The same with all of it damped implicitly: the damping of a scripted end follows its velocity.
    let mut blueprint = bar("linear", [0.0, 1e-3]);
    let ends = vec![0.0, 10.0];
    let offsets = vec![[0.0; 3], [3.0, 0.0, 0.0]];
    blueprint.scripts = vec![(std::mem::take(&mut blueprint.fixed), Motion::Keyframes { times: ends, offsets })];
    blueprint.loads.clear();
    let model = with(blueprint, &[(0.0, 0.8, 4)]).build().unwrap();
    let mut start = model.state_at_rest();
    start.v.chunks_mut(3).for_each(|v| v[0] = 0.3);
    let end = steps(&mut *schroeder(&model), &model, &start, STEP, 5);
    let carried = start.x.chunks(3).zip(end.x.chunks(3)).all(|(a, b)| (b[0] - a[0] - 1.5 * STEP).abs() < 1e-13);
    assert!(carried, "what moves along with its end is left alone");
}

#[test]
fn the_order_is_one_and_momentum_is_kept() {
    let model = tip("neo-hookean", [0.3, 1e-3], 3);
    let start = thrown(&model);
    let reference = run(method("rk4"), &tight(), &model, &start, 0.02, 8000).unwrap();
    let error =
        |count: usize| distance(&run(method("schroeder"), &tight(), &model, &start, 0.02, count).unwrap(), &reference);
    let order = (error(400) / error(800)).log2();
    println!("order {order:.3}");
    assert!((order - 1.0).abs() < 0.1, "order {order:.3}");

    let mut blueprint = bar("neo-hookean", [0.0, 1e-3]);
    blueprint.fixed.clear();
    blueprint.loads.clear();
    let model = with(blueprint, &[(0.6, 0.8, 5)]).build().unwrap();
    let start = thrown(&model);
    let end = steps(&mut *schroeder(&model), &model, &start, STEP, 20);
    let [before, after] = [&start, &end].map(|state| model.momentum(&state.v));
    let drift = (0..3).map(|c| (after[c] - before[c]).abs()).fold(0.0, f64::max);
    assert!(drift < 1e-11 * before[0].abs(), "{drift:e} of {before:?}");
}

#[test]
fn same_bits_on_any_number_of_threads_and_after_a_restart() {
    for material in ["linear", "corotational"] {
        let model = cut(material, [0.3, 1e-3], &TWO);
        assert_same_bits(|| schroeder(&model), &model, STEP);
    }
}

#[test]
fn a_linear_body_is_factorised_once() {
    let model = cut("linear", [0.3, 1e-3], &TWO);
    let mut ours = schroeder(&model);
    let mut state = thrown(&model);
    let first = ours.step(&model, &mut state, STEP).unwrap();
    assert_eq!((first.assemblies, first.linear.factorisations), (1, 3));
    let second = ours.step(&model, &mut state, STEP).unwrap();
    // All small steps but the last, which is that of everything.
    assert_eq!((second.assemblies, second.linear.factorisations, second.linear.solves), (0, 0, 4 + 2 + 1));
    assert_eq!((second.forces, second.substeps), (1, 8));
}

/// Returns the largest speed after some steps, over that of the start.
fn grown(model: &Model, name: &str, h: f64, count: usize) -> f64 {
    let start = thrown(model);
    let fastest = |v: &[f64]| v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let mut state = start.clone();
    let mut stepper = make(method(name), model, &Options::default());
    for _ in 0..count {
        if stepper.step(model, &mut state, h).is_err() {
            return f64::INFINITY;
        }
    }
    fastest(&state.v) / fastest(&start.v)
}

#[test]
fn small_steps_above_the_explicit_limit_explode() {
    // The tip alone has frequencies up to about 1700 rad/s: small steps of up to 1.2e-3 s.
    let h = 5e-3;
    assert!(grown(&tip("linear", [0.0, 1e-4], 2), "schroeder", h, 200) > 1e3);
    assert!(grown(&tip("linear", [0.0, 1e-4], 10), "schroeder", h, 200) < 10.0);
    assert!(grown(&tip("linear", [0.0, 1e-4], 2), "asynchronous-backward-euler", h, 200) < 10.0);
}

/// Returns the static deflection of the end of a bar by a long-standing pull on its tip [m].
fn pulled(name: &str, h: f64, ratio: usize) -> f64 {
    let mut blueprint = solid(cuboid([0.8, 0.2, 0.2], [8, 2, 2]), "linear", 1e6, 0.3, 1000.0);
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.damping = [5.0, 1e-4];
    let (nodes, down) = (group(&blueprint.mesh, "x+"), [0.0, 0.0, -10.0]);
    blueprint.loads = vec![LoadPart { nodes, basis: Basis::Total, direction: down, profile: Profile::Constant }];
    let model = with(blueprint, &[(0.6, 0.8, ratio)]).build().unwrap();
    let end = run(method(name), &Options::default(), &model, &model.state_at_rest(), 6.0, (6.0 / h) as usize).unwrap();
    let last: Vec<usize> = (0..model.free_nodes()).filter(|i| model.rest()[3 * i] > 0.79).collect();
    last.iter().map(|i| model.rest()[3 * i + 2] - end.x[3 * i + 2]).sum::<f64>() / last.len() as f64
}

#[test]
fn the_border_is_softer_than_that_of_the_implicit_coupling() {
    // A pulled region runs away from the rest for most of the large step.
    let exact = pulled("asynchronous-backward-euler", 0.01, 1);
    for (h, ratio, least) in [(0.01, 50, 1.05), (0.03, 150, 2.0)] {
        let [old, new] = ["schroeder", "asynchronous-backward-euler"].map(|name| pulled(name, h, ratio) / exact);
        println!("{h} s, m = {ratio}: hangs {old:.3} times as far, with implicit coupling {new:.5}");
        assert!(old > least && (new - 1.0).abs() < 1e-4, "{old} {new}");
    }
}
