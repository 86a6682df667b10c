//! One step compared with the equations of the scheme, solved by brute force.

use crate::bars::*;
use crate::problems::bar::{TIP, TWO, apart, between, steps, thrown, with};
use crate::problems::*;
use faer::Mat;
use faer::linalg::solvers::Solve;
use integrators::{Coupling, Options, parameters};
use model::energy::Configuration;
use model::material::sample;
use model::{Blueprint, Model, Region, SolidPart, State};
use numerics::blocks::BlockMatrix;

/// Motion of the rest within the step, and when it feels the elements between it and a region.
#[derive(Clone, Copy, PartialEq)]
pub enum Rule {
    /// Moves by x_0 + r s v_r; feels them at the end.
    Paper,
    /// Moves by x_0 + r s V, V = v_0 + theta dv, theta = (m + 1) / (2 m) for the largest m; feels them at every small
    /// step.
    Straight,
    /// Moves by the sum of its interpolated velocities, x_0 + r s v_0 + s r (r + 1) / (2 m) dv; feels them at every
    /// small step. For a single ratio only.
    Interpolated,
}

impl From<Coupling> for Rule {
    fn from(coupling: Coupling) -> Rule {
        match coupling {
            Coupling::Paper => Rule::Paper,
            Coupling::Conserving => Rule::Straight,
        }
    }
}

