//! A simulation in a page while it is computed, or the run of a directory while it is written, from a local server.
//!
//! [`Server`] listens on the loopback address and answers those who know a token. A scene is computed by a thread of its own
//! that takes [`Command`]s between steps; what the page draws goes over a board with room for few frames. Nothing is written.

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
