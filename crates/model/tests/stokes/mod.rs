//! Drag in Stokes flow against known answers: spheres, rods, helices, and a rigid swimmer.

use model::fibre::{FibreKind, Fibres, Root};
use model::mesh::Mesh;
use model::mesh::generate::Value;
use model::stokes::{DragError, Motor, Point, Stokes, StokesError};
use model::{Blueprint, Model, ModelError};
use numerics::mat3::{Vec3, add, cross, dot, norm, scale, sub};
use std::f64::consts::{PI, TAU};

const WATER: f64 = 1e-3;

/// Points of a sphere, each for the same area (Fibonacci).
fn sphere(radius: f64, count: usize) -> Vec<Vec3> {
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    let point = |k: usize| {
        let z = 1.0 - (2 * k + 1) as f64 / count as f64;
        let (sin, cos) = (golden * k as f64).sin_cos();
        let across = (1.0 - z * z).sqrt();
        scale(radius, [across * cos, across * sin, z])
    };
    (0..count).map(point).collect()
}

fn distance(radius: f64, count: usize) -> f64 {
    (4.0 * PI * radius * radius / count as f64).sqrt()
}

/// A fluid with nodes in it; each of the first points is a node of its own.
fn in_water(viscosity: f64, points: &[Vec3], epsilon: f64) -> (Stokes, Mesh) {
    let own = (0..points.len() as u32).map(|i| Point { of: vec![(i, 1.0)], epsilon }).collect();
    let mesh = Mesh { points: points.to_vec(), ..Mesh::default() };
    (Stokes { viscosity, points: own, ..Stokes::default() }, mesh)
}

fn model(stokes: Stokes, mesh: Mesh) -> Model {
    let node_masses = (0..mesh.points.len() as u32).map(|i| (i, 1e-18)).collect();
    Blueprint { mesh, node_masses, stokes: Some(stokes), ..Blueprint::default() }.build().unwrap()
}

/// Returns a straight fibre, or a helix about z that begins at height z, of a filament of this radius.
fn filament(length: f64, segments: u32, radius: f64, curl: Option<[f64; 2]>, z: f64) -> Fibres {
    let [beside, pitch] = curl.unwrap_or_default();
    let numbers = [("length", length), ("segments", segments.into()), ("diameter", 2.0 * radius), ("young", 1e8)];
    let more = [("density", 1000.0), ("curl_radius", beside), ("curl_pitch", pitch), ("ring_scale", 1.0)];
    let given = numbers.into_iter().chain(more).map(|(name, x)| (name.to_string(), Value::from(x))).collect();
    let kind = FibreKind::resolve(&given).unwrap();
    // The axis of a helix along z lies beside its root, towards y.
    Fibres::new(&kind, &[Root { point: [0.0, -beside, z], direction: [0.0, 0.0, 1.0] }])
}

/// Motion of the nodes of a mesh per unit of each of some motions.
type Motions = Vec<Box<dyn Fn(usize, Vec3) -> Vec3>>;

/// The resistance to motions at rest: forces along each, per velocity of each.
fn resistance(model: &Model, motions: &Motions) -> Vec<Vec<f64>> {
    let mut drag = model.drag().unwrap().unwrap();
    drag.hold(model.rest()).unwrap();
    let moved = |motion: &dyn Fn(usize, Vec3) -> Vec3| -> Vec<f64> {
        let rest = model.rest().as_chunks::<3>().0;
        (0..model.nodes()).flat_map(|i| motion(model.origin(i), rest[i])).collect()
    };
    let all: Vec<Vec<f64>> = motions.iter().map(|motion| moved(motion)).collect();
    let pushed = |v: &Vec<f64>| {
        let mut force = vec![0.0; v.len()];
        drag.add_times(1.0, v, &mut force);
        all.iter().map(|w| w.iter().zip(&force).map(|(w, f)| w * f).sum()).collect()
    };
    all.iter().map(pushed).collect()
}

fn along(direction: Vec3) -> Box<dyn Fn(usize, Vec3) -> Vec3> {
    Box::new(move |_, _| direction)
}

fn about(axis: Vec3) -> Box<dyn Fn(usize, Vec3) -> Vec3> {
    Box::new(move |_, x| cross(axis, x))
}

