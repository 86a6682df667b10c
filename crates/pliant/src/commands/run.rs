//! `pliant run`: runs a scene and writes its frames.

use super::regions;
use super::turning::Locking;
use crate::failure::{DIVERGED, DONE, FAILED, Failure, INTERRUPTED, UNEXPECTED};
use crate::print::{self, short};
use crate::progress::{Progress, filling};
use crate::stop;
use crate::threads::use_threads;
use scene::expect::Quantity;
use scene::output::{Claimed, Directory, Files, Frames, OutputError, RUN_FILE, run_text, summary};
use scene::{Built, Ending, Outcome, Overrides, Scene};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Size of all frames from which it is told before the run [bytes].
const LARGE_OUTPUT: u64 = 1_000_000_000;

/// Arguments of `pliant run`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Scene file
    scene: PathBuf,
    /// Directory for frames, series and summary [default: out/NAME of the scene; out/NAME-2 and so on if another run is
    /// there; for DIR/run.toml out/DIR-again]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Override the scene's method; see `pliant list methods`
    #[arg(short, long, value_name = "NAME")]
    method: Option<String>,
    /// Override the scene's step [s]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    step: Option<f64>,
    /// Override the scene's duration [s]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Override any key of the scene, for example body.bar.material.young=1e7; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Number of threads; results are bit-for-bit identical for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Replace another run in the directory; files that no run wrote are kept
    #[arg(long)]
    force: bool,
    /// Print errors only
    #[arg(short, long)]
    quiet: bool,
    /// Print one JSON object as the last line of stdout
    #[arg(long)]
    json: bool,
}

/// Runs the scene.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    print::failure_json(arguments.json, run(arguments))
}

fn run(arguments: &Arguments) -> Result<u8, Failure> {
    use_threads(arguments.threads)?;
    let Arguments { method, step, duration, .. } = arguments;
    let overrides = Overrides::new().method(method.as_deref()).step(*step).duration(*duration);
    let scene = Scene::load_with(&arguments.scene, &set(overrides, &arguments.set)?)?;
    let built = scene.build_telling(&filling(arguments.quiet))?;

    if !arguments.quiet {
        print::err(&regions::chosen(&built));
        print::err(&large_output(&built));
    }
    let directory = claim(arguments, &run_text(&scene, &built))?;
    let files = Files::new(&directory, &scene, &built)?;
    go(&scene, built, files, arguments.quiet, arguments.json)
}

/// Returns a note about the size of the frames if it is large.
fn large_output(built: &Built) -> String {
    let (frame, frames) = (Frames::bytes(&built.ground), built.simulation.schedule().frames());
    let all = frame.saturating_mul(frames);
    if all < LARGE_OUTPUT {
        return String::new();
    }
    format!(
        "note: {frames} frames of {:.2} MB each: {:.1} GB in all; a lower run.frame_rate writes fewer\n",
        frame as f64 / 1e6,
        all as f64 / 1e9
    )
}

/// Adds the values of --set.
pub(super) fn set(overrides: Overrides, texts: &[String]) -> Result<Overrides, Failure> {
    texts.iter().try_fold(overrides, |overrides, text| {
        overrides.assign("--set", text).ok_or_else(|| {
            let message = format!("--set {text} gives no value; write for instance --set run.duration=2.0");
            Failure::Usage(message)
        })
    })
}

