//! Fluids as particles with density constraints (Macklin, Mueller 2013, in small steps: Macklin et al. 2019, section
//! 6.4).
//!
//! Each step sorts the particles and lists neighbours; each substep makes Jacobi passes over the densities of the
//! predicted particles and then applies viscosity and vorticity to velocities. A particle moves at most `cfl` radii per
//! substep, which keeps particles from crossing each other. Where this limit acts, momentum is lost.
//!
//! All loops run over copies in sorted order, so that neighbours in space are neighbours in memory. Cost of a pass: the
//! lists are read twice, about 60 numbers of 4 bytes per particle each time.

mod boundary;
mod coupling;
mod density;
mod grid;
mod kernel;
mod lanes;
mod neighbours;
mod pass;
mod solids;
mod viscosity;

use super::constraints::{Ahead, Constraints, Substep};
use crate::stepper::{StepError, StepReport};
use boundary::Boundary;
use density::{Kind, NOWHERE};
use kernel::Kernel;
use model::energy::{Bodies, Quad, Shared};
use model::{Fluid, Liquid, Model};
use neighbours::{CHUNK, Neighbours};
use numerics::mat3::{Vec3, add, norm, scale, sub};
use rayon::prelude::*;
use solids::{Reaction, Solids};

/// Distance beyond the kernel's support to which neighbours are listed, in spacings. Lists are cheap to make, so they
/// may be short and made often; below sqrt(5) - 2 they hold 32 on a lattice, above 56.
const MARGIN: f64 = 0.22;

/// Fluids of a model, with their data from step to step.
pub(super) struct Fluids {
    kernel: Kernel,
    spacing: f64,
    liquids: Vec<Liquid>,
    boundaries: Vec<Boundary>,
    solids: Solids,
    /// Reaction on rigid bodies for each chunk of particles.
    reactions: Vec<Reaction>,
    compliance: Vec<f64>,
    /// Nodes of particles, then those of bodies they meet.
    nodes: Vec<u32>,
    /// A single one where all are alike.
    kind_of: Vec<Kind>,
    fluid_of: Vec<u8>,
    /// Indices in `nodes` of those that cannot move.
    held: Vec<u32>,
    /// True if all particles have one mass and there are no other nodes: passes are then cheaper.
    alike: bool,
    neighbours: Neighbours,
    points: Vec<Vec3>,
    /// Places and rows of the lists before, reused as scratch.
    spare: (Vec<u32>, Vec<Quad>),
    // In sorted order:
    rows: Vec<Quad>,
    next: Vec<Quad>,
    velocity: [Vec<Quad>; 2],
    kinds: Vec<Kind>,
    fluid: Vec<u8>,
    total: Vec<f64>,
    /// Change of the multiplier, and C.
    change: Vec<[f64; 2]>,
    /// Time left of the step [s].
    left: f64,
    substeps: usize,
    /// Number of times the lists were made.
    listed: u64,
}

impl Fluids {
    /// Makes the fluids of a model with `substeps` substeps per step, and all nodes of other bodies to meet; `None`
    /// without.
    pub fn of(model: &Model, substeps: usize, bodies: &Bodies) -> Option<Fluids> {
        let fluids = model.fluids();
        let kernel = Kernel::new(fluids.first()?.liquid.spacing);
        let coupled = coupling::volumes(model, &kernel);
        let mut made = Fluids::new(fluids, &coupled, substeps, |node| bodies.inverse_mass(node as usize));
        let rigids = made.solids.add_rigids(model);
        made.boundaries.iter_mut().for_each(|boundary| boundary.meet(&rigids));
        Some(made)
    }

