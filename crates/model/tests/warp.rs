//! Warping: rotations of linear results become true rotations.

use model::material::sample;
use model::mesh::generate::generate;
use model::mesh::{Mesh, tet_volume};
use model::{Blueprint, Model, SolidPart, Warp, WarpError};
use numerics::blocks::BlockMatrix;
use numerics::linear::{Cholesky, LinearError, LinearSolver};
use numerics::mat3::{Vec3, add, cross, determinant, mat_vec, norm, rotation, scale, sub, transpose};
use std::f64::consts::{FRAC_PI_2, PI};

fn cuboid(size: [f64; 3], cells: [usize; 3]) -> Mesh {
    generate("box", [("size", size.into()), ("cells", cells.map(|n| n as f64).into())]).unwrap()
}

/// Builds a model of a mesh of one material, with some nodes fixed.
fn model(mesh: &Mesh, material: &str, fixed: Vec<u32>) -> Model {
    let tets = (0..mesh.tets.len() as u32).collect();
    let material = sample(material, 1e6, 0.3).unwrap();
    let solids = vec![SolidPart::new(tets, material, 1000.0)];
    Blueprint { mesh: mesh.clone(), solids, fixed, ..Blueprint::default() }.build().unwrap()
}

/// Maps the rest positions of all nodes.
fn placed(model: &Model, to: impl Fn(Vec3) -> Vec3) -> Vec<f64> {
    model.rest().as_chunks::<3>().0.iter().flat_map(|&p| to(p)).collect()
}

fn warped(model: &Model, x: &[f64]) -> Vec<f64> {
    let mut out = vec![f64::NAN; x.len()];
    Warp::new(model).unwrap().apply(x, &mut out);
    out
}

fn farthest(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.as_chunks::<3>().0.iter().zip(b.as_chunks::<3>().0).map(|(a, b)| norm(sub(*a, *b))).fold(0.0, f64::max)
}

fn mass_center(model: &Model, x: &[f64], nodes: impl Fn(usize) -> bool) -> Vec3 {
    let (mut sum, mut mass) = ([0.0; 3], 0.0);
    for (i, p) in x.as_chunks::<3>().0.iter().enumerate().filter(|(i, _)| nodes(*i)) {
        sum = add(sum, scale(model.node_mass()[i], *p));
        mass += model.node_mass()[i];
    }
    scale(1.0 / mass, sum)
}

fn volume(mesh: &Mesh, model: &Model, x: &[f64]) -> f64 {
    let at = |i: u32| -> Vec3 { std::array::from_fn(|c| x[3 * model.number(i as usize) + c]) };
    let of_tet = |[a, b, c, d]: [Vec3; 4]| determinant(&[sub(b, a), sub(c, a), sub(d, a)]) / 6.0;
    mesh.tets.iter().map(|tet| of_tet(tet.map(at))).sum()
}

#[test]
fn a_body_at_rest_stays_to_the_bit() {
    let mesh = cuboid([1.0, 0.4, 0.3], [5, 2, 2]);
    for fixed in [Vec::new(), mesh.groups["x-"].nodes.clone()] {
        let model = model(&mesh, "linear", fixed);
        assert_eq!(warped(&model, model.rest()), model.rest());
    }
}

#[test]
fn a_pure_stretch_and_a_translation_are_left_alone() {
    let mesh = cuboid([1.0, 0.4, 0.3], [5, 2, 2]);
    let model = model(&mesh, "linear", Vec::new());
    let stretched = placed(&model, |[x, y, z]| [1.5 * x + 0.1 * y, 0.1 * x + 0.7 * y, 1.1 * z]);
    assert!(farthest(&warped(&model, &stretched), &stretched) < 1e-14);
    let moved = placed(&model, |p| add(p, [3.0, -200.0, 0.1]));
    assert!(farthest(&warped(&model, &moved), &moved) < 1e-11);
}