/// Claims the named directory, or the first of out/NAME, out/NAME-2, ... that is free or holds a run of the same scene
/// with the same parameters. Another run is replaced only with --force.
fn claim(arguments: &Arguments, run: &str) -> Result<Directory, Failure> {
    let first = arguments.out.clone().unwrap_or_else(|| default_directory(&arguments.scene));
    let mut number = 0;
    loop {
        number += 1;
        let path = if number == 1 { first.clone() } else { numbered(&first, number) };
        let (directory, claimed) = match Directory::claim(&path, run, arguments.force) {
            Err(OutputError::Another { .. }) if arguments.out.is_none() => continue,
            // If several runs start together the later ones take the next names; the same run twice is a mistake.
            Err(OutputError::InUse { .. }) if arguments.out.is_none() && Directory::holds(&path, run) != Some(true) => {
                continue;
            }
            claimed => claimed?,
        };
        let (chosen, first) = (path.display(), first.display());
        let told = match claimed {
            Claimed::Same => {
                format!("note: {chosen} held a run of the same scene with the same parameters: it is replaced\n")
            }
            Claimed::Another => format!("note: {chosen} held another run: it is replaced\n"),
            Claimed::Empty if number > 1 => {
                format!(
                    "note: {first} holds another run; this one goes to {chosen} (--force would replace that in {first})\n"
                )
            }
            Claimed::Empty => String::new(),
        };
        if !arguments.quiet {
            print::err(&told);
        }
        return Ok(directory);
    }
}

/// Returns the directory beside `first` with a number after its name.
pub(super) fn numbered(first: &Path, number: u64) -> PathBuf {
    let mut name = first.file_name().unwrap_or_default().to_os_string();
    name.push(format!("-{number}"));
    first.with_file_name(name)
}

/// Runs a built scene from its current state, and reports.
pub(super) fn go(scene: &Scene, mut built: Built, mut files: Files, quiet: bool, json: bool) -> Result<u8, Failure> {
    let stop = stop::on_interrupt();
    let mut progress = Progress::new(built.simulation.schedule().steps(), built.simulation.method().name, quiet);
    let mut locking = Locking::new(scene, &built);
    let outcome = scene::run(&mut built, &mut [&mut files, &mut progress, &mut locking], stop);
    drop(progress);
    let outcome = outcome.map_err(|error| files.stopped(error))?;

    let mut report = summary(scene, &built, &outcome);
    report["output"] = json!(files.directory().path().to_string_lossy());
    report["frames"] = json!(files.frames());
    files.write_summary(&report)?;

    if !quiet {
        print::out(&text(&outcome, &built, &files, &report));
    }
    if let Ending::Diverged(divergence) = &outcome.ending {
        print::err(&print::divergence(divergence, &built));
    }
    let is_over = matches!(outcome.ending, Ending::Diverged(_));
    if let Some(warning) = locking.warning().filter(|_| !quiet && !is_over) {
        print::err(&format!("warning: {warning}\n"));
    }
    if json {
        print::out(&format!("{report}\n"));
    }
    Ok(code(&outcome.ending, &report))
}

/// Returns the exit code of a run with this ending and report.
pub(super) fn code(ending: &Ending, report: &Value) -> u8 {
    match ending {
        Ending::Done if report["as_expected"] == false => UNEXPECTED,
        Ending::Done => DONE,
        Ending::Interrupted => INTERRUPTED,
        ending if ending.is_failure() => FAILED,
        Ending::Diverged(_) => DIVERGED,
    }
}

/// Returns out/NAME, with the name of the scene file without its extension. The run.toml of a run in DIR goes to
/// out/DIR-again, so that runs of different scenes stay apart. From inside DIR it goes to ../DIR-again, because foreign
/// files in a run's directory keep it from being replaced.
fn default_directory(scene: &Path) -> PathBuf {
    let out = Path::new("out");
    let whole = scene.canonicalize().unwrap_or_default();
    match whole.parent().and_then(|parent| Some((parent, parent.file_name()?))) {
        Some((parent, name)) if scene.file_name().is_some_and(|file| file == RUN_FILE) => {
            let mut again = name.to_os_string();
            again.push("-again");
            let inside = std::env::current_dir().is_ok_and(|here| here.canonicalize().is_ok_and(|here| here == parent));
            if inside { Path::new("..").join(again) } else { out.join(again) }
        }
        _ => out.join(scene.file_stem().unwrap_or_default()),
    }
}

