//! Mesh doctor: finds defects of a mesh, and mends them.
//!
//! [`examine`] changes nothing; [`mend`] applies the given fixes. A million tets take a few seconds.

mod crossing;
mod diagnosis;
mod elements;
mod examine;
mod faces;
mod fix;
mod hinges;
mod nesting;
mod nodes;
mod quality;
pub mod renumber;
mod surface;

pub use diagnosis::{Diagnosis, Facts, Finding, Kind, Offender, Severity};
pub use examine::examine;
pub(crate) use faces::edges_of_triangles;
pub use faces::triangles_of_tets;
pub use fix::{Change, Fix, mend};
pub use quality::{BARS, Quality, WIDEST, smallest_dihedral};