/// Takes one step by the equations of the scheme (10 to 14, 21 and 22 of the paper). Their residual is affine in the
/// velocities of all small steps, so differences of it are the columns of a dense matrix. A body without fixed nodes
/// falls by its mean push where the rest moves straight.
pub fn by_brute_force(model: &Model, state: &State, h: f64, rule: impl Into<Rule>) -> State {
    let (n, rule) = (model.dofs(), rule.into());
    let mut k = BlockMatrix::zeros(model.pattern().clone());
    let way: Vec<f64> = state.v.iter().map(|v| h * v).collect();
    let at = Configuration { x: &state.x, way: &way, inertia: &[] };
    model.stiffness(model.stiffness_kind(), at, &mut k);
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
    let (alpha, beta) = (damping.mass, damping.stiffness);
    let of_damping = damping.at_rest.as_ref().unwrap_or(&k);
    let damp = |v: &[f64]| -> Vec<f64> {
        mass(v).iter().zip(times(of_damping, v)).map(|(mv, kv)| alpha * mv + beta * kv).collect()
    };
    let load = |t: f64| {
        let mut f = vec![0.0; n];
        model.load_force(t, &mut f);
        f
    };
    let mut inner = {
        let mut all = vec![0.0; n];
        model.static_force(state.t + h, &state.x, &mut all);
        all.iter().zip(&load(state.t + h)).map(|(all, load)| all - load).collect::<Vec<_>>()
    };
    let dofs =
        |nodes: &[u32]| -> Vec<usize> { nodes.iter().flat_map(|&i| (0..3).map(move |c| 3 * i as usize + c)).collect() };
    let parts: Vec<(Vec<usize>, usize)> = model.regions().iter().map(|r| (dofs(&r.nodes), r.ratio)).collect();
    let rest: Vec<usize> = (0..n).filter(|i| parts.iter().all(|(part, _)| !part.contains(i))).collect();
    let unknowns = rest.len() + parts.iter().map(|(part, m)| part.len() * m).sum::<usize>();
    let most = parts.iter().map(|(_, m)| *m).max().unwrap();
    let theta = if rule == Rule::Paper { 1.0 } else { (most + 1) as f64 / (2 * most) as f64 };

    // Stiffness of the elements between the rest and each region, now and at rest.
    let between = |part: &[usize], at: Configuration| {
        let is_in = |&i: &u32| part.contains(&(3 * i as usize));
        let is_rest = |&i: &u32| rest.contains(&(3 * i as usize));
        let mut k = BlockMatrix::zeros(model.pattern().clone());
        for term in model.terms() {
            let mut part = term.part(&|nodes| nodes.iter().any(is_in) && nodes.iter().any(is_rest));
            part.freeze(model.pattern());
            part.add_stiffness(model.stiffness_kind(), at, &mut k);
        }
        k
    };
    let now: Vec<BlockMatrix> = parts.iter().map(|(part, _)| between(part, at)).collect();
    let of_seams: Vec<BlockMatrix> = match &damping.at_rest {
        Some(_) => parts.iter().map(|(part, _)| between(part, model.rest().into())).collect(),
        None => now.clone(),
    };

    // The fall of a free body.
    let falls = rule == Rule::Straight && model.free_nodes() == model.nodes() && !rest.is_empty();
    let fall: [f64; 3] = std::array::from_fn(|c| {
        let (f, d, ones) = (load(state.t + h), damp(&state.v[..n]), mass(&vec![1.0; n]));
        let of = |i: usize| f[i] + inner[i] - d[i];
        let sum = |of: &dyn Fn(usize) -> f64| (c..n).step_by(3).map(of).sum::<f64>();
        if falls { sum(&of) / sum(&|i| ones[i]) } else { 0.0 }
    });
    let uniform = mass(&(0..n).map(|i| fall[i % 3]).collect::<Vec<_>>());
    inner.iter_mut().zip(uniform).for_each(|(f, u)| *f -= u);

    // Unknown velocities: of each region small step by small step, then of the rest.
    let residual = |z: &[f64]| -> Vec<f64> {
        let mut left = Vec::with_capacity(unknowns);
        let v_rest = &z[unknowns - rest.len()..];
        let mut first = 0;
        let (mut v_end, mut way_end) = (state.v[..n].to_vec(), vec![0.0; n]);
        // Force of the elements between on the rest at small steps.
        let mut felt = vec![0.0; n];
        for (at, (part, m)) in parts.iter().enumerate() {
            let small = h / *m as f64;
            let mut way = vec![0.0; n];
            let mut before = state.v[..n].to_vec();
            for r in 1..=*m {
                let (share, t) = (r as f64 / *m as f64, r as f64 * small);
                // Velocity in the momentum, and velocity of the displacement; other regions do not matter.
                let mut v = state.v[..n].to_vec();
                let mut goes = v.clone();
                for (&i, v_m) in rest.iter().zip(v_rest) {
                    let dv = v_m - state.v[i];
                    v[i] += share * dv;
                    goes[i] += if rule == Rule::Straight { theta * dv } else { share * dv };
                    way[i] = match rule {
                        Rule::Interpolated => t * state.v[i] + small * (r * (r + 1)) as f64 / (2 * m) as f64 * dv,
                        _ => t * goes[i],
                    };
                }
                for (a, &i) in part.iter().enumerate() {
                    v[i] = z[first + (r - 1) * part.len() + a];
                    goes[i] = v[i];
                    way[i] += small * v[i];
                }
                let change: Vec<f64> = v.iter().zip(&before).map(|(v, b)| v - b).collect();
                let (p, d, e, f) = (mass(&change), damp(&goes), times(&k, &way), load(state.t + t));
                left.extend(part.iter().map(|&i| p[i] - small * (f[i] + inner[i] - d[i] - e[i])));
                let (e, d) = (times(&now[at], &way), times(&of_seams[at], &goes));
                felt.iter_mut().zip(e.iter().zip(d)).for_each(|(felt, (e, d))| *felt += small * (e + beta * d));
                before = v;
            }
            for &i in part {
                (v_end[i], way_end[i]) = (before[i], way[i]);
            }
            first += m * part.len();
        }
        for (&i, v) in rest.iter().zip(v_rest) {
            (v_end[i], way_end[i]) = (*v, h * (state.v[i] + theta * (v - state.v[i])));
        }
        let change: Vec<f64> = v_end.iter().zip(&state.v).map(|(v, b)| v - b).collect();
        let (p, mut d, mut e, f) = (mass(&change), damp(&v_end), times(&k, &way_end), load(state.t + h));
        if rule == Rule::Paper {
            felt.fill(0.0);
        } else {
            for (now, of_seam) in now.iter().zip(&of_seams) {
                e.iter_mut().zip(times(now, &way_end)).for_each(|(e, more)| *e -= more);
                d.iter_mut().zip(times(of_seam, &v_end)).for_each(|(d, more)| *d -= beta * more);
            }
        }
        left.extend(rest.iter().map(|&i| p[i] - h * (f[i] + inner[i] - d[i] - e[i]) + felt[i]));
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
        end.x[i] += h * (state.v[i] + theta * (end.v[i] - state.v[i]));
    }
    for i in 0..n {
        let change = h * fall[i % 3] / (1.0 + alpha * h);
        end.x[i] += theta * h * change;
        end.v[i] += change;
    }
    end
}

