//! Penalties at small steps: nodes of a region meet obstacles at their position in each small step.
//!
//! The large step is solved with the penalties of its beginning. Then, with the rest moving as found, regions repeat
//! their small steps, with the force f_c and stiffness K_c of each penalty at the beginning of the small step. These
//! replace f_c0 - K_c0 (x - x_0), which the large step assumed:
//!
//!   [A + s (s + beta) dK] y_r = ... + s [f_c - f_c0 + K_c0 (x_(r-1) - x_0)] - s (s + beta) dK v_0,   dK = K_c - K_c0
//!
//! where for a falling body v_0 of small step r includes its fall r s a (`fall.rs`).
//! This is done in every step: a vibrating node may meet an obstacle and be back at the end of the large step, so
//! neither end shows it.
//!
//! Cost: the small steps once more instead of a product with Y, and one factor of the region for every small step at
//! which dK changes.
//! The rest feels the change from the next large step on. With everything in one region this is m steps of linearly
//! implicit Euler.

use super::fall::Fall;
use super::substeps::{Push, Substeps, System};
use model::Model;
use model::energy::Stiffness;
use model::energy::contact::Obstacle;
use numerics::blocks::BlockMatrix;
use numerics::linear::{Cholesky, LinearError, LinearSolver, Structure, Work};
use numerics::mat3::{Mat3, Vec3, add, mat_add, mat_scale, mat_sub, mat_vec, scale, sub};
use std::sync::Arc;

/// A node of a region that may meet an obstacle.
struct Meeting {
    /// Node number in the region, and in the model.
    node: [u32; 2],
    obstacle: Obstacle,
    /// Stiffness of the penalty [N/m].
    k: f64,
    /// dK of the current small step, and the one that the factor was made with.
    change: Mat3,
    held: Mat3,
}

/// Penalties on the nodes of one region, with the factor of its current small step.
pub(super) struct RegionContact {
    meetings: Vec<Meeting>,
    kind: Stiffness,
    beta: f64,
    structure: Arc<Structure>,
    /// Made when first needed.
    factor: Option<(Cholesky, BlockMatrix)>,
    is_held: bool,
}

fn at(x: &[f64], node: u32) -> Vec3 {
    std::array::from_fn(|c| x[3 * node as usize + c])
}

impl RegionContact {
    /// Collects the penalties on nodes of a region; `None` where there are none.
    pub fn new(model: &Model, nodes: &[u32], structure: &Arc<Structure>) -> Option<RegionContact> {
        let mut meetings = Vec::new();
        let mut local = vec![None; model.nodes()];
        nodes.iter().enumerate().for_each(|(a, &i)| local[i as usize] = Some(a as u32));
        for penalty in model.penalties() {
            for &(i, k) in &penalty.nodes {
                if let Some(a) = local[i as usize] {
                    let (change, held) = (Mat3::default(), Mat3::default());
                    meetings.push(Meeting { node: [a, i], obstacle: penalty.obstacle, k, change, held });
                }
            }
        }
        // The stiffness at rest has no contact.
        let damping = model.damping();
        let beta = if damping.at_rest.is_some() { 0.0 } else { damping.stiffness };
        let (kind, structure) = (model.stiffness_kind(), structure.clone());
        (!meetings.is_empty()).then_some(RegionContact {
            meetings,
            kind,
            beta,
            structure,
            factor: None,
            is_held: false,
        })
    }

    pub fn work(&self) -> Work {
        self.factor.as_ref().map(|(factor, _)| factor.work()).unwrap_or_default()
    }

    /// Takes the small steps with penalties evaluated at each; `matrix` is A.
    pub fn run(
        &mut self,
        system: &mut System,
        steps: &mut Substeps,
        push: &Push,
        matrix: &BlockMatrix,
        [x, v]: [&[f64]; 2],
        fall: &Fall,
    ) -> Result<(), LinearError> {
        // Checkpoints do not store factors of an earlier large step, so none is reused.
        self.is_held = false;
        let (s, weight) = (system.h, system.h * (system.h + self.beta));
        let [last, sum, rhs, momentum, pull] = steps.columns(1);
        [&mut *sum, rhs, pull].into_iter().for_each(|v| v.fill(0.0));
        for r in 1..=system.ratio {
            push.add(r, rhs);
            for meeting in &mut self.meetings {
                let [a, i] = meeting.node;
                // The motion relative to the fall of the body, and the fall.
                let (start, fallen, before) = (at(x, i), fall.of(i), (r - 1) as f64);
                let way = scale(s, add(scale(before, at(v, i)), at(sum, a)));
                let way = add(way, scale(0.5 * s * s * before * r as f64, fallen));
                let v = add(at(v, i), scale(s * r as f64, fallen));
                let penalty = |x: Vec3| meeting.obstacle.penalty(self.kind, meeting.k, x);
                let ((f_first, k_first), (f, k)) = (penalty(start), penalty(add(start, way)));
                meeting.change = mat_sub(&k, &k_first);
                let force = add(sub(f, f_first), mat_vec(&k_first, way));
                let force = sub(scale(s, force), scale(weight, mat_vec(&meeting.change, v)));
                (0..3).for_each(|c| rhs[3 * a as usize + c] += force[c]);
            }
            last.copy_from_slice(rhs);
            if self.meetings.iter().all(|meeting| meeting.change == Mat3::default()) {
                system.factor.solve_factored(last, 1)?;
            } else {
                self.factor(matrix, weight)?.solve_factored(last, 1)?;
                // Restores A y, which the next small step needs.
                for Meeting { node: [a, _], change, .. } in &self.meetings {
                    let more = mat_vec(change, at(last, *a));
                    (0..3).for_each(|c| rhs[3 * *a as usize + c] -= weight * more[c]);
                }
            }
            if r < system.ratio {
                system.go_on(last, [&mut *sum, &mut *rhs, &mut *momentum, &mut *pull], 1);
            }
        }
        sum.iter_mut().zip(&*last).for_each(|(sum, y)| *sum += y);
        Ok(())
    }

    /// Returns the factor of A + weight dK.
    fn factor(&mut self, matrix: &BlockMatrix, weight: f64) -> Result<&mut Cholesky, LinearError> {
        let is_same = self.is_held && self.meetings.iter().all(|meeting| meeting.change == meeting.held);
        let (factor, touched) = match &mut self.factor {
            Some(made) => made,
            none => none.insert((Cholesky::with_structure(&self.structure)?, matrix.clone())),
        };
        if !is_same {
            self.is_held = false;
            touched.values.copy_from_slice(&matrix.values);
            for Meeting { node: [a, _], change, held, .. } in &mut self.meetings {
                let slot = matrix.pattern().diagonal(*a as usize);
                touched.values[slot] = mat_add(&touched.values[slot], &mat_scale(weight, change));
                *held = *change;
            }
            factor.prepare(touched)?;
            self.is_held = true;
        }
        Ok(factor)
    }
}
