//! Direct solver: supernodal Cholesky, and its symmetric indefinite kin when the matrix is not positive definite.
//!
//! L L^T = P A P^T is tried first. A non-positive pivot makes the solver start again with L B L^T, B of 1x1 and 2x2
//! blocks pivoted inside supernodes (Bunch-Kaufman). By Sylvester's law of inertia the negative eigenvalues of B are as
//! many as those of A. Pivots never leave their supernode, so that factorisation can be inaccurate: it is checked by
//! solving once for noise, and its answers are refined once.
//!
//! Symbolic analysis, memory and the permutation are made once per pattern; `prepare` and `solve` then allocate nothing
//! that grows with the matrix. Cost: [`Ordering::flops`] a factorisation, 4 [`Ordering::entries`] flops a column solved.

use super::ordering::Ordering;
use super::pcg::Preconditioner;
use super::permuted::{Layout, Permuted};
use super::supernodal::analyse;

use super::{Definiteness, LinearError, LinearSolver, Work};
use crate::blocks::{BlockMatrix, Pattern};
use dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::sparse::linalg::cholesky::supernodal::{self, SymbolicSupernodalCholesky};
use faer::{Conj, MatMut, Par};
use std::sync::Arc;

/// A pivot this small relative to the column it comes from is nothing but rounding errors.
const NOISE: f64 = 64.0 * f64::EPSILON;
/// Relative residual that an indefinite factorisation must reach on noise, after one refinement.
const INDEFINITE_RESIDUAL: f64 = 1e-8;

/// Threads work inside dense blocks only, so they can pay only when supernodes are large: at least this many flops each
/// on average. Two threads lost at every size below (1.2 to 1.4 times slower at 3.5e6, 1.6 to 2.8 at 1e5). Above, a cube
/// of 12,000 nodes (1.2e7) gained 1.1 to 1.3 times on a quiet machine, but cubes of 12,000 and 27,000 nodes lost 1.3
/// times when other programs kept the cores busy: the gain is small and wants free cores.
const PARALLEL_FLOPS: f64 = 1e7;

/// How many threads a factorisation uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// All of the current pool when the supernodes are large enough, else one: decided by counted flops.
    ByRule,
    /// One.
    One,
    /// All of the current pool.
    All,
}

/// The direct solver of one pattern.
pub struct Cholesky {
    pattern: Arc<Pattern>,
    permuted: Permuted<f64>,
    symbolic: SymbolicSupernodalCholesky<usize>,
    flops: f64,
    refuses_indefinite: bool,
    threads: Threads,
    factor: Vec<f64>,
    held: Held,
    definiteness: Definiteness,
    /// What L B L^T needs besides `factor`; empty until the first indefinite matrix.
    pivots: Pivots,
    /// Right-hand sides in the order of the factor, and room for a residual.
    x: Vec<f64>,
    residual: Vec<f64>,
    memory: MemBuffer,
    work: Work,
}

/// What `factor` holds.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    Nothing,
    Definite,
    Indefinite,
}

#[derive(Default)]
struct Pivots {
    /// Below the diagonal of B; zero except at the first row of a 2x2 block.
    subdiagonal: Vec<f64>,
    /// Row k of the pivoted matrix is row `forward[k]` of the permuted one.
    forward: Vec<usize>,
    inverse: Vec<usize>,
}

impl Cholesky {
    /// Orders and analyses `pattern`.
    pub fn new(pattern: &Arc<Pattern>) -> Result<Cholesky, LinearError> {
        Cholesky::with_ordering(pattern, &Ordering::best(pattern))
    }

    /// Analyses `pattern` for a given order of elimination.
    pub fn with_ordering(pattern: &Arc<Pattern>, ordering: &Ordering) -> Result<Cholesky, LinearError> {
        let too_large = LinearError::TooLarge { entries: ordering.entries };
        let layout = Arc::new(Layout::new(pattern, ordering));
        let symbolic = analyse(&layout).ok_or(too_large)?;
        let mut factor = Vec::new();
        factor.try_reserve_exact(symbolic.len_val()).map_err(|_| too_large)?;
        factor.resize(symbolic.len_val(), 0.0);
        Ok(Cholesky {
            pattern: pattern.clone(),
            factor,
            flops: ordering.flops,
            refuses_indefinite: false,
            threads: Threads::ByRule,
            held: Held::Nothing,
            definiteness: Definiteness::Unknown,
            pivots: Pivots::default(),
            x: Vec::new(),
            residual: Vec::new(),
            memory: MemBuffer::new(StackReq::EMPTY),
            work: Work::default(),
            permuted: Permuted::new(&layout),
            symbolic,
        })
    }

    /// Makes `prepare` fail at the first non-positive pivot instead of factorising an indefinite matrix.
    pub fn refuse_indefinite(mut self) -> Cholesky {
        self.refuses_indefinite = true;
        self
    }