    /// Makes fluids whose particles are nodes with an inverse mass [1/kg]. Coupled nodes belong to other bodies and
    /// displace a volume [m^3].
    fn new(fluids: &[Fluid], coupled: &[(u32, f64)], substeps: usize, inverse_mass: impl Fn(u32) -> f64) -> Fluids {
        let spacing = fluids.first().map_or(1.0, |fluid| fluid.liquid.spacing);
        let kernel = Kernel::new(spacing);
        let none = fluids.len() as u8;
        let (solids, own) = Solids::of(fluids, &kernel);
        let mut made = Fluids {
            kernel,
            spacing,
            liquids: fluids.iter().map(|fluid| fluid.liquid).collect(),
            boundaries: fluids.iter().zip(own).map(|(fluid, own)| Boundary::new(fluid, own, &kernel)).collect(),
            solids,
            reactions: Vec::new(),
            compliance: vec![0.0; fluids.len()],
            nodes: Vec::new(),
            kind_of: Vec::new(),
            fluid_of: Vec::new(),
            held: Vec::new(),
            alike: coupled.is_empty(),
            neighbours: Neighbours::default(),
            points: Vec::new(),
            spare: Default::default(),
            rows: Vec::new(),
            next: Vec::new(),
            velocity: Default::default(),
            kinds: Vec::new(),
            fluid: Vec::new(),
            total: Vec::new(),
            change: Vec::new(),
            left: 0.0,
            substeps,
            listed: 0,
        };
        let particles = fluids.iter().enumerate().flat_map(|(f, fluid)| {
            let Liquid { spacing, viscosity, .. } = fluid.liquid;
            fluid.nodes.iter().map(move |&node| (node, spacing.powi(3), viscosity, f as u8))
        });
        for (node, volume, viscosity, fluid) in particles.chain(coupled.iter().map(|&(node, v)| (node, v, 0.0, none))) {
            let inverse = inverse_mass(node);
            made.nodes.push(node);
            made.kind_of.push(Quad([volume, inverse, volume * volume * inverse, viscosity]));
            made.fluid_of.push(fluid);
        }
        made.held = (0..made.nodes.len() as u32).filter(|&p| made.kind_of[p as usize].0[1] == 0.0).collect();
        made.alike &= made.kind_of.windows(2).all(|pair| pair[0] == pair[1]);
        if made.alike {
            made.kind_of.truncate(1);
            made.kind_of.shrink_to_fit();
        }
        made
    }

    /// Returns the data of particle `p`.
    #[inline(always)]
    fn kind(&self, p: usize) -> &Kind {
        &self.kind_of[if self.alike { 0 } else { p }]
    }

    /// Returns the mean compression of the particles before the last pass.
    fn compression(&self) -> f64 {
        let particles = self.fluid_of.iter().filter(|&&fluid| usize::from(fluid) < self.liquids.len()).count();
        self.change.iter().map(|change| change[1].max(0.0)).sum::<f64>() / particles.max(1) as f64
    }

    /// Sorts particles and lists neighbours around their positions predicted for the middle of the lists' use.
    fn list(&mut self, at: impl Fn(usize) -> Vec3 + Sync, velocity: impl Fn(usize) -> Vec3 + Sync) {
        let n = self.fluid_of.len();
        let margin = MARGIN * self.spacing;
        let all = || (0..n).into_par_iter().with_min_len(CHUNK);
        let whole = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        let (low, high) = all().map(|p| (velocity(p), velocity(p))).reduce(
            || whole,
            |a, b| (std::array::from_fn(|c| a.0[c].min(b.0[c])), std::array::from_fn(|c| a.1[c].max(b.1[c]))),
        );
        let middle = scale(0.5, add(low, high));
        let fastest = all().map(|p| norm(sub(velocity(p), middle))).reduce(|| 0.0, f64::max);
        // Half of the margin is used up at the beginning already, so the lists last twice as long.
        let ahead = if fastest > 0.0 { (0.5 * self.left).min(0.45 * margin / fastest) } else { 0.0 };
        self.points.resize(n, [0.0; 3]);
        let points = self.points.par_iter_mut().enumerate().with_min_len(CHUNK);
        points.for_each(|(p, point)| *point = add(at(p), scale(ahead, sub(velocity(p), middle))));
        self.neighbours.make(&self.points, self.kernel.support + margin);
        self.listed += 1;

        let sorted = |to: &mut Vec<Quad>, end: Quad| {
            to.resize(n + 1, end);
            to[n] = end;
        };
        sorted(&mut self.rows, NOWHERE);
        sorted(&mut self.next, NOWHERE);
        if self.alike {
            self.kinds.clone_from(&self.kind_of);
        } else {
            sorted(&mut self.kinds, Quad::default());
        }
        self.fluid.resize(n, 0);
        self.total.resize(n, 0.0);
        self.change.resize(n, [0.0; 2]);
        let order = self.neighbours.order();
        let fluid = self.fluid.par_iter_mut().zip(order).with_min_len(CHUNK);
        fluid.for_each(|(fluid, &p)| *fluid = self.fluid_of[p as usize]);
        if !self.alike {
            let kinds = self.kinds[..n].par_iter_mut().zip(order).with_min_len(CHUNK);
            kinds.for_each(|(kind, &p)| *kind = self.kind_of[p as usize]);
        }
    }

