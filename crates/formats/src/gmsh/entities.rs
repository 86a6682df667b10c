//! Entities of version 4.1: the physical tags of their elements.

use super::Physical;
use super::version4::SectionReader;
use crate::error::FormatError;

/// Reads `$Entities` or `$PartitionedEntities`, of which only the physical tags matter.
pub(super) fn read<R: SectionReader>(
    reader: &mut R,
    partitioned: bool,
    physical: &mut Physical,
) -> Result<(), FormatError> {
    if partitioned {
        reader.size(|| "the number of partitions".to_string())?;
        for _ in 0..reader.count("ghost entities", 4, 8)? {
            reader.integer(|| "the tag of a ghost entity".to_string())?;
            reader.integer(|| "the partition of a ghost entity".to_string())?;
        }
    }
    let mut counts = [0; 4];
    for (dimension, count) in counts.iter_mut().enumerate() {
        *count = reader.count(&format!("entities of dimension {dimension}"), 0, 0)?;
    }
    for (dimension, count) in counts.into_iter().enumerate() {
        reader.check(count, &format!("entities of dimension {dimension}"), 10, 36)?;
        for _ in 0..count {
            let tag = reader.integer(|| format!("the tag of an entity of dimension {dimension}"))?;
            let what = || format!("a number of entity {tag} of dimension {dimension}");
            if partitioned {
                reader.integer(what)?;
                reader.integer(what)?;
                integers(reader, "partitions", &what)?;
            }
            for _ in 0..if dimension == 0 { 3 } else { 6 } {
                reader.real(what)?;
            }
            let mut tags = integers(reader, "physical tags", &what)?;
            tags.sort_unstable();
            tags.dedup();
            physical.insert((dimension, tag), tags);
            if dimension > 0 {
                integers(reader, "bounding entities", &what)?;
            }
        }
    }
    Ok(())
}

fn integers<R: SectionReader>(
    reader: &mut R,
    things: &str,
    what: &impl Fn() -> String,
) -> Result<Vec<i64>, FormatError> {
    (0..reader.count(things, 2, 4)?).map(|_| reader.integer(what)).collect()
}
