//! `pliant schema`: the JSON schema of scene files.

use crate::failure::{DONE, Failure};
use crate::print;

/// Prints the schema.
pub fn execute() -> Result<u8, Failure> {
    print::out(&format!("{:#}\n", scene::spec::schema()));
    Ok(DONE)
}
