//! The state: all that changes, except the memory of a method.

use crate::rigid::Turn;

/// Positions and velocities: three numbers per node, free nodes first.
#[derive(Debug, PartialEq)]
pub struct State {
    /// Time [s].
    pub t: f64,
    /// Positions [m].
    pub x: Vec<f64>,
    /// Velocities [m/s].
    pub v: Vec<f64>,
    /// Orientations and spins of the rigid bodies, in their order.
    pub turns: Vec<Turn>,
}

impl Clone for State {
    fn clone(&self) -> State {
        State { t: self.t, x: self.x.clone(), v: self.v.clone(), turns: self.turns.clone() }
    }

    /// Copies without allocating; the derived one would allocate at every step.
    fn clone_from(&mut self, other: &State) {
        self.t = other.t;
        self.x.clone_from(&other.x);
        self.v.clone_from(&other.v);
        self.turns.clone_from(&other.turns);
    }
}
