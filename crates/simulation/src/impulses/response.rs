//! The response of whole bodies to the contacts of a step.
//!
//! Impulses on nodes alone leave the rest of a body to the next step, which is wrong where elastic forces change much within one. Here the
//! contacts that pushed are solved again, together with the body behind them:
//!
//!   dv = A^-1 N^T p,   dx = h dv,   N (u + dx) = r,   A = M + h D + h^2 K
//!
//! Symbols: N -> rows of the contacts; u -> displacement of the method; r -> what contacts ask for (`row.rs`); p -> impulses [N s], three
//! per contact that sticks, one per contact that slides, whose friction is that of the last solution. Conjugate gradients with
//! the masses as preconditioner; after each solution contacts that pull are let go, those beyond Coulomb's cone slide, and what
//! would pass its limit joins (Otaduy et al. 2009, with an active set). The first guess is all that touches, so that a stack at rest is
//! solved as a whole. What is left for the filter after it is small.

use super::points::Points;
use super::row::Row;
use integrators::{Response, StepReport};
use model::State;
use numerics::linear::LinearError;
use numerics::mat3::{Vec3, add, dot, norm, scale, sub};

/// Solutions with other sets of contacts that push, stick and slide.
const SETS: usize = 12;
/// Limit of iterations of conjugate gradients per solution.
const ITERATIONS: usize = 60;
/// Relative residual of a solution.
const TOLERANCE: f64 = 1e-4;
/// Share of the mobility of the bodies by which contacts give way, so that redundant ones have a solution: what that misses is left
/// to the filter.
const SOFT: f64 = 0.02;

/// Part of a contact in the present set.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Act {
    Sticks,
    /// Slides against friction of this direction.
    Slides(Vec3),
    Leaves,
}

/// Contacts with the body behind them.
pub(super) struct Contacts {
    rows: Vec<Row>,
    acts: Vec<Act>,
    /// Impulses [N s].
    p: Vec<Vec3>,
    /// Number of times each has left.
    left: Vec<u8>,
    /// Changes of velocity of all free nodes [m/s], by all impulses and by those asked for last.
    dv: Vec<f64>,
    answer: Vec<f64>,
    /// By what share of the mobility of its nodes a contact gives way.
    soft: f64,
}

impl Contacts {
    /// Takes the contacts found; those with less room than `tolerance` [m] count as touching.
    pub fn new(found: &[Row], dofs: usize, tolerance: f64) -> Contacts {
        let rows = found.to_vec();
        let act = |row: &Row| match norm(row.grip) {
            _ if row.push == 0.0 => {
                if row.least < -tolerance {
                    Act::Leaves
                } else {
                    Act::Sticks
                }
            }
            grip if row.friction == 0.0 || grip >= (1.0 - 1e-9) * row.friction * row.push => {
                Act::Slides(if grip > 0.0 { scale(1.0 / grip, row.grip) } else { [0.0; 3] })
            }
            _ => Act::Sticks,
        };
        Contacts {
            acts: rows.iter().map(act).collect(),
            p: vec![[0.0; 3]; rows.len()],
            left: vec![0; rows.len()],
            dv: vec![0.0; dofs],
            answer: vec![0.0; dofs],
            soft: 0.0,
            rows,
        }
    }

