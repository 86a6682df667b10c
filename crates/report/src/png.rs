//! Plots as PNG, for programs without SVG. The font is included: none need be installed.

use crate::letters::outlined;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Renders the plot as a PNG of this width [pixels]; `None` if the text is not SVG.
pub fn png(svg: &str, width: u32) -> Option<Vec<u8>> {
    let tree = Tree::from_str(&outlined(svg), &Options::default()).ok()?;
    let scale = width as f32 / tree.size().width();
    let mut pixels = Pixmap::new(width, (scale * tree.size().height()).round() as u32)?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, svg};

    #[test]
    fn a_plot_becomes_pixels_with_letters() {
        let draw = |title: &str| png(&svg(title, &Axis::linear("", 1.0), &Axis::linear("", 1.0), &[]), 900).unwrap();
        let (with, without) = (draw("Energy"), draw(""));
        assert!(
            with.starts_with(b"\x89PNG") && with.len() > without.len() + 200,
            "{} and {}",
            with.len(),
            without.len()
        );
        assert!(png("no svg", 100).is_none());
    }
}
