//! Contacts by colour: those of one colour share no node and are relaxed in parallel.
//!
//! Each contact gets the lowest colour that its nodes do not have yet, in the order in which the search lists contacts. That
//! order and the colours depend on the state alone, so that the outcome does not depend on threads.

use super::point::Contact;
use rayon::prelude::*;

/// Colours, at most; what meets all of them is relaxed one by one at the end.
const COLOURS: usize = 64;
/// Contacts of a task, at least.
const TASK: usize = 256;

/// Contacts, kept from step to step for their memory.
pub(super) struct Colours {
    /// What the search found.
    pub found: Vec<Contact>,
    /// The same by colour.
    sorted: Vec<Contact>,
    /// Where each colour begins in `sorted`; the last one is what is left over.
    starts: [usize; COLOURS + 2],
    /// The colour of each contact found.
    colour: Vec<u8>,
    /// The colours each node has, as bits.
    taken: Vec<u64>,
}

impl Colours {
    /// No contacts of this many nodes.
    pub fn new(nodes: usize) -> Colours {
        let (found, sorted, colour) = (Vec::new(), Vec::new(), Vec::new());
        Colours { found, sorted, starts: [0; COLOURS + 2], colour, taken: vec![0; nodes] }
    }

    /// Sorts what was found by colour.
    pub fn sort(&mut self) {
        let Colours { found, sorted, starts, colour, taken } = self;
        found.iter().flat_map(|contact| contact.nodes).for_each(|node| taken[node as usize] = 0);
        colour.clear();
        *starts = [0; COLOURS + 2];
        for contact in found.iter() {
            let mask = contact.nodes.iter().fold(0, |mask, &node| mask | taken[node as usize]);
            let free = mask.trailing_ones() as usize;
            if free < COLOURS {
                contact.nodes.iter().for_each(|&node| taken[node as usize] |= 1 << free);
            }
            colour.push(free as u8);
            starts[free + 1] += 1;
        }
        for k in 0..=COLOURS {
            starts[k + 1] += starts[k];
        }
        sorted.clear();
        sorted.extend_from_slice(found);
        let mut next = *starts;
        for (contact, colour) in found.iter().zip(colour) {
            sorted[next[*colour as usize]] = *contact;
            next[*colour as usize] += 1;
        }
    }

    /// Calls `work` with every contact; no two that share a node at the same time, and always in the same order for a node.
    pub fn for_each(&mut self, work: impl Fn(&mut Contact) + Sync) {
        for k in 0..COLOURS {
            let contacts = &mut self.sorted[self.starts[k]..self.starts[k + 1]];
            match contacts.len() {
                0 => break,
                n if n < 2 * TASK => contacts.iter_mut().for_each(&work),
                _ => contacts.par_iter_mut().with_min_len(TASK).for_each(&work),
            }
        }
        self.sorted[self.starts[COLOURS]..].iter_mut().for_each(work);
    }
}
