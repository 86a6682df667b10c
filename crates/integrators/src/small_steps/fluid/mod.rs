//! Fluids as particles that keep their density (Macklin, Mueller 2013, in small steps: Macklin et al. 2019, section 6.4).
//!
//! A step sorts the particles and lists neighbours; a substep predicts, makes Jacobi passes over the densities, and
//! lets velocities act on each other. A particle moves at most `cfl` radii in a substep, whatever pushes it: that keeps
//! particles from crossing each other and bounds the motion neighbours are listed for.
//!
//! All loops run over copies in sorted order, so that neighbours in space are neighbours in memory. Cost of a pass:
//! twice over the lists, 58 numbers a particle of 4 bytes each time.

mod boundary;
mod density;
mod grid;
mod kernel;
mod neighbours;
mod viscosity;

use boundary::Boundary;
use density::{Kind, NOWHERE, Row, Sorted};
use kernel::Kernel;
use model::{Fluid, Liquid};
use neighbours::{CHUNK, Neighbours};
use numerics::mat3::{Vec3, add, norm, scale, sub};
use rayon::prelude::*;

/// How much farther than the kernel reaches neighbours are listed, in spacings.
const MARGIN: f64 = 0.4;

/// The fluids of a model and what a step remembers of them.
pub(crate) struct Fluids {
    kernel: Kernel,
    spacing: f64,
    liquids: Vec<Liquid>,
    boundaries: Vec<Boundary>,
    compliance: Vec<f64>,
    /// The nodes of particles, then those of bodies they meet.
    nodes: Vec<u32>,
    kind_of: Vec<Kind>,
    fluid_of: Vec<u8>,
    /// Whether all particles have one mass and there are no others: passes are then cheaper.
    alike: bool,
    neighbours: Neighbours,
    points: Vec<Vec3>,
    // In sorted order:
    rows: Vec<Row>,
    next: Vec<Row>,
    velocity: [Vec<Row>; 2],
    kinds: Vec<Kind>,
    fluid: Vec<u8>,
    total: Vec<f64>,
    /// Change of the multiplier, and C.
    change: Vec<[f64; 2]>,
    /// What is left of the step [s].
    left: f64,
    begun: bool,
    /// How often lists were made since the beginning.
    pub(crate) listed: u64,
}

impl Fluids {
    /// Fluids whose particles are nodes with these inverse masses [1/kg]. Coupled nodes are of other bodies and
    /// displace a volume [m^3].
    pub fn new(fluids: &[Fluid], coupled: &[(u32, f64)], inverse_masses: &[f64]) -> Fluids {
        let spacing = fluids.first().map_or(1.0, |fluid| fluid.liquid.spacing);
        let kernel = Kernel::new(spacing);
        let none = fluids.len() as u8;
        let mut made = Fluids {
            kernel,
            spacing,
            liquids: fluids.iter().map(|fluid| fluid.liquid).collect(),
            boundaries: fluids.iter().map(|fluid| Boundary::new(fluid, &kernel)).collect(),
            compliance: vec![0.0; fluids.len()],
            nodes: Vec::new(),
            kind_of: Vec::new(),
            fluid_of: Vec::new(),
            alike: coupled.is_empty(),
            neighbours: Neighbours::default(),
            points: Vec::new(),
            rows: Vec::new(),
            next: Vec::new(),
            velocity: Default::default(),
            kinds: Vec::new(),
            fluid: Vec::new(),
            total: Vec::new(),
            change: Vec::new(),
            left: 0.0,
            begun: false,
            listed: 0,
        };
        let particles = fluids.iter().enumerate().flat_map(|(f, fluid)| {
            let Liquid { spacing, viscosity, .. } = fluid.liquid;
            fluid.nodes.iter().map(move |&node| (node, spacing.powi(3), viscosity, f as u8))
        });
        for (node, volume, viscosity, fluid) in particles.chain(coupled.iter().map(|&(node, v)| (node, v, 0.0, none))) {
            let inverse = inverse_masses[node as usize];
            made.nodes.push(node);
            made.kind_of.push(Row([volume, inverse, volume * volume * inverse, viscosity]));
            made.fluid_of.push(fluid);
        }
        made.alike &= made.kind_of.windows(2).all(|pair| pair[0] == pair[1]);
        made
    }

