//! Memory measured in a separate process: memory that an allocator keeps from earlier work would hide the peak.

use super::super::peak_memory_mib;
use super::THREADS;
use crate::failure::Failure;
use scene::body::Fill;
use scene::files::{fill_file, read_mesh};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Environment variables that tell this program to do one thing and print its peak of memory.
const FILE: &str = "PLIANT_BENCH_MESH_FILE";
const VERTICES: &str = "PLIANT_BENCH_MESH_VERTICES";

/// Returns the peak of memory of a process that reads a file, or fills it to this many vertices [MiB]; `None` where the
/// system does not report it.
pub(super) fn peak(file: &Path, vertices: Option<usize>) -> Option<f64> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.args(["bench", "mesh"]).env(FILE, file).stderr(Stdio::null());
    command.env("RAYON_NUM_THREADS", THREADS.to_string());
    if let Some(vertices) = vertices {
        command.env(VERTICES, vertices.to_string());
    }
    let output = command.output().ok().filter(|output| output.status.success())?;
    let peak = String::from_utf8(output.stdout).ok()?.trim().parse::<f64>().ok()?;
    (peak > 0.0).then_some(peak)
}

/// Does what [`peak`] asked of this process, if anything: returns the peak as text.
pub(super) fn asked() -> Option<Result<String, Failure>> {
    let file = PathBuf::from(std::env::var_os(FILE)?);
    let vertices = std::env::var(VERTICES).ok().and_then(|vertices| vertices.parse::<usize>().ok());
    let done = match vertices {
        None => read_mesh(&file),
        vertices => {
            let fill = Fill { vertices, grading: None, surface: None };
            fill_file(&file, &fill, &|_| {}).map(|(made, _)| made.mesh)
        }
    };
    Some(done.map(|_| format!("{}\n", peak_memory_mib())).map_err(Failure::from))
}
