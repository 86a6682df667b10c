//! Asynchronous backward Euler against its equations, solved by brute force, and against backward Euler where they agree.

mod problems;

use faer::Mat;
use faer::linalg::solvers::Solve;
use integrators::{ContactStep, Options, StepError, Stepper};
use model::energy::contact::Obstacle;
use model::load::Profile;
use model::material::MaterialKind;
use model::script::Motion;
use model::{Basis, Blueprint, LoadPart, Model, ModelError, Region, RegionError, SolidPart, State};
use numerics::blocks::BlockMatrix;
use problems::*;

const STEP: f64 = 0.01;

/// What a bar is made of.
#[derive(Clone, Copy)]
struct Made {
    material: &'static str,
    damping: [f64; 2],
    consistent: bool,
}

const LINEAR: Made = Made { material: "linear", damping: [0.0; 2], consistent: false };
const DAMPED: Made = Made { damping: [0.3, 1e-3], ..LINEAR };
const CONSISTENT: Made = Made { consistent: true, ..LINEAR };
const BOTH: Made = Made { consistent: true, ..DAMPED };

/// A bar of 8 x 2 x 2 cells of 0.1 m held at x-, of 1e5 Pa, with a tip of 1e7 Pa; 216 unknowns.
fn bar(made: Made) -> Blueprint {
    let mesh = cuboid([0.8, 0.2, 0.2], [8, 2, 2]);
    let mut blueprint = solid(mesh, made.material, 1e5, 0.3, 1000.0);
    let middle = |e: u32| {
        let tet = blueprint.mesh.tets[e as usize];
        tet.iter().map(|&i| blueprint.mesh.points[i as usize][0]).sum::<f64>() / 4.0
    };
    let all: Vec<u32> = (0..blueprint.mesh.tets.len() as u32).collect();
    let (tip, trunk): (Vec<u32>, Vec<u32>) = all.into_iter().partition(|&e| middle(e) > 0.6);
    blueprint.solids[0].tets = trunk;
    let material = MaterialKind::new(made.material, 1e7, 0.3).unwrap();
    blueprint.solids.push(SolidPart { tets: tip, material, density: 1000.0 });
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    blueprint.damping = made.damping;
    blueprint.consistent_mass = made.consistent;
    blueprint
}

/// Nodes between two planes across x.
fn between(blueprint: &Blueprint, low: f64, high: f64) -> Vec<u32> {
    let points = blueprint.mesh.points.iter();
    let inside = points.enumerate().filter(|(_, p)| (low - 1e-9..high + 1e-9).contains(&p[0]));
    inside.map(|(i, _)| i as u32).collect()
}

fn with(mut blueprint: Blueprint, regions: &[(f64, f64, usize)]) -> Model {
    let region = |&(low, high, ratio): &(f64, f64, usize)| Region { nodes: between(&blueprint, low, high), ratio };
    blueprint.regions = regions.iter().map(region).collect();
    blueprint.build().unwrap()
}

/// The last three layers.
const TIP: (f64, f64) = (0.6, 0.8);

fn tip(made: Made, ratio: usize) -> Model {
    with(bar(made), &[(TIP.0, TIP.1, ratio)])
}

/// Bent, and moving.
fn thrown(model: &Model) -> State {
    let mut state = model.state_at_rest();
    for i in 0..model.free_nodes() {
        let x = state.x[3 * i];
        state.x[3 * i + 2] += 0.05 * x * x;
        state.v[3 * i..3 * i + 3].copy_from_slice(&[0.2 * x, (9.0 * x).sin(), 0.5 - x]);
    }
    state
}

fn stepper(name: &str, model: &Model, options: &Options) -> Box<dyn Stepper> {
    make(method(name), model, options)
}

fn asynchronous(model: &Model) -> Box<dyn Stepper> {
    stepper("asynchronous-backward-euler", model, &Options::default())
}

fn steps(stepper: &mut dyn Stepper, model: &Model, state: &State, h: f64, count: usize) -> State {
    let mut state = state.clone();
    (0..count).for_each(|_| _ = stepper.step(model, &mut state, h).unwrap());
    state
}

/// The largest difference of positions over that of the motion since `start`, and the same of velocities.
fn apart(a: &State, b: &State, start: &State) -> f64 {
    let most = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    (most(&a.x, &b.x) / most(&a.x, &start.x)).max(most(&a.v, &b.v) / most(&a.v, &start.v))
}

