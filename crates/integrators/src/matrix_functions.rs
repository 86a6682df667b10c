//! Computation of the matrix functions of a step, and the choice of the algorithm.
//!
//! | damping | by default |
//! |---|---|
//! | none, or by mass, or weak | symmetric Lanczos |
//! | beta K, beta >= h/10: fast modes die within the step | rational Lanczos, where a factorisation costs less |
//! | by another K than the current one | rational Arnoldi as above, else KIOPS |
//! | any, in a frame that turns: the matrices are not symmetric | KIOPS |
//!
//! For a model of many small bodies (`numerics::linear::ComponentMotions`), rational Lanczos has a space for each of them, if
//! motions are wanted at one time.
//!
//! A rational space that does not converge gives way to the polynomial one. Work is counted in flops, never timed.

use crate::field::Words;
use crate::linear_system::SOLVER;
use crate::linearised::Linearised;
use crate::options::{Options, Setting};
use crate::stepper::{StepError, StepReport};
use model::Model;
use model::mass::Mass;
use model::parameter::{Kind, Parameter, Preset};
use numerics::functions::scalar::response;
use numerics::functions::{
    Expokit, FunctionError, Kiops, Lanczos, Leja, Motion, Propagator, Rational, Sample, Taylor, rounding_floor,
};
use numerics::linear::{self, ComponentInput, ComponentMotions, SolverKind, Work};

/// Algorithm for actions of matrix functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Krylov {
    /// Chosen by the system and the cost.
    Auto,
    /// Polynomial Krylov spaces of the symmetric operator.
    Lanczos,
    /// Krylov spaces of a shifted inverse.
    Rational,
    /// Arnoldi with time steps, as Expokit does.
    Expokit,
    /// Arnoldi with adaptive basis and incomplete orthogonalisation.
    Kiops,
    /// Truncated Taylor series.
    Taylor,
    /// Interpolation at Leja points.
    Leja,
}

impl Words for Krylov {
    const WORDS: &'static [(&'static str, Krylov)] = &[
        ("auto", Krylov::Auto),
        ("lanczos", Krylov::Lanczos),
        ("rational", Krylov::Rational),
        ("expokit", Krylov::Expokit),
        ("kiops", Krylov::Kiops),
        ("taylor", Krylov::Taylor),
        ("leja", Krylov::Leja),
    ];
}

/// Algorithm for actions of matrix functions.
pub const KRYLOV: Setting<Krylov> = Setting::new(Parameter {
    name: "krylov",
    kind: Kind::Word { choices: Krylov::CHOICES },
    default: Preset::Word("auto"),
    doc: "algorithm for actions of matrix functions; auto: Lanczos, or rational where damping makes it cheaper",
    unit: "",
});

/// Relative error of the matrix functions of a step.
pub const KRYLOV_TOLERANCE: Setting<f64> = Setting::new(Parameter {
    name: "krylov_tolerance",
    kind: Kind::within(1e-14, 0.1),
    default: Preset::Numbers(&[1e-8]),
    doc: "relative error of the matrix functions of a step; the rounding error of fast motions may be larger",
    unit: "",
});

/// Limit of products with the stiffness matrix per step, for matrix functions.
pub const PRODUCTS: Setting<usize> = Setting::new(Parameter {
    name: "products",
    kind: Kind::count_within(100, 1_000_000_000),
    default: Preset::Numbers(&[100_000.0]),
    doc: "limit of products with the stiffness matrix per step, for matrix functions: a step that needs more is an error; about h times the fastest frequency are needed",
    unit: "",
});

/// Solves with the shifted matrix per vector of a converging rational space.
const RATIONAL_SOLVES: f64 = 15.0;
/// Flops that a factorisation does in the time of one flop of a sparse product.
const DENSE_ADVANTAGE: f64 = 6.0;

/// Loosest tolerance at which error estimates can be trusted.
const LOOSEST: f64 = 1e-3;

/// Computes motions of a linearised model.
pub(crate) struct MatrixFunctions {
    krylov: Krylov,
    tolerance: f64,
    /// Limit of products per step.
    products: u64,
    polynomial: Box<dyn Propagator>,
    rational: Option<Rational>,
    /// Spaces of many small bodies instead.
    components: Option<ComponentMotions>,
    /// For matrices that are not symmetric, where `polynomial` needs symmetric ones.
    turning: Option<Kiops>,
    /// Flops of a factorisation, and of the solves for one vector.
    rational_flops: [f64; 2],
}