#[test]
fn the_complement_is_the_whole_system() {
    for made in [LINEAR, DAMPED, CONSISTENT, BOTH] {
        for ratio in [2, 4, 8] {
            let model = tip(made, ratio);
            let start = thrown(&model);
            for coupling in COUPLINGS {
                let ours = steps(&mut *coupled(&model, coupling), &model, &start, STEP, 1);
                let apart = apart(&ours, &by_brute_force(&model, &start, STEP, coupling), &start);
                println!("{coupling:?}, m = {ratio}: apart by {apart:.1e}");
                assert!(apart < 1e-12, "{coupling:?}, m = {ratio}: {apart:e}");
            }
        }
    }
}

#[test]
fn two_regions_are_the_whole_system() {
    for made in [LINEAR, BOTH] {
        let model = cut(made, &TWO);
        let start = thrown(&model);
        for coupling in COUPLINGS {
            let ours = steps(&mut *coupled(&model, coupling), &model, &start, STEP, 1);
            let apart = apart(&ours, &by_brute_force(&model, &start, STEP, coupling), &start);
            assert!(apart < 1e-12, "{coupling:?}: {apart:e}");
        }
    }
}

/// Steps the bar with one region once, and compares with brute force.
fn assert_equations(mut blueprint: Blueprint, nodes: Vec<u32>, ratio: usize) {
    blueprint.regions = vec![Region { nodes, ratio }];
    let model = blueprint.build().unwrap();
    let start = thrown(&model);
    for coupling in COUPLINGS {
        let ours = steps(&mut *coupled(&model, coupling), &model, &start, STEP, 1);
        let apart = apart(&ours, &by_brute_force(&model, &start, STEP, coupling), &start);
        assert!(apart < 1e-12, "{coupling:?}: {apart:e}");
    }
}

#[test]
fn a_free_body_is_the_whole_system() {
    for made in [DAMPED, BOTH] {
        let mut blueprint = bar(made);
        blueprint.fixed.clear();
        let model = with(blueprint, &TWO).build().unwrap();
        let start = thrown(&model);
        for coupling in COUPLINGS {
            let ours = steps(&mut *coupled(&model, coupling), &model, &start, STEP, 1);
            let apart = apart(&ours, &by_brute_force(&model, &start, STEP, coupling), &start);
            println!("{coupling:?}: apart by {apart:.1e}");
            assert!(apart < 1e-12, "{coupling:?}: {apart:e}");
        }
    }
}

#[test]
fn a_region_in_two_pieces_is_the_whole_system() {
    for made in [DAMPED, CONSISTENT] {
        let blueprint = bar(made);
        let pieces = [between(&blueprint, 0.1, 0.2), between(&blueprint, 0.6, 0.8)].concat();
        assert_equations(blueprint, pieces, 4);
    }
}

#[test]
fn a_region_around_the_rest_is_the_whole_system() {
    // Here the columns are those of the interface, which is the smaller side.
    for made in [DAMPED, CONSISTENT] {
        let blueprint = bar(made);
        let middle = blueprint.mesh.points.iter().position(|p| (p[0] - 0.4).abs() + (p[1] - 0.1).abs() < 1e-9).unwrap();
        let all = 0..blueprint.mesh.points.len() as u32;
        let free = all.filter(|i| *i != middle as u32 && !blueprint.fixed.contains(i)).collect();
        assert_equations(blueprint, free, 3);
    }
}

