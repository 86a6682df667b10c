//! The second call of a propagator allocates nothing that grows with the system.

use numerics::functions::{
    Damping, Expokit, Kiops, Lanczos, Leja, Motion, Oscillator, Propagator, Rational, Sample, Taylor,
};
use numerics::linear::LinearError;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Records the largest allocated block; the only test in this file, so that nothing else is counted.
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

/// alpha [1/s] and beta [s] of D = alpha M + beta K.
const DAMPING: [f64; 2] = [0.5, 5e-3];

/// Unit masses in a row; omega_max = 2000 / s.
struct Chain {
    n: usize,
    damping: Damping,
    /// The shifted matrix: minus its off-diagonal, and the pivots of its elimination.
    beside: f64,
    pivots: Vec<f64>,
}

impl Oscillator for Chain {
    fn dim(&self) -> usize {
        self.n
    }
    fn stiffness_times(&self, x: &[f64], y: &mut [f64], _: usize) {
        for (x, y) in x.chunks_exact(self.n).zip(y.chunks_exact_mut(self.n)) {
            for i in 0..self.n {
                let left = if i > 0 { x[i] - x[i - 1] } else { x[i] };
                let right = if i + 1 < self.n { x[i] - x[i + 1] } else { x[i] };
                y[i] = 1e6 * (left + right);
            }
        }
    }
    fn mass_times(&self, x: &[f64], y: &mut [f64], _: usize) {
        y.copy_from_slice(x);
    }
    fn divide_by_mass(&mut self, _: &mut [f64], _: usize) -> Result<(), LinearError> {
        Ok(())
    }
    fn damping(&self) -> Damping {
        self.damping
    }
    fn damping_times(&self, x: &[f64], y: &mut [f64], columns: usize) {
        self.stiffness_times(x, y, columns);
        y.iter_mut().zip(x).for_each(|(y, x)| *y = DAMPING[0] * x + DAMPING[1] * *y);
    }
    fn prepare_shifted(&mut self, [m, d, k]: [f64; 3]) -> Result<(), LinearError> {
        let (a, b) = (m + d * DAMPING[0], 1e6 * (k + d * DAMPING[1]));
        self.beside = b;
        self.pivots[0] = a + 2.0 * b;
        for i in 1..self.n {
            self.pivots[i] = a + 2.0 * b - b * b / self.pivots[i - 1];
        }
        Ok(())
    }
    fn solve_shifted(&mut self, x: &mut [f64], _: usize) -> Result<(), LinearError> {
        let b = self.beside;
        for x in x.chunks_exact_mut(self.n) {
            for i in 1..self.n {
                x[i] += b / self.pivots[i - 1] * x[i - 1];
            }
            x[self.n - 1] /= self.pivots[self.n - 1];
            for i in (0..self.n - 1).rev() {
                x[i] = (x[i] + b * x[i + 1]) / self.pivots[i];
            }
        }
        Ok(())
    }
}

#[test]
fn the_second_time_is_free() {
    let n = 60_000;
    let velocity: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();
    let load: Vec<f64> = (0..n).map(|i| 1e3 * (i as f64 * 0.3).cos()).collect();
    let rayleigh = Damping::Rayleigh { mass: DAMPING[0], stiffness: DAMPING[1] };
    let methods: [(&str, Damping, Box<dyn Propagator>); 7] = [
        ("expokit", Damping::General, Box::new(Expokit::default())),
        ("kiops", Damping::General, Box::new(Kiops::new())),
        ("taylor", Damping::General, Box::new(Taylor::new())),
        ("leja", Damping::General, Box::new(Leja::new())),
        ("lanczos", rayleigh, Box::new(Lanczos::new())),
        ("rational lanczos", rayleigh, Box::new(Rational::new())),
        ("rational arnoldi", Damping::General, Box::new(Rational::new())),
    ];
    let mut space = vec![0.0; 4 * n];
    let mut first: Option<Vec<f64>> = None;
    for (name, damping, mut method) in methods {
        let mut chain = Chain { n, damping, beside: 0.0, pivots: vec![0.0; n] };
        let mut once = || {
            let (early, late) = space.split_at_mut(2 * n);
            let ((y1, v1), (y2, v2)) = (early.split_at_mut(n), late.split_at_mut(n));
            let mut samples = [Sample { time: 0.01, y: y1, velocity: v1 }, Sample { time: 0.02, y: y2, velocity: v2 }];
            let loads = [&load[..]];
            let motion = Motion { velocity: &velocity, loads: &loads };
            method.propagate(&mut chain, &motion, 1e-8, &mut samples).unwrap()
        };
        let report = once();
        LARGEST.store(0, Ordering::Relaxed);
        assert_eq!(once(), report, "{name}");
        let largest = LARGEST.load(Ordering::Relaxed);
        println!("{name}: {largest} bytes, {report:?}");
        // A dense matrix of the largest basis is 140 kB, a vector of the system 480 kB.
        assert!(largest < 200_000, "{name} asks for {largest} bytes");
        // All agree.
        let first = first.get_or_insert_with(|| space.clone());
        let scale = velocity.iter().map(|v| v * v).sum::<f64>().sqrt();
        let off = first[3 * n..].iter().zip(&space[3 * n..]).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        assert!(off < 2e-8 * scale, "{name}: {off:.1e} of {scale:.1e}");
    }
}
