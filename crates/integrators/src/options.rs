//! The choices methods offer, as data: names, defaults and ranges live here and nowhere else.

use crate::choice::{Choice, ContactStep, Coupling, Krylov, LinearPart, LineariseAt, Modes, Sweep, Words, words};
use model::Model;
use model::energy::Order;
use numerics::linear::{SolverKind, Stop};

/// Every choice a method may offer. A row of [`crate::METHODS`] lists the ones it reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Newton stops when the residual force is below this share of the forces in play.
    pub tolerance: f64,
    /// Most Newton iterations a step.
    pub iterations: usize,
    /// Shorten Newton steps that do not lower the energy.
    pub line_search: bool,
    /// Use the projected stiffness in Newton's matrix, whatever the scene's stiffness is.
    pub hessian_correction: bool,
    /// How often a step that fails may be split in two.
    pub halvings: usize,
    /// Newmark's beta.
    pub beta: f64,
    /// Newmark's gamma.
    pub gamma: f64,
    /// Spectral radius of generalized-alpha for infinitely fast modes.
    pub rho_infinity: f64,
    /// Which linear solver.
    pub solver: SolverKind,
    /// Relative residual at which an iterative solver stops.
    pub solver_tolerance: f64,
    /// Most iterations of conjugate gradients a solve, whose last iterate is then taken; as many as it needs if zero.
    pub solver_iterations: usize,
    /// Where linearly implicit Euler takes force and stiffness.
    pub linearise_at: LineariseAt,
    /// How many modes are treated on their own.
    pub modes: Modes,
    /// Largest angle between those modes and the exact ones, as it is estimated [rad].
    pub modes_tolerance: f64,
    /// How actions of matrix functions are computed.
    pub krylov: Krylov,
    /// Relative error of the matrix functions of a step.
    pub krylov_tolerance: f64,
    /// Most products with the stiffness matrix that the matrix functions of a step may take.
    pub products: usize,
    /// Vary the step inside the given one by the embedded error estimate.
    pub adaptive: bool,
    /// Local error allowed a step, relative to the motion.
    pub step_tolerance: f64,
    /// Which constant stiffness is integrated exactly.
    pub linear_part: LinearPart,
    /// Substeps a step of a position-based method.
    pub substeps: usize,
    /// Passes over all constraints a substep.
    pub passes: usize,
    /// In which way constraints are relaxed.
    pub relaxation: Sweep,
    /// The share of a node's mass that a constraint reckons with where all are relaxed at the same time; above 1/2 it diverges.
    pub weight: f64,
    /// The order in which constraints are relaxed.
    pub order: Order,
    /// Take the matrix of the large step for symmetric where it is only almost.
    pub symmetric: bool,
    /// At which steps penalties of regions are looked at.
    pub contact: ContactStep,
    /// How regions and the rest feel each other within a large step.
    pub coupling: Coupling,
}

/// Relative residual of solves that are taken for exact.
const TIGHT: f64 = 1e-8;

impl Default for Options {
    fn default() -> Self {
        Options {
            tolerance: 1e-6,
            iterations: 20,
            line_search: true,
            hessian_correction: false,
            halvings: 0,
            beta: 0.25,
            gamma: 0.5,
            rho_infinity: 0.5,
            solver: SolverKind::Auto,
            solver_tolerance: 1e-4,
            solver_iterations: 0,
            linearise_at: LineariseAt::Current,
            modes: Modes::default(),
            modes_tolerance: 1e-4,
            krylov: Krylov::Auto,
            krylov_tolerance: 1e-8,
            products: 100_000,
            adaptive: false,
            step_tolerance: 1e-4,
            linear_part: LinearPart::Rest,
            substeps: 20,
            passes: 1,
            relaxation: Sweep::GaussSeidel,
            weight: 0.5,
            order: Order::Coloured,
            symmetric: false,
            contact: ContactStep::Large,
            coupling: Coupling::Paper,
        }
    }
}

impl Options {
    /// When an iterative linear solver stops.
    pub(crate) fn stop(&self, model: &Model) -> Stop {
        match self.solver_iterations {
            // In exact arithmetic as many iterations as unknowns suffice; with a preconditioner far fewer do.
            0 => Stop::at(self.solver_tolerance, model.dofs().clamp(100, 10_000)),
            most => Stop { takes_last: true, ..Stop::at(self.solver_tolerance, most) },
        }
    }

    /// When it stops where the answer is taken for exact: inside matrix functions, and in accelerations.
    pub(crate) fn tight_stop(&self, model: &Model) -> Stop {
        Stop { tolerance: self.solver_tolerance.min(TIGHT), ..self.stop(model) }
    }
}