    /// Moves the state after the step by the response of the bodies to all contacts; returns the number of those that push, and
    /// the sum of their impulses along normals [N s].
    pub fn move_bodies(
        &mut self,
        points: &Points,
        response: &mut dyn Response,
        (h, tolerance): (f64, f64),
        after: &mut State,
        report: &mut StepReport,
    ) -> Result<(u64, f64), LinearError> {
        // The mobility of the bodies over that of their nodes, for pushes that stop each contact by itself.
        let pushes: Vec<Vec3> = self.rows.iter().map(|row| scale(1.0 / row.inverse, row.normal)).collect();
        self.respond(&pushes, points, response, report)?;
        let works = self.rows.iter().zip(&pushes).map(|(row, push)| dot(*push, relative(row, points, &self.answer)));
        let own: f64 = self.rows.iter().map(|row| 1.0 / row.inverse).sum();
        self.soft = SOFT * (works.sum::<f64>() / own).clamp(0.0, 1.0);
        for set in 0..SETS {
            let last = self.p.clone();
            if !self.solve(points, response, h, report)? && set > 0 {
                // A set without a solution: the last one had one.
                self.p = last;
                break;
            }
            if !self.choose(points, h, tolerance) || set + 1 == SETS {
                break;
            }
        }
        // Contacts that still pull do not count, and friction stays within its cone.
        for (row, p) in self.rows.iter().zip(&mut self.p) {
            let push = dot(row.normal, *p).max(0.0);
            let along = sub(*p, scale(dot(row.normal, *p), row.normal));
            let (grip, most) = (norm(along), row.friction * push);
            *p = add(scale(push, row.normal), scale(if grip > most { most / grip } else { 1.0 }, along));
        }
        let p = std::mem::take(&mut self.p);
        self.respond(&p, points, response, report)?;
        std::mem::swap(&mut self.dv, &mut self.answer);
        for ((x, v), dv) in after.x.iter_mut().zip(&mut after.v).zip(&self.dv) {
            *x += h * dv;
            *v += dv;
        }
        let pushes = || self.rows.iter().zip(&p).map(|(row, p)| dot(row.normal, *p));
        Ok((pushes().filter(|push| *push > 0.0).count() as u64, pushes().sum()))
    }

    /// Answers with A^-1 N^T p.
    fn respond(
        &mut self,
        p: &[Vec3],
        points: &Points,
        response: &mut dyn Response,
        report: &mut StepReport,
    ) -> Result<(), LinearError> {
        self.answer.fill(0.0);
        for (row, p) in self.rows.iter().zip(p) {
            for (point, weight) in row.sides() {
                let nodes = points.nodes_of(point);
                let share = weight / nodes.len() as f64;
                for &node in nodes {
                    (0..3).for_each(|c| self.answer[3 * node as usize + c] += share * p[c]);
                }
            }
        }
        response.respond(&mut self.answer, report)
    }

    /// Returns the components of a vector that a contact acts on.
    fn kept(&self, k: usize, of: Vec3) -> Vec3 {
        match self.acts[k] {
            Act::Sticks => of,
            Act::Slides(_) => scale(dot(self.rows[k].normal, of), self.rows[k].normal),
            Act::Leaves => [0.0; 3],
        }
    }