/// One step by the equations (10) to (14), (21) and (22) themselves: their residual is affine in the velocities of all
/// small steps, so that columns of a dense matrix are differences of it.
fn by_brute_force(model: &Model, state: &State, h: f64) -> State {
    let n = model.dofs();
    let mut k = BlockMatrix::zeros(model.pattern().clone());
    model.stiffness(model.stiffness_kind(), &state.x, &mut k);
    let times = |matrix: &BlockMatrix, x: &[f64]| {
        let mut y = vec![0.0; n];
        matrix.multiply(x, &mut y);
        y
    };
    let mass = |x: &[f64]| {
        let mut y = vec![0.0; n];
        model.mass().multiply_add(1.0, x, &mut y);
        y
    };
    let damping = model.damping();
    let damp = |v: &[f64]| -> Vec<f64> {
        let of_k = times(damping.at_rest.as_ref().unwrap_or(&k), v);
        mass(v).iter().zip(of_k).map(|(mv, kv)| damping.mass * mv + damping.stiffness * kv).collect()
    };
    let inner = {
        let (mut all, mut loads) = (vec![0.0; n], vec![0.0; n]);
        model.static_force(state.t + h, &state.x, &mut all);
        model.load_force(state.t + h, &mut loads);
        all.iter().zip(&loads).map(|(all, load)| all - load).collect::<Vec<_>>()
    };
    let load = |t: f64| {
        let mut f = vec![0.0; n];
        model.load_force(t, &mut f);
        f
    };
    let dofs =
        |nodes: &[u32]| -> Vec<usize> { nodes.iter().flat_map(|&i| (0..3).map(move |c| 3 * i as usize + c)).collect() };
    let parts: Vec<(Vec<usize>, usize)> = model.regions().iter().map(|r| (dofs(&r.nodes), r.ratio)).collect();
    let rest: Vec<usize> = (0..n).filter(|i| parts.iter().all(|(part, _)| !part.contains(i))).collect();
    let unknowns = rest.len() + parts.iter().map(|(part, m)| part.len() * m).sum::<usize>();

    // Unknown velocities: of each region small step by small step, then of the rest.
    let residual = |z: &[f64]| -> Vec<f64> {
        let mut left = Vec::with_capacity(unknowns);
        let v_rest = &z[unknowns - rest.len()..];
        let mut first = 0;
        let (mut v_end, mut way_end) = (state.v[..n].to_vec(), vec![0.0; n]);
        for (part, m) in &parts {
            let small = h / *m as f64;
            let mut way = vec![0.0; n];
            let mut before = state.v[..n].to_vec();
            for r in 1..=*m {
                let share = r as f64 / *m as f64;
                let mut v = state.v[..n].to_vec();
                // The rest on its way; other regions do not matter.
                for (&i, v_m) in rest.iter().zip(v_rest) {
                    v[i] = (1.0 - share) * state.v[i] + share * v_m;
                    way[i] = r as f64 * small * v[i];
                }
                for (a, &i) in part.iter().enumerate() {
                    v[i] = z[first + (r - 1) * part.len() + a];
                    way[i] += small * v[i];
                }
                let change: Vec<f64> = v.iter().zip(&before).map(|(v, b)| v - b).collect();
                let (p, d, e, f) = (mass(&change), damp(&v), times(&k, &way), load(state.t + r as f64 * small));
                left.extend(part.iter().map(|&i| p[i] - small * (f[i] + inner[i] - d[i] - e[i])));
                before = v;
            }
            for &i in part {
                (v_end[i], way_end[i]) = (before[i], way[i]);
            }
            first += m * part.len();
        }
        for (&i, v) in rest.iter().zip(v_rest) {
            (v_end[i], way_end[i]) = (*v, h * v);
        }
        let change: Vec<f64> = v_end.iter().zip(&state.v).map(|(v, b)| v - b).collect();
        let (p, d, e, f) = (mass(&change), damp(&v_end), times(&k, &way_end), load(state.t + h));
        left.extend(rest.iter().map(|&i| p[i] - h * (f[i] + inner[i] - d[i] - e[i])));
        left
    };
    let mut z = vec![0.0; unknowns];
    let at_zero = residual(&z);
    let mut matrix = Mat::zeros(unknowns, unknowns);
    for j in 0..unknowns {
        z[j] = 1.0;
        residual(&z).iter().zip(&at_zero).enumerate().for_each(|(i, (r, zero))| matrix[(i, j)] = r - zero);
        z[j] = 0.0;
    }
    let solution = matrix.partial_piv_lu().solve(Mat::from_fn(unknowns, 1, |i, _| -at_zero[i]));
    let mut end = state.clone();
    let mut first = 0;
    for (part, m) in &parts {
        for (a, &i) in part.iter().enumerate() {
            let v = |r: usize| solution[(first + r * part.len() + a, 0)];
            end.x[i] += h / *m as f64 * (0..*m).map(v).sum::<f64>();
            end.v[i] = v(m - 1);
        }
        first += m * part.len();
    }
    for (a, &i) in rest.iter().enumerate() {
        end.v[i] = solution[(first + a, 0)];
        end.x[i] += h * end.v[i];
    }
    end
}

