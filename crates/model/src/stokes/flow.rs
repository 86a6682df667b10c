//! Flow of the fluid around bodies that move with given velocities.
//!
//!   g = U^-1 (V - u(y)),   velocity at x = u(x) + sum of the Stokeslets of g
//!
//! Cost: a third of the cube of the unknowns of the points, and their number per place.

use super::{Cloud, DragError, Stokes};
use numerics::linear::{Congruence, LinearError};
use numerics::mat3::{Vec3, add, sub};
use std::sync::Arc;

/// Flow that bodies cause by their motion.
pub struct Flow {
    stokes: Arc<Stokes>,
    cloud: Cloud,
    mobility: Congruence,
    /// Velocities of the points, then the forces on them [N].
    forces: Vec<f64>,
}

impl Flow {
    /// Allocates for the points of a fluid.
    pub fn new(stokes: &Arc<Stokes>) -> Result<Flow, LinearError> {
        let count = stokes.points.len();
        Ok(Flow {
            stokes: stokes.clone(),
            cloud: Cloud::new(stokes.points.iter().map(|point| point.epsilon)),
            mobility: Congruence::new(3 * count, 0)?,
            forces: vec![0.0; 3 * count],
        })
    }

    /// Takes the flow at positions [m] and velocities [m/s] of all nodes.
    pub fn take(&mut self, x: &[f64], v: &[f64]) -> Result<(), DragError> {
        let Flow { stokes, cloud, mobility, forces } = self;
        let points = stokes.points.iter().zip(forces.as_chunks_mut::<3>().0);
        for (p, (point, force)) in points.enumerate() {
            let mean = |of: &[f64]| -> Vec3 {
                let terms = point.of.iter().map(|&(i, w)| of[3 * i as usize..][..3].iter().map(move |x| w * x));
                terms.fold([0.0; 3], |mut sum, term| {
                    sum.iter_mut().zip(term).for_each(|(sum, x)| *sum += x);
                    sum
                })
            };
            let place = mean(x);
            cloud.place(p, place);
            *force = sub(mean(v), stokes.background(place));
        }
        cloud.mobility(stokes.viscosity, mobility.matrix());
        mobility.solve(forces).map_err(DragError::from)
    }

    /// Returns the velocity of the fluid at a place [m/s].
    pub fn velocity(&self, place: Vec3) -> Vec3 {
        let forces = self.forces.as_chunks::<3>().0;
        add(self.stokes.background(place), self.cloud.velocity(self.stokes.viscosity, place, forces))
    }
}
