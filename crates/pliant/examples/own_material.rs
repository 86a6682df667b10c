//! A material of your own: density, stress and tangent; all else follows.
//!
//!     cargo run --release --example own_material

use pliant::model::material::{Material, Tangent, law, symmetric_tangent};
use pliant::numerics::mat3::{self, Mat3};
use pliant::numerics::real::Real;
use pliant::prelude::*;

/// A foam: W = a/8 |F^T F - I|^2 + b/2 (det F - 1)^2.
#[derive(Clone, Copy)]
struct Foam {
    a: f64,
    b: f64,
}

impl Foam {
    /// C = F^T F - I, and det F.
    fn strain<R: Real>(f: &Mat3<R>) -> (Mat3<R>, R) {
        (mat3::mat_sub(&mat3::mat_t_mul(f, f), &mat3::identity()), mat3::determinant(f))
    }
}

impl Material for Foam {
    fn density<R: Real>(&self, f: &Mat3<R>) -> R {
        let (c, j) = Foam::strain(f);
        let volume = j - R::splat(1.0);
        R::splat(self.a / 8.0) * mat3::contract(&c, &c) + R::splat(self.b / 2.0) * volume * volume
    }

    fn stress<R: Real>(&self, f: &Mat3<R>) -> Mat3<R> {
        let (c, j) = Foam::strain(f);
        let shape = mat3::mat_scale(R::splat(self.a / 2.0), &mat3::mat_mul(f, &c));
        let volume = R::splat(self.b) * (j - R::splat(1.0));
        mat3::mat_add(&shape, &mat3::mat_scale(volume, &mat3::cofactor(f)))
    }

    fn tangent<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        let ((c, j), cofactor, squares) = (Foam::strain(f), mat3::cofactor(f), mat3::mat_mul_t(f, f));
        let (half, volume) = (R::splat(self.a / 2.0), R::splat(self.b) * (j - R::splat(1.0)));
        symmetric_tangent(|i, j, k, l| {
            let mut entry = half * f[i][l] * f[k][j] + R::splat(self.b) * cofactor[i][j] * cofactor[k][l];
            if i == k {
                entry += half * c[l][j];
            }
            if j == l {
                entry += half * squares[i][k];
            }
            // The derivative of the cofactor: the entry in the third row and column.
            if i != k && j != l {
                let third = volume * f[3 - i - k][3 - j - l];
                entry += if (k + 3 - i) % 3 == (l + 3 - j) % 3 { third } else { -third };
            }
            entry
        })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = Builder::new([0.0, 0.0, -9.81]);
    let bar = world.solid(&generate("bar", [])?, law(Foam { a: 4e5, b: 2e5 }), 100.0);
    world.fix(&bar, |x| x[0] < 1e-9);
    let model = world.build()?;
    // Any method takes it, small steps with their rows included.
    for name in ["backward-euler", "siere", "small-steps"] {
        let mut simulation = Simulation::new(model.clone(), method(name)?, &Options::default(), 0.01)?;
        for _ in 0..30 {
            simulation.step()?;
        }
        println!("{name:15} {:8.4} J of motion after {:.1} s", simulation.energies().kinetic, simulation.time());
        assert!(simulation.energies().elastic > 0.0);
    }
    Ok(())
}
