//! Plots as SVG: curves over linear or logarithmic axes, with a legend.

use std::fmt::Write;

/// A named line through points (x, y).
#[derive(Debug, Clone, Default)]
pub struct Curve {
    /// Name in the legend.
    pub name: String,
    /// Points; some may lie outside the plot.
    pub points: Vec<(f64, f64)>,
    /// True if it ends because the run diverged: its last point gets a cross.
    pub diverged: bool,
    /// Dots at its points; a curve of dots alone has no line.
    pub dots: Dots,
    /// More dots in its colour, such as measurements beside a formula.
    pub beside: Vec<(f64, f64)>,
}

/// Dots at the points of a curve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dots {
    /// A line only.
    #[default]
    None,
    /// A line with dots.
    OnLine,
    /// Dots only.
    Alone,
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Label, with its unit.
    pub label: String,
    /// Range; points beyond are cut off.
    pub range: [f64; 2],
    /// True for a logarithmic axis.
    pub log: bool,
}

impl Axis {
    /// An axis from 0 to `end`.
    pub fn linear(label: &str, end: f64) -> Axis {
        Axis { label: label.to_string(), range: [0.0, end.max(f64::MIN_POSITIVE)], log: false }
    }

    /// An axis around these values and zero.
    pub fn around(label: &str, values: impl Iterator<Item = f64>) -> Axis {
        let [low, high] = values.fold([0.0_f64, 0.0_f64], |[low, high], x| [low.min(x), high.max(x)]);
        let margin = if high > low { 0.04 * (high - low) } else { 1.0 };
        let range = [if low < 0.0 { low - margin } else { 0.0 }, high + margin];
        Axis { label: label.to_string(), range, log: false }
    }

    /// Makes a logarithmic axis around these values; values that are not positive are ignored.
    pub fn log(label: &str, values: impl Iterator<Item = f64>) -> Axis {
        let good = values.filter(|x| *x > 0.0 && x.is_finite());
        let [low, high] = good.fold([f64::INFINITY, 0.0], |[low, high], x| [x.min(low), x.max(high)]);
        let range = if low <= high { [0.8 * low, 1.25 * high] } else { [0.1, 1.0] };
        Axis { label: label.to_string(), range, log: true }
    }

    /// Returns the position of a value, as a share of the axis.
    fn share(&self, value: f64) -> f64 {
        let [low, high] = self.range;
        if self.log {
            (value.max(f64::MIN_POSITIVE) / low).ln() / (high / low).ln()
        } else {
            (value - low) / (high - low)
        }
    }

    /// Returns round numbers along it, about four to ten.
    fn ticks(&self) -> Vec<f64> {
        let [low, high] = self.range;
        if !self.log {
            let below =
                if low < 0.0 { ticks(-low).into_iter().skip(1).map(|tick| -tick).collect() } else { Vec::new() };
            // The same spacing on both sides of zero: that of the longer side.
            let step = ticks(high.max(-low)).get(1).copied().unwrap_or(high);
            let whole = |tick: &f64| (tick / step - (tick / step).round()).abs() < 1e-6;
            let above = if high > 0.0 { ticks(high) } else { vec![0.0] };
            return below.into_iter().chain(above).filter(whole).collect();
        }
        let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
        let digits: &[f64] = if high / low < 1e3 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let every = ((high / low).log10() / 8.0).ceil().max(1.0) as i32;
        let all = decades
            .filter(|decade| decade % every == 0)
            .flat_map(|decade| digits.iter().map(move |d| d * 10f64.powi(decade)));
        all.filter(|tick| (low..=high).contains(tick)).collect()
    }
}

/// Colours that most people can distinguish (Okabe, Ito 2008).
pub const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999933"];

const WIDTH: f64 = 940.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 280.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 55.0;
/// Limit of points: more cannot be distinguished.
const MOST_POINTS: usize = 600;

