//! The page of all studies, and their table in Markdown: the paper's numbers and ours, claims, plots, commands.

use crate::claim::Claim;
use crate::judge::{JudgedClaim, JudgedNumber, Judgement, Verdict};
use crate::run::Found;
use crate::study::{PAPERS, POSITION, Plot, Size, Study};
use report::plot::{self, Axis, Curve, Dots};
use std::collections::BTreeMap;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");

/// A study that has run, as the page shows it.
pub struct Shown<'a> {
    /// The study.
    pub study: &'a Study,
    /// Size at which it ran.
    pub size: Size,
    /// Its results.
    pub found: &'a Found,
    /// Verdict and reasons.
    pub judgement: &'a Judgement,
    /// Pages that move: their names and files, relative to the page.
    pub moving: &'a [(String, String)],
}

/// Returns the page of those that have run, of all that are known. `program` names version and commit.
pub fn html(shown: &[Shown], known: &[Study], program: &str) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, \
         initial-scale=1\">\n<title>Reproduction of five papers</title>\n<style>\n{STYLE}</style>\n\
         <header><h1>Tables and figures of five papers, computed again</h1>\n<p>{}</p></header>\n<main>\n",
        escape(program)
    );
    out += &counts(shown, known);
    for paper in PAPERS {
        let of: Vec<&Shown> = shown.iter().filter(|shown| shown.study.paper == paper.name).collect();
        if of.is_empty() {
            continue;
        }
        let _ =
            writeln!(out, "<h2 id=\"{0}\">{0}</h2>\n<p class=\"quiet\">{1}</p>", paper.name, escape(paper.citation));
        of.iter().for_each(|shown| out += &section(shown));
    }
    out + "</main>\n</html>\n"
}

/// Returns the table of verdicts by paper, with the number of studies that have not run.
fn counts(shown: &[Shown], known: &[Study]) -> String {
    let mut out = String::from("<table><tr><th>paper</th>");
    Verdict::ALL.iter().for_each(|verdict| _ = write!(out, "<th>{verdict}</th>"));
    out += "<th>not run</th></tr>\n";
    for (paper, counts) in tally(shown) {
        let all = known.iter().filter(|study| study.paper == paper).count();
        let _ = write!(out, "<tr><td><a href=\"#{paper}\">{paper}</a></td>");
        let left = all.saturating_sub(counts.iter().sum());
        counts.iter().chain([&left]).for_each(|count| _ = write!(out, "<td>{count}</td>"));
        out += "</tr>\n";
    }
    out + "</table>\n"
}

/// Counts the verdicts by paper, in the order of [`Verdict::ALL`].
pub fn tally<'a>(shown: &[Shown<'a>]) -> Vec<(&'a str, [usize; 4])> {
    let mut rows: Vec<(&str, [usize; 4])> = Vec::new();
    for shown in shown {
        let paper = shown.study.paper.as_str();
        if rows.last().is_none_or(|(last, _)| *last != paper) {
            rows.push((paper, [0; 4]));
        }
        let place = Verdict::ALL.iter().position(|verdict| *verdict == shown.judgement.verdict);
        if let (Some((_, counts)), Some(place)) = (rows.last_mut(), place) {
            counts[place] += 1;
        }
    }
    rows
}

fn section(shown: &Shown) -> String {
    let Shown { study, size, found, judgement, moving } = shown;
    let verdict = judgement.verdict;
    let mut out = format!(
        "<section id=\"{}-{}\">\n<h3>{} <span class=\"quiet\">{}</span> <span class=\"verdict {}\">{verdict}</span></h3>\n\
         <p>The paper says: {}</p>\n",
        study.paper,
        study.item,
        escape(&study.title),
        escape(&study.place),
        verdict.word().replace(' ', "-"),
        escape(&study.says),
    );
    judgement.claims.iter().for_each(|claim| out += &claim_html(claim));
    if !judgement.numbers.is_empty() {
        out += "<table><tr><th>number</th><th>paper</th><th>here</th><th></th></tr>\n";
        judgement.numbers.iter().for_each(|number| out += &number_html(number));
        out += "</table>\n";
    }
    if let (Verdict::Holds, Some(why)) = (verdict, &study.differs) {
        let _ = writeln!(out, "<p>Numbers differ: {}</p>", escape(why));
    }
    for svg in plots(study, found) {
        let _ = writeln!(out, "<figure>{svg}</figure>");
    }
    for (name, file) in *moving {
        let _ = writeln!(out, "<p><a href=\"{}\">See it move: {}</a></p>", escape(file), escape(name));
    }
    for (title, lines) in
        [("Missing in the paper", &study.missing), ("Assumed here", &study.assumed), ("Notes", &found.notes)]
    {
        if !lines.is_empty() {
            let items: String = lines.iter().map(|line| format!("<li>{}</li>", escape(line))).collect();
            let _ = writeln!(out, "<p class=\"quiet\">{title}</p><ul>{items}</ul>");
        }
    }
    let _ = writeln!(out, "<pre>pliant reproduce {} --{}</pre>\n</section>", study.name(), size.word());
    out
}

