//! Fibres: hairs and bristles as chains of cuboids, exact in stretch, bending and torsion.
//!
//! A fibre of n segments has n + 1 rings of four nodes. Per segment of length l there are four edges, springs along it,
//! and four side faces with a [`FaceShear`]; each ring has four sides and two diagonals that keep its shape. With ring
//! sides a and b, the section's area A, second moments I and torsion constant J,
//!
//!   edges   k = E I / (l a^2),   faces   kappa = G J / (l a^2 b^2),   rings   k = kappa l^2,
//!   masses  rho A l / 4 per corner and segment, half of it at each end.
//!
//! This is a linear Timoshenko beam with one-point shear: stretch and twist have no error at any n, an end load has
//! 1 - 1 / (4 n^2) of the deflection, and nothing locks. Rest lengths and rest shears are those of the rest shape, so a
//! curled fibre is at rest too.
//!
//! A ring at scale 1 has the second moments and the rotary inertia of the section. At scale s the bending and torsion
//! are kept, the resistance to stretch is E A / s^2, and the highest frequency falls by s^2. Slender fibres need that:
//! at scale 1 the stretch of a hair is so stiff that double precision loses its bending.

mod bundle;
mod curve;
mod random;
mod scatter;
mod section;

pub use bundle::{Fibres, Root};
pub use curve::Curl;
pub use random::Random;
pub use scatter::RootSurface;
pub use section::Section;

use crate::parameter::{Kind, Parameter, ParameterError, Parameters, Preset, Range, Value};
use std::collections::BTreeMap;

/// Largest scale of rings that is chosen by default.
const WIDEST: f64 = 10.0;
/// Length of a fibre over the side of its rings, at least, where the scale is chosen: the rotary inertia of wider rings
/// lowers the first frequency by more than half a percent.
const SLENDER: f64 = 60.0;
/// The same where the scale is given: the first frequency falls by 18 / SLENDER^2.
const LEAST_SLENDER: f64 = 12.0;
/// Fewest segments per turn of a curl; with fewer the cuboids are no helix.
const PER_TURN: f64 = 4.0;

/// Parameters of fibres.
pub const PARAMETERS: &[Parameter] = &[
    Parameter::required(
        "length",
        Kind::lengths(2),
        "m",
        "length along the fibre; two numbers for lengths from the shortest to the longest, at random",
    ),
    Parameter {
        name: "segments",
        kind: Kind::Count { components: 2, range: [1, 100_000] },
        default: Preset::Numbers(&[8.0]),
        doc: "segments per fibre; two numbers for those of the shortest and of the longest fibre",
        unit: "",
    },
    Parameter {
        name: "section",
        kind: Kind::Word { choices: Section::NAMES },
        default: Preset::Word("round"),
        doc: "shape of the cross-section",
        unit: "",
    },
    Parameter::required(
        "diameter",
        Kind::List { range: Range::Positive },
        "m",
        "diameter, long axis or side of the section; several numbers for a taper: at equal distances from root to tip",
    ),
    Parameter {
        name: "aspect",
        kind: Kind::Number { components: 1, range: Range::Within { min: 1e-3, max: 1.0 } },
        default: Preset::Numbers(&[1.0]),
        doc: "short axis over long axis, of an ellipse only",
        unit: "",
    },
    Parameter::required(
        "young",
        Kind::Number {
            components: 1,
            range: Range::Between {
                min: 0.0,
                max: f64::INFINITY,
                why: "a fibre of modulus 0 or less would not straighten: hair has about 3.6e9",
            },
        },
        "Pa",
        "Young's modulus",
    ),
    Parameter {
        name: "poisson",
        kind: Kind::Number {
            components: 1,
            range: Range::Between { min: -1.0, max: 0.5, why: "other materials would gain energy when deformed" },
        },
        default: Preset::Numbers(&[0.35]),
        doc: "Poisson's ratio, from which the shear modulus follows",
        unit: "",
    },
    Parameter {
        name: "shear_modulus",
        kind: Kind::NOT_NEGATIVE,
        default: Preset::Numbers(&[0.0]),
        doc: "shear modulus, of fibres that are not isotropic; 0 for that of `young` and `poisson`",
        unit: "Pa",
    },
    Parameter::required("density", Kind::Number { components: 1, range: Range::Positive }, "kg/m^3", "density"),
    Parameter {
        name: "ring_scale",
        kind: Kind::Number { components: 1, range: Range::NotNegative },
        default: Preset::Numbers(&[0.0]),
        doc: "size of the rings relative to the section: bending and torsion stay, the resistance to stretch falls by its \
              square; 0 for 1 to 10, as far as rings stay below a 60th of the length",
        unit: "",
    },
    Parameter {
        name: "curl_radius",
        kind: Kind::Number { components: 1, range: Range::NotNegative },
        default: Preset::Numbers(&[0.0]),
        doc: "radius of the helix that the fibre is at rest; 0 for a straight one",
        unit: "m",
    },
    Parameter {
        name: "curl_pitch",
        kind: Kind::Number { components: 1, range: Range::NotNegative },
        default: Preset::Numbers(&[0.0]),
        doc: "rise of the helix per turn, along the direction of the fibre",
        unit: "m",
    },
    Parameter {
        name: "curl_jitter",
        kind: Kind::within(0.0, 180.0),
        default: Preset::Numbers(&[0.0]),
        doc: "largest random turn of the helix about the direction, to either side",
        unit: "degrees",
    },
    Parameter {
        name: "direction_jitter",
        kind: Kind::within(0.0, 90.0),
        default: Preset::Numbers(&[0.0]),
        doc: "largest random angle between a fibre and its direction",
        unit: "degrees",
    },
    Parameter {
        name: "seed",
        kind: Kind::Count { components: 1, range: [0, u32::MAX] },
        default: Preset::Numbers(&[0.0]),
        doc: "seed of everything that is random: another number, other fibres",
        unit: "",
    },
];