#[test]
fn one_small_step_is_backward_euler() {
    for made in [LINEAR, DAMPED, CONSISTENT, BOTH] {
        let model = tip(made, 1);
        let start = thrown(&model);
        let ours = steps(&mut *asynchronous(&model), &model, &start, STEP, 10);
        let euler = steps(&mut *stepper("backward-euler", &model, &tight()), &model, &start, STEP, 10);
        let apart = apart(&ours, &euler, &start);
        println!("apart by {apart:.1e}");
        assert!(apart < 1e-12, "{apart:e}");
    }
}

#[test]
fn the_complement_is_the_whole_system() {
    for made in [LINEAR, DAMPED, CONSISTENT, BOTH] {
        for ratio in [2, 4, 8] {
            let model = tip(made, ratio);
            let start = thrown(&model);
            let ours = steps(&mut *asynchronous(&model), &model, &start, STEP, 1);
            let apart = apart(&ours, &by_brute_force(&model, &start, STEP), &start);
            println!("m = {ratio}: apart by {apart:.1e}");
            assert!(apart < 1e-12, "m = {ratio}: {apart:e}");
        }
    }
}

#[test]
fn two_regions_are_the_whole_system() {
    for made in [LINEAR, BOTH] {
        let model = with(bar(made), &[(0.6, 0.8, 5), (0.1, 0.3, 3)]);
        let start = thrown(&model);
        let ours = steps(&mut *asynchronous(&model), &model, &start, STEP, 1);
        let apart = apart(&ours, &by_brute_force(&model, &start, STEP), &start);
        assert!(apart < 1e-12, "{apart:e}");
    }
}

#[test]
fn a_region_with_a_large_interface_takes_its_small_steps_twice() {
    // One node in the middle: its columns would be dearer to read than its steps.
    let mut blueprint = solid(cuboid([0.4; 3], [4; 3]), "linear", 1e5, 0.3, 1000.0);
    let node = blueprint.mesh.points.iter().position(|p| {
        let low = |c: usize| blueprint.mesh.points.iter().map(|p| p[c]).fold(f64::INFINITY, f64::min);
        (0..3).all(|c| (p[c] - low(c) - 0.2).abs() < 1e-9)
    });
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.regions = vec![Region { nodes: vec![node.unwrap() as u32], ratio: 2 }];
    let model = blueprint.build().unwrap();
    let start = thrown(&model);
    let mut state = start.clone();
    let mut ours = asynchronous(&model);
    ours.step(&model, &mut state, STEP).unwrap();
    let apart = apart(&state, &by_brute_force(&model, &start, STEP), &start);
    assert!(apart < 1e-12, "{apart:e}");
    assert_eq!(ours.step(&model, &mut state, STEP).unwrap().linear.solves, 2 * 2 + 1);
}

#[test]
fn everything_in_a_region_is_small_steps() {
    for made in [LINEAR, BOTH] {
        let model = with(bar(made), &[(0.0, 0.8, 4)]);
        let start = thrown(&model);
        let ours = steps(&mut *asynchronous(&model), &model, &start, STEP, 3);
        let small = steps(&mut *stepper("backward-euler", &model, &tight()), &model, &start, STEP / 4.0, 12);
        let apart = apart(&ours, &small, &start);
        assert!(apart < 1e-12, "{apart:e}");
    }
}