/// Draws the plot.
pub fn svg(title: &str, x: &Axis, y: &Axis, curves: &[Curve]) -> String {
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    // Points far outside are moved to just outside, which is shorter to write.
    let across = |value: f64| LEFT + x.share(value).clamp(-9.0, 10.0) * (right - LEFT);
    let down = |value: f64| bottom - y.share(value).clamp(-9.0, 10.0) * (bottom - TOP);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <clipPath id=\"inside\"><rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\"/></clipPath>\n",
        right - LEFT,
        bottom - TOP
    );
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<text x=\"{LEFT}\" y=\"28\" font-size=\"17\">{}</text>", escape(title));
    for tick in y.ticks() {
        let at = down(tick);
        let _ = writeln!(out, "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#ddd\"/>");
        let (end, base) = (LEFT - 8.0, at + 5.0);
        let _ = writeln!(out, "<text x=\"{end}\" y=\"{base:.1}\" text-anchor=\"end\">{}</text>", short(tick));
    }
    for tick in x.ticks() {
        let (at, base) = (across(tick), bottom + 20.0);
        let _ = writeln!(out, "<path d=\"M{at:.1} {TOP}V{bottom}\" stroke=\"#eee\"/>");
        let _ = writeln!(out, "<text x=\"{at:.1}\" y=\"{base}\" text-anchor=\"middle\">{}</text>", short(tick));
    }
    let _ = writeln!(out, "<path d=\"M{LEFT} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"black\"/>");
    let (middle, base) = (0.5 * (LEFT + right), HEIGHT - 12.0);
    let _ = writeln!(out, "<text x=\"{middle}\" y=\"{base}\" text-anchor=\"middle\">{}</text>", escape(&x.label));
    let turned = format!("translate(22 {}) rotate(-90)", 0.5 * (TOP + bottom));
    let _ = writeln!(out, "<text transform=\"{turned}\" text-anchor=\"middle\">{}</text>", escape(&y.label));
    let points: Vec<Vec<(f64, f64)>> = curves.iter().map(|curve| points(curve, &across, &down)).collect();
    for (i, curve) in curves.iter().enumerate() {
        let look = Look::new(i, &points);
        line(&mut out, curve, &look, &points[i], &across, &down);
        legend(&mut out, curve, &look, [right + 14.0, TOP + 10.0 + 22.0 * i as f64]);
    }
    out.push_str("</svg>\n");
    out
}

/// Look of a curve. Curves that coincide share the line: each is visible on a part of every dash.
struct Look {
    colour: &'static str,
    /// Number of coinciding curves, and of those drawn before.
    alike: usize,
    before: usize,
}

impl Look {
    fn new(i: usize, points: &[Vec<(f64, f64)>]) -> Look {
        let near = |a: &(f64, f64), b: &(f64, f64)| (a.0 - b.0).abs() < 1.0 && (a.1 - b.1).abs() < 1.0;
        let is_alike = |other: &Vec<(f64, f64)>| {
            other.len() == points[i].len() && other.iter().zip(&points[i]).all(|(a, b)| near(a, b))
        };
        let count = |others: &[Vec<(f64, f64)>]| others.iter().filter(|other| is_alike(other)).count();
        Look { colour: COLOURS[i % COLOURS.len()], alike: count(points), before: count(&points[..i]) }
    }

    /// Returns the dash pattern, if others coincide. The first curve is solid: the others leave gaps.
    fn dashes(&self) -> String {
        const LENGTH: usize = 9;
        if self.before == 0 {
            return String::new();
        }
        let (gap, shift) = (LENGTH * (self.alike - 1), LENGTH * self.before);
        format!(" stroke-dasharray=\"{LENGTH} {gap}\" stroke-dashoffset=\"-{shift}\"")
    }

    /// Returns the radius of dots, such that covered dots remain visible.
    fn radius(&self) -> f64 {
        4.0 * (1.0 - self.before as f64 / self.alike.max(1) as f64)
    }
}

/// Returns the positions of a curve's points in the plot.
fn points(curve: &Curve, across: &dyn Fn(f64) -> f64, down: &dyn Fn(f64) -> f64) -> Vec<(f64, f64)> {
    let every = curve.points.len().div_ceil(MOST_POINTS).max(1);
    let last = curve.points.len().saturating_sub(1);
    let kept = curve.points.iter().enumerate().filter(|(k, _)| k % every == 0 || *k == last);
    kept.map(|(_, p)| (across(p.0), down(p.1))).collect()
}

fn line(
    out: &mut String,
    curve: &Curve,
    look: &Look,
    points: &[(f64, f64)],
    across: &dyn Fn(f64) -> f64,
    down: &dyn Fn(f64) -> f64,
) {
    let colour = look.colour;
    if curve.dots != Dots::Alone {
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let dashes = look.dashes();
        let _ = writeln!(
            out,
            "<polyline clip-path=\"url(#inside)\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes} points=\"{}\"/>",
            path.join(" ")
        );
    }
    let on_line = if curve.dots == Dots::None { &[] } else { points };
    let radius = look.radius();
    let beside = curve.beside.iter().map(|p| (across(p.0), down(p.1)));
    for (x, y) in on_line.iter().copied().chain(beside) {
        let _ = writeln!(
            out,
            "<circle clip-path=\"url(#inside)\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\"/>"
        );
    }
    if let Some((x, y)) = points.last().filter(|_| curve.diverged) {
        let (x, y) = (x.clamp(LEFT, WIDTH - RIGHT) - 8.0, y.clamp(TOP, HEIGHT - BOTTOM) - 8.0);
        let _ = writeln!(out, "<path d=\"M{x:.1} {y:.1}l16 16m0 -16l-16 16\" stroke=\"{colour}\" stroke-width=\"4\"/>");
    }
}

