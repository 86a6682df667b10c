//! Energy budget of a scene, and the rule that calls more energy a divergence.
//!
//! An explicit method beyond its stable step gains energy without limit long before numbers overflow. The rule: kinetic
//! plus elastic energy may not exceed [`EXCESS`] times the budget, which is the sum of
//!
//! - the kinetic and elastic energy at the beginning,
//! - the kinetic energy of the whole mass crossing the scene once in the duration. It keeps the rounding noise of a
//!   scene at rest from counting as a divergence. It is stored separately, because the duration may change when a run is
//!   resumed,
//! - the work of loads in every step: |f . dx| + h |f . v| at its end,
//! - the work of scripted nodes in every step: the elastic energy if they alone had moved, minus that before,
//! - the energy that hard contacts added by moving nodes.
//!
//! For a method that moves nodes until constraints are met, only kinetic energy counts: unmet stiff constraints are an
//! error of position, not a motion, and times a stiffness it can be any number of joules.
//!
//! In exact mechanics the energy never exceeds the sum of these. A factor of a hundred tolerates the crudest sound
//! method, and an unstable one reaches it within a few steps.

use crate::energies::Energies;
use crate::outcome::Cause;
use model::{Model, State};
use numerics::mat3::{Vec3, norm, sub};

/// Largest energy, in budgets.
const EXCESS: f64 = 100.0;

/// Largest kinetic and elastic energy that a scene can have, so far.
#[derive(Debug)]
pub(crate) struct Budget {
    /// Energy at the beginning plus the energy added since [J].
    pub energy: f64,
    /// Mass of all nodes [kg].
    mass: f64,
    /// Diagonal of the scene at rest [m].
    size: f64,
    /// Scratch: the state with scripted nodes alone moved, to compute their work.
    placed: Option<State>,
}

impl Budget {
    /// Returns the budget of a scene with this `energy` [J] so far.
    pub fn new(model: &Model, energy: f64, state: &State) -> Budget {
        let mass: f64 = model.node_mass().iter().sum();
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for point in model.rest().as_chunks::<3>().0 {
            (low, high) = (least(low, *point), most(high, *point));
        }
        Budget { energy, mass, size: norm(sub(high, low)), placed: model.is_scripted().then(|| state.clone()) }
    }

    /// Adds the work of loads and scripts between two states, and returns whether the energy now is possible.
    /// `duration` is that of the run [s]; `with_elastic` is true if elastic energy counts.
    pub fn step(
        &mut self,
        model: &Model,
        (duration, with_elastic): (f64, bool),
        (before, energies_before): (&State, &Energies),
        (after, energies_after): (&State, &Energies),
    ) -> Result<(), Cause> {
        let t = after.t;
        let power = model.load_potential(t, &after.v);
        self.energy += (energies_after.load - model.load_potential(t, &before.x)).abs() + (t - before.t) * power.abs();
        if let Some(placed) = &mut self.placed {
            placed.x.copy_from_slice(&before.x);
            model.place(t, &mut placed.x, &mut placed.v);
            let pushed = model.elastic_energy(&placed.x) - energies_before.elastic;
            // A script that inverts an element has no energy to compare with: the rule is switched off for good.
            self.energy += if pushed.is_nan() { f64::INFINITY } else { pushed.max(0.0) };
        }
        let energy = if with_elastic { energies_after.internal() } else { energies_after.kinetic };
        let crossing = 0.5 * self.mass * (self.size / duration).powi(2);
        let budget = self.energy + crossing;
        if energy <= EXCESS * budget {
            return Ok(());
        }
        let speed = |i: usize| after.v[3 * i..3 * i + 3].iter().map(|c| c * c).sum::<f64>();
        let fastest = (0..model.free_nodes()).max_by(|&a, &b| speed(a).total_cmp(&speed(b))).unwrap_or(0);
        let node = model.origin(fastest);
        Err(Cause::EnergyJump { energy, budget, node })
    }

    /// Adds the energy that a hard contact added by moving nodes.
    pub fn projected(&mut self, before: &Energies, after: &Energies) {
        self.energy += (after.internal() - before.internal()).max(0.0);
    }
}

/// Returns the smaller coordinates.
fn least(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|c| a[c].min(b[c]))
}

/// Returns the larger coordinates.
fn most(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|c| a[c].max(b[c]))
}
