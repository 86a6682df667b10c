//! Errors of mesh files: position, fault, and remedy.

use std::fmt;

use crate::quote::quote;

/// Reason why a file is not a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct FormatError {
    /// Format it was read as; empty if unknown.
    pub format: &'static str,
    /// Position.
    pub position: Position,
    /// Fault.
    pub fault: Fault,
}

/// A position in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// A line of text, from 1.
    Line(usize),
    /// A byte of a binary part, from 0.
    Byte(usize),
    /// The file as a whole.
    File,
}

/// Kind of fault. Texts in fields are phrases such as "the x coordinate of node 12".
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// The file is empty.
    Empty,
    /// Unknown file name extension.
    UnknownEnding {
        /// The extension.
        ending: String,
        /// Known extensions.
        known: Vec<&'static str>,
        /// The nearest of them.
        closest: Option<String>,
    },
    /// The format has no reader.
    WriteOnly,
    /// The file ends too early.
    Ended {
        /// Missing content.
        what: String,
    },
    /// A count that exceeds the file.
    TooMany {
        /// Kind of the counted things.
        what: String,
        /// Announced number.
        count: u64,
        /// Number that the rest of the file can hold.
        limit: u64,
    },
    /// Text where a number must be, or a number of the wrong kind: not whole, negative, of too many digits.
    NotNumber {
        /// Expected number.
        what: String,
        /// Text found.
        found: String,
    },
    /// NaN or infinite.
    NotFinite {
        /// Name of the number.
        what: String,
        /// Value.
        value: f64,
    },
    /// A node or another numbered thing that does not exist.
    OutOfRange {
        /// Name of the index: "a node of tet 7".
        what: String,
        /// Value.
        index: i128,
        /// Lowest valid one.
        low: i128,
        /// Highest valid one; below `low` when there is none.
        high: i128,
    },
    /// Elements count nodes from another number than the nodes.
    OtherBase {
        /// Number of the first node.
        nodes: i64,
        /// Number that elements give it.
        elements: i64,
        /// Number of elements, which all fit this way.
        count: usize,
    },
    /// Unexpected content.
    Expected {
        /// Expected content.
        what: String,
        /// Content found.
        found: String,
    },
    /// Valid, but not supported here.
    Unsupported {
        /// The unsupported thing.
        what: String,
        /// Alternative.
        cure: String,
    },
    /// The file contradicts itself.
    Contradiction {
        /// Description.
        what: String,
        /// Remedy.
        cure: String,
    },
    /// A required file beside it is not available.
    Beside {
        /// Its name.
        name: String,
        /// Reason.
        reason: String,
    },
    /// A file beside it is wrong.
    Within {
        /// Its name.
        name: String,
        /// Its error.
        error: Box<FormatError>,
    },
}

impl FormatError {
    /// Makes an error of the whole file.
    pub fn whole(format: &'static str, fault: Fault) -> FormatError {
        FormatError { format, position: Position::File, fault }
    }

    /// Wraps this error as that of another file which is read by the first.
    pub(crate) fn within(self, name: &str) -> FormatError {
        let error = Box::new(FormatError { format: "", ..self });
        FormatError::whole(self.format, Fault::Within { name: quote(name.as_bytes()), error })
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.position {
            Position::Line(line) => write!(f, "line {line}: ")?,
            Position::Byte(byte) => write!(f, "byte {byte}: ")?,
            Position::File => {}
        }
        self.fault.fmt(f)?;
        if self.format.is_empty() { Ok(()) } else { write!(f, " (read as {})", self.format) }
    }
}

impl std::error::Error for FormatError {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Fault::Empty => f.write_str("the file is empty; export the mesh again"),
            Fault::UnknownEnding { ending, known, closest } => {
                match ending.as_str() {
                    "" => f.write_str("the name has no ending, which would say the format")?,
                    _ => write!(f, "no mesh format ends in '.{ending}'")?,
                }
                closest.as_ref().map_or(Ok(()), |closest| write!(f, " (perhaps '.{closest}' is meant)"))?;
                write!(f, "; export the mesh as one of {}", known.join(", "))
            }
            Fault::WriteOnly => f.write_str("this format can be written but not read; export the mesh in another"),
            Fault::Ended { what } => {
                write!(f, "the file ends where {what} should be: it was cut off; copy or export it again")
            }
            Fault::TooMany { what, count, limit } => write!(
                f,
                "{count} {what} are announced, but the rest of the file has room for {limit} at most; correct the \
                 count, or copy the file again if it was cut off"
            ),
            Fault::NotNumber { what, found } if found.parse::<f64>().is_ok() => {
                write!(f, "{what} is '{found}', which cannot be; correct it")
            }
            Fault::NotNumber { what, found } => write!(f, "{what} is '{found}', not a number; correct it"),
            Fault::NotFinite { what, value } => write!(f, "{what} is {value}, which is not finite; correct it"),
            Fault::OutOfRange { what, index, low, high } if high < low => {
                write!(f, "{what} is {index}, but there are none; put them before it, or correct it")
            }
            Fault::OutOfRange { what, index, low, high } => {
                write!(f, "{what} is {index}, but must be from {low} to {high}; correct it")
            }
            Fault::OtherBase { nodes, elements, count } => write!(
                f,
                "nodes are counted from {nodes}, but all {count} elements fit only if they count them from {elements}; let \
                 both count from the same number"
            ),
            Fault::Expected { what, found } => write!(f, "{what} should be here, not '{found}'; correct it"),
            Fault::Unsupported { what, cure } => write!(f, "{what}; {cure}"),
            Fault::Contradiction { what, cure } => write!(f, "{what}; {cure}"),
            Fault::Beside { name, reason } => {
                write!(f, "the file '{name}' that belongs to it cannot be read ({reason}); put it beside this one")
            }
            Fault::Within { name, error } => write!(f, "in '{name}', {error}"),
        }
    }
}
