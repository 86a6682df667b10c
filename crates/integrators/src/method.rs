//! The table of methods: one fact, one place.

use crate::damping::{self, OneMode};
use crate::feature::Feature;
use crate::options::Options;
use crate::stepper::Stepper;
use crate::{
    asynchronous::{Asynchronous, schroeder::Schroeder},
    backward_euler::BackwardEuler,
    bdf2::Bdf2,
    exponential_rosenbrock::{EPIRK4S3, ERE, EXPRB42, ExponentialRosenbrock, PEXPRB43},
    gautschi::Gautschi,
    generalized_alpha::generalized_alpha,
    implicit_midpoint::ImplicitMidpoint,
    linearly_implicit_euler::LinearlyImplicitEuler,
    newmark::newmark,
    rk4::Rk4,
    siere::Siere,
    small_steps::SmallSteps,
    symplectic_euler::SymplecticEuler,
};
use model::Model;
use numerics::linear::LinearError;

/// What a method does to the energy of an undamped body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EnergyBehaviour {
    /// Neither grows nor shrinks over long times, but for what a step oscillates.
    Conserves,
    /// Shrinks by an amount that depends on the step.
    Damps,
    /// Is not damped, but drifts up or down by the errors of the steps, for as long as they resolve the motion.
    Drifts,
    /// Keeps it while the step is far below the stable limit; explodes above.
    ConditionallyStable {
        /// Largest h w of a stable step, with w the fastest frequency of an undamped body.
        limit: f64,
    },
}

impl EnergyBehaviour {
    /// A word for tables.
    pub fn word(self) -> &'static str {
        match self {
            EnergyBehaviour::Conserves => "conserves",
            EnergyBehaviour::Damps => "damps",
            EnergyBehaviour::Drifts => "drifts",
            EnergyBehaviour::ConditionallyStable { .. } => "small steps only",
        }
    }
}

/// How a method gets from one state to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// By forces that are known.
    Explicit,
    /// By solving for forces that are not.
    Implicit,
    /// By the exact motion of a linearisation.
    Exponential,
    /// By moving nodes until constraints are met.
    PositionBased,
}

impl Family {
    /// A word for tables.
    pub fn word(self) -> &'static str {
        match self {
            Family::Explicit => "explicit",
            Family::Implicit => "implicit",
            Family::Exponential => "exponential",
            Family::PositionBased => "position-based",
        }
    }
}

/// Makes a stepper for a model.
pub type Make = fn(&Model, &Options) -> Result<Box<dyn Stepper>, LinearError>;

/// A row of [`METHODS`].
pub struct Method {
    /// Its name in scenes.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// What it is, in a line.
    pub description: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
    /// Order of convergence.
    pub order: u32,
    /// Whether it solves linear problems without error.
    pub exact_on_linear: bool,
    /// What it does to energy.
    pub energy: EnergyBehaviour,
    /// How it gets from one state to the next.
    pub family: Family,
    /// The options it reads, by name.
    pub options: &'static [&'static str],
    /// What a step makes of one undamped mode.
    pub one_mode: OneMode,
    /// What else than lumped masses and energies it can do.
    pub serves: &'static [Feature],
    /// Makes a stepper for a model.
    pub make: Make,
}

impl Method {
    /// Whether its regions take explicit steps, which are stable up to a limit only.
    pub fn has_explicit_regions(&self) -> bool {
        self.name == "schroeder"
    }

    /// Whether the linear momentum of free bodies is conserved, with regions as well.
    pub fn conserves_momentum(&self, options: &Options) -> bool {
        !self.options.contains(&"coupling") || options.coupling.conserves_momentum()
    }
}

const ELASTIC: &[Feature] = &[Feature::ConsistentMass, Feature::DampingAtRest];
const LINEAR: &[&str] = &["solver", "solver_tolerance"];
const NEWTON: &[&str] = &["tolerance", "iterations", "line_search", "hessian_correction", "solver", "solver_tolerance"];
const EXPONENTIAL: &[&str] = &["krylov", "krylov_tolerance", "products", "solver", "solver_tolerance"];
const ADAPTIVE: &[&str] =
    &["adaptive", "step_tolerance", "krylov", "krylov_tolerance", "products", "solver", "solver_tolerance"];

