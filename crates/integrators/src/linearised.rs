//! The equations of motion linearised about a state: the [`Oscillator`] of one step.
//!
//!   M y'' + D y' + K y = r(t),   y(0) = 0,   y'(0) = v,     x(t) = x_n + y(t)
//!
//! D is alpha M + beta K. Where the K in D is the current one, all matrices have the same modes and symmetric Lanczos
//! suffices. Where it is another one (damping at rest, or the exact Jacobian below), D is general.
//!
//! **The exact Jacobian.** The force of damping by the current stiffness is -beta K(x) v, and its derivative in x is
//! -beta T with T = dK/dx [v], a symmetric matrix. Methods above second order need it; it is the central difference of
//! K along v. Methods of second order need only the product T v, a load that grows with time (`drift.rs`).
//!
//! **In frames that turn** with spins w (`turning_frame.rs`) D + 2 M w^ takes the place of D, and K + D w^ + M w^2 that of K. They
//! are not symmetric: products alone are left, and D is general.

use crate::acceleration::Acceleration;
use crate::linear_system::{SOLVER, tight_stop};
use crate::options::Options;
use crate::stepper::StepReport;
use crate::turning_frame::{Frames, add_to_node, of_node, set_node};
use model::energy::Stiffness;
use model::mass::Mass;
use model::{Model, State};
use numerics::blocks::BlockMatrix;
use numerics::functions::{Damping, FunctionError, Oscillator};
use numerics::interrupt;
use numerics::linear::{self, LinearError, LinearSolver, SolverKind, Stop, Work};
use numerics::mat3::{IDENTITY, Vec3, add, cross, dot, mat_add, mat_scale, mat_sub, outer, scale};
use std::cell::{Cell, RefCell};

/// Distance along the velocity over which the stiffness is differenced, in steps. Small enough that no element inverts
/// and the truncation error is far below that of the step; large enough that the rounding error is too.
pub(crate) const PROBE: f64 = 1e-3;

/// Part of the force that a linearisation follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Jacobian {
    /// All but the change of damping with positions.
    Frozen,
    /// All of it.
    Exact,
    /// A stiffness chosen by the method, with damping by the same.
    LinearPart,
}

/// Matrices of a linearisation, and their solvers.
pub(crate) struct Linearised {
    /// K, and beta T where the Jacobian is exact.
    pub stiffness: BlockMatrix,
    /// K in D where it is not `stiffness`: at rest, or without beta T.
    damping: Option<BlockMatrix>,
    /// K at a probe, while T is made.
    probe: Option<BlockMatrix>,
    shifted: Option<Shifted>,
    mass: Acceleration,
    /// Solver of shifted matrices, and its stopping rule.
    solver: SolverKind,
    stop: Stop,
    /// Positions of all nodes at a probe.
    x: Vec<f64>,
    /// Factor c of the numerical damping c h K, and c h of the current step [s].
    unresolved: [f64; 2],
    /// w of the frame of each free node [rad/s]; empty in a frame at rest.
    spins: Vec<Vec3>,
    /// w x y of a product.
    turned: Vec<f64>,
}

/// m M + d D + k K with its solver.
struct Shifted {
    matrix: BlockMatrix,
    solver: Box<dyn LinearSolver>,
}

impl Linearised {
    pub fn new(model: &Model, options: &Options, jacobian: Jacobian) -> Result<Linearised, LinearError> {
        let zeros = || BlockMatrix::zeros(model.pattern().clone());
        let damping = model.damping();
        let at_rest = damping.at_rest.clone().filter(|_| damping.stiffness != 0.0 && jacobian != Jacobian::LinearPart);
        let current = damping.stiffness != 0.0 && damping.at_rest.is_none();
        let exact = jacobian == Jacobian::Exact && current;
        Ok(Linearised {
            stiffness: zeros(),
            damping: at_rest.or(exact.then(zeros)),
            probe: exact.then(zeros),
            shifted: None,
            mass: Acceleration::new(model, options)?,
            solver: options.get(&SOLVER),
            stop: tight_stop(model, options),
            x: vec![0.0; 3 * model.nodes()],
            unresolved: [0.0; 2],
            spins: Vec::new(),
            turned: Vec::new(),
        })
    }

