//! Bodies in Stokes flow, by every method that takes them.

use crate::problems::*;
use integrators::{Family, Feature, METHODS, Method, Options};
use model::energy::spring::Law;
use model::load::Profile;
use model::mesh::Mesh;
use model::script::Motion;
use model::stokes::{Follower, Point, Stokes};
use model::{Basis, Blueprint, LoadPart, Model, SpringPart, State};
use std::f64::consts::PI;

const MU: f64 = 0.5;
const EPSILON: f64 = 0.02;

fn methods() -> impl Iterator<Item = &'static Method> {
    METHODS.iter().filter(|method| method.serves.contains(&Feature::StokesFlow))
}

fn fluid(points: usize) -> Stokes {
    let points = (0..points as u32).map(|i| Point { of: vec![(i, 1.0)], epsilon: EPSILON }).collect();
    Stokes { viscosity: MU, points, ..Stokes::default() }
}

/// A zigzag of springs with a node that follows the others, and hardly any mass.
fn zigzag() -> Blueprint {
    let mut points: Vec<[f64; 3]> =
        (0..6).map(|i| [0.1 * i as f64, if i % 2 == 0 { 0.0 } else { 0.05 }, 0.01 * (i * i) as f64]).collect();
    points.push([0.15, 0.1, 0.1]);
    let mut pairs: Vec<[u32; 2]> = (0..5).map(|i| [i, i + 1]).collect();
    pairs.extend((0..4).map(|i| [i, i + 2]));
    pairs.extend([[6, 0], [6, 1], [6, 2], [6, 3]]);
    let mut stokes = fluid(6);
    let of = vec![(1, 0.5), (2, 0.5)];
    stokes.followers.push(Follower { node: 6, of, drag: 0.05 });
    let mesh = Mesh { points, ..Mesh::default() };
    let springs = vec![SpringPart { pairs, law: Law::Linear, stiffness: 20.0 }];
    let node_masses = (0..7).map(|i| (i, 1e-9)).collect();
    Blueprint { mesh, springs, node_masses, stokes: Some(stokes), ..Blueprint::default() }
}

/// The zigzag, stretched, in a shear flow.
fn relaxing() -> (Model, State) {
    let mut blueprint = zigzag();
    let stokes = blueprint.stokes.as_mut().unwrap();
    stokes.flow = [0.02, 0.0, 0.01];
    stokes.gradient[0][2] = 0.5;
    let model = blueprint.build().unwrap();
    let mut start = model.state_at_rest();
    start.x.iter_mut().enumerate().for_each(|(k, x)| *x += 0.02 * (1.7 * k as f64).sin());
    (model, start)
}

#[test]
fn every_implicit_method_takes_the_drag() {
    // But for those whose regions take steps of their own: the drag couples all nodes with each other.
    let implicit = METHODS.iter().filter(|method| method.family == Family::Implicit);
    let refused: Vec<&str> =
        implicit.filter(|method| !method.serves.contains(&Feature::StokesFlow)).map(|method| method.name).collect();
    let regions = |name: &&str| method(name).serves.contains(&Feature::Regions);
    assert!(refused.iter().all(regions) && methods().count() >= 8, "{refused:?}");
}

#[test]
fn a_bead_moves_as_its_mobility_says() {
    // One blob alone: mobility 1 / (4 pi mu e), at once; with the flow around it.
    for method in methods() {
        let mut stokes = fluid(1);
        stokes.flow = [0.0, 0.3, 0.0];
        let mesh = Mesh { points: vec![[0.1, 0.2, 0.3]], ..Mesh::default() };
        let load =
            LoadPart { nodes: vec![0], basis: Basis::Total, direction: [0.5, 0.0, 0.0], profile: Profile::Constant };
        let node_masses = vec![(0, 1e-12)];
        let model = Blueprint { mesh, node_masses, stokes: Some(stokes), loads: vec![load], ..Blueprint::default() };
        let model = model.build().unwrap();
        let speed = 0.5 / (4.0 * PI * MU * EPSILON);
        let mut start = model.state_at_rest();
        start.v[..3].copy_from_slice(&[speed, 0.3, 0.0]);
        let end = run(method, &tight(), &model, &start, 0.1, 4).unwrap();
        let expected = [0.1 + 0.1 * speed, 0.2 + 0.03, 0.3];
        let wrong = (0..3).fold(0.0_f64, |most, c| most.max((end.x[c] - expected[c]).abs()));
        assert!(wrong < 1e-7 * speed, "{}: {:?} {expected:?}", method.name, end.x);
        assert!((end.v[0] - speed).abs() < 1e-6 * speed, "{}: {} {speed}", method.name, end.v[0]);
    }
}

