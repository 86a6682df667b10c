//! Conjugate gradients with a stored factor of an earlier matrix, rotated with the body, in 16 bits.
//!
//! The Cholesky factor of an earlier A_0 = M + h^2 K_0 is an excellent preconditioner for the current A, once the
//! rotation of each node's neighbourhood since then is taken out:
//!
//!   P^-1 = W A_0^-1 W^T,     W = blockdiag of the rotations from the positions of A_0 to the current ones
//!
//! A swinging body changes its K mostly by rotation. The rest takes 3 to 6 iterations to 1e-6 for tens of steps,
//! whatever the mesh; each is a product and two sweeps over the factor. These are limited by memory, so the factor is
//! computed in single precision and stored in 16 bits ([`Half`]): conjugate gradients run in double and correct its
//! rounding. `ledger` decides when to make a new one.
//!
//! For large compact bodies a hierarchy ([`Hierarchy`]) takes the place of the factor: more iterations, each far cheaper
//! in time and memory. Whichever should cost less by counted work is made first. A hierarchy that takes more iterations on
//! a matrix of its own than pay gives way to a factor for good.
//!
//! A matrix that 16 bits cannot represent well enough makes the factor single from then on, one that single precision cannot
//! represent (a stiff part weighs 1e7 times the mass) double. Block solves ask for single precision from the beginning
//! ([`Stale::expect_blocks`]). If conjugate gradients find a negative eigenvalue, or do not converge, this matrix is
//! solved by the direct solver ([`Cholesky`]), and the next one is tried again.
//!
//! Memory: 2 bytes per number of the factor, twice as much to make it, and the vectors of the iteration; from the first
//! directly solved matrix on, 8 bytes per number for that.
//!
//! The origin of a factor is known to the caller: [`Stale::memory`] returns its positions and its tag, and after
//! [`Stale::recall`] the caller makes that matrix again ([`Stale::wanted`], [`Stale::rebuild`]). So an interrupted run
//! continues bit-for-bit identical.

mod ledger;
mod memory;
mod origin;
#[cfg(test)]
pub(super) mod tests;

use super::ordering::Ordering;
use super::pcg::Counted;
use super::supernodal::{Factor, Half, Structure};
use super::{Cholesky, Definiteness, Hierarchy, LinearError, LinearSolver, Stop, Vectors, Work, pcg};
use crate::blocks::{BlockMatrix, Pattern};
use crate::mat3::{IDENTITY, Mat3};
use crate::rotation::{rotations, turn, turn_back, weights};
pub use ledger::Form;
use ledger::{Costs, Ledger};
pub use origin::{Decision, Origin};
use std::sync::Arc;

/// Numbers of the factor over those of the matrix below which a new factor costs no more than the iterations it saves:
/// ropes and chains, a few nodes.
const LEAST_FILL: f64 = 3.0;

/// Location of the factor.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Held {
    Nothing,
    Here(Form),
    /// Restored from a checkpoint, and not made yet.
    Wanted(Form),
}

/// The solver.
pub struct Stale {
    /// Stopping rule of conjugate gradients; may be changed between solves.
    pub stop: Stop,
    pattern: Arc<Pattern>,
    ordering: Ordering,
    /// Made for the first factor.
    structure: Option<Arc<Structure>>,
    costs: Costs,
    /// Form of the first inverse.
    first: Form,
    /// True if a factor is made for matrices only on which conjugate gradients fail.
    is_huge: bool,
    hierarchy: Option<Box<Hierarchy>>,
    half: Option<Factor<f32, Half>>,
    single: Option<Factor<f32>>,
    /// Holds factors in double precision, and those of indefinite matrices.
    direct: Option<Cholesky>,
    held: Held,
    /// Form of the next inverse.
    form: Form,
    /// Form of new factors: in 16 bits, or single where many columns are solved at once.
    stored: Form,
    birth: Origin,
    here: Origin,
    ledger: Ledger,
    /// Stiffness of each edge in the factorised matrix.
    weights: Vec<f64>,
    warp: Vec<Mat3>,
    /// True if `direct` holds the current matrix.
    is_exact: bool,
    decision: Decision,
    vectors: Vectors,
    b: Vec<f64>,
    x: Vec<f64>,
    work: Work,
}

