//! Elements between regions and the rest, as the rest feels them where coupling conserves momentum.
//!
//! At every small step r = 1..m they act on the rest with the reaction of their force on the region:
//!
//!   s sum_r [K^LL (x_r - x_0) + D^LL V + K^LS (x_r - x_0) + D^LS v_r],   x_r = x_0 + r s V,   V = v_0 + theta dv   on the rest
//!
//! where K and D are those of these elements alone. The mean of r s is mu h, mu = (m + 1) / (2 m). The rest's other
//! elements act at the end of the step, by (h K)(h v_0 + theta h dv) + h D (v_0 + dv). Compared with them a seam
//! changes
//!
//!   the matrix by      theta h^2 (mu - 1) K^LL + h (theta - 1) D^LL,
//!   the right side by  h^2 (1 - mu) (K^LL v_0^L + K^LS v_0^S).
//!
//! The part of y_r of the region is in `border.rs`. Only damping by beta K belongs to elements; alpha M acts at the
//! end, as the mass does.

use super::mean;
use super::outside::Outside;
use super::partition::Subdomain;
use model::Model;
use model::energy::{Configuration, Term};
use numerics::blocks::BlockMatrix;
use numerics::mat3::{Mat3, mat_t_vec, mat_vec};
use std::collections::BTreeSet;

/// A block between two nodes of the rest; the first number is not below the second.
struct Inner {
    /// Node numbers in the rest.
    nodes: [u32; 2],
    /// Index in the matrix of the model, and in that of the rest.
    slots: [u32; 2],
}

/// A block with its row in the rest and its column in a region.
struct Across {
    /// Node number in the rest, and in the model.
    nodes: [u32; 2],
    slot: u32,
    is_transposed: bool,
}

/// Elements between the rest and all regions of one ratio.
pub(super) struct Seam {
    ratio: usize,
    terms: Vec<Box<dyn Term>>,
    /// Its elements that have nodes which are not free.
    held: Vec<Box<dyn Term>>,
    inner: Vec<Inner>,
    across: Vec<Across>,
    /// K of the inner blocks, and the K of D where it is another one.
    stiffness: Vec<Mat3>,
    at_rest: Vec<Mat3>,
    /// Force of nodes that are not free, over the free ones; empty where there are none.
    push: Vec<f64>,
}

impl Seam {
    /// Makes one seam per ratio; none where nothing lies between regions and the rest.
    pub fn all(model: &Model, rest: &Subdomain) -> Vec<Seam> {
        let mut ratios: Vec<usize> = model.regions().iter().map(|region| region.ratio).collect();
        ratios.sort_unstable();
        ratios.dedup();
        ratios.into_iter().map(|ratio| Seam::new(model, rest, ratio)).filter(|seam| !seam.terms.is_empty()).collect()
    }

    fn new(model: &Model, rest: &Subdomain, ratio: usize) -> Seam {
        let free = model.free_nodes();
        let mut is_region = vec![false; model.nodes()];
        for region in model.regions().iter().filter(|region| region.ratio == ratio) {
            region.nodes.iter().for_each(|&i| is_region[i as usize] = true);
        }
        // No element has nodes of two regions: free nodes outside the regions of this ratio are of the rest.
        let is_between = |nodes: &[u32]| {
            let is_rest = |&i: &u32| (i as usize) < free && !is_region[i as usize];
            nodes.iter().any(|&i| is_region[i as usize]) && nodes.iter().any(is_rest)
        };
        let is_held = |nodes: &[u32]| nodes.iter().any(|&i| i as usize >= free);
        let parts = |keep: &dyn Fn(&[u32]) -> bool| -> Vec<Box<dyn Term>> {
            let mut parts: Vec<_> = model.terms().iter().map(|term| term.part(keep)).collect();
            parts.retain(|part| part.count() > 0);
            parts.iter_mut().for_each(|part| part.freeze(model.pattern()));
            parts
        };
        let terms = parts(&is_between);
        let held = if model.is_scripted() { parts(&|nodes| is_between(nodes) && is_held(nodes)) } else { Vec::new() };
        let elements = terms.iter().flat_map(|term| (0..term.count()).map(|e| term.nodes(e)));
        let mut pairs = BTreeSet::new();
        for nodes in elements {
            let nodes = || nodes.iter().copied().filter(|&i| (i as usize) < free);
            for i in nodes().filter(|&i| !is_region[i as usize]) {
                pairs.extend(nodes().filter(|&j| is_region[j as usize] || j <= i).map(|j| [i, j]));
            }
        }
        let number = |i: u32| rest.nodes.partition_point(|&k| k < i) as u32;
        let (mut inner, mut across) = (Vec::new(), Vec::new());
        for [i, j] in pairs {
            let Some(slot) = model.pattern().slot(i as usize, j as usize) else { continue };
            if is_region[j as usize] {
                across.push(Across { nodes: [number(i), j], slot: slot as u32, is_transposed: j > i });
            } else if let Some(own) = rest.pattern.slot(number(i) as usize, number(j) as usize) {
                inner.push(Inner { nodes: [number(i), number(j)], slots: [slot as u32, own as u32] });
            }
        }
        let zeros = vec![Mat3::default(); inner.len()];
        let push = vec![0.0; if held.is_empty() { 0 } else { model.dofs() }];
        let mut seam = Seam { ratio, terms, held, inner, across, stiffness: zeros, at_rest: Vec::new(), push };
        if model.damping().at_rest.is_some() {
            let mut whole = BlockMatrix::zeros(model.pattern().clone());
            seam.prepare(model, model.rest().into(), &mut whole);
            seam.at_rest = seam.stiffness.clone();
        }
        seam
    }