#[test]
fn the_field_of_a_rotation_becomes_the_rotation() {
    let mesh = cuboid([1.0, 0.4, 0.3], [5, 2, 2]);
    let free = model(&mesh, "linear", Vec::new());
    let one_held = model(&mesh, "linear", vec![7]);
    let axis = scale(1.0 / 3.0, [1.0, -2.0, 2.0]);
    for angle in [1e-9, 1e-4, 0.5, FRAC_PI_2, PI, 5.0] {
        let turn = rotation(axis, angle);
        for model in [&free, &one_held] {
            // Rotates about the centre of mass, or about the held node: these stay.
            let pivot = if model.free_nodes() == model.nodes() {
                mass_center(model, model.rest(), |_| true)
            } else {
                mesh.points[7]
            };
            let linear = placed(model, |p| add(p, cross(scale(angle, axis), sub(p, pivot))));
            let exact = placed(model, |p| add(pivot, mat_vec(&turn, sub(p, pivot))));
            let off = farthest(&warped(model, &linear), &exact);
            assert!(off < 2e-13, "{angle}: {off}");
        }
    }
}

#[test]
fn a_stretch_in_a_turned_body_is_kept() {
    // u = (W + E) X with a strain: every tet agrees on exp(W) (I + E), so that the result is exact.
    let mesh = cuboid([1.0, 0.4, 0.3], [3, 2, 2]);
    let model = model(&mesh, "linear", vec![0]);
    let (axis, angle) = ([0.0, 0.0, 1.0], 1.0);
    let strain = |[x, y, z]: Vec3| [0.2 * x + 0.05 * y, 0.05 * x - 0.1 * y, 0.3 * z];
    let pivot = mesh.points[0];
    let linear = placed(&model, |p| {
        let arm = sub(p, pivot);
        add(p, add(cross(scale(angle, axis), arm), strain(arm)))
    });
    let exact = placed(&model, |p| {
        let arm = sub(p, pivot);
        add(pivot, mat_vec(&rotation(axis, angle), add(arm, strain(arm))))
    });
    assert!(farthest(&warped(&model, &linear), &exact) < 1e-13);
}

/// Returns a clamped beam under a force at its end, and the linear solution scaled so that the end turns by `angle`
/// [rad].
fn bent(angle: f64) -> (Mesh, Model, Vec<f64>) {
    let mesh = cuboid([2.0, 0.2, 0.2], [30, 3, 3]);
    let model = model(&mesh, "linear", mesh.groups["x-"].nodes.clone());
    let mut k = BlockMatrix::zeros(model.pattern().clone());
    model.stiffness(model.stiffness_kind(), model.rest(), &mut k);
    let mut u = vec![0.0; model.dofs()];
    for &i in &mesh.groups["x+"].nodes {
        u[3 * model.number(i as usize) + 2] = 1.0;
    }
    let mut solver = Cholesky::new(model.pattern()).unwrap();
    solver.prepare(&k).unwrap();
    solver.solve(&k, &mut u, 1).unwrap();
    u.resize(3 * model.nodes(), 0.0);
    // The end face tilts by du_x/dz.
    let at = |edge: f64| {
        let face = mesh.groups["x+"].nodes.iter().map(|&i| i as usize);
        let of_edge = face.filter(|&i| (mesh.points[i][2] - edge).abs() < 1e-9);
        let leans: Vec<f64> = of_edge.map(|i| u[3 * model.number(i)]).collect();
        leans.iter().sum::<f64>() / leans.len() as f64
    };
    let lean = (at(0.0) - at(0.2)) / 0.2;
    let x: Vec<f64> = model.rest().iter().zip(&u).map(|(rest, u)| rest + angle / lean * u).collect();
    (mesh, model, x)
}

#[test]
fn a_beam_bent_by_sixty_degrees_keeps_its_volume() {
    let (mesh, model, linear) = bent(PI / 3.0);
    let shown = warped(&model, &linear);
    let [rest, swollen, kept] = [model.rest(), &linear, &shown].map(|x| volume(&mesh, &model, x));
    // A rotation w x X has the determinant 1 + w^2; w = w_end (2 s - s^2) along the beam, in the mean w_end^2 8 / 15.
    let expected = 1.0 + (PI / 3.0_f64).powi(2) * 8.0 / 15.0;
    assert!((swollen / rest - expected).abs() < 0.03, "linear: {}, not {expected}", swollen / rest);
    assert!((kept / rest - 1.0).abs() < 0.02, "warped: {}", kept / rest);
    // Held nodes stay, and the end points in the direction of the linear rotation.
    let held = 3 * model.free_nodes();
    assert_eq!(shown[held..], model.rest()[held..]);
    let point = |x: &[f64], at: Vec3| -> Vec3 {
        let i = mesh.points.iter().position(|p| norm(sub(*p, at)) < 1e-9).unwrap();
        std::array::from_fn(|c| x[3 * model.number(i) + c])
    };
    let corner = *mesh.points.iter().max_by(|a, b| a.iter().sum::<f64>().total_cmp(&b.iter().sum())).unwrap();
    let along = sub(point(&shown, corner), point(&shown, sub(corner, [2.0 / 30.0, 0.0, 0.0])));
    let angle = along[2].atan2(along[0]);
    assert!((angle.abs() - PI / 3.0).abs() < 0.05, "{angle}");
}

