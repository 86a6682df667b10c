//! The mesh files of a run are kept with it: run.toml names the copies, and their checksums.

use super::OutputError;
use super::directory::{Directory, MESHES_DIRECTORY};
use crate::Scene;
use crate::disk::write_whole;
use crate::files::MeshFile;
use std::fs;

/// Writes the files that were read. They keep their names, because files of one mesh refer to each other by name; one
/// directory per mesh separates the files of different meshes.
pub(super) fn keep(directory: &Directory, files: &[MeshFile]) -> Result<(), OutputError> {
    for (i, file) in files.iter().enumerate() {
        let copy = directory.join(&format!("{MESHES_DIRECTORY}/{}", i + 1));
        fs::create_dir_all(&copy).map_err(OutputError::io("create", &copy))?;
        file.parts.iter().try_for_each(|(name, bytes)| write_whole(&copy.join(name), bytes))?;
    }
    Ok(())
}

/// Returns run.toml: the scene with the kept meshes. Reading and building it gives the same scene.
pub(super) fn run_toml(scene: &Scene, files: &[MeshFile]) -> String {
    scene.to_toml_with(&|path| {
        let number = files.iter().position(|file| file.path == path)?;
        let (name, _) = files[number].parts.first()?;
        Some((format!("{MESHES_DIRECTORY}/{}/{name}", number + 1), files[number].checksum()))
    })
}
