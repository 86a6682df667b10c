//! Tables and figures of papers as data: a [`Study`] names the scenes and methods that a paper compares, the numbers it
//! gives, and its claim as something that can be false. [`run`] runs a study, [`judge`] computes the [`Verdict`], and
//! [`page`] shows paper and result side by side.

mod claim;
mod error;
mod judge;
mod meshes;
pub mod page;
mod quantities;
mod run;
mod store;
mod study;
mod trials;

pub use claim::{Claim, ClaimError};
pub use error::StudyError;
pub use judge::{JudgedClaim, JudgedNumber, Judgement, Verdict, judge};
pub use quantities::Quantities;
pub use run::{Found, Setting, kept, run};
pub use store::Store;
pub use study::{OwnMesh, PAPERS, Paper, Size, Study, all};
pub use trials::Trial;