#[test]
fn a_sphere_has_the_drag_of_stokes() {
    // The table of mod.rs, and the same at a viscosity and a size of its own: units do not matter.
    for (count, size, viscosity, force, torque) in
        [(200, 1.0, 1.0, 1.0067, 1.038), (50, 1.0, 1.0, 1.016, 1.075), (200, 2.0_f64.powi(-20), WATER, 1.0067, 1.038)]
    {
        let (stokes, mesh) = in_water(viscosity, &sphere(size, count), 0.4 * distance(size, count));
        let model = model(stokes, mesh);
        let r = resistance(&model, &vec![along([0.0, 0.0, 1.0]), about([0.0, 0.0, 1.0]), along([1.0, 0.0, 0.0])]);
        let [up, turn, over] = [r[0][0], r[1][1], r[2][2]];
        let stokes = 6.0 * PI * viscosity * size;
        let found = [up / stokes, over / stokes, turn / (8.0 * PI * viscosity * size.powi(3))];
        println!("{count} points: {found:?}");
        assert!((found[0] - force).abs() < 0.002 && (found[1] - force).abs() < 0.002, "drag {found:?}");
        assert!((found[2] - torque).abs() < 0.004, "torque {found:?}");
    }
}

#[test]
fn rods_have_the_drag_of_slender_bodies() {
    // Tirado, Garcia de la Torre 1979: cylinders of length L and diameter d, p = L / d.
    for slenderness in [100.0, 200.0_f64] {
        let radius = 0.01;
        let length = slenderness * radius;
        let fibres = filament(length, 8, radius, None, 0.0);
        let mut stokes = Stokes { viscosity: WATER, ..Stokes::default() };
        stokes.wet_fibres(&fibres, &fibres.mesh, 0, 1.0);
        let model = model(stokes, fibres.mesh);
        let r = resistance(&model, &vec![along([0.0, 0.0, 1.0]), along([1.0, 0.0, 0.0]), about([0.0, 0.0, 1.0])]);
        let p = 0.5 * slenderness;
        let lengthwise = 2.0 * PI * WATER * length / (p.ln() - 0.207 + 0.980 / p - 0.133 / (p * p));
        let across = 4.0 * PI * WATER * length / (p.ln() + 0.839 + 0.185 / p + 0.233 / (p * p));
        let about = 4.0 * PI * WATER * radius * radius * length;
        let found = [r[0][0] / lengthwise, r[1][1] / across, r[2][2] / about];
        println!("L / a = {slenderness}: {found:?}");
        assert!(found.iter().all(|ratio| (ratio - 1.0).abs() < 0.015), "L / a = {slenderness}: {found:?}");
    }
}

/// A bacterium's tail: a helix of 3 turns.
fn tail(segments: u32, z: f64) -> Fibres {
    filament(7.63e-6, segments, 2e-8, Some([2.5e-7, 2e-6]), z)
}

#[test]
fn a_helix_that_turns_pushes() {
    let spacing = 1.2 / model::stokes::EPSILON_PER_RADIUS;
    for segments in [29, 60] {
        let fibres = tail(segments, 0.0);
        let mut stokes = Stokes { viscosity: WATER, ..Stokes::default() };
        stokes.wet_fibres(&fibres, &fibres.mesh, 0, spacing);
        let points = stokes.points.len();
        let motions = vec![about([0.0, 0.0, 1.0]), along([0.0, 0.0, 1.0])];
        let whole = resistance(&model(stokes.clone(), fibres.mesh.clone()), &motions);
        // The reference is a line of blobs. Rings also turn about their centres: all of it about the filament, half of it across.
        stokes.followers.clear();
        let r = resistance(&model(stokes, fibres.mesh), &motions);
        let own = 4.0 * PI * WATER * 2e-8 * 2e-8 * 7.63e-6 * (0.5 + 0.5 * 0.666_f64.cos().powi(2));
        assert!(((whole[0][0] - r[0][0]) / own - 1.0).abs() < 0.06, "{} of {own}", whole[0][0] - r[0][0]);
        let turning = TAU * 100.0;
        let [thrust, torque, axial] = [(r[0][1] * turning).abs(), r[0][0] * turning, r[1][1]];
        println!("{segments} segments, {points} points: thrust {thrust:e} N, torque {torque:e} N m, axial {axial:e}");
        assert!((thrust / 0.449e-12 - 1.0).abs() < 0.02, "thrust {thrust:e} N");
        assert!((torque / 0.872e-18 - 1.0).abs() < 0.02, "torque {torque:e} N m");
        assert!((axial / 1.045e-8 - 1.0).abs() < 0.02, "axial drag {axial:e} N s/m");
    }
}

