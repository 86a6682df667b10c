//! pliant, as a library: simulates elastic things that move, with a choice of time integrators.
//!
//! A bar of rubber, held at one end, swings under its weight:
//!
//! ```
//! use pliant::prelude::*;
//!
//! let mut world = Builder::new([0.0, 0.0, -9.81]);
//! let rubber = material("stable-neo-hookean", [("young", 1e6), ("poisson", 0.45)])?;
//! let bar = world.solid(&generate("bar", [])?, rubber, 1000.0);
//! world.fix(&bar, |x| x[0] < 1e-9);
//! let mut simulation = Simulation::new(world.build()?, method("siere")?, &Options::default(), 0.01)?;
//! for _ in 0..10 {
//!     simulation.step()?; // an error leaves the last good state
//! }
//! assert!(simulation.energies().kinetic > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to do | begin with |
//! |---|---|
//! | a model from meshes, materials and forces | [`Builder`](simulation::Builder), or [`Blueprint`](model::Blueprint) for all of it |
//! | single steps, runs, forces of your own | [`Simulation`](simulation::Simulation), [`Observer`](simulation::Observer) |
//! | a material of your own | [`Material`](model::material::Material), [`law`](model::material::law) |
//! | an energy of your own | [`Energy`](model::energy::Energy), [`part`](model::energy::part) |
//! | a time integrator of your own | [`Stepper`](integrators::Stepper); with facts and parameters [`Method`](integrators::Method), [`Setting`](integrators::Setting) |
//! | other values of the parameters of a method | [`Options`](integrators::Options), [`parameters`](integrators::parameters) |
//! | scene files and what runs write | [`Scene`](scene::Scene) |
//! | meshes from files and shapes | [`formats`], [`geometry`] |
//! | matrix functions, factors, lowest modes of your own matrices | [`numerics`] |
//!
//! `examples/` of this crate has one short program for each. Features: `command` (default) is the program, `pages` its pages and plots. A
//! library alone needs neither: `pliant = { version = "0.1", default-features = false }`.

pub use {collision, formats, geometry, integrators, model, numerics, scene, simulation};
#[cfg(feature = "pages")]
pub use {live, report};

/// The example of the readme, compiled and run by the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The names that most programs need.
pub mod prelude {
    pub use integrators::{
        METHODS, Method, Options, StepError, StepReport, Stepper, find, named as method, parameters,
    };
    pub use model::material::named as material;
    pub use model::mesh::Mesh;
    pub use model::mesh::generate::{Value, generate};
    pub use model::{Blueprint, Model, State};
    pub use numerics::mat3::Vec3;
    pub use scene::{Problems, Scene};
    pub use simulation::{
        AddedBody, Builder, Energies, Moment, Observer, ObserverError, Outcome, Simulation, Until, stable_step,
    };
}
