//! Subcommands, one file each: arguments and execution.

pub mod bench;
pub mod check;
pub mod compare;
pub mod convert;
pub mod demo;
pub mod doctor;
pub mod export;
pub mod list;
pub mod mesh;
pub mod new;
pub mod plot;
mod regions;
pub mod reproduce;
pub mod resume;
pub mod run;
pub mod schema;
mod turning;
pub mod view;
