//! Interface of every method: one step, with a report of its work or an error.

use model::energy::ElementKind;
use model::stokes::DragError;
use model::{Model, State};
use numerics::functions::FunctionError;
use numerics::interrupt::Interrupted;
use numerics::linear::{Decision, LinearError, Work};
use numerics::vectors::is_finite;
use std::fmt;

/// Largest number of small steps of a region per large step that is stable by itself: up to it no case grew. Damping
/// allows more, but not in every case.
pub const SAFE_RATIO: usize = 10;

/// A time integrator with its memory.
///
/// ```
/// use integrators::{StepError, StepReport, Stepper};
/// use model::{Model, State};
///
/// /// Symplectic Euler for lumped masses: v += h f / m, then x += h v.
/// struct Own {
///     force: Vec<f64>,
/// }
///
/// impl Stepper for Own {
///     fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
///         model.force(state.t, &state.x, &state.v, &mut self.force);
///         for i in 0..model.dofs() {
///             state.v[i] += h * self.force[i] / model.node_mass()[i / 3];
///             state.x[i] += h * state.v[i];
///         }
///         state.t += h;
///         Ok(StepReport { forces: 1, ..StepReport::default() })
///     }
/// }
/// # let mut blueprint = model::Blueprint::default();
/// # blueprint.mesh.points = vec![[0.0; 3]];
/// # blueprint.node_masses = vec![(0, 2.0)];
/// # let (basis, profile) = (model::Basis::Mass, model::load::Profile::Constant);
/// # blueprint.loads = vec![model::LoadPart { nodes: vec![0], basis, direction: [0.0, 0.0, -10.0], profile }];
/// # let model = blueprint.build().unwrap();
///
/// // One node that falls for 0.2 s, at 10 m/s^2.
/// let mut state = model.state_at_rest();
/// let mut own = Own { force: vec![0.0; model.dofs()] };
/// own.step(&model, &mut state, 0.1)?;
/// own.step(&model, &mut state, 0.1)?;
/// assert!((state.v[2] + 2.0).abs() < 1e-12 && (state.x[2] + 0.3).abs() < 1e-12);
/// # Ok::<(), StepError>(())
/// ```
pub trait Stepper: Send + Sync {
    /// Advances `state` by `h` [s]. On an error the state is what it was. Asks [`numerics::interrupt::check`] before every
    /// product, solve, pass or small step.
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError>;

    /// Returns the forces of constraints on all nodes in the last substep, from their multipliers [N]: on a node with
    /// prescribed motion it is minus the force that holds it. `None` for methods without multipliers.
    fn constraint_forces(&self) -> Option<&[f64]> {
        None
    }

    /// Returns true if regions with ratios above [`SAFE_RATIO`] may let motions grow by themselves.
    fn may_grow(&self) -> bool {
        false
    }

    /// Drops the memory of earlier steps: the state has been changed from outside.
    fn forget(&mut self) {}

    /// Drops what a small change of the state from outside makes wrong, as contact does after a step; may keep what only
    /// makes the next step cheaper.
    fn disturb(&mut self) {
        self.forget();
    }

    /// Returns the response of whole bodies to impulses in the step of length `h` [s] just taken from a state; `None` for
    /// methods without such a matrix.
    fn response(&mut self, model: &Model, before: &State, h: f64) -> Result<Option<&mut dyn Response>, StepError> {
        let _ = (model, before, h);
        Ok(None)
    }