fn legend(out: &mut String, curve: &Curve, look: &Look, [x, y]: [f64; 2]) {
    let (colour, dashes) = (look.colour, if look.before > 0 { " stroke-dasharray=\"8 6\"" } else { "" });
    let _ = writeln!(out, "<path d=\"M{x} {y}h22\" stroke=\"{colour}\" stroke-width=\"3\"{dashes}/>");
    let (from, base, sign) = (x + 28.0, y + 4.0, if curve.diverged { " (diverged)" } else { "" });
    let _ = writeln!(out, "<text x=\"{from}\" y=\"{base}\" font-size=\"12\">{}{sign}</text>", escape(&curve.name));
}

/// Returns round numbers from 0 to `end`, four to ten of them.
fn ticks(end: f64) -> Vec<f64> {
    let power = 10f64.powf(end.log10().floor());
    let steps = [0.1, 0.2, 0.5, 1.0].map(|step| step * power);
    let step = steps.into_iter().find(|step| end / step <= 10.0).unwrap_or(power);
    (0..=10).map(|i| f64::from(i) * step).take_while(|tick| *tick <= end * (1.0 + 1e-9)).collect()
}

/// Formats a number with the digits that a tick needs.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    if rounded == 0.0 || (1e-3..1e6).contains(&rounded.abs()) { format!("{rounded}") } else { format!("{rounded:e}") }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let shown: Vec<String> = ticks(0.5).into_iter().map(short).collect();
        assert_eq!(shown, ["0", "0.05", "0.1", "0.15", "0.2", "0.25", "0.3", "0.35", "0.4", "0.45", "0.5"]);
        for end in [0.03, 0.7, 1.2, 3.0, 9.9, 1234.0] {
            let ticks = ticks(end);
            assert!((4..=11).contains(&ticks.len()), "{end}: {ticks:?}");
            assert!(*ticks.last().unwrap() <= end * 1.001);
        }
        for values in [[1e-9, 1e3], [0.02, 0.9], [3.0, 40.0]] {
            let ticks = Axis::log("", values.into_iter()).ticks();
            assert!((2..=12).contains(&ticks.len()), "{values:?}: {ticks:?}");
        }
    }

    #[test]
    fn a_plot_holds_every_curve_and_no_number_that_is_none() {
        let points = [(0.0, 1.0), (1.0, 1e300), (2.0, 0.5)];
        let curves = ["a < b", "c"].map(|name| Curve {
            name: name.to_string(),
            points: points[..if name == "c" { 2 } else { 3 }].to_vec(),
            diverged: name == "c",
            ..Curve::default()
        });
        let svg = svg("title", &Axis::linear("x", 2.0), &Axis::linear("y", 1.25), &curves);
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains("a &lt; b") && !svg.contains("NaN") && !svg.contains("inf"));
        assert!(svg.ends_with("</svg>\n"));
        // The cross is inside the plot, though the value is far above it.
        assert!(svg.contains(">c (diverged)<") && !svg.contains("b (diverged)"));
        let cross = format!("M{:.1} {:.1}l16 16", LEFT + 0.5 * (WIDTH - LEFT - RIGHT) - 8.0, TOP - 8.0);
        assert!(svg.contains(&cross), "{svg}");
    }

    #[test]
    fn of_curves_on_each_other_every_one_is_seen() {
        let curve = |name: &str, top: f64| Curve {
            name: name.to_string(),
            points: (0..50).map(|i| (f64::from(i), top * f64::from(i))).collect(),
            beside: vec![(10.0, 10.0 * top)],
            ..Curve::default()
        };
        let curves = [curve("a", 1.0), curve("b", 0.5), curve("c", 1.0), curve("d", 1.0 + 1e-9)];
        let svg = svg("", &Axis::linear("x", 50.0), &Axis::linear("y", 50.0), &curves);
        let drawn: Vec<&str> = svg.lines().filter(|line| line.starts_with("<polyline")).collect();
        // The first is solid; each of those above it has a different third of the line.
        assert!(!drawn[0].contains("dash") && !drawn[1].contains("dash"), "{svg}");
        assert!(drawn[2].contains("stroke-dasharray=\"9 18\" stroke-dashoffset=\"-9\""), "{}", drawn[2]);
        assert!(drawn[3].contains("stroke-dasharray=\"9 18\" stroke-dashoffset=\"-18\""), "{}", drawn[3]);
        let radii: Vec<&str> = svg.lines().filter(|line| line.starts_with("<circle")).collect();
        assert!(radii[0].contains("r=\"4\"") && !radii[2].contains("r=\"4\""), "{radii:?}");
        assert_eq!(svg.matches("stroke-dasharray=\"8 6\"").count(), 2, "the legend tells who is drawn in dashes");
    }

    #[test]
    fn logarithmic_axes_survive_zeros() {
        let curve =
            Curve { name: "m".into(), points: vec![(0.0, 0.0), (1.0, 1e-3)], dots: Dots::OnLine, ..Curve::default() };
        let values = || [0.0, 1.0, f64::NAN, -2.0].into_iter();
        let svg = svg("", &Axis::log("x", values()), &Axis::log("y", [1e-3].into_iter()), &[curve]);
        assert!(!svg.contains("NaN") && !svg.contains("inf") && svg.matches("<circle").count() == 2);
    }
}
