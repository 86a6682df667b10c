//! `pliant new`: writes a commented scene to start from.

use crate::failure::{DONE, Failure};
use crate::print;
use scene::output::OutputError;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

/// Arguments of `pliant new`.
#[derive(clap::Args)]
pub struct Arguments {
    /// File to write; an existing file is never overwritten
    #[arg(default_value = "scene.toml")]
    path: PathBuf,
}

/// Writes the scene.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    let path = &arguments.path;
    let mut file = match File::create_new(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(Failure::Usage(format!("{} is there already; choose another name", path.display())));
        }
        result => result.map_err(OutputError::io("create", path)).map_err(Failure::InPlace)?,
    };
    file.write_all(scene::spec::starter().as_bytes())
        .map_err(OutputError::io("write", path))
        .map_err(Failure::InPlace)?;
    let path = path.display();
    print::out(&format!(
        "wrote {path}\n\n  pliant check {path}    see what it says\n  pliant run {path}      run it\n"
    ));
    Ok(DONE)
}
