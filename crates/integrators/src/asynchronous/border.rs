//! How a region hangs on the rest: what the rest's motion does to it (B_r of eq. 26) and it to the rest (E and F of eq. 28).
//!
//!   B_r = (M + r s D + (r s)^2 K) / m,   E sum + (F - E) y_m = h s K^T sum + (M + h D)^T y_m,   s = h / m
//!
//! with sum = y_1 + ... + y_m. Y = (H^SS)^-1 H^SL has a column for every unknown of the interface, unless the mass is lumped
//! and D = alpha M + beta K: then the region hangs by K alone, B_r = w_r K with w_r = (r s beta + (r s)^2) / m, and
//!
//!   Y = Z K,   Z = (H^SS)^-1 [w_1; ...; w_m]
//!
//! where Z has a column for every unknown of the region next to the rest. Mostly the rest surrounds the region, and these are
//! fewer by a fifth to a half; where they are more, the columns are those of Y.

use super::partition::Link;
use model::Model;
use model::mass::Mass;
use numerics::blocks::BlockMatrix;
use numerics::mat3::{Mat3, mat_t_vec, mat_vec};

/// K, M and D between a node of the region and one of the interface.
#[derive(Clone, Copy, Default)]
struct Coupling {
    mass: Mat3,
    damping: Mat3,
    stiffness: Mat3,
}

pub(super) struct Border {
    /// Nodes of the rest that share an element with the region, in the numbers of the rest, ascending.
    pub interface: Vec<u32>,
    links: Vec<Link>,
    couplings: Vec<Coupling>,
    /// The region's own nodes that links are of, ascending, where columns are those of Z.
    own: Option<Vec<u32>>,
    beta: f64,
    h: f64,
    ratio: usize,
}

impl Border {
    pub fn new(model: &Model, interface: Vec<u32>, links: Vec<Link>, own: Option<Vec<u32>>, ratio: usize) -> Border {
        let couplings = vec![Coupling::default(); links.len()];
        Border { interface, links, couplings, own, beta: model.damping().stiffness, h: 0.0, ratio }
    }

    /// How many columns Y or Z has.
    pub fn columns(&self) -> usize {
        3 * self.own.as_ref().unwrap_or(&self.interface).len()
    }

    /// Whether columns are those of Z.
    pub fn has_own_columns(&self) -> bool {
        self.own.is_some()
    }

    fn small(&self) -> f64 {
        self.h / self.ratio as f64
    }

    /// Takes up the matrices of a large step of length h.
    pub fn prepare(&mut self, model: &Model, stiffness: &BlockMatrix, h: f64) {
        self.h = h;
        let damping = model.damping();
        let of_damping = damping.at_rest.as_ref().unwrap_or(stiffness);
        for (link, coupling) in self.links.iter().zip(&mut self.couplings) {
            coupling.stiffness = link.of(stiffness);
            coupling.mass = match model.mass() {
                Mass::Lumped(_) => Mat3::default(),
                Mass::Consistent(mass) => link.of(mass),
            };
            let of_damping = link.of(of_damping);
            coupling.damping = std::array::from_fn(|r| {
                std::array::from_fn(|c| damping.mass * coupling.mass[r][c] + damping.stiffness * of_damping[r][c])
            });
        }
    }

    /// Adds what pushes the columns from `first` on in small step r: of n rows each, as many as `rhs` has.
    pub fn push_columns(&self, r: usize, first: usize, n: usize, rhs: &mut [f64]) {
        let t = r as f64 * self.small();
        if self.own.is_some() {
            return self.push_units(t * (self.beta + t) / self.ratio as f64, first, n, rhs);
        }
        let columns = first..first + rhs.len() / n;
        for (coupling, link) in self.couplings.iter().zip(&self.links) {
            let block = forward(coupling, t, self.ratio);
            for c in (0..3).filter(|c| columns.contains(&(3 * link.across as usize + c))) {
                let rhs = &mut rhs[(3 * link.across as usize + c - first) * n..];
                (0..3).for_each(|k| rhs[3 * link.node as usize + k] += block[k][c]);
            }
        }
    }

    /// Adds so much to the own unknown of each column from `first` on.
    pub fn push_units(&self, weight: f64, first: usize, n: usize, rhs: &mut [f64]) {
        let Some(own) = &self.own else { return };
        for (column, rhs) in (first..).zip(rhs.chunks_exact_mut(n)) {
            rhs[3 * own[column / 3] as usize + column % 3] += weight;
        }
    }

