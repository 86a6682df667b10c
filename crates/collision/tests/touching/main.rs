//! Collision detection, compared with brute force and known answers.

mod closest;
mod hair;
mod manifold;
mod pairs;
mod shapes;
mod tree;

use collision::Pose;
use numerics::mat3::Vec3;
use numerics::quaternion::normalise;

/// Reproducible pseudo-random numbers (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    /// Returns a number in [0, 1).
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a point in the cube [-size, size]^3.
    pub fn point(&mut self, size: f64) -> Vec3 {
        std::array::from_fn(|_| size * (2.0 * self.number() - 1.0))
    }

    /// Returns a random pose in that cube.
    pub fn pose(&mut self, size: f64) -> Pose {
        let [x, y, z] = self.point(1.0);
        Pose::new(self.point(size), normalise([self.number() - 0.5, x, y, z]))
    }
}

/// Runs on a pool of some threads.
pub fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

/// Asserts that numbers are equal to a tolerance.
pub fn near(a: &[f64], b: &[f64], tolerance: f64) {
    assert!(a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance), "{a:?} is not {b:?}");
}
