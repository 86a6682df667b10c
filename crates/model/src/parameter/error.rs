//! Why parameters are refused, and what to do about it.

use std::fmt;

/// Why a generator refuses its parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterError {
    /// There is no generator of that name.
    UnknownGenerator {
        /// The name asked for.
        name: String,
        /// The nearest name there is.
        closest: &'static str,
    },
    /// The generator has no parameter of that name.
    UnknownParameter {
        /// The generator.
        generator: &'static str,
        /// The name given.
        name: String,
        /// The names it has.
        known: Vec<&'static str>,
        /// The nearest of them.
        closest: &'static str,
    },
    /// A value is of the wrong kind, out of range, or does not go with the others.
    Value {
        /// The generator.
        generator: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The value given.
        value: String,
        /// What it must be.
        need: String,
    },
    /// A value that has no default is not given.
    Missing {
        /// The generator.
        generator: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The parameter in a phrase.
        doc: &'static str,
        /// Values it takes.
        need: String,
    },
    /// The mesh would be absurdly large.
    TooManyElements {
        /// The generator.
        generator: &'static str,
        /// How many elements it would have.
        elements: u128,
        /// How many are allowed.
        most: u128,
    },
    /// A generator reads a parameter that its table does not declare: a mistake in the generator.
    Undeclared {
        /// The generator.
        generator: &'static str,
        /// The parameter it reads.
        parameter: &'static str,
    },
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ParameterError::UnknownGenerator { name, closest } => {
                write!(f, "there is no mesh generator '{name}'; use one of the list, perhaps '{closest}'")
            }
            ParameterError::UnknownParameter { generator, name, known, closest } => write!(
                f,
                "the {generator} has no parameter '{name}', it has {}; perhaps use '{closest}'",
                known.join(", ")
            ),
            ParameterError::Value { generator, parameter, value, need } => {
                write!(f, "{parameter} = {value} of the {generator} cannot be used; give {need}")
            }
            ParameterError::Missing { generator, parameter, doc, need } => {
                write!(f, "{parameter} of the {generator} is missing, {doc}; give {need}")
            }
            ParameterError::TooManyElements { generator, elements, most } => write!(
                f,
                "this {generator} would have {elements} elements, more than the {most} that are allowed; lower \
                 its counts"
            ),
            ParameterError::Undeclared { generator, parameter } => write!(
                f,
                "the {generator} generator reads '{parameter}', which its table does not declare; add the row"
            ),
        }
    }
}

impl std::error::Error for ParameterError {}
