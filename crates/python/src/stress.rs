//! Stress of tets, from their materials.

use model::SolidPart;
use numerics::mat3::{Mat3, Vec3, cofactor, determinant, mat_mul, mat_mul_t, mat_scale, sub, unit};
use scene::Built;

/// Returns the Cauchy stress of every tet [Pa], sigma = P F^T / det F; NaN for tets without material.
pub fn cauchy(built: &Built) -> Vec<Mat3> {
    let (mesh, model) = (&built.mesh, built.simulation.model());
    let x = built.simulation.state().x.as_chunks::<3>().0;
    let mut all = vec![[[f64::NAN; 3]; 3]; mesh.tets.len()];
    for SolidPart { tets, material, .. } in &built.solids {
        let axes = material.axis().map(fibre_axes);
        for &e in tets {
            let e = e as usize;
            let rest = edges(mesh.tet_points(e));
            let now = edges(mesh.tets[e].map(|node| x[model.number(node as usize)]));
            // F = now rest^-1, and rest^-1 is the transposed cofactor over the determinant.
            let f = mat_scale(1.0 / determinant(&rest), &mat_mul_t(&now, &cofactor(&rest)));
            let stress = match &axes {
                Some(q) => mat_mul_t(&material.response(&mat_mul(&f, q)).stress, q),
                None => material.response(&f).stress,
            };
            all[e] = mat_scale(1.0 / determinant(&f), &mat_mul_t(&stress, &f));
        }
    }
    all
}

/// Returns the shortest rotation from x, which materials call their fibres, to the direction of the fibres or its opposite.
fn fibre_axes(direction: Vec3) -> Mat3 {
    let direction = unit(direction);
    let [c, y, z] = if direction[0] < 0.0 { direction.map(|x| -x) } else { direction };
    let k = 1.0 / (1.0 + c);
    [[c, -y, -z], [y, 1.0 - k * y * y, -k * y * z], [z, -k * y * z, 1.0 - k * z * z]]
}

/// Returns the edges from the first corner of a tet, as columns.
fn edges([a, b, c, d]: [Vec3; 4]) -> Mat3 {
    let [b, c, d] = [sub(b, a), sub(c, a), sub(d, a)];
    std::array::from_fn(|r| [b[r], c[r], d[r]])
}
