//! Rotation of each node's neighbourhood (a block row) between two configurations of all nodes.
//!
//! The rotation of node i is the one that maps its edges e_j = x_j - x_i closest to the new ones, e_j':
//!
//!   R = arg min sum_j w_j |R e_j - e_j'|^2 = polar factor of F = sum_j w_j e_j' e_j^T
//!
//! over the neighbours j in the pattern of the matrix, whatever couples them. The weight of an edge is its stiffness in
//! the matrix: where a soft part meets a stiff one, nodes rotate with the stiff one. A solid determines R; so does a
//! sheet, since R is never a reflection. A rope leaves the rotation about its tangent undetermined, and a nearly
//! straight one almost: its small curvature may flip from one side to the other suddenly. There F is guided by the
//! smallest rotation R_1 that maps the old tangent to the new one,
//!
//!   F + w R_1,   w = max(0, ROPE sigma_0 - sigma_1),
//!
//! with sigma_0 >= sigma_1 the singular values of F; solids and sheets have w = 0 and are unaffected. A node without
//! neighbours does not rotate.

use crate::blocks::{BlockMatrix, Pattern};
use crate::mat3::{
    IDENTITY, Mat3, Vec3, cofactor, contract, cross, determinant, dot, mat_add, mat_mul, mat_mul_t, mat_scale, mat_sub,
    mat_t_vec, mat_vec, norm, outer, scale, sub,
};
use crate::real::{Lanes, Real};
use crate::spectral3::{Svd, svd};
use rayon::prelude::*;

/// Nodes side by side in lanes.
const LANES: usize = Lanes::LANES;
/// Blocks per task of weights.
const BLOCKS_PER_TASK: usize = 8192;
/// Groups of nodes per task.
const GROUPS_PER_TASK: usize = 32;
/// Least det F / |F|^3 of a solid.
const SOLID: f64 = 1e-4;
/// Square of a change after which the next one, of its square, is below rounding.
const CONVERGED: f64 = 1e-16;
/// Limit of Newton passes: what the flattest solids need, and two more.
const MOST_PASSES: usize = 10;
/// Squared edges across below this share of those along make a rope.
const ROPE: f64 = 1e-2;

/// Computes the weight of each edge, by slot: the norm of its block.
pub fn weights(a: &BlockMatrix, out: &mut Vec<f64>) {
    let norm = |block: &Mat3| block.iter().flatten().map(|b| b * b).sum::<f64>().sqrt();
    out.resize(a.values.len(), 0.0);
    out.par_chunks_mut(BLOCKS_PER_TASK).zip(a.values.par_chunks(BLOCKS_PER_TASK)).for_each(|(out, blocks)| {
        out.iter_mut().zip(blocks).for_each(|(out, block)| *out = norm(block));
    });
}

/// Computes the rotation of each row of the pattern from positions `from` to positions `to` [m], with the weights of
/// edges. The same bits on any number of threads; allocates nothing.
pub fn rotations(pattern: &Pattern, weights: &[f64], from: &[f64], to: &[f64], out: &mut [Mat3]) {
    out.par_chunks_mut(LANES * GROUPS_PER_TASK).enumerate().for_each(|(task, out)| {
        for (group, out) in out.chunks_mut(LANES).enumerate() {
            let first = (task * GROUPS_PER_TASK + group) * LANES;
            let mut f = [[[0.0; 3]; 3]; LANES];
            for (lane, f) in f.iter_mut().enumerate().take(out.len()) {
                *f = edges(pattern, weights, first + lane, from, to);
            }
            let packed: Mat3<Lanes> =
                std::array::from_fn(|r| std::array::from_fn(|c| Lanes::from_fn(|lane| f[lane][r][c])));
            if let Some(rotation) = polar_of_solids(&packed) {
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = std::array::from_fn(|r| std::array::from_fn(|c| rotation[r][c].lane(lane)));
                }
                continue;
            }
            let Svd { u, sigma, v } = svd(&packed);
            let rotation = mat_mul_t(&u, &v);
            for (lane, out) in out.iter_mut().enumerate() {
                let [along, across] = [0, 1].map(|k| sigma[k].lane(lane));
                let lead = ROPE * along - across;
                *out = if lead <= 0.0 && along > 0.0 {
                    std::array::from_fn(|r| std::array::from_fn(|c| rotation[r][c].lane(lane)))
                } else {
                    let column = |a: &Mat3<Lanes>| std::array::from_fn(|r| a[r][0].lane(lane));
                    turn_of_rope(&f[lane], lead, column(&v), column(&u))
                };
            }
        }
    });
}

