//! Collision detection: shapes, trees of boxes, closest points, contacts of shapes and of moving triangles.
//!
//! This crate knows geometry only: no mass, no time stepping, no files. Nothing depends on the number of threads.
//!
//! - [`Shape`] and [`Pose`]: signed distance, mass properties and triangles of rigid shapes.
//! - [`manifold()`](manifold::manifold): the contacts of two shapes.
//! - [`Tree`]: boxes that overlap.
//! - [`CollisionSurface`]: moving vertices, edges and triangles, among themselves and against shapes.
//! - [`first_contact`](pairs::first_contact): the first time at which two moving features may touch; none is missed.
//! - [`Colours`]: contacts that share no node, in the same order on any number of threads.

pub mod bounds;
pub mod closest;
pub mod colours;
pub mod manifold;
pub mod pairs;
pub mod pose;
pub mod shape;
pub mod sweep;
pub mod tree;

mod polyhedron;
mod unit;

pub use bounds::Bounds;
pub use colours::{Colours, Joins};
pub use manifold::{Contact, manifold};
pub use pairs::{CollisionSurface, Kind, Reach, ShapeTouch, Touch, Vertices};
pub use pose::Pose;
pub use shape::{Near, Shape, ShapeError};
pub use sweep::Sweep;
pub use tree::{Lists, Tree, Volume};
