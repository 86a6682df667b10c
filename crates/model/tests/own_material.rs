//! A material from outside the crate: three functions; everything else is derived.

use model::energy::Stiffness;
use model::mesh::generate::generate;
use model::{Blueprint, Model, SolidPart, material};
use numerics::blocks::BlockMatrix;

mod sample {
    use model::material::{Material, Tangent, symmetric_tangent};
    use numerics::mat3::{Mat3, contract, mat_scale};
    use numerics::real::Real;

    /// W = k/4 (tr F^T F - 3)^2: a material that resists only a change of size.
    #[derive(Clone, Copy)]
    pub struct Balloon {
        pub k: f64,
    }

    impl Material for Balloon {
        fn density<R: Real>(&self, f: &Mat3<R>) -> R {
            let excess = contract(f, f) - R::splat(3.0);
            R::splat(0.25 * self.k) * excess * excess
        }

        fn stress<R: Real>(&self, f: &Mat3<R>) -> Mat3<R> {
            mat_scale(R::splat(self.k) * (contract(f, f) - R::splat(3.0)), f)
        }

        fn tangent<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
            let (k, excess) = (R::splat(self.k), contract(f, f) - R::splat(3.0));
            symmetric_tangent(|i, j, m, n| {
                let outer = R::splat(2.0) * k * f[i][j] * f[m][n];
                if i == m && j == n { k.mul_add(excess, outer) } else { outer }
            })
        }
    }
}

fn balloon() -> Model {
    let mesh = generate("box", []).unwrap();
    let tets = (0..mesh.tets.len() as u32).collect();
    let solids = vec![SolidPart::new(tets, material::law(sample::Balloon { k: 1e4 }), 1000.0)];
    Blueprint { mesh, solids, fixed: vec![0], ..Blueprint::default() }.build().unwrap()
}

#[test]
fn it_needs_no_more_than_forty_lines() {
    let text = include_str!("own_material.rs");
    let lines = text.lines().skip_while(|line| *line != "mod sample {").take_while(|line| *line != "}").skip(1);
    let count = lines.filter(|line| !line.trim().is_empty()).count();
    println!("{count} lines");
    assert!((15..=40).contains(&count), "{count} lines");
}

#[test]
fn a_model_of_it_has_forces_stiffnesses_rows_and_blocks() {
    let model = balloon();
    let x: Vec<f64> = model.rest().iter().enumerate().map(|(i, x)| 0.8 * x + 0.02 * (i as f64).sin()).collect();
    let force = |x: &[f64]| {
        let mut f = vec![0.0; model.dofs()];
        model.static_force(0.0, x, &mut f);
        f
    };
    let w: Vec<f64> = (0..x.len()).map(|i| if i < model.dofs() { (3.0 * i as f64).cos() } else { 0.0 }).collect();
    let moved = |by: f64| -> Vec<f64> { x.iter().zip(&w).map(|(x, w)| x + by * w).collect() };
    let along = |f: &[f64]| f.iter().zip(&w).map(|(f, w)| f * w).sum::<f64>();
    let (f, h) = (force(&x), 1e-6);
    let slope = (model.elastic_energy(&moved(h)) - model.elastic_energy(&moved(-h))) / (2.0 * h);
    assert!((slope + along(&f)).abs() < 1e-6 * slope.abs(), "{slope} {}", along(&f));
    let mut product = vec![0.0; model.dofs()];
    let term = &model.terms()[0];
    term.add_stiffness_times(Stiffness::Exact, 1.0, (&x).into(), &w, &mut product);
    let bend = (along(&force(&moved(-h))) - along(&force(&moved(h)))) / (2.0 * h);
    assert!((along(&product) / bend - 1.0).abs() < 1e-6, "{bend} {}", along(&product));

    // Compressed, it tends to expand: the exact stiffness has a negative direction, the projected one has none.
    let mut projected = BlockMatrix::zeros(model.pattern().clone());
    model.stiffness(Stiffness::Projected, &x, &mut projected);
    let mut y = vec![0.0; model.dofs()];
    projected.multiply(&w[..model.dofs()], &mut y);
    assert!(along(&product) < 0.0 && along(&y) > -1e-9, "{} {}", along(&product), along(&y));

    let mut from_rows = vec![0.0; model.dofs()];
    let mut rows = Vec::new();
    for e in 0..term.count() {
        rows.clear();
        term.rows(e, &x, &mut rows);
        assert_eq!(rows.len(), 1);
        for (gradient, &node) in
            rows[0].gradient.iter().zip(term.nodes(e)).filter(|(_, i)| **i < model.free_nodes() as u32)
        {
            (0..3).for_each(|c| from_rows[3 * node as usize + c] -= rows[0].k * rows[0].c * gradient[c]);
        }
    }
    let off = f.iter().zip(&from_rows).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
    assert!(off < 1e-9, "{off:e} N");
    let at_rest = force(model.rest());
    assert!(at_rest.iter().all(|f| f.abs() < 1e-10), "{at_rest:?}");
}
