//! Chunks of elements that may be scattered at the same time.
//!
//! Elements are cut into chunks of fixed length; chunks that share no node get the same colour.
//! Colours run one after the other, the chunks of a colour in parallel. Each node then sums its
//! contributions in an order fixed by chunks and colours: the same bits for any number of threads.

use rayon::prelude::*;
use std::ops::Range;

/// Packs of lanes in a chunk. Long enough to hide a task's cost, short enough to balance threads.
const PACKS_PER_CHUNK: usize = 32;

/// The chunks of a group, by colour.
pub struct Chunks {
    colours: Vec<Vec<Range<usize>>>,
}

impl Chunks {
    /// Cuts `packs` packs into chunks; `nodes` tells the free nodes of a pack.
    pub fn new<'a, I: Iterator<Item = u32> + 'a>(packs: usize, free: usize, nodes: impl Fn(usize) -> I) -> Chunks {
        let cut = |begin: usize| begin..(begin + PACKS_PER_CHUNK).min(packs);
        Chunks::of((0..packs).step_by(PACKS_PER_CHUNK).map(cut), free, nodes)
    }

    /// Colours chunks that are cut already; `nodes` tells the nodes of a pack, of which those below `free` count.
    pub fn of<'a, I: Iterator<Item = u32> + 'a>(
        chunks: impl Iterator<Item = Range<usize>>,
        free: usize,
        nodes: impl Fn(usize) -> I,
    ) -> Chunks {
        let mut colours: Vec<Vec<Range<usize>>> = Vec::new();
        // For each node, the set of colours that touch it already, as bits of a growing mask.
        let mut taken: Vec<u128> = vec![0; free];
        for chunk in chunks {
            let touched = || chunk.clone().flat_map(&nodes).filter(|&i| (i as usize) < free);
            let mask = touched().fold(0, |mask, i| mask | taken[i as usize]);
            // A chunk that meets all 128 colours gets one of its own: correct, only less parallel.
            let colour = if mask == u128::MAX { colours.len() } else { mask.trailing_ones() as usize };
            if colour >= colours.len() {
                colours.push(Vec::new());
            }
            if colour < 128 {
                touched().for_each(|i| taken[i as usize] |= 1 << colour);
            }
            let last = colours.len() - 1;
            colours[colour.min(last)].push(chunk);
        }
        Chunks { colours }
    }

    /// Calls `work` for every chunk; no two chunks that share a node run at the same time.
    pub fn for_each(&self, work: impl Fn(Range<usize>) + Sync) {
        for colour in &self.colours {
            match colour.as_slice() {
                [chunk] => work(chunk.clone()),
                chunks => chunks.par_iter().for_each(|chunk| work(chunk.clone())),
            }
        }
    }
}

/// The sum of `term` over `range`, as a binary tree whose shape depends on the range alone.
pub fn tree_sum(range: Range<usize>, term: &(impl Fn(usize) -> f64 + Sync)) -> f64 {
    if range.len() <= PACKS_PER_CHUNK {
        return range.map(term).sum();
    }
    let middle = range.start + range.len() / 2;
    let (left, right) = rayon::join(|| tree_sum(range.start..middle, term), || tree_sum(middle..range.end, term));
    left + right
}

/// A slice that several threads add to, each at places of its own.
pub struct Shared<'a, T> {
    first: *mut T,
    len: usize,
    _slice: std::marker::PhantomData<&'a mut [T]>,
}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<'_, T> {}

// SAFETY: only `at` gives access, and its caller promises that no place is used by two threads at once.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    /// Shares a slice among the chunks of one colour.
    pub fn new(slice: &'a mut [T]) -> Self {
        Shared { first: slice.as_mut_ptr(), len: slice.len(), _slice: std::marker::PhantomData }
    }

    /// The place `i`.
    ///
    /// # Safety
    /// No other thread may use the place `i` at the same time.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)] // the very purpose: disjoint places of one slice
    pub unsafe fn at(&self, i: usize) -> &mut T {
        assert!(i < self.len);
        // SAFETY: in bounds by the assertion, exclusive by the caller's promise.
        unsafe { &mut *self.first.add(i) }
    }

    /// The place `i`, without a look at the length.
    ///
    /// # Safety
    /// There is a place `i`, and no other thread may use it at the same time.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)] // as above
    pub unsafe fn at_known(&self, i: usize) -> &mut T {
        debug_assert!(i < self.len);
        // SAFETY: the caller's promise.
        unsafe { &mut *self.first.add(i) }
    }
}
