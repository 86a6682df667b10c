//! Bodies in Stokes flow: drag by regularised Stokeslets, coupled both ways and among all bodies.
//!
//! Viscosity outweighs inertia here: the fluid moves at once as forces on it say. Bodies push it at points y_j, each with a blob of
//! size e_j (`kernel.rs`), and move with it:
//!
//!   V = U g + u(y)      velocities V of the points, forces g on the fluid, background flow u
//!   y = P x             points are means of nodes: a node itself, or a place between the rings of a fibre
//!   D = P^T U^-1 P      drag of the nodes: force -D (v - u(x))
//!
//! D is symmetric, has no negative eigenvalue, and couples all nodes in the fluid. It changes with the positions, and methods hold
//! it constant during a step ([`Drag`]). A node that is no point of its own follows others with a drag relative to their mean: the
//! corners of a ring about its centre, which gives a fibre the drag of a cylinder against rotation about its own axis.
//!
//! | points | epsilon | error |
//! |---|---|---|
//! | on a surface, one per area ds^2 | 0.4 ds | sphere: drag 0.7 %, torque 3.8 % at 200 points, falling as N^-1/2 |
//! | along a fibre of radius a, at most epsilon apart | sqrt(e) a | rods: 1.5 % from slender-body theory |
//!
//! sqrt(e) a is where the flow of a line of blobs, both along it and across it, is that of a slender body of radius a.
//!
//! Memory: 16 bytes per pair of wetted unknowns for the drag alone, see [`Drag::bytes`]. Cost per step: [`Drag::flops`], about 4/3 of their cube.
//! Citation: Cortez 2001; Cortez, Fauci, Medovikov 2005.

mod drag;
mod error;
mod flow;
mod kernel;
mod mobility;
mod motor;
mod wet;

pub use drag::{Drag, DragError};
pub use error::{LARGEST, StokesError};
pub use flow::Flow;
pub use mobility::Cloud;
pub use motor::{MOTOR, Motor};
pub use wet::EPSILON_PER_RADIUS;

use crate::parameter::{Kind, Parameter, ParameterError, Parameters, Preset, Range, Value};
use numerics::mat3::{Mat3, Vec3, add, mat_vec, trace};
use std::collections::BTreeMap;

/// Parameters of Stokes flow.
pub const PARAMETERS: &[Parameter] = &[
    Parameter::required(
        "viscosity",
        Kind::Number {
            components: 1,
            range: Range::Between {
                min: 0.0,
                max: f64::INFINITY,
                why: "a fluid without viscosity has inertia only: water has about 1e-3",
            },
        },
        "Pa s",
        "dynamic viscosity",
    ),
    Parameter {
        name: "flow",
        kind: Kind::VECTOR,
        default: Preset::Numbers(&[0.0, 0.0, 0.0]),
        doc: "velocity of the fluid far from all bodies, at the origin",
        unit: "m/s",
    },
    Parameter {
        name: "gradient",
        kind: Kind::Points { components: 3 },
        default: Preset::Points(&[[0.0; 3], [0.0; 3], [0.0; 3]]),
        doc: "three rows of the gradient du_i/dx_j of that flow; its diagonal adds up to 0",
        unit: "1/s",
    },
    Parameter {
        name: "surface_epsilon",
        kind: Kind::within(0.05, 2.0),
        default: Preset::Numbers(&[0.4]),
        doc: "size of the blobs on the surface of bodies, over the distance of their nodes",
        unit: "",
    },
    Parameter {
        name: "fibre_spacing",
        kind: Kind::within(0.1, 1.5),
        default: Preset::Numbers(&[1.0]),
        doc: "largest distance of the blobs along fibres, over their size, which is 1.649 radii of the fibre; above 1 fibres are a \
              row of beads",
        unit: "",
    },
];

/// Parameter of a body in the fluid.
pub const EPSILON: Parameter = Parameter {
    name: "epsilon",
    kind: Kind::LENGTH,
    default: Preset::Optional,
    doc: "size of the blobs of a body, instead of `surface_epsilon` times the distance of its nodes; one without a surface needs it",
    unit: "m",
};

/// Rules for the points of bodies in a fluid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// Epsilon on surfaces over the distance of nodes.
    pub surface_epsilon: f64,
    /// Distance of points along fibres over epsilon.
    pub fibre_spacing: f64,
}

/// Fluid around bodies, so viscous that it has no inertia. Nodes are numbered as in the mesh of a blueprint, or as in the model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stokes {
    /// Dynamic viscosity [Pa s].
    pub viscosity: f64,
    /// Velocity of the background flow at the origin [m/s].
    pub flow: Vec3,
    /// Gradient du_i/dx_j of the background flow [1/s]; its trace is 0.
    pub gradient: Mat3,
    /// Points at which bodies push the fluid.
    pub points: Vec<Point>,
    /// Nodes that follow points.
    pub followers: Vec<Follower>,
}

