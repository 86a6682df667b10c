//! Declarations of all parameters of methods. Each stands in the file of the method, or of the part, that owns it.
//!
//! ```
//! use integrators::{Modes, Options, parameters};
//!
//! let options = Options::default().with(&parameters::MODES, Modes::Auto);
//! ```

pub use crate::asynchronous::{CONTACT, COUPLING, SYMMETRIC};
pub use crate::controller::{ADAPTIVE, STEP_TOLERANCE};
pub use crate::gautschi::LINEAR_PART;
pub use crate::generalized_alpha::RHO_INFINITY;
pub use crate::halving::HALVINGS;
pub use crate::linear_system::{SOLVER, SOLVER_ITERATIONS, SOLVER_TOLERANCE};
pub use crate::linearly_implicit_euler::LINEARISE_AT;
pub use crate::matrix_functions::{KRYLOV, KRYLOV_TOLERANCE, PRODUCTS};
pub use crate::newmark::{BETA, GAMMA};
pub use crate::siere::{MODES, MODES_TOLERANCE, REST, REST_RULE};
pub use crate::small_steps::{ORDER, PASSES, RELAXATION, SUBSTEPS, WEIGHT};
pub use crate::stage::{HESSIAN_CORRECTION, ITERATIONS, LINE_SEARCH, TOLERANCE};
pub use crate::turning_frame::FRAME;
pub use crate::unresolved::UNRESOLVED_DAMPING;
