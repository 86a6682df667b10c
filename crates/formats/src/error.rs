//! What can be wrong with a mesh file: where, what, and what to do.

use std::fmt;

use crate::quote::quote;

/// Why a file is not a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct FormatError {
    /// The format it was read as; empty if none is known.
    pub format: &'static str,
    /// Where.
    pub place: Place,
    /// What.
    pub fault: Fault,
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A line of text, from 1.
    Line(usize),
    /// A byte of a binary part, from 0.
    Byte(usize),
    /// The file as a whole.
    File,
}

/// What is wrong. Texts in fields are phrases such as "the x coordinate of node 12".
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// Nothing is in it.
    Empty,
    /// No format's files end so.
    UnknownEnding {
        /// The ending.
        ending: String,
        /// Those there are.
        known: Vec<&'static str>,
        /// The nearest of them.
        closest: Option<String>,
    },
    /// The format has no reader.
    WriteOnly,
    /// The file ends too early.
    Ended {
        /// What should have come.
        what: String,
    },
    /// A count that the file has no room for.
    TooMany {
        /// What is counted.
        what: String,
        /// How many are announced.
        count: u64,
        /// How many the rest of the file has room for.
        room: u64,
    },
    /// Something that must be a number, or one of another kind: whole, 0 or more, of fewer digits.
    NotNumber {
        /// What it should be.
        what: String,
        /// What stands there.
        found: String,
    },
    /// NaN or infinite.
    NotFinite {
        /// What is so.
        what: String,
        /// Its value.
        value: f64,
    },
    /// A node or another numbered thing that is not there.
    OutOfRange {
        /// What it is: "a node of tet 7".
        what: String,
        /// Its value.
        index: i128,
        /// The lowest there is.
        low: i128,
        /// The highest there is; below `low` when there is none.
        high: i128,
    },
    /// Elements count nodes from another number than the nodes do.
    OtherBase {
        /// The number of the first node.
        nodes: i64,
        /// The number that elements give it.
        elements: i64,
        /// How many elements, all of which fit so.
        count: usize,
    },
    /// Something else stands where this should be.
    Expected {
        /// What should be there.
        what: String,
        /// What is.
        found: String,
    },
    /// Sound, but nothing that can be used here.
    Unsupported {
        /// What.
        what: String,
        /// What to do instead.
        cure: String,
    },
    /// The file contradicts itself.
    Contradiction {
        /// How.
        what: String,
        /// What to do.
        cure: String,
    },
    /// A file that must lie beside it cannot be had.
    Beside {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// A file that lies beside it is wrong.
    Within {
        /// Its name.
        name: String,
        /// What is wrong with it.
        error: Box<FormatError>,
    },
}

impl FormatError {
    /// Something wrong with the whole file.
    pub fn whole(format: &'static str, fault: Fault) -> FormatError {
        FormatError { format, place: Place::File, fault }
    }

    /// The error of a file that reads another for which this is true.
    pub(crate) fn within(self, name: &str) -> FormatError {
        let error = Box::new(FormatError { format: "", ..self });
        FormatError::whole(self.format, Fault::Within { name: quote(name.as_bytes()), error })
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.place {
            Place::Line(line) => write!(f, "line {line}: ")?,
            Place::Byte(byte) => write!(f, "byte {byte}: ")?,
            Place::File => {}
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
            Fault::TooMany { what, count, room } => write!(
                f,
                "{count} {what} are announced, but the rest of the file has room for {room} at most; correct the \
                 count, or copy the file again if it was cut off"
            ),
            Fault::NotNumber { what, found } if found.parse::<f64>().is_ok() => {
                write!(f, "{what} is '{found}', which cannot be; correct it")
            }
            Fault::NotNumber { what, found } => write!(f, "{what} is '{found}', not a number; correct it"),
            Fault::NotFinite { what, value } => write!(f, "{what} is {value}, which is no place; correct it"),
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
