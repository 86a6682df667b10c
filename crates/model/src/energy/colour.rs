//! Chunks of elements that may be scattered in parallel.
//!
//! Elements are cut into chunks of fixed length; chunks that share no node get the same colour. Colours run one after
//! the other, the chunks of one colour in parallel. Each node then sums its contributions in an order fixed by chunks
//! and colours: bit-for-bit the same for any number of threads.

use rayon::prelude::*;
use std::ops::Range;

/// Packs of lanes per chunk: enough to hide the cost of a task, few enough to balance threads.
const PACKS_PER_CHUNK: usize = 32;

/// Chunks of a group, by colour.
pub struct Chunks {
    colours: Vec<Vec<Range<usize>>>,
}

impl Chunks {
    /// Cuts `packs` packs into chunks; `nodes` returns the nodes of a pack.
    pub fn new<'a, I: Iterator<Item = u32> + 'a>(packs: usize, free: usize, nodes: impl Fn(usize) -> I) -> Chunks {
        let cut = |begin: usize| begin..(begin + PACKS_PER_CHUNK).min(packs);
        Chunks::of((0..packs).step_by(PACKS_PER_CHUNK).map(cut), free, nodes)
    }

    /// Colours existing chunks; `nodes` returns the nodes of a pack, of which only those below `free` count.
    pub fn of<'a, I: Iterator<Item = u32> + 'a>(
        chunks: impl Iterator<Item = Range<usize>>,
        free: usize,
        nodes: impl Fn(usize) -> I,
    ) -> Chunks {
        let mut colours: Vec<Vec<Range<usize>>> = Vec::new();
        // For each node, the colours that already touch it, as a bit mask.
        let mut taken: Vec<u128> = vec![0; free];
        for chunk in chunks {
            let touched = || chunk.clone().flat_map(&nodes).filter(|&i| (i as usize) < free);
            let mask = touched().fold(0, |mask, i| mask | taken[i as usize]);
            // A chunk that meets all 128 colours gets its own colour: correct, only less parallel.
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

    /// Calls `work` for every chunk. Chunks that share a node never run at the same time.
    ///
    /// The closure is behind a reference: threads are then compiled once, not for every kind of element, at the price of one
    /// virtual call per chunk.
    pub fn for_each(&self, work: &(dyn Fn(Range<usize>) + Sync)) {
        for colour in &self.colours {
            match colour.as_slice() {
                [chunk] => work(chunk.clone()),
                chunks => chunks.par_iter().for_each(|chunk| work(chunk.clone())),
            }
        }
    }
}

/// Sums `term` over `range`, as a binary tree whose shape depends on the range alone.
pub fn tree_sum(range: Range<usize>, term: &(dyn Fn(usize) -> f64 + Sync)) -> f64 {
    if range.len() <= PACKS_PER_CHUNK {
        return range.map(term).sum();
    }
    let middle = range.start + range.len() / 2;
    let (left, right) = rayon::join(|| tree_sum(range.start..middle, term), || tree_sum(middle..range.end, term));
    left + right
}

/// Slice that several threads write to, each at its own indices.
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

// SAFETY: only `at` and `at_known` give access, and their callers promise that no entry is used by two threads at once.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    /// Shares a slice among the chunks of one colour.
    pub fn new(slice: &'a mut [T]) -> Self {
        Shared { first: slice.as_mut_ptr(), len: slice.len(), _slice: std::marker::PhantomData }
    }

    /// Returns entry `i`.
    ///
    /// # Safety
    /// No other thread may use entry `i` at the same time.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)] // the very purpose: disjoint entries of one slice
    pub unsafe fn at(&self, i: usize) -> &mut T {
        assert!(i < self.len);
        // SAFETY: in bounds by the assertion, exclusive by the caller's promise.
        unsafe { &mut *self.first.add(i) }
    }

    /// Returns entry `i`, without a bounds check.
    ///
    /// # Safety
    /// `i` must be in bounds, and no other thread may use this entry at the same time.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)] // as above
    pub unsafe fn at_known(&self, i: usize) -> &mut T {
        debug_assert!(i < self.len);
        // SAFETY: the caller's promise.
        unsafe { &mut *self.first.add(i) }
    }
}