#[test]
fn a_free_body_keeps_its_centre_of_mass() {
    let mesh = cuboid([1.0, 0.4, 0.3], [6, 2, 2]);
    let model = model(&mesh, "linear", Vec::new());
    let linear = placed(&model, |[x, y, z]| [x + 0.3 * z * z + 2.0, y - 0.8 * x * z, z + 1.1 * x * x * y]);
    let shown = warped(&model, &linear);
    assert!(farthest(&shown, &linear) > 0.05, "it is warped");
    let [before, after] = [&linear, &shown].map(|x| mass_center(&model, x, |_| true));
    assert!(norm(sub(before, after)) < 1e-14, "{before:?} became {after:?}");
}

#[test]
fn parts_are_warped_each_by_itself() {
    // One held, one free, and one of another material in the same mesh.
    let one = cuboid([1.0, 0.4, 0.3], [4, 2, 2]);
    let mut mesh = one.clone();
    let mut shifted = one.clone();
    let firsts = [1.0, 2.0].map(|k| {
        shifted.points = one.points.iter().map(|p| add(*p, [0.0, 5.0 * k, 0.0])).collect();
        mesh.append(&shifted) as usize
    });
    let count = one.tets.len() as u32;
    let solid = |name: &str, k: u32| {
        SolidPart::new((k * count..(k + 1) * count).collect(), sample(name, 1e6, 0.3).unwrap(), 1000.0)
    };
    let solids = vec![solid("linear", 0), solid("linear", 1), solid("corotational", 2)];
    let fixed = one.groups["x-"].nodes.clone();
    let model = Blueprint { mesh: mesh.clone(), solids, fixed: fixed.clone(), ..Blueprint::default() }.build().unwrap();
    let bend = |[x, y, z]: Vec3| [x - 1.2 * x * z, y, z + 0.6 * x * x];
    let linear = placed(&model, bend);
    let shown = warped(&model, &linear);
    let nodes = |range: std::ops::Range<usize>| -> (Vec<f64>, Vec<f64>) {
        let take = |x: &[f64]| range.clone().flat_map(|i| x[3 * model.number(i)..][..3].to_vec()).collect();
        (take(&linear), take(&shown))
    };
    let (before, after) = nodes(0..firsts[0]);
    assert!(farthest(&before, &after) > 0.02);
    for &i in &fixed {
        let at = 3 * model.number(i as usize);
        assert_eq!(shown[at..at + 3], linear[at..at + 3]);
    }
    let (before, after) = nodes(firsts[0]..firsts[1]);
    assert!(farthest(&before, &after) > 0.02);
    let free = |i: usize| (firsts[0]..firsts[1]).contains(&model.origin(i));
    let [before, after] = [&linear, &shown].map(|x| mass_center(&model, x, free));
    assert!(norm(sub(before, after)) < 1e-13);
    let (before, after) = nodes(firsts[1]..mesh.points.len());
    assert_eq!(before, after, "what is not linear is shown where it is");
}

#[test]
fn what_is_not_linear_turns_by_itself() {
    // A body of two materials: one half is stretched, the other truly twisted.
    let mesh = cuboid([1.0, 0.4, 0.3], [4, 2, 2]);
    let low = mesh.points.iter().map(|p| p[0]).fold(f64::INFINITY, f64::min) + 0.5;
    let middle = |tet: &[u32; 4]| tet.iter().map(|&i| mesh.points[i as usize][0]).sum::<f64>() / 4.0;
    let (left, right): (Vec<u32>, Vec<u32>) =
        (0..mesh.tets.len() as u32).partition(|&e| middle(&mesh.tets[e as usize]) < low);
    let part = |tets, name| SolidPart::new(tets, sample(name, 1e6, 0.3).unwrap(), 1000.0);
    let solids = vec![part(left, "linear"), part(right, "stvk")];
    let model = Blueprint { mesh: mesh.clone(), solids, ..Blueprint::default() }.build().unwrap();
    let twisted = placed(&model, |[x, y, z]| {
        let turn = rotation([1.0, 0.0, 0.0], 3.0 * (x - low).max(0.0));
        mat_vec(&turn, [x + 0.1 * (x - low).min(0.0), y, z])
    });
    assert!(farthest(&warped(&model, &twisted), &twisted) < 1e-14);
}

