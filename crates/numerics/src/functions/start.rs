//! Start of a basis of M^-1 K: the velocity or a load.

use super::scalar::response;
use super::{FunctionError, Motion, Oscillator};

/// A part of the input of an oscillator.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) enum Start {
    /// v.
    #[default]
    Velocity,
    /// r_j.
    Load(usize),
}

impl Start {
    /// Returns all that are not zero.
    pub fn all(motion: &Motion) -> impl Iterator<Item = Start> {
        let loads = motion.loads.iter().enumerate().map(|(j, load)| (Start::Load(j), *load));
        let all = std::iter::once((Start::Velocity, motion.velocity)).chain(loads);
        all.filter(|(_, b)| b.iter().any(|&b| b != 0.0)).map(|(start, _)| start)
    }

    /// q = v and p = M v, or p = r_j and q = M^-1 r_j.
    pub fn write(
        self,
        system: &mut dyn Oscillator,
        motion: &Motion,
        q: &mut [f64],
        p: &mut [f64],
    ) -> Result<(), FunctionError> {
        match self {
            Start::Velocity => {
                q.copy_from_slice(motion.velocity);
                system.mass_times(q, p, 1);
            }
            Start::Load(j) => {
                p.copy_from_slice(motion.loads[j]);
                q.copy_from_slice(p);
                system.divide_by_mass(q, 1)?;
            }
        }
        Ok(())
    }

    /// y and y' at `time` [s] of the mode with eigenvalue `lam` [1/s^2] and damping `d` [1/s].
    pub fn response(self, time: f64, lam: f64, d: f64) -> [f64; 2] {
        let modal = response(time, lam, d);
        match self {
            Start::Velocity => [modal.impulse, modal.impulse_rate],
            Start::Load(0) => [modal.loaded[0], modal.impulse],
            Start::Load(j) => [modal.loaded[j], modal.loaded[j - 1]],
        }
    }
}