    /// Adds numerical damping `factor` h K to D in the steps to come, which acts on y' alone.
    pub fn damp_unresolved(&mut self, factor: f64) {
        self.unresolved = [factor, 0.0];
    }

    /// Begins a step of `h`.
    pub fn begin(&mut self, h: f64) {
        self.unresolved[1] = self.unresolved[0] * h;
    }

    /// Returns the factor of K in D that is no property of the model: numerical damping [s].
    pub fn unresolved(&self) -> f64 {
        self.unresolved[1]
    }

    /// Returns the energy [J] that numerical damping took in a motion of `time` [s] from y' to y and y' under the load r_0 + t g: what
    /// the whole damping by K took, by the balance of energy, in the proportion of their factors. Exact but for integrals of smooth
    /// functions. `scratch` is overwritten.
    pub fn taken_by_unresolved(
        &self,
        model: &Model,
        time: f64,
        [before, y, after]: [&[f64]; 3],
        [load, rate]: [&[f64]; 2],
        scratch: &mut [f64],
    ) -> f64 {
        let [alpha, beta] = [model.damping().mass, model.damping().stiffness];
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let m = model.mass();
        let [first, last] = [before, after].map(|v| m.inner(v, v));
        self.stiffness.multiply(y, scratch);
        for (i, &spin) in self.spins.iter().enumerate() {
            add_to_node(scratch, i, cross(spin, cross(spin, m.row_times(i, y))));
        }
        let stored = 0.5 * (last - first + dot(y, scratch));
        // The integral of t g . y' is h g . y minus that of g . y, by the trapezoidal rule with corrected ends.
        let turned = 0.5 * time * dot(rate, y) - time * time / 12.0 * (dot(rate, before) - dot(rate, after));
        let by_mass = 0.5 * alpha * time * (first + last);
        let by_stiffness = dot(load, y) + turned - stored - by_mass;
        (by_stiffness * self.unresolved() / (beta + self.unresolved())).max(0.0)
    }

    /// Returns true if it damps numerically.
    pub fn damps_unresolved(&self) -> bool {
        self.unresolved[0] != 0.0
    }

    /// Takes the stiffness as it is.
    pub fn take(&mut self, model: &Model, kind: Stiffness, x: &[f64]) {
        model.stiffness(kind, x, &mut self.stiffness);
    }

    /// Returns true if damping is by another matrix than the stiffness: modes are then not enough.
    pub fn has_general_damping(&self) -> bool {
        self.damping.is_some()
    }

    /// Takes the frames of a step; `None` for frames at rest.
    pub fn turn(&mut self, model: &Model, frames: Option<&Frames>) {
        self.spins.clear();
        if let Some(frames) = frames {
            self.spins.extend((0..model.free_nodes()).map(|i| frames.of(i).spin));
            self.turned.resize(model.dofs(), 0.0);
        }
    }

    /// K += M w^2, symmetric, with the spins of the frames.
    pub fn add_centrifugal(&mut self, model: &Model, frames: &Frames) {
        let pattern = model.pattern();
        let square = |i: usize| {
            let spin = frames.of(i).spin;
            mat_sub(&outer(spin, spin), &mat_scale(dot(spin, spin), &IDENTITY))
        };
        match model.mass() {
            Mass::Lumped(mass) => {
                for (i, m) in mass.iter().enumerate() {
                    let block = &mut self.stiffness.values[pattern.diagonal(i)];
                    *block = mat_add(block, &mat_scale(*m, &square(i)));
                }
            }
            Mass::Consistent(matrix) => {
                for i in 0..pattern.rows() {
                    let square = square(i);
                    for (_, slot) in pattern.lower(i) {
                        let block = &mut self.stiffness.values[slot];
                        *block = mat_add(block, &mat_scale(matrix.values[slot][0][0], &square));
                    }
                }
            }
        }
    }

    /// Returns true if the matrices are those of a turning frame, and not symmetric.
    pub fn turns(&self) -> bool {
        !self.spins.is_empty()
    }