impl Stale {
    /// Makes it for matrices of a pattern, with stored factors.
    pub fn new(pattern: &Arc<Pattern>, ordering: Ordering, stop: Stop) -> Stale {
        Stale::with_form(pattern, ordering, stop, Form::Half)
    }

    /// Makes it with stored hierarchies ([`Hierarchy`]).
    pub fn with_hierarchy(pattern: &Arc<Pattern>, ordering: Ordering, stop: Stop) -> Stale {
        Stale::with_form(pattern, ordering, stop, Form::Hierarchy)
    }

    /// Makes it with the form that should cost least. For a huge body that is a hierarchy whatever it costs.
    pub(super) fn with_best(pattern: &Arc<Pattern>, ordering: Ordering, stop: Stop, is_huge: bool) -> Stale {
        let costs = Costs::new(ordering.flops, ordering.entries, pattern.slots());
        let is_better = is_huge || costs.favour_hierarchy(stop.tolerance);
        let form = if is_better { Form::Hierarchy } else { Form::Half };
        Stale { is_huge, ..Stale::with_form(pattern, ordering, stop, form) }
    }

    fn with_form(pattern: &Arc<Pattern>, ordering: Ordering, stop: Stop, first: Form) -> Stale {
        Stale {
            stop,
            pattern: pattern.clone(),
            costs: Costs::new(ordering.flops, ordering.entries, pattern.slots()),
            ordering,
            structure: None,
            first,
            is_huge: false,
            hierarchy: None,
            half: None,
            single: None,
            direct: None,
            held: Held::Nothing,
            form: first,
            stored: Form::Half,
            birth: Origin::default(),
            here: Origin::default(),
            ledger: Ledger::default(),
            weights: Vec::new(),
            warp: vec![IDENTITY; pattern.rows()],
            is_exact: false,
            decision: Decision::None,
            vectors: Vectors::default(),
            b: Vec::new(),
            x: Vec::new(),
            work: Work::default(),
        }
    }

    /// Stores factors in single precision, from the first one on: for solves with many columns at once, which are limited by
    /// arithmetic. Numbers in 16 bits would have to be widened for each of them.
    pub fn expect_blocks(&mut self) {
        for form in [&mut self.first, &mut self.form, &mut self.stored] {
            if *form == Form::Half {
                *form = Form::Single;
            }
        }
    }

    /// Returns true if storing a factor is cheaper than making it anew each time.
    pub(super) fn pays(ordering: &Ordering, pattern: &Pattern) -> bool {
        ordering.entries > LEAST_FILL * 9.0 * pattern.slots() as f64
    }

    /// Takes `a` as the current matrix: keeps the stored factor, or makes a new one.
    pub fn prepare(&mut self, a: &BlockMatrix, tag: [f64; 4], positions: &[f64]) -> Result<(), LinearError> {
        super::adopt(&mut self.pattern, a)?;
        self.here.set(tag, positions);
        self.is_exact = false;
        match self.held {
            Held::Here(form) if form != self.form => self.renew(a, Decision::Widened),
            // A factor of the same matrix is as good as a new one.
            Held::Here(form) if self.ledger.is_worn(&self.costs, form) && self.birth != self.here => {
                self.renew(a, Decision::Worn)
            }
            Held::Here(_) => {
                self.ledger.age += 1;
                self.decision = Decision::Kept;
                rotations(&self.pattern, &self.weights, &self.birth.positions, positions, &mut self.warp);
                Ok(())
            }
            _ => self.renew(a, Decision::First),
        }
    }