    /// Begins a step of length `h` [s]: lists neighbours where particles are about to be. What is listed depends on
    /// nothing that was before, so that a run that is taken up again goes the same way.
    pub fn begin_step(&mut self, x: &[f64], v: &[f64], h: f64) {
        self.left = h;
        let nodes = std::mem::take(&mut self.nodes);
        self.list(|p| vector(x, nodes[p]), |p| vector(v, nodes[p]));
        self.nodes = nodes;
    }

    /// A node whose particle has more neighbours than can be listed.
    pub fn crowded(&self) -> Option<u32> {
        self.neighbours.crowded().map(|particle| self.nodes[particle as usize])
    }

    /// Begins a substep: no particle pushes yet.
    pub fn begin_substep(&mut self) {
        self.total.fill(0.0);
        self.begun = false;
    }

    /// One pass over the densities of a substep of `dt` [s] that began at `before` [m].
    pub fn solve(&mut self, x: &mut [f64], before: &[f64], dt: f64) {
        let nodes = std::mem::take(&mut self.nodes);
        self.load(x, before, &nodes);
        if !std::mem::replace(&mut self.begun, true) {
            self.left -= dt;
            let reach = self.neighbours.approach(&self.rows, Row::vector);
            if reach > MARGIN * self.spacing {
                let way = |p: usize| scale(1.0 / dt, sub(vector(x, nodes[p]), vector(before, nodes[p])));
                let place = std::mem::take(&mut self.neighbours.place);
                let rows = std::mem::take(&mut self.rows);
                self.list(|p| rows[place[p] as usize].vector(), way);
                self.rows = rows;
                self.load(x, before, &nodes);
            }
        }
        let alpha = |liquid: &Liquid| 1.0 / (liquid.bulk_modulus * liquid.spacing.powi(3) * dt * dt);
        self.compliance.iter_mut().zip(&self.liquids).for_each(|(to, liquid)| *to = alpha(liquid));
        if self.alike { self.pass::<true>(before, &nodes) } else { self.pass::<false>(before, &nodes) }
        self.store(x, &nodes);
        self.nodes = nodes;
    }

    /// Lets the velocities at the end of a substep act on each other.
    pub fn end_substep(&mut self, v: &mut [f64], dt: f64) {
        let viscous = self.liquids.iter().any(|liquid| liquid.viscosity > 0.0);
        let swirling = self.liquids.iter().any(|liquid| liquid.vorticity > 0.0);
        if !viscous && !swirling {
            return;
        }
        let n = self.nodes.len();
        let [mut old, mut new] = std::mem::take(&mut self.velocity);
        old.resize(n + 1, Row::default());
        new.resize(n + 1, Row::default());
        let load = |p: u32| {
            let [a, b, c] = vector(v, self.nodes[p as usize]);
            Row([a, b, c, 0.0])
        };
        old[..n].par_iter_mut().zip(self.neighbours.order()).with_min_len(CHUNK).for_each(|(row, &p)| *row = load(p));
        let sorted = self.sorted();
        if viscous {
            sorted.diffuse(&self.neighbours.chunks, &old, dt, &mut new[..n]);
            std::mem::swap(&mut old, &mut new);
        }
        if swirling {
            let strength: Vec<f64> = self.liquids.iter().map(|liquid| liquid.vorticity).collect();
            sorted.vorticity(&self.neighbours.chunks, &old, &mut new[..n]);
            sorted.confine(&self.neighbours.chunks, &new, &strength, dt, &mut old[..n]);
        }
        for (p, &node) in self.nodes.iter().enumerate().filter(|(p, _)| self.kind_of[*p].0[1] > 0.0) {
            v[3 * node as usize..3 * node as usize + 3]
                .copy_from_slice(&old[self.neighbours.place[p] as usize].vector());
        }
        self.velocity = [old, new];
    }

