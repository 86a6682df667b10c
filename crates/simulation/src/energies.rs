//! The energies of a state.

use model::{Model, State};

/// The energies of a state [J].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Energies {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Elastic energy of deformation and penalty contact.
    pub elastic: f64,
    /// Potential -f . x of the loads, including gravity.
    pub load: f64,
}

impl Energies {
    /// Computes the energies of a state.
    pub fn of(model: &Model, state: &State) -> Energies {
        Energies {
            kinetic: model.kinetic(state),
            elastic: model.elastic_energy(&state.x),
            load: model.load_potential(state.t, &state.x),
        }
    }

    /// Returns kinetic plus elastic energy [J].
    pub fn internal(&self) -> f64 {
        self.kinetic + self.elastic
    }

    /// Returns the total energy [J].
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.load
    }
}