    /// Takes the matrices at a state; `h` is the step they are for.
    pub fn at(&mut self, model: &Model, state: &State, h: f64, report: &mut StepReport) {
        let kind = model.stiffness_kind();
        model.stiffness(kind, &state.x, &mut self.stiffness);
        report.assemblies += 1;
        self.begin(h);
        let (Some(probe), Some(damping)) = (&mut self.probe, &mut self.damping) else { return };
        damping.values.clone_from(&self.stiffness.values);
        for side in [1.0, -1.0] {
            // Along all velocities, also those of scripted nodes: K v is differentiated.
            self.x.copy_from_slice(&state.x);
            self.x.iter_mut().zip(&state.v).for_each(|(x, v)| *x += side * PROBE * h * v);
            model.stiffness(kind, &self.x, probe);
            report.assemblies += 1;
            self.stiffness.add_scaled(side * model.damping().stiffness / (2.0 * PROBE * h), probe);
        }
    }

    /// y += c D x, with the D of free nodes.
    pub fn add_damping_times(&self, model: &Model, c: f64, x: &[f64], y: &mut [f64]) {
        let damping = model.damping();
        if damping.mass != 0.0 {
            model.mass().multiply_add(c * damping.mass, x, y);
        }
        if damping.stiffness != 0.0 {
            self.damping.as_ref().unwrap_or(&self.stiffness).multiply_add(c * damping.stiffness, x, y);
        }
    }

    /// Returns a bound of the fastest frequency [rad/s]: Gershgorin's for M^-1/2 K M^-1/2, with the mass lumped.
    pub fn fastest_bound(&self, model: &Model) -> f64 {
        let pattern = model.pattern();
        let mut sums = 0.0_f64;
        for i in 0..model.free_nodes() {
            let weight = |j: usize| 1.0 / (model.node_mass()[i] * model.node_mass()[j]).sqrt();
            let blocks = pattern.columns(i).iter().filter_map(|&j| {
                let slot = pattern.slot(i, j as usize)?;
                let block = &self.stiffness.values[slot];
                Some(weight(j as usize) * block.as_flattened().iter().map(|b| b * b).sum::<f64>().sqrt())
            });
            sums = sums.max(blocks.sum());
        }
        let lighter = if matches!(model.mass(), Mass::Consistent(_)) { 5.0 } else { 1.0 };
        (lighter * sums).sqrt()
    }

    /// Returns the oscillator, for a propagator to work on.
    pub fn oscillator<'a>(&'a mut self, model: &'a Model) -> LinearisedModel<'a> {
        let turned = RefCell::new(std::mem::take(&mut self.turned));
        LinearisedModel {
            model,
            matrices: self,
            turned,
            work: Work::default(),
            most: [0, u64::MAX],
            taken: Cell::new(0),
        }
    }
}

/// A linearisation with its model: an oscillator.
pub(crate) struct LinearisedModel<'a> {
    model: &'a Model,
    matrices: &'a mut Linearised,
    /// Memory of the matrices, while they are lent.
    turned: RefCell<Vec<f64>>,
    /// Work of divisions by a consistent mass.
    pub work: Work,
    /// Products with the stiffness in the step before, and the limit for the whole step.
    pub most: [u64; 2],
    /// Products of the motion so far.
    pub taken: Cell<u64>,
}

impl Drop for LinearisedModel<'_> {
    fn drop(&mut self) {
        self.matrices.turned = self.turned.take();
    }
}

impl LinearisedModel<'_> {
    /// y += (D w^ + M w^2) x.
    fn add_turned_stiffness(&self, x: &[f64], y: &mut [f64]) {
        let (spins, turned) = (&self.matrices.spins, &mut *self.turned.borrow_mut());
        let damping = self.model.damping();
        for (i, &spin) in spins.iter().enumerate() {
            let momentum = cross(spin, self.model.mass().row_times(i, x));
            let pulled = add(scale(damping.mass, momentum), cross(spin, momentum));
            add_to_node(y, i, pulled);
        }
        if damping.stiffness != 0.0 {
            spins.iter().enumerate().for_each(|(i, &spin)| set_node(turned, i, cross(spin, of_node(x, i))));
            let matrix = self.matrices.damping.as_ref().unwrap_or(&self.matrices.stiffness);
            matrix.multiply_add(damping.stiffness, turned, y);
        }
    }

    /// y += 2 M w^ x.
    fn add_gyroscopic(&self, x: &[f64], y: &mut [f64]) {
        for (i, &spin) in self.matrices.spins.iter().enumerate() {
            let turned = cross(spin, self.model.mass().row_times(i, x));
            add_to_node(y, i, scale(2.0, turned));
        }
    }
}