/// Rotates vectors, three numbers per node and column by column, with the rotations of the nodes.
pub fn turn(rotations: &[Mat3], vectors: &mut [f64]) {
    vectors.par_chunks_exact_mut(3 * rotations.len().max(1)).for_each(|column| {
        for (x, r) in column.as_chunks_mut::<3>().0.iter_mut().zip(rotations) {
            *x = mat_vec(r, *x);
        }
    });
}

/// The inverse of [`turn`].
pub fn turn_back(rotations: &[Mat3], vectors: &mut [f64]) {
    vectors.par_chunks_exact_mut(3 * rotations.len().max(1)).for_each(|column| {
        for (x, r) in column.as_chunks_mut::<3>().0.iter_mut().zip(rotations) {
            *x = mat_t_vec(r, *x);
        }
    });
}

/// Computes F of node `i`.
fn edges(pattern: &Pattern, weights: &[f64], i: usize, from: &[f64], to: &[f64]) -> Mat3 {
    let at = |x: &[f64], i: usize| -> Vec3 { std::array::from_fn(|c| x[3 * i + c]) };
    let (here, there) = (at(from, i), at(to, i));
    let others = pattern.neighbours(i).filter(|&(j, _)| j != i);
    others.fold([[0.0; 3]; 3], |f, (j, slot)| {
        mat_add(&f, &outer(scale(weights[slot], sub(at(to, j), there)), sub(at(from, j), here)))
    })
}

/// Computes the polar factors by Newton's iteration X <- (X + X^-T) / 2, scaled (Higham 1986), where no lane is near a
/// sheet, a rope or a mirror image: these need singular values, which take five times as long.
fn polar_of_solids(f: &Mat3<Lanes>) -> Option<Mat3<Lanes>> {
    let half = Lanes::splat(0.5);
    // NaN is not positive.
    let all_positive = |lanes: Lanes| (0..LANES).all(|k| lanes.lane(k) > 0.0);
    let mut x = *f;
    for _ in 0..MOST_PASSES {
        let (cofactor, determinant) = (cofactor(&x), determinant(&x));
        let size = contract(&x, &x);
        // det / |X|^3 is 1 / 5.2 for a rotation.
        if !all_positive(determinant - Lanes::splat(SOLID) * size * size.sqrt()) {
            return None;
        }
        let inverse = Lanes::splat(1.0) / determinant;
        // gamma^2 = |X^-T| / |X| makes the largest and the smallest singular value inverse to each other.
        let gamma = (contract(&cofactor, &cofactor).sqrt() * inverse / size.sqrt()).sqrt();
        let (a, b) = (half * gamma, half * inverse / gamma);
        let next: Mat3<Lanes> = std::array::from_fn(|r| std::array::from_fn(|c| a * x[r][c] + b * cofactor[r][c]));
        let change = mat_sub(&next, &x);
        x = next;
        if all_positive(Lanes::splat(CONVERGED) - contract(&change, &change)) {
            return Some(x);
        }
    }
    None
}

/// Returns the rotation if the edges have the single direction `old`, which became `new`; the identity without edges.
#[cold]
fn turn_of_rope(f: &Mat3, lead: f64, old: Vec3, new: Vec3) -> Mat3 {
    if lead.is_nan() || lead <= 0.0 {
        return IDENTITY;
    }
    let Svd { u, v, .. } = svd(&mat_add(f, &mat_scale(lead, &smallest_rotation(old, new))));
    mat_mul_t(&u, &v)
}

