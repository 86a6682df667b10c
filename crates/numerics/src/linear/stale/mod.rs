//! Conjugate gradients with a stored factor of an earlier matrix, rotated with the body, in single precision.
//!
//! The Cholesky factor of an earlier A_0 = M + h^2 K_0 is an excellent preconditioner for the current A, once the
//! rotation of each node's neighbourhood since then is taken out:
//!
//!   P^-1 = W A_0^-1 W^T,     W = blockdiag of the rotations from the positions of A_0 to the current ones
//!
//! A swinging body changes its K mostly by rotation. The rest takes 3 to 6 iterations to 1e-6 for tens of steps,
//! whatever the mesh; each is a product and two sweeps over the factor. These are limited by memory, so the factor is
//! stored in single precision: conjugate gradients run in double and correct its rounding. `ledger` decides when to
//! make a new one.
//!
//! A matrix that single precision cannot represent (a stiff part weighs 1e7 times the mass) makes the factor double
//! from then on. If conjugate gradients find a negative eigenvalue, or do not converge, this matrix is solved by the
//! direct solver ([`Cholesky`]), and the next one is tried again.
//!
//! Memory: 4 bytes per number of the factor, as much again to make it, and the vectors of the iteration; from the first
//! directly solved matrix on, 8 bytes per number for that.
//!
//! The origin of a factor is known to the caller: [`Stale::memory`] returns its positions and its tag, and after
//! [`Stale::recall`] the caller makes that matrix again ([`Stale::wanted`], [`Stale::rebuild`]). So an interrupted run
//! continues bit-for-bit identical.

mod ledger;
#[cfg(test)]
mod tests;

use super::ordering::Ordering;
use super::pcg::Counted;
use super::supernodal::{Factor, Structure};
use super::{Cholesky, Definiteness, LinearError, LinearSolver, Stop, Vectors, Work, pcg};
use crate::blocks::{BlockMatrix, Pattern};
use crate::mat3::{IDENTITY, Mat3};
use crate::rotation::{rotations, turn, turn_back, weights};
pub use ledger::Width;
use ledger::{Costs, Ledger};
use std::sync::Arc;

/// Numbers of the factor over those of the matrix below which a new factor costs no more than the iterations it saves:
/// ropes and chains, a few nodes.
const LEAST_FILL: f64 = 3.0;

/// Origin of a matrix, to make it again: numbers chosen by the caller, and the positions of the nodes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Origin {
    /// Numbers chosen by the caller.
    pub tag: [f64; 4],
    /// Positions, three numbers per node; those of the block rows first.
    pub positions: Vec<f64>,
}

impl Origin {
    fn set(&mut self, tag: [f64; 4], positions: &[f64]) {
        self.tag = tag;
        self.positions.clear();
        self.positions.extend_from_slice(positions);
    }
}

/// Decision about the factor, from the cheapest to the most expensive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Decision {
    /// No factor is stored.
    #[default]
    None,
    /// The old one was used.
    Kept,
    /// There was none before.
    First,
    /// A new one pays: the old one had come to cost as much as it saved.
    Worn,
    /// The old one took too many iterations, and was replaced during the solve.
    Slow,
    /// Single precision cannot represent it.
    Widened,
    /// The matrix has negative eigenvalues, and was solved directly.
    Indefinite,
}

impl Decision {
    /// All decisions, in order.
    pub const ALL: [Decision; 7] = [
        Decision::None,
        Decision::Kept,
        Decision::First,
        Decision::Worn,
        Decision::Slow,
        Decision::Widened,
        Decision::Indefinite,
    ];

    /// Returns a word for it.
    pub fn word(self) -> &'static str {
        match self {
            Decision::None => "-",
            Decision::Kept => "kept",
            Decision::First => "first",
            Decision::Worn => "worn",
            Decision::Slow => "slow",
            Decision::Widened => "widened",
            Decision::Indefinite => "indefinite",
        }
    }
}

/// Location of the factor.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Held {
    Nothing,
    Here(Width),
    /// Restored from a checkpoint, and not made yet.
    Wanted(Width),
}