    /// Returns the memory of earlier steps, as numbers. With it and the state, a new stepper of the same method and
    /// model continues bit-for-bit identical.
    fn memory(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Restores the result of `memory`. Returns false if it cannot come from this method and model; then nothing is
    /// remembered.
    fn recall(&mut self, memory: &[f64]) -> bool {
        self.forget();
        memory.is_empty()
    }
}

/// Response of whole bodies to impulses within a step: the inverse of M + h D + h^2 K, where nodes alone have that of M.
///
/// ```
/// use integrators::{Response, StepReport};
/// use numerics::linear::LinearError;
///
/// /// Nodes that nothing connects, by their masses [kg].
/// struct Alone(Vec<f64>);
///
/// impl Response for Alone {
///     fn respond(&mut self, impulses: &mut [f64], _: &mut StepReport) -> Result<(), LinearError> {
///         impulses.iter_mut().enumerate().for_each(|(i, impulse)| *impulse /= self.0[i / 3]);
///         Ok(())
///     }
/// }
///
/// let mut impulses = [0.0, 0.0, 3.0];
/// Alone(vec![2.0]).respond(&mut impulses, &mut StepReport::default())?;
/// assert_eq!(impulses, [0.0, 0.0, 1.5]);
/// # Ok::<(), LinearError>(())
/// ```
pub trait Response {
    /// Overwrites impulses on the free nodes [N s] with the changes of velocity that they cause [m/s].
    fn respond(&mut self, impulses: &mut [f64], report: &mut StepReport) -> Result<(), LinearError>;
}

/// Work of one step. Counts, never seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StepReport {
    /// Evaluations of the whole force.
    pub forces: u64,
    /// Assemblies of the stiffness matrix.
    pub assemblies: u64,
    /// Newton iterations.
    pub newton: u64,
    /// Times a Newton step was shortened.
    pub backtracks: u64,
    /// Times the step was halved.
    pub halvings: u64,
    /// Largest number of negative eigenvalues seen in a system matrix.
    pub negative_pivots: u64,
    /// Largest number of captured modes.
    pub modes: u64,
    /// Steps inside the step: of adaptive methods, and pieces of matrix functions.
    pub substeps: u64,
    /// Steps inside the step that were rejected because their error was too large.
    pub rejected: u64,
    /// Largest estimated angle between those modes and the exact ones [rad].
    pub mode_angle: f64,
    /// Passes of the search for them, each a block solve.
    pub mode_passes: u64,
    /// Mean compression of fluid particles before the last pass of the step; zero without.
    pub compression: f64,
    /// Largest gap of a joint at the end of the step [m]; zero without.
    pub joint_gap: f64,
    /// Energy taken by numerical damping, which is no property of the scene [J]: that of `unresolved_damping`.
    pub numerical_damping: f64,
    /// Relative residual of asynchronous steps that treat their matrix as symmetric; zero where it is symmetric or not
    /// treated so.
    pub asymmetry: f64,
    /// Largest force of a joint in the last substep, from its multiplier [N]; zero without.
    pub joint_force: f64,
    /// Largest number of contacts by impulses that pushed.
    pub contacts: u64,
    /// Rounds of the search for pairs that meet.
    pub contact_rounds: u64,
    /// Groups of contacts that moved as rigid bodies, because impulses did not resolve them.
    pub contact_zones: u64,
    /// Kinetic energy that contacts by impulses added [J]: negative, unless obstacles move.
    pub contact_work: f64,
    /// Sum of their impulses along normals [N s].
    pub contact_impulse: f64,
    /// Decision about the factor kept from step to step.
    pub factor: Decision,
    /// Largest number of matrices it has been kept for.
    pub factor_age: u64,
    /// Work of the linear solver.
    pub linear: Work,
}

impl StepReport {
    /// Adds the work of another step.
    pub fn add(&mut self, other: &StepReport) {
        self.forces += other.forces;
        self.assemblies += other.assemblies;
        self.newton += other.newton;
        self.backtracks += other.backtracks;
        self.halvings += other.halvings;
        self.negative_pivots = self.negative_pivots.max(other.negative_pivots);
        self.modes = self.modes.max(other.modes);
        self.mode_angle = self.mode_angle.max(other.mode_angle);
        self.mode_passes += other.mode_passes;
        self.compression = self.compression.max(other.compression);
        self.joint_gap = self.joint_gap.max(other.joint_gap);
        self.numerical_damping += other.numerical_damping;
        self.asymmetry = self.asymmetry.max(other.asymmetry);
        self.joint_force = self.joint_force.max(other.joint_force);
        self.contacts = self.contacts.max(other.contacts);
        self.contact_rounds += other.contact_rounds;
        self.contact_zones += other.contact_zones;
        self.contact_work += other.contact_work;
        self.contact_impulse += other.contact_impulse;
        self.substeps += other.substeps;
        self.rejected += other.rejected;
        self.factor = self.factor.max(other.factor);
        self.factor_age = self.factor_age.max(other.factor_age);
        self.linear += other.linear;
    }
}

impl From<Interrupted> for StepError {
    fn from(_: Interrupted) -> StepError {
        StepError::Interrupted
    }
}

/// Reason why a step failed. Nodes and elements are numbered as in the mesh.
#[derive(Debug, Clone, PartialEq)]
pub enum StepError {
    /// A position, velocity or force is not a finite number.
    NonFinite {
        /// First such node.
        node: usize,
    },
    /// An element is inverted, and its material has no energy there.
    Inverted {
        /// Kind of the element.
        element: ElementKind,
        /// Number of the element.
        number: usize,
    },
    /// A fluid particle has too many neighbours.
    Crowded {
        /// Node of the particle.
        node: usize,
        /// Limit of neighbours.
        most: usize,
    },
    /// Newton's method did not converge.
    NewtonStalled {
        /// Iterations done.
        iterations: usize,
        /// Residual force over the forces in play.
        residual: f64,
        /// Node with the largest residual.
        node: usize,
    },
    /// The linear solver failed.
    Linear(LinearError),
    /// There is no drag in Stokes flow.
    Drag(DragError),
    /// The matrix functions of an exponential method could not be computed.
    Functions(FunctionError),
    /// Steps of regions create energy.
    Growing {
        /// Energy created [J].
        made: f64,
        /// Largest kinetic and elastic energy so far [J].
        most: f64,
        /// Largest ratio of steps.
        ratio: usize,
    },
    /// Stopped on request.
    Interrupted,
    /// No inner step, however short, is within the tolerance.
    Unresolved {
        /// Last step tried [s].
        step: f64,
        /// Error of that step, relative to the motion.
        error: f64,
    },
}

