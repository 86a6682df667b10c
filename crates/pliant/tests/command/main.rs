//! The command as people and programs use it: every test starts the program.

#[path = "../../../scene/tests/output_reader/mod.rs"]
mod reader;
mod workspace;

mod bad_meshes;
mod check;
mod compare;
mod demo;
mod directories;
mod divergence;
mod exit_codes;
mod export;
mod file_bodies;
mod interrupt;
mod listing;
mod mesh;
mod meshes;
mod regions;
mod resume;
mod run;
mod set;
mod soak;
mod threads;
mod view;
