//! The simulated model: nodes, mass, damping, energies, materials, loads, fixed and scripted nodes, contact, rigid
//! bodies, meshes and their generators. This crate knows nothing about time stepping or files.

mod alike;
mod between;
mod blueprint;
pub mod collisions;
mod damping;
pub mod energy;
pub mod fibre;
pub mod fluid;
pub mod initial;
mod joint;
pub mod load;
pub mod mass;
pub mod material;
mod measure;
pub mod mesh;
mod model;
mod name;
pub mod parameter;
mod region;
mod regional;
mod rigid;
pub mod script;
mod state;
pub mod stokes;
mod warp;

pub use alike::Alike;
pub use blueprint::{Basis, Blueprint, FaceSpringPart, FibreError, LoadPart, ModelError, SolidPart, SpringPart};
pub use damping::Damping;
pub use fluid::{Fluid, FluidError, Liquid};
pub use joint::{Anchor, Joint, JointKind};
pub use model::{Inadmissible, Model};
pub use region::{Region, RegionError};
pub use rigid::{Rigid, RigidError, RigidMass, Turn};
pub use state::State;
pub use warp::{Warp, WarpError};
