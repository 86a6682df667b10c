//! Contacts by colour: contacts of one colour share no node and are relaxed in parallel.
//!
//! Each contact gets the lowest colour that its nodes do not have yet, in the order of the search. That order and the
//! colours depend on the state alone, so the result does not depend on threads.

use rayon::prelude::*;

/// Limit of colours; contacts that find all of them taken are relaxed one by one at the end.
const COLOURS: usize = 64;
/// Least contacts per task.
const TASK: usize = 256;

/// A contact that moves some nodes.
///
/// ```
/// use collision::{Colours, Joins};
///
/// /// A link of two nodes, and the number of times it was worked on.
/// #[derive(Clone, Copy)]
/// struct Link([u32; 2], u32);
///
/// impl Joins for Link {
///     fn nodes(&self) -> [u32; 4] {
///         let Link([a, b], _) = *self;
///         [a, b, b, b]
///     }
/// }
///
/// let mut links = Colours::new(3);
/// links.found = vec![Link([0, 1], 0), Link([1, 2], 0)];
/// links.sort();
/// links.for_each(|link| link.1 += 1);
/// assert!(links.sorted().iter().all(|link| link.1 == 1));
/// ```
pub trait Joins: Copy + Send + Sync {
    /// Returns the nodes that it moves; one may be named several times.
    fn nodes(&self) -> [u32; 4];
}

/// Contacts; their memory is reused from step to step.
pub struct Colours<T> {
    /// Contacts found by the search.
    pub found: Vec<T>,
    /// The same, sorted by colour.
    sorted: Vec<T>,
    /// First contact of each colour in `sorted`; the last colour is the remainder.
    starts: [usize; COLOURS + 2],
    /// Colour of each contact found.
    colour: Vec<u8>,
    /// Colours of each node, as bits.
    taken: Vec<u64>,
}

impl<T: Joins> Colours<T> {
    /// Makes it for this many nodes, without contacts.
    pub fn new(nodes: usize) -> Colours<T> {
        let (found, sorted, colour) = (Vec::new(), Vec::new(), Vec::new());
        Colours { found, sorted, starts: [0; COLOURS + 2], colour, taken: vec![0; nodes] }
    }

    /// Sorts the contacts found by colour.
    pub fn sort(&mut self) {
        let Colours { found, sorted, starts, colour, taken } = self;
        found.iter().flat_map(Joins::nodes).for_each(|node| taken[node as usize] = 0);
        colour.clear();
        *starts = [0; COLOURS + 2];
        for contact in found.iter() {
            let mask = contact.nodes().iter().fold(0, |mask, &node| mask | taken[node as usize]);
            let free = mask.trailing_ones() as usize;
            if free < COLOURS {
                contact.nodes().iter().for_each(|&node| taken[node as usize] |= 1 << free);
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

    /// Calls `work` with every contact: never at the same time for two that share a node, and in a fixed order for each
    /// node.
    pub fn for_each(&mut self, work: impl Fn(&mut T) + Sync) {
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

    /// Takes what the work changed over into the contacts found, to which others may be added.
    pub fn keep(&mut self) {
        self.found.copy_from_slice(&self.sorted);
    }

    /// Returns the contacts by colour, as they were worked on.
    pub fn sorted(&self) -> &[T] {
        &self.sorted
    }
}
