//! Modes that an implicit equation leaves alone: it is solved in their M-orthogonal complement.
//!
//! With U^T M U = I and Q = I - U U^T M, motions a become Q a, and forces r become Q^T r = r - M U (U^T r).
//!
//! Newton's step there is d = Q d with Q^T A d = r. Q A^-1 r is not it: the modes of the start of the step are not those
//! of A, which belongs to the current iterate. What it leaves is removed by conjugate gradients in the subspace, with
//! Q A^-1 Q^T as the preconditioner, mostly one or two iterations. Without them Newton's method converges linearly: on
//! a cuboid twisted by 90 degrees per metre it took 125 iterations in 40 steps, with them 81.

use crate::linear_system::LinearSystem;
use crate::stepper::StepReport;
use model::Model;
use numerics::interrupt;
use numerics::linear::LinearError;
use numerics::modes::{add_combinations, inner_products};

/// Limit of iterations in the subspace. Where they are not enough, Newton's method takes another step.
const REFINEMENTS: usize = 5;
/// Tightest relative residual asked for: well above rounding, where conjugate gradients would take any step.
const TIGHTEST: f64 = 1e-9;

/// Captured modes; empty by default, and then nothing is changed.
#[derive(Default)]
pub(crate) struct Captured {
    /// U and M U, side by side.
    u: Vec<f64>,
    mass_u: Vec<f64>,
    /// U^T r of the residual evaluated last: minus the force on the modes [N kg^-1/2].
    pub left: Vec<f64>,
    scratch: Vec<f64>,
    /// r, what is left of it, and vectors of conjugate gradients.
    residual: Vec<f64>,
    preconditioned: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
}

impl Captured {
    /// Takes M-orthonormal modes, side by side.
    pub fn set(&mut self, model: &Model, u: &[f64]) {
        self.left.clear();
        self.u.clear();
        self.u.extend_from_slice(u);
        self.mass_u.clear();
        self.mass_u.resize(u.len(), 0.0);
        let n = model.dofs().max(1);
        for (u, mass_u) in u.chunks_exact(n).zip(self.mass_u.chunks_exact_mut(n)) {
            model.mass().multiply_add(1.0, u, mass_u);
        }
    }

    /// Returns true if no mode is captured.
    pub fn is_empty(&self) -> bool {
        self.u.is_empty()
    }

    /// r -= M U (U^T r).
    pub fn leave_force(&mut self, r: &mut [f64]) {
        if !self.is_empty() {
            self.left = inner_products(&self.u, r, r.len(), &mut self.scratch);
            let minus: Vec<f64> = self.left.iter().map(|g| -g).collect();
            add_combinations(&self.mass_u, &minus, r, r.len());
        }
    }

    /// a -= U (U^T M a).
    pub fn leave_motion(&mut self, a: &mut [f64]) {
        if !self.is_empty() {
            let w = inner_products(&self.mass_u, a, a.len(), &mut self.scratch);
            let minus: Vec<f64> = w.iter().map(|w| -w).collect();
            add_combinations(&self.u, &minus, a, a.len());
        }
    }

    /// Stores a right-hand side r = Q^T r before it is solved.
    pub fn remember(&mut self, r: &[f64]) {
        if !self.is_empty() {
            self.residual.clear();
            self.residual.extend_from_slice(r);
        }
    }

    /// Turns A^-1 r into the solution of Q^T A d = r, d = Q d, to this relative residual.
    pub fn refine(
        &mut self,
        system: &mut LinearSystem,
        tolerance: f64,
        d: &mut [f64],
        report: &mut StepReport,
    ) -> Result<(), LinearError> {
        if self.is_empty() {
            return Ok(());
        }
        let n = d.len();
        let [mut residual, mut z, mut p, mut ap] =
            [&mut self.residual, &mut self.preconditioned, &mut self.direction, &mut self.product].map(std::mem::take);
        for x in [&mut z, &mut p, &mut ap] {
            x.resize(n, 0.0);
        }
        // Near the solution r is a small difference of large forces, whose rounding errors are forces on modes too.
        self.leave_force(&mut residual);
        let small = tolerance.max(TIGHTEST) * norm(&residual);
        self.leave_motion(d);
        system.times(d, &mut ap, report);
        self.leave_force(&mut ap);
        residual.iter_mut().zip(&ap).for_each(|(r, ad)| *r -= ad);
        let mut before = 0.0;
        for k in 0..REFINEMENTS {
            if norm(&residual) <= small {
                break;
            }
            interrupt::check()?;
            z.copy_from_slice(&residual);
            system.precondition(&mut z, 1, report)?;
            self.leave_motion(&mut z);
            let now = dot(&residual, &z);
            let share = if k == 0 { 0.0 } else { now / before };
            before = now;
            p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + share * *p);
            system.times(&p, &mut ap, report);
            self.leave_force(&mut ap);
            let step = now / dot(&p, &ap);
            if !(step > 0.0 && step.is_finite()) {
                // A is indefinite: the line search has to judge the direction.
                break;
            }
            d.iter_mut().zip(&p).for_each(|(d, p)| *d += step * p);
            residual.iter_mut().zip(&ap).for_each(|(r, ap)| *r -= step * ap);
        }
        (self.residual, self.preconditioned, self.direction, self.product) = (residual, z, p, ap);
        Ok(())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
