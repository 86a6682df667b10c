//! Checks that the files of a run are intact, byte for byte.

use super::directory::{Directory, Shown};
use super::fault::{Fault, Harm};
use super::mark::{Mark, Written};
use crate::disk::read_regular;
use std::io;

/// Returns the beginning of a growing file, if it matches its mark.
pub(super) fn beginning(directory: &Directory, file: &str, mark: Mark) -> Result<Written, Fault> {
    let found = Written::read(&directory.join(file), mark.length).map_err(|error| harmed(file, missing(&error)))?;
    let (length, of) = (found.length(), mark.length);
    match found.mark() == mark {
        true => Ok(found),
        false if length < of => Err(harmed(file, Harm::Cut { length, of })),
        false => Err(harmed(file, Harm::Altered)),
    }
}

/// Checks the `count` files of a list, which holds the length and checksum of each. The list itself is known to be
/// intact.
pub(super) fn listed(directory: &Directory, shown: Shown, list: Mark, count: u64) -> Result<(), Fault> {
    let text = read_regular(&directory.join(shown.list)).map_err(|error| harmed(shown.list, missing(&error)))?;
    let text = text.get(..list.length as usize).unwrap_or(&text);
    let text = String::from_utf8_lossy(text);
    let mut files = 0;
    for (file, mark) in text.lines().filter_map(entry) {
        let facts = std::fs::metadata(directory.join(file)).map_err(|error| harmed(file, missing(&error)))?;
        if facts.len() < mark.length {
            return Err(harmed(file, Harm::Cut { length: facts.len(), of: mark.length }));
        }
        // One byte beyond the end shows whether there is more.
        let found =
            Written::read(&directory.join(file), mark.length + 1).map_err(|error| harmed(file, missing(&error)))?;
        if found.mark() != mark {
            return Err(harmed(file, Harm::Altered));
        }
        files += 1;
    }
    if files == count { Ok(()) } else { Err(harmed(shown.list, Harm::Altered)) }
}

/// Returns the file of a line of a list, and its mark when it was written.
fn entry(line: &str) -> Option<(&str, Mark)> {
    let rest = line.strip_prefix("<DataSet ")?.split_once(" file=\"")?.1;
    let (file, rest) = rest.split_once("\"/><!-- ")?;
    let (length, checksum) = rest.strip_suffix(" -->")?.split_once(" bytes, XXH3 ")?;
    Some((file, Mark { length: length.parse().ok()?, checksum: u128::from_str_radix(checksum, 16).ok()? }))
}

fn harmed(file: &str, harm: Harm) -> Fault {
    Fault::Changed { file: file.to_string(), harm }
}

fn missing(error: &io::Error) -> Harm {
    if error.kind() == io::ErrorKind::NotFound { Harm::Missing } else { Harm::Unreadable { error: error.to_string() } }
}
