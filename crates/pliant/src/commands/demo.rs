//! `pliant demo`: one scene, several methods, what became of the energy.

use crate::failure::{DONE, Failure, INTERRUPTED};
use crate::plot::{self, Curve};
use crate::print::{self, short};
use crate::progress::Progress;
use crate::stop;
use scene::output::{Directory, Files, OutputError, summary, write_whole};
use scene::{Ending, Moment, Observer, Outcome, Overrides, Scene};
use serde_json::json;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Where the demo goes.
#[derive(clap::Args)]
pub struct Arguments {
    /// Directory for frames and the plot, a directory a method in it
    #[arg(short, long, value_name = "DIR", default_value = "out/demo")]
    out: PathBuf,
    /// No progress bars
    #[arg(short, long)]
    quiet: bool,
}

const SCENE: &str = include_str!("demo.toml");

/// What is compared: the classical implicit methods, and an explicit one that this step is too much for.
const METHODS: &[&str] = &[
    "symplectic-euler",
    "linearly-implicit-euler",
    "backward-euler",
    "bdf2",
    "generalized-alpha",
    "newmark",
    "implicit-midpoint",
];

/// The name of the plot.
const PLOT: &str = "energy.svg";

/// Runs the scene with each method, then compares.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    let stop = stop::on_interrupt();
    let scene = Scene::parse("demo", SCENE)?;
    print::out(&format!(
        "{}: {} s in steps of {} s, with {} methods in turn\n\n",
        scene.title,
        scene.run.duration,
        scene.integrator.step,
        METHODS.len()
    ));
    let header = ["method", "ms a step", "energy kept", "factorisations", "outcome"].map(str::to_string);
    let mut rows = vec![header.to_vec()];
    let mut curves = Vec::new();
    for method in METHODS {
        let scene = scene.with(&Overrides { method: Some(method.to_string()), ..Overrides::default() })?;
        let (outcome, curve) = run_one(&scene, arguments, stop)?;
        rows.push(row(method, &outcome));
        curves.push(curve);
        if outcome.ending == Ending::Interrupted {
            break;
        }
    }
    let interrupted = rows.last().is_some_and(|row| row.last().is_some_and(|word| word == "interrupted"));
    print::out(&print::table(&rows));
    let title = "The energy of a twisted bar, let go: what each method keeps";
    let svg = plot::svg(title, "time [s]", "total energy / energy at the start", 1.25, &curves);
    let plot = arguments.out.join(PLOT);
    write_whole(&plot, svg.as_bytes())?;
    print::out(&format!(
        "\nThe exact motion keeps all of its energy. Open {} in a browser to see who loses it and when,\n\
         and {}/<method>/frames.pvd in ParaView to see the bar.\n\
         Next: pliant new my.toml, pliant run my.toml\n",
        plot.display(),
        arguments.out.display()
    ));
    Ok(if interrupted { INTERRUPTED } else { DONE })
}

/// Runs the scene with its method; files go into a directory of the method's name.
fn run_one(scene: &Scene, arguments: &Arguments, stop: &AtomicBool) -> Result<(Outcome, Curve), Failure> {
    let mut simulation = scene.build()?;
    let name = simulation.method.name;
    let directory = Directory::prepare(&arguments.out.join(name), false)?;
    let mut files = Files::new(&directory, scene, &simulation)?;
    let mut energy = Energy::default();
    let mut progress = Progress::new(simulation.schedule.steps(), name, arguments.quiet);
    let outcome = scene::run(&mut simulation, &mut [&mut files, &mut energy, &mut progress], stop)?;
    let mut report = summary(scene, &simulation, &outcome);
    report["output"] = json!(directory.path().to_string_lossy());
    report["frames"] = json!(files.frames());
    files.write_summary(&report)?;
    let diverged = matches!(outcome.ending, Ending::Diverged(_));
    Ok((outcome, Curve { name: name.to_string(), points: energy.kept, diverged }))
}

fn row(method: &str, outcome: &Outcome) -> Vec<String> {
    let kept = outcome.last.total() / outcome.first.total();
    let (kept, end) = match &outcome.ending {
        Ending::Diverged(d) => ("-".to_string(), format!("diverged at t = {} s: {}", short(d.time), d.cause.word())),
        ending => (format!("{:.1} %", 100.0 * kept), ending.word().to_string()),
    };
    let factorisations = outcome.work.linear.factorisations.to_string();
    vec![method.to_string(), format!("{:.2}", outcome.ms_per_step()), kept, factorisations, end]
}

/// Remembers time and total energy over that at the start.
#[derive(Default)]
struct Energy {
    first: f64,
    kept: Vec<(f64, f64)>,
}

impl Observer for Energy {
    fn observe(&mut self, moment: &Moment) -> Result<(), OutputError> {
        let total = moment.energies.total();
        if moment.step == 0 {
            self.first = total;
        }
        self.kept.push((moment.state.t, total / self.first));
        Ok(())
    }
}
