//! The second call of a baseline allocates nothing that grows with the system.

use numerics::functions::{Damping, Expokit, Kiops, Leja, Motion, Oscillator, Propagator, Sample, Taylor};
use numerics::linear::LinearError;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Remembers the largest block asked for; one test in this file, so that nothing else is counted.
struct Largest;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Largest {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Largest = Largest;

/// Unit masses in a row; omega_max = 2000 / s.
struct Chain(usize);

impl Oscillator for Chain {
    fn dim(&self) -> usize {
        self.0
    }
    fn stiffness_times(&self, x: &[f64], y: &mut [f64], _: usize) {
        for i in 0..self.0 {
            let left = if i > 0 { x[i] - x[i - 1] } else { x[i] };
            let right = if i + 1 < self.0 { x[i] - x[i + 1] } else { x[i] };
            y[i] = 1e6 * (left + right);
        }
    }
    fn mass_times(&self, x: &[f64], y: &mut [f64], _: usize) {
        y.copy_from_slice(x);
    }
    fn divide_by_mass(&mut self, _: &mut [f64], _: usize) -> Result<(), LinearError> {
        Ok(())
    }
    fn damping(&self) -> Damping {
        Damping::General
    }
    fn damping_times(&self, x: &[f64], y: &mut [f64], _: usize) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = 0.5 * x);
    }
    fn prepare_shifted(&mut self, _: [f64; 3]) -> Result<(), LinearError> {
        Err(LinearError::NotPrepared)
    }
    fn solve_shifted(&mut self, _: &mut [f64], _: usize) -> Result<(), LinearError> {
        Err(LinearError::NotPrepared)
    }
}

#[test]
fn the_second_time_is_free() {
    let n = 60_000;
    let velocity: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();
    let load: Vec<f64> = (0..n).map(|i| 1e3 * (i as f64 * 0.3).cos()).collect();
    let methods: [(&str, Box<dyn Propagator>); 4] = [
        ("expokit", Box::new(Expokit::default())),
        ("kiops", Box::new(Kiops::new())),
        ("taylor", Box::new(Taylor::new())),
        ("leja", Box::new(Leja::new())),
    ];
    let mut space = vec![0.0; 4 * n];
    let mut first: Option<Vec<f64>> = None;
    for (name, mut method) in methods {
        let mut once = || {
            let (early, late) = space.split_at_mut(2 * n);
            let ((y1, v1), (y2, v2)) = (early.split_at_mut(n), late.split_at_mut(n));
            let mut samples = [Sample { time: 0.01, y: y1, velocity: v1 }, Sample { time: 0.02, y: y2, velocity: v2 }];
            let loads = [&load[..]];
            let motion = Motion { velocity: &velocity, loads: &loads };
            method.propagate(&mut Chain(n), &motion, 1e-8, &mut samples).unwrap()
        };
        let report = once();
        LARGEST.store(0, Ordering::Relaxed);
        assert_eq!(once(), report, "{name}");
        let largest = LARGEST.load(Ordering::Relaxed);
        // A dense matrix of the largest basis is 140 kB, a vector of the system 480 kB.
        assert!(largest < 200_000, "{name} asks for {largest} bytes");
        // All four say the same.
        let first = first.get_or_insert_with(|| space.clone());
        let scale = velocity.iter().map(|v| v * v).sum::<f64>().sqrt();
        let off = first[3 * n..].iter().zip(&space[3 * n..]).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        assert!(off < 2e-8 * scale, "{name}: {off:.1e} of {scale:.1e}");
    }
}
