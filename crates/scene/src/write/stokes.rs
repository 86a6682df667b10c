//! Stokes flow and motors in the form of documents.

use super::body::parameters;
use crate::stokes::{Motor, StokesFlow, Wet};
use crate::tree::Table;
use model::stokes::PARAMETERS;

pub(super) fn stokes(fluid: &StokesFlow) -> Table {
    let wet = |wet: &Wet| Table::default().with("body", wet.body.as_str()).maybe("epsilon", wet.epsilon);
    parameters(Table::default(), &fluid.parameters, PARAMETERS).list("wet", fluid.wet.iter().map(wet))
}

pub(super) fn motor(motor: &Motor) -> Table {
    Table::default()
        .with("fibres", motor.fibres.as_str())
        .with("body", motor.body.as_str())
        .with("axle", motor.axle.as_str())
        .with("torque", motor.torque)
        .with("hinge", motor.hinge)
}
