//! Table of methods, one line each. The facts of a method are in its own file.

use crate::method::Method;
use crate::{
    asynchronous, backward_euler, bdf2, exponential_rosenbrock, gautschi, generalized_alpha, implicit_midpoint,
    linearly_implicit_euler, newmark, rk4, siere, siere2, small_steps, symplectic_euler, tr_bdf2,
};
use model::mesh::closest_name;
use model::parameter::Parameter;

/// All methods.
pub static METHODS: &[Method] = &[
    symplectic_euler::METHOD,
    rk4::METHOD,
    linearly_implicit_euler::METHOD,
    siere::METHOD,
    siere2::METHOD,
    backward_euler::METHOD,
    asynchronous::METHOD,
    asynchronous::schroeder::METHOD,
    implicit_midpoint::METHOD,
    bdf2::METHOD,
    tr_bdf2::METHOD,
    newmark::METHOD,
    generalized_alpha::METHOD,
    exponential_rosenbrock::ERE_METHOD,
    exponential_rosenbrock::EPIRK4S3_METHOD,
    exponential_rosenbrock::PEXPRB43_METHOD,
    exponential_rosenbrock::EXPRB42_METHOD,
    gautschi::METHOD,
    small_steps::METHOD,
];

/// Lists the parameters of all methods, each once.
pub fn settings() -> Vec<&'static Parameter> {
    let mut found: Vec<&Parameter> = Vec::new();
    for parameter in METHODS.iter().flat_map(|method| method.parameters) {
        if found.iter().all(|known| known.name != parameter.name) {
            found.push(parameter);
        }
    }
    found
}

/// Finds the method of this name or alias.
pub fn find(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name || method.aliases.contains(&name))
}

/// No method has this name or alias.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownMethod {
    /// The name that was asked for.
    pub name: String,
}

impl std::fmt::Display for UnknownMethod {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
        write!(f, "there is no method \"{}\"", self.name)?;
        if let Some(meant) = closest_name(&self.name, names.iter().copied()) {
            write!(f, "; did you mean {meant}?")?;
        }
        write!(f, " Choose one of {}", names.join(", "))
    }
}

impl std::error::Error for UnknownMethod {}

/// Returns the method with this name or alias, or an error that names all.
pub fn named(name: &str) -> Result<&'static Method, UnknownMethod> {
    find(name).ok_or_else(|| UnknownMethod { name: name.to_string() })
}
