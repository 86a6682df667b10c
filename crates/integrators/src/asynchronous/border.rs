//! Border between a region and the rest: the push by the rest's motion, B_r dv in small step r, and the reaction on the
//! rest.
//!
//! In the paper (eqs. 26 and 28), with s = h / m, sum = y_1 + ... + y_m and D' the part of D by the stiffness:
//!
//!   B_r = (M + r s D + (r s)^2 K) / m,   h s K^T sum + h D'^T y_m + (1 + alpha h) M^T y_m   to the rest
//!
//! and where coupling conserves momentum, L moving along V = v_0 + theta dv and feeling every small step:
//!
//!   B_r = M / m + theta s (D + r s K),   s^2 K^T twice + s D'^T sum + (1 + alpha h) M^T y_m   to the rest
//!
//! with twice = y_1 + (y_1 + y_2) + ... + sum, the sum of all displacements over s.
//!
//! Y = (H^SS)^-1 H^SL has one column per unknown of the interface. If the mass is lumped and D = alpha M + beta K, the
//! region is coupled by K alone, B_r = w_r K, and
//!
//!   Y = Z K,   Z = (H^SS)^-1 [w_1; ...; w_m]
//!
//! where Z has one column per unknown of the region next to the rest. Mostly the rest surrounds the region, and these
//! are a fifth to a half fewer; where they are more, the columns of Y are used.

use super::Rule;
use super::partition::Link;
use super::substeps::Results;
use model::Model;
use model::mass::Mass;
use numerics::blocks::BlockMatrix;
use numerics::mat3::{Mat3, mat_add, mat_scale, mat_t_vec, mat_vec};

/// K, M and the beta K part of D between a node of the region and one of the interface.
#[derive(Clone, Copy, Default)]
struct Block {
    mass: Mat3,
    damping: Mat3,
    stiffness: Mat3,
}

/// Weights with which y_m, sum and twice act on the rest.
#[derive(Clone, Copy)]
struct Weights {
    last: f64,
    sum: f64,
    twice: f64,
}

pub(super) struct Border {
    /// Nodes of the rest that share an element with the region, in the numbers of the rest, ascending.
    pub interface: Vec<u32>,
    links: Vec<Link>,
    blocks: Vec<Block>,
    /// Nodes of the region that have links, ascending, where the columns are those of Z.
    own: Option<Vec<u32>>,
    alpha: f64,
    beta: f64,
    h: f64,
    ratio: usize,
    rule: Rule,
}

impl Border {
    /// Makes the border of a cut; `own` has its own nodes where the columns are those of Z.
    pub fn new(
        model: &Model,
        interface: Vec<u32>,
        links: Vec<Link>,
        own: Option<Vec<u32>>,
        ratio: usize,
        rule: Rule,
    ) -> Border {
        let blocks = vec![Block::default(); links.len()];
        let (alpha, beta) = (model.damping().mass, model.damping().stiffness);
        Border { interface, links, blocks, own, alpha, beta, h: 0.0, ratio, rule }
    }

    /// Returns the region's nodes whose displacements at all small steps act on the rest, ascending.
    pub fn near(&self) -> Vec<u32> {
        let mut near: Vec<u32> = match self.rule {
            Rule::Paper => Vec::new(),
            Rule::Conserving { .. } => self.links.iter().map(|link| link.node).collect(),
        };
        near.sort_unstable();
        near.dedup();
        near
    }

    /// Counts the columns of Y or Z.
    pub fn columns(&self) -> usize {
        3 * self.own.as_ref().unwrap_or(&self.interface).len()
    }

    /// Returns true if the columns are those of Z.
    pub fn has_own_columns(&self) -> bool {
        self.own.is_some()
    }

    fn small(&self) -> f64 {
        self.h / self.ratio as f64
    }