impl MatrixFunctions {
    pub fn new(model: &Model, options: &Options, linearised: &Linearised) -> MatrixFunctions {
        let krylov = options.get(&KRYLOV);
        let polynomial: Box<dyn Propagator> = match krylov {
            Krylov::Expokit => Box::new(Expokit::default()),
            Krylov::Taylor => Box::new(Taylor::new()),
            Krylov::Leja => Box::new(Leja::new()),
            Krylov::Kiops => Box::new(Kiops::new()),
            _ if linearised.has_general_damping() => Box::new(Kiops::new()),
            _ => Box::new(Lanczos::new()),
        };
        let may_decide = krylov == Krylov::Auto && (model.damping().stiffness > 0.0 || linearised.damps_unresolved());
        let rational = (may_decide || krylov == Krylov::Rational).then(Rational::new);
        let knows = matches!(options.get(&SOLVER), SolverKind::Auto | SolverKind::Components);
        let is_plain = matches!(model.mass(), Mass::Lumped(_)) && !linearised.has_general_damping();
        let components =
            if rational.is_some() && knows && is_plain { ComponentMotions::new(model.pattern()) } else { None };
        let rational_flops = if may_decide {
            let [flops, entries] = linear::factor_cost(model.pattern());
            [flops / DENSE_ADVANTAGE, RATIONAL_SOLVES * 4.0 * entries]
        } else {
            [0.0; 2]
        };
        MatrixFunctions {
            krylov,
            tolerance: options.get(&KRYLOV_TOLERANCE),
            products: options.get(&PRODUCTS) as u64,
            polynomial,
            rational,
            components,
            turning: None,
            rational_flops,
        }
    }

    /// Fills the samples. `slack` is a factor by which the error may exceed the option, within limits.
    pub fn propagate(
        &mut self,
        model: &Model,
        linearised: &mut Linearised,
        motion: &Motion,
        slack: f64,
        samples: &mut [Sample],
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let Some(h) = samples.last().map(|sample| sample.time) else { return Ok(()) };
        let tolerance = (self.tolerance * slack).min(LOOSEST.max(self.tolerance));
        let turns = linearised.turns();
        let is_damped = model.damping().stiffness + linearised.unresolved() >= 0.1 * h;
        let suits = !turns && (is_damped || self.krylov == Krylov::Rational);
        if suits && self.moves_components(model, linearised, motion, tolerance, samples, report) {
            return Ok(());
        }
        let prefers_rational = !turns
            && (self.krylov == Krylov::Rational || is_damped && self.is_rational_cheaper(model, linearised, motion, h));
        let mut oscillator = linearised.oscillator(model);
        oscillator.most = [report.linear.products, self.products];
        let mut result = Err(FunctionError::NotConverged { work: Work::default(), error: f64::INFINITY });
        if let Some(rational) = self.rational.as_mut().filter(|_| prefers_rational) {
            result = rational.propagate(&mut oscillator, motion, tolerance, samples);
        }
        let stalled = matches!(result, Err(FunctionError::NotConverged { .. }));
        if turns && matches!(self.krylov, Krylov::Auto | Krylov::Lanczos | Krylov::Rational) {
            let kiops = self.turning.get_or_insert_with(Kiops::new);
            result = kiops.propagate(&mut oscillator, motion, tolerance, samples);
        } else if stalled && self.krylov != Krylov::Rational {
            result = self.polynomial.propagate(&mut oscillator, motion, tolerance, samples);
        }
        report.linear += oscillator.work;
        let done = match result {
            Ok(done) => done,
            Err(error) => {
                // Failed attempts are counted as work too.
                report.linear.products += oscillator.taken.get();
                return Err(StepError::functions(model, error));
            }
        };
        report.linear += done.work;
        report.substeps += done.substeps as u64;
        Ok(())
    }

    /// Moves every body by itself; returns false where that is not possible or does not converge.
    fn moves_components(
        &mut self,
        model: &Model,
        linearised: &Linearised,
        motion: &Motion,
        tolerance: f64,
        samples: &mut [Sample],
        report: &mut StepReport,
    ) -> bool {
        let (Some(components), [sample]) = (&mut self.components, samples) else { return false };
        if motion.loads.len() > 2 {
            return false;
        }
        let Motion { velocity, loads } = *motion;
        let damping = [model.damping().mass, model.damping().stiffness + linearised.unresolved()];
        let input = ComponentInput {
            velocity,
            loads,
            damping,
            time: sample.time,
            response: |time, lam, d| {
                let by = response(time, lam, d);
                [by.impulse_rate, by.impulse, by.loaded[0], by.loaded[1]]
            },
        };
        let mass = &model.node_mass()[..model.free_nodes()];
        let tolerance = tolerance.max(rounding_floor(0.0));
        let moved = components.propagate(&linearised.stiffness, mass, &input, tolerance, [sample.y, sample.velocity]);
        let solves = (moved.dimension * (1 + loads.len())) as u64;
        report.linear += Work { factorisations: 1, solves, ..Work::default() };
        report.substeps += 1;
        moved.error <= tolerance
    }

    fn is_rational_cheaper(&self, model: &Model, linearised: &Linearised, motion: &Motion, h: f64) -> bool {
        if self.rational.is_none() {
            return false;
        }
        let beta = model.damping().stiffness + linearised.unresolved();
        let vectors = (1 + motion.loads.len()) as f64;
        let omega = linearised.fastest_bound(model);
        let degree = 10.0 + 0.5 * h * omega + (h * beta).sqrt() * omega;
        let product = 36.0 * model.pattern().slots() as f64;
        let [factor, solves] = self.rational_flops;
        factor + vectors * solves < vectors * degree * product
    }
}