#[test]
fn loads_and_scripts_act_at_the_small_steps() {
    let mut blueprint = bar(DAMPED);
    let nodes = between(&blueprint, 0.7, 0.8);
    let profile = Profile::Pulse { start: 0.0, duration: 0.004, period: f64::INFINITY };
    blueprint.loads.push(LoadPart { nodes, basis: Basis::Total, direction: [0.0, 5.0, 0.0], profile });
    blueprint.scripts = vec![(
        std::mem::take(&mut blueprint.fixed),
        Motion::Shake { amplitude: [0.0, 0.02, 0.03], frequency: 10.0, start: 0.0, end: 10.0 },
    )];
    let model = with(blueprint, &[(0.0, 0.8, 5)]);
    let start = thrown(&model);
    let ours = steps(&mut *asynchronous(&model), &model, &start, STEP, 2);
    let options = Options { solver_tolerance: 1e-13, ..tight() };
    let small = steps(&mut *stepper("linearly-implicit-euler", &model, &options), &model, &start, STEP / 5.0, 10);
    let apart = apart(&ours, &small, &start);
    assert!(apart < 1e-11, "{apart:e}");
}

#[test]
fn other_materials_keep_their_tangent_for_a_large_step() {
    for material in ["corotational", "neo-hookean"] {
        for damp_at_rest in [false, true] {
            let made = Made { material, ..DAMPED };
            let mut blueprint = bar(made);
            blueprint.damp_at_rest = damp_at_rest;
            let one = with(blueprint, &[(0.6, 0.8, 1)]);
            let start = thrown(&one);
            let options = Options { solver: numerics::linear::SolverKind::Direct, ..tight() };
            let ours = steps(&mut *asynchronous(&one), &one, &start, STEP, 3);
            let euler = steps(&mut *stepper("linearly-implicit-euler", &one, &options), &one, &start, STEP, 3);
            let gap = apart(&ours, &euler, &start);
            assert!(gap < 1e-11, "{material}: {gap:e}");
            let mut blueprint = bar(made);
            blueprint.damp_at_rest = damp_at_rest;
            let many = with(blueprint, &[(0.6, 0.8, 4)]);
            let mut ours = asynchronous(&many);
            let before = steps(&mut *ours, &many, &start, STEP, 2);
            let after = steps(&mut *ours, &many, &before, STEP, 1);
            let gap = apart(&after, &by_brute_force(&many, &before, STEP), &before);
            assert!(gap < 1e-12, "{material}: {gap:e}");
        }
    }
}

#[test]
fn everything_is_factorised_once_and_a_step_solves_once_a_part() {
    let model = with(bar(DAMPED), &[(0.6, 0.8, 5), (0.1, 0.3, 3)]);
    let mut ours = asynchronous(&model);
    let mut state = thrown(&model);
    let first = ours.step(&model, &mut state, STEP).unwrap();
    assert_eq!((first.assemblies, first.linear.factorisations), (1, 3));
    let second = ours.step(&model, &mut state, STEP).unwrap();
    assert_eq!((second.assemblies, second.linear.factorisations, second.linear.solves), (0, 0, 5 + 3 + 1));
    assert_eq!((second.forces, second.substeps), (1, 8));
    // Another step makes other matrices, once.
    let other = ours.step(&model, &mut state, 0.5 * STEP).unwrap();
    assert_eq!((other.assemblies, other.linear.factorisations), (1, 3));
    // Without regions it is one.
    let model = bar(DAMPED).build().unwrap();
    let mut plain = asynchronous(&model);
    plain.step(&model, &mut thrown(&model), STEP).unwrap();
    let second = plain.step(&model, &mut thrown(&model), STEP).unwrap();
    assert_eq!((second.linear.factorisations, second.linear.solves), (0, 1));
}

#[test]
fn a_consistent_mass_is_almost_symmetric() {
    let model = tip(CONSISTENT, 5);
    let start = thrown(&model);
    let exact = steps(&mut *asynchronous(&model), &model, &start, STEP, 1);
    let options = Options { symmetric: true, ..Options::default() };
    let mut nearly = stepper("asynchronous-backward-euler", &model, &options);
    let mut state = start.clone();
    let report = nearly.step(&model, &mut state, STEP).unwrap();
    let gap = apart(&exact, &state, &start);
    println!("left {:.1e}, apart by {gap:.1e}", report.asymmetry);
    assert!(report.asymmetry > 1e-7 && report.asymmetry < 1e-2, "{:e}", report.asymmetry);
    assert!(gap > 1e-9 && gap < 1e-2, "{gap:e}");
    assert_eq!(nearly.step(&model, &mut state, STEP).unwrap().linear.solves, 5 + 1);
    // A lumped mass has nothing to leave out.
    let model = tip(LINEAR, 5);
    let report = stepper("asynchronous-backward-euler", &model, &options).step(&model, &mut thrown(&model), STEP);
    assert_eq!(report.unwrap().asymmetry, 0.0);
}

