//! Exact motion of the captured modes of the linearised body.
//!
//!   y'' + D_r (y' - w) + Lam y = g + t r,    y(0) = 0,  y'(0) = w
//!
//! with w = U^T M v, the force g on the modes at the start of the step, and its rate r. Where damping shares the modes
//! of the stiffness, D_r is diagonal, and each mode has a closed form.

use super::forces::Forces;
use faer::Mat;
use model::Model;
use numerics::functions::dense::phi;
use numerics::functions::scalar::response;
use numerics::modes::inner_products;

/// Displacements and changes of velocity of the modes.
pub(crate) struct Motion {
    pub dx: Vec<f64>,
    pub dv: Vec<f64>,
}

/// Captured modes at the start of a step, one number per mode.
pub(crate) struct Modal {
    /// Eigenvalues [1/s^2].
    pub values: Vec<f64>,
    /// w
    pub w: Vec<f64>,
    /// g without the damping of the modes among each other.
    g: Vec<f64>,
    /// r
    pub rate: Vec<f64>,
    damping: ModalDamping,
}

enum ModalDamping {
    /// d of each mode [1/s].
    Own(Vec<f64>),
    /// D_r [1/s].
    Shared(Mat<f64>),
}

/// Returns d of a mode [1/s]: a negative lam in the damping would add energy.
pub(super) fn own_damping(model: &Model, lam: f64) -> f64 {
    model.damping().mass + model.damping().stiffness * lam.max(0.0)
}

/// Returns displacement and change of velocity of one mode with w, g without damping, and r.
pub(super) fn one_mode(time: f64, lam: f64, d: f64, [w, g, rate]: [f64; 3]) -> [f64; 2] {
    let by = response(time, lam, d);
    let [r0, r1, ..] = by.loaded;
    [by.impulse * w + r0 * g + r1 * rate, by.impulse * g + r0 * rate - (lam * r0 + d * by.impulse) * w]
}

impl Modal {
    /// Takes the modes u of a body with these forces, whose scripted nodes act by a ramp over `time` [s].
    /// `among` is D_r where damping does not share the modes.
    pub fn new(
        model: &Model,
        [u, values]: [&[f64]; 2],
        forces: &Forces,
        time: f64,
        among: Option<Mat<f64>>,
        scratch: &mut Vec<f64>,
    ) -> Modal {
        let (n, s) = (model.dofs(), values.len());
        if s == 0 {
            let [values, w, g, rate] = [(); 4].map(|()| Vec::new());
            return Modal { values, w, g, rate, damping: ModalDamping::Own(Vec::new()) };
        }
        let modal = inner_products(u, &forces.products[..3 * n], n, scratch);
        let [w, undamped, stiff] = [0, 1, 2].map(|column| &modal[column * s..(column + 1) * s]);
        let ramp = if model.is_scripted() { inner_products(u, &forces.ramp, n, scratch) } else { vec![0.0; s] };
        // Coupling of inexact modes to the rest, which continues as before.
        let coupling: Vec<f64> = (0..s).map(|k| stiff[k] - values[k] * w[k]).collect();
        let rate = (0..s).map(|k| ramp[k] / time - coupling[k]).collect();
        let (g, damping) = match among {
            Some(d_r) => {
                let whole = inner_products(u, &forces.force, n, scratch);
                let damped = |i: usize| (0..s).map(|j| d_r[(i, j)] * w[j]).sum::<f64>();
                ((0..s).map(|k| whole[k] + damped(k)).collect(), ModalDamping::Shared(d_r))
            }
            None => {
                let beta = model.damping().stiffness;
                let g = (0..s).map(|k| undamped[k] - beta * coupling[k]).collect();
                (g, ModalDamping::Own(values.iter().map(|&lam| own_damping(model, lam)).collect()))
            }
        };
        Modal { values: values.to_vec(), w: w.to_vec(), g, rate, damping }
    }

    /// Returns the motion after a time [s].
    pub fn motion(&self, time: f64) -> Motion {
        let s = self.values.len();
        match &self.damping {
            ModalDamping::Own(d) => {
                let of = |k: usize| one_mode(time, self.values[k], d[k], [self.w[k], self.g[k], self.rate[k]]);
                let (dx, dv) = (0..s).map(|k| of(k).into()).unzip();
                Motion { dx, dv }
            }
            ModalDamping::Shared(d_r) => {
                let damped = |i: usize| (0..s).map(|j| d_r[(i, j)] * self.w[j]).sum::<f64>();
                let force: Vec<f64> = (0..s).map(|k| self.g[k] - damped(k)).collect();
                let change = damped_motion(time, &self.values, d_r, [&self.w, &force, &self.rate]);
                Motion { dx: change[..s].to_vec(), dv: change[s..].to_vec() }
            }
        }
    }

    /// Returns the whole force on the modes of the linearised body after a time [s] and a motion.
    pub fn force(&self, time: f64, motion: &Motion) -> Vec<f64> {
        let s = self.values.len();
        let v = |j: usize| self.w[j] + motion.dv[j];
        let damped = |k: usize| match &self.damping {
            ModalDamping::Own(d) => d[k] * v(k),
            ModalDamping::Shared(d_r) => (0..s).map(|j| d_r[(k, j)] * v(j)).sum(),
        };
        (0..s).map(|k| self.g[k] + time * self.rate[k] - self.values[k] * motion.dx[k] - damped(k)).collect()
    }

    /// Adds a constant force.
    pub fn add_force(&mut self, force: &[f64]) {
        self.g.iter_mut().zip(force).for_each(|(g, force)| *g += force);
    }
}

/// Returns displacements, then changes of velocity, of modes that are damped among each other:
/// t phi_1(t J_r) (w, g) + t phi_2(t J_r) (0, t r), J_r = [[0, I], [-Lam, -D_r]], with the whole force g.
pub(super) fn damped_motion(time: f64, values: &[f64], d_r: &Mat<f64>, [w, g, rate]: [&[f64]; 3]) -> Vec<f64> {
    let s = values.len();
    let tj = Mat::from_fn(2 * s, 2 * s, |i, j| match (i < s, j < s) {
        (true, false) if i + s == j => time,
        (false, true) if i - s == j => -time * values[j],
        (false, false) => -time * d_r[(i - s, j - s)],
        _ => 0.0,
    });
    let start: Vec<f64> = w.iter().chain(g).map(|x| time * x).collect();
    let push: Vec<f64> = (0..2 * s).map(|i| if i < s { 0.0 } else { time * time * rate[i - s] }).collect();
    let [phi_1, phi_2] = [1, 2].map(|k| phi(k, tj.as_ref()));
    let row = |i: usize| (0..2 * s).map(|j| phi_1[(i, j)] * start[j] + phi_2[(i, j)] * push[j]).sum();
    (0..2 * s).map(row).collect()
}