    /// Overwrites each column of `rhs` with A^-1 times itself, to the relative residual `tolerance`. `first` is the
    /// result of [`Stale::precondition`] on `rhs`, if the caller knows it: it saves an application.
    pub fn solve(
        &mut self,
        a: &BlockMatrix,
        rhs: &mut [f64],
        columns: usize,
        tolerance: f64,
        mut first: Option<&[f64]>,
    ) -> Result<(), LinearError> {
        let mut b = std::mem::take(&mut self.b);
        let mut x = std::mem::take(&mut self.x);
        b.clear();
        b.extend_from_slice(rhs);
        x.clear();
        x.resize(rhs.len(), 0.0);
        let done = loop {
            if self.is_exact {
                x.copy_from_slice(&b);
                if self.held == Held::Here(Form::Double) {
                    self.ledger.record(0);
                }
                break self.solve_directly(&mut x, columns);
            }
            match self.iterate(a, &b, &mut x, columns, tolerance, first.take()) {
                Err(LinearError::NotConverged { .. }) if self.ledger.age > 0 => {
                    if let Err(error) = self.renew(a, Decision::Slow) {
                        break Err(error);
                    }
                }
                Err(LinearError::NotConverged { .. } | LinearError::Indefinite { .. }) if self.may_make_factor() => {
                    if let Err(error) = self.make_factor(a) {
                        break Err(error);
                    }
                }
                Err(LinearError::NotConverged { .. } | LinearError::Indefinite { .. }) => {
                    if let Err(error) = self.go_direct(a) {
                        break Err(error);
                    }
                }
                done => break done,
            }
        };
        rhs.copy_from_slice(&x);
        (self.b, self.x) = (b, x);
        self.work.solves += columns as u64;
        done
    }

    /// Overwrites each column with P^-1 times itself: approximately A^-1, and exactly if the factor is that of the
    /// current matrix ([`Stale::is_exact`]). `a` is the current matrix.
    ///
    /// A hierarchy is no substitute for a factor here: a factor takes its place, or, for a huge body, a solve.
    pub fn precondition(&mut self, a: &BlockMatrix, columns_of: &mut [f64], columns: usize) -> Result<(), LinearError> {
        if self.may_make_factor() {
            self.make_factor(a)?;
        }
        if self.held == Held::Here(Form::Hierarchy) {
            return self.solve(a, columns_of, columns, self.stop.tolerance, None);
        }
        self.work.solves += columns as u64;
        if self.is_exact {
            return self.solve_directly(columns_of, columns);
        }
        self.applied().0(columns_of, columns)
    }

    /// Counts a use of [`Stale::precondition`] that took this many iterations of the caller.
    pub fn record(&mut self, iterations: usize) {
        if self.is_exact && self.held == Held::Nothing {
            return;
        }
        if self.held == Held::Here(Form::Hierarchy) {
            // It was solved with, which is recorded already.
            return;
        }
        self.ledger.record(iterations);
        self.judge();
    }

    /// Asks for a more exact form where this one is not exact enough for a matrix of its own.
    fn judge(&mut self) {
        let Held::Here(form) = self.held else { return };
        if self.ledger.is_inexact(&self.costs, form) && !(form == Form::Hierarchy && self.is_huge) {
            self.form = match form {
                Form::Hierarchy => self.stored,
                Form::Half => Form::Single,
                Form::Single | Form::Double => Form::Double,
            };
        }
    }

    /// Returns true if a hierarchy may give way to a factor.
    fn may_make_factor(&self) -> bool {
        self.held == Held::Here(Form::Hierarchy) && !self.is_huge
    }

    /// Replaces the hierarchy by a factor of the current matrix, for good.
    fn make_factor(&mut self, a: &BlockMatrix) -> Result<(), LinearError> {
        self.form = self.stored;
        self.renew(a, Decision::Slow)
    }

    /// Returns true if [`Stale::precondition`] solves with the current matrix.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Returns the matrices that the factor has been kept for since it was made.
    pub fn age(&self) -> u64 {
        self.ledger.age
    }