/// Every method there is.
pub static METHODS: &[Method] = &[
    Method {
        name: "symplectic-euler",
        aliases: &["semi-implicit-euler"],
        description: "velocities first, then positions with the new velocities",
        citation: "Hairer, Lubich, Wanner 2006, ch. VI",
        order: 1,
        exact_on_linear: false,
        energy: EnergyBehaviour::ConditionallyStable { limit: 2.0 },
        family: Family::Explicit,
        options: LINEAR,
        one_mode: damping::SYMPLECTIC_EULER,
        serves: ELASTIC,
        make: |model, options| Ok(Box::new(SymplecticEuler::new(model, options)?)),
    },
    Method {
        name: "rk4",
        aliases: &["runge-kutta-4"],
        description: "the classical explicit Runge-Kutta method",
        citation: "Kutta 1901",
        order: 4,
        exact_on_linear: false,
        energy: EnergyBehaviour::ConditionallyStable { limit: 2.785 },
        family: Family::Explicit,
        options: LINEAR,
        one_mode: damping::RK4,
        serves: ELASTIC,
        make: |model, options| Ok(Box::new(Rk4::new(model, options)?)),
    },
    Method {
        name: "linearly-implicit-euler",
        aliases: &["si"],
        description: "backward Euler with one linearisation per step",
        citation: "Baraff, Witkin 1998",
        order: 1,
        exact_on_linear: false,
        energy: EnergyBehaviour::Damps,
        family: Family::Implicit,
        options: &["linearise_at", "solver", "solver_tolerance", "solver_iterations"],
        one_mode: damping::IMPLICIT_EULER,
        serves: ELASTIC,
        make: |model, options| Ok(Box::new(LinearlyImplicitEuler::new(model, options)?)),
    },
    Method {
        name: "siere",
        aliases: &[],
        description: "the slowest modes exactly, the rest by linearly implicit Euler",
        citation: "Chen, Sheen, Ascher, Pai 2020",
        order: 1,
        exact_on_linear: false,
        energy: EnergyBehaviour::Damps,
        family: Family::Exponential,
        options: &["modes", "modes_tolerance", "solver", "solver_tolerance"],
        one_mode: damping::SIERE,
        serves: ELASTIC,
        make: |model, options| Ok(Box::new(Siere::new(model, options)?)),
    },
    Method {
        name: "backward-euler",
        aliases: &["be"],
        description: "fully implicit, solved by Newton's method",
        citation: "Hairer, Wanner 1996, ch. IV",
        order: 1,
        exact_on_linear: false,
        energy: EnergyBehaviour::Damps,
        family: Family::Implicit,
        options: &[
            "tolerance",
            "iterations",
            "line_search",
            "hessian_correction",
            "halvings",
            "solver",
            "solver_tolerance",
        ],
        one_mode: damping::IMPLICIT_EULER,
        serves: ELASTIC,
        make: |model, options| Ok(Box::new(BackwardEuler::new(model, options)?)),
    },
    Method {
        name: "asynchronous-backward-euler",
        aliases: &["async"],
        description: "backward Euler with one linearisation a step, in which regions take steps of their own, many while the rest takes one",
        citation: "Zhao, Li, Barbic 2016",
        order: 1,
        exact_on_linear: false,
        energy: EnergyBehaviour::Damps,
        family: Family::Implicit,
        options: &["coupling", "symmetric", "contact"],
        one_mode: damping::IMPLICIT_EULER,
        serves: &[Feature::ConsistentMass, Feature::DampingAtRest, Feature::Regions],
        make: |model, options| Ok(Box::new(Asynchronous::new(model, options)?)),
    },
    Method {
        name: "schroeder",
        aliases: &[],
        description: "regions run ahead by small explicit steps without the rest, then one implicit solve of everything; to compare asynchronous-backward-euler with",
        citation: "Schroeder, Kwatra, Zheng, Fedkiw 2011",
        order: 1,
        exact_on_linear: false,
        energy: EnergyBehaviour::Damps,
        family: Family::Implicit,
        options: &[],
        one_mode: damping::IMPLICIT_EULER,
        serves: &[Feature::DampingAtRest, Feature::Regions],
        make: |model, _| Ok(Box::new(Schroeder::new(model)?)),
    },
    Method {
        name: "implicit-midpoint",
        aliases: &["im"],
        description: "symplectic, second order, no artificial damping",
        citation: "Hairer, Lubich, Wanner 2006, ch. VI",
        order: 2,
        exact_on_linear: false,
        energy: EnergyBehaviour::Conserves,
        family: Family::Implicit,
        options: NEWTON,
        one_mode: damping::UNDAMPED,
        serves: ELASTIC,
        make: |model, options| Ok(Box::new(ImplicitMidpoint::new(model, options)?)),
    },
    Method {
        name: "bdf2",
        aliases: &[],
        description: "two-step backward differentiation, second order, little damping of slow modes; its first step is implicit midpoint",
        citation: "Curtiss, Hirschfelder 1952",
        order: 2,
        exact_on_linear: false,
        energy: EnergyBehaviour::Damps,
        family: Family::Implicit,
        options: NEWTON,
        one_mode: damping::BDF2,
        serves: ELASTIC,
        make: |model, options| Ok(Box::new(Bdf2::new(model, options)?)),
    },
    Method {
        name: "newmark",
        aliases: &["average-acceleration"],
        description: "Newmark's family; by default the average acceleration, which does not damp",
        citation: "Newmark 1959",
        order: 2,
        exact_on_linear: false,
        energy: EnergyBehaviour::Conserves,
        family: Family::Implicit,
        options: &[
            "beta",
            "gamma",
            "tolerance",
            "iterations",
            "line_search",
            "hessian_correction",
            "solver",
            "solver_tolerance",
        ],
        one_mode: damping::NEWMARK,
        serves: ELASTIC,
        make: |model, options| Ok(Box::new(newmark(model, options)?)),
    },
    Method {
        name: "generalized-alpha",
        aliases: &["chung-hulbert"],
        description: "second order with a chosen damping of fast modes",
        citation: "Chung, Hulbert 1993",
        order: 2,
        exact_on_linear: false,
        energy: EnergyBehaviour::Damps,
        family: Family::Implicit,
        options: &[
            "rho_infinity",
            "tolerance",
            "iterations",
            "line_search",
            "hessian_correction",
            "solver",
            "solver_tolerance",
        ],
        one_mode: damping::GENERALIZED_ALPHA,
        serves: ELASTIC,
        make: |model, options| Ok(Box::new(generalized_alpha(model, options)?)),
    },
    Method {
        name: "ere",
        aliases: &["exponential-rosenbrock-euler"],
        description: "the motion of the linearised body, exactly",
        citation: "Chen, Ascher, Pai 2018",
        order: 2,
        exact_on_linear: true,
        energy: EnergyBehaviour::Drifts,
        family: Family::Exponential,
        options: EXPONENTIAL,
        one_mode: damping::UNDAMPED,
        serves: ELASTIC,
        make: |model, options| Ok(Box::new(ExponentialRosenbrock::new(model, options, &ERE)?)),
    },
    Method {
        name: "epirk4s3",
        aliases: &["sai"],
        description: "fourth order by two stages near the beginning of the step; stiffly accurate, for small h omega",
        citation: "Michels, Luan, Tokman 2017",
        order: 4,
        exact_on_linear: true,
        energy: EnergyBehaviour::Drifts,
        family: Family::Exponential,
        options: ADAPTIVE,
        one_mode: damping::UNDAMPED,
        serves: ELASTIC,
        make: |model, options| Ok(Box::new(ExponentialRosenbrock::new(model, options, &EPIRK4S3)?)),
    },
    Method {
        name: "pexprb43",
        aliases: &[],
        description: "fourth order by two stages at the middle and the end of the step",
        citation: "Luan, Ostermann 2016",
        order: 4,
        exact_on_linear: true,
        energy: EnergyBehaviour::Drifts,
        family: Family::Exponential,
        options: ADAPTIVE,
        one_mode: damping::UNDAMPED,
        serves: ELASTIC,
        make: |model, options| Ok(Box::new(ExponentialRosenbrock::new(model, options, &PEXPRB43)?)),
    },
    Method {
        name: "exprb42",
        aliases: &[],
        description: "fourth order by one stage",
        citation: "Luan 2017",
        order: 4,
        exact_on_linear: true,
        energy: EnergyBehaviour::Drifts,
        family: Family::Exponential,
        options: ADAPTIVE,
        one_mode: damping::UNDAMPED,
        serves: ELASTIC,
        make: |model, options| Ok(Box::new(ExponentialRosenbrock::new(model, options, &EXPRB42)?)),
    },
    Method {
        name: "gautschi",
        aliases: &[],
        description: "a constant linear part exactly, the rest of the force once a step",
        citation: "Michels, Sobottka, Weber 2014",
        order: 2,
        exact_on_linear: true,
        energy: EnergyBehaviour::Drifts,
        family: Family::Exponential,
        options: &["linear_part", "krylov", "krylov_tolerance", "solver", "solver_tolerance"],
        one_mode: damping::UNDAMPED,
        serves: ELASTIC,
        make: |model, options| Ok(Box::new(Gautschi::new(model, options)?)),
    },
    Method {
        name: "small-steps",
        aliases: &["xpbd"],
        description: "many substeps, in each of which every constraint moves its nodes once; any stiffness, no linear system",
        citation: "Macklin, Storey, Lu, Terdiman, Mueller 2019",
        order: 1,
        exact_on_linear: false,
        energy: EnergyBehaviour::Damps,
        family: Family::PositionBased,
        options: &["substeps", "passes", "relaxation", "weight", "order"],
        one_mode: damping::SMALL_STEPS,
        serves: &[Feature::Contact, Feature::Fluids, Feature::RigidBodies],
        make: |model, options| Ok(Box::new(SmallSteps::new(model, options))),
    },
];

/// The method of this name or alias.
pub fn find(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name || method.aliases.contains(&name))
}
