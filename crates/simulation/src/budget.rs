//! The energy a scene can have, and the rule that calls more of it a divergence.
//!
//! An explicit method beyond its stable step gains energy without limit long before numbers overflow. The rule:
//! kinetic plus elastic energy may not exceed [`EXCESS`] times the budget, and the budget is
//!
//! - the kinetic and elastic energy at the beginning,
//! - the kinetic energy of the whole mass crossing the scene once in the duration (so that the rounding noise of a
//!   scene that starts at rest and stays there is no explosion); kept apart, because the duration may be changed when
//!   a run is resumed,
//! - for every step, what loads did: |f . dx| + h |f . v| at its end,
//! - for every step, what scripted nodes did: the elastic energy if they alone had moved, less that before,
//! - what hard contacts added by moving nodes.
//!
//! Of a method that moves nodes until constraints are met, kinetic energy alone counts: what its stiff constraints are short
//! of being met is an error of position, not a motion, and times a stiffness it is any number of joules.
//!
//! In exact mechanics the energy never exceeds the sum of these. A factor of a hundred leaves room for the crudest
//! honest method, and is reached within a few steps by a dishonest one.

use crate::energies::Energies;
use crate::outcome::Cause;
use model::{Model, State};
use numerics::mat3::{Vec3, norm, sub};

/// A scene may have so many times its budget.
const EXCESS: f64 = 100.0;

/// The kinetic and elastic energy that a scene can have, so far.
#[derive(Debug)]
pub(crate) struct Budget {
    /// Energy that the scene began with and was given until now [J].
    pub energy: f64,
    /// Mass of all nodes [kg].
    mass: f64,
    /// Diagonal of the scene at rest [m].
    size: f64,
    /// Scratch: scripted nodes alone are moved here, to see what they did.
    placed: Option<State>,
}

impl Budget {
    /// The budget of a scene with this `energy` [J] until now.
    pub fn new(model: &Model, energy: f64, state: &State) -> Budget {
        let mass: f64 = model.node_mass().iter().sum();
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for point in model.rest().as_chunks::<3>().0 {
            (low, high) = (least(low, *point), most(high, *point));
        }
        Budget { energy, mass, size: norm(sub(high, low)), placed: model.is_scripted().then(|| state.clone()) }
    }

    /// Adds what loads and scripts did between two states, and says whether the energy now is possible. `duration` is that of
    /// the run [s], `with_elastic` says whether elastic energy counts.
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
            // A script that throws nodes through an element has no energy to compare with: the rule rests for good.
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

    /// Adds what a hard contact did by moving nodes.
    pub fn projected(&mut self, before: &Energies, after: &Energies) {
        self.energy += (after.internal() - before.internal()).max(0.0);
    }
}

/// The smaller coordinates.
fn least(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|c| a[c].min(b[c]))
}

/// The larger coordinates.
fn most(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|c| a[c].max(b[c]))
}