/// The solver.
pub struct Stale {
    /// Stopping rule of conjugate gradients; may be changed between solves.
    pub stop: Stop,
    pattern: Arc<Pattern>,
    structure: Arc<Structure>,
    costs: Costs,
    single: Option<Factor<f32>>,
    /// Holds factors in double precision, and those of indefinite matrices.
    direct: Option<Cholesky>,
    held: Held,
    /// Precision of the next factor.
    width: Width,
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
    /// Makes it for matrices of a pattern.
    pub fn new(pattern: &Arc<Pattern>, ordering: Ordering, stop: Stop) -> Result<Stale, LinearError> {
        let structure = Structure::new(pattern, &ordering)?;
        Ok(Stale {
            stop,
            pattern: pattern.clone(),
            costs: Costs::new(structure.flops(), structure.entries(), pattern.slots()),
            structure,
            single: None,
            direct: None,
            held: Held::Nothing,
            width: Width::Single,
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
        })
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
            Held::Here(width) if width != self.width => self.renew(a, Decision::Widened),
            // A factor of the same matrix is as good as a new one.
            Held::Here(width) if self.ledger.is_worn(&self.costs, width) && self.birth != self.here => {
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
                if self.held == Held::Here(Width::Double) {
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
    /// current matrix ([`Stale::is_exact`]).
    pub fn precondition(&mut self, columns_of: &mut [f64], columns: usize) -> Result<(), LinearError> {
        self.work.solves += columns as u64;
        if self.is_exact {
            return self.solve_directly(columns_of, columns);
        }
        let Stale { single, direct, held, ledger, warp, .. } = self;
        applied(single, direct, *held, (ledger.age > 0).then_some(&**warp))(columns_of, columns)
    }

    /// Counts a use of [`Stale::precondition`] that took this many iterations of the caller.
    pub fn record(&mut self, iterations: usize) {
        if self.is_exact && self.held == Held::Nothing {
            return;
        }
        self.ledger.record(iterations);
        if self.ledger.is_rounded_away() {
            self.width = Width::Double;
        }
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

    /// Returns the numbers needed to make the same factor again.
    pub fn memory(&self) -> Vec<f64> {
        let bytes = |width| if width == Width::Single { 4.0 } else { 8.0 };
        let held = match self.held {
            Held::Nothing if self.width == Width::Single => return Vec::new(),
            Held::Nothing => 0.0,
            Held::Here(width) | Held::Wanted(width) => bytes(width),
        };
        let Ledger { age, uses, iterations, lately } = self.ledger;
        let counts = [age, uses, iterations].map(|count| count as f64);
        let head = [held, bytes(self.width), lately].into_iter().chain(counts).chain(self.birth.tag);
        head.chain(self.birth.positions.iter().copied().take(if held == 0.0 { 0 } else { usize::MAX })).collect()
    }

    /// Restores the result of [`Stale::memory`]; false if the numbers are impossible. The caller checks that the
    /// positions in it ([`Stale::wanted`]) are those of its nodes.
    pub fn recall(&mut self, memory: &[f64]) -> bool {
        self.forget();
        let [held, width, lately, age, uses, iterations, t0, t1, t2, t3, rest @ ..] = memory else {
            return memory.is_empty();
        };
        let counts = [*age, *uses, *iterations];
        let is_count = |count: &f64| *count >= 0.0 && *count < 1e15 && count.fract() == 0.0;
        let width_of = |bytes: f64| match bytes {
            4.0 => Some(Width::Single),
            8.0 => Some(Width::Double),
            _ => None,
        };
        let held = match width_of(*held) {
            Some(width) if rest.len() >= 3 * self.warp.len() => Held::Wanted(width),
            None if *held == 0.0 && rest.is_empty() => Held::Nothing,
            _ => return false,
        };
        let is_sound = counts.iter().all(is_count) && *lately >= 0.0 && lately.is_finite();
        let Some(width) = width_of(*width).filter(|_| is_sound) else { return false };
        let [age, uses, iterations] = counts.map(|count| count as u64);
        self.ledger = Ledger { age, uses, iterations, lately: *lately };
        self.birth.set([*t0, *t1, *t2, *t3], rest);
        (self.held, self.width) = (held, width);
        true
    }

    /// Returns the origin of the factor to be made after a restart.
    pub fn wanted(&self) -> Option<&Origin> {
        matches!(self.held, Held::Wanted(_)).then_some(&self.birth)
    }

    /// Makes that factor; its work was counted when it was first made.
    pub fn rebuild(&mut self, a: &BlockMatrix) -> Result<(), LinearError> {
        let Held::Wanted(width) = self.held else { return Ok(()) };
        weights(a, &mut self.weights);
        let work = self.work;
        let made = self.factorise(a, width);
        self.work = work;
        if made == Err(LinearError::Interrupted) {
            // Still to be made, when the work continues.
            return Err(LinearError::Interrupted);
        }
        self.held = Held::Nothing;
        if made? {
            self.held = Held::Here(width);
        }
        self.is_exact = false;
        Ok(())
    }

    /// Drops the factor.
    pub fn forget(&mut self) {
        (self.held, self.width, self.ledger) = (Held::Nothing, Width::Single, Ledger::default());
    }

    /// Makes a factor of the current matrix.
    fn renew(&mut self, a: &BlockMatrix, why: Decision) -> Result<(), LinearError> {
        self.decision = why;
        self.held = Held::Nothing;
        self.ledger = Ledger::default();
        weights(a, &mut self.weights);
        if self.width == Width::Single {
            if self.factorise(a, Width::Single)? {
                self.held = Held::Here(Width::Single);
                self.record_birth();
                return Ok(());
            }
            self.decision = Decision::Widened;
        }
        if self.factorise(a, Width::Double)? {
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
        if self.held == Held::Here(Width::Double) {
            // It will be overwritten.
            self.held = Held::Nothing;
        }
        if self.factorise(a, Width::Double)? {
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
        (self.held, self.width, self.single) = (Held::Here(Width::Double), Width::Double, None);
        self.ledger = Ledger::default();
        weights(a, &mut self.weights);
        self.record_birth();
    }

    /// Records the current matrix as the origin of the factor; it may still get a second factor.
    fn record_birth(&mut self) {
        let Stale { birth, here, .. } = self;
        birth.set(here.tag, &here.positions);
    }

    /// Returns true if `a` has a Cholesky factor in that precision. In double precision another kind of factor is made
    /// otherwise.
    fn factorise(&mut self, a: &BlockMatrix, width: Width) -> Result<bool, LinearError> {
        self.work.factorisations += 1;
        match width {
            Width::Single => {
                let factor = match &mut self.single {
                    Some(factor) => factor,
                    none => none.insert(Factor::new(&self.structure)?),
                };
                match factor.factorise(a) {
                    // A value too large for single precision is not finite there.
                    Err(
                        LinearError::Indefinite { .. } | LinearError::Singular { .. } | LinearError::NonFinite { .. },
                    ) => Ok(false),
                    done => done.map(|()| true),
                }
            }
            Width::Double => {
                let direct = match &mut self.direct {
                    Some(direct) => direct,
                    none => none.insert(Cholesky::with_structure(&self.structure)?),
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
        let Stale { single, direct, held, ledger, warp, vectors, work, costs, stop, .. } = self;
        let Held::Here(width) = *held else { return Err(LinearError::NotPrepared) };
        let max_iterations = if ledger.age == 0 { stop.max_iterations } else { ledger.patience(costs, width) };
        let mut apply = applied(single, direct, *held, (ledger.age > 0).then_some(&**warp));
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
        ledger.record(done?.iterations);
        if ledger.is_rounded_away() {
            // The next matrix gets a wider factor.
            self.width = Width::Double;
        }
        Ok(())
    }
}

/// Returns the stored factor as a function.
fn applied<'a>(
    single: &'a mut Option<Factor<f32>>,
    direct: &'a mut Option<Cholesky>,
    held: Held,
    warp: Option<&'a [Mat3]>,
) -> impl FnMut(&mut [f64], usize) -> Result<(), LinearError> + 'a {
    move |x: &mut [f64], columns: usize| match (held, &mut *single, &mut *direct) {
        (Held::Here(Width::Single), Some(factor), _) => {
            factor.solve(x, columns, warp);
            Ok(())
        }
        (Held::Here(Width::Double), _, Some(factor)) => {
            warp.inspect(|warp| turn_back(warp, x));
            factor.solve_factored(x, columns)?;
            warp.inspect(|warp| turn(warp, x));
            Ok(())
        }
        _ => Err(LinearError::NotPrepared),
    }
}
