//! The model: what never changes during a step.
//!
//! Nodes are renumbered so that the free ones come first; what moves by itself is then a prefix of
//! every vector, and there are no masks. [`State`] is all that changes.

use crate::collisions::Collisions;
use crate::energy::contact::{Penalty, Projection};
use crate::energy::{ElementKind, Stiffness, Term};
use crate::fluid::Fluid;
use crate::joint::Joint;
use crate::load::{Load, Profile};
use crate::mass::Mass;
use crate::region::Region;
use crate::rigid::{Rigid, Turn};
use crate::script::Script;
use crate::state::State;
use numerics::blocks::{BlockMatrix, Pattern};
use numerics::mat3::Vec3;
use std::sync::Arc;

/// Rayleigh damping, D = alpha M + beta K.
#[derive(Debug, Clone, Default)]
pub struct Damping {
    /// Alpha [1/s].
    pub mass: f64,
    /// Beta [s].
    pub stiffness: f64,
    /// The stiffness at rest, where beta multiplies that one and not the current one.
    pub at_rest: Option<BlockMatrix>,
}

/// An elastic system: nodes, mass, damping, energies, loads, given motions. A copy shares the elements.
#[derive(Clone)]
pub struct Model {
    pub(crate) free: usize,
    pub(crate) rest: Vec<f64>,
    /// Mass of every node, free or not [kg].
    pub(crate) node_mass: Vec<f64>,
    /// The number each node had in the mesh.
    pub(crate) origin: Vec<u32>,
    pub(crate) number: Vec<u32>,
    pub(crate) terms: Arc<[Box<dyn Term>]>,
    pub(crate) pattern: Arc<Pattern>,
    pub(crate) mass: Mass,
    pub(crate) damping: Damping,
    pub(crate) stiffness: Stiffness,
    pub(crate) loads: Vec<Load>,
    /// Forces on the free nodes that somebody outside gives for the next step [N]; empty where nobody does.
    pub(crate) forces: Vec<f64>,
    pub(crate) scripts: Vec<Script>,
    pub(crate) projections: Vec<Projection>,
    pub(crate) fluids: Vec<Fluid>,
    pub(crate) collisions: Option<Collisions>,
    pub(crate) rigids: Vec<Rigid>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) regions: Vec<Region>,
    pub(crate) penalties: Vec<Penalty>,
}

/// An element whose energy is not defined where the nodes are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inadmissible {
    /// The kind of the element.
    pub element: ElementKind,
    /// Its number in the mesh.
    pub number: usize,
}

impl Model {
    /// Number of nodes, free or not.
    pub fn nodes(&self) -> usize {
        self.node_mass.len()
    }

    /// Number of free nodes; they come first.
    pub fn free_nodes(&self) -> usize {
        self.free
    }

    /// Number of unknowns: three a free node.
    pub fn dofs(&self) -> usize {
        3 * self.free
    }

    /// Positions at rest [m].
    pub fn rest(&self) -> &[f64] {
        &self.rest
    }

    /// Mass of every node [kg].
    pub fn node_mass(&self) -> &[f64] {
        &self.node_mass
    }

    /// The number in the mesh of a node of the model.
    pub fn origin(&self, node: usize) -> usize {
        self.origin[node] as usize
    }

    /// The number in the model of a node of the mesh.
    pub fn number(&self, mesh_node: usize) -> usize {
        self.number[mesh_node] as usize
    }

    /// The groups of elements.
    pub fn terms(&self) -> &[Box<dyn Term>] {
        &self.terms
    }

    /// The pattern of every matrix of this model.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// The mass matrix of the free nodes.
    pub fn mass(&self) -> &Mass {
        &self.mass
    }

    /// Rayleigh damping.
    pub fn damping(&self) -> &Damping {
        &self.damping
    }

    /// Which stiffness the scene asks for.
    pub fn stiffness_kind(&self) -> Stiffness {
        self.stiffness
    }

    /// The fluids; their particles are free nodes.
    pub fn fluids(&self) -> &[Fluid] {
        &self.fluids
    }

    /// Contact as a constraint, where there is any.
    pub fn collisions(&self) -> Option<&Collisions> {
        self.collisions.as_ref()
    }

    /// Parts that take more steps than the rest, of free nodes, ascending.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// Whether the elastic force is linear in the positions, so that its stiffness is the same everywhere, but for
    /// contacts that act: see [`Model::is_touching`].
    pub fn is_linear(&self) -> bool {
        self.terms.iter().all(|term| term.is_linear() || term.kind() == ElementKind::Contact)
    }