    /// Adds the forces of the last substep, of `dt` [s], to the nodes [N].
    pub fn add_forces(&self, dt: f64, f: &mut [f64]) {
        let rows: Vec<Row> = self.rows.iter().enumerate().map(|(i, row)| {
            let [x, y, z, _] = row.0;
            Row([x, y, z, self.total.get(i).map_or(0.0, |total| total / (dt * dt))])
        }).collect();
        let sorted = Sorted { rows: &rows, ..self.sorted() };
        for (i, &p) in self.neighbours.order().iter().enumerate() {
            let push = sorted.push::<false>(i, self.neighbours.chunks[i / CHUNK].of(i % CHUNK));
            let node = self.nodes[p as usize] as usize;
            (0..3).for_each(|c| f[3 * node + c] += push[c]);
        }
    }

    /// The pressure of every particle at the end of the last substep, of `dt` [s]: node, pressure [Pa].
    pub fn pressures(&self, dt: f64) -> impl Iterator<Item = (u32, f64)> {
        let volume = self.spacing.powi(3);
        self.neighbours.order().iter().zip(&self.total).filter_map(move |(&p, total)| {
            let particle = usize::from(self.fluid_of[p as usize]) < self.liquids.len();
            particle.then(|| (self.nodes[p as usize], -total / (volume * dt * dt)))
        })
    }

    /// How much denser than at rest the fluids are at these positions [m]: mean and largest C, where it is positive.
    pub fn compression(&mut self, x: &[f64]) -> [f64; 2] {
        let nodes = std::mem::take(&mut self.nodes);
        self.left = 0.0;
        self.list(|p| vector(x, nodes[p]), |_| [0.0; 3]);
        self.load(x, x, &nodes);
        self.total.fill(0.0);
        self.measure();
        self.nodes = nodes;
        let particles = self.fluid_of.iter().filter(|&&fluid| usize::from(fluid) < self.liquids.len()).count();
        let positive = |change: &[f64; 2]| change[1].max(0.0);
        let sum: f64 = self.change.iter().map(positive).sum();
        [sum / particles.max(1) as f64, self.change.iter().map(positive).fold(0.0, f64::max)]
    }

    /// Sorts particles and lists neighbours around where they will be in the middle of the time the lists may serve.
    fn list(&mut self, at: impl Fn(usize) -> Vec3 + Sync, velocity: impl Fn(usize) -> Vec3 + Sync) {
        let n = self.kind_of.len();
        let margin = MARGIN * self.spacing;
        let all = || (0..n).into_par_iter().with_min_len(CHUNK);
        let whole = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        let (low, high) = all().map(|p| (velocity(p), velocity(p))).reduce(
            || whole,
            |a, b| (std::array::from_fn(|c| a.0[c].min(b.0[c])), std::array::from_fn(|c| a.1[c].max(b.1[c]))),
        );
        let middle = scale(0.5, add(low, high));
        let fastest = all().map(|p| norm(sub(velocity(p), middle))).reduce(|| 0.0, f64::max);
        // Half of the margin is used up at the beginning already, so that it lasts twice as long.
        let ahead = if fastest > 0.0 { (0.5 * self.left).min(0.45 * margin / fastest) } else { 0.0 };
        self.points.resize(n, [0.0; 3]);
        let points = self.points.par_iter_mut().enumerate().with_min_len(CHUNK);
        points.for_each(|(p, point)| *point = add(at(p), scale(ahead, sub(velocity(p), middle))));
        self.neighbours.make(&self.points, self.kernel.support + margin);
        self.listed += 1;

        let sorted = |to: &mut Vec<Row>, end: Row| {
            to.resize(n + 1, end);
            to[n] = end;
        };
        sorted(&mut self.rows, NOWHERE);
        sorted(&mut self.next, NOWHERE);
        sorted(&mut self.kinds, Row::default());
        self.fluid.resize(n, 0);
        self.total.resize(n, 0.0);
        self.change.resize(n, [0.0; 2]);
        let order = self.neighbours.order();
        let facts = self.kinds[..n].par_iter_mut().zip(&mut self.fluid).zip(order).with_min_len(CHUNK);
        facts.for_each(|((kind, fluid), &p)| {
            (*kind, *fluid) = (self.kind_of[p as usize], self.fluid_of[p as usize]);
        });
    }