/// Returns the smallest rotation that maps one unit vector to another.
fn smallest_rotation(from: Vec3, to: Vec3) -> Mat3 {
    let (c, w) = (dot(from, to), cross(from, to));
    if c > -0.5 {
        // I + W + W^2 / (1 + c), W x = w x x.
        let spin = [[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]];
        let square = mat_sub(&outer(w, w), &mat_scale(dot(w, w), &IDENTITY));
        return mat_add(&mat_add(&IDENTITY, &spin), &mat_scale(1.0 / (1.0 + c), &square));
    }
    // Beyond a third of a turn 1 + c loses digits: half a turn about the same axis first. Opposite vectors have no
    // axis; any perpendicular one serves.
    let axis = if norm(w) > 1e-8 { w } else { across(from) };
    let half = mat_sub(&mat_scale(2.0 / dot(axis, axis), &outer(axis, axis)), &IDENTITY);
    mat_mul(&smallest_rotation(scale(-1.0, from), to), &half)
}

/// Returns a vector perpendicular to a unit vector.
fn across(a: Vec3) -> Vec3 {
    let smallest = (0..3).fold(0, |k, c| if a[c].abs() < a[k].abs() { c } else { k });
    cross(a, IDENTITY[smallest])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mat3::{add, rotation};
    use std::sync::Arc;

    /// Grid nodes, each the neighbour of those at most one cell away, and the pattern.
    fn grid(cells: [usize; 3]) -> (Vec<Vec3>, Pattern) {
        let [nx, ny, nz] = cells.map(|c| c + 1);
        let cells = (0..nx).flat_map(|x| (0..ny).flat_map(move |y| (0..nz).map(move |z| [x, y, z])));
        let cells: Vec<[usize; 3]> = cells.collect();
        let near = |a: &[usize; 3], b: &[usize; 3]| (0..3).all(|c| a[c].abs_diff(b[c]) <= 1);
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for (i, a) in cells.iter().enumerate() {
            pairs.extend(cells[..i].iter().enumerate().filter(|(_, b)| near(a, b)).map(|(j, _)| [i as u32, j as u32]));
        }
        let pattern = Pattern::from_cliques(cells.len(), pairs.iter().map(|p| p.as_slice()));
        let size = [0.1, 0.07, 0.04];
        (cells.iter().map(|p| std::array::from_fn(|c| size[c] * p[c] as f64)).collect(), pattern)
    }

    /// Returns equal weights for all edges.
    fn even(pattern: &Pattern) -> Vec<f64> {
        vec![1.0; pattern.slots()]
    }

    #[test]
    fn a_node_turns_with_what_holds_it_stiffly() {
        // The half x < 0 rotates, the other does not; the node between follows the stiffer half.
        let (points, pattern) = grid([2, 2, 2]);
        let points: Vec<Vec3> = points.iter().map(|p| sub(*p, [0.1, 0.07, 0.04])).collect();
        let turn = rotation([0.0, 0.6, 0.8], 0.4);
        let from: Vec<f64> = points.iter().flatten().copied().collect();
        let to: Vec<f64> = points.iter().flat_map(|p| if p[0] < 0.0 { mat_vec(&turn, *p) } else { *p }).collect();
        let middle = points.iter().position(|p| norm(*p) < 1e-9).unwrap();
        for (stiff, expected) in [(1e6, turn), (1e-6, IDENTITY)] {
            let mut a = BlockMatrix::zeros(Arc::new(pattern.clone()));
            for i in 0..points.len() {
                for (j, slot) in pattern.lower(i) {
                    let is_turned = points[i][0] < 0.0 || points[j][0] < 0.0;
                    a.values[slot] = mat_scale(if is_turned { stiff } else { 1.0 }, &IDENTITY);
                }
            }
            let (mut weight, mut out) = (Vec::new(), vec![IDENTITY; points.len()]);
            weights(&a, &mut weight);
            // Edges along x alone do not determine it: those across, of the rotated half, are further away.
            rotations(&pattern, &weight, &from, &to, &mut out);
            assert!(off(&out[middle], &expected) < 1e-4, "{:?}", out[middle]);
        }
    }

    fn turned(points: &[Vec3], r: &Mat3) -> Vec<f64> {
        points.iter().flat_map(|p| add(mat_vec(r, *p), [0.3, -2.0, 1.0])).collect()
    }

    fn off(a: &Mat3, b: &Mat3) -> f64 {
        a.iter().flatten().zip(b.iter().flatten()).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
    }

    #[test]
    fn a_rigid_turn_of_solid_and_sheet_is_found() {
        for cells in [[3, 2, 2], [4, 3, 0]] {
            let (points, pattern) = grid(cells);
            let start = rotation([0.6, 0.0, 0.8], 0.9); // in general position
            let from = turned(&points, &start);
            for angle in [0.0, 1e-5, 0.3, 1.5, 3.0] {
                let turn = rotation([0.48, 0.6, 0.64], angle);
                let to: Vec<f64> = from.chunks(3).flat_map(|x| mat_vec(&turn, [x[0], x[1], x[2]])).collect();
                let mut out = vec![IDENTITY; points.len()];
                rotations(&pattern, &even(&pattern), &from, &to, &mut out);
                for r in &out {
                    assert!(off(r, &turn) < 1e-12, "{cells:?}, angle {angle}: off by {:e}", off(r, &turn));
                }
            }
        }
    }

    #[test]
    fn a_rope_follows_its_tangent_and_turns_no_more_than_that() {
        let (points, pattern) = grid([6, 0, 0]);
        let from = turned(&points, &IDENTITY);
        for angle in [0.0, 0.2, 1.5, 2.6, std::f64::consts::PI] {
            let turn = rotation([0.0, 0.6, 0.8], angle); // across the rope: the smallest that does it
            let mut out = vec![IDENTITY; points.len()];
            rotations(&pattern, &even(&pattern), &from, &turned(&points, &turn), &mut out);
            for r in &out {
                let tangent = sub(mat_vec(r, [1.0, 0.0, 0.0]), mat_vec(&turn, [1.0, 0.0, 0.0]));
                assert!(norm(tangent) < 1e-12 && off(&mat_mul_t(r, r), &IDENTITY) < 1e-12);
                assert!(angle > 3.0 || off(r, &turn) < 1e-12, "angle {angle}");
            }
        }
        // A small bend that flips to the other side is not half a turn about the tangent.
        let bent = |side: f64| -> Vec<f64> {
            points.iter().enumerate().flat_map(|(i, p)| [p[0], side * 1e-4 * (i as f64).powi(2), 0.0]).collect()
        };
        let mut out = vec![IDENTITY; points.len()];
        rotations(&pattern, &even(&pattern), &bent(1.0), &bent(-1.0), &mut out);
        assert!(out.iter().all(|r| off(r, &IDENTITY) < 0.05));
    }

    #[test]
    fn nothing_turns_between_equal_states_and_a_lonely_node_never() {
        for cells in [[3, 2, 2], [3, 3, 0], [5, 0, 0], [0, 0, 0]] {
            let (points, pattern) = grid(cells);
            let from = turned(&points, &rotation([0.6, 0.0, 0.8], 0.9));
            let mut out = vec![[[0.0; 3]; 3]; points.len()];
            rotations(&pattern, &even(&pattern), &from, &from, &mut out);
            assert!(out.iter().all(|r| off(r, &IDENTITY) < 1e-14), "{cells:?}");
        }
        let pattern = Pattern::from_cliques(2, [].into_iter());
        let mut out = vec![[[0.0; 3]; 3]; 2];
        rotations(&pattern, &even(&pattern), &[0.0; 6], &[1.0; 6], &mut out);
        assert_eq!(out, [IDENTITY; 2]);
    }

    #[test]
    fn a_mirrored_neighbourhood_still_gets_a_rotation() {
        let (points, pattern) = grid([2, 2, 2]);
        let from = turned(&points, &IDENTITY);
        let to: Vec<f64> = from.chunks(3).flat_map(|x| [x[0], x[1], -x[2]]).collect();
        let mut out = vec![IDENTITY; points.len()];
        rotations(&pattern, &even(&pattern), &from, &to, &mut out);
        assert!(out.iter().all(|r| (crate::mat3::determinant(r) - 1.0).abs() < 1e-12));
    }
}
