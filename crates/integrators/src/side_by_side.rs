//! Linearly implicit Euler of many small bodies, eight side by side, each pack within the cache.
//!
//! For sixty thousand hairs the stiffness and its factor are 1.5 GB, and a step that writes and reads them waits for main
//! memory. Here a pack of eight bodies of one shape (`model::Alike`) is taken from positions to its solution at once:
//!
//!   gather x and v;  f and K, lane by lane;  r = h (f - D v - h K v);  factor of M + h D + h^2 K;  solve
//!
//! Only positions, velocities, rest states and the solution pass through main memory.
//!
//! Same bits for any thread count: lanes do not mix, and every node belongs to one body. Where a matrix is not positive
//! definite, or a number not finite, the caller takes the whole step in the ordinary way, which finds the cause.

use model::energy::packed::{OUTSIDE, PackPositions, PackSums};
use model::energy::{Shared, Stiffness};
use model::{Alike, Model, State};
use numerics::linear::{PackFactor, PackMatrix};
use numerics::mat3::Vec3;
use numerics::real::{Lanes, Real};
use numerics::vectors::is_finite;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

const LANES: usize = Lanes::LANES;
/// Packs of a shape are cut into at most this many tasks, each with its memory.
const TASKS: usize = 32;
/// Numbers per task of a pass over vectors.
const NUMBERS_PER_TASK: usize = 1 << 15;

/// Bodies of all shapes, with the memory for one pack per task.
pub(crate) struct SideBySide {
    shapes: Vec<Shape>,
    /// Loads of the end of the step, and true if they are those of every step.
    load: Vec<f64>,
    keeps_load: bool,
    /// Positions and velocities of the nodes that are not free, at the start of the step.
    before: [Vec<f64>; 2],
}

struct Shape {
    alike: Alike,
    tasks: Vec<Pack>,
}

/// Memory for one pack.
struct Pack {
    x: Vec<Vec3<Lanes>>,
    way: Vec<Vec3<Lanes>>,
    inertia: Vec<Lanes>,
    v: Vec<Vec3<Lanes>>,
    mass: Vec<Lanes>,
    outside: Vec<[Vec3<Lanes>; OUTSIDE]>,
    force: Vec<Vec3<Lanes>>,
    products: Vec<[Vec3<Lanes>; OUTSIDE]>,
    stiffness: PackMatrix,
    factor: PackFactor,
    solution: Vec<[Vec3<Lanes>; 1]>,
}

/// Values of a step.
struct Step<'a> {
    model: &'a Model,
    /// At the end of the step where nodes are not free, else at its start.
    state: &'a State,
    before: &'a [Vec<f64>; 2],
    load: &'a [f64],
    h: f64,
}

impl SideBySide {
    /// Returns `None` for a model with other bodies, with one matrix for all steps, or with a fluid that couples its bodies.
    pub fn new(model: &Model) -> Option<SideBySide> {
        let alike = (!model.is_linear() && model.stokes().is_none()).then(|| model.alike()).flatten()?;
        let outside = 3 * (model.nodes() - model.free_nodes());
        Some(SideBySide {
            shapes: alike.into_iter().map(Shape::new).collect(),
            load: vec![0.0; model.dofs()],
            keeps_load: false,
            before: [vec![0.0; outside], vec![0.0; outside]],
        })
    }

