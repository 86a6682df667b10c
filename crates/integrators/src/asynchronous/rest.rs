//! The rest: one large step with the regions folded into its matrix.
//!
//!   (A^L - sum_i H^LS_i (H^SS_i)^-1 H^S_iL) dv = b*,   eqs. 34 and 35
//!
//! A^L = M + h D + theta h^2 K, theta = 1 in the paper; where coupling conserves momentum, elements of borders have
//! their own weights (`seam.rs`).
//!
//! With a lumped mass and D = alpha M + beta K this matrix is symmetric: the folded-in rows and columns are K^LS [a
//! rational function of M^SS and K^SS] K^SL. A consistent mass, or a D with another K, leaves a skew part N on the
//! interfaces, about 1e-3 of them. The symmetric part P is factorised in any case, and
//!
//!   dv = x_0 + x_1 + ...,   P x_0 = b,   P x_(k+1) = -N x_k
//!
//! which gains three digits per solve. It is used only if it converges.

use super::Rule;
use super::outside::Outside;
use super::partition::Subdomain;
use super::region::{Region, negative};
use super::seam::Seam;
use model::Model;
use model::energy::Configuration;
use numerics::blocks::BlockMatrix;
use numerics::linear::ordering::Ordering;
use numerics::linear::{Cholesky, Late, LinearError, LinearSolver, Structure, Work};

/// Relative residual of an exact solution.
const EXACT: f64 = 1e-14;
/// Size of a factor that fits the nearest caches: one thread sweeps it sooner than two share it.
const SMALL: f64 = 2e5;
/// Least numbers read by small steps for which starting the solve beside them pays: less is read before a thread wakes
/// up.
const LONG: f64 = 3e5;
/// Limit of corrections; each must be at most half of the one before.
const MOST: usize = 50;

pub(super) struct Rest {
    pub part: Subdomain,
    rule: Rule,
    seams: Vec<Seam>,
    matrix: BlockMatrix,
    /// `None` where the regions are everything.
    factor: Option<Cholesky>,
    /// Part of the solve that waits for the small steps of regions, where these take long.
    late: Option<Late>,
    /// True if the matrix is symmetric by construction.
    is_symmetric: bool,
    /// True if the skew part is ignored.
    ignores_skew: bool,
    /// -N of each region, row-major; empty where it is not needed.
    skew: Vec<Vec<f64>>,
    /// Products of the skew parts with the interfaces.
    products: Vec<Vec<f64>>,
    correction: Vec<f64>,
    /// Norm of the right-hand side, where there is a skew part.
    size: f64,
    /// Right-hand side, then the change of velocity.
    pub dv: Vec<f64>,
}

impl Rest {
    pub fn new(
        model: &Model,
        part: Subdomain,
        regions: &mut [Region],
        rule: Rule,
        ignores_skew: bool,
    ) -> Result<Rest, LinearError> {
        let is_symmetric = model.couples_by_stiffness_alone();
        let factor = match part.nodes.len() {
            0 => None,
            _ => {
                let ordering = Ordering::best(&part.pattern);
                let is_small = ordering.entries <= SMALL && model.is_linear();
                let analyse = if is_small { Structure::undivided } else { Structure::new };
                let factor = Cholesky::with_structure(&analyse(&part.pattern, &ordering)?)?;
                Some(if is_small { factor.for_many_solves() } else { factor })
            }
        };
        // Short small steps fill an idle thread of the solve; beside long ones the solve begins early.
        let effort: f64 = regions.iter().map(|region| region.effort).sum();
        let is_short = factor.as_ref().is_some_and(|factor| effort <= factor.alone());
        let foresees = is_short && regions.iter().all(|region| region.can_foresee(model));
        if foresees {
            regions.iter_mut().for_each(Region::foresee);
        }
        let late = factor.as_ref().filter(|_| !foresees && effort >= LONG).map(|factor| {
            let interfaces = regions.iter().flat_map(|region| region.interface());
            factor.late(interfaces.map(|&i| i as usize))
        });
        let skew = regions.iter().map(|region| if is_symmetric { Vec::new() } else { vec![0.0; region.taken.len()] });
        let products = regions.iter().map(|region| vec![0.0; 3 * region.interface().len()]).collect();
        let zeros = vec![0.0; part.dofs()];
        let seams = match rule {
            Rule::Paper => Vec::new(),
            Rule::Conserving { .. } => Seam::all(model, &part),
        };
        Ok(Rest {
            rule,
            seams,
            matrix: BlockMatrix::zeros(part.pattern.clone()),
            late,
            factor,
            is_symmetric,
            ignores_skew,
            skew: skew.collect(),
            products,
            size: 0.0,
            correction: if is_symmetric { Vec::new() } else { zeros.clone() },
            dv: zeros,
            part,
        })
    }

    pub fn work(&self) -> Work {
        self.factor.as_ref().map(|factor| factor.work()).unwrap_or_default()
    }

    /// Counts the negative eigenvalues of its matrix.
    pub fn negative_pivots(&self) -> u64 {
        self.factor.as_ref().map_or(0, |factor| negative(factor.definiteness()))
    }

