//! The energies of the model as constraints: springs, tets, penalty contacts.

use super::constraints::{Constraints, Substep};
use super::{ORDER, RELAXATION, Sweep, WEIGHT};
use crate::options::Options;
use crate::stepper::StepError;
use model::Model;
use model::energy::{Bodies, ElementKind, Pass, Quad, Relaxation};
use rayon::prelude::*;

/// Terms of a model; each element is a block of constraints.
pub(super) struct Elastic {
    terms: Vec<Box<dyn Relaxation>>,
    /// Element kind of each term.
    kinds: Vec<ElementKind>,
    /// Beta of Rayleigh damping [s].
    damping: f64,
    /// Corrections of one pass where all blocks are relaxed simultaneously; empty otherwise.
    sums: Vec<Quad>,
}

impl Elastic {
    /// Makes the blocks of a model. Sets the mass that blocks use: that of the node, or a share of it where blocks are
    /// relaxed simultaneously.
    ///
    /// Scaling or averaging the corrections would underestimate the forces of soft elements. A block that uses a share
    /// of its nodes' mass makes the same corrections where constraints are stiff, the right ones where they are soft,
    /// and conserves momentum.
    pub fn new(model: &Model, options: &Options, bodies: &mut Bodies) -> Elastic {
        let nodes = model.nodes();
        let (order, relaxation) = (options.get(&ORDER), options.get(&RELAXATION));
        let terms: Vec<_> = model.terms().iter().map(|term| term.relaxation(nodes, order)).collect();
        let shares: Vec<f64> = match relaxation {
            Sweep::GaussSeidel => vec![1.0; nodes],
            Sweep::Jacobi => vec![1.0 / options.get(&WEIGHT); nodes],
            Sweep::JacobiAveraged => {
                let mut counts = vec![0.0; nodes];
                terms.iter().for_each(|term| term.count(&mut counts));
                counts
            }
        };
        for (i, share) in shares.iter().enumerate() {
            bodies.start[i].0[3] = (share.max(1.0) - 1.0) * bodies.inverse_mass(i);
        }
        let at_once = if relaxation == Sweep::GaussSeidel { 0 } else { nodes };
        let kinds = model.terms().iter().map(|term| term.kind()).collect();
        Elastic { terms, kinds, damping: model.damping().stiffness, sums: vec![Quad::default(); at_once] }
    }
}

impl Constraints for Elastic {
    fn solve(&mut self, bodies: &mut Bodies, substep: &Substep) {
        let Elastic { terms, damping, sums, .. } = self;
        let at_once = !sums.is_empty();
        for term in terms {
            let sums = at_once.then_some(sums.as_mut_slice());
            term.relax(
                bodies,
                &mut Pass { dt: substep.dt, damping: *damping, multipliers: substep.multipliers(), sums },
            );
        }
        bodies.shift.par_iter_mut().zip(sums).with_min_len(1 << 12).for_each(|(shift, sum)| {
            (0..3).for_each(|c| shift.0[c] += sum.0[c]);
            *sum = Quad::default();
        });
    }

    fn fault(&self) -> Option<StepError> {
        self.terms
            .iter()
            .zip(&self.kinds)
            .find_map(|(term, &element)| term.first_undefined().map(|number| StepError::Inverted { element, number }))
    }
}
