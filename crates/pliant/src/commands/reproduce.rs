//! `pliant reproduce`: tables and figures of papers, computed again, each with a verdict.

use crate::failure::{DONE, Failure, INTERRUPTED};
use crate::print;
use crate::progress::Bars;
use crate::stop;
use scene::output::{Lock, OutputError, Program, write_whole};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use studies::page::{self, Shown};
use studies::{Found, Judgement, PAPERS, Setting, Size, Store, Study, StudyError, Verdict, all, judge, kept, run};

/// File with the last verdicts.
const VERDICTS: &str = "verdicts.json";
/// File of the page.
const PAGE: &str = "index.html";

/// Arguments of `pliant reproduce`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Paper: siere, small, ere, sai or async; without one and without --quick or --full, papers and items are listed
    paper: Option<String>,
    /// Tables and figures, for example fig-7 table-2 [default: all of the paper]
    items: Vec<String>,
    /// Run bodies of at most some thousand vertices, and fewer frames [default]
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Run the papers' sizes and frames; this takes hours
    #[arg(long)]
    full: bool,
    /// Directory for results and the page; finished runs in it are used again
    #[arg(short, long, value_name = "DIR", default_value = "out/reproduction")]
    out: PathBuf,
    /// Directory with meshes to use in place of our bodies: files called ball, cuboid and rope, in any known format
    #[arg(long, value_name = "DIR")]
    meshes: Option<PathBuf>,
    /// Directory of the studies
    #[arg(long, value_name = "DIR", default_value = "studies")]
    studies: PathBuf,
    /// Show no progress bars
    #[arg(long = "no-progress")]
    quiet: bool,
    /// Print one JSON object as the last line of stdout
    #[arg(long)]
    json: bool,
}

/// A study that has run.
struct Done {
    study: Study,
    found: Found,
    judgement: Judgement,
    moving: Vec<(String, String)>,
}

/// Runs the studies, or lists them.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    print::failure_json(arguments.json, chosen(arguments))
}

fn chosen(arguments: &Arguments) -> Result<u8, Failure> {
    let mut known = all(&arguments.studies)?;
    if let Some(folder) = &arguments.meshes {
        if !folder.is_dir() {
            return Err(Failure::Usage(format!("--meshes {}: there is no such directory", folder.display())));
        }
        known = known.into_iter().map(|study| study.on_meshes(folder)).collect();
    }
    if arguments.paper.is_none() && !arguments.quick && !arguments.full {
        list(&known, &arguments.out);
        return Ok(DONE);
    }
    let selected = select(&known, arguments)?;
    let size = if arguments.full { Size::Full } else { Size::Quick };
    reproduce(arguments, &known, &selected, size)
}

/// Returns the selected studies; a wrong name is answered with those that exist.
fn select<'s>(known: &'s [Study], arguments: &Arguments) -> Result<Vec<&'s Study>, Failure> {
    let Some(paper) = &arguments.paper else { return Ok(known.iter().collect()) };
    let of: Vec<&Study> = known.iter().filter(|study| study.paper == *paper).collect();
    if of.is_empty() {
        let names: Vec<&str> = PAPERS.iter().map(|paper| paper.name).collect();
        return Err(Failure::Usage(format!("there is no paper '{paper}'; there are {}", names.join(", "))));
    }
    if arguments.items.is_empty() {
        return Ok(of);
    }
    if let Some(item) = arguments.items.iter().find(|item| !of.iter().any(|study| study.covers(item))) {
        let mut names: Vec<&str> = Vec::new();
        for name in of.iter().flat_map(|study| study.items()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        return Err(Failure::Usage(format!("{paper} has no '{item}'; it has {}", names.join(", "))));
    }
    // A table may be covered by several studies.
    Ok(of.into_iter().filter(|study| arguments.items.iter().any(|item| study.covers(item))).collect())
}

fn reproduce(arguments: &Arguments, known: &[Study], selected: &[&Study], size: Size) -> Result<u8, Failure> {
    let Arguments { out, studies: folder, .. } = arguments;
    let store = Store::open(&out.join("runs"))?;
    let _lock = Lock::take(out)?;
    let root = folder.parent().filter(|root| !root.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let stop = stop::on_interrupt();
    let quiet = arguments.quiet || arguments.json;
    let bars = Bars::new(quiet);
    let watch = |built: &scene::Built, label: &str| -> Box<dyn scene::Observer> {
        Box::new(bars.add(built.simulation.schedule().steps(), label))
    };
    let setting = Setting { root, size, store: &store, watch: &watch, stop };
    let (begun, mut computed) = (Instant::now(), Vec::new());
    for (k, study) in selected.iter().enumerate() {
        if !quiet {
            print::err(&format!(
                "{} ({} of {}{})\n",
                study.name(),
                k + 1,
                selected.len(),
                left(begun, k, selected.len())
            ));
        }
        let found = run(study, &setting)?;
        for (name, page) in &found.pages {
            let file = moving(out, study).join(format!("{name}.html"));
            let folder = file.parent().unwrap_or(Path::new(""));
            std::fs::create_dir_all(folder).map_err(OutputError::io("create", folder))?;
            write_whole(&file, page.as_bytes())?;
        }
        if found.interrupted || stop.load(Ordering::Relaxed) {
            break;
        }
        let judgement = judge(study, size, &found);
        keep_verdict(out, study, size, judgement.verdict)?;
        if !arguments.json {
            tell(study, &judgement);
        }
        computed.push(study.name());
    }
    let done = done(known, root, size, &store, out);
    let shown: Vec<Shown> = done.iter().map(|done| done.shown(size)).collect();
    let program = Program::this().to_string();
    write_whole(&out.join(PAGE), page::html(&shown, known, &program).as_bytes())?;
    write_whole(&out.join("table.md"), page::markdown(&shown).as_bytes())?;
    let interrupted = computed.len() < selected.len();
    if arguments.json {
        let of = done.iter().filter(|done| computed.contains(&done.study.name()));
        let items: Map<String, Value> = of.map(|done| (done.study.name(), to_json(&done.judgement))).collect();
        let outcome = if interrupted { "interrupted" } else { "done" };
        print::out(&format!("{}\n", json!({ "outcome": outcome, "size": size.word(), "items": items })));
    } else {
        print::out(&format!("\nOpen {} in a browser.\n", out.join(PAGE).display()));
        if interrupted {
            print::out("Stopped; the same command continues, and finished runs are used again.\n");
        }
    }
    Ok(if interrupted { INTERRUPTED } else { DONE })
}

/// Returns all studies whose runs are known.
fn done(known: &[Study], root: &Path, size: Size, store: &Store, out: &Path) -> Vec<Done> {
    let mut done = Vec::new();
    for study in known {
        // A study with a mistake is told when it is asked for.
        let Ok(Some(found)) = kept(study, root, size, store) else { continue };
        let judgement = judge(study, size, &found);
        let mut moving: Vec<(String, String)> = (std::fs::read_dir(moving(out, study)).into_iter().flatten().flatten())
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "html"))
            .map(|path| {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let file = format!("{}/{}/{name}.html", study.paper, study.item);
                (name, file)
            })
            .collect();
        moving.sort();
        done.push(Done { study: study.clone(), found, judgement, moving });
    }
    done
}