    /// Takes the stiffness at x; `whole` is scratch.
    pub fn prepare(&mut self, model: &Model, at: Configuration<'_>, whole: &mut BlockMatrix) {
        whole.clear();
        self.terms.iter().for_each(|term| term.add_stiffness(model.stiffness_kind(), at, whole));
        for (block, inner) in self.stiffness.iter_mut().zip(&self.inner) {
            *block = whole.values[inner.slots[0] as usize];
        }
    }

    /// Adds the change by these elements to the rest's matrix of a step h.
    pub fn change(&self, model: &Model, h: f64, theta: f64, matrix: &mut BlockMatrix) {
        let damping = if self.at_rest.is_empty() { &self.stiffness } else { &self.at_rest };
        let of_stiffness = theta * h * h * (mean(self.ratio) - 1.0);
        let of_damping = h * model.damping().stiffness * (theta - 1.0);
        for ((k, d), inner) in self.stiffness.iter().zip(damping).zip(&self.inner) {
            let block = &mut matrix.values[inner.slots[1] as usize];
            for r in 0..3 {
                (0..3).for_each(|c| block[r][c] += of_stiffness * k[r][c] + of_damping * d[r][c]);
            }
        }
    }

    /// Adds the change by these elements to the rest's right-hand side; v is of all free nodes.
    pub fn push(&self, h: f64, rest: &Subdomain, stiffness: &BlockMatrix, v: &[f64], rhs: &mut [f64]) {
        let weight = h * h * (1.0 - mean(self.ratio));
        let at = |i: u32| -> [f64; 3] { std::array::from_fn(|c| weight * v[3 * i as usize + c]) };
        let mut put = |i: u32, force: [f64; 3]| (0..3).for_each(|c| rhs[3 * i as usize + c] += force[c]);
        for (k, Inner { nodes: [i, j], .. }) in self.stiffness.iter().zip(&self.inner) {
            put(*i, mat_vec(k, at(rest.nodes[*j as usize])));
            if i != j {
                put(*j, mat_t_vec(k, at(rest.nodes[*i as usize])));
            }
        }
        for Across { nodes: [i, j], slot, is_transposed } in &self.across {
            let k = &stiffness.values[*slot as usize];
            put(*i, if *is_transposed { mat_t_vec(k, at(*j)) } else { mat_vec(k, at(*j)) });
        }
    }

    /// Adds to the rest's right-hand side the effect of scripted nodes through these elements, at small steps, not at
    /// the end. The step begins at t and takes h [s].
    pub fn push_from_outside(
        &mut self,
        model: &Model,
        [t, h]: [f64; 2],
        at: Configuration<'_>,
        outside: &mut Outside,
        rest: &Subdomain,
        rhs: &mut [f64],
    ) {
        if self.held.is_empty() {
            return;
        }
        self.push.fill(0.0);
        let (end, small) = (t + h, h / self.ratio as f64);
        outside.add_through(model, &self.held, at, end, -h, &mut self.push);
        for r in 1..=self.ratio {
            let t = if r == self.ratio { end } else { t + r as f64 * small };
            outside.add_through(model, &self.held, at, t, small, &mut self.push);
        }
        rest.for_each(|a, i| rhs[a] += self.push[i]);
    }
}
