//! The model: everything that does not change during a step.
//!
//! Nodes are renumbered so that the free ones come first. The unknowns are then a prefix of every vector, and no masks
//! are needed. [`State`] holds all that changes.

use crate::collisions::Collisions;
use crate::damping::Damping;
use crate::energy::contact::{Penalty, Projection};
use crate::energy::{Configuration, ElementKind, Stiffness, Term};
use crate::fluid::Fluid;
use crate::joint::Joint;
use crate::load::{Load, Profile};
use crate::mass::Mass;
use crate::region::Region;
use crate::rigid::{Rigid, Turn};
use crate::script::Script;
use crate::state::State;
use crate::stokes::{Drag, Flow, Motor, Stokes};
use numerics::blocks::{BlockMatrix, Pattern};
use numerics::linear::LinearError;
use numerics::mat3::Vec3;
use std::sync::Arc;

/// Elastic system: nodes, mass, damping, energies, loads, prescribed motions. A copy shares the elements.
#[derive(Clone)]
pub struct Model {
    pub(crate) free: usize,
    pub(crate) rest: Vec<f64>,
    /// Mass of every node, free or not [kg].
    pub(crate) node_mass: Vec<f64>,
    /// Number of each node in the mesh.
    pub(crate) origin: Vec<u32>,
    pub(crate) number: Vec<u32>,
    pub(crate) terms: Arc<[Box<dyn Term>]>,
    pub(crate) pattern: Arc<Pattern>,
    pub(crate) mass: Mass,
    pub(crate) damping: Damping,
    pub(crate) stiffness: Stiffness,
    pub(crate) loads: Vec<Load>,
    /// External forces on the free nodes for the next step [N]; empty if none are given.
    pub(crate) forces: Vec<f64>,
    pub(crate) scripts: Vec<Script>,
    pub(crate) projections: Vec<Projection>,
    pub(crate) fluids: Vec<Fluid>,
    pub(crate) collisions: Option<Collisions>,
    pub(crate) rigids: Vec<Rigid>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) regions: Vec<Region>,
    pub(crate) penalties: Vec<Penalty>,
    pub(crate) stokes: Option<Arc<Stokes>>,
    pub(crate) motors: Vec<Motor>,
    /// Forces of the motors on the free nodes for the next step [N]; empty without motors.
    pub(crate) driven: Vec<f64>,
}

/// Element whose energy is not defined at the current positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inadmissible {
    /// Kind of the element.
    pub element: ElementKind,
    /// Number of the element in its mesh or part.
    pub number: usize,
}

impl Model {
    /// Returns the number of nodes, free or not.
    pub fn nodes(&self) -> usize {
        self.node_mass.len()
    }

    /// Returns the number of free nodes; they come first.
    pub fn free_nodes(&self) -> usize {
        self.free
    }

    /// Returns the number of unknowns: three per free node.
    pub fn dofs(&self) -> usize {
        3 * self.free
    }

    /// Returns the positions at rest [m].
    pub fn rest(&self) -> &[f64] {
        &self.rest
    }

    /// Returns the mass of every node [kg].
    pub fn node_mass(&self) -> &[f64] {
        &self.node_mass
    }

    /// Returns the number in the mesh of a node of the model.
    pub fn origin(&self, node: usize) -> usize {
        self.origin[node] as usize
    }

    /// Returns the number in the model of a node of the mesh.
    pub fn number(&self, mesh_node: usize) -> usize {
        self.number[mesh_node] as usize
    }

    /// Returns the groups of elements.
    pub fn terms(&self) -> &[Box<dyn Term>] {
        &self.terms
    }

    /// Returns the pattern of every matrix of this model.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// Returns the mass matrix of the free nodes.
    pub fn mass(&self) -> &Mass {
        &self.mass
    }

    /// Returns the Rayleigh damping.
    pub fn damping(&self) -> &Damping {
        &self.damping
    }

    /// Returns the kind of stiffness that methods use: the one requested, or turned where fibres make the automatic one so.
    pub fn stiffness_kind(&self) -> Stiffness {
        self.stiffness
    }

