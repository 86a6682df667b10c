//! The table of methods: a line each. The facts of a method are in its own file.

use crate::damping::OneMode;
use crate::feature::Feature;
use crate::options::{Options, Setting};
use crate::stepper::Stepper;
use crate::{
    asynchronous, backward_euler, bdf2, exponential_rosenbrock, gautschi, generalized_alpha, implicit_midpoint,
    linearly_implicit_euler, newmark, rk4, siere, small_steps, symplectic_euler, tr_bdf2,
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
    /// The parameters it reads.
    pub parameters: &'static [&'static Setting],
    /// The response of one undamped mode to a step.
    pub one_mode: OneMode,
    /// Keeps a factor from step to step, where `solver` says so.
    pub keeps_factor: bool,
    /// Regions step explicitly: stable only below a step limit.
    pub has_explicit_regions: bool,
    /// What else than lumped masses and energies it can do.
    pub serves: &'static [Feature],
    /// Makes a stepper for a model.
    pub make: Make,
}

impl Method {
    /// Returns whether it has a parameter of this name.
    pub fn reads(&self, name: &str) -> bool {
        self.parameters.iter().any(|setting| setting.parameter.name == name)
    }

    /// Returns whether the linear momentum of free bodies is conserved, with regions as well.
    pub fn conserves_momentum(&self, options: &Options) -> bool {
        !self.reads("coupling") || options.coupling.conserves_momentum()
    }
}

/// Lists the parameters of all methods, each once.
pub fn settings() -> Vec<&'static Setting> {
    let mut found: Vec<&Setting> = Vec::new();
    for setting in METHODS.iter().flat_map(|method| method.parameters.iter().copied()) {
        if found.iter().all(|known| known.parameter.name != setting.parameter.name) {
            found.push(setting);
        }
    }
    found
}

/// What methods that move elastic bodies by forces serve.
pub(crate) const ELASTIC: &[Feature] = &[Feature::ConsistentMass, Feature::DampingAtRest];

/// Every method there is.
pub static METHODS: &[Method] = &[
    symplectic_euler::METHOD,
    rk4::METHOD,
    linearly_implicit_euler::METHOD,
    siere::METHOD,
    backward_euler::METHOD,
    asynchronous::METHOD,
    asynchronous::schroeder::METHOD,
    implicit_midpoint::METHOD,
    bdf2::METHOD,
    tr_bdf2::METHOD,
    newmark::METHOD,
    generalized_alpha::METHOD,
    exponential_rosenbrock::ERE_METHOD,
    exponential_rosenbrock::EPIRK4S3_METHOD,
    exponential_rosenbrock::PEXPRB43_METHOD,
    exponential_rosenbrock::EXPRB42_METHOD,
    gautschi::METHOD,
    small_steps::METHOD,
];

/// The method of this name or alias.
pub fn find(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name || method.aliases.contains(&name))
}