    /// Factorises the matrix of a step h from x with the prepared regions folded in; `whole` is scratch for A.
    pub fn prepare(
        &mut self,
        model: &Model,
        at: Configuration<'_>,
        stiffness: &BlockMatrix,
        h: f64,
        regions: &[Region],
        whole: &mut BlockMatrix,
    ) -> Result<(), LinearError> {
        let Some(factor) = &mut self.factor else { return Ok(()) };
        let theta = self.rule.theta();
        self.seams.iter_mut().for_each(|seam| seam.prepare(model, at, whole));
        model.combine([1.0, h, theta * h * h], stiffness, None, whole);
        self.part.take(whole, &mut self.matrix);
        self.seams.iter().for_each(|seam| seam.change(model, h, theta, &mut self.matrix));
        for (region, skew) in regions.iter().zip(&mut self.skew) {
            let (interface, taken) = (region.interface(), &region.taken);
            let n = 3 * interface.len();
            for (a, &i) in interface.iter().enumerate() {
                for (b, &j) in interface[..=a].iter().enumerate() {
                    let Some(slot) = self.part.pattern.slot(i as usize, j as usize) else { continue };
                    let block = &mut self.matrix.values[slot];
                    for r in 0..3 {
                        for c in 0..3 {
                            let both = taken[(3 * a + r) * n + 3 * b + c] + taken[(3 * b + c) * n + 3 * a + r];
                            block[r][c] -= 0.5 * both;
                        }
                    }
                }
            }
            for (at, skew) in skew.iter_mut().enumerate() {
                *skew = 0.5 * (taken[at] - taken[at % n * n + at / n]);
            }
        }
        factor.prepare(&self.matrix).map(|_| ())
    }

    /// Computes the right-hand side without the regions: `push` is f - D v [N], v and `kv` = K v [N/s], of all free
    /// nodes.
    pub fn push(&mut self, h: f64, stiffness: &BlockMatrix, push: &[f64], [v, kv]: [&[f64]; 2]) {
        let Rest { part, dv, seams, .. } = self;
        part.for_each(|a, i| dv[a] = h * (push[i] - h * kv[i]));
        seams.iter().for_each(|seam| seam.push(h, part, stiffness, v, dv));
    }

    /// Adds the effect of scripted nodes.
    pub fn push_from_outside(&mut self, model: &Model, t: f64, at: Configuration<'_>, h: f64, outside: &mut Outside) {
        let (Rest { part, dv, seams, .. }, end) = (self, t + h);
        let last = outside.at(model, at, end, end);
        part.for_each(|a, i| dv[a] += h * last[i]);
        seams.iter_mut().for_each(|seam| seam.push_from_outside(model, [t, h], at, outside, part, dv));
    }

    /// Returns true if a part of the solve can run beside the small steps.
    pub fn begins_early(&self) -> bool {
        self.late.is_some()
    }

    /// Runs the part of the solve that does not depend on the regions.
    pub fn begin_solve(&mut self) {
        if let (Some(factor), Some(late)) = (&mut self.factor, &self.late) {
            factor.begin_solve(&self.dv, late);
        }
    }

    /// Overwrites `dv`, the right-hand side, with the solution for the symmetric part, continuing a solve that was
    /// begun.
    pub fn solve(&mut self) -> Result<(), LinearError> {
        self.size = if self.is_symmetric { 0.0 } else { norm(&self.dv) };
        match (&mut self.factor, &self.late) {
            (None, _) => Ok(()),
            (Some(factor), Some(late)) => factor.end_solve(&mut self.dv, late),
            (Some(factor), None) => factor.solve_factored(&mut self.dv, 1),
        }
    }

    /// The same for a symmetric matrix and a solve not begun; `beside` runs in parallel.
    pub fn solve_beside(&mut self, beside: impl FnOnce() + Send) -> Result<(), LinearError> {
        match &mut self.factor {
            Some(factor) => factor.solve_beside(&mut self.dv, beside),
            None => {
                beside();
                Ok(())
            }
        }
    }

    /// Corrects `dv` by the skew part. Returns the relative residual where that part is ignored.
    pub fn correct(&mut self, regions: &[Region]) -> Result<f64, LinearError> {
        let (Some(factor), size) = (&mut self.factor, self.size) else { return Ok(0.0) };
        if size == 0.0 || regions.is_empty() {
            return Ok(0.0);
        }
        let mut before = f64::INFINITY;
        for iterations in 0..MOST {
            let newest = if iterations == 0 { &self.dv } else { &self.correction };
            for ((region, skew), product) in regions.iter().zip(&self.skew).zip(&mut self.products) {
                multiply(skew, region.interface(), newest, product);
            }
            self.correction.fill(0.0);
            for (region, product) in regions.iter().zip(&self.products) {
                for (product, &i) in product.as_chunks::<3>().0.iter().zip(region.interface()) {
                    (0..3).for_each(|c| self.correction[3 * i as usize + c] += product[c]);
                }
            }
            let left = norm(&self.correction) / size;
            if left <= EXACT || self.ignores_skew {
                return Ok(if self.ignores_skew { left } else { 0.0 });
            }
            if !left.is_finite() || left > 0.5 * before {
                return Err(LinearError::NotSymmetric { residual: left });
            }
            before = left;
            factor.solve_factored(&mut self.correction, 1)?;
            self.dv.iter_mut().zip(&self.correction).for_each(|(dv, c)| *dv += c);
        }
        Err(LinearError::NotSymmetric { residual: before })
    }
}

/// Multiplies a row-major matrix over the nodes of an interface by x.
fn multiply(matrix: &[f64], interface: &[u32], x: &[f64], product: &mut [f64]) {
    let rows = matrix.chunks_exact(product.len().max(1));
    for (row, product) in rows.zip(product.iter_mut()) {
        let blocks = row.as_chunks::<3>().0.iter().zip(interface.iter().map(|&i| 3 * i as usize));
        *product = blocks.map(|(row, i)| row[0] * x[i] + row[1] * x[i + 1] + row[2] * x[i + 2]).sum();
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