    /// Returns the fluids; their particles are free nodes.
    pub fn fluids(&self) -> &[Fluid] {
        &self.fluids
    }

    /// Returns the description of contact as a constraint, if any.
    pub fn collisions(&self) -> Option<&Collisions> {
        self.collisions.as_ref()
    }

    /// Returns the regions that take more steps than the rest; their nodes are free and ascending.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// Returns true if the elastic force is linear in the positions, so that its stiffness is constant except for
    /// active contacts: see [`Model::is_touching`].
    pub fn is_linear(&self) -> bool {
        self.terms.iter().all(|term| term.is_linear() || term.kind() == ElementKind::Contact)
    }

    /// Returns positions at which the stiffness equals that at x: the rest positions where it is constant, else x.
    pub fn positions_of_stiffness<'a>(&'a self, x: &'a [f64]) -> &'a [f64] {
        let is_same = self.is_linear() && !self.is_touching(x) && !self.is_touching(&self.rest);
        if is_same { &self.rest } else { x }
    }

    /// Returns the contact penalties, which are among the terms as well.
    pub fn penalties(&self) -> &[Penalty] {
        &self.penalties
    }

    /// Returns true if a penalty pushes any node at x.
    pub fn is_touching(&self, x: &[f64]) -> bool {
        self.terms.iter().any(|term| term.kind() == ElementKind::Contact && term.value(x) > 0.0)
    }

    /// Returns true if any node follows a script.
    pub fn is_scripted(&self) -> bool {
        !self.scripts.is_empty()
    }

    /// Sets the external forces on the free nodes, three numbers each [N], or none. They are constant during a step and
    /// may change between steps. They have no stiffness, so cached stiffness and factors of a method stay valid.
    pub fn set_forces(&mut self, forces: &[f64]) {
        assert!(forces.is_empty() || forces.len() == self.dofs(), "three numbers per free node, or none");
        forces.clone_into(&mut self.forces);
    }

    /// Returns true if external forces are given.
    pub fn has_given_forces(&self) -> bool {
        !self.forces.is_empty()
    }

    /// Computes f += all loads at time `t`, plus the given external forces [N].
    fn add_loads(&self, t: f64, f: &mut [f64]) {
        self.loads.iter().for_each(|load| load.add_force(1.0, t, &self.rest, f));
        f.iter_mut().zip(&self.forces).for_each(|(f, given)| *f += given);
        f.iter_mut().zip(&self.driven).for_each(|(f, driven)| *f += driven);
    }

    /// Sets the forces of the motors at positions of all nodes: constant during the next step, as given forces are.
    pub fn drive(&mut self, x: &[f64]) {
        let Model { motors, driven, .. } = self;
        driven.fill(0.0);
        motors.iter().for_each(|motor| motor.add_force(x, driven));
    }

    /// Returns the motors; [`Model::drive`] sets their forces.
    pub fn motors(&self) -> &[Motor] {
        &self.motors
    }

    /// Returns the fluid without inertia that bodies are in, if any.
    pub fn stokes(&self) -> Option<&Stokes> {
        self.stokes.as_deref()
    }

    /// Allocates the drag of that fluid.
    pub fn drag(&self) -> Result<Option<Drag>, LinearError> {
        self.stokes.as_ref().map(|stokes| Drag::new(stokes, self.nodes(), self.free)).transpose()
    }

    /// Allocates the flow of that fluid.
    pub fn flow(&self) -> Result<Option<Flow>, LinearError> {
        self.stokes.as_ref().map(Flow::new).transpose()
    }

    /// Returns true if a free node is not in the fluid, where there is one: only its inertia resists then.
    pub fn has_dry_nodes(&self) -> bool {
        let wet = |stokes: &Stokes| stokes.nodes().iter().filter(|&&i| (i as usize) < self.free).count();
        self.stokes().is_some_and(|stokes| wet(stokes) < self.free)
    }

