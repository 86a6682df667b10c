//! Sticking contacts, remembered from step to step.
//!
//! Contacts are found anew in each step. One at the position of an earlier one, in the frame of one of the bodies,
//! takes over its load and the displacement that friction has yet to undo. Otherwise a body resting on a slope would
//! creep.

use super::core::Core;
use super::touch::{Name, RigidTouch, Side};
use model::Anchor;
use numerics::mat3::{Vec3, norm, sub};

/// Numbers stored per contact: two names of 4, two positions and a slip of 3 each, a load.
const NUMBERS: usize = 18;

/// A contact that stuck at the end of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Held {
    names: [Name; 2],
    /// Cores of both sides in the frames of their bodies [m].
    points: [Vec3; 2],
    /// Displacement still to be undone [m].
    slip: Vec3,
    /// Largest push of all contacts of the two in the last substeps [kg m].
    load: f64,
}

/// All contacts that stuck at the end of the last step, sorted by the names of their sides.
#[derive(Debug, Default)]
pub(super) struct Memory {
    held: Vec<Held>,
}

/// Returns the core of a side in the frame of its body [m]; zero for a node or a face.
fn local_point(side: &Side) -> Vec3 {
    match side.core {
        Core::At(Anchor::World(at) | Anchor::Rigid(_, at)) => at,
        Core::At(Anchor::Node(_)) | Core::Face(..) => [0.0; 3],
    }
}

impl Memory {
    /// Remembers these contacts only.
    pub fn keep(&mut self, touches: &[RigidTouch]) {
        self.held.clear();
        self.held.reserve(touches.len());
        for touch in touches.iter().filter(|touch| touch.slip != [0.0; 3]) {
            let points = touch.sides.map(|side| local_point(&side));
            self.held.push(Held { names: touch.names(), points, slip: touch.slip, load: touch.load });
        }
        self.held.sort_unstable_by_key(|held| held.names);
    }

    /// Forgets all contacts.
    pub fn clear(&mut self) {
        self.held.clear();
    }

    /// Gives a contact the slip and load of the nearest earlier one of the same two sides, if it was within `near` [m]
    /// in one of their frames. One frame is enough: a sliding contact keeps its position in one of them.
    pub fn recall(&self, touch: &mut RigidTouch, near: f64) {
        let (names, points) = (touch.names(), touch.sides.map(|side| local_point(&side)));
        let first = self.held.partition_point(|held| held.names < names);
        let mut nearest = f64::INFINITY;
        for held in self.held[first..].iter().take_while(|held| held.names == names) {
            let [a, b] = [0, 1].map(|k| norm(sub(held.points[k], points[k])));
            if a.min(b) <= near && a + b < nearest {
                nearest = a + b;
                // The normal may have changed.
                (touch.slip, touch.load) = (touch.across(held.slip), held.load);
            }
        }
    }

    /// Appends all contacts as numbers.
    pub fn write(&self, out: &mut Vec<f64>) {
        for Held { names, points, slip, load } in &self.held {
            out.extend(names.as_flattened().iter().map(|&n| f64::from(n)));
            out.extend(points.as_flattened().iter().chain(slip).chain([load]));
        }
    }

    /// Restores written contacts; false if the numbers are impossible.
    pub fn read(&mut self, numbers: &[f64]) -> bool {
        self.held.clear();
        let (contacts, rest) = numbers.as_chunks::<NUMBERS>();
        if !rest.is_empty() || !numbers.iter().all(|n| n.is_finite()) {
            return false;
        }
        let name = |n: &[f64]| -> Name { std::array::from_fn(|k| n[k] as u32) };
        let vector = |n: &[f64]| -> Vec3 { std::array::from_fn(|k| n[k]) };
        self.held.extend(contacts.iter().map(|n| Held {
            names: [name(&n[..4]), name(&n[4..])],
            points: [vector(&n[8..]), vector(&n[11..])],
            slip: vector(&n[14..]),
            load: n[17],
        }));
        self.held.is_sorted_by_key(|held| held.names)
    }
}