impl Oscillator for LinearisedModel<'_> {
    fn dim(&self) -> usize {
        self.model.dofs()
    }

    fn stiffness_times(&self, x: &[f64], y: &mut [f64], columns: usize) {
        self.matrices.stiffness.multiply_columns(x, y, columns);
        if self.matrices.turns() {
            let n = self.dim();
            for (x, y) in x.chunks_exact(n).zip(y.chunks_exact_mut(n)).take(columns) {
                self.add_turned_stiffness(x, y);
            }
        }
    }

    fn mass_times(&self, x: &[f64], y: &mut [f64], columns: usize) {
        let n = self.dim();
        for (x, y) in x.chunks_exact(n).zip(y.chunks_exact_mut(n)).take(columns) {
            y.fill(0.0);
            self.model.mass().multiply_add(1.0, x, y);
        }
    }

    fn divide_by_mass(&mut self, x: &mut [f64], columns: usize) -> Result<(), LinearError> {
        self.matrices.mass.divide(self.model, x, columns, &mut self.work)
    }

    fn damping(&self) -> Damping {
        let damping = self.model.damping();
        match self.matrices.damping {
            _ if self.matrices.turns() => Damping::General,
            Some(_) => Damping::General,
            None => {
                let stiffness = damping.stiffness + self.matrices.unresolved();
                Damping::Rayleigh { mass: damping.mass, stiffness }
            }
        }
    }

    fn damping_times(&self, x: &[f64], y: &mut [f64], columns: usize) {
        let n = self.dim();
        for (x, y) in x.chunks_exact(n).zip(y.chunks_exact_mut(n)).take(columns) {
            y.fill(0.0);
            self.matrices.add_damping_times(self.model, 1.0, x, y);
            if self.matrices.unresolved() != 0.0 {
                self.matrices.stiffness.multiply_add(self.matrices.unresolved(), x, y);
            }
            self.add_gyroscopic(x, y);
        }
    }

    fn prepare_shifted(&mut self, [m, d, k]: [f64; 3]) -> Result<(), LinearError> {
        let unresolved = self.matrices.unresolved();
        let Linearised { stiffness, damping, shifted, solver, stop, .. } = &mut *self.matrices;
        let model = self.model;
        let shifted = match shifted {
            Some(shifted) => shifted,
            None => {
                let solver = linear::choose(model.pattern(), *solver, *stop)?;
                shifted.insert(Shifted { matrix: BlockMatrix::zeros(model.pattern().clone()), solver })
            }
        };
        let [alpha, beta] = [model.damping().mass, model.damping().stiffness];
        let a = &mut shifted.matrix;
        match damping {
            None => a.set_scaled(d * (beta + unresolved) + k, stiffness),
            Some(damping) => {
                a.set_scaled(d * unresolved + k, stiffness);
                a.add_scaled(d * beta, damping);
            }
        }
        model.mass().add_to(m + d * alpha, a);
        shifted.solver.prepare(a).map(|_| ())
    }

    fn solve_shifted(&mut self, x: &mut [f64], columns: usize) -> Result<(), LinearError> {
        let shifted = self.matrices.shifted.as_mut().ok_or(LinearError::NotPrepared)?;
        shifted.solver.solve(&shifted.matrix, x, columns)
    }

    fn go_on(&self, work: &Work) -> Result<(), FunctionError> {
        self.taken.set(work.products);
        let [before, most] = self.most;
        interrupt::check().map_err(LinearError::from)?;
        if before + work.products >= most { Err(FunctionError::TooMuchWork { most }) } else { Ok(()) }
    }
}