    /// Takes the matrices of a large step of length h.
    pub fn prepare(&mut self, model: &Model, stiffness: &BlockMatrix, h: f64) {
        self.h = h;
        let damping = model.damping();
        let of_damping = damping.at_rest.as_ref().unwrap_or(stiffness);
        for (link, block) in self.links.iter().zip(&mut self.blocks) {
            block.stiffness = link.of(stiffness);
            block.mass = match model.mass() {
                Mass::Lumped(_) => Mat3::default(),
                Mass::Consistent(mass) => link.of(mass),
            };
            block.damping = mat_scale(damping.stiffness, &link.of(of_damping));
        }
    }

    /// Adds the push on the columns from `first` on in small step r; each has n rows, and `rhs` holds whole columns.
    pub fn push_columns(&self, r: usize, first: usize, n: usize, rhs: &mut [f64]) {
        let t = r as f64 * self.small();
        if self.own.is_some() {
            let [_, of_damping, of_stiffness] = self.forward(t);
            return self.push_units(self.beta * of_damping + of_stiffness, first, n, rhs);
        }
        let columns = first..first + rhs.len() / n;
        let [m, d, k] = self.forward(t);
        for (Block { mass, damping, stiffness }, link) in self.blocks.iter().zip(&self.links) {
            let block = mat_add(&mat_scale(m, mass), &mat_add(&mat_scale(d, damping), &mat_scale(k, stiffness)));
            for c in (0..3).filter(|c| columns.contains(&(3 * link.across as usize + c))) {
                let rhs = &mut rhs[(3 * link.across as usize + c - first) * n..];
                (0..3).for_each(|k| rhs[3 * link.node as usize + k] += block[k][c]);
            }
        }
    }

    /// Adds `weight` to the own unknown of each column from `first` on.
    pub fn push_units(&self, weight: f64, first: usize, n: usize, rhs: &mut [f64]) {
        let Some(own) = &self.own else { return };
        for (column, rhs) in (first..).zip(rhs.chunks_exact_mut(n)) {
            rhs[3 * own[column / 3] as usize + column % 3] += weight;
        }
    }

    /// Returns the coefficients of M, beta K and K in B_r at t = r s.
    fn forward(&self, t: f64) -> [f64; 3] {
        let share = 1.0 / self.ratio as f64;
        match self.rule {
            Rule::Paper => [share * (1.0 + self.alpha * t), share * t, share * t * t],
            Rule::Conserving { theta } => {
                let weight = theta * self.small();
                [share + self.alpha * weight, weight, weight * t]
            }
        }
    }

    /// Returns the weights of the reaction through K and through beta K.
    fn backward(&self) -> [Weights; 2] {
        let (h, s) = (self.h, self.small());
        let none = Weights { last: 0.0, sum: 0.0, twice: 0.0 };
        match self.rule {
            Rule::Paper => [Weights { sum: h * s, ..none }, Weights { last: h, ..none }],
            Rule::Conserving { .. } => [Weights { twice: s * s, ..none }, Weights { sum: s, ..none }],
        }
    }