/// Swims with a rigid head and a rigid tail; returns speed along the axis [m/s], and turns of head and tail [Hz].
fn rigid_swimmer(torque: f64, viscosity: f64) -> [f64; 3] {
    let (radius, count) = (1e-6, 200);
    let head = sphere(radius, count);
    let (mut stokes, mut mesh) = in_water(viscosity, &head, 0.4 * distance(radius, count));
    let fibres = tail(29, 1.1e-6);
    stokes.wet_fibres(&fibres, &fibres.mesh, count as u32, 0.73);
    mesh.append(&fibres.mesh);
    let model = model(stokes, mesh);
    let axis = [0.0, 0.0, 1.0];
    let mut motions: Motions = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], axis].into_iter().map(along).collect();
    // Lengths of the order of the head keep the system well conditioned.
    let turn = 1.0 / radius;
    motions.extend([[turn, 0.0, 0.0], [0.0, turn, 0.0], [0.0, 0.0, turn]].into_iter().map(about));
    motions.push(Box::new(move |i, x| if i < count { [0.0; 3] } else { cross([0.0, 0.0, turn], x) }));
    let mut a = resistance(&model, &motions);
    // No force and no torque but that between head and tail.
    let mut y = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, turn * torque];
    for k in 0..7 {
        for i in 0..7 {
            if i != k {
                let share = a[i][k] / a[k][k];
                (0..7).for_each(|j| a[i][j] -= share * a[k][j]);
                y[i] -= share * y[k];
            }
        }
    }
    let speed = |k: usize| y[k] / a[k][k];
    [speed(2), speed(5) * turn / TAU, speed(6) * turn / TAU]
}

#[test]
fn a_rigid_swimmer_swims() {
    let [speed, head, tail] = rigid_swimmer(1e-18, WATER);
    println!("{speed:e} m/s, head {head} Hz, tail {tail} Hz");
    assert!((12.1e-6..13.9e-6).contains(&speed.abs()), "speed {speed:e} m/s");
    assert!((head + 5.7).abs() < 0.2, "head {head} Hz");
    assert!((tail - 120.0).abs() < 4.0, "tail {tail} Hz");
    // A right-handed helix that turns to the left pushes towards its tip, so that the head goes first.
    let [back, ..] = rigid_swimmer(-2e-18, WATER);
    let [thick, ..] = rigid_swimmer(1e-18, 8.0 * WATER);
    assert!((back / speed + 2.0).abs() < 1e-9 && (8.0 * thick / speed - 1.0).abs() < 1e-9);
}

#[test]
fn the_mobility_gives_the_flow_of_a_couple() {
    // Two opposite forces at a distance d: far away, and near, the flow of the torque in closed form.
    let (epsilon, d, torque, mu) = (0.3, 1e-4, 2.0, 0.7);
    let mut cloud = model::stokes::Cloud::new([epsilon, epsilon].into_iter());
    cloud.place(0, [0.5 * d, 0.0, 0.0]);
    cloud.place(1, [-0.5 * d, 0.0, 0.0]);
    let half = torque / (2.0 * 0.5 * d);
    for place in [[1.0, 0.2, 0.1], [0.1, 0.3, -0.2], [0.0, 2.0, 0.0]] {
        // Its antisymmetric part: the forces across the arm, and along it turned by 90 degrees.
        let u = cloud.velocity(mu, place, &[[0.0, half, 0.0], [0.0, -half, 0.0]]);
        let mut turned = model::stokes::Cloud::new([epsilon, epsilon].into_iter());
        turned.place(0, [0.0, 0.5 * d, 0.0]);
        turned.place(1, [0.0, -0.5 * d, 0.0]);
        let w = turned.velocity(mu, place, &[[-half, 0.0, 0.0], [half, 0.0, 0.0]]);
        let mean = scale(0.5, add(u, w));
        let square = dot(place, place);
        let factor =
            (2.0 * square + 5.0 * epsilon * epsilon) / (16.0 * PI * mu * (square + epsilon * epsilon).powf(2.5));
        let expected = scale(factor, cross([0.0, 0.0, torque], place));
        assert!(norm(sub(mean, expected)) < 1e-6 * norm(expected), "{place:?}: {mean:?} {expected:?}");
    }
}

#[test]
fn a_motor_has_no_force_and_no_torque_in_sum() {
    let mut points = sphere(1e-6, 20);
    points.extend([[0.0, 0.0, -5e-7], [1e-8, 2e-8, 8e-7]]);
    let ring = tail(29, 1.1e-6).mesh.points[..4].to_vec();
    points.extend(ring);
    let motor = Motor { axle: [20, 21], turned: (22..26).collect(), held: (0..20).collect(), torque: 1e-18 };
    let node_masses = (0..26).map(|i| (i, 1e-18)).collect();
    let mesh = Mesh { points, ..Mesh::default() };
    let model = Blueprint { mesh, node_masses, motors: vec![motor], ..Blueprint::default() }.build().unwrap();
    let mut f = vec![0.0; 78];
    model.static_force(0.0, model.rest(), &mut f);
    let sums = |nodes: &dyn Fn(usize) -> bool| {
        let all = (0..26).filter(|&i| nodes(model.origin(i)));
        all.fold([[0.0; 3]; 2], |[force, torque], i| {
            let (x, f) = (model.rest().as_chunks::<3>().0[i], f.as_chunks::<3>().0[i]);
            [add(force, f), add(torque, cross(x, f))]
        })
    };
    let [force, torque] = sums(&|_| true);
    let most = f.iter().fold(0.0_f64, |most, f| most.max(f.abs()));
    println!("{most:e} {force:?} {torque:?}");
    assert!(most > 1e-13 && norm(force) < 1e-14 * most && norm(torque) < 1e-14 * 1e-18, "{force:?} {torque:?}");
    let axle = [1e-8, 2e-8, 1.3e-6];
    let [_, turned] = sums(&|i| i >= 22);
    let expected = scale(1e-18 / norm(axle), axle);
    assert!(norm(sub(turned, expected)) < 1e-13 * 1e-18, "{turned:?} {expected:?}");
}

