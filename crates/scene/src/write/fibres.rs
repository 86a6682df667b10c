//! Fibres in the form of documents.

use super::body::parameters;
use super::{Kept, part};
use crate::fibres::{Fibres, Roots, Scatter};
use crate::tree::{Table, Value};
use model::fibre::PARAMETERS;

pub(super) fn fibres(fibres: &Fibres, kept: Kept) -> Table {
    let table = Table::default()
        .with("name", fibres.name.as_str())
        .with("roots", roots(&fibres.roots, kept))
        .maybe("direction", fibres.direction);
    parameters(table, &fibres.parameters, PARAMETERS)
}

fn roots(roots: &Roots, kept: Kept) -> Table {
    let on = |kind: &str| Table::default().with("on", kind);
    let scattered =
        |table: Table, scatter: &Scatter| table.with("count", scatter.count).maybe("where", part(&scatter.part));
    match roots {
        Roots::Points { points, directions } => {
            let directions = (!directions.is_empty()).then(|| directions.clone());
            on("points").with("points", points.clone()).maybe("directions", directions)
        }
        Roots::Rows { center, sides: [a, b], counts } => {
            let counts = Value::Counts(counts.iter().map(|&n| n as u64).collect());
            on("rows").with("center", *center).with("side", *a).with("other_side", *b).with("counts", counts)
        }
        Roots::Ball { center, radius, scatter } => {
            scattered(on("ball").with("center", *center).with("radius", *radius), scatter)
        }
        Roots::Body { body, scatter } => scattered(on("body").with("body", body.as_str()), scatter),
        Roots::File { path, checksum, scale, position, scatter } => {
            let (path, checksum) = kept(path).map_or_else(
                || (path.to_string_lossy().into_owned(), checksum.clone()),
                |(path, checksum)| (path, Some(checksum)),
            );
            let table = on("file").with("path", path).with("scale", *scale).with("position", *position);
            scattered(table, scatter).maybe("checksum", checksum)
        }
    }
}
