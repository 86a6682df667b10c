//! Bodies that nothing holds, in approximate solutions of A x = b, A = m M + d D + k K.
//!
//! K resists no translation of a body, so the sum of A x over its nodes is that of the momenta. An approximate solution is corrected
//! in this respect at no cost, so that momentum does not depend on the tolerance. The sum over all bodies would not do: frames that
//! turn with their bodies (`turning_frame.rs`) rotate each momentum differently.

use crate::turning_frame::root;
use model::Model;
use numerics::mat3::{Vec3, add, scale, sub};

/// Masses of bodies that nothing holds.
pub(crate) struct Floating {
    /// Mass and body of each node.
    nodes: Vec<(f64, u32)>,
    /// Mass of each body [kg].
    masses: Vec<f64>,
}

impl Floating {
    /// Returns `None` where something holds a body.
    pub fn new(model: &Model) -> Option<Floating> {
        // A term on a single node is an outside force.
        let is_inner = model.terms().iter().all(|term| term.count() == 0 || term.nodes(0).len() > 1);
        let is_free = model.nodes() > 0 && model.free_nodes() == model.nodes() && model.stokes().is_none();
        if !is_inner || !is_free {
            return None;
        }
        let mut parent: Vec<u32> = (0..model.nodes() as u32).collect();
        for term in model.terms() {
            for pair in (0..term.count()).flat_map(|e| term.nodes(e).windows(2)) {
                let [a, b] = [root(&mut parent, pair[0]), root(&mut parent, pair[1])];
                parent[a.max(b) as usize] = a.min(b);
            }
        }
        // The first node of a body is its root.
        let (mut nodes, mut masses): (Vec<(f64, u32)>, Vec<f64>) = (Vec::new(), Vec::new());
        for (i, &mass) in model.node_mass().iter().enumerate() {
            let first = root(&mut parent, i as u32) as usize;
            if first == i {
                masses.push(0.0);
            }
            let body = if first == i { masses.len() as u32 - 1 } else { nodes[first].1 };
            masses[body as usize] += mass;
            nodes.push((mass, body));
        }
        Some(Floating { nodes, masses })
    }

    /// Returns the number of bodies.
    pub fn bodies(&self) -> usize {
        self.masses.len()
    }

    /// Sums each column over the nodes of each body.
    pub fn sums(&self, rhs: &[f64], columns: usize) -> Vec<Vec3> {
        let bodies = self.masses.len();
        let mut sums = vec![[0.0; 3]; columns * bodies];
        for (column, sums) in rhs.chunks_exact(3 * self.nodes.len()).zip(sums.chunks_exact_mut(bodies)) {
            for (b, (_, body)) in column.as_chunks::<3>().0.iter().zip(&self.nodes) {
                sums[*body as usize] = add(sums[*body as usize], *b);
            }
        }
        sums
    }

    /// Shifts the bodies in each column x so that inertia sum_i m_i x_i is the sum of its right-hand side.
    pub fn keep_momentum(&self, inertia: f64, push: &[Vec3], x: &mut [f64]) {
        let mut shifts = vec![[0.0; 3]; self.masses.len()];
        for (x, push) in x.chunks_exact_mut(3 * self.nodes.len()).zip(push.chunks_exact(self.masses.len())) {
            let x = x.as_chunks_mut::<3>().0;
            shifts.fill([0.0; 3]);
            for (x, (mass, body)) in x.iter().zip(&self.nodes) {
                shifts[*body as usize] = add(shifts[*body as usize], scale(*mass, *x));
            }
            for ((shift, push), mass) in shifts.iter_mut().zip(push).zip(&self.masses) {
                *shift = scale(1.0 / mass, sub(scale(1.0 / inertia, *push), *shift));
            }
            x.iter_mut().zip(&self.nodes).for_each(|(x, (_, body))| *x = add(*x, shifts[*body as usize]));
        }
    }
}
