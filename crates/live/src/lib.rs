//! Live view of a simulation while it is computed, or of a run directory while it is written, from a local server.
//!
//! [`Server`] listens on the loopback address and answers clients that know a token. A separate thread computes a scene
//! and takes [`Command`]s between steps; frames for the page pass through a small buffer. Nothing is written.

mod answer;
mod board;
mod command;
mod facts;
mod feed;
mod frame;
mod gate;
mod pull;
mod replay;
mod server;
mod simulation;
mod stage;
mod token;

pub use command::{Command, CommandError};
pub use server::{LiveError, Server};
pub use simulation::MOST_PARTICLES;