/// Describes the differences between the expected and the actual outcome.
fn unexpected(outcome: &Outcome, built: &Built) -> String {
    let Some(expect) = &built.expect else { return String::new() };
    let reached = built.reached(outcome);
    let mut parts = Vec::new();
    if expect.outcome.word() != outcome.ending.word() {
        parts.push(format!("outcome \"{}\" expected, \"{}\" came", expect.outcome.word(), outcome.ending.word()));
    }
    for bound in &expect.bounds {
        let (Quantity { name, unit, measure, .. }, [low, high]) = (bound.of, bound.range.map(short));
        let came = measure(&reached);
        if !bound.holds(came) {
            let (unit, came) = (if unit.is_empty() { "" } else { &format!(" {unit}") }, short(came));
            parts.push(format!("{name} from {low} to {high}{unit} expected, {came}{unit} came"));
        }
    }
    for position in expect.positions.iter().filter(|position| !position.holds(built)) {
        let reached = position.found(built).map(short).join(", ");
        let [low, high] = [position.low, position.high].map(|corner| corner.map(short).join(", "));
        let body = print::one_line(&position.body);
        parts.push(format!("\"{body}\" between [{low}] and [{high}] m expected, at [{reached}] m"));
    }
    parts.join("; ")
}

/// Returns the report as text.
fn text(outcome: &Outcome, built: &Built, files: &Files, report: &Value) -> String {
    let Outcome { steps, time, first, last, work, recoveries, .. } = outcome;
    let mut text = format!(
        "{}: {steps} of {} steps of {}, to t = {} s, {} ms per step\n",
        outcome.ending.word(),
        built.simulation.schedule().steps(),
        built.simulation.method().name,
        short(*time),
        short((1e3 * outcome.ms_per_step()).round() / 1e3),
    );
    text += &format!(
        "  energy  {} J -> {} J (kinetic {}, elastic {}, loads {})\n",
        short(first.total()),
        short(last.total()),
        short(last.kinetic),
        short(last.elastic),
        short(last.load)
    );
    let counts = [
        (work.forces, "forces"),
        (work.newton, "Newton iterations"),
        (work.linear.factorisations, "factorisations"),
        (work.linear.solves, "solves"),
        (work.linear.iterations, "solver iterations"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    text += &format!("  work    {}\n", counts.collect::<Vec<_>>().join(", "));
    if work.numerical_damping > 0.0 {
        text += &format!("  damping {:.3e} J taken by the method's own (unresolved_damping)\n", work.numerical_damping);
    }
    if work.asymmetry > 0.0 {
        text += &format!("  skew    left out by symmetric = true: relative residual at most {:.1e}\n", work.asymmetry);
    }
    if let Some([ms, share]) = outcome.warping_cost() {
        text += &format!(
            "  warped  {} frames, {} ms each: {} % of the time of stepping and warping\n",
            outcome.warping.frames,
            short((1e3 * ms).round() / 1e3),
            short((1e3 * share).round() / 10.0)
        );
    }
    if let Some(first) = recoveries.first() {
        text += &format!(
            "  halved  {} steps, the first was step {} at t = {} s ({})\n",
            recoveries.len(),
            first.step,
            short(first.time),
            first.cause
        );
    }
    match report["as_expected"].as_bool() {
        Some(true) => text += "  expect  as the scene says\n",
        Some(false) => text += &format!("  expect  NOT as the scene says: {}\n", unexpected(outcome, built)),
        None => {}
    }
    let directory = files.directory().path().display();
    let finer = if built.surface.is_some() { ", their finer surfaces (surface.pvd)" } else { "" };
    text += &format!(
        "  wrote   {directory}: {} frames (open frames.pvd in ParaView){finer}, series.csv, summary.json\n",
        files.frames()
    );
    if outcome.ending == Ending::Interrupted {
        text += &format!("  resume  continue with: pliant resume {directory}\n");
    }
    text
}
