//! What sticks, remembered from step to step.
//!
//! Contacts are found anew in each step. One that lies where an earlier one was, in the frame of one of the bodies, takes over
//! the path that friction has yet to undo, and the load: what rests on a slope would creep if each search forgot them.

use super::core::Core;
use super::touch::{Name, Side, Touch};
use model::Anchor;
use numerics::mat3::{Vec3, norm, sub};

/// Numbers that tell of one contact: two names of 4, two places and a path of 3 each, a load.
const NUMBERS: usize = 18;

/// A contact that stuck when a step ended.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Held {
    names: [Name; 2],
    /// The cores of both sides in the frames of their bodies [m].
    places: [Vec3; 2],
    /// The path that is left to undo [m].
    slip: Vec3,
    /// The most that all contacts of the two pushed by in the last substeps [kg m].
    load: f64,
}

/// All contacts that stuck when the last step ended, by the names of their sides.
#[derive(Debug, Default)]
pub(super) struct Memory {
    held: Vec<Held>,
}

/// The core of a side in the frame of its body [m]. A node, and a face, is one place.
fn place(side: &Side) -> Vec3 {
    match side.core {
        Core::At(Anchor::World(at) | Anchor::Rigid(_, at)) => at,
        Core::At(Anchor::Node(_)) | Core::Face(..) => [0.0; 3],
    }
}

impl Memory {
    /// Remembers these contacts and no others.
    pub fn keep(&mut self, touches: &[Touch]) {
        self.held.clear();
        self.held.reserve(touches.len());
        for touch in touches.iter().filter(|touch| touch.slip != [0.0; 3]) {
            let places = touch.sides.map(|side| place(&side));
            self.held.push(Held { names: touch.names(), places, slip: touch.slip, load: touch.load });
        }
        self.held.sort_unstable_by_key(|held| held.names);
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.held.clear();
    }

    /// Gives a contact the path and load of the nearest one of the same two, if that was within `near` [m] of it in one of their
    /// frames: what slides stays at a place of one of them.
    pub fn recall(&self, touch: &mut Touch, near: f64) {
        let (names, places) = (touch.names(), touch.sides.map(|side| place(&side)));
        let first = self.held.partition_point(|held| held.names < names);
        let mut nearest = f64::INFINITY;
        for held in self.held[first..].iter().take_while(|held| held.names == names) {
            let [a, b] = [0, 1].map(|k| norm(sub(held.places[k], places[k])));
            if a.min(b) <= near && a + b < nearest {
                nearest = a + b;
                // The normal may be another by now.
                (touch.slip, touch.load) = (touch.across(held.slip), held.load);
            }
        }
    }

    /// All of it as numbers.
    pub fn write(&self, out: &mut Vec<f64>) {
        for Held { names, places, slip, load } in &self.held {
            out.extend(names.as_flattened().iter().map(|&n| f64::from(n)));
            out.extend(places.as_flattened().iter().chain(slip).chain([load]));
        }
    }

    /// Takes up what was written; false if it cannot be that.
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
            places: [vector(&n[8..]), vector(&n[11..])],
            slip: vector(&n[14..]),
            load: n[17],
        }));
        self.held.is_sorted_by_key(|held| held.names)
    }
}