#[test]
fn the_order_is_one() {
    let model = tip(Made { material: "neo-hookean", ..DAMPED }, 3);
    let start = thrown(&model);
    let reference = run(method("rk4"), &tight(), &model, &start, 0.04, 40_000).unwrap();
    let error = |count: usize| {
        distance(
            &run(method("asynchronous-backward-euler"), &tight(), &model, &start, 0.04, count).unwrap(),
            &reference,
        )
    };
    let order = (error(1600) / error(3200)).log2();
    println!("order {order:.3}");
    assert!((order - 1.0).abs() < 0.1, "order {order:.3}");
}

#[test]
fn same_bits_on_any_number_of_threads_and_after_a_restart() {
    for material in ["linear", "corotational"] {
        let model = with(bar(Made { material, ..BOTH }), &[(0.6, 0.8, 5), (0.1, 0.3, 3)]);
        let start = thrown(&model);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| steps(&mut *asynchronous(&model), &model, &start, STEP, 4))
        };
        let one = on(1);
        assert!([2, 3, 8].map(on).iter().all(|many| *many == one), "{material}: other bits");
        let mut first = asynchronous(&model);
        let half = steps(&mut *first, &model, &start, STEP, 2);
        let mut second = asynchronous(&model);
        assert!(second.recall(&first.memory()));
        assert!(steps(&mut *second, &model, &half, STEP, 2) == one, "{material}: other bits after a restart");
    }
}

/// The spectral radius of the step, by the propagator of a basis.
fn radius(model: &Model, h: f64) -> f64 {
    let n = model.dofs();
    let mut ours = asynchronous(model);
    let still = steps(&mut *ours, model, &model.state_at_rest(), h, 1);
    let mut propagator = Mat::zeros(2 * n, 2 * n);
    for j in 0..2 * n {
        let mut state = model.state_at_rest();
        // Velocities over an inverse time of the order of the motion's: the radius is the same in any units.
        if j < n {
            state.x[j] += 1.0
        } else {
            state.v[j - n] += 100.0
        }
        // Every state is one from outside.
        ours.forget();
        let end = steps(&mut *ours, model, &state, h, 1);
        for i in 0..n {
            propagator[(i, j)] = end.x[i] - still.x[i];
            propagator[(n + i, j)] = (end.v[i] - still.v[i]) / 100.0;
        }
    }
    propagator.eigenvalues().unwrap().iter().map(|z| z.re.hypot(z.im)).fold(0.0, f64::max)
}

#[test]
fn it_is_stable_up_to_ten_small_steps_and_may_grow_with_forty() {
    let step = 0.05;
    for (made, ratio, stable) in [(LINEAR, 5, true), (LINEAR, 10, true), (LINEAR, 40, false), (DAMPED, 40, true)] {
        let radius = radius(&tip(made, ratio), step);
        println!("m = {ratio}, beta = {}: {radius:.5}", made.damping[1]);
        assert_eq!(radius < 1.0, stable, "m = {ratio}: {radius}");
    }
    // Damping does not help without end.
    assert!(radius(&tip(DAMPED, 40), 4.0 * step) > 1.0);
}

#[test]
fn steps_that_make_energy_are_stopped_with_that_cause() {
    let step = 0.05;
    let run = |made: Made, ratio: usize, count: usize| {
        let model = tip(made, ratio);
        let mut state = thrown(&model);
        let mut ours = asynchronous(&model);
        (0..count).try_for_each(|_| ours.step(&model, &mut state, step).map(|_| ()))
    };
    for (made, ratio) in [(LINEAR, 5), (LINEAR, 10), (CONSISTENT, 10), (DAMPED, 40)] {
        run(made, ratio, 1000).unwrap_or_else(|error| panic!("m = {ratio}: {error}"));
    }
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
    let model = with(blueprint, &[(0.6, 0.8, 8)]);
    let end = steps(&mut *asynchronous(&model), &model, &model.state_at_rest(), STEP, 300);
    assert!(model.kinetic(&end) > 0.0);
}

