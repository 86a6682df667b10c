//! Python packages that benches compare with: found in the system's Python or in target/venv, where they are installed
//! if missing.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns a Python that can import `module` of the package `package`, or the reason why there is none.
pub(super) fn with(module: &str, package: &str) -> Result<PathBuf, String> {
    let venv = venv();
    let python = venv.join("bin/python");
    let candidates = [PathBuf::from("python3"), python.clone()];
    match candidates.into_iter().find(|python| imports(python, module)) {
        Some(python) => Ok(python),
        None => install(&venv, package).map(|()| python),
    }
}

/// Returns target/venv of pliant's source, or of the current folder.
fn venv() -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = if source.join("Cargo.toml").exists() { source } else { PathBuf::from(".") };
    folder.join("target/venv")
}

fn imports(python: &Path, module: &str) -> bool {
    let mut command = Command::new(python);
    command.args(["-c", &format!("import {module}")]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn install(venv: &Path, package: &str) -> Result<(), String> {
    eprintln!("installing {package} into {}", venv.display());
    let run = |command: &mut Command| {
        let status = command.stdout(Stdio::null()).status().map_err(|error| format!("python: {error}"))?;
        let refused = || format!("{package} cannot be installed: see what pip says above");
        if status.success() { Ok(()) } else { Err(refused()) }
    };
    if !venv.join("bin/python").exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(venv))?;
    }
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "numpy", package];
    run(Command::new(venv.join("bin/python")).args(install))
}