#[test]
fn a_part_of_which_every_node_is_held_stays() {
    let one = cuboid([1.0, 0.4, 0.3], [1, 1, 1]);
    let mut mesh = one.clone();
    mesh.append(&one);
    let count = one.tets.len() as u32;
    let part =
        |name, tets: std::ops::Range<u32>| SolidPart::new(tets.collect(), sample(name, 1e6, 0.3).unwrap(), 1000.0);
    let solids = vec![part("linear", 0..count), part("arap", count..2 * count)];
    let fixed = (0..one.points.len() as u32).collect();
    let model = Blueprint { mesh, solids, fixed, ..Blueprint::default() }.build().unwrap();
    let bent = placed(&model, |[x, y, z]| [x - y * y, y + x * z, z]);
    assert_eq!(warped(&model, &bent), bent);
}

#[test]
fn what_cannot_be_warped_is_refused() {
    let mesh = cuboid([1.0, 0.4, 0.3], [2, 1, 1]);
    let refused = Warp::new(&model(&mesh, "stable-neo-hookean", Vec::new())).err().unwrap();
    assert_eq!(refused, WarpError::NothingLinear);
    assert!(refused.to_string().contains("leave warping off"));
    // A model refuses a tet without volume.
    let mut flat = mesh.clone();
    let [a, b, c, d] = flat.tets[0].map(|i| i as usize);
    flat.points[d] = scale(1.0 / 3.0, add(flat.points[a], add(flat.points[b], flat.points[c])));
    let tets = (0..flat.tets.len() as u32).collect();
    let solids = vec![SolidPart::new(tets, sample("linear", 1e6, 0.3).unwrap(), 1.0)];
    assert!(Blueprint { mesh: flat, solids, ..Blueprint::default() }.build().is_err());
}

#[test]
fn what_hangs_by_too_little_is_refused_by_its_node() {
    // A tet of 1 m at node 5, by which two of 1e-18 m hold it.
    let tiny = 1e-18;
    let points = vec![
        [-tiny, 0.0, 0.0],
        [0.0, -tiny, 0.0],
        [0.0, 0.0, -tiny],
        [0.0, tiny, 0.0],
        [0.0, 0.0, tiny],
        [0.0; 3],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
    ];
    let mut mesh = Mesh { points, tets: vec![[5, 6, 7, 8], [5, 0, 2, 1], [5, 0, 3, 4]], ..Mesh::default() };
    for tet in &mut mesh.tets {
        if tet_volume(&tet.map(|i| mesh.points[i as usize])) < 0.0 {
            tet.swap(2, 3);
        }
    }
    let refused = Warp::new(&model(&mesh, "linear", vec![0, 1, 2, 3, 4])).err().unwrap();
    let WarpError::Factor(LinearError::Singular { row: Some(node) }) = refused else { panic!("{refused:?}") };
    // Rows are 0 to 3.
    assert!((5..=8).contains(&node), "{node}");
    assert!(refused.to_string().contains(&format!("the mesh at node {node} cannot be warped")), "{refused}");
}

#[test]
fn numbers_that_cannot_be_turned_are_left_alone() {
    let mesh = cuboid([1.0, 0.4, 0.3], [2, 1, 1]);
    let model = model(&mesh, "linear", Vec::new());
    let far = placed(&model, |[x, y, z]| [-1e200 * y, 1e200 * x, z]);
    assert_eq!(warped(&model, &far), far);
}

#[test]
fn the_bits_do_not_depend_on_the_threads() {
    let (_, model, linear) = bent(1.0);
    let shown = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| warped(&model, &linear))
    };
    let one = shown(1);
    [2, 3, 8].iter().for_each(|&threads| assert!(shown(threads) == one, "{threads} threads"));
    // Nor on earlier calls.
    let mut warp = Warp::new(&model).unwrap();
    let (mut first, mut out) = (vec![0.0; one.len()], vec![0.0; one.len()]);
    warp.apply(&placed(&model, |p| mat_vec(&transpose(&rotation([0.0, 0.6, 0.8], 0.3)), p)), &mut first);
    warp.apply(&linear, &mut out);
    assert!(out == one);
}
