//! A surface follows its tets, frame after frame, in memory that was there before.

use geometry::{Embedding, Fineness, Wanted, isosurface, shape::Shape, stuff};
use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator, with a count of the bytes it was asked for.
struct Counting;

static BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn following_allocates_nothing_that_grows_with_the_surface() {
    let ball = Shape::find("ball").unwrap().with(&BTreeMap::new()).unwrap();
    let mesh = stuff(ball.as_ref(), &Wanted::vertices(500), &mut |_| {}).unwrap().mesh;
    let points = isosurface(ball.as_ref(), Fineness::Vertices(20_000), &mut |_| {}).unwrap().points;
    let embedding = Embedding::new(&mesh, &points).unwrap();
    let mut found = vec![[0.0; 3]; embedding.len()];
    embedding.follow(&mesh.points, &mut found);
    // The least of three, since queues of the thread pool take a block now and then.
    let of_a_frame = (0..3).map(|_| {
        let before = BYTES.load(Relaxed);
        embedding.follow(&mesh.points, &mut found);
        BYTES.load(Relaxed) - before
    });
    let bytes = of_a_frame.min().unwrap();
    assert!(bytes < embedding.len(), "{bytes} bytes");
}