#[test]
fn what_cannot_be_is_refused() {
    let build = |change: &dyn Fn(&mut Blueprint)| {
        let (stokes, mesh) = in_water(WATER, &sphere(1.0, 6), 0.3);
        let node_masses = (0..6).map(|i| (i, 1.0)).collect();
        let mut blueprint = Blueprint { mesh, node_masses, stokes: Some(stokes), ..Blueprint::default() };
        change(&mut blueprint);
        match blueprint.build() {
            Err(ModelError::Stokes(error)) => Some(error),
            Ok(_) => None,
            Err(other) => panic!("{other}"),
        }
    };
    fn stokes(blueprint: &mut Blueprint) -> &mut Stokes {
        blueprint.stokes.as_mut().unwrap()
    }
    assert_eq!(build(&|_| ()), None);
    assert_eq!(build(&|b| stokes(b).viscosity = 0.0), Some(StokesError::Viscosity(0.0)));
    assert_eq!(build(&|b| stokes(b).gradient[0][0] = 1.0), Some(StokesError::Divergence(1.0)));
    assert_eq!(build(&|b| stokes(b).gradient[0][1] = 1.0), None);
    assert_eq!(build(&|b| stokes(b).points[2].epsilon = -1.0), Some(StokesError::Epsilon(-1.0)));
    assert_eq!(build(&|b| stokes(b).points[2].of[0].0 = 6), Some(StokesError::Mean { node: 6 }));
    assert_eq!(build(&|b| stokes(b).points[2].of[0].1 = 0.5), Some(StokesError::Mean { node: 2 }));
    let many = build(&|b| stokes(b).points = vec![Point { of: vec![(0, 1.0)], epsilon: 1.0 }; 5001]);
    assert_eq!(many, Some(StokesError::TooMany { points: 5001, nodes: 1 }));
    let motor = || Motor { axle: [0, 1], turned: vec![0, 1, 2], held: vec![3, 4, 5], torque: 1.0 };
    assert_eq!(build(&|b| b.motors = vec![motor()]), None);
    let two = Motor { turned: vec![0, 1], ..motor() };
    assert_eq!(build(&|b| b.motors = vec![motor(), two.clone()]), Some(StokesError::OnALine { motor: 1 }));
    let none = Motor { axle: [3, 3], ..motor() };
    assert_eq!(build(&|b| b.motors = vec![none.clone()]), Some(StokesError::NoAxle { motor: 0 }));
    let lost = Motor { torque: f64::NAN, ..motor() };
    assert_eq!(build(&|b| b.motors = vec![lost.clone()]), Some(StokesError::Torque { motor: 0 }));

    // Two points at one place cannot be told apart.
    let (fluid, mesh) = in_water(WATER, &sphere(1.0, 6), 0.3);
    let model = model(fluid, mesh);
    let mut drag = model.drag().unwrap().unwrap();
    let mut x = model.rest().to_vec();
    x.copy_within(0..3, 3);
    assert_eq!(drag.hold(&x), Err(DragError::Mobility));
    x[4] = f64::NAN;
    assert_eq!(drag.hold(&x), Err(DragError::NonFinite { node: 1 }));
}

#[test]
fn generated_spheres_are_rigid_for_any_count() {
    for count in [12, 13, 60, 97, 200, 999, 4998] {
        let mesh = model::mesh::generate::generate("sphere", [("count", f64::from(count).into())]).unwrap();
        // Euler: a triangulated sphere has 3 n - 6 edges; two spokes per point, and the axle.
        assert_eq!(mesh.edges.len(), 3 * count as usize - 6 + 2 * count as usize + 1, "{count}");
        assert_eq!(mesh.triangles.len(), 2 * count as usize - 4);
        assert!(mesh.points[..count as usize].iter().all(|p| (norm(*p) - 1.0).abs() < 1e-14));
        assert_eq!(mesh.groups["axle"].nodes, [count, count + 1]);
    }
}