#[test]
fn a_border_of_steel_and_rubber_is_the_whole_system() {
    // The moduli of both sides of the border differ by six orders of magnitude.
    let mut blueprint = bar(LINEAR);
    let middle = |e: &u32| {
        let tet = &blueprint.mesh.tets[*e as usize];
        tet.iter().map(|&i| blueprint.mesh.points[i as usize][1]).sum::<f64>() / 4.0
    };
    let all = 0..blueprint.mesh.tets.len() as u32;
    let (soft, stiff): (Vec<u32>, Vec<u32>) = all.partition(|e| middle(e) < 0.1);
    let part = |tets, young| {
        let material = sample("linear", young, 0.3).unwrap();
        SolidPart::new(tets, material, 1000.0)
    };
    blueprint.solids = vec![part(soft, 1e3), part(stiff, 1e9)];
    let nodes = between(&blueprint, TIP.0, TIP.1);
    assert_equations(blueprint, nodes, 4);
}

#[test]
fn a_region_with_a_large_interface_takes_its_small_steps_twice() {
    // A sheet across the middle, all of it border: reading its columns would cost more than its steps.
    let mut blueprint = solid(cuboid([0.4; 3], [4; 3]), "linear", 1e5, 0.3, 1000.0);
    let low = blueprint.mesh.points.iter().map(|p| p[0]).fold(f64::INFINITY, f64::min);
    let sheet = blueprint.mesh.points.iter().enumerate().filter(|(_, p)| (p[0] - low - 0.2).abs() < 1e-9);
    let nodes = sheet.map(|(i, _)| i as u32).collect();
    blueprint.fixed = group(&blueprint.mesh, "x-");
    blueprint.regions = vec![Region { nodes, ratio: 2 }];
    let model = blueprint.build().unwrap();
    let start = thrown(&model);
    for coupling in COUPLINGS {
        let mut state = start.clone();
        let mut ours = coupled(&model, coupling);
        ours.step(&model, &mut state, STEP).unwrap();
        let apart = apart(&state, &by_brute_force(&model, &start, STEP, coupling), &start);
        assert!(apart < 1e-12, "{coupling:?}: {apart:e}");
        assert_eq!(ours.step(&model, &mut state, STEP).unwrap().linear.solves, 2 * 2 + 1);
    }
}

#[test]
fn other_materials_keep_their_tangent_for_a_large_step() {
    for material in ["corotational", "neo-hookean"] {
        for damp_at_rest in [false, true] {
            let [one, many] = [1, 4].map(|ratio| {
                let mut blueprint = bar(Made { material, ..DAMPED });
                blueprint.damp_at_rest = damp_at_rest;
                with(blueprint, &[(TIP.0, TIP.1, ratio)]).build().unwrap()
            });
            let start = thrown(&one);
            let ours = steps(&mut *asynchronous(&one), &one, &start, STEP, 3);
            let euler = steps(&mut *stepper("linearly-implicit-euler", &one, &direct()), &one, &start, STEP, 3);
            let gap = apart(&ours, &euler, &start);
            assert!(gap < 1e-11, "{material}: {gap:e}");
            for coupling in COUPLINGS {
                let mut ours = coupled(&many, coupling);
                let before = steps(&mut *ours, &many, &start, STEP, 2);
                let after = steps(&mut *ours, &many, &before, STEP, 1);
                let gap = apart(&after, &by_brute_force(&many, &before, STEP, coupling), &before);
                assert!(gap < 1e-12, "{material}, {coupling:?}: {gap:e}");
            }
        }
    }
}

#[test]
fn a_consistent_mass_is_almost_symmetric() {
    let model = tip(CONSISTENT, 5);
    let start = thrown(&model);
    let exact = steps(&mut *asynchronous(&model), &model, &start, STEP, 1);
    let options = Options::default().with(&parameters::SYMMETRIC, true);
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