    /// Returns the decision about the factor for the current matrix.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// Returns the signs of the eigenvalues, as far as known.
    pub fn definiteness(&self) -> Definiteness {
        match &self.direct {
            Some(direct) if self.is_exact => direct.definiteness(),
            _ => Definiteness::Unknown,
        }
    }

    /// Work done since the solver was made.
    pub fn work(&self) -> Work {
        self.work
    }

    /// Makes a factor of the current matrix.
    fn renew(&mut self, a: &BlockMatrix, why: Decision) -> Result<(), LinearError> {
        self.decision = why;
        self.held = Held::Nothing;
        self.ledger = Ledger::default();
        weights(a, &mut self.weights);
        // What has no factor in f32 has none in 16 bits either: then in f64.
        let forms = match self.form {
            Form::Hierarchy if self.is_huge => &[Form::Hierarchy][..],
            Form::Hierarchy => &[Form::Hierarchy, self.stored],
            Form::Half if !self.is_huge => &[Form::Half],
            Form::Single if !self.is_huge => &[Form::Single],
            _ => &[],
        };
        for &form in forms {
            let positions = std::mem::take(&mut self.here.positions);
            let made = self.make(a, form, &positions);
            self.here.positions = positions;
            if made? {
                (self.held, self.form) = (Held::Here(form), form);
                self.record_birth();
                return Ok(());
            }
            self.decision = Decision::Widened;
        }
        if self.make(a, Form::Double, &[])? {
            self.keep_double(a);
        } else {
            self.decision = Decision::Indefinite;
        }
        self.is_exact = true;
        Ok(())
    }

    /// Uses the direct solver for a matrix on which conjugate gradients failed: either it has negative eigenvalues, or
    /// single precision was to blame and is given up.
    fn go_direct(&mut self, a: &BlockMatrix) -> Result<(), LinearError> {
        if self.held == Held::Here(Form::Double) {
            // It will be overwritten.
            self.held = Held::Nothing;
        }
        if self.make(a, Form::Double, &[])? {
            self.decision = Decision::Widened;
            self.keep_double(a);
        } else {
            self.decision = Decision::Indefinite;
        }
        self.is_exact = true;
        Ok(())
    }

    /// Keeps the factor in double precision of the current matrix from now on.
    fn keep_double(&mut self, a: &BlockMatrix) {
        (self.held, self.form) = (Held::Here(Form::Double), Form::Double);
        (self.half, self.single, self.hierarchy) = (None, None, None);
        self.ledger = Ledger::default();
        weights(a, &mut self.weights);
        self.record_birth();
    }

    /// Records the current matrix as the origin of the factor; it may still get a second factor.
    fn record_birth(&mut self) {
        let Stale { birth, here, .. } = self;
        birth.set(here.tag, &here.positions);
    }

    /// Makes an inverse of that form, for nodes at these positions; false if `a` has none. In double precision another
    /// kind of factor is made then.
    fn make(&mut self, a: &BlockMatrix, form: Form, positions: &[f64]) -> Result<bool, LinearError> {
        self.work.factorisations += 1;
        if form == Form::Hierarchy {
            // Never two at a time.
            self.hierarchy = None;
            self.hierarchy = Hierarchy::new(a, positions)?.map(Box::new);
            return Ok(self.hierarchy.is_some());
        }
        if self.structure.is_none() {
            let structure = Structure::new(&self.pattern, &self.ordering)?;
            // With the zeros that its panels hold.
            self.costs = Costs::new(structure.flops(), structure.entries(), self.pattern.slots());
            self.structure = Some(structure);
        }
        let Some(structure) = &self.structure else { return Ok(false) };
        match form {
            Form::Hierarchy => Ok(false),
            Form::Half => {
                let factor = match &mut self.half {
                    Some(factor) => factor,
                    none => none.insert(Factor::in_16_bits(structure)?),
                };
                is_made(factor.factorise(a))
            }
            Form::Single => {
                self.half = None;
                let factor = match &mut self.single {
                    Some(factor) => factor,
                    none => none.insert(Factor::new(structure)?),
                };
                is_made(factor.factorise(a))
            }
            Form::Double => {
                let direct = match &mut self.direct {
                    Some(direct) => direct,
                    none => none.insert(Cholesky::with_structure(structure)?),
                };
                // The kind of factor that solves any matrix counts as a second one.
                let before = direct.work().factorisations;
                let found = direct.prepare(a);
                self.work.factorisations += (direct.work().factorisations - before).saturating_sub(1);
                found.map(|found| found == Definiteness::Positive)
            }
        }
    }

