//! The system of all small steps and the large one (eq. 23), factorised and solved as one unsymmetric matrix, compared
//! with the asynchronous step that uses its structure: the paper's figure 3.

use super::super::runner::Runner;
use super::super::{Findings, time};
use super::{METHOD, fastest};
use crate::failure::Failure;
use faer::Col;
use faer::linalg::solvers::Solve;
use faer::sparse::{SparseColMat, Triplet};
use integrators::Options;
use model::Model;
use numerics::blocks::BlockMatrix;
use serde_json::{Value, json};

/// Ratios to try.
const RATIOS: [usize; 5] = [2, 4, 8, 12, 16];

/// Measures both for each ratio. `body` makes the body with its single region at a ratio.
pub(super) fn measure(
    body: impl Fn(usize) -> Result<Model, Failure>,
    h: f64,
    findings: &mut Findings,
) -> Result<(), Failure> {
    findings.say("the first dragon, all steps as one matrix beside the structured step, its ratio changed:");
    let mut rows: Vec<Value> = Vec::new();
    for ratio in RATIOS {
        let model = body(ratio)?;
        let matrix = matrix(&model, h)?;
        let (factor, factor_ms) = time(|| matrix.sp_lu());
        let factor = factor.map_err(|error| Failure::bench(format!("LU of eq. 23: {error:?}")))?;
        let rhs = Col::<f64>::from_fn(matrix.nrows(), |i| ((i * 7919) % 101) as f64 - 50.0);
        let mut solves = Vec::new();
        for _ in 0..5 {
            let (x, ms) = time(|| factor.solve(&rhs));
            if !x.iter().all(|x| x.is_finite()) {
                return Err(Failure::bench("LU of eq. 23 gave no numbers"));
            }
            solves.push(ms);
        }
        let start = model.state_at_rest();
        let mut runner = Runner::new(&model, &start, METHOD, &Options::default())?;
        for _ in 0..20 {
            runner.step(&model, h)?;
        }
        let [naive, structured] = [fastest(&solves), fastest(&runner.ms)];
        findings.say(&format!(
            "  m = {ratio:2}: {} unknowns, {} entries, factor {factor_ms:.0} ms, solve {naive:.2} ms; structured step {structured:.2} ms",
            matrix.nrows(),
            matrix.compute_nnz(),
        ));
        rows.push(
            json!({ "m": ratio, "naive_solve_ms": naive, "naive_factor_ms": factor_ms, "structured_ms": structured }),
        );
    }
    findings.json.insert("naive".into(), rows.into());
    Ok(())
}

/// Returns the matrix of eq. 23 for a body at rest with one region and lumped masses: rows of the region after each
/// small step, then those of the rest.
fn matrix(model: &Model, h: f64) -> Result<SparseColMat<usize, f64>, Failure> {
    let [region] = model.regions() else { return Err(Failure::bench("eq. 23 has one region")) };
    let (m, s) = (region.ratio, h / region.ratio as f64);
    let free = model.free_nodes();
    // Number of each node in its part.
    let mut within: Vec<(bool, usize)> = vec![(false, 0); free];
    region.nodes.iter().enumerate().for_each(|(k, &i)| within[i as usize] = (true, k));
    let rest = within.iter_mut().filter(|(is_small, _)| !is_small);
    rest.enumerate().for_each(|(k, node)| node.1 = k);
    let size = 3 * region.nodes.len();

    let mut k = BlockMatrix::zeros(model.pattern().clone());
    model.stiffness(model.stiffness_kind(), model.rest(), &mut k);
    let (alpha, beta) = (model.damping().mass, model.damping().stiffness);
    let mut entries = Vec::new();
    for i in 0..free {
        for (j, slot) in model.pattern().neighbours(i) {
            let block = k.values[slot];
            let ((small_i, a), (small_j, b)) = (within[i], within[j]);
            for (r, c) in (0..9).map(|e| (e / 3, e % 3)) {
                let k = if j <= i { block[r][c] } else { block[c][r] };
                let mass = if i == j && r == c { model.node_mass()[i] } else { 0.0 };
                let d = alpha * mass + beta * k;
                let (row, column) = (3 * a + r, 3 * b + c);
                let mut put = |row, column, value| entries.push(Triplet::new(row, column, value));
                match (small_i, small_j) {
                    (true, true) => {
                        for step in 0..m {
                            put(step * size + row, step * size + column, mass + s * d + s * s * k);
                            for before in 0..step {
                                let kept = if before + 1 == step { mass } else { 0.0 };
                                put(step * size + row, before * size + column, s * s * k - kept);
                            }
                        }
                    }
                    (true, false) => {
                        for step in 0..m {
                            let way = (step + 1) as f64 * s;
                            let value = (mass + way * d + way * way * k) / m as f64;
                            put(step * size + row, m * size + column, value);
                        }
                    }
                    (false, true) => {
                        for step in 0..m {
                            let last = if step + 1 == m { mass + h * d } else { 0.0 };
                            put(m * size + row, step * size + column, h * s * k + last);
                        }
                    }
                    (false, false) => put(m * size + row, m * size + column, mass + h * d + h * h * k),
                }
            }
        }
    }
    let all = m * size + 3 * (free - region.nodes.len());
    SparseColMat::try_new_from_triplets(all, all, &entries)
        .map_err(|error| Failure::bench(format!("eq. 23: {error:?}")))
}
