//! Cylinders: a triangulated disc, swept.

use super::sweep::Section;
use super::{Generator, Kind, Parameter, Parameters, Preset};
use crate::mesh::{Mesh, MeshError};

/// A cylinder. Its defaults give 2430 tets, near the 2383 of the cylinder of ere-2018, table 1.
pub(super) const CYLINDER: Generator = Generator {
    name: "cylinder",
    description: "A cylinder along z, its bottom around the origin. Groups: bottom, top, mantle.",
    parameters: &[
        Parameter { name: "radius", kind: Kind::LENGTH, default: Preset::Numbers(&[0.1]), doc: "radius", unit: "m" },
        Parameter {
            name: "height",
            kind: Kind::LENGTH,
            default: Preset::Numbers(&[0.5]),
            doc: "height along z",
            unit: "m",
        },
        Parameter {
            name: "rings",
            kind: Kind::COUNT,
            default: Preset::Numbers(&[3.0]),
            doc: "rings of cells from the axis to the mantle",
            unit: "",
        },
        Parameter {
            name: "segments",
            kind: Kind::count_within(0, u32::MAX),
            default: Preset::Numbers(&[0.0]),
            doc: "edges around the mantle, 3 or more; 0 stands for six times the rings, the best shaped",
            unit: "",
        },
        Parameter {
            name: "layers",
            kind: Kind::COUNT,
            default: Preset::Numbers(&[15.0]),
            doc: "layers of cells along z",
            unit: "",
        },
    ],
    elements: |p| {
        // A disc has about rings x segments triangles, each with three tets per layer.
        Ok(3 * u128::from(p.count("layers")?) * u128::from(p.count("rings")?) * segments(p)?)
    },
    is_sheet: false,
    build,
};

fn segments(p: &Parameters) -> Result<u128, MeshError> {
    match p.count("segments")? {
        0 => Ok(6 * u128::from(p.count("rings")?)),
        few @ (1 | 2) => Err(p.refuse("segments", format!("3 or more, for {few} enclose nothing")).into()),
        segments => Ok(segments.into()),
    }
}

fn build(p: &Parameters) -> Result<Mesh, MeshError> {
    let [radius, height] = [p.length("radius")?, p.length("height")?];
    let (rings, layers) = (p.count("rings")?, p.count("layers")?);
    let disc = Section::disc(rings, segments(p)? as u32);
    let mut mesh =
        disc.sweep(layers, |layer, [u, v]| [radius * u, radius * v, height * f64::from(layer) / f64::from(layers)]);
    let n = disc.points.len() as u32;
    let rim = disc.points.iter().position(|p| p[0] == 1.0).unwrap_or_default() as u32; // its node at angle 0 is first
    mesh.group_nodes("bottom", (0..n).collect());
    mesh.group_nodes("top", (0..n).map(|i| layers * n + i).collect());
    mesh.group_nodes("mantle", (0..=layers).flat_map(|layer| (rim..n).map(move |i| layer * n + i)).collect());
    Ok(mesh)
}