    /// Solves for the impulses of the contacts that push, with friction as it is; returns false if that has not converged.
    fn solve(
        &mut self,
        points: &Points,
        response: &mut dyn Response,
        h: f64,
        report: &mut StepReport,
    ) -> Result<bool, LinearError> {
        let count = self.rows.len();
        // Friction of sliding contacts is given.
        let fixed: Vec<Vec3> = (0..count)
            .map(|k| match self.acts[k] {
                Act::Slides(way) => scale(self.rows[k].friction * dot(self.rows[k].normal, self.p[k]).max(0.0), way),
                _ => [0.0; 3],
            })
            .collect();
        for k in 0..count {
            self.p[k] = self.kept(k, self.p[k]);
        }
        let wanted = |row: &Row| {
            let mut relative = row.carried[0];
            for (point, weight) in row.sides() {
                relative = sub(relative, scale(weight, points.free[point][0]));
            }
            scale(1.0 / h, add(relative, scale(row.least, row.normal)))
        };
        let all: Vec<Vec3> = self.p.iter().zip(&fixed).map(|(p, fixed)| add(*p, *fixed)).collect();
        self.respond(&all, points, response, report)?;
        self.dv.copy_from_slice(&self.answer);
        let gives = |this: &Contacts, k: usize, p: Vec3| {
            let row = &this.rows[k];
            this.kept(k, add(scale(this.soft * row.inverse, p), relative(row, points, &this.answer)))
        };
        let mut residual: Vec<Vec3> =
            (0..count).map(|k| sub(self.kept(k, wanted(&self.rows[k])), gives(self, k, self.p[k]))).collect();
        let scaled = |this: &Contacts, r: &[Vec3]| -> Vec<Vec3> {
            r.iter().zip(&this.rows).map(|(r, row)| scale(1.0 / row.inverse, *r)).collect()
        };
        let product = |a: &[Vec3], b: &[Vec3]| -> f64 { a.iter().zip(b).map(|(a, b)| dot(*a, *b)).sum() };
        let demand: Vec<Vec3> = (0..count).map(|k| self.kept(k, wanted(&self.rows[k]))).collect();
        let enough = TOLERANCE * TOLERANCE * product(&demand, &scaled(self, &demand));
        let mut z = scaled(self, &residual);
        let mut way = z.clone();
        let mut square = product(&residual, &z);
        for _ in 0..ITERATIONS {
            if square <= enough {
                break;
            }
            self.respond(&way, points, response, report)?;
            let answer: Vec<Vec3> = (0..count).map(|k| gives(self, k, way[k])).collect();
            let length = square / product(&way, &answer);
            if !length.is_finite() || length <= 0.0 {
                break;
            }
            self.dv.iter_mut().zip(&self.answer).for_each(|(dv, answer)| *dv += length * answer);
            for k in 0..count {
                self.p[k] = add(self.p[k], scale(length, way[k]));
                residual[k] = sub(residual[k], scale(length, answer[k]));
            }
            z = scaled(self, &residual);
            let next = product(&residual, &z);
            for k in 0..count {
                way[k] = add(z[k], scale(next / square, way[k]));
            }
            square = next;
        }
        for k in 0..count {
            self.p[k] = add(self.p[k], fixed[k]);
        }
        Ok(square <= 100.0 * enough)
    }

    /// Lets contacts go that pull, lets those slide that need more friction than there is, and lets those join that pass their limit by
    /// more than `tolerance` [m]; returns true if any does.
    fn choose(&mut self, points: &Points, h: f64, tolerance: f64) -> bool {
        let mut changes = false;
        let Contacts { rows, acts, p, left, dv, .. } = self;
        for (((row, act), p), left) in rows.iter().zip(acts).zip(p).zip(left) {
            let push = dot(row.normal, *p);
            let along = sub(*p, scale(push, row.normal));
            let grip = norm(along);
            match *act {
                Act::Sticks | Act::Slides(_) if push < 0.0 => {
                    (*act, *p) = (Act::Leaves, [0.0; 3]);
                    *left += 1;
                    changes = true;
                }
                // Those that leave again and again would never end.
                Act::Leaves if *left < 3 => {
                    let mut way = sub(scale(h, relative(row, points, dv)), row.carried[0]);
                    for (point, weight) in row.sides() {
                        way = add(way, scale(weight, points.free[point][0]));
                    }
                    if dot(row.normal, way) < row.least - tolerance {
                        *act = Act::Sticks;
                        changes = true;
                    }
                }
                Act::Sticks if grip > row.friction * push => {
                    *act = Act::Slides(scale(1.0 / grip, along));
                    changes = true;
                }
                // Friction follows the push.
                Act::Slides(_) if (grip - row.friction * push).abs() > 1e-3 * row.friction * push => changes = true,
                _ => {}
            }
        }
        changes
    }
}

/// Returns the relative change of velocity of the sides of a contact [m/s], from that of all free nodes.
fn relative(row: &Row, points: &Points, dv: &[f64]) -> Vec3 {
    let mut sum = [0.0; 3];
    for (point, weight) in row.sides() {
        let nodes = points.nodes_of(point);
        for &node in nodes {
            let at = 3 * node as usize;
            sum = add(sum, scale(weight / nodes.len() as f64, [dv[at], dv[at + 1], dv[at + 2]]));
        }
    }
    sum
}
