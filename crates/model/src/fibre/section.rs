//! Cross-sections of fibres: area, torsion constant, and the ring of four points with the same second moments.

use std::f64::consts::PI;

/// Torsion constant of a square of side 1 (Saint-Venant).
const SQUARE_TORSION: f64 = 0.140_577_014_955_156;

/// Shape of a cross-section. Its diameter is that of the circle, the long axis of the ellipse, or the side of the square.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Section {
    /// A circle.
    Round,
    /// An ellipse whose short axis is this share of its long axis.
    Ellipse(f64),
    /// A square.
    Square,
}

impl Section {
    /// Names in scenes.
    pub const NAMES: &[&str] = &["round", "ellipse", "square"];

    /// Computes the area of a section of this diameter [m^2].
    pub fn area(self, diameter: f64) -> f64 {
        match self {
            Section::Round => PI / 4.0 * diameter * diameter,
            Section::Ellipse(aspect) => PI / 4.0 * aspect * diameter * diameter,
            Section::Square => diameter * diameter,
        }
    }

    /// Computes the sides of the ring of a section [m]: four corners with a quarter of the area each have the second
    /// moments of the section, area times side^2 / 4.
    pub fn ring(self, diameter: f64) -> [f64; 2] {
        match self {
            Section::Round => [0.5 * diameter; 2],
            Section::Ellipse(aspect) => [0.5 * diameter, 0.5 * aspect * diameter],
            Section::Square => [diameter / 3.0_f64.sqrt(); 2],
        }
    }

    /// Computes the torsion constant J [m^4]; G J is the torque per twist [rad/m].
    pub fn torsion(self, diameter: f64) -> f64 {
        let fourth = (diameter * diameter) * (diameter * diameter);
        match self {
            Section::Round => PI / 32.0 * fourth,
            Section::Ellipse(aspect) => PI / 16.0 * aspect.powi(3) / (1.0 + aspect * aspect) * fourth,
            Section::Square => SQUARE_TORSION * fourth,
        }
    }
}
