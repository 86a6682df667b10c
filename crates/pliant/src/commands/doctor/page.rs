//! Report of the doctor as text.

use super::super::convert::contents;
use super::substance::Substance;
use super::{Mended, Seen};
use crate::print::short;
use geometry::doctor::{BARS, Finding, Quality, WIDEST};
use model::mesh::{Group, Mesh};
use std::path::Path;

/// Lines of a drawn histogram.
const LINES: usize = 4;
/// Limit of named groups.
const MOST_GROUPS: usize = 12;

/// Returns the text about a file.
pub fn seen(file: &Path, mesh: &Mesh, seen: &Seen, material: &Substance, step: f64) -> String {
    let Seen { doubts, diagnosis, frequency } = seen;
    let mut text = format!("{}\n  holds     {}\n", file.display(), contents(mesh));
    if !mesh.groups.is_empty() {
        text += &format!("  groups    {}\n", groups(mesh));
    }
    if let Some([low, high]) = diagnosis.bounds {
        let side: Vec<String> = (0..3).map(|k| short(high[k] - low[k])).collect();
        let corner = |p: [f64; 3]| p.map(short).join(", ");
        text += &format!("  extent    {}, from ({}) to ({})\n", side.join(" x "), corner(low), corner(high));
        if let Some(guess) = unit(diagnosis.bounds) {
            text += &format!("  unit      {}\n", guess.0);
        }
    }
    if diagnosis.volume != 0.0 {
        text += &format!("  volume    {} cubic units\n", short(diagnosis.volume));
    }
    if diagnosis.area > 0.0 {
        text += &format!("  surface   {} square units\n", short(diagnosis.area));
    }
    if diagnosis.components.len() > 1 {
        let sizes: Vec<String> = diagnosis.components.iter().take(5).map(usize::to_string).collect();
        let more = if diagnosis.components.len() > 5 { " ..." } else { "" };
        text += &format!("  parts     {}, of {}{more} nodes\n", diagnosis.components.len(), sizes.join(", "));
    }
    if let Some(quality) = &diagnosis.quality {
        text += &histograms(quality);
    }
    if let Some(w) = frequency {
        let Substance { name, young, poisson, density } = material;
        text += &format!(
            "\n  of {name} (E = {} Pa, nu = {}, rho = {} kg/m^3), its lengths taken in metres:\n",
            short(*young),
            short(*poisson),
            short(*density)
        );
        text += &format!("    highest frequency    {w:.3e} rad/s\n");
        text += &format!(
            "    explicit methods     fail with steps above {:.2e} s (symplectic Euler: 2 / frequency)\n",
            2.0 / w
        );
        text += &format!("    step times frequency {} with a step of {} s\n", short(round(step * w)), short(step));
    }
    text.push('\n');
    if diagnosis.is_healthy() && doubts.is_empty() {
        text += "  healthy: nothing is wrong with it\n";
    }
    for doubt in doubts {
        text += &format!(
            "  error     {doubt}\n            mends it: any --fix writes the file anew, as it was read here\n"
        );
    }
    diagnosis.findings.iter().for_each(|found| text += &finding(found));
    let mut fixes: Vec<&str> =
        diagnosis.findings.iter().filter_map(|found| Some(found.kind.facts().cure.ok()?.name())).collect();
    fixes.sort_unstable();
    fixes.dedup();
    if fixes.is_empty() && !doubts.is_empty() {
        fixes.push("all");
    }
    if !fixes.is_empty() {
        text += &format!("\n  mend it: pliant doctor {} --fix {} -o OUT\n", file.display(), fixes.join(","));
    }
    text
}