    fn solve_directly(&mut self, x: &mut [f64], columns: usize) -> Result<(), LinearError> {
        self.direct.as_mut().ok_or(LinearError::NotPrepared)?.solve_factored(x, columns)
    }

    /// Runs conjugate gradients from the guess in `x`, until the factor is given up.
    fn iterate(
        &mut self,
        a: &BlockMatrix,
        b: &[f64],
        x: &mut [f64],
        columns: usize,
        tolerance: f64,
        mut first: Option<&[f64]>,
    ) -> Result<(), LinearError> {
        let Held::Here(form) = self.held else { return Err(LinearError::NotPrepared) };
        let max_iterations =
            if self.ledger.age == 0 { self.stop.max_iterations } else { self.ledger.patience(&self.costs, form) };
        let done = {
            let (mut apply, vectors, work) = self.applied();
            let mut preconditioner = |r: &mut [f64], columns: usize| match first.take() {
                Some(first) if first.len() == r.len() => {
                    r.copy_from_slice(first);
                    Ok(())
                }
                _ => apply(r, columns),
            };
            let mut products = 0;
            let multiply = |x: &[f64], y: &mut [f64], columns: usize| {
                products += columns as u64;
                a.multiply_columns(x, y, columns);
            };
            let mut counted = Counted { preconditioner: &mut preconditioner, work };
            let done = pcg(multiply, &mut counted, b, x, columns, Stop::at(tolerance, max_iterations), vectors);
            work.products += products;
            done
        };
        self.ledger.record(done?.iterations);
        self.judge();
        Ok(())
    }

    /// Returns the stored inverse as a function, with the vectors of the iteration and the counts.
    #[expect(clippy::type_complexity)]
    fn applied(&mut self) -> (impl FnMut(&mut [f64], usize) -> Result<(), LinearError>, &mut Vectors, &mut Work) {
        let Stale { hierarchy, half, single, direct, held, ledger, warp, vectors, work, .. } = self;
        let warp = (ledger.age > 0).then_some(&**warp);
        let apply = move |x: &mut [f64], columns: usize| {
            match *held {
                Held::Here(Form::Hierarchy) => hierarchy.as_mut().map(|hierarchy| hierarchy.solve(x, warp)),
                Held::Here(Form::Half) => half.as_mut().map(|factor| factor.solve(x, columns, warp)),
                Held::Here(Form::Single) => single.as_mut().map(|factor| factor.solve(x, columns, warp)),
                Held::Here(Form::Double) => {
                    let factor = direct.as_mut().ok_or(LinearError::NotPrepared)?;
                    warp.inspect(|warp| turn_back(warp, x));
                    factor.solve_factored(x, columns)?;
                    warp.inspect(|warp| turn(warp, x));
                    Some(())
                }
                _ => None,
            }
            .ok_or(LinearError::NotPrepared)
        };
        (apply, vectors, work)
    }
}

/// Returns false for a matrix that has no factor in single precision. A value too large for it is not finite there.
fn is_made(done: Result<(), LinearError>) -> Result<bool, LinearError> {
    match done {
        Err(LinearError::Indefinite { .. } | LinearError::Singular { .. } | LinearError::NonFinite { .. }) => Ok(false),
        done => done.map(|()| true),
    }
}
