//! Runs of a scene side by side: recorded, compared, and shown in a page of one file.
//!
//! [`Recorder`] observes a run and keeps the data to draw; [`compare`] runs a scene with several methods and steps;
//! [`page`] puts everything into one HTML file that opens without a network or a server.

mod alone;
mod blocks;
mod compare;
mod cost;
mod damping;
mod drawing;
mod extent;
mod fields;
pub mod figures;
mod flow;
mod letters;
mod obstacles;
pub mod page;
mod plan;
pub mod plot;
pub mod png;
mod recording;
mod reference;
pub mod series;
mod side_by_side;
pub mod tables;
mod verdict;
mod work;

pub use compare::{ComparedRun, Comparison, Watch, compare};
pub use damping::{Damping, DampingPoint, damping};
pub use drawing::{Drawing, Particles};
pub use extent::{around, top};
pub use fields::{FIELDS, Fields};
pub use flow::FlowPlane;
pub use obstacles::{Drawn, Look, Way};
pub use plan::{CompareError, Contender, Plan};
pub use recording::{Recorder, Recording, Sample};
pub use reference::Reference;
