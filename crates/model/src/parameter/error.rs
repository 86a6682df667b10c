//! Errors of parameters, with what to do about them.

use std::fmt;

/// Reason why a generator refuses its parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterError {
    /// No generator has this name.
    UnknownGenerator {
        /// Requested name.
        name: String,
        /// Closest existing name.
        closest: &'static str,
    },
    /// The generator has no parameter of this name.
    UnknownParameter {
        /// Generator.
        generator: &'static str,
        /// Given name.
        name: String,
        /// Existing names.
        known: Vec<&'static str>,
        /// Closest existing name.
        closest: &'static str,
    },
    /// A value is of the wrong kind, out of range, or does not fit the others.
    Value {
        /// Generator.
        generator: &'static str,
        /// Parameter.
        parameter: &'static str,
        /// Given value.
        value: String,
        /// Description of valid values.
        need: String,
    },
    /// A value without a default is not given.
    Missing {
        /// Generator.
        generator: &'static str,
        /// Parameter.
        parameter: &'static str,
        /// Description of the parameter, in a phrase.
        doc: &'static str,
        /// Description of valid values.
        need: String,
    },
    /// The mesh would be absurdly large.
    TooManyElements {
        /// Generator.
        generator: &'static str,
        /// Number of elements of the mesh.
        elements: u128,
        /// Limit.
        most: u128,
    },
    /// A generator reads a parameter that its table does not declare: a bug in the generator.
    Undeclared {
        /// Generator.
        generator: &'static str,
        /// Parameter that it reads.
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
