//! Rayleigh damping.

use crate::parameter::{Kind, Parameter, Preset};
use numerics::blocks::BlockMatrix;

/// Rayleigh damping, D = alpha M + beta K.
#[derive(Debug, Clone, Default)]
pub struct Damping {
    /// Alpha [1/s].
    pub mass: f64,
    /// Beta [s].
    pub stiffness: f64,
    /// Stiffness at rest, if beta multiplies it instead of the current one.
    pub at_rest: Option<BlockMatrix>,
}

impl Damping {
    /// Parameters of damping.
    pub const PARAMETERS: &[Parameter] = &[
        Parameter::new("mass", Kind::NOT_NEGATIVE, Preset::Numbers(&[0.0]), "1/s", "alpha: damps slow motions most"),
        Parameter::new("stiffness", Kind::NOT_NEGATIVE, Preset::Numbers(&[0.0]), "s", "beta: damps fast motions most"),
        Parameter::new(
            "reference",
            Kind::Word { choices: &["current", "rest"] },
            Preset::Word("current"),
            "",
            "K is the current stiffness, or that at rest",
        ),
    ];
}
