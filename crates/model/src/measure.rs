//! Measurements of a model in a state: energies, momenta, stretch.

use crate::energy::{Configuration, ElementKind};
use crate::model::Model;
use crate::rigid::{Rigid, Turn};
use crate::state::State;
use numerics::mat3::{Vec3, add, cross, norm, sub};
use numerics::vectors;

impl Model {
    /// Computes the elastic and contact energy [J].
    pub fn elastic_energy(&self, x: &[f64]) -> f64 {
        self.terms.iter().map(|term| term.value(x)).sum()
    }

    /// Computes the relative elongation of springs between two nodes: mean and maximum. Compressed springs count as
    /// zero. `None` without such springs.
    pub fn stretch(&self, x: &[f64]) -> Option<[f64; 2]> {
        let (mut count, mut sum, mut most) = (0_usize, 0.0, 0.0_f64);
        for term in self.terms.iter().filter(|term| term.kind() == ElementKind::Spring) {
            for e in 0..term.count() {
                let &[a, b] = term.nodes(e) else { continue };
                let [rest, now] = [&self.rest[..], x].map(|x| {
                    let at = |i: u32| -> Vec3 { std::array::from_fn(|c| x[3 * i as usize + c]) };
                    norm(sub(at(a), at(b)))
                });
                if rest > 0.0 {
                    let longer = (now / rest - 1.0).max(0.0);
                    (count, sum, most) = (count + 1, sum + longer, most.max(longer));
                }
            }
        }
        (count > 0).then(|| [sum / count as f64, most])
    }

    /// Computes the angle by which the last step turned the tets and springs, the root of its mean square [rad]. `at` has the
    /// displacements of that step.
    pub fn turn(&self, at: Configuration<'_>) -> f64 {
        let kinds = [ElementKind::Tet, ElementKind::Spring, ElementKind::FaceSpring];
        let terms = || self.terms.iter().filter(|term| kinds.contains(&term.kind()));
        let count: usize = terms().map(|term| term.count()).sum();
        let squares: f64 = terms().map(|term| term.turns(at)).sum();
        (squares / count.max(1) as f64).sqrt()
    }

    /// Computes -f . x of the loads at time `t` and of the given external forces [J].
    pub fn load_potential(&self, t: f64, x: &[f64]) -> f64 {
        let loads: f64 = self.loads.iter().map(|load| load.potential(t, &self.rest, x)).sum();
        // Without given forces the result is bit-for-bit that of the loads, including the sign of a zero.
        let loads = if self.forces.is_empty() { loads } else { loads - vectors::dot(&self.forces, &x[..self.dofs()]) };
        if self.driven.is_empty() { loads } else { loads - vectors::dot(&self.driven, &x[..self.dofs()]) }
    }

    /// Computes the elastic energy plus the potential of the loads [J].
    pub fn potential(&self, t: f64, x: &[f64]) -> f64 {
        self.elastic_energy(x) + self.load_potential(t, x)
    }

    /// Computes 1/2 v . M v of the free nodes, plus 1/2 w . I w of rigid bodies [J].
    pub fn kinetic(&self, state: &State) -> f64 {
        let v = &state.v[..self.dofs()];
        let turning = self.rigids.iter().zip(&state.turns).map(|(rigid, turn)| rigid.kinetic(turn));
        0.5 * self.mass.inner(v, v) + turning.sum::<f64>()
    }

    /// Computes the linear momentum of the free nodes [kg m/s].
    pub fn momentum(&self, v: &[f64]) -> Vec3 {
        (0..self.free).fold([0.0; 3], |sum, i| add(sum, self.mass.row_times(i, v)))
    }

    /// Computes the angular momentum of the free nodes and of the rotation of rigid bodies, about the origin [kg
    /// m^2/s].
    pub fn angular_momentum(&self, state: &State) -> Vec3 {
        let State { x, v, turns, .. } = state;
        let arm = |i: usize| [x[3 * i], x[3 * i + 1], x[3 * i + 2]];
        let nodes = (0..self.free).fold([0.0; 3], |sum, i| add(sum, cross(arm(i), self.mass.row_times(i, v))));
        let spun = |(rigid, turn): (&Rigid, &Turn)| rigid.inertia_times(turn.orientation, turn.spin);
        self.rigids.iter().zip(turns).map(spun).fold(nodes, add)
    }
}
