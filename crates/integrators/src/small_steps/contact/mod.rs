//! Contact as constraints: found once a step over the foreseen motion, kept by every substep.
//!
//!   C_n = n . (a - b) - thickness + max(d0 - v_max dt, 0) >= 0 (eq. 10, Macklin et al. 2019)
//!   C_f = D^T (a - b) = 0, with |lambda_f| <= mu lambda_n (eq. 11, 12)
//!
//! Symbols: a, b -> the two sides of a [`Contact`], means of nodes or a point of a rigid shape; d0 the overlap where the
//! substep begins; v_max -> max_separation_speed. lambda_n never pulls, over all passes of a substep; the path that friction
//! resists is that of the substep, relative to shapes that move.
//!
//! Contacts of bodies are relaxed before those with shapes, so that the shape, which cannot give way, has the last word.

mod colours;
pub(super) mod faces;
mod point;
mod search;

use super::constraints::{Ahead, Constraints, Substep};
use crate::stepper::StepError;
use collision::Pose;
use colours::Colours;
use model::Model;
use model::collisions::{Collider, Collisions};
use model::energy::{Bodies, Shared};
use point::{Contact, Laws};
use search::Search;

/// All contacts of a model.
pub(super) struct Contacts {
    search: Search,
    colliders: Vec<Collider>,
    /// Where the colliders are when the substep begins and ends.
    poses: Vec<[Pose; 2]>,
    laws: Laws,
    /// Of bodies with bodies.
    among: Colours,
    /// Of bodies with shapes.
    against: Colours,
}

impl Contacts {
    /// The contacts of a model that has any.
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
