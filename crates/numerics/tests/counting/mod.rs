//! Allocations of a call. For tests that are alone in their binary, so that no other thread allocates at the same time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator, with counts of the bytes allocated and freed.
struct Counting;

static TAKEN: AtomicUsize = AtomicUsize::new(0);
static FREED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TAKEN.fetch_add(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        FREED.fetch_add(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the least of three calls, since queues of the thread pool take a block now and then: bytes allocated, and
/// bytes kept.
pub fn allocated(mut call: impl FnMut()) -> [usize; 2] {
    let of_a_call = (0..3).map(|_| {
        let before = [&TAKEN, &FREED].map(|bytes| bytes.load(Relaxed));
        call();
        let [taken, freed] = [TAKEN.load(Relaxed) - before[0], FREED.load(Relaxed) - before[1]];
        [taken, taken.saturating_sub(freed)]
    });
    of_a_call.min().unwrap_or_default()
}
