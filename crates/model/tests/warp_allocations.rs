//! Warping allocates nothing that grows with the mesh.

#[path = "../../numerics/tests/counting/mod.rs"]
mod counting;

use model::material::sample;
use model::mesh::generate::generate;
use model::{Blueprint, SolidPart, Warp};

#[test]
fn warping_allocates_nothing_that_grows() {
    for is_held in [false, true] {
        let cells = |n: f64| [("cells_along", (10.0 * n).into()), ("cells_across", n.into())];
        let mesh = generate("bar", cells(6.0)).unwrap();
        let tets = (0..mesh.tets.len() as u32).collect();
        let solids = vec![SolidPart::new(tets, sample("linear", 1e6, 0.3).unwrap(), 1.0)];
        let fixed = if is_held { mesh.groups["x-"].nodes.clone() } else { Vec::new() };
        let model = Blueprint { mesh, solids, fixed, ..Blueprint::default() }.build().unwrap();
        let x: Vec<f64> = model.rest().iter().enumerate().map(|(i, x)| x + 0.01 * (i as f64).sin()).collect();
        let mut out = vec![0.0; x.len()];
        let mut warp = Warp::new(&model).unwrap();
        warp.apply(&x, &mut out);
        let [bytes, _] = counting::allocated(|| warp.apply(&x, &mut out));
        // A vector of this bar has 70 kB.
        assert!(bytes < 4096, "{bytes} bytes");
    }
}