/// The bar, free, above a floor that its tip falls on.
fn falling(regions: &[(f64, f64, usize)], damp_at_rest: bool) -> (Model, State) {
    let mut blueprint = bar(DAMPED);
    blueprint.damp_at_rest = damp_at_rest;
    blueprint.fixed.clear();
    let nodes = (0..blueprint.mesh.points.len() as u32).collect();
    let floor = Obstacle::Plane { point: [0.0, 0.0, -0.003], normal: [-0.1, 0.0, 0.995] };
    blueprint.contacts = vec![(floor, nodes, 2e3)];
    let model = with(blueprint, regions);
    let mut start = model.state_at_rest();
    start.v.chunks_mut(3).for_each(|v| v[2] = -1.0);
    (model, start)
}

#[test]
fn contact_at_the_small_steps_is_that_of_small_steps() {
    let small = Options { contact: ContactStep::Small, ..Options::default() };
    let direct = Options { solver: numerics::linear::SolverKind::Direct, ..tight() };
    let [_, euler] = [true, false].map(|damp_at_rest| {
        let (model, start) = falling(&[(0.0, 0.8, 5)], damp_at_rest);
        let ours = steps(&mut *stepper("asynchronous-backward-euler", &model, &small), &model, &start, STEP, 6);
        let euler = steps(&mut *stepper("linearly-implicit-euler", &model, &direct), &model, &start, STEP / 5.0, 30);
        assert!(model.is_touching(&ours.x));
        let gap = apart(&ours, &euler, &start);
        assert!(gap < 1e-11, "{gap:e}");
        euler
    });
    // At the large steps the contact of a tip alone is seen too late, and is nearer to that of large steps.
    let (model, start) = falling(&[(0.6, 0.8, 5)], false);
    let error = |options: &Options| {
        let end = steps(&mut *stepper("asynchronous-backward-euler", &model, options), &model, &start, STEP, 6);
        distance(&end, &euler)
    };
    let (at_small, at_large) = (error(&small), error(&Options::default()));
    println!("{at_small:.2e} {at_large:.2e}");
    assert!(at_small < at_large, "{at_small:e}, {at_large:e}");
}

#[test]
fn contact_at_the_large_steps_is_linearly_implicit() {
    let direct = Options { solver: numerics::linear::SolverKind::Direct, ..tight() };
    let (model, start) = falling(&[(0.6, 0.8, 1)], false);
    let ours = steps(&mut *asynchronous(&model), &model, &start, STEP, 6);
    let euler = steps(&mut *stepper("linearly-implicit-euler", &model, &direct), &model, &start, STEP, 6);
    assert!(model.is_touching(&ours.x));
    let gap = apart(&ours, &euler, &start);
    assert!(gap < 1e-11, "{gap:e}");
    // Factors are kept until something touches.
    let mut ours = asynchronous(&model);
    let mut state = start.clone();
    let made: Vec<u64> = (0..6).map(|_| ours.step(&model, &mut state, STEP).unwrap().linear.factorisations).collect();
    assert!(made[0] == 2 && made[1..].contains(&2), "{made:?}");
}

#[test]
fn regions_that_cannot_be_are_refused() {
    let refused = |regions: &[(f64, f64, usize)]| {
        let mut blueprint = bar(LINEAR);
        let region = |&(low, high, ratio): &(f64, f64, usize)| Region { nodes: between(&blueprint, low, high), ratio };
        blueprint.regions = regions.iter().map(region).collect();
        match blueprint.build() {
            Err(ModelError::Region(error)) => error,
            _ => panic!("built"),
        }
    };
    assert_eq!(refused(&[(0.6, 0.8, 0)]), RegionError::Ratio { region: 0, ratio: 0 });
    assert_eq!(refused(&[(0.6, 0.8, 1001)]), RegionError::Ratio { region: 0, ratio: 1001 });
    // All nodes of it are fixed.
    assert_eq!(refused(&[(0.6, 0.8, 2), (0.0, 0.0, 2)]), RegionError::Empty { region: 1 });
    assert!(matches!(refused(&[(0.6, 0.8, 2), (0.5, 0.6, 3)]), RegionError::Shared { regions: [0, 1], .. }));
    let error = refused(&[(0.6, 0.8, 2), (0.3, 0.5, 3)]);
    // Six tets a cell, in the four cells between the two.
    assert!(matches!(error, RegionError::Touching { regions: [0, 1], element: "tet", count: 24, .. }), "{error:?}");
    assert!(error.to_string().contains("regions 1 and 2 touch: tet "), "{error}");
    assert!(error.to_string().contains("(and 23 more) has nodes of both"), "{error}");
}
