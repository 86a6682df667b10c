//! Wendland's C2 kernel, the weight of a particle by distance, normalised on the lattice at rest.
//!
//! With q = r / H the kernel is W = sigma t^4 (1 + 4 q), t = max(0, 1 - q), and its gradient
//! -20 sigma / H^2 t^3 (x_i - x_j): it needs no division, is zero for coincident particles, and its Fourier transform is
//! positive, so that particles under pressure do not pair up (Dehnen, Aly 2012). sigma makes the sum over the cubic
//! lattice at rest one, not the integral: a block at rest has C = 0 to rounding.
//!
//! Symbols: support H [m], sigma `scale` [1/m^3] for a sum of volumes times kernels.

use super::lanes;
use wide::f64x8;

/// Reach of the kernel, in spacings: on the lattice 26 neighbours count.
const REACH: f64 = 2.0;

/// The kernel for particles of one spacing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kernel {
    /// Support radius H [m].
    pub support: f64,
    /// Sigma [1/m^3].
    pub scale: f64,
    /// -20 sigma / H^2 [1/m^5].
    pub slope: f64,
    /// Sum of |grad W|^2 over the lattice [1/m^8].
    pub rest_gradients: f64,
    /// Share of the rest density hidden by a wall half a spacing away.
    pub hidden: f64,
    inverse: f64,
}

impl Kernel {
    pub fn new(spacing: f64) -> Kernel {
        let support = REACH * spacing;
        let shape = |r2: f64| {
            let q = r2.sqrt() / REACH;
            let t = (1.0 - q).max(0.0);
            (t.powi(4) * (1.0 + 4.0 * q), t.powi(6) * r2)
        };
        let (mut sum, mut gradients, mut layer) = (0.0, 0.0, 0.0);
        let reach = REACH.ceil() as i32;
        for z in -reach..=reach {
            for y in -reach..=reach {
                for x in -reach..=reach {
                    let (value, gradient) = shape(f64::from(x * x + y * y + z * z));
                    sum += value;
                    gradients += gradient;
                    layer += if z > 0 { value } else { 0.0 };
                }
            }
        }
        let scale = 1.0 / (sum * spacing.powi(3));
        let slope = -20.0 * scale / (support * support);
        let rest_gradients = slope * slope * gradients * spacing * spacing;
        Kernel { support, scale, slope, rest_gradients, hidden: layer / sum, inverse: 1.0 / support }
    }

    /// Computes W / sigma and t^3 for eight squared distances [m^2].
    #[inline(always)]
    pub fn shapes(&self, r2: f64x8) -> (f64x8, f64x8) {
        let q = lanes::sqrt(r2) * f64x8::splat(self.inverse);
        let t = (f64x8::ONE - q).fast_max(f64x8::ZERO);
        let cube = t * t * t;
        (cube * t * q.mul_add(f64x8::splat(4.0), f64x8::ONE), cube)
    }

    /// The same for one distance.
    #[inline(always)]
    pub fn shape(&self, r2: f64) -> (f64, f64) {
        let q = r2.sqrt() * self.inverse;
        let t = (1.0 - q).max(0.0);
        (t * t * t * t * (1.0 + 4.0 * q), t * t * t)
    }

    /// Returns the rate of change of velocity by a dynamic viscosity of 1 Pa s, per volume and per W: by Taylor, sum V
    /// W (v_j - v_i) = 1/6 sum V W r^2 laplacian v, and the integral of W r^2 is H^2 / 5.
    pub fn diffusion(&self) -> f64 {
        30.0 * self.inverse * self.inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns W [1/m^3] and the factor of x_i - x_j in its gradient, at a distance [m].
    fn at(kernel: &Kernel, r: f64) -> (f64, f64) {
        let (value, cube) = kernel.shapes(f64x8::splat(r * r));
        (kernel.scale * value.to_array()[2], kernel.slope * cube.to_array()[2])
    }

    #[test]
    fn integral_is_that_of_the_lattice_to_a_few_percent() {
        let kernel = Kernel::new(0.1);
        let (n, mut sum, mut second) = (4000, 0.0, 0.0);
        for k in 0..n {
            let r = kernel.support * (k as f64 + 0.5) / n as f64;
            let shell = 4.0 * std::f64::consts::PI * r * r * kernel.support / n as f64;
            sum += at(&kernel, r).0 * shell;
            second += at(&kernel, r).0 * shell * r * r;
        }
        // 21 / (2 pi H^3) over the value normalised on the lattice.
        let exact = kernel.scale * kernel.support.powi(3) * 2.0 * std::f64::consts::PI / 21.0;
        assert!((sum - exact).abs() < 1e-6, "{sum} {exact}");
        assert!((sum - 1.0).abs() < 0.05, "{sum}");
        assert!((second / sum * kernel.diffusion() - 6.0).abs() < 1e-5, "{second}");
    }

    #[test]
    fn gradient_is_the_derivative() {
        let kernel = Kernel::new(0.3);
        for r in [0.01, 0.1, 0.3, 0.55, 0.6, 0.7] {
            let d = 1e-6;
            let slope = (at(&kernel, r + d).0 - at(&kernel, r - d).0) / (2.0 * d);
            assert!((slope - at(&kernel, r).1 * r).abs() < 1e-6 * kernel.scale / kernel.support, "{r}");
        }
        assert_eq!(at(&kernel, 0.0).1 * 0.0, 0.0);
    }
}
