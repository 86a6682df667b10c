//! `pliant compare`: one scene, several methods, the difference in a table, in plots and in a page.

use crate::failure::{DONE, Failure, INTERRUPTED};
use crate::print::{self, short};
use crate::progress::Progress;
use crate::stop;
use report::plot::{self, Axis, Curve, Dots};
use report::{CompareError, Comparison, Contender, Plan, Run, compare, page};
use scene::output::write_whole;
use scene::{Ending, Overrides, Scene};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The page.
pub(super) const REPORT: &str = "report.html";

/// What to compare.
#[derive(clap::Args)]
pub struct Arguments {
    /// The scene file
    scene: PathBuf,
    /// Methods, by name or alias, separated by commas; `pliant list methods` names them
    #[arg(short, long, value_name = "A,B,...", value_delimiter = ',', required = true)]
    methods: Vec<String>,
    /// Steps [s], separated by commas: every method runs with every step [default: the scene's]
    #[arg(long, value_name = "H1,H2,...", value_delimiter = ',', allow_negative_numbers = true)]
    steps: Vec<f64>,
    /// Choose steps so that a simulated second costs every method what it costs the first
    #[arg(long, conflicts_with = "steps")]
    equal_cost: bool,
    /// What all are measured against: a method and its step, such as implicit-midpoint@0.0005
    #[arg(long, value_name = "METHOD@STEP")]
    reference: Option<String>,
    /// Another duration than the scene's [s]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Directory for the page, plots and tables [default: out/compare-NAME of the scene]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// No progress bars
    #[arg(short, long)]
    quiet: bool,
    /// End with one JSON object on the last line of stdout
    #[arg(long)]
    json: bool,
}

/// Compares.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    print::failure_json(arguments.json, run(arguments))
}

fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let overrides = Overrides { duration: arguments.duration, ..Overrides::default() };
    let scene = Scene::load(&arguments.scene)?.with(&overrides)?;
    let steps: Vec<Option<f64>> =
        if arguments.steps.is_empty() { vec![None] } else { arguments.steps.iter().copied().map(Some).collect() };
    let one =
        |method: &String| steps.iter().map(|step| Contender { method: Some(method.clone()), step: *step }).collect();
    let contenders: Vec<Contender> =
        arguments.methods.iter().flat_map(|method| -> Vec<Contender> { one(method) }).collect();
    if let Some(twice) = (1..contenders.len()).find(|&i| contenders[..i].contains(&contenders[i])) {
        let method = contenders[twice].method.as_deref().unwrap_or_default();
        return Err(Failure::Usage(format!("{method} is named twice with the same step; name it once")));
    }
    let reference = arguments.reference.as_deref().map(contender).transpose()?;
    let plan = Plan { scene, contenders, reference, equal_cost: arguments.equal_cost };

    let name = arguments.scene.file_stem().unwrap_or_default().to_string_lossy();
    let out = arguments.out.clone().unwrap_or_else(|| Path::new("out").join(format!("compare-{name}")));
    let comparison = compare_and_write(&plan, &out, &command(arguments), arguments.quiet || arguments.json)?;
    if arguments.json {
        print::out(&format!("{}\n", to_json(&comparison, &out)));
    } else {
        print::out(&table(&comparison));
        print::out(&format!("\nOpen {} in a browser.\n", out.join(REPORT).display()));
    }
    Ok(if comparison.interrupted { INTERRUPTED } else { DONE })
}

/// METHOD@STEP.
fn contender(text: &str) -> Result<Contender, Failure> {
    let wrong = || Failure::Usage(format!("'{text}' is no METHOD@STEP; write for instance implicit-midpoint@0.0005"));
    let (method, step) = text.split_once('@').ok_or_else(wrong)?;
    let step = step.trim_end_matches('s').trim().parse().map_err(|_| wrong())?;
    Ok(Contender { method: Some(method.trim().to_string()), step: Some(step) })
}

