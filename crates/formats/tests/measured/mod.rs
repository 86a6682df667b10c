//! Cost of a call: the peak of memory, and time. For tests that are alone in their binary, so that no other thread
//! allocates at the same time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The system's allocator, with a count of the bytes in use and of their peak.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        MOST.fetch_max(HELD.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        MOST.fetch_max(HELD.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Cost of a call.
pub struct Cost {
    /// Peak of memory beyond that in use before [bytes].
    pub bytes: usize,
    pub time: Duration,
}

/// Calls and measures. Slow calls are repeated: the processor may have been busy.
pub fn measured<T>(call: impl Fn() -> T) -> (T, Cost) {
    let mut best = once(&call);
    for _ in 0..2 {
        if best.1.time > Duration::from_millis(500) {
            let again = once(&call);
            best = if again.1.time < best.1.time { again } else { best };
        }
    }
    best
}

fn once<T>(call: impl Fn() -> T) -> (T, Cost) {
    let before = HELD.load(Relaxed);
    MOST.store(before, Relaxed);
    let start = Instant::now();
    let result = call();
    let time = start.elapsed();
    (result, Cost { bytes: MOST.load(Relaxed).saturating_sub(before), time })
}