    /// Returns the allowed position of a particle that came from `before`: within the bound, clear of bodies as `part`
    /// says, and clear of the walls.
    #[inline(always)]
    fn allowed(&self, fluid: u8, x: Vec3, before: Vec3, part: impl FnOnce(Vec3, &Boundary) -> Vec3) -> Vec3 {
        let Some(boundary) = self.boundaries.get(usize::from(fluid)) else { return x };
        let bound = 0.5 * self.liquids[usize::from(fluid)].cfl * self.spacing;
        let way = sub(x, before);
        let length = norm(way);
        let bounded = if length > bound { add(before, scale(bound / length, way)) } else { x };
        boundary.project(part(bounded, boundary), before, &self.solids)
    }

    /// Copies positions into sorted order, each particle at its allowed position.
    fn load(&mut self, bodies: &Bodies) {
        let mut rows = std::mem::take(&mut self.rows);
        let order = self.neighbours.order();
        rows[..order.len()].par_iter_mut().zip(order).with_min_len(CHUNK).for_each(|(row, &p)| {
            let node = self.nodes[p as usize] as usize;
            let (at, start) = (bodies.position(node), vector(&bodies.start[node]));
            let [x, y, z] = self.allowed(self.fluid_of[p as usize], at, start, |x, _| x);
            *row = Quad([x, y, z, 0.0]);
        });
        self.rows = rows;
    }

    /// Moves the movable nodes to the positions of their particles.
    fn store(&self, bodies: &mut Bodies) {
        let Bodies { start, shift, pushes, is_recorded, .. } = bodies;
        let (shift, pushes) = (Shared::new(shift), Shared::new(pushes));
        self.movable().for_each(|(p, node)| {
            let position = vector(&self.rows[self.neighbours.slot[p] as usize]);
            let moved = sub(position, vector(&start[node]));
            // SAFETY: no node is of two particles.
            let (shift, push) = unsafe { (shift.at(node), pushes.at(node)) };
            if *is_recorded {
                let mass = 1.0 / self.kind(p).0[1];
                (0..3).for_each(|c| push.0[c] += mass * (moved[c] - shift.0[c]));
            }
            shift.0[..3].copy_from_slice(&moved);
        });
    }

    /// Returns the particles that can move, with their nodes.
    fn movable(&self) -> impl ParallelIterator<Item = (usize, usize)> {
        let all = self.nodes.par_iter().enumerate().with_min_len(CHUNK);
        all.filter(|(p, _)| self.kind(*p).0[1] > 0.0).map(|(p, &node)| (p, node as usize))
    }
}