#[test]
fn methods_agree_and_converge() {
    let (model, start) = relaxing();
    let reference = run(method("bdf2"), &tight(), &model, &start, 0.2, 1600).unwrap();
    let moved = distance(&reference, &start);
    for method in methods() {
        let error = |steps| distance(&run(method, &tight(), &model, &start, 0.2, steps).unwrap(), &reference);
        let [coarse, fine] = [error(20), error(40)];
        println!("{}: {coarse:e} {fine:e}, moved {moved:e}", method.name);
        // Velocities too: without a step that damps, the difference between those of the start and those that forces ask for
        // stays for ever, with changing sign.
        let velocities = |steps| {
            let end = run(method, &tight(), &model, &start, 0.2, steps).unwrap();
            end.v.iter().zip(&reference.v).fold(0.0_f64, |most, (v, exact)| most.max((v - exact).abs()))
        };
        let (slow, fast) = (velocities(20), velocities(40));
        println!("    velocities {slow:e} {fast:e}");
        // Of the first order, a little less for ere; 1.36 with such a difference.
        assert!(slow / fast > 1.5, "{}: velocities {slow:e} {fast:e}", method.name);
        // Of first order at least: the velocities of the start, 0, are not those that forces ask for.
        assert!(fine < 0.05 * moved && coarse / fine > 1.7, "{}: {coarse:e} {fine:e} of {moved:e}", method.name);
    }
}

#[test]
fn rest_stays_at_rest() {
    let model = zigzag().build().unwrap();
    let start = model.state_at_rest();
    for method in methods() {
        let end = run(method, &Options::default(), &model, &start, 1.0, 3).unwrap();
        let fastest = end.v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        // A combination of equal positions may round.
        assert!(distance(&end, &start) < 1e-15 && fastest < 1e-14, "{}: {fastest:e}", method.name);
    }
}

#[test]
fn bits_do_not_depend_on_threads_or_a_restart() {
    let (model, start) = relaxing();
    let bits = |state: &State| state.x.iter().chain(&state.v).map(|x| x.to_bits()).collect::<Vec<_>>();
    for method in methods() {
        let of = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run(method, &Options::default(), &model, &start, 0.1, 4)).unwrap()
        };
        let whole = of(1);
        assert_eq!(bits(&whole), bits(&of(3)), "{} on three threads", method.name);
        let (mut stepper, mut state) = (make(method, &model, &Options::default()), start.clone());
        (0..2).for_each(|_| _ = stepper.step(&model, &mut state, 0.025).unwrap());
        let memory = stepper.memory();
        let mut stepper = make(method, &model, &Options::default());
        assert!(stepper.recall(&memory), "{} recalls", method.name);
        (0..2).for_each(|_| _ = stepper.step(&model, &mut state, 0.025).unwrap());
        assert_eq!(bits(&whole), bits(&state), "{} after a restart", method.name);
    }
}

#[test]
fn a_free_body_turns_with_half_the_shear() {
    // Points on a cube: turns about z with -gamma / 2 at the first moment, by symmetry.
    let corners = (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2].map(|c: i32| 0.1 * f64::from(2 * c - 1)));
    let mesh = Mesh { points: corners.collect(), ..Mesh::default() };
    let pairs: Vec<[u32; 2]> = (0..8).flat_map(|i| (0..i).map(move |j| [j, i])).collect();
    let springs = vec![SpringPart { pairs, law: Law::Linear, stiffness: 1e5 }];
    let mut stokes = fluid(8);
    stokes.gradient[0][1] = 0.2;
    let node_masses = (0..8).map(|i| (i, 1e-9)).collect();
    let model = Blueprint { mesh, springs, node_masses, stokes: Some(stokes), ..Blueprint::default() }.build().unwrap();
    for method in methods() {
        let end = run(method, &tight(), &model, &model.state_at_rest(), 1e-3, 12).unwrap();
        let spin: f64 = (0..8)
            .map(|i| (model.rest()[3 * i] * end.v[3 * i + 1] - model.rest()[3 * i + 1] * end.v[3 * i]) / (8.0 * 0.02))
            .sum();
        assert!((spin + 0.1).abs() < 2e-3, "{}: {spin} rad/s", method.name);
    }
}

#[test]
fn a_scripted_neighbour_drags_through_the_fluid() {
    // Two beads at a distance r: the free one moves with the flow of the other, which is pulled along x.
    let (r, speed) = (0.2, 0.1);
    let mesh = Mesh { points: vec![[0.0; 3], [0.0, r, 0.0]], ..Mesh::default() };
    let node_masses = vec![(0, 1e-12), (1, 1e-12)];
    let keys = Motion::Keyframes { times: vec![0.0, 1.0], offsets: vec![[0.0; 3], [speed, 0.0, 0.0]] };
    let scripts = vec![(vec![0], keys)];
    let blueprint = Blueprint { mesh, node_masses, scripts, stokes: Some(fluid(2)), ..Blueprint::default() };
    let model = blueprint.build().unwrap();
    let (square, e2) = (r * r, EPSILON * EPSILON);
    let share = (square + 2.0 * e2) / (square + e2).powf(1.5) / (2.0 / EPSILON);
    for method in methods() {
        let end = run(method, &tight(), &model, &model.state_at_rest(), 1e-2, 10).unwrap();
        let free = model.number(1);
        let found = end.v[3 * free] / speed;
        assert!((found - share).abs() < 1e-3 * share, "{}: {found} {share}", method.name);
    }
}
