//! `pliant compare`: one scene with several methods, compared in a table, in plots and in a page.

use super::run::{numbered, set};
use crate::failure::{DONE, FAILED, Failure, INTERRUPTED};
use crate::print::{self, short};
use crate::progress::Bars;
use crate::stop;
use report::{CompareError, ComparedRun, Comparison, Contender, Plan, compare, figures, page, tables};
use scene::files::read_regular;
use scene::output::{Lock, OutputError, write_whole};
use scene::{Cause, Divergence, Ending, Overrides, Scene};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// File with the command and the scene.
const COMPARED: &str = "compared.toml";
/// File of the page.
pub(super) const REPORT: &str = "report.html";

/// Arguments of `pliant compare`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Scene file
    scene: PathBuf,
    /// Methods, by name or alias, separated by commas; see `pliant list methods`
    #[arg(short, long, value_name = "A,B,...", value_delimiter = ',', required = true)]
    methods: Vec<String>,
    /// Steps [s], separated by commas: every method runs with every step [default: the scene's]
    #[arg(long, value_name = "H1,H2,...", value_delimiter = ',', allow_negative_numbers = true)]
    steps: Vec<f64>,
    /// Choose steps so that a simulated second costs every method the same as the first
    #[arg(long, conflicts_with = "steps")]
    equal_cost: bool,
    /// Reference for errors: a method and its step, such as implicit-midpoint@0.0005
    #[arg(long, value_name = "METHOD@STEP")]
    reference: Option<String>,
    /// Override the scene's duration [s]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Override any key of the scene, for example body.bar.material.young=1e7; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Directory for the page, plots and tables [default: out/compare-NAME of the scene; out/compare-NAME-2 and so on
    /// if another comparison is there]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Show no progress bars
    #[arg(short, long)]
    quiet: bool,
    /// Print one JSON object as the last line of stdout
    #[arg(long)]
    json: bool,
}

/// Runs the comparison.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    print::failure_json(arguments.json, run(arguments))
}

fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let overrides = set(Overrides::new().duration(arguments.duration), &arguments.set)?;
    let scene = Scene::load_with(&arguments.scene, &overrides)?;
    let steps: Vec<Option<f64>> =
        if arguments.steps.is_empty() { vec![None] } else { arguments.steps.iter().copied().map(Some).collect() };
    if arguments.methods.iter().any(|method| method.trim().is_empty()) {
        let message = "--methods has an empty name; write for instance --methods siere,backward-euler";
        return Err(Failure::Usage(message.to_string()));
    }
    let mut contenders = Vec::new();
    for typed in arguments.methods.iter().map(|method| method.trim()) {
        // An unknown name is refused by the scene, which suggests one.
        let method = integrators::find(typed).map_or(typed, |method| method.name).to_string();
        contenders.extend(steps.iter().map(|step| Contender { method: Some(method.clone()), step: *step }));
    }
    if let Some(twice) = (1..contenders.len()).find(|&i| contenders[..i].contains(&contenders[i])) {
        let method = contenders[twice].method.as_deref().unwrap_or_default();
        return Err(Failure::Usage(format!("{method} is named twice with the same step; name it once")));
    }
    let reference = arguments.reference.as_deref().map(contender).transpose()?;
    let plan = Plan { scene, contenders, reference, equal_cost: arguments.equal_cost, side_by_side: true };

    let name = arguments.scene.file_stem().unwrap_or_default().to_string_lossy();
    let out = arguments.out.clone().unwrap_or_else(|| Path::new("out").join(format!("compare-{name}")));
    let quiet = arguments.quiet || arguments.json;
    let (comparison, out) = compare_and_write(&plan, &out, arguments.out.is_none(), &command(arguments), quiet)?;
    if arguments.json {
        print::out(&format!("{}\n", to_json(&comparison, &out)));
    } else if comparison.runs.is_empty() {
        print::out("Stopped before any run had begun: nothing is written.\n");
    } else {
        print::out(&table(&comparison));
        notes(&comparison).iter().for_each(|note| print::out(&format!("{note}\n")));
        print::out(&format!("\nOpen {} in a browser.\n", out.join(REPORT).display()));
    }
    Ok(code(&comparison))
}

