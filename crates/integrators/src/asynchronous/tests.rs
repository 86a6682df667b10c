//! The matrix of the rest, which steps do not show.

use super::Asynchronous;
use super::region::rows_reached;
use crate::options::Options;
use crate::stepper::Stepper;
use model::material::MaterialKind;
use model::mesh::generate::{Value, generate};
use model::{Blueprint, Model, Region, SolidPart};

/// A bar held at one end whose last third takes five steps while the rest takes one.
fn bar(consistent_mass: bool, damping: [f64; 2]) -> Model {
    let size = Value::Numbers(vec![0.6, 0.2, 0.2]);
    let mesh = generate("box", [("size", size), ("cells", Value::Numbers(vec![6.0, 2.0, 2.0]))]).unwrap();
    let beyond =
        |x: f64| mesh.points.iter().enumerate().filter(move |(_, p)| p[0] > x).map(|(i, _)| i as u32).collect();
    Blueprint {
        regions: vec![Region { nodes: beyond(0.35), ratio: 5 }],
        solids: vec![SolidPart {
            tets: (0..mesh.tets.len() as u32).collect(),
            material: MaterialKind::new("linear", 1e5, 0.3).unwrap(),
            density: 1000.0,
        }],
        fixed: mesh.groups["x-"].nodes.clone(),
        consistent_mass,
        damping,
        mesh,
        ..Blueprint::default()
    }
    .build()
    .unwrap()
}

/// The skew part of what the region takes from the matrix, relative to it.
fn asymmetry(model: &Model) -> f64 {
    let mut stepper = Asynchronous::new(model, &Options::default()).unwrap();
    stepper.step(model, &mut model.state_at_rest(), 0.01).unwrap();
    let taken = &stepper.regions[0].taken;
    let n = taken.len().isqrt();
    let norm = |of: &dyn Fn(usize) -> f64| (0..n * n).map(|at| of(at).powi(2)).sum::<f64>().sqrt();
    norm(&|at| taken[at] - taken[at % n * n + at / n]) / norm(&|at| taken[at])
}

#[test]
fn a_lumped_mass_makes_the_complement_symmetric_and_a_consistent_one_almost() {
    for damping in [[0.0; 2], [0.5, 2e-3]] {
        let [lumped, consistent] = [false, true].map(|is_consistent| asymmetry(&bar(is_consistent, damping)));
        println!("{lumped:.1e} {consistent:.1e}");
        assert!(lumped < 1e-13, "{lumped:e}");
        assert!(consistent > 1e-9 && consistent < 0.1, "{consistent:e}");
    }
}

#[test]
fn rows_that_nothing_reaches_are_left_out() {
    let model = bar(false, [0.0; 2]);
    let mut stepper = Asynchronous::new(&model, &Options::default()).unwrap();
    let mut reached = |h: f64| {
        stepper.step(&model, &mut model.state_at_rest(), h).unwrap();
        stepper.regions[0].reached().len()
    };
    let all = model.regions()[0].nodes.len();
    assert_eq!(reached(0.01), all);
    assert!(reached(1e-6) < all);
}

#[test]
fn columns_have_limits_of_their_own() {
    // Three nodes: a soft column that reaches the first and, by rounding alone, the second; a stiff one that reaches the third.
    let soft = [1.0, 0.0, 0.0, 1e-17, 0.0, 0.0, 0.0, 0.0, 0.0];
    let stiff = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1e-17, 0.0];
    let zeros = [0.0; 18];
    let columns = [soft, stiff].concat();
    assert_eq!(rows_reached([&columns, &zeros], 9).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(rows_reached([&zeros, &columns], 9).collect::<Vec<_>>(), [0, 2]);
}
