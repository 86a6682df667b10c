//! pliant: simulates elastic bodies in motion, with a choice of time integrators.

mod bench;
mod commands;
mod failure;
mod print;
mod progress;
mod stop;
mod threads;

use clap::{Parser, Subcommand};
use failure::{DONE, FAILED, NO_FILES, USAGE};
use std::io::Write;
use std::process::ExitCode;
use std::sync::LazyLock;

/// Simulates elastic bodies in motion: solids, cloth, ropes, hair. One scene file, a choice of time integrators.
#[derive(Parser)]
#[command(version = VERSION.as_str(), arg_required_else_help = true, after_help = AFTER_HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// Version, and the instruction level that this build needs.
static VERSION: LazyLock<String> =
    LazyLock::new(|| format!("{} (built for {})", env!("CARGO_PKG_VERSION"), processor::built()));

const AFTER_HELP: &str = "\
First steps:
  pliant demo                            compare several methods on the same bar
  pliant new my.toml                     write a scene to start from
  pliant check my.toml                   check it, with sizes, frequencies and warnings
  pliant view my.toml                    run it live in a browser, and pull the body
  pliant run my.toml                     run it: writes frames and energies to out/my
  pliant run my.toml --method newmark    the same scene with another method: writes to out/my-2
  pliant resume out/my                   continue after Ctrl-C, a crash or a full disk, bit-for-bit identical
  pliant export out/my --to gltf         export it for Blender or a web page: out/my.glb

Your own mesh:
  pliant doctor body.msh                 find its defects, and how to mend them
  pliant convert body.msh body.vtu       convert it to another format

Exit codes: 0 done, 1 output could not be written, 2 wrong usage, 3 diverged, 4 scene, mesh or checkpoint missing or
wrong, 5 done but not as [expect] says, 6 another run writes into the directory, 7 a fault of the program, 130 interrupted.";

#[derive(Subcommand)]
enum Command {
    /// Run a built-in scene with several methods and compare them; needs no files
    Demo(commands::demo::Arguments),
    /// Write a commented scene to start from
    New(commands::new::Arguments),
    /// Report all problems of a scene, or its contents and warnings
    Check(commands::check::Arguments),
    /// Run a scene
    Run(commands::run::Arguments),
    /// Continue an interrupted run, or extend a finished one
    Resume(commands::resume::Arguments),
    /// Write a run in the format of another program: Blender, Houdini, ParaView, a spreadsheet
    Export(commands::export::Arguments),
    /// Find the defects of a mesh file, and mend them
    Doctor(commands::doctor::Arguments),
    /// Write a mesh file in another format
    Convert(commands::convert::Arguments),
    /// Run a scene with several methods and compare them in a page
    Compare(commands::compare::Arguments),
    /// Show a scene in a page while it is computed, or a run while it is written
    View(commands::view::Arguments),
    /// Plot the series of a run: energies, momenta, work
    Plot(commands::plot::Arguments),
    /// Fill a shape or a closed surface with tets, and write the mesh
    Mesh(commands::mesh::Arguments),
    /// List methods, materials, generators, mesh formats, exports, parameters, keys of scenes
    List(commands::list::Arguments),
    /// Print the JSON schema of scene files, for editors
    Schema,
    /// Compute tables and figures of papers again, each with a verdict
    Reproduce(commands::reproduce::Arguments),
    /// Measure the speed of this program
    Bench(commands::bench::Arguments),
}

impl Command {
    /// Computes for long enough that slow kernels matter.
    fn computes(&self) -> bool {
        use Command::{Bench, Compare, Demo, Reproduce, Resume, Run, View};
        matches!(self, Demo(_) | Run(_) | Resume(_) | Compare(_) | View(_) | Bench(_) | Reproduce(_))
    }
}

fn main() -> ExitCode {
    // Before anything that the compiler may have made of instructions that this machine lacks.
    processor::require();
    start()
}

#[inline(never)]
fn start() -> ExitCode {
    scene::output::set_commit(env!("PLIANT_COMMIT"));
    // A panic has printed its message already; only its exit code is left.
    let mut code = std::panic::catch_unwind(execute).unwrap_or(FAILED);
    if let Some(error) = print::lost() {
        print::err(&format!("error: stdout could not be written ({error}); make room, or print elsewhere\n"));
        code = if code == DONE { NO_FILES } else { code };
    }
    ExitCode::from(code)
}

fn execute() -> u8 {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // clap returns help and version as errors too; they go to stdout.
        Err(told) => {
            print::keep_lost(told.print().and_then(|()| std::io::stdout().flush()));
            return u8::try_from(told.exit_code()).unwrap_or(USAGE);
        }
    };
    if arguments.command.computes()
        && let Some(note) = processor::note()
    {
        print::err(&note);
    }
    let result = match arguments.command {
        Command::Demo(arguments) => commands::demo::execute(&arguments),
        Command::New(arguments) => commands::new::execute(&arguments),
        Command::Check(arguments) => commands::check::execute(&arguments),
        Command::Run(arguments) => commands::run::execute(&arguments),
        Command::Resume(arguments) => commands::resume::execute(&arguments),
        Command::Export(arguments) => commands::export::execute(&arguments),
        Command::Doctor(arguments) => commands::doctor::execute(&arguments),
        Command::Convert(arguments) => commands::convert::execute(&arguments),
        Command::Compare(arguments) => commands::compare::execute(&arguments),
        Command::View(arguments) => commands::view::execute(&arguments),
        Command::Plot(arguments) => commands::plot::execute(&arguments),
        Command::Mesh(arguments) => commands::mesh::execute(&arguments),
        Command::List(arguments) => commands::list::execute(&arguments),
        Command::Schema => commands::schema::execute(),
        Command::Reproduce(arguments) => commands::reproduce::execute(&arguments),
        Command::Bench(arguments) => commands::bench::execute(&arguments),
    };
    match result {
        Ok(code) => code,
        Err(failure) => {
            print::failure(&failure);
            failure.code()
        }
    }
}
