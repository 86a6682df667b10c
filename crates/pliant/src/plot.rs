//! A small plot of curves over time as SVG, readable by eye and by browser.

use crate::print::short;
use std::fmt::Write;

/// A named line through points (x, y).
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its points; not all y need fit into the plot.
    pub points: Vec<(f64, f64)>,
    /// Whether it ends because the run diverged: its last point gets a cross.
    pub diverged: bool,
}

/// Colours that differ for most eyes (Okabe, Ito 2008).
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999933"];

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 220.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 55.0;
/// More points than this cannot be told apart.
const MOST_POINTS: usize = 600;

/// The plot; x from 0, y from 0 to `top`, what is above is cut off.
pub fn svg(title: &str, x_label: &str, y_label: &str, top: f64, curves: &[Curve]) -> String {
    let end = curves.iter().flat_map(|c| &c.points).map(|p| p.0).fold(f64::MIN_POSITIVE, f64::max);
    let x = |value: f64| LEFT + value / end * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM);
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <clipPath id=\"inside\"><rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\"/></clipPath>\n",
        right - LEFT,
        bottom - TOP
    );
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<text x=\"{LEFT}\" y=\"28\" font-size=\"17\">{}</text>", escape(title));
    for tick in ticks(top) {
        let at = y(tick);
        let _ = writeln!(out, "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#ddd\"/>");
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            at + 5.0,
            short(tick)
        );
    }
    for tick in ticks(end) {
        let at = x(tick);
        let _ = writeln!(out, "<path d=\"M{at:.1} {TOP}V{bottom}\" stroke=\"#eee\"/>");
        let _ =
            writeln!(out, "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>", bottom + 20.0, short(tick));
    }
    let _ = writeln!(out, "<path d=\"M{LEFT} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"black\"/>");
    let middle = 0.5 * (LEFT + right);
    let _ =
        writeln!(out, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>", HEIGHT - 12.0, escape(x_label));
    let _ = writeln!(
        out,
        "<text transform=\"translate(22 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        0.5 * (TOP + bottom),
        escape(y_label)
    );
    for (i, curve) in curves.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let every = curve.points.len().div_ceil(MOST_POINTS).max(1);
        let points = curve.points.iter().enumerate().filter(|(k, _)| k % every == 0 || *k + 1 == curve.points.len());
        // Far above the plot is as good as anywhere above it, and short to write.
        let path: String =
            points.map(|(_, p)| format!("{:.1},{:.1} ", x(p.0), y(p.1.clamp(-top, 10.0 * top)))).collect();
        let _ = writeln!(
            out,
            "<polyline clip-path=\"url(#inside)\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{}\"/>",
            path.trim_end()
        );
        let last = curve.points.last().filter(|_| curve.diverged);
        if let Some((time, value)) = last {
            let (cx, cy) = (x(*time), y(value.clamp(0.0, top)));
            let _ = writeln!(
                out,
                "<path d=\"M{:.1} {:.1}l16 16m0 -16l-16 16\" stroke=\"{colour}\" stroke-width=\"4\"/>",
                cx - 8.0,
                cy - 8.0
            );
        }
        let at = TOP + 10.0 + 22.0 * i as f64;
        let _ = writeln!(out, "<path d=\"M{} {at}h22\" stroke=\"{colour}\" stroke-width=\"3\"/>", right + 14.0);
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" font-size=\"12\">{}{}</text>",
            right + 42.0,
            at + 4.0,
            escape(&curve.name),
            if curve.diverged { " (diverged)" } else { "" }
        );
    }
    out.push_str("</svg>\n");
    out
}

/// Round numbers from 0 to `end`, four to ten of them.
fn ticks(end: f64) -> Vec<f64> {
    let power = 10f64.powf(end.log10().floor());
    let steps = [0.1, 0.2, 0.5, 1.0].map(|step| step * power);
    let step = steps.into_iter().find(|step| end / step <= 10.0).unwrap_or(power);
    (0..=10).map(|i| f64::from(i) * step).take_while(|tick| *tick <= end * (1.0 + 1e-9)).collect()
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
    }

    #[test]
    fn a_plot_holds_every_curve_and_no_number_that_is_none() {
        let points = [(0.0, 1.0), (1.0, 1e300), (2.0, 0.5)];
        let curves = ["a < b", "c"].map(|name| Curve {
            name: name.to_string(),
            points: points[..if name == "c" { 2 } else { 3 }].to_vec(),
            diverged: name == "c",
        });
        let svg = svg("title", "x", "y", 1.25, &curves);
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains("a &lt; b") && !svg.contains("NaN") && !svg.contains("inf"));
        assert!(svg.ends_with("</svg>\n"));
        // The cross is inside of the plot, though the value is far above it.
        assert!(svg.contains(">c (diverged)<") && !svg.contains("b (diverged)"));
        assert!(
            svg.contains(&format!("M{:.1} {:.1}l16 16", LEFT + 0.5 * (WIDTH - LEFT - RIGHT) - 8.0, TOP - 8.0)),
            "{svg}"
        );
    }
}