/// Point at which a body pushes the fluid.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Nodes and weights, of sum 1, whose mean it is.
    pub of: Vec<(u32, f64)>,
    /// Size of its blob [m].
    pub epsilon: f64,
}

/// Node with a drag relative to the mean of others.
#[derive(Debug, Clone, PartialEq)]
pub struct Follower {
    /// The node.
    pub node: u32,
    /// Nodes and weights, of sum 1, whose mean it follows.
    pub of: Vec<(u32, f64)>,
    /// Drag [N s/m].
    pub drag: f64,
}

impl Stokes {
    /// Checks the given values, fills in the defaults, and returns a fluid without bodies, with the rules for its points.
    pub fn resolve(given: &BTreeMap<String, Value>) -> Result<(Stokes, Rules), ParameterError> {
        let p = Parameters::resolve("stokes", PARAMETERS, given)?;
        let &[x, y, z] = p.points("gradient")? else {
            return Err(p.refuse("gradient", "a list of three rows".to_string()));
        };
        let fluid = Stokes {
            viscosity: p.number("viscosity")?,
            flow: p.vector("flow")?,
            gradient: [x, y, z],
            ..Stokes::default()
        };
        if fluid.creates_fluid().is_some() {
            return Err(p.refuse(
                "gradient",
                "three rows whose diagonal adds up to 0, or the flow would create fluid".to_string(),
            ));
        }
        let rules = Rules { surface_epsilon: p.number("surface_epsilon")?, fibre_spacing: p.number("fibre_spacing")? };
        Ok((fluid, rules))
    }

    /// Returns the trace of the gradient [1/s] if it is not 0.
    fn creates_fluid(&self) -> Option<f64> {
        let size = self.gradient.as_flattened().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let trace = trace(&self.gradient);
        (trace.abs() > 1e-9 * size || !size.is_finite()).then_some(trace)
    }

    /// Returns the velocity of the background flow at a place [m/s].
    pub fn background(&self, place: Vec3) -> Vec3 {
        add(self.flow, mat_vec(&self.gradient, place))
    }

    /// Returns the nodes in the fluid, ascending.
    pub fn nodes(&self) -> Vec<u32> {
        let points = self.points.iter().flat_map(|point| &point.of);
        let followers = self.followers.iter().flat_map(|follower| &follower.of);
        let mut nodes: Vec<u32> = points.chain(followers).map(|(node, _)| *node).collect();
        nodes.extend(self.followers.iter().map(|follower| follower.node));
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Checks its numbers, its means of nodes of a mesh of `count` points, and its size.
    pub(crate) fn check(&self, count: usize) -> Result<(), StokesError> {
        let is_positive = |x: f64| x > 0.0 && x.is_finite();
        let drags = self.followers.iter().map(|follower| follower.drag);
        if let Some(drag) = [self.viscosity].into_iter().chain(drags).find(|x| !is_positive(*x)) {
            return Err(StokesError::Viscosity(drag));
        }
        if let Some(point) = self.points.iter().find(|point| !is_positive(point.epsilon)) {
            return Err(StokesError::Epsilon(point.epsilon));
        }
        if let Some(trace) = self.creates_fluid() {
            return Err(StokesError::Divergence(trace));
        }
        let means = self.points.iter().map(|point| &point.of);
        for of in means.chain(self.followers.iter().map(|follower| &follower.of)) {
            let sum: f64 = of.iter().map(|(_, weight)| weight).sum();
            let outside = of.iter().find(|(node, _)| *node as usize >= count);
            if let Some((node, _)) = outside.or(of.first().filter(|_| (sum - 1.0).abs() > 1e-9)) {
                return Err(StokesError::Mean { node: *node });
            }
        }
        if let Some(follower) = self.followers.iter().find(|follower| follower.node as usize >= count) {
            return Err(StokesError::Mean { node: follower.node });
        }
        let (points, nodes) = (self.points.len(), self.nodes().len());
        if points.max(nodes) > LARGEST { Err(StokesError::TooMany { points, nodes }) } else { Ok(()) }
    }

    /// Returns the same with other numbers of nodes.
    pub(crate) fn renumbered(&self, number: impl Fn(u32) -> u32) -> Stokes {
        let mut other = self.clone();
        other.points.iter_mut().flat_map(|point| &mut point.of).for_each(|(node, _)| *node = number(*node));
        for follower in &mut other.followers {
            follower.node = number(follower.node);
            follower.of.iter_mut().for_each(|(node, _)| *node = number(*node));
        }
        other
    }
}