impl Done {
    fn shown(&self, size: Size) -> Shown<'_> {
        Shown { study: &self.study, size, found: &self.found, judgement: &self.judgement, moving: &self.moving }
    }
}

/// Returns the directory of the pages that move.
fn moving(out: &Path, study: &Study) -> PathBuf {
    out.join(&study.paper).join(&study.item)
}

/// Estimates the time left from the studies done so far; empty before the first.
fn left(begun: Instant, done: usize, of: usize) -> String {
    if done == 0 {
        return String::new();
    }
    let seconds = begun.elapsed().as_secs_f64() / done as f64 * (of - done) as f64;
    let left = indicatif::HumanDuration(Duration::from_secs_f64(seconds.min(1e9)));
    format!(", about {left} left")
}

/// Prints the verdict on a study and its reasons.
fn tell(study: &Study, judgement: &Judgement) {
    print::out(&format!("{}: {} ({}: {})\n", study.name(), judgement.verdict, study.place, study.title));
    for claim in &judgement.claims {
        let word = match claim.holds {
            Some(true) => "holds",
            Some(false) => "fails",
            None => "open",
        };
        let why = claim.why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
        print::out(&format!("  {word}: {}{why}\n", claim.says));
        if claim.holds != Some(true) && !claim.formula.is_empty() {
            print::out(&format!("    {}\n", claim.formula));
            claim.commands.iter().for_each(|command| print::out(&format!("    {command}\n")));
        }
    }
    for number in &judgement.numbers {
        let here: Vec<String> =
            number.here.iter().map(|here| here.map_or("unknown".to_string(), print::short)).collect();
        let paper = number.paper.map_or(String::new(), |paper| format!("paper {}, ", print::short(paper)));
        print::out(&format!("  {}: {paper}here {}\n", number.says, here.join(" / ")));
    }
}

fn to_json(judgement: &Judgement) -> Value {
    let claims = judgement.claims.iter().map(|claim| {
        let values: Map<String, Value> = claim.values.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        json!({ "says": claim.says, "formula": claim.formula, "holds": claim.holds, "why": claim.why, "values": values })
    });
    let numbers = judgement.numbers.iter().map(
        |number| json!({ "says": number.says, "paper": number.paper, "here": number.here, "agrees": number.agrees }),
    );
    json!({
        "verdict": judgement.verdict.word(), "claims": claims.collect::<Vec<_>>(),
        "numbers": numbers.collect::<Vec<_>>(),
    })
}

/// Reads the last verdicts.
fn verdicts(out: &Path) -> Map<String, Value> {
    let text = std::fs::read(out.join(VERDICTS)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// Keeps the verdict on a study.
fn keep_verdict(out: &Path, study: &Study, size: Size, verdict: Verdict) -> Result<(), OutputError> {
    let mut all = verdicts(out);
    let told = json!({ "verdict": verdict.word(), "size": size.word(), "program": Program::this().to_string() });
    all.insert(study.name(), told);
    write_whole(&out.join(VERDICTS), Value::Object(all).to_string().as_bytes())
}

/// Prints papers and items with the last verdicts.
fn list(known: &[Study], out: &Path) {
    let last = verdicts(out);
    let mut rows = vec![["paper", "item", "title", "last verdict"].map(str::to_string).to_vec()];
    for study in known {
        let word = |key: &str| last.get(&study.name()).and_then(|told| told[key].as_str()).unwrap_or("-").to_string();
        let verdict = match word("size").as_str() {
            "-" => "-".to_string(),
            size => format!("{} ({size})", word("verdict")),
        };
        let items = study.items().collect::<Vec<_>>().join(", ");
        rows.push(vec![study.paper.clone(), items, study.title.clone(), verdict]);
    }
    print::out(&print::table(&rows));
    print::out("\nRun some with `pliant reproduce PAPER ITEM`, all with `pliant reproduce --quick`.\n");
}

impl From<StudyError> for Failure {
    fn from(error: StudyError) -> Self {
        match error {
            StudyError::Scene(problems) => Failure::Scene(problems),
            StudyError::Compare(error) => error.into(),
            StudyError::Output(error) => Failure::Output(error),
            error => Failure::Usage(error.to_string()),
        }
    }
}