impl StepError {
    /// Returns a short name of the cause, for tables and programs.
    pub fn cause(&self) -> &'static str {
        match self {
            StepError::NonFinite { .. } => "non-finite value",
            StepError::Inverted { .. } => "inverted element",
            StepError::Crowded { .. } => "crowded particles",
            StepError::NewtonStalled { .. } => "Newton stalled",
            StepError::Linear(_) => "linear solve failed",
            StepError::Drag(_) => "no drag",
            StepError::Functions(_) => "matrix functions failed",
            StepError::Growing { .. } => "energy grows",
            StepError::Interrupted => "interrupted",
            StepError::Unresolved { .. } => "step unresolved",
        }
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepError::NonFinite { node } => {
                write!(f, "node {node} has a value that is not finite: use a smaller step or an implicit method")
            }
            StepError::Crowded { node, most } => write!(
                f,
                "particle {node} has more than {most} others near it: start fluids with their particles apart, or use more \
                 substeps"
            ),
            StepError::Inverted { element, number } => write!(
                f,
                "{element} {number} has turned inside out, where its material has no energy: use a smaller step, \
                 the projected stiffness, or a material that survives it such as stable-neo-hookean"
            ),
            StepError::NewtonStalled { iterations, residual, node } => write!(
                f,
                "Newton's method stalled after {iterations} iterations at a relative residual of {residual:.1e}, \
                 largest at node {node}: use a smaller step, hessian_correction = true, or allow halvings"
            ),
            StepError::Linear(error) => error.fmt(f),
            StepError::Drag(error) => error.fmt(f),
            StepError::Functions(error) => error.fmt(f),
            StepError::Growing { made, most, ratio } => write!(
                f,
                "the steps have created {made:.1e} J of energy, with {most:.1e} J at most before: regions with {ratio} small steps \
                 per large step are not always stable; lower the ratio to {SAFE_RATIO} or less, set coupling = \"conserving\", \
                 give damping by the stiffness, or use a smaller step"
            ),
            StepError::Interrupted => write!(f, "interrupted"),
            StepError::Unresolved { step, error } => write!(
                f,
                "even an inner step of {step:.1e} s has an error of {error:.1e}: the motion is not smooth there; use a \
                 larger step_tolerance or an implicit method"
            ),
        }
    }
}

impl std::error::Error for StepError {}

impl StepError {
    /// Turns the error of a linear solve into one that names nodes of the mesh.
    pub fn linear(model: &Model, error: LinearError) -> StepError {
        let node = |row: usize| model.origin(row.min(model.nodes() - 1));
        if error == LinearError::Interrupted {
            return StepError::Interrupted;
        }
        StepError::Linear(match error {
            LinearError::Singular { row: Some(row) } => LinearError::Singular { row: Some(node(row)) },
            LinearError::NonFinite { row } => LinearError::NonFinite { row: node(row) },
            other => other,
        })
    }
}

impl StepError {
    /// Turns the error of a drag into one that names nodes of the mesh.
    pub(crate) fn drag(model: &Model, error: DragError) -> StepError {
        match error {
            DragError::Linear(error) => StepError::linear(model, error),
            DragError::NonFinite { node } => StepError::NonFinite { node: model.origin(node) },
            DragError::Mobility => StepError::Drag(error),
        }
    }
}

impl StepError {
    /// Turns the error of matrix functions into one that names nodes of the mesh.
    pub(crate) fn functions(model: &Model, error: FunctionError) -> StepError {
        match error {
            FunctionError::Linear(error) => StepError::linear(model, error),
            other => StepError::Functions(other),
        }
    }
}

impl StepError {
    /// Returns true if shorter steps would fail the same way.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self, StepError::Interrupted | StepError::Functions(FunctionError::TooMuchWork { .. }))
    }
}

/// Returns `Ok` if every number is finite; otherwise the cause, an inverted element if there is one at `x`.
pub(crate) fn check_finite(model: &Model, x: &[f64], values: &[f64]) -> Result<(), StepError> {
    if is_finite(values) {
        return Ok(());
    }
    if let Some(found) = model.first_inadmissible(x) {
        return Err(StepError::Inverted { element: found.element, number: found.number });
    }
    let first = values.iter().position(|value| !value.is_finite()).unwrap_or(0);
    Err(StepError::NonFinite { node: model.origin(first / 3) })
}