/// Fibres of one kind: everything but their roots.
#[derive(Debug, Clone, PartialEq)]
pub struct FibreKind {
    /// Shortest and longest length [m].
    pub length: [f64; 2],
    /// Segments of the shortest and of the longest fibre.
    pub segments: [u32; 2],
    /// Shape of the cross-section.
    pub section: Section,
    /// Diameters at equal distances from root to tip [m].
    pub diameter: Vec<f64>,
    /// Young's modulus [Pa].
    pub young: f64,
    /// Shear modulus [Pa].
    pub shear: f64,
    /// Density [kg/m^3].
    pub density: f64,
    /// Size of the rings relative to the section; `None` to choose it.
    pub ring_scale: Option<f64>,
    /// Shape at rest; straight without.
    pub curl: Option<Curl>,
    /// Largest random turn of the curl [rad].
    pub curl_jitter: f64,
    /// Largest random angle to the direction [rad].
    pub direction_jitter: f64,
    /// Seed of random numbers.
    pub seed: u64,
}

impl FibreKind {
    /// Checks the given values, fills in the defaults, and checks them against each other.
    pub fn resolve(given: &BTreeMap<String, Value>) -> Result<FibreKind, ParameterError> {
        let p = &Parameters::resolve("fibres", PARAMETERS, given)?;
        let (young, shear) = (p.number("young")?, p.number("shear_modulus")?);
        let positive = |x: f64| (x > 0.0).then_some(x);
        let pitch = p.length("curl_pitch")?;
        let kind = FibreKind {
            length: p.lengths2("length")?,
            segments: p.counts2("segments")?,
            section: match p.word("section")? {
                "ellipse" => Section::Ellipse(p.number("aspect")?),
                "square" => Section::Square,
                _ => Section::Round,
            },
            diameter: p.list("diameter")?.to_vec(),
            young,
            shear: positive(shear).unwrap_or(0.5 * young / (1.0 + p.number("poisson")?)),
            density: p.number("density")?,
            ring_scale: positive(p.number("ring_scale")?),
            curl: positive(p.length("curl_radius")?).map(|radius| Curl { radius, pitch }),
            curl_jitter: p.number("curl_jitter")?.to_radians(),
            direction_jitter: p.number("direction_jitter")?.to_radians(),
            seed: p.count("seed")?.into(),
        };
        kind.check(p)?;
        Ok(kind)
    }

    /// Checks values against each other.
    fn check(&self, p: &Parameters) -> Result<(), ParameterError> {
        let [shortest, longest] = self.length;
        if shortest > longest {
            return Err(p.refuse("length", "the shortest length first, then the longest".to_string()));
        }
        if self.segments[0] > self.segments[1] {
            return Err(p.refuse("segments", "the fewest segments first, then the most".to_string()));
        }
        match self.curl {
            Some(curl) => self.check_curl(curl, p)?,
            None if p.number("curl_pitch")? > 0.0 => {
                return Err(p.refuse("curl_radius", "more than 0, because `curl_pitch` asks for a curl".to_string()));
            }
            None => {}
        }
        self.check_rings(p)
    }