/// Returns the exit code: a method that diverges is a result, one that fails inside is an error.
pub(super) fn code(comparison: &Comparison) -> u8 {
    match comparison.runs.iter().any(|run| run.outcome.ending.is_failure()) {
        _ if comparison.interrupted => INTERRUPTED,
        true => FAILED,
        false => DONE,
    }
}

/// Parses METHOD@STEP.
fn contender(text: &str) -> Result<Contender, Failure> {
    let wrong = || Failure::Usage(format!("'{text}' is no METHOD@STEP; write for instance implicit-midpoint@0.0005"));
    let (method, step) = text.split_once('@').ok_or_else(wrong)?;
    let step = step.trim_end_matches('s').trim().parse().map_err(|_| wrong())?;
    Ok(Contender { method: Some(method.trim().to_string()), step: Some(step) })
}

/// Returns the command that repeats this comparison.
fn command(arguments: &Arguments) -> String {
    let path = print::quoted(&arguments.scene);
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
    for set in &arguments.set {
        text += &format!(" --set {}", print::quoted(Path::new(set)));
    }
    text
}

/// Runs all methods and writes the page, the plots and the tables; reports where. With `is_numbered` the directory gets
/// a number if another comparison is there.
pub(super) fn compare_and_write(
    plan: &Plan,
    out: &Path,
    is_numbered: bool,
    command: &str,
    quiet: bool,
) -> Result<(Comparison, PathBuf), Failure> {
    let stop = stop::on_interrupt();
    let bars = Bars::new(quiet);
    let comparison =
        compare(plan, &|built, label| Box::new(bars.add(built.simulation.schedule().steps(), label)), stop)?;
    if comparison.runs.is_empty() {
        // Stopped at once: the results of an earlier comparison are kept.
        return Ok((comparison, out.to_path_buf()));
    }
    let compared = format!("# {command}\n\n{}", comparison.scene);
    let (out, _lock) = claim(out, is_numbered, &compared, quiet)?;
    write_whole(&out.join(COMPARED), compared.as_bytes())?;
    write_whole(&out.join("energy.svg"), figures::energy(&comparison).as_bytes())?;
    if let Some(plot) = figures::precision(&comparison) {
        write_whole(&out.join("precision.svg"), plot.as_bytes())?;
    }
    write_whole(&out.join("damping.svg"), figures::damping(&comparison).as_bytes())?;
    write_whole(&out.join("damping.csv"), tables::damping(&comparison).as_bytes())?;
    write_whole(&out.join("runs.csv"), tables::runs(&comparison).as_bytes())?;
    write_whole(&out.join("energies.csv"), tables::energies(&comparison).as_bytes())?;
    write_whole(&out.join(REPORT), page::html(&comparison, command).as_bytes())?;
    Ok((comparison, out))
}

/// Locks a directory for a comparison: the given one, or the first of out/NAME, out/NAME-2, ... that is free or holds
/// the same comparison.
fn claim(first: &Path, is_numbered: bool, compared: &str, quiet: bool) -> Result<(PathBuf, Lock), Failure> {
    let mut number = 0;
    loop {
        number += 1;
        let out = if number == 1 { first.to_path_buf() } else { numbered(first, number) };
        std::fs::create_dir_all(&out).map_err(OutputError::io("create", &out))?;
        let lock = match Lock::take(&out) {
            Err(OutputError::InUse { .. }) if is_numbered => continue,
            lock => lock?,
        };
        let same = read_regular(&out.join(COMPARED)).is_ok_and(|text| text == compared.as_bytes());
        let another = !same && out.join(REPORT).exists();
        if another && is_numbered {
            continue;
        }
        let (chosen, first) = (out.display(), first.display());
        if another && !quiet {
            print::err(&format!("note: {chosen} held another comparison: it is replaced\n"));
        } else if number > 1 && !same && !quiet {
            print::err(&format!("note: {first} holds another comparison; this one goes to {chosen}\n"));
        }
        return Ok((out, lock));
    }
}

