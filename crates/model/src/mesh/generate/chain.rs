//! Chains: links in a row.

use numerics::mat3::scale;

use super::{Generator, Kind, Parameter, Preset};
use crate::mesh::Mesh;

/// A chain.
pub(super) const CHAIN: Generator = Generator {
    name: "chain",
    description: "Links in a row from the origin, each an edge; no bending springs. Groups: start, end (one node each).",
    parameters: &[
        Parameter {
            name: "links",
            kind: Kind::COUNT,
            default: Preset::Numbers(&[10.0]),
            doc: "number of links",
            unit: "",
        },
        Parameter {
            name: "length",
            kind: Kind::LENGTH,
            default: Preset::Numbers(&[0.1]),
            doc: "length of one link",
            unit: "m",
        },
        Parameter {
            name: "direction",
            kind: Kind::Direction,
            default: Preset::Numbers(&[1.0, 0.0, 0.0]),
            doc: "direction of the chain, of any length",
            unit: "",
        },
    ],
    elements: |p| Ok(p.count("links")?.into()),
    is_sheet: false,
    build: |p| {
        let (links, length, direction) = (p.count("links")?, p.length("length")?, p.direction("direction")?);
        let mut mesh = Mesh {
            points: (0..=links).map(|i| scale(f64::from(i) * length, direction)).collect(),
            edges: (0..links).map(|i| [i, i + 1]).collect(),
            ..Mesh::default()
        };
        mesh.group_nodes("start", vec![0]);
        mesh.group_nodes("end", vec![links]);
        Ok(mesh)
    },
};
