//! Drag of bodies in Stokes flow at given positions, held constant while a method solves.

use super::{Cloud, Stokes};
use numerics::blocks::BlockMatrix;
use numerics::linear::{Congruence, LinearError};
use numerics::mat3::Vec3;
use numerics::vectors::{self, is_finite};
use rayon::prelude::*;
use std::fmt;
use std::sync::Arc;

/// Rows of a product per task.
const ROWS: usize = 64;

/// D of the nodes in the fluid, and the flow that they would have without a force.
pub struct Drag {
    stokes: Arc<Stokes>,
    /// Nodes in the fluid, in the model, ascending: free ones first.
    nodes: Vec<u32>,
    /// Number of free ones.
    free: usize,
    /// Place of each node of the model among them.
    place: Vec<Option<u32>>,
    cloud: Cloud,
    congruence: Congruence,
    /// Weights of the points: row and column of P^T, in nodes and points.
    weights: Vec<(u32, u32, f64)>,
    /// Drag of followers: row and column in nodes, value [N s/m].
    own: Vec<(u32, u32, f64)>,
    /// Background flow at the nodes [m/s].
    flow: Vec<f64>,
    /// v - u, and D (v - u).
    relative: Vec<f64>,
    product: Vec<f64>,
}

/// Reason why there is no drag at some positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DragError {
    /// A position is not finite.
    NonFinite {
        /// Node of the model.
        node: usize,
    },
    /// The mobility of the points is not positive definite.
    Mobility,
    /// There is no memory, or a request to stop.
    Linear(LinearError),
}