    /// Groups of columns with equal patterns, which are factorised as dense blocks.
    pub fn supernodes(&self) -> usize {
        self.symbolic.n_supernodes()
    }

    /// Overwrites the columns of `rhs` with the solutions for the matrix last prepared.
    pub fn solve_factored(&mut self, rhs: &mut [f64], columns: usize) -> Result<(), LinearError> {
        if self.held == Held::Nothing {
            return Err(LinearError::NotPrepared);
        }
        assert_eq!(
            rhs.len(),
            self.permuted.layout().dim() * columns,
            "right-hand sides do not have the size of the matrix"
        );
        if let Some(k) = rhs.iter().position(|v| !v.is_finite()) {
            return Err(LinearError::NonFinite { row: k % self.permuted.layout().dim() / 3 });
        }
        self.x.resize(rhs.len(), 0.0);
        self.permuted.layout().gather(rhs, &mut self.x, None);
        match self.held {
            Held::Indefinite => self.solve_indefinite(columns),
            _ => self.solve_definite(columns),
        }
        self.permuted.layout().scatter(&self.x, rhs, None);
        self.work.solves += columns as u64;
        Ok(())
    }

    /// Overrides the rule for threads, for measurements and tests. No bit of an answer depends on it.
    pub fn set_threads(&mut self, threads: Threads) {
        self.threads = threads;
    }

    fn par(&self) -> Par {
        let pays = match self.threads {
            Threads::ByRule => self.flops >= PARALLEL_FLOPS * self.symbolic.n_supernodes() as f64,
            Threads::One => false,
            Threads::All => true,
        };
        if pays && rayon::current_num_threads() > 1 { Par::rayon(0) } else { Par::Seq }
    }

    fn factorise(&mut self) -> Result<Definiteness, LinearError> {
        let par = self.par();
        let required =
            supernodal::factorize_supernodal_numeric_llt_scratch::<usize, f64>(&self.symbolic, par, Default::default());
        let done = supernodal::factorize_supernodal_numeric_llt(
            &mut self.factor,
            self.permuted.lower(),
            Default::default(),
            &self.symbolic,
            par,
            grown(&mut self.memory, required),
            Default::default(),
        );
        self.work.factorisations += 1;
        match done {
            Ok(_) => {
                if let Some(j) = self.lost_pivot() {
                    return Err(self.singular(j));
                }
                self.held = Held::Definite;
                Ok(Definiteness::Positive)
            }
            Err(_) if self.refuses_indefinite => Err(LinearError::Indefinite { negative: None }),
            Err(_) => self.factorise_indefinite(),
        }
    }

    /// A column whose pivot is rounding errors only: it passed for positive by luck.
    fn lost_pivot(&self) -> Option<usize> {
        self.diagonal().find(|&(j, l)| l * l <= NOISE * self.permuted.diagonal(j)).map(|(j, _)| j)
    }

    fn factorise_indefinite(&mut self) -> Result<Definiteness, LinearError> {
        let (n, par) = (self.permuted.layout().dim(), self.par());
        // The factorisation leaves entries beside pivots that need no elimination as they are: they must start as zeros.
        self.pivots.subdiagonal.clear();
        self.pivots.subdiagonal.resize(n, 0.0);
        self.pivots.forward.resize(n, 0);
        self.pivots.inverse.resize(n, 0);
        let required = supernodal::factorize_supernodal_numeric_intranode_lblt_scratch::<usize, f64>(
            &self.symbolic,
            par,
            Default::default(),
        );
        supernodal::factorize_supernodal_numeric_intranode_lblt(
            &mut self.factor,
            &mut self.pivots.subdiagonal,
            &mut self.pivots.forward,
            &mut self.pivots.inverse,
            self.permuted.lower(),
            &self.symbolic,
            par,
            grown(&mut self.memory, required),
            Default::default(),
        );
        self.work.factorisations += 1;
        let negative = self.count_negative()?;
        self.check_on_noise()?;
        self.held = Held::Indefinite;
        Ok(if negative == 0 { Definiteness::Positive } else { Definiteness::Indefinite { negative } })
    }

    /// Negative eigenvalues of B.
    fn count_negative(&self) -> Result<usize, LinearError> {
        let mut negative = 0;
        let mut diagonal = self.diagonal();
        while let Some((j, d)) = diagonal.next() {
            let (row, off) = (self.pivots.forward[j], self.pivots.subdiagonal[j]);
            let noise = NOISE * self.permuted.scale(row);
            if off == 0.0 {
                // Written so that NaN counts as singular.
                if d.abs() > noise {
                    negative += usize::from(d < 0.0);
                } else {
                    return Err(self.singular(row));
                }
            } else if let Some((_, e)) = diagonal.next() {
                // det < 0: one of each sign. Otherwise both have the sign of the trace.
                let det = d * e - off * off;
                if !det.is_finite() || det.abs() <= noise * noise {
                    return Err(self.singular(row));
                }
                negative += if det < 0.0 { 1 } else { 2 * usize::from(d + e < 0.0) };
            }
        }
        Ok(negative)
    }