/// What was typed, as it can be typed again.
fn command(arguments: &Arguments) -> String {
    let path = arguments.scene.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    let path = if path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', "'\\''")) };
    let mut text = format!("pliant compare {path} --methods {}", arguments.methods.join(","));
    if !arguments.steps.is_empty() {
        text += &format!(" --steps {}", arguments.steps.iter().map(f64::to_string).collect::<Vec<_>>().join(","));
    }
    if arguments.equal_cost {
        text += " --equal-cost";
    }
    if let Some(reference) = &arguments.reference {
        text += &format!(" --reference {reference}");
    }
    if let Some(duration) = arguments.duration {
        text += &format!(" --duration {duration}");
    }
    text
}

/// Runs everybody and writes the page, the plot of energies and the tables.
pub(super) fn compare_and_write(plan: &Plan, out: &Path, command: &str, quiet: bool) -> Result<Comparison, Failure> {
    let stop = stop::on_interrupt();
    let comparison = compare(
        plan,
        &mut |simulation, label| Box::new(Progress::new(simulation.schedule.steps(), label, quiet)),
        &mut |_| {},
        stop,
    )?;
    std::fs::create_dir_all(out).map_err(scene::output::OutputError::io("create", out))?;
    write_whole(&out.join("energy.svg"), energy_plot(&comparison).as_bytes())?;
    if let Some(plot) = precision_plot(&comparison) {
        write_whole(&out.join("precision.svg"), plot.as_bytes())?;
    }
    write_whole(&out.join("runs.csv"), runs_csv(&comparison).as_bytes())?;
    write_whole(&out.join("energies.csv"), energies_csv(&comparison).as_bytes())?;
    write_whole(&out.join(REPORT), page::html(&comparison, command).as_bytes())?;
    Ok(comparison)
}

fn energy_plot(comparison: &Comparison) -> String {
    // As a share where there is a whole, in joules where loads give and take.
    let scales: Option<Vec<f64>> = comparison.runs.iter().map(|run| run.recording.energy_to_keep()).collect();
    let curves: Vec<Curve> = (comparison.runs.iter().enumerate())
        .map(|(r, run)| {
            let scale = scales.as_ref().map_or(1.0, |scales| scales[r]);
            Curve {
                name: run.label.clone(),
                points: run.recording.samples.iter().map(|sample| (sample.time, sample.total() / scale)).collect(),
                diverged: matches!(run.outcome.ending, Ending::Diverged(_)),
                dots: Dots::None,
            }
        })
        .collect();
    let end = curves.iter().flat_map(|curve| &curve.points).map(|point| point.0).fold(0.0, f64::max);
    let y = if scales.is_some() {
        Axis::linear("total energy / energy at the start", 1.25)
    } else {
        // What diverges may go anywhere: the others say how far the axis goes.
        let arrived = curves.iter().filter(|curve| !curve.diverged).flat_map(|curve| &curve.points);
        Axis::around("total energy [J]", arrived.map(|point| point.1))
    };
    plot::svg(&comparison.title, &Axis::linear("time [s]", end), &y, &curves)
}

/// Error against cost, a curve a method, where there are a reference and several steps.
fn precision_plot(comparison: &Comparison) -> Option<String> {
    let curves: Vec<Curve> = (comparison.precision().into_iter())
        .map(|(method, points)| Curve {
            name: method.to_string(),
            points: points.iter().map(|&[cost, error, _]| (cost, error)).collect(),
            dots: Dots::OnLine,
            ..Curve::default()
        })
        .collect();
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let x = Axis::log("computing for a simulated second [ms]", all().map(|point| point.0));
    let y = Axis::log("error against the reference", all().map(|point| point.1));
    (!curves.is_empty()).then(|| plot::svg(&comparison.title, &x, &y, &curves))
}

