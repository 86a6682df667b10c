//! Warping allocates nothing that grows with the mesh.

use model::material::MaterialKind;
use model::mesh::generate::generate;
use model::{Blueprint, SolidPart, Warp};
use std::alloc::{GlobalAlloc, Layout, System};
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
fn warping_allocates_nothing_that_grows() {
    for is_held in [false, true] {
        let cells = |n: f64| [("cells-along", (10.0 * n).into()), ("cells-across", n.into())];
        let mesh = generate("bar", cells(6.0)).unwrap();
        let tets = (0..mesh.tets.len() as u32).collect();
        let solids = vec![SolidPart { tets, material: MaterialKind::new("linear", 1e6, 0.3).unwrap(), density: 1.0 }];
        let fixed = if is_held { mesh.groups["x-"].nodes.clone() } else { Vec::new() };
        let model = Blueprint { mesh, solids, fixed, ..Blueprint::default() }.build().unwrap();
        let x: Vec<f64> = model.rest().iter().enumerate().map(|(i, x)| x + 0.01 * (i as f64).sin()).collect();
        let mut out = vec![0.0; x.len()];
        let mut warp = Warp::new(&model).unwrap();
        warp.apply(&x, &mut out);
        let of_one = (0..3).map(|_| {
            let before = BYTES.load(Relaxed);
            warp.apply(&x, &mut out);
            BYTES.load(Relaxed) - before
        });
        // Queues of the thread pool take a block now and then; a vector of this bar is 70 kB.
        let least = of_one.min().unwrap();
        assert!(least < 4096, "{least} bytes");
    }
}