    /// Solves for noise, which has a part along every eigenvector, and looks at the residual.
    fn check_on_noise(&mut self) -> Result<(), LinearError> {
        let n = self.permuted.layout().dim();
        let noise = |k: usize| ((k as f64 + 1.0) * 12.9898).sin();
        self.x.resize(n, 0.0);
        self.x.iter_mut().enumerate().for_each(|(k, x)| *x = noise(k));
        self.solve_indefinite(1);
        self.residual.resize(n, 0.0);
        self.residual.iter_mut().enumerate().for_each(|(k, r)| *r = noise(k));
        self.permuted.subtract_product(&self.x, &mut self.residual);
        let squares = |v: &mut dyn Iterator<Item = f64>| v.map(|x| x * x).sum::<f64>();
        let (left, whole) = (squares(&mut self.residual.iter().copied()), squares(&mut (0..n).map(noise)));
        if left <= INDEFINITE_RESIDUAL * INDEFINITE_RESIDUAL * whole {
            Ok(())
        } else {
            Err(LinearError::Singular { row: None })
        }
    }

    /// The diagonal of L or B with its column.
    fn diagonal(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        (0..self.symbolic.n_supernodes()).flat_map(move |s| {
            let (begin, end) = (self.symbolic.supernode_begin()[s], self.symbolic.supernode_end()[s]);
            let first = self.symbolic.col_ptr_for_val()[s];
            let height = (self.symbolic.col_ptr_for_val()[s + 1] - first) / (end - begin);
            (begin..end).map(move |j| (j, self.factor[first + (j - begin) * (height + 1)]))
        })
    }

    fn singular(&self, row: usize) -> LinearError {
        LinearError::Singular { row: Some(self.permuted.layout().order()[row / 3] as usize) }
    }

    fn solve_definite(&mut self, columns: usize) {
        let par = self.par();
        let required = self.symbolic.solve_in_place_scratch::<f64>(columns, par);
        supernodal::SupernodalLltRef::new(&self.symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut self.x, self.permuted.layout().dim(), columns),
            par,
            grown(&mut self.memory, required),
        );
    }

    /// One solve and one step of refinement, column by column.
    fn solve_indefinite(&mut self, columns: usize) {
        let n = self.permuted.layout().dim();
        self.residual.resize(2 * n, 0.0);
        let required = self.symbolic.solve_in_place_scratch::<f64>(1, Par::Seq);
        let stack = grown(&mut self.memory, required);
        let (residual, y) = self.residual.split_at_mut(n);
        // SAFETY: the factorisation wrote forward and inverse as permutations inverse to each other.
        let perm = unsafe { faer::perm::PermRef::new_unchecked(&self.pivots.forward, &self.pivots.inverse, n) };
        let lblt =
            supernodal::SupernodalIntranodeLbltRef::new(&self.symbolic, &self.factor, &self.pivots.subdiagonal, perm);
        let mut solve = |b: &[f64], y: &mut [f64]| {
            y.iter_mut().zip(&self.pivots.forward).for_each(|(y, &k)| *y = b[k]);
            let y = MatMut::from_column_major_slice_mut(y, n, 1);
            lblt.solve_in_place_no_numeric_permute_with_conj(Conj::No, y, Par::Seq, stack);
        };
        for x in self.x.chunks_exact_mut(n).take(columns) {
            residual.copy_from_slice(x);
            solve(residual, y);
            self.pivots.forward.iter().zip(&*y).for_each(|(&k, y)| x[k] = *y);
            self.permuted.subtract_product(x, residual);
            solve(residual, y);
            self.pivots.forward.iter().zip(&*y).for_each(|(&k, y)| x[k] += *y);
        }
    }
}

impl Preconditioner for Cholesky {
    fn apply(&mut self, r: &mut [f64], columns: usize) -> Result<(), LinearError> {
        self.solve_factored(r, columns)
    }
}

impl LinearSolver for Cholesky {
    fn prepare(&mut self, a: &BlockMatrix) -> Result<Definiteness, LinearError> {
        self.held = Held::Nothing;
        super::adopt(&mut self.pattern, a)?;
        self.permuted.load(a)?;
        self.definiteness = Definiteness::Unknown;
        self.definiteness = self.factorise()?;
        Ok(self.definiteness)
    }

    fn solve(&mut self, _: &BlockMatrix, rhs: &mut [f64], columns: usize) -> Result<(), LinearError> {
        self.solve_factored(rhs, columns)
    }

    fn definiteness(&self) -> Definiteness {
        self.definiteness
    }

    fn work(&self) -> Work {
        self.work
    }
}

/// The memory as a stack of at least the required size.
pub(super) fn grown(memory: &mut MemBuffer, required: StackReq) -> &mut MemStack {
    if !MemStack::new(memory).can_hold(required) {
        *memory = MemBuffer::new(required);
    }
    MemStack::new(memory)
}