impl fmt::Display for DragError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DragError::NonFinite { node } => write!(f, "node {node} in the fluid is not at a finite place"),
            DragError::Mobility => write!(
                f,
                "points in the fluid are so near to each other that they cannot be told apart: give all bodies that touch the \
                 same epsilon, or keep them apart"
            ),
            DragError::Linear(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DragError {}

impl From<LinearError> for DragError {
    fn from(error: LinearError) -> DragError {
        match error {
            LinearError::Indefinite { .. } | LinearError::Singular { .. } => DragError::Mobility,
            other => DragError::Linear(other),
        }
    }
}

impl Drag {
    /// Allocates the drag of a fluid on the nodes of a model, of which there are `count`, the first `free` of them free.
    pub fn new(stokes: &Arc<Stokes>, count: usize, free: usize) -> Result<Drag, LinearError> {
        let nodes = stokes.nodes();
        let mut place = vec![None; count];
        nodes.iter().enumerate().for_each(|(k, &i)| place[i as usize] = Some(k as u32));
        let of = |node: u32| place[node as usize].unwrap_or_default();
        let points = stokes.points.iter().enumerate();
        let weights = points.flat_map(|(p, point)| point.of.iter().map(move |&(i, w)| (i, p as u32, w)));
        let weights = weights.map(|(i, p, w)| (of(i), p, w)).collect();
        let mut own = Vec::new();
        for follower in &stokes.followers {
            let mean = follower.of.iter().map(|&(i, w)| (of(i), -w));
            let shape: Vec<(u32, f64)> = [(of(follower.node), 1.0)].into_iter().chain(mean).collect();
            own.extend(shape.iter().flat_map(|a| shape.iter().map(|b| (a.0, b.0, follower.drag * a.1 * b.1))));
        }
        let [m, n] = [3 * stokes.points.len(), 3 * nodes.len()];
        let zeros = vec![0.0; n];
        Ok(Drag {
            stokes: stokes.clone(),
            free: nodes.partition_point(|&i| (i as usize) < free),
            place,
            cloud: Cloud::new(stokes.points.iter().map(|point| point.epsilon)),
            congruence: Congruence::new(m, n)?,
            weights,
            own,
            flow: zeros.clone(),
            relative: zeros.clone(),
            product: zeros,
            nodes,
        })
    }

    /// Returns the bytes of the drag of this many points and nodes, with the matrices of a method that has it.
    pub fn bytes(points: usize, nodes: usize) -> f64 {
        // Stiffness, system and factor have dense lower triangles, the factor also what it is made in: six in all, as
        // runs of 3,000 and 5,000 points were found to take.
        Congruence::bytes(3 * points, 3 * nodes) + 6.0 * 8.0 * 4.5 * (nodes as f64).powi(2)
    }

    /// Returns the flops of the drag and of one solve with it.
    pub fn flops(points: usize, nodes: usize) -> f64 {
        Congruence::flops(3 * points, 3 * nodes) + (3.0 * nodes as f64).powi(3) / 3.0
    }

    /// Takes D at positions of all nodes.
    pub fn hold(&mut self, x: &[f64]) -> Result<(), DragError> {
        let stokes = &self.stokes;
        let at = |i: u32| -> Vec3 { std::array::from_fn(|c| x[3 * i as usize + c]) };
        if let Some(&node) = self.nodes.iter().find(|&&i| !is_finite(&at(i))) {
            return Err(DragError::NonFinite { node: node as usize });
        }
        for (p, point) in stokes.points.iter().enumerate() {
            let mut sum = [0.0; 3];
            point.of.iter().for_each(|&(i, w)| (0..3).for_each(|c| sum[c] += w * at(i)[c]));
            self.cloud.place(p, sum);
        }
        for (&i, flow) in self.nodes.iter().zip(self.flow.as_chunks_mut::<3>().0) {
            *flow = stokes.background(at(i));
        }
        let n = self.flow.len();
        self.cloud.mobility(stokes.viscosity, self.congruence.matrix());
        let factor = self.congruence.factor();
        factor.fill(0.0);
        for &(node, point, weight) in &self.weights {
            (0..3).for_each(|c| factor[(3 * point as usize + c) * n + 3 * node as usize + c] += weight);
        }
        self.congruence.compute()?;
        let d = self.congruence.result_mut();
        for &(a, b, drag) in &self.own {
            (0..3).for_each(|c| d[(3 * b as usize + c) * n + 3 * a as usize + c] += drag);
        }
        Ok(())
    }

    /// A += c D, of the free nodes.
    pub fn add_to(&self, c: f64, a: &mut BlockMatrix) {
        let pattern = a.pattern().clone();
        let (d, n) = (self.congruence.result(), self.flow.len());
        for (k, &i) in self.nodes[..self.free].iter().enumerate() {
            let rows: [&[f64]; 3] = std::array::from_fn(|r| &d[(3 * k + r) * n..][..n]);
            for (j, slot) in pattern.lower(i as usize) {
                let Some(l) = self.place[j] else { continue };
                let block = &mut a.values[slot];
                (0..3).for_each(|r| (0..3).for_each(|s| block[r][s] += c * rows[r][3 * l as usize + s]));
            }
        }
    }

    /// f -= D (v - u) on the free nodes; v of all nodes [m/s].
    pub fn add_force(&mut self, v: &[f64], f: &mut [f64]) {
        self.take_relative(v);
        self.multiply();
        self.scatter(-1.0, f);
    }

    /// f += D (u - v) on the free nodes, with v = 0 at free ones: what the background flow and other nodes push [N].
    pub fn add_push(&mut self, v: &[f64], f: &mut [f64]) {
        self.take_relative(v);
        let free = 3 * self.free;
        self.relative[..free].iter_mut().zip(&self.flow).for_each(|(relative, flow)| *relative = -flow);
        self.multiply();
        self.scatter(-1.0, f);
    }

    /// y += c D x of the free nodes.
    pub fn add_times(&mut self, c: f64, x: &[f64], y: &mut [f64]) {
        self.relative.fill(0.0);
        for (&i, relative) in self.nodes[..self.free].iter().zip(self.relative.as_chunks_mut::<3>().0) {
            relative.copy_from_slice(&x[3 * i as usize..][..3]);
        }
        self.multiply();
        self.scatter(c, y);
    }

    /// Computes 1/2 (v - u) . D (v - u) [W]; v of all nodes [m/s].
    pub fn potential(&mut self, v: &[f64]) -> f64 {
        self.take_relative(v);
        self.multiply();
        0.5 * vectors::dot(&self.relative, &self.product)
    }

    /// Estimates the effect of rounded velocities on the force, by the diagonal of D [N]; v of all nodes [m/s].
    pub fn rounding(&self, v: &[f64]) -> f64 {
        let (d, n) = (self.congruence.result(), self.flow.len());
        let of_node = |k: usize, i: u32| -> f64 {
            (0..3).map(|c| (d[(3 * k + c) * (n + 1)] * v[3 * i as usize + c]).powi(2)).sum()
        };
        let squares: f64 = self.nodes.iter().enumerate().map(|(k, &i)| of_node(k, i)).sum();
        64.0 * f64::EPSILON * squares.sqrt()
    }

    fn take_relative(&mut self, v: &[f64]) {
        let pieces = self.relative.as_chunks_mut::<3>().0.iter_mut().zip(self.flow.as_chunks::<3>().0);
        for (&i, (relative, flow)) in self.nodes.iter().zip(pieces) {
            *relative = std::array::from_fn(|c| v[3 * i as usize + c] - flow[c]);
        }
    }

    fn multiply(&mut self) {
        let Drag { congruence, relative, product, .. } = self;
        let (d, n) = (congruence.result(), relative.len());
        product.par_chunks_mut(ROWS).enumerate().for_each(|(task, product)| {
            for (k, y) in product.iter_mut().enumerate() {
                *y = vectors::dot(&d[(task * ROWS + k) * n..][..n], relative);
            }
        });
    }

    fn scatter(&self, c: f64, f: &mut [f64]) {
        for (&i, product) in self.nodes[..self.free].iter().zip(self.product.as_chunks::<3>().0) {
            (0..3).for_each(|k| f[3 * i as usize + k] += c * product[k]);
        }
    }
}
