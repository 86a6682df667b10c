//! Letters of plots as outlines, so that pixels need neither installed fonts nor text layout.
//!
//! Texts of our plots are single lines in one font. They need advance widths and kerning-free outlines, nothing that a layout engine would add.

use std::fmt::Write;
use ttf_parser::{Face, OutlineBuilder};

/// Size of texts that state none [px], as in the head of plots.
const SIZE: f64 = 14.0;

/// Replaces every `<text>` of a plot by a `<path>` of its letters in DejaVu Sans. Other text is left as it is.
pub fn outlined(svg: &str) -> String {
    let Ok(face) = Face::parse(dejavu::sans::regular(), 0) else { return svg.to_string() };
    let mut out = String::with_capacity(4 * svg.len());
    let mut rest = svg;
    while let Some((before, after)) = rest.split_once("<text ") {
        out.push_str(before);
        let parts = after.split_once("</text>").and_then(|(text, after)| Some((text.split_once('>')?, after)));
        let Some(((attributes, words), after)) = parts else {
            rest = after;
            break;
        };
        draw(&face, attributes, words, &mut out);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Appends the path of one line of text.
fn draw(face: &Face, attributes: &str, words: &str, out: &mut String) {
    let words = words.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let number = |name: &str| attribute(attributes, name).and_then(|value| value.parse::<f64>().ok());
    let scale = number("font-size").unwrap_or(SIZE) / f64::from(face.units_per_em());
    let glyphs = || words.chars().map(|c| face.glyph_index(c).unwrap_or_default());
    let advance = |glyph| scale * f64::from(face.glyph_hor_advance(glyph).unwrap_or_default());
    let width: f64 = glyphs().map(advance).sum();
    let before = match attribute(attributes, "text-anchor") {
        Some("middle") => 0.5 * width,
        Some("end") => width,
        _ => 0.0,
    };
    let origin = [number("x").unwrap_or(0.0) - before, number("y").unwrap_or(0.0)];
    let mut pen = Pen { path: String::new(), origin, scale };
    for glyph in glyphs() {
        face.outline_glyph(glyph, &mut pen);
        pen.origin[0] += advance(glyph);
    }
    let transform = attribute(attributes, "transform").map_or(String::new(), |value| format!(" transform=\"{value}\""));
    // Writing to a string cannot fail.
    let _ = write!(out, "<path{transform} d=\"{}\"/>", pen.path);
}

/// Returns the value of an attribute in the head of an element.
fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let mut pairs = attributes.split("\" ").filter_map(|pair| pair.split_once("=\""));
    pairs.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim_end_matches('"'))
}

/// Writes outlines as the data of an SVG path; y of fonts points upwards.
struct Pen {
    path: String,
    origin: [f64; 2],
    scale: f64,
}

impl Pen {
    fn add(&mut self, command: char, points: &[[f32; 2]]) {
        self.path.push(command);
        for [x, y] in points {
            let [x, y] = [self.origin[0] + self.scale * f64::from(*x), self.origin[1] - self.scale * f64::from(*y)];
            let _ = write!(self.path, "{x:.2} {y:.2} ");
        }
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.add('M', &[[x, y]]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.add('L', &[[x, y]]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.add('Q', &[[x1, y1], [x, y]]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.add('C', &[[x1, y1], [x2, y2], [x, y]]);
    }

    fn close(&mut self) {
        self.path.push('Z');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Least and largest x of the points of a path [px].
    fn extent(svg: &str) -> [f64; 2] {
        let data = svg.split("d=\"").nth(1).unwrap().split('"').next().unwrap();
        let numbers: Vec<f64> =
            data.split(|c: char| c.is_ascii_alphabetic() || c == ' ').filter_map(|x| x.parse().ok()).collect();
        let across = || numbers.iter().step_by(2).copied();
        [across().fold(f64::INFINITY, f64::min), across().fold(f64::NEG_INFINITY, f64::max)]
    }

    #[test]
    fn lines_start_end_or_centre_where_their_anchor_says() {
        let [start, end] = extent(&outlined("<text x=\"100\" y=\"28\" font-size=\"17\">Energy</text>"));
        assert!(start > 100.0 && start < 103.0 && end > 150.0 && end < 170.0, "{start} {end}");
        let [_, end] = extent(&outlined("<text x=\"100\" y=\"5\" text-anchor=\"end\">Energy</text>"));
        assert!(end > 97.0 && end <= 100.0, "{end}");
        let [start, end] = extent(&outlined("<text x=\"100\" y=\"5\" text-anchor=\"middle\">oooo</text>"));
        assert!((start + end - 200.0).abs() < 1.0, "{start} {end}");
    }

    #[test]
    fn marks_of_xml_are_letters_and_all_else_stays() {
        let around = "<svg><rect/>";
        let svg = outlined(&format!("{around}<text transform=\"rotate(-90)\" x=\"0\" y=\"0\">a&lt;b</text></svg>"));
        assert!(
            svg.starts_with(around) && svg.ends_with("</svg>") && svg.contains("transform=\"rotate(-90)\""),
            "{svg}"
        );
        assert_eq!(
            svg.matches('Z').count(),
            outlined("<text x=\"0\">a</text><text x=\"0\">&lt;</text><text x=\"0\">b</text>").matches('Z').count()
        );
        assert_eq!(outlined("no text"), "no text");
        assert_eq!(outlined("<text x=\"0\">without an end"), "x=\"0\">without an end");
    }
}