/// Returns one row per run, as text.
pub(super) fn table(comparison: &Comparison) -> String {
    let has_error = comparison.runs.iter().any(|run| run.error.is_some());
    let mut header: Vec<String> = ["run", "ms per step", "spread", "steps", "factorisations", "solves", "energy kept"]
        .map(str::to_string)
        .to_vec();
    if has_error {
        header.push("error".to_string());
    }
    header.push("outcome".to_string());
    let mut rows = vec![header];
    for run in &comparison.runs {
        let ComparedRun { outcome, .. } = run;
        let mut row = vec![
            run.label.clone(),
            run.ms_per_step.map_or("-".to_string(), |ms| format!("{ms:.2}")),
            run.spread.map_or("-".to_string(), |spread| format!("{:.0} %", 100.0 * spread)),
            outcome.steps.to_string(),
            outcome.work.linear.factorisations.to_string(),
            outcome.work.linear.solves.to_string(),
            run.energy_kept.map_or("-".to_string(), |kept| format!("{:.1} %", 100.0 * kept)),
        ];
        if has_error {
            row.push(run.error.map_or("-".to_string(), |error| format!("{:.2} %", 100.0 * error)));
        }
        row.push(match &outcome.ending {
            // The symbol used in the papers.
            Ending::Diverged(Divergence { time, cause: Cause::Failed { message }, .. }) => {
                format!("\u{2297} failed at t = {} s: {}", short(*time), print::one_line(message))
            }
            Ending::Diverged(d) => format!("\u{2297} diverged at t = {} s: {}", short(d.time), d.cause.word()),
            ending => ending.word().to_string(),
        });
        rows.push(row);
    }
    print::table(&rows)
}

/// Returns notes on the table: why no share of the energy is shown, and the verdict at equal cost.
fn notes(comparison: &Comparison) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for run in &comparison.runs {
        let Some(why) = run.why_no_share else { continue };
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, labels)) => labels.push(&run.label),
            None => reasons.push((why, vec![&run.label])),
        }
    }
    let everybody = |labels: &[&str]| labels.len() == comparison.runs.len();
    let note = |(why, labels): &(&str, Vec<&str>)| {
        let whose = if everybody(labels) { String::new() } else { format!(" of {}", labels.join(", ")) };
        format!("No share of the energy{whose} is shown: {why}.")
    };
    reasons.iter().map(note).chain(comparison.verdict()).collect()
}

fn to_json(comparison: &Comparison, out: &Path) -> Value {
    let runs: Vec<Value> = comparison
        .runs
        .iter()
        .map(|run| {
            let diverged = match &run.outcome.ending {
                Ending::Diverged(d) => json!({
                    "time": d.time, "cause": d.cause.word(), "message": d.cause.to_string(), "advice": run.advice,
                }),
                _ => Value::Null,
            };
            json!({
                "label": run.label, "method": run.method, "step": run.step, "outcome": run.outcome.ending.word(),
                "diverged": diverged, "steps": run.outcome.steps, "ms_per_step": run.ms_per_step,
                "spread": run.spread, "energy_kept": run.energy_kept, "why_no_share": run.why_no_share,
                "error": run.error,
                "factorisations": run.outcome.work.linear.factorisations, "solves": run.outcome.work.linear.solves,
            })
        })
        .collect();
    let damping: Vec<Value> = (comparison.damping.iter())
        .map(|curve| {
            let measured: Vec<Value> = (curve.measured())
                .map(|[h_omega, formula, found]| json!({ "h_omega": h_omega, "formula": formula, "measured": found }))
                .collect();
            json!({
                "label": curve.label, "method": curve.method, "stable_up_to": curve.stable_up_to, "points": measured,
            })
        })
        .collect();
    let outcome = if comparison.interrupted { "interrupted" } else { "done" };
    let report = (!comparison.runs.is_empty()).then(|| out.join(REPORT).to_string_lossy().into_owned());
    json!({
        "outcome": outcome, "title": comparison.title, "reference": comparison.reference, "runs": runs,
        "damping": damping,
        "verdict": comparison.verdict(),
        "report": report,
    })
}

impl From<CompareError> for Failure {
    fn from(error: CompareError) -> Self {
        match error {
            CompareError::Scene(problems) => Failure::Scene(problems),
            CompareError::Output(error) => Failure::Output(error),
            error @ CompareError::Failed { .. } => Failure::Fault(error.to_string()),
            error @ CompareError::Reference { .. } => Failure::Usage(error.to_string()),
        }
    }
}
