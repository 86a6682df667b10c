//! Free fall: bodies that nothing holds fall as a whole, and their parts move relative to that.
//!
//! Under uniform acceleration a region moves r (r + 1) / 2 times as far in r small steps as in the first one. The rest
//! moves along a straight line within a large step, r times as far. So the border would be strained although only
//! gravity acts. Steps of a free body are the sum of a uniform motion, which strains no element, and of the motion
//! relative to it. So the mean push on the body,
//!
//!   p = sum f / sum M,   a = p / (1 + alpha h)   [m/s^2]
//!
//! moves all of it by theta h^2 a and h a, and regions and the rest are pushed by f - M p. Gravity cancels, whatever
//! their ratios. A body touched by a penalty is not free in that step.

use super::Rule;
use super::partition::connected;
use model::Model;
use model::mass::Mass;
use numerics::mat3::Vec3;

/// Mark in the node map: not part of such a body.
const NONE: u32 = u32::MAX;

/// A connected body without fixed or scripted nodes, partly in regions.
struct FreeBody {
    /// Ascending.
    nodes: Vec<u32>,
    mass: f64,
    /// p of the current step [m/s^2].
    push: Vec3,
}

pub(super) struct Fall {
    bodies: Vec<FreeBody>,
    /// Body of each free node; empty where there are no bodies.
    body: Vec<u32>,
    /// p of every free node, where the mass is consistent.
    uniform: Vec<f64>,
    /// 1 / (1 + alpha h), and h [s], of the current step.
    share: f64,
    h: f64,
}

impl Fall {
    /// Makes it for a model; without bodies if the rule is the paper's.
    pub fn new(model: &Model, rule: Rule) -> Fall {
        let free = model.free_nodes();
        let mut is_region = vec![false; free];
        model.regions().iter().flat_map(|region| &region.nodes).for_each(|&i| is_region[i as usize] = true);
        let mut is_held = vec![false; free];
        for term in model.terms() {
            for nodes in
                (0..term.count()).map(|e| term.nodes(e)).filter(|nodes| nodes.iter().any(|&i| i as usize >= free))
            {
                nodes.iter().filter(|&&i| (i as usize) < free).for_each(|&i| is_held[i as usize] = true);
            }
        }
        let has = |nodes: &[u32], what: &[bool]| nodes.iter().any(|&i| what[i as usize]);
        let mut bodies = if model.regions().is_empty() || rule == Rule::Paper {
            Vec::new()
        } else {
            connected(model.pattern(), &vec![true; free])
        };
        bodies.retain(|nodes| {
            let is_all_region = nodes.iter().all(|&i| is_region[i as usize]);
            has(nodes, &is_region) && !is_all_region && !has(nodes, &is_held)
        });
        let mut body = vec![NONE; if bodies.is_empty() { 0 } else { free }];
        for (b, nodes) in bodies.iter().enumerate() {
            nodes.iter().for_each(|&i| body[i as usize] = b as u32);
        }
        let is_consistent = matches!(model.mass(), Mass::Consistent(_)) && !bodies.is_empty();
        let ones = vec![1.0; model.dofs()];
        let mass = |nodes: &[u32]| nodes.iter().map(|&i| model.mass().row_times(i as usize, &ones)[0]).sum();
        let bodies = bodies.into_iter().map(|nodes| FreeBody { mass: mass(&nodes), nodes, push: [0.0; 3] }).collect();
        Fall { bodies, body, uniform: vec![0.0; if is_consistent { model.dofs() } else { 0 }], share: 1.0, h: 0.0 }
    }

    /// Removes from the forces on free nodes at x the part that makes bodies fall.
    pub fn begin(&mut self, model: &Model, x: &[f64], h: f64, force: &mut [f64]) {
        let Fall { bodies, body, uniform, share, h: step } = self;
        if bodies.is_empty() {
            return;
        }
        (*share, *step) = (1.0 / (1.0 + model.damping().mass * h), h);
        for FreeBody { nodes, mass, push } in &mut *bodies {
            *push = [0.0; 3];
            for &i in &*nodes {
                (0..3).for_each(|c| push[c] += force[3 * i as usize + c]);
            }
            push.iter_mut().for_each(|push| *push /= *mass);
        }
        for penalty in model.penalties() {
            let touching = penalty.nodes.iter().filter(|&&(i, _)| {
                body[i as usize] != NONE && {
                    let at = 3 * i as usize;
                    penalty.obstacle.distance([x[at], x[at + 1], x[at + 2]]).0 < 0.0
                }
            });
            touching.for_each(|&(i, _)| bodies[body[i as usize] as usize].push = [0.0; 3]);
        }
        for FreeBody { nodes, push, .. } in &*bodies {
            for at in nodes.iter().map(|&i| 3 * i as usize) {
                match model.mass() {
                    Mass::Lumped(mass) => (0..3).for_each(|c| force[at + c] -= mass[at / 3] * push[c]),
                    Mass::Consistent(_) => uniform[at..at + 3].copy_from_slice(push),
                }
            }
        }
        if let Mass::Consistent(mass) = model.mass() {
            mass.multiply_add(-1.0, uniform, force);
        }
    }

    /// Returns the acceleration of the body of a free node [m/s^2].
    pub fn of(&self, node: u32) -> Vec3 {
        match self.body.get(node as usize) {
            Some(&b) if b != NONE => self.bodies[b as usize].push.map(|p| self.share * p),
            _ => [0.0; 3],
        }
    }

    /// Moves bodies by the fall of the step.
    pub fn end(&self, theta: f64, x: &mut [f64], v: &mut [f64]) {
        for FreeBody { nodes, push, .. } in &self.bodies {
            let change = push.map(|p| self.h * self.share * p);
            for at in nodes.iter().map(|&i| 3 * i as usize) {
                for c in 0..3 {
                    x[at + c] += theta * self.h * change[c];
                    v[at + c] += change[c];
                }
            }
        }
    }
}
