//! Counted work in nanoseconds: the cost of a step, the same in every run on every machine.
//!
//! A clock gives another time in each run; a count does not. Prices are those of one thread of a server processor,
//! measured once (docs/performance.md): kernels per element, factorisations per flop and per number of the factor,
//! sweeps and products by the numbers they read. Where counts omit something (search for contacts, borders of regions)
//! the price is too low: the actual time of a step is measured afterwards and shown beside it.

use integrators::{Family, StepReport};
use model::Model;
use model::energy::{ElementKind, Stiffness};
use numerics::linear::ordering::Ordering;
use scene::Built;

/// Price per tet: force, stiffness exact and projected, relaxation by small steps [ns].
const TET: [f64; 4] = [21.0, 100.0, 250.0, 38.0];
/// Price per spring, or other element of two nodes [ns].
const SPRING: [f64; 4] = [4.0, 20.0, 25.0, 5.4];
/// Price per particle in a pass of small steps [ns].
const PARTICLE: f64 = 350.0;
/// Price per stored block in a product [ns].
const BLOCK: f64 = 8.0;
/// Work of matrix functions beside a product, as a share of it.
const BESIDE_PRODUCTS: f64 = 0.5;
/// Price per flop and per number of a factor in a factorisation, and per number in a sweep forwards and backwards [ns].
const FLOP: f64 = 8.6e-3;
const ENTRY: f64 = 4.4;
const SWEPT: f64 = 0.4;
/// Price per node in a step, for vectors; per node and two modes, for blocks of modes [ns].
const NODE: f64 = 60.0;
const MODES: f64 = 10.0;

/// Prices of units of work for one model [ns].
pub(crate) struct Prices {
    force: f64,
    assembly: f64,
    product: f64,
    sweep: f64,
    factorisation: f64,
    step: f64,
    modes: f64,
}

impl Prices {
    /// The prices for a built.
    pub fn of(built: &Built) -> Prices {
        let (model, method) = (built.simulation.model(), built.simulation.method());
        let small_steps = method.family == Family::PositionBased;
        let stiffness = if model.stiffness_kind() == Stiffness::Projected { 2 } else { 1 };
        let particles: usize = model.fluids().iter().map(|fluid| fluid.nodes.len()).sum();
        let ordering = (!small_steps).then(|| Ordering::best(model.pattern()));
        let (flops, entries) = ordering.map_or((0.0, 0.0), |ordering| (ordering.flops, ordering.entries));
        Prices {
            force: elements(model, if small_steps { 3 } else { 0 }) + PARTICLE * particles as f64,
            assembly: elements(model, stiffness),
            product: BLOCK * model.pattern().slots() as f64,
            sweep: SWEPT * entries,
            factorisation: FLOP * flops + ENTRY * entries,
            step: NODE * model.nodes() as f64,
            modes: MODES * model.free_nodes() as f64,
        }
    }

    /// Returns the cost of some steps [ns].
    pub fn cost(&self, steps: u64, work: &StepReport) -> f64 {
        let linear = &work.linear;
        // Each iteration of a solve with a stored factor is a sweep and a product; a solve without iterations is a
        // sweep.
        let sweeps = linear.solves.max(linear.iterations) as f64;
        let products = linear.products as f64 * if linear.iterations == 0 { 1.0 + BESIDE_PRODUCTS } else { 1.0 };
        self.force * work.forces as f64
            + self.assembly * work.assemblies as f64
            + self.product * products
            + self.sweep * sweeps
            + self.factorisation * linear.factorisations as f64
            + (self.step + self.modes * (work.modes as f64).powi(2)) * steps as f64
    }
}

/// Returns the price of one of the kernels for all elements [ns].
fn elements(model: &Model, kernel: usize) -> f64 {
    let price = |kind: ElementKind| match kind {
        ElementKind::Contact => 0.0,
        ElementKind::Spring | ElementKind::FaceSpring | ElementKind::FaceShear => SPRING[kernel],
        ElementKind::Tet | ElementKind::Other(_) => TET[kernel],
    };
    model.terms().iter().map(|term| price(term.kind()) * term.count() as f64).sum()
}
