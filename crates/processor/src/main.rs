//! Starts the build of pliant that fits this machine best: `../libexec/pliant/pliant-v1` to `pliant-v4`, seen from where the
//! launcher is. `PLIANT_CPU=v3` forces one. The launcher itself is built for x86-64, so that it starts everywhere.

use processor::{FORCE, Level, choose};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Exit code of wrong usage, as pliant has it.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    match start() {
        Ok(code) => code,
        Err(told) => {
            eprintln!("error: {told}");
            ExitCode::from(USAGE)
        }
    }
}

fn start() -> Result<ExitCode, String> {
    let launcher = std::env::current_exe().and_then(|path| path.canonicalize());
    let launcher = launcher.map_err(|error| format!("the launcher does not find itself ({error})"))?;
    let root = launcher.parent().and_then(|bin| bin.parent()).map(PathBuf::from).unwrap_or_default();
    let build = |level: Level| root.join("libexec/pliant").join(format!("pliant-{}", level.short()));
    let installed: Vec<Level> = Level::ALL.into_iter().filter(|&level| build(level).is_file()).collect();
    let machine = Level::of_machine().ok_or("this machine is not an x86-64: build pliant on it")?;
    let asked = std::env::var_os(FORCE).map(OsString::into_string).transpose();
    let asked = asked.map_err(|name| format!("{FORCE}={} is no level", name.display()))?;
    let program = build(choose(machine, &installed, asked.as_deref()).map_err(|error| error.to_string())?);
    let mut command = Command::new(&program);
    command.args(std::env::args_os().skip(1));
    become_it(command).map_err(|error| format!("{} does not start ({error}): install again", program.display()))
}

/// Becomes the program: same process, so that signals and exit codes are its own.
#[cfg(unix)]
fn become_it(mut command: Command) -> std::io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.arg0("pliant").exec())
}

/// Starts the program and waits for it.
#[cfg(not(unix))]
fn become_it(mut command: Command) -> std::io::Result<ExitCode> {
    let code = command.status()?.code().unwrap_or(processor::CANNOT_RUN);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}
