//! `pliant run`: a scene from file to frames.

use super::regions;
use crate::failure::{DIVERGED, DONE, Failure, INTERRUPTED};
use crate::print::{self, short};
use crate::progress::{Progress, filling};
use crate::stop;
use scene::output::{Directory, Files, RUN_FILE, summary};
use scene::{Ending, Outcome, Overrides, Scene, Simulation};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// What to run, and where its files go.
#[derive(clap::Args)]
pub struct Arguments {
    /// The scene file
    scene: PathBuf,
    /// Directory for frames, series, summary [default: out/NAME of the scene; of DIR/run.toml out/DIR-again]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Another method than the scene's; `pliant list methods` names them
    #[arg(short, long, value_name = "NAME")]
    method: Option<String>,
    /// Another step than the scene's [s]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    step: Option<f64>,
    /// Another duration than the scene's [s]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Threads to use; results are the same bits for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Write into a directory that holds files of others; they are left alone
    #[arg(long)]
    force: bool,
    /// No progress bar and no report; errors only
    #[arg(short, long)]
    quiet: bool,
    /// End with one JSON object on the last line of stdout
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
    let overrides = Overrides { method: method.clone(), step: *step, duration: *duration, frame_rate: None };
    let scene = Scene::load(&arguments.scene)?.with(&overrides)?;
    let simulation = scene.build_telling(&filling(arguments.quiet))?;

    if !arguments.quiet {
        print::err(&regions::chosen(&simulation));
    }
    let path = arguments.out.clone().unwrap_or_else(|| default_directory(&arguments.scene));
    let files = Files::new(&Directory::prepare(&path, arguments.force)?, &scene, &simulation)?;
    go(&scene, simulation, files, arguments.quiet, arguments.json)
}

/// Takes as many threads as asked for, or as there are. This one is the first of them: short steps would otherwise wait for
/// another to wake up each time they have something to share.
pub(crate) fn use_threads(threads: Option<u16>) -> Result<(), Failure> {
    let pool = rayon::ThreadPoolBuilder::new().use_current_thread().num_threads(threads.unwrap_or(0).into());
    pool.build_global().map_err(|error| {
        let asked = threads.map_or("threads".into(), |threads| format!("{threads} threads"));
        Failure::Usage(format!("{asked} cannot be had ({error}); ask for fewer with --threads or RAYON_NUM_THREADS"))
    })
}

/// Runs a simulation from where it stands, and reports.
pub(super) fn go(
    scene: &Scene,
    mut simulation: Simulation,
    mut files: Files,
    quiet: bool,
    json: bool,
) -> Result<u8, Failure> {
    let stop = stop::on_interrupt();
    let mut progress = Progress::new(simulation.schedule.steps(), simulation.method.name, quiet);
    let outcome = scene::run(&mut simulation, &mut [&mut files, &mut progress], stop);
    drop(progress);
    let outcome = outcome.map_err(|error| files.stopped(error))?;

    let mut report = summary(scene, &simulation, &outcome);
    report["output"] = json!(files.directory().path().to_string_lossy());
    report["frames"] = json!(files.frames());
    files.write_summary(&report)?;

    if !quiet {
        print::out(&text(&outcome, &simulation, &files, &report));
    }
    if let Ending::Diverged(divergence) = &outcome.ending {
        print::err(&print::divergence(divergence, &simulation));
    }
    if json {
        print::out(&format!("{report}\n"));
    }
    Ok(match outcome.ending {
        Ending::Done => DONE,
        Ending::Interrupted => INTERRUPTED,
        Ending::Diverged(_) => DIVERGED,
    })
}

/// out/NAME, the name of the scene file without its ending. The run.toml of a run in DIR goes to out/DIR-again, so
/// that runs of different scenes stay apart; from inside of DIR to ../DIR-again, for what is put into the directory of
/// a run keeps it from being replaced.
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

/// What the scene expects and what came instead.
fn unexpected(outcome: &Outcome, simulation: &Simulation) -> String {
    let Some(expect) = &simulation.expect else { return String::new() };
    let mut parts = Vec::new();
    if expect.outcome.word() != outcome.ending.word() {
        parts.push(format!("outcome \"{}\" expected, \"{}\" came", expect.outcome.word(), outcome.ending.word()));
    }
    let total = outcome.last.total();
    if let Some([low, high]) = expect.energy.filter(|[low, high]| !(low..=high).contains(&&total)) {
        parts.push(format!("energy from {} to {} J expected, {} J came", short(low), short(high), short(total)));
    }
    let stretch = simulation.model.stretch(&simulation.state.x).map_or(0.0, |[mean, _]| mean);
    if let Some([low, high]) = expect.stretch.filter(|[low, high]| !(low..=high).contains(&&stretch)) {
        parts.push(format!("a stretch from {} to {} expected, {} came", short(low), short(high), short(stretch)));
    }
    let compression = outcome.work.compression;
    if let Some([low, high]) = expect.compression.filter(|[low, high]| !(low..=high).contains(&&compression)) {
        let came = short(compression);
        parts.push(format!("a compression from {} to {} expected, {came} came", short(low), short(high)));
    }
    let gap = outcome.work.joint_gap;
    if let Some([low, high]) = expect.joint_gap.filter(|[low, high]| !(low..=high).contains(&&gap)) {
        parts.push(format!("joints {} to {} m apart expected, {} m came", short(low), short(high), short(gap)));
    }
    for position in expect.positions.iter().filter(|position| !position.holds(simulation)) {
        let place = position.found(simulation).map(short).join(", ");
        let [low, high] = [position.low, position.high].map(|corner| corner.map(short).join(", "));
        parts.push(format!("\"{}\" between [{low}] and [{high}] m expected, at [{place}] m", position.body));
    }
    parts.join("; ")
}

/// The report for people.
fn text(outcome: &Outcome, simulation: &Simulation, files: &Files, report: &Value) -> String {
    let Outcome { steps, time, first, last, work, recoveries, .. } = outcome;
    let mut text = format!(
        "{}: {steps} of {} steps of {}, to t = {} s, {} ms a step\n",
        outcome.ending.word(),
        simulation.schedule.steps(),
        simulation.method.name,
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
    if work.asymmetry > 0.0 {
        text +=
            &format!("  skew    left out by symmetric = true: at most {:.1e} of a right-hand side\n", work.asymmetry);
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
        Some(false) => text += &format!("  expect  NOT as the scene says: {}\n", unexpected(outcome, simulation)),
        None => {}
    }
    let directory = files.directory().path().display();
    let finer = if simulation.surface.is_some() { ", their finer surfaces (surface.pvd)" } else { "" };
    text += &format!(
        "  wrote   {directory}: {} frames (open frames.pvd in ParaView){finer}, series.csv, summary.json\n",
        files.frames()
    );
    if outcome.ending == Ending::Interrupted {
        text += &format!("  resume  go on with: pliant resume {directory}\n");
    }
    text
}
