//! Facts of a method, as its own file states them.

use crate::feature::Feature;
use crate::one_mode::OneMode;
use crate::options::Options;
use crate::stepper::Stepper;
use model::Model;
use model::parameter::Parameter;
use numerics::linear::LinearError;

/// Effect of a method on the energy of an undamped body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EnergyBehaviour {
    /// Neither grows nor shrinks over long times, apart from oscillations within a step.
    Conserves,
    /// Shrinks by an amount that depends on the step.
    Damps,
    /// Is not damped, but drifts up or down by the errors of the steps, for as long as they resolve the motion.
    Drifts,
    /// Conserved while the step is far below the stable limit; explodes above.
    ConditionallyStable {
        /// Largest h w of a stable step, with w the fastest frequency of an undamped body.
        limit: f64,
    },
}

impl EnergyBehaviour {
    /// Returns a word for tables.
    pub fn word(self) -> &'static str {
        match self {
            EnergyBehaviour::Conserves => "conserves",
            EnergyBehaviour::Damps => "damps",
            EnergyBehaviour::Drifts => "drifts",
            EnergyBehaviour::ConditionallyStable { .. } => "small steps only",
        }
    }
}

/// Kind of a method, by how it advances the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// By known forces.
    Explicit,
    /// By solving for unknown forces.
    Implicit,
    /// By the exact motion of a linearisation.
    Exponential,
    /// By moving nodes until constraints are met.
    PositionBased,
}

impl Family {
    /// Returns a word for tables.
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
    /// Name in scenes.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Description in one line.
    pub description: &'static str,
    /// Publication.
    pub citation: &'static str,
    /// Order of convergence.
    pub order: u32,
    /// True if it solves linear problems without error.
    pub exact_on_linear: bool,
    /// Effect on energy.
    pub energy: EnergyBehaviour,
    /// Kind of method.
    pub family: Family,
    /// Parameters it reads.
    pub parameters: &'static [Parameter],
    /// Response of one undamped mode to a step.
    pub one_mode: OneMode,
    /// Keeps a factor from step to step, if `solver` allows it.
    pub keeps_factor: bool,
    /// Linearises once per step, so that turning stretches (`docs/turning.md`); for siere unless the rest iterates.
    pub linearises_once: bool,
    /// Regions step explicitly: stable only below a step limit.
    pub has_explicit_regions: bool,
    /// Returns true if the linear momentum of free bodies is conserved, also with regions.
    pub conserves_momentum: fn(&Options) -> bool,
    /// Features supported beyond lumped masses and energies.
    pub serves: &'static [Feature],
    /// Makes a stepper for a model.
    pub make: Make,
}

impl Method {
    /// Returns true if it has this parameter.
    pub fn reads(&self, parameter: &Parameter) -> bool {
        self.parameters.iter().any(|own| own.name == parameter.name)
    }
}

/// Features of methods that move elastic bodies by forces.
pub(crate) const ELASTIC: &[Feature] = &[Feature::ConsistentMass, Feature::DampingAtRest, Feature::Impulses];

/// Features of methods that solve with M + h D + h^2 K: whole bodies respond to impulses.
pub(crate) const RESPONSIVE: &[Feature] =
    &[Feature::ConsistentMass, Feature::DampingAtRest, Feature::Impulses, Feature::Response];

/// Features of methods that also take a drag that is far above inertia.
pub(crate) const VISCOUS: &[Feature] =
    &[Feature::ConsistentMass, Feature::DampingAtRest, Feature::Impulses, Feature::StokesFlow, Feature::DryNodes];

/// Both.
pub(crate) const RESPONSIVE_AND_VISCOUS: &[Feature] = &[
    Feature::ConsistentMass,
    Feature::DampingAtRest,
    Feature::Impulses,
    Feature::Response,
    Feature::StokesFlow,
    Feature::DryNodes,
];