    /// Takes a step of h. Returns false, with the state as it was, if it failed; `dv` is memory for the changes of velocity.
    pub fn step(&mut self, model: &Model, state: &mut State, h: f64, dv: &mut [f64]) -> bool {
        let SideBySide { shapes, load, keeps_load, before } = self;
        let (dofs, t) = (model.dofs(), state.t + h);
        let is_constant = !model.has_changing_loads() && !model.has_given_forces();
        if !(*keeps_load && is_constant) {
            model.load_force(t, load);
            *keeps_load = is_constant;
        }
        before[0].copy_from_slice(&state.x[dofs..]);
        before[1].copy_from_slice(&state.v[dofs..]);
        model.place(t, &mut state.x, &mut state.v);

        let has_failed = AtomicBool::new(false);
        let to = Shared::new(dv.as_chunks_mut::<3>().0);
        let step = Step { model, state, before, load, h };
        for Shape { alike, tasks } in shapes {
            let (alike, count) = (&*alike, alike.packs.count());
            let share = count.div_ceil(tasks.len());
            tasks.par_iter_mut().enumerate().for_each(|(task, memory)| {
                for pack in task * share..((task + 1) * share).min(count) {
                    // SAFETY: every free node belongs to one body.
                    if !unsafe { memory.solve(alike, pack, &step, &to) } {
                        has_failed.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
        if has_failed.into_inner() || !dv.par_chunks(NUMBERS_PER_TASK).all(is_finite) {
            state.x[dofs..].copy_from_slice(&before[0]);
            state.v[dofs..].copy_from_slice(&before[1]);
            return false;
        }
        let numbers = (state.x[..dofs].par_chunks_mut(NUMBERS_PER_TASK))
            .zip(state.v[..dofs].par_chunks_mut(NUMBERS_PER_TASK))
            .zip(dv.par_chunks(NUMBERS_PER_TASK));
        numbers.for_each(|((x, v), dv)| {
            for ((x, v), dv) in x.iter_mut().zip(v).zip(dv) {
                *v += dv;
                *x += h * *v;
            }
        });
        state.t = t;
        true
    }
}

impl Shape {
    fn new(alike: Alike) -> Shape {
        let (zero, rows, outside) = ([Lanes::splat(0.0); 3], alike.packs.height(), alike.outside());
        let pack = || Pack {
            x: vec![zero; rows + outside],
            way: vec![zero; rows + outside],
            inertia: vec![Lanes::splat(0.0); rows + outside],
            v: vec![zero; rows],
            mass: vec![Lanes::splat(0.0); rows],
            outside: vec![[zero; OUTSIDE]; outside],
            force: vec![zero; rows + outside],
            products: vec![[zero; OUTSIDE]; rows],
            stiffness: alike.packs.matrix(),
            factor: alike.packs.factor(),
            solution: vec![[zero]; rows],
        };
        let tasks = (0..alike.packs.count().min(TASKS)).map(|_| pack()).collect();
        Shape { alike, tasks }
    }
}

impl Pack {
    /// Solves the systems of a pack; false if one is not positive definite.
    ///
    /// # Safety
    /// No other thread may use the nodes of this pack in `to` at the same time.
    unsafe fn solve(&mut self, alike: &Alike, pack: usize, step: &Step<'_>, to: &Shared<'_, [f64; 3]>) -> bool {
        let Step { model, h, .. } = *step;
        let damping = model.damping();
        let [alpha, beta] = [damping.mass, damping.stiffness];
        self.linearise(alike, pack, step);

        let Pack { v, mass, force, products, stiffness, factor, solution, .. } = self;
        let rows = alike.packs.rows(pack);
        // f - D v - h K v with K v in one product, and scripted nodes by their displacement.
        for (k, nodes) in rows.iter().enumerate() {
            let load = gathered(step.load, nodes);
            let slowed = Lanes::splat(-alpha) * mass[k];
            for c in 0..3 {
                let [moved, damped] = [products[k][0][c], products[k][1][c]];
                let sum = slowed.mul_add(v[k][c], force[k][c] + load[c]) - moved;
                force[k][c] = Lanes::splat(-beta).mul_add(damped, sum);
                v[k][c] *= Lanes::splat(h + beta);
            }
        }
        stiffness.subtract_product(&alike.packs, v, force);
        for (solution, force) in solution.iter_mut().zip(force) {
            (0..3).for_each(|c| solution[0][c] = Lanes::splat(h) * force[c]);
        }
        let [c, by] = [h * (h + beta), 1.0 + h * alpha].map(Lanes::splat);
        if factor.factorise(&alike.packs, c, stiffness, by, mass) != 0 {
            return false;
        }
        factor.solve(&alike.packs, solution);
        let lanes = alike.packs.lanes(pack);
        for (nodes, solution) in rows.iter().zip(solution) {
            for (lane, &node) in nodes.iter().enumerate().take(lanes) {
                // SAFETY: the caller's promise.
                unsafe { *to.at(node as usize) = std::array::from_fn(|c| solution[0][c].lane(lane)) };
            }
        }
        true
    }

    /// Gathers a pack and computes forces, stiffness, and products with what nodes outside do.
    fn linearise(&mut self, alike: &Alike, pack: usize, step: &Step<'_>) {
        let Step { model, state, before, h, .. } = *step;
        let Pack { x, way, inertia, v, mass, outside, force, products, stiffness, .. } = self;
        let (rows, dofs) = (alike.packs.rows(pack), model.dofs());
        let kind = model.stiffness_kind();
        let (takes_way, is_scripted) = (kind == Stiffness::Auto, model.is_scripted());
        let node_mass = model.node_mass();
        let borne = |nodes: &[u32; LANES]| Lanes::from_fn(|lane| node_mass[nodes[lane] as usize] / (h * h));
        for (k, nodes) in rows.iter().enumerate() {
            x[k] = gathered(&state.x, nodes);
            v[k] = gathered(&state.v, nodes);
            mass[k] = Lanes::from_fn(|lane| node_mass[nodes[lane] as usize]);
            if takes_way {
                way[k] = v[k].map(|v| Lanes::splat(h) * v);
                inertia[k] = borne(nodes);
            }
        }
        for (k, nodes) in alike.nodes_outside(pack).iter().enumerate() {
            let own = nodes.map(|node| node - (dofs / 3) as u32);
            let [start, speed] = [gathered(&before[0], &own), gathered(&before[1], &own)];
            let (at, end, end_speed) = (rows.len() + k, gathered(&state.x, nodes), gathered(&state.v, nodes));
            x[at] = start;
            way[at] = speed.map(|v| Lanes::splat(h) * v);
            inertia[at] = borne(nodes);
            outside[k] = [std::array::from_fn(|c| end[c] - start[c]), end_speed];
        }
        let zero = [Lanes::splat(0.0); 3];
        force.fill(zero);
        products.fill([zero; OUTSIDE]);
        stiffness.clear();
        let at = PackPositions {
            x,
            way: if takes_way { way } else { &[] },
            inertia,
            outside: if is_scripted { outside } else { &[] },
        };
        alike.add(pack, kind, at, &mut PackSums { force, products, stiffness });
    }
}

/// Gathers the vectors of eight nodes.
#[inline(always)]
fn gathered(from: &[f64], nodes: &[u32; LANES]) -> Vec3<Lanes> {
    let mut taken = [Lanes::splat(0.0); 3];
    for (lane, &node) in nodes.iter().enumerate() {
        let vector = &from[3 * node as usize..][..3];
        (0..3).for_each(|c| taken[c].as_mut_array()[lane] = vector[c]);
    }
    taken
}