/// What kind of value an option takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OptionKind {
    /// A number within bounds, both included.
    Number {
        /// Smallest.
        min: f64,
        /// Largest.
        max: f64,
    },
    /// A whole number within bounds, both included.
    Count {
        /// Smallest.
        min: usize,
        /// Largest.
        max: usize,
    },
    /// A whole number within bounds, both included, or a word that leaves it to the method.
    CountOr {
        /// Smallest.
        min: usize,
        /// Largest.
        max: usize,
        /// The word.
        word: &'static str,
    },
    /// True or false.
    Flag,
    /// One of some words.
    Word(&'static [&'static str]),
}

/// An option as the scene file and the manual see it.
#[derive(Debug, Clone, Copy)]
pub struct OptionFacts {
    /// Its key.
    pub name: &'static str,
    /// What it takes.
    pub kind: OptionKind,
    /// What it does, in a line.
    pub description: &'static str,
    /// Where its value is.
    pub field: fn(&mut Options) -> OptionField<'_>,
}

/// The value of an option, to read or to set.
pub enum OptionField<'a> {
    /// Of a number.
    Number(&'a mut f64),
    /// Of a whole number.
    Count(&'a mut usize),
    /// Of a choice between true and false.
    Flag(&'a mut bool),
    /// Of a number of modes.
    Modes(&'a mut Modes),
    /// Of a choice between words.
    Word(&'a mut dyn Choice),
}

/// All options.
pub static OPTIONS: &[OptionFacts] = &[
    OptionFacts {
        name: "tolerance",
        kind: OptionKind::Number { min: 1e-14, max: 0.1 },
        description: "Newton stops when the residual force is below this share of the forces in play",
        field: |options| OptionField::Number(&mut options.tolerance),
    },
    OptionFacts {
        name: "iterations",
        kind: OptionKind::Count { min: 1, max: 10_000 },
        description: "most Newton iterations a step",
        field: |options| OptionField::Count(&mut options.iterations),
    },
    OptionFacts {
        name: "line_search",
        kind: OptionKind::Flag,
        description: "shorten Newton steps that do not lower the energy",
        field: |options| OptionField::Flag(&mut options.line_search),
    },
    OptionFacts {
        name: "hessian_correction",
        kind: OptionKind::Flag,
        description: "use the projected stiffness in Newton's matrix",
        field: |options| OptionField::Flag(&mut options.hessian_correction),
    },
    OptionFacts {
        name: "halvings",
        kind: OptionKind::Count { min: 0, max: 20 },
        description: "how often a step that fails may be split in two",
        field: |options| OptionField::Count(&mut options.halvings),
    },
    OptionFacts {
        name: "beta",
        kind: OptionKind::Number { min: 1e-6, max: 1.0 },
        description: "Newmark's beta; 1/4 is the average acceleration",
        field: |options| OptionField::Number(&mut options.beta),
    },
    OptionFacts {
        name: "gamma",
        kind: OptionKind::Number { min: 0.5, max: 1.5 },
        description: "Newmark's gamma; above 1/2 it damps and is of first order",
        field: |options| OptionField::Number(&mut options.gamma),
    },
    OptionFacts {
        name: "rho_infinity",
        kind: OptionKind::Number { min: 0.0, max: 1.0 },
        description: "how much of infinitely fast modes is kept a step: 1 all, 0 nothing",
        field: |options| OptionField::Number(&mut options.rho_infinity),
    },
    OptionFacts {
        name: "solver",
        kind: OptionKind::Word(&const { words::<_, 4>(SolverKind::WORDS) }),
        description: "linear solver: a new Cholesky factor each time, one that is kept and turned with the body, conjugate gradients, or the cheapest by count of work",
        field: |options| OptionField::Word(&mut options.solver),
    },
    OptionFacts {
        name: "solver_tolerance",
        kind: OptionKind::Number { min: 1e-14, max: 0.1 },
        description: "relative residual at which conjugate gradients stop (Newton's method with a kept factor chooses its own); the default adds less than a thousandth of a step's own error",
        field: |options| OptionField::Number(&mut options.solver_tolerance),
    },
    OptionFacts {
        name: "solver_iterations",
        kind: OptionKind::Count { min: 0, max: 100_000 },
        description: "of solver = \"pcg\": most iterations a solve, after which the last iterate is taken as it is and counted as `capped`; 0: as many as solver_tolerance needs, and an error where they do not suffice",
        field: |options| OptionField::Count(&mut options.solver_iterations),
    },
    OptionFacts {
        name: "linearise_at",
        kind: OptionKind::Word(&const { words::<_, 2>(LineariseAt::WORDS) }),
        description: "where force and stiffness are taken: where the step begins, or at x + h v, which is one Newton iteration of backward Euler from v+ = v (the SI of Chen et al. 2020)",
        field: |options| OptionField::Word(&mut options.linearise_at),
    },
    OptionFacts {
        name: "modes",
        kind: OptionKind::CountOr { min: 0, max: 1000, word: Modes::AUTO },
        description: "how many of the slowest modes are integrated exactly; auto: those with six steps a period or more",
        field: |options| OptionField::Modes(&mut options.modes),
    },
    OptionFacts {
        name: "modes_tolerance",
        kind: OptionKind::Number { min: 1e-9, max: 0.5 },
        description: "largest angle between those modes and the exact ones, as it is estimated [rad]; the default keeps a step within 1 % of what exact modes add to linearly implicit Euler",
        field: |options| OptionField::Number(&mut options.modes_tolerance),
    },
    OptionFacts {
        name: "krylov",
        kind: OptionKind::Word(&const { words::<_, 7>(Krylov::WORDS) }),
        description: "how actions of matrix functions are computed; auto: Lanczos, or rational where damping makes it cheaper",
        field: |options| OptionField::Word(&mut options.krylov),
    },
    OptionFacts {
        name: "krylov_tolerance",
        kind: OptionKind::Number { min: 1e-14, max: 0.1 },
        description: "relative error of the matrix functions of a step; what rounding does to fast motions may be more",
        field: |options| OptionField::Number(&mut options.krylov_tolerance),
    },
    OptionFacts {
        name: "products",
        kind: OptionKind::Count { min: 100, max: 1_000_000_000 },
        description: "most products with the stiffness matrix that the matrix functions of a step may take: a step that needs more is an error; about h times the fastest frequency are needed",
        field: |options| OptionField::Count(&mut options.products),
    },
    OptionFacts {
        name: "adaptive",
        kind: OptionKind::Flag,
        description: "vary the step inside the given one by the embedded error estimate",
        field: |options| OptionField::Flag(&mut options.adaptive),
    },
    OptionFacts {
        name: "step_tolerance",
        kind: OptionKind::Number { min: 1e-12, max: 1.0 },
        description: "local error allowed an inner step, relative to the motion",
        field: |options| OptionField::Number(&mut options.step_tolerance),
    },
    OptionFacts {
        name: "linear_part",
        kind: OptionKind::Word(&const { words::<_, 2>(LinearPart::WORDS) }),
        description: "which constant stiffness is integrated exactly: at rest, or that turned with each element",
        field: |options| OptionField::Word(&mut options.linear_part),
    },
    OptionFacts {
        name: "substeps",
        kind: OptionKind::Count { min: 1, max: 100_000 },
        description: "substeps a step; the error falls with their square",
        field: |options| OptionField::Count(&mut options.substeps),
    },
    OptionFacts {
        name: "passes",
        kind: OptionKind::Count { min: 1, max: 100_000 },
        description: "passes over all constraints a substep, the iterations of position-based dynamics; more substeps do more",
        field: |options| OptionField::Count(&mut options.passes),
    },
    OptionFacts {
        name: "relaxation",
        kind: OptionKind::Word(&const { words::<_, 3>(Sweep::WORDS) }),
        description: "constraints one after the other, or all at the same time with the mass of nodes shared by their number or by `weight`",
        field: |options| OptionField::Word(&mut options.relaxation),
    },
    OptionFacts {
        name: "weight",
        kind: OptionKind::Number { min: 1e-3, max: 0.5 },
        description: "of relaxation = \"jacobi\": the share of a node's mass that each constraint reckons with; above 1/2 it diverges",
        field: |options| OptionField::Number(&mut options.weight),
    },
    OptionFacts {
        name: "order",
        kind: OptionKind::Word(&const { words::<_, 3>(Order::WORDS) }),
        description: "which constraint after which: by colours on all cores, or one by one as they are numbered, forward or backward",
        field: |options| OptionField::Word(&mut options.order),
    },
    OptionFacts {
        name: "symmetric",
        kind: OptionKind::Flag,
        description: "take the matrix of the large step for symmetric where a consistent mass makes it almost so: one solve instead of some four; the error is reported",
        field: |options| OptionField::Flag(&mut options.symmetric),
    },
    OptionFacts {
        name: "contact",
        kind: OptionKind::Word(&const { words::<_, 2>(ContactStep::WORDS) }),
        description: "at which steps regions look at penalties: at the large ones, as the rest does, or at every small one",
        field: |options| OptionField::Word(&mut options.contact),
    },
    OptionFacts {
        name: "coupling",
        kind: OptionKind::Word(&const { words::<_, 2>(Coupling::WORDS) }),
        description: "how regions and the rest feel each other: paper, the scheme as printed, which keeps more of fast motions; conserving, force for force at every small step, which keeps linear momentum, lets free bodies fall exactly and is stable",
        field: |options| OptionField::Word(&mut options.coupling),
    },
];