/// Rounds an estimate to three digits.
fn round(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

fn groups(mesh: &Mesh) -> String {
    let one = |(name, group): (&String, &Group)| {
        let kinds = [(group.tets.len(), "tets"), (group.triangles.len(), "triangles"), (group.nodes.len(), "nodes")];
        let (count, what) = kinds.into_iter().find(|(count, _)| *count > 0).unwrap_or((0, "nodes"));
        format!("{name} ({count} {what})")
    };
    let named: Vec<String> = mesh.groups.iter().take(MOST_GROUPS).map(one).collect();
    let more = mesh.groups.len().saturating_sub(MOST_GROUPS);
    named.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
}

/// Guesses the unit from the largest extent: a sentence and a name.
pub fn unit(bounds: Option<[[f64; 3]; 2]>) -> Option<(&'static str, &'static str)> {
    let [low, high] = bounds?;
    let largest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    Some(match largest {
        x if x <= 0.0 => return None,
        x if x < 8.0 => ("looks like metres (a guess by its size)", "m"),
        x if x < 25.0 => {
            ("looks like inches or centimetres (a guess by its size): scale = 0.0254 or 0.01 in a scene", "inch")
        }
        x if x < 100.0 => ("looks like centimetres (a guess by its size): scale = 0.01 in a scene", "cm"),
        _ => ("looks like millimetres (a guess by its size): scale = 0.001 in a scene", "mm"),
    })
}

fn finding(finding: &Finding) -> String {
    let facts = finding.kind.facts();
    let what = if finding.count == 1 { facts.one } else { facts.many };
    let longest = finding.longest.map(|length| format!(", the longest {} units around", short(round(length))));
    let mut text = format!("  {:8}  {} {what}{}\n", facts.severity.word(), finding.count, longest.unwrap_or_default());
    let point = |p: [f64; 3]| p.map(|x| short(round(x))).join(", ");
    let first: Vec<String> =
        finding.first.iter().map(|one| format!("{} {} at ({})", one.what, one.index, point(one.at))).collect();
    if !first.is_empty() {
        let more = if finding.count > first.len() { "; ..." } else { "" };
        text += &format!("            {}{more}\n", first.join("; "));
    }
    text + &match facts.cure {
        Ok(fix) => format!("            mends it: --fix {}\n", fix.name()),
        Err(advice) => format!("            {advice}\n"),
    }
}

/// Draws both histograms side by side.
fn histograms(quality: &Quality) -> String {
    let (left, right) = (bars(&quality.ratios), bars(&quality.angles));
    let mut text = format!("\n  {:32}{}\n", "tets by mean ratio", "tets by smallest dihedral angle");
    for (left, right) in left.iter().zip(&right) {
        text += format!("    {left}          {right}").trim_end();
        text.push('\n');
    }
    let axis = |end: String| format!("0{end:>width$}", width = BARS - 1);
    text += &format!("    {}          {}\n", axis("1".to_string()), axis(format!("{WIDEST} deg")));
    let [low, mean] = quality.ratio.map(|x| format!("{x:.3}"));
    let [least, middle] = quality.angle.map(|x| format!("{x:.1}"));
    text += &format!("    {:30}lowest {least}, mean {middle}\n", format!("lowest {low}, mean {mean}"));
    text
}

/// Draws a histogram in lines of blocks; every bar that is not empty is visible.
fn bars(counts: &[usize; BARS]) -> [String; LINES] {
    const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let heights = counts.map(|count| (8 * LINES * count).div_ceil(most));
    std::array::from_fn(|line| {
        let below = 8 * (LINES - 1 - line);
        heights.iter().map(|height| BLOCKS[height.saturating_sub(below).min(8)]).collect()
    })
}

/// Returns the text about the mended mesh.
pub fn mended(mended: &Mended) -> String {
    let mut text = format!("\nwrote {}: {}\n", mended.to.display(), contents(&mended.mesh));
    if mended.changes.is_empty() {
        text += "  nothing had to be changed\n";
    }
    for change in &mended.changes {
        text += &format!("  {:12}{} {}\n", change.fix.name(), change.count, change.what);
    }
    mended.losses.iter().for_each(|loss| text += &format!("  note: the format {loss}\n"));
    let left = &mended.seen.diagnosis;
    if left.is_healthy() {
        return text + "  healthy: nothing is wrong with it now\n";
    }
    text += "  still:\n";
    left.findings.iter().for_each(|found| text += &finding(found));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_grow_from_below() {
        let mut counts = [0; BARS];
        (counts[0], counts[1], counts[19]) = (1000, 1, 500);
        let drawn = bars(&counts);
        assert_eq!(drawn[0].chars().next(), Some('█'));
        assert_eq!(drawn[3].chars().collect::<Vec<_>>()[..3], ['█', '▁', ' ']);
        assert_eq!(drawn.each_ref().map(|line| line.chars().last()), [Some(' '), Some(' '), Some('█'), Some('█')]);
    }

    #[test]
    fn units_are_guessed_by_size() {
        let of = |size: f64| unit(Some([[0.0; 3], [0.1 * size, size, 0.0]])).map(|(_, name)| name);
        assert_eq!(
            [of(0.2), of(12.0), of(60.0), of(200.0), of(0.0)],
            [Some("m"), Some("inch"), Some("cm"), Some("mm"), None]
        );
    }
}
