//! Entities of version 4.1: the physical tags of their elements.

use super::Physical;
use super::version4::Body;
use crate::error::FormatError;

/// Reads `$Entities` or `$PartitionedEntities`, of which only the physical tags matter.
pub(super) fn read<B: Body>(body: &mut B, partitioned: bool, physical: &mut Physical) -> Result<(), FormatError> {
    if partitioned {
        body.size(|| "the number of partitions".to_string())?;
        for _ in 0..body.count("ghost entities", 4, 8)? {
            body.integer(|| "the tag of a ghost entity".to_string())?;
            body.integer(|| "the partition of a ghost entity".to_string())?;
        }
    }
    let mut counts = [0; 4];
    for (dimension, count) in counts.iter_mut().enumerate() {
        *count = body.count(&format!("entities of dimension {dimension}"), 0, 0)?;
    }
    for (dimension, count) in counts.into_iter().enumerate() {
        body.check(count, &format!("entities of dimension {dimension}"), 10, 36)?;
        for _ in 0..count {
            let tag = body.integer(|| format!("the tag of an entity of dimension {dimension}"))?;
            let what = || format!("a number of entity {tag} of dimension {dimension}");
            if partitioned {
                body.integer(what)?;
                body.integer(what)?;
                integers(body, "partitions", &what)?;
            }
            for _ in 0..if dimension == 0 { 3 } else { 6 } {
                body.real(what)?;
            }
            let mut tags = integers(body, "physical tags", &what)?;
            tags.sort_unstable();
            tags.dedup();
            physical.insert((dimension, tag), tags);
            if dimension > 0 {
                integers(body, "bounding entities", &what)?;
            }
        }
    }
    Ok(())
}

fn integers<B: Body>(body: &mut B, things: &str, what: &impl Fn() -> String) -> Result<Vec<i64>, FormatError> {
    (0..body.count(things, 2, 4)?).map(|_| body.integer(what)).collect()
}
