//! The energies of a state.

use model::{Model, State};

/// The energies of a state [J].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Energies {
    /// Of motion.
    pub kinetic: f64,
    /// Of deformation and penalty contact.
    pub elastic: f64,
    /// -f . x of the loads, gravity among them.
    pub load: f64,
}

impl Energies {
    /// The energies of a state.
    pub fn of(model: &Model, state: &State) -> Energies {
        Energies {
            kinetic: model.kinetic(state),
            elastic: model.elastic_energy(&state.x),
            load: model.load_potential(state.t, &state.x),
        }
    }

    /// Kinetic and elastic [J].
    pub fn internal(&self) -> f64 {
        self.kinetic + self.elastic
    }

    /// All of it [J].
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.load
    }
}
