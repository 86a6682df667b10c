//! Hooke's law: the moduli of a material at rest, and the parameters of materials that are defined by them.

use super::Tangent;
use crate::parameter::{Kind, Parameter, ParameterError, Parameters, Preset, Range, Value};

/// Lame parameters of Hooke's law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lame {
    /// Shear modulus mu = E / (2 (1 + nu)) [Pa].
    pub mu: f64,
    /// lambda = E nu / ((1 + nu) (1 - 2 nu)) [Pa]; negative for negative nu.
    pub lambda: f64,
}

impl Lame {
    /// Computes them from Young's modulus E [Pa] and Poisson's ratio nu.
    pub fn new(young: f64, poisson: f64) -> Lame {
        let mu = 0.5 * young / (1.0 + poisson);
        Lame { mu, lambda: 2.0 * mu * poisson / (1.0 - 2.0 * poisson) }
    }

    /// Computes them from a tangent at rest [Pa]. For a material with fibres these are the moduli of the closest
    /// isotropic law.
    pub fn of_tangent(tangent: &Tangent) -> Lame {
        // On symmetric strains Hooke's law has the eigenvalue 3 kappa once, and 2 mu five times.
        let bulk = [0, 4, 8].iter().map(|&m| tangent[m][0] + tangent[m][4] + tangent[m][8]).sum::<f64>() / 9.0;
        let trace = (0..9).map(|m| tangent[m][m]).sum::<f64>();
        let mu = (trace - 3.0 * bulk) / 10.0;
        Lame { mu, lambda: bulk - 2.0 / 3.0 * mu }
    }

    /// Returns the bulk modulus kappa = lambda + 2/3 mu [Pa].
    pub fn bulk(self) -> f64 {
        self.lambda + 2.0 / 3.0 * self.mu
    }

    /// Returns Young's modulus E [Pa].
    pub fn young(self) -> f64 {
        self.mu * (3.0 * self.lambda + 2.0 * self.mu) / (self.lambda + self.mu)
    }

    /// Returns Poisson's ratio nu.
    pub fn poisson(self) -> f64 {
        0.5 * self.lambda / (self.lambda + self.mu)
    }
}

/// Young's modulus of a material.
pub const YOUNG: Parameter = modulus("young", "Young's modulus");

/// Poisson's ratio of a material.
pub const POISSON: Parameter = Parameter {
    name: "poisson",
    kind: Kind::Number {
        components: 1,
        range: Range::Between {
            min: -1.0,
            max: 0.5,
            why: "at 0.5 the volume could not change at all, which takes an infinite bulk modulus, and beyond the bounds a \
                  body gains energy when squeezed: use 0.3 for steel, 0.49 for rubber",
        },
    },
    default: Preset::Required,
    doc: "Poisson's ratio",
    unit: "",
};

/// Bulk modulus of a material.
pub const BULK: Parameter = modulus("bulk", "bulk modulus, the resistance to a change of volume");

/// Parameters of materials defined by Young's modulus and Poisson's ratio.
pub const MODULI: &[Parameter] = &[YOUNG, POISSON];

/// Declares a modulus that a scene must give [Pa].
pub const fn modulus(name: &'static str, doc: &'static str) -> Parameter {
    let why = "a body of modulus 0 or less would fly apart: rubber has about 1e6, steel 2e11";
    let range = Range::Between { min: 0.0, max: f64::INFINITY, why };
    Parameter::required(name, Kind::Number { components: 1, range }, "Pa", doc)
}

/// Parameter values, by name.
pub type Given = Vec<(&'static str, Value)>;

/// Returns the values of [`MODULI`].
pub fn given(young: f64, poisson: f64) -> Given {
    vec![("young", young.into()), ("poisson", poisson.into())]
}

/// Reads Young's modulus [Pa] and Poisson's ratio from checked parameters.
pub fn read(parameters: &Parameters) -> Result<[f64; 2], ParameterError> {
    Ok([parameters.number("young")?, parameters.number("poisson")?])
}