/// A row a run, for people.
pub(super) fn table(comparison: &Comparison) -> String {
    let has_error = comparison.runs.iter().any(|run| run.error.is_some());
    let mut header: Vec<String> =
        ["run", "ms a step", "steps", "factorisations", "solves", "energy kept"].map(str::to_string).to_vec();
    if has_error {
        header.push("error".to_string());
    }
    header.push("outcome".to_string());
    let mut rows = vec![header];
    for run in &comparison.runs {
        let Run { outcome, .. } = run;
        let mut row = vec![
            run.label.clone(),
            format!("{:.2}", outcome.ms_per_step()),
            outcome.steps.to_string(),
            outcome.work.linear.factorisations.to_string(),
            outcome.work.linear.solves.to_string(),
            run.energy_kept.map_or("-".to_string(), |kept| format!("{:.1} %", 100.0 * kept)),
        ];
        if has_error {
            row.push(run.error.map_or("-".to_string(), |error| format!("{:.2} %", 100.0 * error)));
        }
        row.push(match &outcome.ending {
            // The sign of the papers.
            Ending::Diverged(d) => format!("\u{2297} diverged at t = {} s: {}", short(d.time), d.cause.word()),
            ending => ending.word().to_string(),
        });
        rows.push(row);
    }
    print::table(&rows)
}

/// A row a run, for programs.
fn runs_csv(comparison: &Comparison) -> String {
    let mut text = "run,method,step,outcome,diverged_at,steps,ms_per_step,factorisations,solves,iterations,products,\
                    energy_kept,error\n"
        .to_string();
    for run in &comparison.runs {
        let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:?}"));
        let work = &run.outcome.work.linear;
        let diverged = match &run.outcome.ending {
            Ending::Diverged(divergence) => Some(divergence.time),
            _ => None,
        };
        text += &format!(
            "{},{},{:?},{},{},{},{:?},{},{},{},{},{},{}\n",
            run.label,
            run.method,
            run.step,
            run.outcome.ending.word(),
            number(diverged),
            run.outcome.steps,
            run.outcome.ms_per_step(),
            work.factorisations,
            work.solves,
            work.iterations,
            work.products,
            number(run.energy_kept),
            number(run.error)
        );
    }
    text
}

/// Energies of every run and step [J]. Not called series.csv: that is what a run has in its directory.
fn energies_csv(comparison: &Comparison) -> String {
    let mut text = "run,time,kinetic,elastic,load,total\n".to_string();
    for run in &comparison.runs {
        for s in &run.recording.samples {
            text +=
                &format!("{},{:?},{:?},{:?},{:?},{:?}\n", run.label, s.time, s.kinetic, s.elastic, s.load, s.total());
        }
    }
    text
}

fn to_json(comparison: &Comparison, out: &Path) -> Value {
    let runs: Vec<Value> = comparison
        .runs
        .iter()
        .map(|run| {
            let diverged = match &run.outcome.ending {
                Ending::Diverged(d) => json!({ "time": d.time, "cause": d.cause.word(), "advice": run.advice }),
                _ => Value::Null,
            };
            json!({
                "label": run.label, "method": run.method, "step": run.step, "outcome": run.outcome.ending.word(),
                "diverged": diverged, "steps": run.outcome.steps, "ms_per_step": run.outcome.ms_per_step(),
                "energy_kept": run.energy_kept, "error": run.error,
                "factorisations": run.outcome.work.linear.factorisations, "solves": run.outcome.work.linear.solves,
            })
        })
        .collect();
    let outcome = if comparison.interrupted { "interrupted" } else { "done" };
    json!({
        "outcome": outcome, "title": comparison.title, "reference": comparison.reference, "runs": runs,
        "report": out.join(REPORT).to_string_lossy(),
    })
}

impl From<CompareError> for Failure {
    fn from(error: CompareError) -> Self {
        match error {
            CompareError::Scene(problems) => Failure::Scene(problems),
            CompareError::Output(error) => Failure::Output(error),
            error @ CompareError::Reference { .. } => Failure::Usage(error.to_string()),
        }
    }
}