    /// Where a particle of a fluid that came from `before` may be: not farther than the bound, and off the walls.
    #[inline(always)]
    fn allowed(&self, fluid: u8, x: Vec3, before: Vec3) -> Vec3 {
        let Some(boundary) = self.boundaries.get(usize::from(fluid)) else { return x };
        let bound = 0.5 * self.liquids[usize::from(fluid)].cfl * self.spacing;
        let way = sub(x, before);
        let length = norm(way);
        let bounded = if length > bound { add(before, scale(bound / length, way)) } else { x };
        boundary.project(bounded, before)
    }

    /// Copies positions into sorted order, each particle to where it may be.
    fn load(&mut self, x: &[f64], before: &[f64], nodes: &[u32]) {
        let mut rows = std::mem::take(&mut self.rows);
        let order = self.neighbours.order();
        rows[..order.len()].par_iter_mut().zip(order).with_min_len(CHUNK).for_each(|(row, &p)| {
            let node = nodes[p as usize];
            let [a, b, c] = self.allowed(self.fluid_of[p as usize], vector(x, node), vector(before, node));
            *row = Row([a, b, c, 0.0]);
        });
        self.rows = rows;
    }

    fn sorted(&self) -> Sorted<'_> {
        Sorted {
            kernel: &self.kernel,
            rows: &self.rows,
            kinds: &self.kinds,
            fluid: &self.fluid,
            boundaries: &self.boundaries,
            compliance: &self.compliance,
        }
    }

    /// Changes of multipliers and C of every particle.
    fn measure(&mut self) {
        let mut change = std::mem::take(&mut self.change);
        if self.alike {
            self.sorted().multipliers::<true>(&self.neighbours.chunks, &self.total, &mut change);
        } else {
            self.sorted().multipliers::<false>(&self.neighbours.chunks, &self.total, &mut change);
        }
        self.change = change;
    }

    /// Multipliers, then corrections.
    fn pass<const ALIKE: bool>(&mut self, before: &[f64], nodes: &[u32]) {
        self.measure();
        let n = self.total.len();
        let changes = self.rows[..n].par_iter_mut().zip(&mut self.total).zip(&self.change).with_min_len(CHUNK);
        changes.for_each(|((row, total), change)| {
            row.0[3] = change[0];
            *total += change[0];
        });
        let mut next = std::mem::take(&mut self.next);
        let sorted = self.sorted();
        let order = self.neighbours.order();
        next[..n].par_chunks_mut(CHUNK).zip(&self.neighbours.chunks).enumerate().for_each(|(c, (next, lists))| {
            for (k, next) in next.iter_mut().enumerate() {
                let i = c * CHUNK + k;
                let push = sorted.push::<ALIKE>(i, lists.of(k));
                let moved = add(self.rows[i].vector(), scale(self.kinds[i].0[1], push));
                let from = vector(before, nodes[order[i] as usize]);
                let [x, y, z] = self.allowed(self.fluid[i], moved, from);
                *next = Row([x, y, z, 0.0]);
            }
        });
        self.next = std::mem::replace(&mut self.rows, next);
    }

    /// Copies positions back to the nodes that can move.
    fn store(&self, x: &mut [f64], nodes: &[u32]) {
        for (p, &node) in nodes.iter().enumerate().filter(|(p, _)| self.kind_of[*p].0[1] > 0.0) {
            let row = &self.rows[self.neighbours.place[p] as usize];
            x[3 * node as usize..3 * node as usize + 3].copy_from_slice(&row.vector());
        }
    }
}

#[inline(always)]
fn vector(values: &[f64], node: u32) -> Vec3 {
    let first = 3 * node as usize;
    [values[first], values[first + 1], values[first + 2]]
}

#[cfg(test)]
mod tests;