    /// Returns true if the exact motion conserves the sum of kinetic, elastic and load energy: no damping, no motion or
    /// force from outside, no hard contact and no fluid.
    pub fn is_conservative(&self) -> bool {
        let Damping { mass, stiffness, .. } = self.damping;
        let undamped = mass == 0.0 && stiffness == 0.0;
        let untouched = self.projections.is_empty() && self.collisions.is_none() && self.fluids.is_empty();
        let is_driven = self.has_given_forces() || !self.motors.is_empty();
        undamped && untouched && self.stokes.is_none() && !is_driven && !self.is_scripted()
    }

    /// Returns the state with rest positions at time zero, without velocities except those of scripted nodes.
    pub fn state_at_rest(&self) -> State {
        let turns =
            self.rigids.iter().map(|rigid| Turn { orientation: rigid.orientation, ..Turn::default() }).collect();
        let mut state = State { t: 0.0, x: self.rest.clone(), v: vec![0.0; self.rest.len()], turns };
        self.place(0.0, &mut state.x, &mut state.v);
        state
    }

    /// Returns the rigid bodies.
    pub fn rigids(&self) -> &[Rigid] {
        &self.rigids
    }

    /// Returns the joints.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Returns true if a joint connects these two rigid bodies; these do not collide with each other.
    pub fn joins(&self, a: usize, b: usize) -> bool {
        self.joints.iter().any(|joint| joint.holds(a) && joint.holds(b))
    }

    /// Sets positions and velocities of the nodes that rigid bodies carry.
    pub fn carry(&self, state: &mut State) {
        let State { x, v, turns, .. } = state;
        self.rigids.iter().zip(turns).for_each(|(rigid, turn)| rigid.carry(turn, x, v));
    }

    /// Sets positions and velocities of scripted nodes at time `t`.
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

    /// Computes f = elastic and contact forces at x, plus loads at time `t`; without damping [N].
    pub fn static_force(&self, t: f64, x: &[f64], f: &mut [f64]) {
        f.fill(0.0);
        self.terms.iter().for_each(|term| term.add_force(x, f));
        self.add_loads(t, f);
    }

    /// Computes f = loads at time `t` and given external forces [N].
    pub fn load_force(&self, t: f64, f: &mut [f64]) {
        f.fill(0.0);
        self.add_loads(t, f);
    }

    /// Returns true if nodes are coupled by K alone: the mass is lumped, and D = alpha M + beta K.
    pub fn couples_by_stiffness_alone(&self) -> bool {
        let Damping { stiffness, at_rest, .. } = &self.damping;
        matches!(self.mass, Mass::Lumped(_)) && (*stiffness == 0.0 || at_rest.is_none())
    }

    /// Returns true if loads change with time.
    pub fn has_changing_loads(&self) -> bool {
        self.loads.iter().any(|load| load.profile != Profile::Constant)
    }

    /// Returns true if all loads are the same at two times.
    pub fn has_same_loads(&self, t: f64, other: f64) -> bool {
        self.loads.iter().all(|load| load.is_same(t, other))
    }

    /// Computes f += c (loads at `to` - loads at `from`) [N]; exactly zero for loads that are the same.
    pub fn add_load_change(&self, c: f64, from: f64, to: f64, f: &mut [f64]) {
        for load in self.loads.iter().filter(|load| !load.is_same(from, to)) {
            load.add_force(c, to, &self.rest, f);
            load.add_force(-c, from, &self.rest, f);
        }
    }

    /// Returns true if nodes follow scripts, or if loads change continuously, as gusts do.
    pub fn changes_all_the_time(&self) -> bool {
        self.is_scripted() || self.loads.iter().any(|load| matches!(load.profile, Profile::Gusts { .. }))
    }

    /// Returns true if the force depends on time other than through positions and velocities.
    pub fn depends_on_time(&self) -> bool {
        self.is_scripted() || self.has_changing_loads()
    }

