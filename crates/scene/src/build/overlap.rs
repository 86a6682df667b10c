//! Bodies that begin inside each other.

use super::Ground;
use collision::{Bounds, Tree};
use model::mesh::tet_volume;
use numerics::mat3::{Vec3, norm, sub};

/// Distance from the surface that counts as inside, relative to the size of a body.
const NUDGE: f64 = 1e-6;

impl Ground {
    /// Finds nodes of deformable bodies that begin inside tets of another body. Returns the body they belong to, the
    /// body they are in, and their number. Contact keeps surfaces on the side where they begin, so such bodies stay
    /// stuck in each other.
    pub fn intrusions(&self) -> Vec<(&str, &str, usize)> {
        let is_rigid =
            |node: usize| self.model.rigids().iter().any(|rigid| rigid.node as usize == self.model.number(node));
        self.begun_inside(&|node| !self.is_fluid(node) && !is_rigid(node))
    }

    /// Finds particles that begin inside tets. Returns their fluid, the body they are in, and their number.
    pub(super) fn floods(&self) -> Vec<(&str, &str, usize)> {
        if self.model.fluids().is_empty() { Vec::new() } else { self.begun_inside(&|node| self.is_fluid(node)) }
    }

    /// Returns whether a node of the mesh is the first of a fluid.
    fn is_fluid(&self, node: usize) -> bool {
        let i = self.model.number(node) as u32;
        self.model.fluids().iter().any(|fluid| fluid.nodes.first() == Some(&i))
    }

    /// Finds nodes that begin inside tets of another body; `is_meant` chooses bodies by their first node.
    fn begun_inside(&self, is_meant: &dyn Fn(usize) -> bool) -> Vec<(&str, &str, usize)> {
        let Ground { model, start: state, mesh, bodies, .. } = self;
        let position = |node: usize| -> Vec3 {
            let i = 3 * model.number(node);
            [state.x[i], state.x[i + 1], state.x[i + 2]]
        };
        let mut found = Vec::new();
        for solid in bodies.iter().filter(|body| !body.tets.is_empty()) {
            let corners: Vec<[Vec3; 4]> =
                mesh.tets[solid.tets.clone()].iter().map(|tet| tet.map(|i| position(i as usize))).collect();
            let boxes: Vec<Bounds> = corners.iter().map(|tet| Bounds::around(*tet)).collect();
            let tree = Tree::new(&boxes);
            let holds = |point: Vec3| {
                let mut is_in = false;
                tree.visit(&Bounds::around([point]), |e| is_in |= contains(&corners[e as usize], point));
                is_in
            };
            // A node that merely touches the surface is not inside: it can leave at once.
            let all = tree.bounds();
            let nudge = NUDGE * norm(sub(all.high, all.low));
            let is_inside = |point: Vec3| {
                let nudged = |k: usize, by: f64| std::array::from_fn(|c| point[c] + if c == k { by } else { 0.0 });
                holds(point) && (0..3).all(|k| holds(nudged(k, nudge)) && holds(nudged(k, -nudge)))
            };
            let others = bodies.iter().filter(|body| body.name != solid.name && !body.nodes.is_empty());
            for other in others.filter(|body| is_meant(body.nodes.start)) {
                let count = other.nodes.clone().filter(|&node| is_inside(position(node))).count();
                if count > 0 {
                    found.push((other.name.as_str(), solid.name.as_str(), count));
                }
            }
        }
        found
    }
}

/// Returns whether a point is inside a tet or on its surface.
fn contains(tet: &[Vec3; 4], point: Vec3) -> bool {
    let volume = tet_volume(tet);
    (0..4).all(|k| {
        let mut part = *tet;
        part[k] = point;
        tet_volume(&part) / volume > -1e-9
    })
}