    /// h s sum + h beta last: what K^T makes the reaction of, where the region hangs by K alone.
    pub fn impulse<'a>(&self, last: &'a [f64], sum: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let (of_sum, of_last) = (self.h * self.small(), self.h * self.beta);
        sum.iter().zip(last).map(move |(sum, last)| of_sum * sum + of_last * last)
    }

    /// As `react`, of what [`Border::impulse`] is at own unknowns.
    pub fn react_to(&self, impulses: &[f64], mut push: impl FnMut(usize, [f64; 3])) {
        let Some(own) = &self.own else { return };
        for (coupling, link) in self.couplings.iter().zip(&self.links) {
            let at = 3 * place(own, link.node);
            let impulse = [impulses[at], impulses[at + 1], impulses[at + 2]];
            push(link.across as usize, mat_t_vec(&coupling.stiffness, impulse));
        }
    }

    /// Calls `push` with each link's three unknowns of the interface and what small steps do to them.
    pub fn react(&self, last: &[f64], sum: &[f64], mut push: impl FnMut(usize, [f64; 3])) {
        for (coupling, link) in self.couplings.iter().zip(&self.links) {
            let at = 3 * link.node as usize;
            let of = |y: &[f64]| [y[at], y[at + 1], y[at + 2]];
            push(link.across as usize, backward(coupling, self.h, self.small(), of(sum), of(last)));
        }
    }

    /// H^LS Y, row-major over the interface, of what each column makes the region do to the interface.
    pub fn taken(&self, reactions: &[f64], taken: &mut [f64]) {
        let (n, columns) = (3 * self.interface.len(), self.columns());
        let Some(own) = &self.own else { return taken.copy_from_slice(reactions) };
        taken.fill(0.0);
        for (coupling, link) in self.couplings.iter().zip(&self.links) {
            let (from, to) = (3 * place(own, link.node), 3 * link.across as usize);
            for (row, taken) in reactions.chunks_exact(columns).zip(taken.chunks_exact_mut(n)) {
                let part = mat_t_vec(&coupling.stiffness, [row[from], row[from + 1], row[from + 2]]);
                (0..3).for_each(|c| taken[to + c] += part[c]);
            }
        }
    }

    /// How much of each column the interface's change of velocity `across` makes.
    pub fn weigh(&self, across: &[f64], weights: &mut [f64]) {
        let Some(own) = &self.own else { return weights.copy_from_slice(across) };
        weights.fill(0.0);
        for (coupling, link) in self.couplings.iter().zip(&self.links) {
            let force = mat_vec(&coupling.stiffness, of_link(across, link));
            let to = 3 * place(own, link.node);
            (0..3).for_each(|c| weights[to + c] += force[c]);
        }
    }

    /// -B_r times the interface's change of velocity: start + r slope + r^2 curve.
    pub fn push(&self, across: &[f64], [start, slope, curve]: [&mut [f64]; 3]) {
        let (s, share) = (self.small(), -1.0 / self.ratio as f64);
        for (coupling, link) in self.couplings.iter().zip(&self.links) {
            let dv = of_link(across, link);
            let Coupling { mass, damping, stiffness } = coupling;
            let parts = [mat_vec(mass, dv), mat_vec(damping, dv), mat_vec(stiffness, dv)];
            for c in 0..3 {
                let at = 3 * link.node as usize + c;
                start[at] += share * parts[0][c];
                slope[at] += share * s * parts[1][c];
                curve[at] += share * s * s * parts[2][c];
            }
        }
    }
}

fn place(own: &[u32], node: u32) -> usize {
    own.partition_point(|&a| a < node)
}

fn of_link(across: &[f64], link: &Link) -> [f64; 3] {
    std::array::from_fn(|c| across[3 * link.across as usize + c])
}

/// B_r at t = r s: the rest, a large step of linear velocity on its way, pushes.
fn forward(coupling: &Coupling, t: f64, ratio: usize) -> Mat3 {
    let share = 1.0 / ratio as f64;
    let Coupling { mass, damping, stiffness } = coupling;
    std::array::from_fn(|i| std::array::from_fn(|j| share * (mass[i][j] + t * (damping[i][j] + t * stiffness[i][j]))))
}

/// E sum + (F - E) last, E = h small K^T, F - E = M^T + h D^T.
fn backward(coupling: &Coupling, h: f64, small: f64, sum: [f64; 3], last: [f64; 3]) -> [f64; 3] {
    let elastic = mat_t_vec(&coupling.stiffness, sum);
    let (damped, inert) = (mat_t_vec(&coupling.damping, last), mat_t_vec(&coupling.mass, last));
    std::array::from_fn(|k| h * small * elastic[k] + (inert[k] + h * damped[k]))
}