    /// Computes f -= D v. `k` is the current stiffness, if the caller has it; otherwise elements compute the product.
    pub fn add_damping_force<'a>(
        &'a self,
        at: impl Into<Configuration<'a>>,
        v: &[f64],
        k: Option<&BlockMatrix>,
        f: &mut [f64],
    ) {
        let Damping { mass, stiffness, at_rest } = &self.damping;
        let dofs = self.dofs();
        if *mass != 0.0 {
            self.mass.multiply_add(-mass, &v[..dofs], f);
        }
        if *stiffness == 0.0 {
            return;
        }
        match (at_rest, k) {
            // Only elements contain the coupling with nodes that are not unknowns.
            _ if self.is_scripted() => {
                let at = if at_rest.is_some() { (&self.rest).into() } else { at.into() };
                self.add_stiffness_times(-stiffness, at, v, f);
            }
            (Some(at_rest), _) => at_rest.multiply_add(-stiffness, &v[..dofs], f),
            (None, Some(k)) => k.multiply_add(-stiffness, &v[..dofs], f),
            (None, None) => self.add_stiffness_times(-stiffness, at, v, f),
        }
    }

    /// Computes f = the whole force: elastic, contact, loads, damping [N].
    pub fn force(&self, t: f64, x: &[f64], v: &[f64], f: &mut [f64]) {
        self.static_force(t, x, f);
        self.add_damping_force(x, v, None, f);
    }

    /// Computes K = d2U/dx2 of the free nodes [N/m].
    pub fn stiffness<'a>(&self, kind: Stiffness, at: impl Into<Configuration<'a>>, k: &mut BlockMatrix) {
        let at = at.into();
        k.clear();
        self.terms.iter().for_each(|term| term.add_stiffness(kind, at, k));
    }

    /// Computes y += c K w without a matrix; w covers all nodes, y the free ones.
    pub fn add_stiffness_times<'a>(&self, c: f64, at: impl Into<Configuration<'a>>, w: &[f64], y: &mut [f64]) {
        let at = at.into();
        self.terms.iter().for_each(|term| term.add_stiffness_times(self.stiffness, c, at, w, y));
    }

    /// Computes A = m M + d D + k K, with `stiffness` the matrix K. `damping` is the K in D, if it differs.
    pub fn combine(
        &self,
        [m, d, k]: [f64; 3],
        stiffness: &BlockMatrix,
        damping: Option<&BlockMatrix>,
        a: &mut BlockMatrix,
    ) {
        self.combined([m, d, k], damping, a, |scale, a| a.set_scaled(scale, stiffness));
    }

    /// Replaces K by A = m M + d D + k K. `damping` is the K in D, if it differs.
    pub fn combine_in_place(&self, factors: [f64; 3], damping: Option<&BlockMatrix>, a: &mut BlockMatrix) {
        self.combined(factors, damping, a, |scale, a| a.scale(scale));
    }

    fn combined(
        &self,
        [m, d, k]: [f64; 3],
        damping: Option<&BlockMatrix>,
        a: &mut BlockMatrix,
        set_scaled: impl FnOnce(f64, &mut BlockMatrix),
    ) {
        let Damping { mass: alpha, stiffness: beta, at_rest } = &self.damping;
        let damping = at_rest.as_ref().or(damping).filter(|_| *beta != 0.0);
        set_scaled(if damping.is_some() { k } else { k + d * beta }, a);
        if let Some(damping) = damping {
            a.add_scaled(d * beta, damping);
        }
        self.mass.add_to(m + d * alpha, a);
    }

    /// Applies hard contacts to a state after a step; returns true if any node moved.
    pub fn project(&self, state: &mut State) -> bool {
        let State { x, v, .. } = state;
        self.projections.iter().fold(false, |moved, projection| projection.apply(x, v) | moved)
    }

    /// Returns the first element whose energy is not defined at x.
    pub fn first_inadmissible(&self, x: &[f64]) -> Option<Inadmissible> {
        self.terms.iter().find_map(|term| {
            let e = term.first_inadmissible(x)?;
            Some(Inadmissible { element: term.kind(), number: term.origin(e) })
        })
    }
}
