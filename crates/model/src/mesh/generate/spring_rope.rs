//! Ropes of springs, straight or coiled.

use super::helix::Helix;
use super::{Generator, Kind, Parameter, Parameters, Preset, Range};
use crate::mesh::{Mesh, MeshError};

/// A rope of springs. Its defaults are the rope of ere-2018, table 2: 1 m, 50 springs.
pub(super) const SPRING_ROPE: Generator = Generator {
    name: "spring-rope",
    description: "Nodes joined by springs (edges) and by springs between second neighbours (bends): straight along x \
                  from the origin, or coiled around z from (radius, 0, 0) upward. Groups: start, end (a node each).",
    parameters: &[
        Parameter {
            name: "shape",
            kind: Kind::Word { choices: &["straight", "coil"] },
            default: Preset::Word("straight"),
            doc: "arrangement",
            unit: "",
        },
        Parameter {
            name: "segments",
            kind: Kind::COUNT,
            default: Preset::Numbers(&[50.0]),
            doc: "number of springs in a row",
            unit: "",
        },
        Parameter {
            name: "length",
            kind: Kind::LENGTH,
            default: Preset::Numbers(&[1.0]),
            doc: "length, of the straight rope only",
            unit: "m",
        },
        Parameter {
            name: "radius",
            kind: Kind::LENGTH,
            default: Preset::Numbers(&[0.05]),
            doc: "radius, of the coil only",
            unit: "m",
        },
        Parameter {
            name: "pitch",
            kind: Kind::Number { components: 1, range: Range::NotNegative },
            default: Preset::Numbers(&[0.02]),
            doc: "rise per turn, of the coil only",
            unit: "m",
        },
        Parameter {
            name: "turns",
            kind: Kind::Number { components: 1, range: Range::Positive },
            default: Preset::Numbers(&[3.0]),
            doc: "number of turns, of the coil only",
            unit: "",
        },
    ],
    elements: |p| Ok(2 * u128::from(p.count("segments")?)),
    is_sheet: false,
    build,
};

fn build(p: &Parameters) -> Result<Mesh, MeshError> {
    let n = p.count("segments")?;
    let part = |i: u32| f64::from(i) / f64::from(n);
    let points = if p.word("shape")? == "coil" {
        let helix = Helix::from(p)?;
        if helix.turns >= 1.0 && helix.pitch == 0.0 {
            return Err(p.refuse("pitch", "more than 0, for the turns would lie in each other".to_string()).into());
        }
        // Springs that skip half a turn or more would form a star, not a coil.
        if f64::from(n) < 3.0 * helix.turns {
            return Err(p.refuse("segments", format!("3 a turn, {} or more", (3.0 * helix.turns).ceil())).into());
        }
        (0..=n).map(|i| helix.point(part(i), [0.0, 0.0])).collect()
    } else {
        let length = p.length("length")?;
        (0..=n).map(|i| [length * part(i), 0.0, 0.0]).collect()
    };
    let mut mesh = Mesh {
        points,
        edges: (0..n).map(|i| [i, i + 1]).collect(),
        bends: (0..n - 1).map(|i| [i, i + 2]).collect(),
        ..Mesh::default()
    };
    mesh.group_nodes("start", vec![0]);
    mesh.group_nodes("end", vec![n]);
    Ok(mesh)
}
