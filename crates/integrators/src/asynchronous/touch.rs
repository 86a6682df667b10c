//! Penalties at the small steps: nodes of a region meet obstacles where they are at each of them.
//!
//! The large step is solved with penalties as they are at its beginning. Then, with the rest on the way that it was found to
//! take, regions take their small steps again, now with the force f_c and stiffness K_c of each penalty at the beginning of
//! the small step in place of f_c0 - K_c0 (x - x_0), which the large step reckoned with:
//!
//!   [A + s (s + beta) dK] y_r = ... + s [f_c - f_c0 + K_c0 (x_(r-1) - x_0)] - s (s + beta) dK v_0,   dK = K_c - K_c0
//!
//! where a body that falls has r s a of its fall (`fall.rs`) in v_0 of small step r as well.
//! Every time: what vibrates may meet an obstacle and be back at the end of the large step, so that neither end of it tells.
//!
//! Cost: the small steps once more in place of a product with Y, and a factor of the region for every small step at which
//! dK is another one.
//! The rest feels what that changes from the next large step on. Everything in a region is m steps of linearly implicit Euler.

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
    /// In the numbers of the region, and of the model.
    node: [u32; 2],
    obstacle: Obstacle,
    /// Of the penalty [N/m].
    k: f64,
    /// dK of the small step at hand, and that which the factor was made with.
    change: Mat3,
    held: Mat3,
}

pub(super) struct Touch {
    meetings: Vec<Meeting>,
    kind: Stiffness,
    beta: f64,
    structure: Arc<Structure>,
    /// Made when it is needed first.
    factor: Option<(Cholesky, BlockMatrix)>,
    is_held: bool,
}

fn at(x: &[f64], node: u32) -> Vec3 {
    std::array::from_fn(|c| x[3 * node as usize + c])
}

impl Touch {
    /// Of the nodes of a region; `None` where no penalty acts on any.
    pub fn new(model: &Model, nodes: &[u32], structure: &Arc<Structure>) -> Option<Touch> {
        let mut meetings = Vec::new();
        let mut places = vec![None; model.nodes()];
        nodes.iter().enumerate().for_each(|(a, &i)| places[i as usize] = Some(a as u32));
        for penalty in model.penalties() {
            for &(i, k) in &penalty.nodes {
                if let Some(a) = places[i as usize] {
                    let (change, held) = (Mat3::default(), Mat3::default());
                    meetings.push(Meeting { node: [a, i], obstacle: penalty.obstacle, k, change, held });
                }
            }
        }
        // The stiffness at rest knows of no contact.
        let damping = model.damping();
        let beta = if damping.at_rest.is_some() { 0.0 } else { damping.stiffness };
        let (kind, structure) = (model.stiffness_kind(), structure.clone());
        (!meetings.is_empty()).then_some(Touch { meetings, kind, beta, structure, factor: None, is_held: false })
    }

    pub fn work(&self) -> Work {
        self.factor.as_ref().map(|(factor, _)| factor.work()).unwrap_or_default()
    }

    /// Takes the small steps with penalties as they are at each; `matrix` is A.
    pub fn run(
        &mut self,
        system: &mut System,
        steps: &mut Substeps,
        push: &Push,
        matrix: &BlockMatrix,
        [x, v]: [&[f64]; 2],
        fall: &Fall,
    ) -> Result<(), LinearError> {
        // What was made in another large step is not remembered by checkpoints.
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
                // What A y is, which the next small step reckons with.
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

    /// The factor of A + weight dK.
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