    /// Where the stiffness may be taken from that nodes have at x: at rest where it is the same, else at x.
    pub fn place_of_stiffness<'a>(&'a self, x: &'a [f64]) -> &'a [f64] {
        let is_same = self.is_linear() && !self.is_touching(x) && !self.is_touching(&self.rest);
        if is_same { &self.rest } else { x }
    }

    /// The penalties of contact, which are among the terms as well.
    pub fn penalties(&self) -> &[Penalty] {
        &self.penalties
    }

    /// Whether a penalty pushes any node at x.
    pub fn is_touching(&self, x: &[f64]) -> bool {
        self.terms.iter().any(|term| term.kind() == ElementKind::Contact && term.value(x) > 0.0)
    }

    /// Whether any node follows a script.
    pub fn is_scripted(&self) -> bool {
        !self.scripts.is_empty()
    }

    /// Gives forces on the free nodes, three numbers each [N], or none: constant during a step, free to change between two. They
    /// have no stiffness, so whatever a method keeps of it stays true.
    pub fn set_forces(&mut self, forces: &[f64]) {
        assert!(forces.is_empty() || forces.len() == self.dofs(), "three numbers per free node, or none");
        forces.clone_into(&mut self.forces);
    }

    /// Returns whether forces are given from outside.
    pub fn has_given_forces(&self) -> bool {
        !self.forces.is_empty()
    }

    /// f += all loads at time `t`, and the forces given from outside [N].
    fn add_loads(&self, t: f64, f: &mut [f64]) {
        self.loads.iter().for_each(|load| load.add_force(1.0, t, &self.rest, f));
        f.iter_mut().zip(&self.forces).for_each(|(f, given)| *f += given);
    }

    /// Whether the exact motion keeps kinetic, elastic and load energy together: nothing damps, is moved from outside, or meets
    /// something hard. Fluids spend theirs.
    pub fn is_conservative(&self) -> bool {
        let Damping { mass, stiffness, .. } = self.damping;
        let undamped = mass == 0.0 && stiffness == 0.0;
        let untouched = self.projections.is_empty() && self.collisions.is_none() && self.fluids.is_empty();
        undamped && untouched && !self.has_given_forces() && !self.is_scripted()
    }

    /// Everything where the mesh has it, at time zero and without motion but for scripted nodes.
    pub fn state_at_rest(&self) -> State {
        let turns =
            self.rigids.iter().map(|rigid| Turn { orientation: rigid.orientation, ..Turn::default() }).collect();
        let mut state = State { t: 0.0, x: self.rest.clone(), v: vec![0.0; self.rest.len()], turns };
        self.place(0.0, &mut state.x, &mut state.v);
        state
    }

    /// The rigid bodies.
    pub fn rigids(&self) -> &[Rigid] {
        &self.rigids
    }

    /// The joints.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Whether a joint holds these two rigid bodies together: they do not touch each other then.
    pub fn joins(&self, a: usize, b: usize) -> bool {
        self.joints.iter().any(|joint| joint.holds(a) && joint.holds(b))
    }

    /// Puts the nodes that rigid bodies carry where they are.
    pub fn carry(&self, state: &mut State) {
        let State { x, v, turns, .. } = state;
        self.rigids.iter().zip(turns).for_each(|(rigid, turn)| rigid.carry(turn, x, v));
    }

    /// Puts scripted nodes where they are at time `t`.
    pub fn place(&self, t: f64, x: &mut [f64], v: &mut [f64]) {
        for script in &self.scripts {
            for &node in &script.nodes {
                let at = 3 * node as usize..3 * node as usize + 3;
                let origin: Vec3 = std::array::from_fn(|c| self.rest[at.start + c]);
                let (position, velocity) = script.motion.at(t, origin);
                x[at.clone()].copy_from_slice(&position);
                v[at].copy_from_slice(&velocity);
            }
        }
    }

    /// f = elastic and contact forces at x, and loads at time `t`; without damping [N].
    pub fn static_force(&self, t: f64, x: &[f64], f: &mut [f64]) {
        f.fill(0.0);
        self.terms.iter().for_each(|term| term.add_force(x, f));
        self.add_loads(t, f);
    }

    /// f = loads at time `t` and forces given from outside [N].
    pub fn load_force(&self, t: f64, f: &mut [f64]) {
        f.fill(0.0);
        self.add_loads(t, f);
    }

    /// Whether nodes feel each other by K alone: the mass is lumped, and D = alpha M + beta K.
    pub fn couples_by_stiffness_alone(&self) -> bool {
        let Damping { stiffness, at_rest, .. } = &self.damping;
        matches!(self.mass, Mass::Lumped(_)) && (*stiffness == 0.0 || at_rest.is_none())
    }

