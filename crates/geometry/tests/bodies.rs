//! All shapes, and bodies composed of them, filled with tets.

mod sound;

use std::f64::consts::PI;

use geometry::shape::{Assembly, Joined, Operation, Part, Placement, Repeat, SHAPES, Twist, shape};
use geometry::{Distance, StuffError, Wanted, components, stuff};
use model::mesh::Mesh;
use sound::check;

fn filled(name: &str, body: &dyn Distance, vertices: usize) -> Mesh {
    let mesh = stuff(body, &Wanted::vertices(vertices), &mut |_| {}).unwrap().mesh;
    check(&mesh, name);
    let share = mesh.points.len() as f64 / vertices as f64;
    assert!((0.95..=1.05).contains(&share), "{name}: {} vertices", mesh.points.len());
    assert_eq!(components(&mesh).1, 1, "{name} is in pieces");
    mesh
}

/// Returns the volume by counting points of a lattice [m^3].
fn volume(body: &dyn Distance) -> f64 {
    const N: usize = 160;
    let [low, high] = body.bounds();
    let side: [f64; 3] = std::array::from_fn(|k| (high[k] - low[k]) / N as f64);
    let place = |n: [usize; 3]| std::array::from_fn(|k| low[k] + side[k] * (n[k] as f64 + 0.5));
    let inside = (0..N * N * N).filter(|n| body.at(place([n % N, n / N % N, n / N / N])) < 0.0).count();
    inside as f64 * side[0] * side[1] * side[2]
}

#[test]
fn every_shape_is_filled() {
    for facts in SHAPES {
        let made = facts.with(&Default::default()).unwrap();
        if facts.name == "half-space" {
            let error = stuff(&*made, &Wanted::vertices(1000), &mut |_| {}).unwrap_err();
            assert!(matches!(error, StuffError::Bounds { .. }));
            continue;
        }
        let mesh = filled(facts.name, &*made, 8_000);
        let exact = volume(&*made);
        let share = mesh.volume() / exact;
        assert!((0.96..1.02).contains(&share), "{}: volume {} of {exact}", facts.name, mesh.volume());
    }
}

#[test]
fn a_body_of_parts_is_filled() {
    let twisted = Part::new(
        shape("box", [("size", [0.5, 0.5, 2.0].into())]).unwrap(),
        Some(Twist { axis: [0.0, 0.0, 1.0], rate: PI / 2.0 }),
        None,
        &Placement::default(),
        None,
    );
    let beads = Part::new(
        shape("ball", [("radius", 0.3.into())]).unwrap(),
        None,
        Some(&Repeat { count: 4, offset: [0.0, 0.0, 0.4], turn: ([0.0, 0.0, 1.0], 1.0), factor: 0.9 }),
        &Placement { position: [0.35, 0.0, -0.6], ..Placement::default() },
        None,
    );
    let bore = Part::plain(shape("capsule", [("radius", 0.1.into())]).unwrap());
    let joined = |operation, blend, part| Joined { operation, blend, name: None, part };
    let body = Assembly::new(vec![
        joined(Operation::Union, 0.0, twisted),
        joined(Operation::Union, 0.15, beads),
        joined(Operation::Difference, 0.05, bore),
    ])
    .unwrap();
    let mesh = filled("twisted box with beads and a bore", &body, 20_000);
    assert!((mesh.volume() / volume(&body) - 1.0).abs() < 0.02);
}