impl Constraints for Fluids {
    /// Lists neighbours around the predicted positions. The lists depend on nothing earlier, so a restarted run
    /// continues bit-for-bit identical.
    fn begin_step(&mut self, model: &Model, bodies: &Bodies, ahead: &Ahead) -> Result<(), StepError> {
        let h = ahead.h;
        self.left = h;
        let nodes = std::mem::take(&mut self.nodes);
        let rate = self.substeps as f64 / h;
        self.list(|p| vector(&bodies.start[nodes[p] as usize]), |p| scale(rate, bodies.shift(nodes[p] as usize)));
        self.nodes = nodes;
        self.solids.place(bodies, ahead.t, 0.0);
        self.solids.count(&self.points);
        match self.neighbours.crowded() {
            Some(particle) => {
                let node = model.origin(self.nodes[particle as usize] as usize);
                Err(StepError::Crowded { node, most: neighbours::MOST })
            }
            None => Ok(()),
        }
    }

    fn solve(&mut self, bodies: &mut Bodies, substep: &Substep) {
        let dt = substep.dt;
        self.solids.place(bodies, substep.t, dt);
        self.load(bodies);
        if substep.pass == 0 {
            self.total.fill(0.0);
            self.left -= dt;
            if self.neighbours.approach(&self.rows, vector) > MARGIN * self.spacing {
                let (slots, rows) = std::mem::take(&mut self.spare);
                let slot = std::mem::replace(&mut self.neighbours.slot, slots);
                let rows = std::mem::replace(&mut self.rows, rows);
                let nodes = std::mem::take(&mut self.nodes);
                self.list(
                    |p| vector(&rows[slot[p] as usize]),
                    |p| scale(1.0 / dt, sub(vector(&rows[slot[p] as usize]), vector(&bodies.start[nodes[p] as usize]))),
                );
                self.nodes = nodes;
                self.spare = (slot, rows);
                self.load(bodies);
            }
        }
        let alpha = |liquid: &Liquid| 1.0 / (liquid.bulk_modulus * liquid.spacing.powi(3) * dt * dt);
        self.compliance.iter_mut().zip(&self.liquids).for_each(|(to, liquid)| *to = alpha(liquid));
        if self.alike {
            self.pass::<true>(bodies)
        } else {
            self.pass::<false>(bodies)
        }
        self.store(bodies);
    }

    fn end_substep(&mut self, bodies: &mut Bodies, dt: f64) {
        let viscous = self.liquids.iter().any(|liquid| liquid.viscosity > 0.0);
        let swirling = self.liquids.iter().any(|liquid| liquid.vorticity > 0.0);
        if !viscous && !swirling {
            return;
        }
        let n = self.nodes.len();
        let [mut old, mut new] = std::mem::take(&mut self.velocity);
        old.resize(n + 1, Quad::default());
        new.resize(n + 1, Quad::default());
        // All of this is linear in velocities, so shifts, which are dt times as large, serve as well.
        let load = |p: u32| {
            let [x, y, z] = bodies.shift(self.nodes[p as usize] as usize);
            Quad([x, y, z, 0.0])
        };
        old[..n].par_iter_mut().zip(self.neighbours.order()).with_min_len(CHUNK).for_each(|(row, &p)| *row = load(p));
        let sorted = self.sorted();
        if viscous {
            if self.alike {
                sorted.diffuse::<true>(&self.neighbours.chunks, &old, dt, &mut new[..n]);
            } else {
                sorted.diffuse::<false>(&self.neighbours.chunks, &old, dt, &mut new[..n]);
            }
            std::mem::swap(&mut old, &mut new);
        }
        if swirling {
            sorted.vorticity(&self.neighbours.chunks, &old, &mut new[..n]);
            sorted.confine(&self.neighbours.chunks, &new, &self.liquids, dt, &mut old[..n]);
        }
        let shift = Shared::new(&mut bodies.shift);
        self.movable().for_each(|(p, node)| {
            let velocity = vector(&old[self.neighbours.slot[p] as usize]);
            // SAFETY: no node is of two particles.
            unsafe { shift.at(node) }.0[..3].copy_from_slice(&velocity);
        });
        self.velocity = [old, new];
    }

    fn report(&self, report: &mut StepReport) {
        report.compression = self.compression();
    }
}

#[inline(always)]
fn vector(quad: &Quad) -> Vec3 {
    [quad.0[0], quad.0[1], quad.0[2]]
}

#[cfg(test)]
mod tests;