    /// Checks the size of the rings against the length.
    fn check_rings(&self, p: &Parameters) -> Result<(), ParameterError> {
        let shortest = self.length[0];
        let thickest = self.diameter.iter().copied().fold(0.0, f64::max);
        if thickest > shortest {
            let need = format!(
                "less than the length of the shortest fibre, {} m: what is thicker than long is no fibre but a body",
                rounded(shortest)
            );
            return Err(p.refuse("diameter", need));
        }
        let Some(scale) = self.ring_scale else { return Ok(()) };
        if scale < 1.0 {
            let need =
                "1 or more, or 0 to have it chosen: narrower rings would resist stretch more than the fibre does";
            return Err(p.refuse("ring_scale", need.to_string()));
        }
        let side = self.ring(shortest)[0];
        if scale > 1.0 && LEAST_SLENDER * side > shortest {
            let need = format!(
                "at most {}: rings of {} m are wider than a {LEAST_SLENDER}th of the shortest fibre, {} m, and their inertia \
                 would slow its swing by more than an eighth",
                rounded((scale * shortest / (LEAST_SLENDER * side)).max(1.0)),
                rounded(side),
                rounded(shortest)
            );
            return Err(p.refuse("ring_scale", need));
        }
        Ok(())
    }

    /// Checks a curl against segments and rings.
    fn check_curl(&self, curl: Curl, p: &Parameters) -> Result<(), ParameterError> {
        let longest = self.length[1];
        let turn = curl.turn();
        let (_, segment) = self.longest_segment();
        if longest > turn && curl.pitch == 0.0 {
            return Err(p.refuse("curl_pitch", "more than 0, for the turns would lie in each other".to_string()));
        }
        if PER_TURN * segment > turn {
            let need = format!(
                "a curl wider than its segments: a turn of {} m has fewer than {PER_TURN} segments of {} m; give more \
                 `segments`, or a wider curl",
                rounded(turn),
                rounded(segment)
            );
            return Err(p.refuse("curl_radius", need));
        }
        let [a, b] = self.ring(longest);
        if a.hypot(b) >= curl.curvature_radius() {
            let need = format!(
                "rings smaller than the curl: those of {} x {} m would overlap in a curl of radius {} m; give a lower \
                 `ring_scale`, or a wider curl",
                rounded(a),
                rounded(b),
                rounded(curl.curvature_radius())
            );
            return Err(p.refuse("ring_scale", need));
        }
        Ok(())
    }

    /// Returns the number of segments of a fibre of this length [m].
    pub fn segments_of(&self, length: f64) -> u32 {
        let [[short, long], [few, many]] = [self.length, self.segments.map(f64::from)];
        let share = if long > short { ((length - short) / (long - short)).clamp(0.0, 1.0) } else { 1.0 };
        (few + share * (many - few)).round() as u32
    }

    /// Returns the longest segment, of the fibre of this length [m]: fibre, segment.
    fn longest_segment(&self) -> (f64, f64) {
        // Between two counts of segments the longest fibre has the longest segments.
        let fibres = (0..=100).map(|k| self.length[0] + f64::from(k) / 100.0 * (self.length[1] - self.length[0]));
        let segments = fibres.map(|length| (length, length / f64::from(self.segments_of(length))));
        segments.fold((0.0, 0.0), |most, next| if next.1 > most.1 { next } else { most })
    }

    /// Returns the diameter at a share of the length, 0 at the root and 1 at the tip [m].
    pub fn diameter_at(&self, share: f64) -> f64 {
        let place = share * (self.diameter.len() - 1) as f64;
        let before = (place.floor() as usize).min(self.diameter.len() - 1);
        let after = (before + 1).min(self.diameter.len() - 1);
        let part = place - before as f64;
        self.diameter[before] + part * (self.diameter[after] - self.diameter[before])
    }

    /// Returns the sides of the rings of a fibre of this length [m], the same along a tapered fibre. They are those of
    /// the thickest section, scaled.
    pub fn ring(&self, length: f64) -> [f64; 2] {
        let thickest = self.diameter.iter().copied().fold(0.0, f64::max);
        let ring = self.section.ring(thickest);
        let scale = self.ring_scale.unwrap_or_else(|| (length / (SLENDER * ring[0])).clamp(1.0, WIDEST));
        ring.map(|side| scale * side)
    }
}

/// Rounds to three digits, for messages.
fn rounded(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}