fn claim_html(claim: &JudgedClaim) -> String {
    let (mark, class) = match claim.holds {
        Some(true) => ("holds", "reproduced"),
        Some(false) => ("fails", "fails"),
        None => ("open", "cannot-be-decided"),
    };
    let values: Vec<String> = (claim.values.iter())
        .map(|(name, value)| format!("{name} = {}", value.map_or("unknown".to_string(), short)))
        .collect();
    let why = claim.why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
    let commands: String = match claim.holds {
        Some(true) => String::new(),
        _ => claim.commands.iter().map(|command| format!("<pre>{}</pre>", escape(command))).collect(),
    };
    let formula = match claim.formula.as_str() {
        "" => String::new(),
        text => {
            format!("<br><code>{}</code><br><span class=\"quiet\">{}</span>", escape(text), escape(&values.join(", ")))
        }
    };
    format!(
        "<div class=\"claim\"><span class=\"verdict {class}\">{mark}</span> {}{}{formula}{commands}</div>\n",
        escape(&claim.says),
        escape(&why),
    )
}

fn number_html(number: &JudgedNumber) -> String {
    let word = |agrees: bool| if agrees { "agrees" } else { "differs" };
    format!(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        escape(&number.says),
        told(number.paper),
        here(number),
        number.agrees.map_or("not judged", word)
    )
}

/// Returns our value, or those of all alternatives.
fn here(number: &JudgedNumber) -> String {
    let one = |value: &Option<f64>| value.map_or("unknown".to_string(), short);
    number.here.iter().map(one).collect::<Vec<_>>().join(" / ")
}

/// Draws the plots of a study: its own, and the energies of all runs over time.
fn plots(study: &Study, found: &Found) -> Vec<String> {
    let mut drawn: Vec<String> = study.plots.iter().filter_map(|plot| own_plot(plot, found)).collect();
    if !study.damping.is_empty() {
        let curves: Vec<Curve> = (study.damping.iter())
            .filter_map(|mode| {
                let points = found.points(mode.name());
                (!points.is_empty()).then(|| Curve { name: mode.name().to_string(), points, ..Curve::default() })
            })
            .collect();
        let all = || curves.iter().flat_map(|curve| &curve.points);
        let x = Axis::log("step times frequency, h ω", all().map(|point| point.0));
        let y = Axis::around(report::page::DAMPING_AXIS, all().map(|point| point.1));
        drawn.push(plot::svg("Artificial damping", &x, &y, &curves));
    }
    // Runs of one scene share a plot.
    let mut groups: BTreeMap<(&str, &str), Vec<Curve>> = BTreeMap::new();
    for ((alternative, run), quantities) in &found.runs {
        if study.without_run().any(|name| name == run) {
            continue;
        }
        let (group, method) = run.rsplit_once('/').unwrap_or(("", run));
        let points = quantities.samples.iter().map(|[t, kinetic, elastic, load]| (*t, kinetic + elastic + load));
        groups.entry((alternative, group)).or_default().push(Curve {
            name: method.to_string(),
            points: points.collect(),
            diverged: quantities.get("done") != Some(1.0),
            ..Curve::default()
        });
    }
    for ((alternative, group), curves) in groups {
        let arrived = || curves.iter().filter(|curve| !curve.diverged).flat_map(|curve| &curve.points);
        let end = curves.iter().flat_map(|curve| &curve.points).map(|point| point.0).fold(0.0, f64::max);
        let title = [alternative, group].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
        let y = Axis::around("total energy [J]", arrived().map(|point| point.1));
        drawn.push(plot::svg(&title, &Axis::linear("time [s]", end), &y, &curves));
    }
    drawn
}

/// Draws a plot of a study; `None` if no value is known.
fn own_plot(plot: &Plot, found: &Found) -> Option<String> {
    let curves: Vec<Curve> = (plot.curves.iter())
        .map(|curve| {
            let height = |x: f64, formula: &Claim| {
                let value = |name: &str| if name == POSITION { Some(x) } else { found.value("", name) };
                Some((x, formula.value(&value).ok()?))
            };
            let points = match (&curve.oscillator, &curve.height) {
                (Some(name), _) => found.points(name),
                (_, Some(formula)) => plot.at.iter().filter_map(|x| height(*x, formula)).collect(),
                _ => plot.at.iter().zip(&curve.heights).filter_map(|(x, formula)| height(*x, formula)).collect(),
            };
            let dots = if curve.height.is_some() { Dots::default() } else { Dots::OnLine };
            Curve { name: curve.name.clone(), points, dots, ..Curve::default() }
        })
        .collect();
    let all = || curves.iter().flat_map(|curve| &curve.points);
    all().next()?;
    let (across, up) = (all().map(|point| point.0), all().map(|point| point.1));
    let (x, y) = match plot.log {
        true => (Axis::log(&plot.x, across), Axis::log(&plot.y, up)),
        false => (Axis::around(&plot.x, across), Axis::around(&plot.y, up)),
    };
    Some(plot::svg(&plot.title, &x, &y, &curves))
}

/// Returns the table of all studies in Markdown.
pub fn markdown(shown: &[Shown]) -> String {
    let mut out = String::from("| item | the paper says | verdict | numbers: paper, here |\n|---|---|---|---|\n");
    for Shown { study, judgement, .. } in shown {
        let numbers: Vec<String> = judgement
            .numbers
            .iter()
            .map(|number| format!("{}: {}, {}", number.says, told(number.paper), here(number)))
            .collect();
        let row = [study.name(), study.says.clone(), judgement.verdict.to_string(), numbers.join("; ")];
        let row = row.map(|cell| cell.replace('|', "\\|").replace('\n', " "));
        let _ = writeln!(out, "| {} |", row.join(" | "));
    }
    out
}

/// Returns a value of the paper; a dash where it gives none.
fn told(paper: Option<f64>) -> String {
    paper.map_or("-".to_string(), short)
}

/// Rounds to four digits.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    if rounded == 0.0 || (1e-3..1e6).contains(&rounded.abs()) { format!("{rounded}") } else { format!("{rounded:e}") }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