    /// Returns the vector that K^T turns into the reaction, where the region is coupled by K alone.
    pub fn impulse<'a>(&self, Results { last, sum, twice }: Results<'a>) -> impl Iterator<Item = f64> + 'a {
        let [of_stiffness, of_damping] = self.backward();
        let weight = |part: fn(&Weights) -> f64| part(&of_stiffness) + self.beta * part(&of_damping);
        let (a, b, c) = (weight(|w| w.last), weight(|w| w.sum), weight(|w| w.twice));
        let parts = last.iter().zip(sum).zip(twice);
        parts.map(move |((last, sum), twice)| a * last + b * sum + c * twice)
    }

    /// As `react`, from the values of [`Border::impulse`] at the region's own unknowns.
    pub fn react_to(&self, impulses: &[f64], mut push: impl FnMut(usize, [f64; 3])) {
        let Some(own) = &self.own else { return };
        for (block, link) in self.blocks.iter().zip(&self.links) {
            let at = 3 * index(own, link.node);
            let impulse = [impulses[at], impulses[at + 1], impulses[at + 2]];
            push(link.across as usize, mat_t_vec(&block.stiffness, impulse));
        }
    }

    /// Calls `push` with the interface node of each link and the reaction of the small steps on it.
    pub fn react(&self, Results { last, sum, twice }: Results, mut push: impl FnMut(usize, [f64; 3])) {
        let [of_stiffness, of_damping] = self.backward();
        let of_mass = 1.0 + self.alpha * self.h;
        for (Block { mass, damping, stiffness }, link) in self.blocks.iter().zip(&self.links) {
            let at = 3 * link.node as usize;
            let of = |w: Weights| {
                std::array::from_fn(|c| w.last * last[at + c] + w.sum * sum[at + c] + w.twice * twice[at + c])
            };
            let inert = std::array::from_fn(|c| of_mass * last[at + c]);
            let [k, d, m] =
                [mat_t_vec(stiffness, of(of_stiffness)), mat_t_vec(damping, of(of_damping)), mat_t_vec(mass, inert)];
            push(link.across as usize, std::array::from_fn(|c| k[c] + (m[c] + d[c])));
        }
    }

    /// Computes H^LS Y, row-major over the interface, from the reactions of all columns.
    pub fn taken(&self, reactions: &[f64], taken: &mut [f64]) {
        let (n, columns) = (3 * self.interface.len(), self.columns());
        let Some(own) = &self.own else { return taken.copy_from_slice(reactions) };
        taken.fill(0.0);
        for (block, link) in self.blocks.iter().zip(&self.links) {
            let (from, to) = (3 * index(own, link.node), 3 * link.across as usize);
            for (row, taken) in reactions.chunks_exact(columns).zip(taken.chunks_exact_mut(n)) {
                let part = mat_t_vec(&block.stiffness, [row[from], row[from + 1], row[from + 2]]);
                (0..3).for_each(|c| taken[to + c] += part[c]);
            }
        }
    }

    /// Computes the weight of each column for the interface's change of velocity `across`.
    pub fn weigh(&self, across: &[f64], weights: &mut [f64]) {
        let Some(own) = &self.own else { return weights.copy_from_slice(across) };
        weights.fill(0.0);
        for (block, link) in self.blocks.iter().zip(&self.links) {
            let force = mat_vec(&block.stiffness, of_link(across, link));
            let to = 3 * index(own, link.node);
            (0..3).for_each(|c| weights[to + c] += force[c]);
        }
    }

    /// Adds -B_r times the interface's change of velocity, as start + r slope + r^2 curve.
    pub fn push(&self, across: &[f64], [start, slope, curve]: [&mut [f64]; 3]) {
        let (s, share) = (self.small(), 1.0 / self.ratio as f64);
        for (Block { mass, damping, stiffness }, link) in self.blocks.iter().zip(&self.links) {
            let dv = of_link(across, link);
            let [m, d, k] = [mat_vec(mass, dv), mat_vec(damping, dv), mat_vec(stiffness, dv)];
            for c in 0..3 {
                let (at, d) = (3 * link.node as usize + c, self.alpha * m[c] + d[c]);
                match self.rule {
                    Rule::Paper => {
                        start[at] -= share * m[c];
                        slope[at] -= share * s * d;
                        curve[at] -= share * s * s * k[c];
                    }
                    Rule::Conserving { theta } => {
                        start[at] -= share * m[c] + theta * s * d;
                        slope[at] -= theta * s * s * k[c];
                    }
                }
            }
        }
    }
}

fn index(own: &[u32], node: u32) -> usize {
    own.partition_point(|&a| a < node)
}

fn of_link(across: &[f64], link: &Link) -> [f64; 3] {
    std::array::from_fn(|c| across[3 * link.across as usize + c])
}
