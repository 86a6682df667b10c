//! Rigid motions of a body.

use model::Model;
use numerics::blocks::BlockMatrix;

/// Largest h^2 |K t| / |M t| of a translation t that counts as free.
const FREE: f64 = 1e-9;
/// Row sums of K that are rounding errors, relative to the diagonal.
const ROUNDING: f64 = 1e-13;

/// Returns the three translations of the free nodes, side by side, each with kinetic energy 1/2; none where nodes are
/// held.
pub(super) fn translations(model: &Model) -> Vec<f64> {
    let n = model.dofs();
    if model.free_nodes() < model.nodes() || n == 0 {
        return Vec::new();
    }
    let total: f64 = model.node_mass().iter().sum();
    (0..3).flat_map(|c| (0..n).map(move |i| if i % 3 == c { 1.0 / total.sqrt() } else { 0.0 })).collect()
}

/// Returns true if nothing holds the body: the stiffness resists no translation. A contact may hold it in another step.
pub(super) fn is_free(model: &Model, k: &BlockMatrix, translations: &[f64], h: f64) -> bool {
    let n = model.dofs();
    !translations.is_empty()
        && (0..model.free_nodes()).all(|i| {
            let diagonal = k.values[k.pattern().diagonal(i)];
            let stiffest = (0..3).fold(0.0_f64, |most, c| most.max(diagonal[c][c].abs()));
            // A translation is the same at all nodes, so sums of blocks are enough.
            (0..3).all(|c| {
                let row = k.row_times(i, &translations[c * n..(c + 1) * n]);
                let bound = (FREE * model.node_mass()[i]).max(ROUNDING * h * h * stiffest) * translations[0];
                row.iter().all(|r| h * h * r.abs() <= bound)
            })
        })
}

/// Returns translations, and rotations about the centre, of the free nodes at x.
pub(super) fn rigid_motions(model: &Model, x: &[f64]) -> Vec<f64> {
    let (n, nodes) = (model.dofs(), model.free_nodes());
    let middle: [f64; 3] = std::array::from_fn(|c| x[..n].iter().skip(c).step_by(3).sum::<f64>() / nodes.max(1) as f64);
    let mut motions = vec![0.0; 6 * n];
    for i in 0..nodes {
        let arm: [f64; 3] = std::array::from_fn(|c| x[3 * i + c] - middle[c]);
        for c in 0..3 {
            motions[c * n + 3 * i + c] = 1.0;
            motions[(3 + c) * n + 3 * i + (c + 1) % 3] = -arm[(c + 2) % 3];
            motions[(3 + c) * n + 3 * i + (c + 2) % 3] = arm[(c + 1) % 3];
        }
    }
    motions
}
