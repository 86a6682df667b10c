//! Contact as constraints: found once per step over the predicted motion, enforced in every substep.
//!
//!   C_n = n . (a - b) - thickness + max(d0 - v_max dt, 0) >= 0 (eq. 10, Macklin et al. 2019)
//!   C_f = D^T (a - b) = 0, with |lambda_f| <= mu lambda_n (eq. 11, 12)
//!
//! Symbols: a, b -> the two sides of a [`Contact`], weighted means of nodes or a point of a rigid shape; d0 the overlap
//! at the start of the substep; v_max -> max_separation_speed. lambda_n never pulls, summed over all passes of a
//! substep. Friction resists the displacement within the substep, relative to moving shapes.
//!
//! Contacts among bodies are relaxed before those with shapes: shapes cannot give way, so they come last.

pub(super) mod faces;
mod point;
mod search;

use super::constraints::{Ahead, Constraints, Substep};
use crate::stepper::StepError;
use collision::{Colours, Pose};
use model::Model;
use model::collisions::{Collider, Collisions};
use model::energy::{Bodies, Shared};
use point::{Contact, Laws};
use search::Search;

/// All contacts of a model.
pub(super) struct Contacts {
    search: Search,
    colliders: Vec<Collider>,
    /// Poses of the colliders at the beginning and end of the substep.
    poses: Vec<[Pose; 2]>,
    laws: Laws,
    /// Contacts among bodies.
    among: Colours<Contact>,
    /// Contacts of bodies with shapes.
    against: Colours<Contact>,
}

impl Contacts {
    /// Makes the contacts of a model with collisions.
    pub fn new(model: &Model, collisions: &Collisions) -> Contacts {
        Contacts {
            search: Search::new(model, collisions),
            colliders: collisions.colliders.clone(),
            poses: vec![[Pose::default(); 2]; collisions.colliders.len()],
            laws: Laws { thickness: collisions.thickness, speed: collisions.max_separation_speed },
            among: Colours::new(model.nodes()),
            against: Colours::new(model.nodes()),
        }
    }
}

impl Constraints for Contacts {
    fn begin_step(&mut self, model: &Model, bodies: &Bodies, ahead: &Ahead) -> Result<(), StepError> {
        self.search.foresee(model, bodies, ahead);
        self.search.among(&mut self.among.found);
        self.search.against(&self.colliders, ahead, &mut self.against.found);
        self.among.sort();
        self.against.sort();
        Ok(())
    }

    fn solve(&mut self, bodies: &mut Bodies, substep: &Substep) {
        let Contacts { colliders, poses, laws, among, against, .. } = self;
        if substep.pass == 0 {
            for (poses, collider) in poses.iter_mut().zip(colliders.iter()) {
                *poses = [substep.t, substep.t + substep.dt].map(|t| collider.pose_at(t));
            }
        }
        let Bodies { start, shift, pushes, is_recorded, .. } = bodies;
        let (start, shift) = (start.as_slice(), Shared::new(shift));
        let pushes = is_recorded.then(|| Shared::new(pushes));
        for contacts in [among, against] {
            contacts.for_each(|contact: &mut Contact| {
                let side = contact.collider().map(|k| (&colliders[k].shape, &poses[k]));
                // SAFETY: no other contact of this colour has these nodes.
                unsafe { contact.relax(start, &shift, pushes.as_ref(), side, laws, substep) };
            });
        }
    }
}
