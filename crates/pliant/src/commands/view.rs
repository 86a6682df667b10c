//! `pliant view`: shows a scene in a page while it is computed, or a run while it is written.

use crate::failure::{DONE, Failure};
use crate::print;
use crate::progress::filling;
use crate::stop;
use live::Server;
use scene::export::Replay;
use scene::{Overrides, Scene};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Arguments of `pliant view`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Scene file, to run it live; or run directory, to play its frames, even while it is being written
    #[arg(value_name = "SCENE|DIR")]
    what: PathBuf,
    /// Override the scene's method; see `pliant list methods`
    #[arg(short, long, value_name = "NAME")]
    method: Option<String>,
    /// Override the scene's step [s]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    step: Option<f64>,
    /// Port of 127.0.0.1; 0 for any free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Open the page in a browser. The address, which grants access, is then an argument of the program that opens it,
    /// and other users of this machine may see it
    #[arg(long)]
    open: bool,
}

/// Shows it until Ctrl-C.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    let stop = stop::on_interrupt();
    let server = if arguments.what.is_dir() { of_directory(arguments)? } else { of_scene(arguments)? };
    print::out(&format!("Open {} in a browser; Ctrl-C ends it.\n", server.address()));
    if arguments.open {
        open(server.address());
    }
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(DONE)
}

fn of_scene(arguments: &Arguments) -> Result<Server, Failure> {
    let overrides = Overrides::new().method(arguments.method.as_deref()).step(arguments.step);
    let scene = Scene::load_with(&arguments.what, &overrides)?;
    let built = scene.build_telling(&filling(false))?;
    Ok(Server::of_scene(scene, built, &command(arguments), arguments.port)?)
}

fn of_directory(arguments: &Arguments) -> Result<Server, Failure> {
    if arguments.method.is_some() || arguments.step.is_some() {
        let message = "the run of a directory has its method and step; leave out --method and --step, or view a scene";
        return Err(Failure::Usage(message.to_string()));
    }
    let replay = Replay::open(&arguments.what, live::MOST_PARTICLES)?;
    Ok(Server::of_run(replay, &arguments.what, &command(arguments), arguments.port)?)
}

/// Returns the command that repeats it.
fn command(arguments: &Arguments) -> String {
    let mut text = format!("pliant view {}", print::quoted(&arguments.what));
    if let Some(method) = &arguments.method {
        text += &format!(" --method {method}");
    }
    if let Some(step) = arguments.step {
        text += &format!(" --step {step}");
    }
    text
}

/// Asks the desktop to open an address. Where there is none, the printed address is enough.
fn open(address: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = std::process::Stdio::null;
    let _ = std::process::Command::new(program).arg(address).stdout(quiet()).stderr(quiet()).spawn();
}
