//! Materials to assume for a mesh.

use std::str::FromStr;

/// Material data that determine the highest frequency of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Substance {
    /// Name, or the numbers as given.
    pub name: String,
    /// Young's modulus [Pa].
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Density [kg/m^3].
    pub density: f64,
}

/// Named materials: Young's modulus [Pa], Poisson's ratio, density [kg/m^3].
const SUBSTANCES: [(&str, [f64; 3]); 7] = [
    ("rubber", [1e6, 0.45, 1000.0]),
    ("flesh", [1e4, 0.45, 1000.0]),
    ("foam", [1e5, 0.3, 50.0]),
    ("wood", [1e10, 0.35, 600.0]),
    ("concrete", [3e10, 0.2, 2400.0]),
    ("aluminium", [7e10, 0.33, 2700.0]),
    ("steel", [2.1e11, 0.3, 7850.0]),
];

impl FromStr for Substance {
    type Err = String;

    fn from_str(word: &str) -> Result<Substance, String> {
        let known = SUBSTANCES.iter().find(|(name, _)| *name == word).map(|(_, numbers)| *numbers);
        let given = || -> Option<[f64; 3]> {
            let numbers: Vec<f64> = word.split(',').map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
            numbers.try_into().ok()
        };
        let names = || SUBSTANCES.map(|(name, _)| name).join(", ");
        let [young, poisson, density] = known.or_else(given).ok_or_else(|| {
            format!(
                "give one of {}, or three numbers: Young's modulus [Pa], Poisson's ratio, density [kg/m^3]",
                names()
            )
        })?;
        let positive = |x: f64| x > 0.0 && x.is_finite();
        if !(positive(young) && positive(density) && poisson > -1.0 && poisson < 0.5) {
            return Err("modulus and density must be above 0, Poisson's ratio between -1 and 0.5".to_string());
        }
        Ok(Substance { name: word.to_string(), young, poisson, density })
    }
}