    /// Whether loads change with time.
    pub fn has_changing_loads(&self) -> bool {
        self.loads.iter().any(|load| load.profile != Profile::Constant)
    }

    /// Whether all loads are at one time what they are at another.
    pub fn has_same_loads(&self, t: f64, other: f64) -> bool {
        self.loads.iter().all(|load| load.is_same(t, other))
    }

    /// f += c (what loads are at `to` - what they are at `from`) [N]; exactly nothing where that is the same.
    pub fn add_load_change(&self, c: f64, from: f64, to: f64, f: &mut [f64]) {
        for load in self.loads.iter().filter(|load| !load.is_same(from, to)) {
            load.add_force(c, to, &self.rest, f);
            load.add_force(-c, from, &self.rest, f);
        }
    }

    /// Whether nodes follow scripts or loads change at every moment, as gusts do.
    pub fn changes_all_the_time(&self) -> bool {
        self.is_scripted() || self.loads.iter().any(|load| matches!(load.profile, Profile::Gusts { .. }))
    }

    /// Whether the force depends on time other than through positions and velocities.
    pub fn depends_on_time(&self) -> bool {
        self.is_scripted() || self.has_changing_loads()
    }

    /// f -= D v. `k` is the current stiffness, where the caller has it; elements are asked otherwise.
    pub fn add_damping_force(&self, x: &[f64], v: &[f64], k: Option<&BlockMatrix>, f: &mut [f64]) {
        let Damping { mass, stiffness, at_rest } = &self.damping;
        let dofs = self.dofs();
        if *mass != 0.0 {
            self.mass.multiply_add(-mass, &v[..dofs], f);
        }
        if *stiffness == 0.0 {
            return;
        }
        match (at_rest, k) {
            // Only elements know the coupling with nodes that are not unknowns.
            _ if self.is_scripted() => {
                let x = if at_rest.is_some() { &self.rest } else { x };
                self.add_stiffness_times(-stiffness, x, v, f);
            }
            (Some(at_rest), _) => at_rest.multiply_add(-stiffness, &v[..dofs], f),
            (None, Some(k)) => k.multiply_add(-stiffness, &v[..dofs], f),
            (None, None) => self.add_stiffness_times(-stiffness, x, v, f),
        }
    }

    /// f = the whole force: elastic, contact, loads, damping [N].
    pub fn force(&self, t: f64, x: &[f64], v: &[f64], f: &mut [f64]) {
        self.static_force(t, x, f);
        self.add_damping_force(x, v, None, f);
    }

    /// K = d2U/dx2 of the free nodes [N/m].
    pub fn stiffness(&self, kind: Stiffness, x: &[f64], k: &mut BlockMatrix) {
        k.clear();
        self.terms.iter().for_each(|term| term.add_stiffness(kind, x, k));
    }

    /// y += c K w without a matrix; w covers all nodes, y the free ones.
    pub fn add_stiffness_times(&self, c: f64, x: &[f64], w: &[f64], y: &mut [f64]) {
        self.terms.iter().for_each(|term| term.add_stiffness_times(self.stiffness, c, x, w, y));
    }

    /// A = m M + d D + k K, with `stiffness` the matrix K. `damping` is the K in D where it is another one.
    pub fn combine(
        &self,
        [m, d, k]: [f64; 3],
        stiffness: &BlockMatrix,
        damping: Option<&BlockMatrix>,
        a: &mut BlockMatrix,
    ) {
        let Damping { mass: alpha, stiffness: beta, at_rest } = &self.damping;
        let damping = at_rest.as_ref().or(damping).filter(|_| *beta != 0.0);
        let scale = if damping.is_some() { k } else { k + d * beta };
        a.set_scaled(scale, stiffness);
        if let Some(damping) = damping {
            a.add_scaled(d * beta, damping);
        }
        self.mass.add_to(m + d * alpha, a);
    }

    /// Applies hard contacts to a state after a step; tells whether any node was moved.
    pub fn project(&self, state: &mut State) -> bool {
        let State { x, v, .. } = state;
        self.projections.iter().fold(false, |moved, projection| projection.apply(x, v) | moved)
    }

    /// The first element whose energy is not defined at x.
    pub fn first_inadmissible(&self, x: &[f64]) -> Option<Inadmissible> {
        self.terms.iter().find_map(|term| {
            let e = term.first_inadmissible(x)?;
            Some(Inadmissible { element: term.kind(), number: term.origin(e) })
        })
    }
}
