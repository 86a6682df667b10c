//! Coiled solid ropes: a square or round section swept along a helix.

use super::helix::Helix;
use super::sweep::Section;
use super::{Generator, Kind, Parameter, Parameters, Preset, Range};
use crate::mesh::{Mesh, MeshError};

/// Smallest number of cells per turn. With fewer a turn is no circle, and its innermost tets are almost inverted.
const LEAST_CELLS_A_TURN: f64 = 8.0;

/// A coiled rope. Its defaults give 12,816 nodes and 43,200 tets, near the 12,791 and 47,279 of siere-2020, table 1.
pub(super) const ROPE: Generator = Generator {
    name: "rope",
    description: "A solid rope coiled around z as a helix from (radius, 0, 0) upward. Groups: start, end (its faces).",
    parameters: &[
        Parameter {
            name: "radius",
            kind: Kind::LENGTH,
            default: Preset::Numbers(&[0.16]),
            doc: "radius of the coil, to the middle of the rope",
            unit: "m",
        },
        Parameter {
            name: "pitch",
            kind: Kind::Number { components: 1, range: Range::NotNegative },
            default: Preset::Numbers(&[0.05]),
            doc: "rise per turn",
            unit: "m",
        },
        Parameter {
            name: "turns",
            kind: Kind::Number { components: 1, range: Range::Positive },
            default: Preset::Numbers(&[8.0]),
            doc: "number of turns, whole or not",
            unit: "",
        },
        Parameter {
            name: "thickness",
            kind: Kind::LENGTH,
            default: Preset::Numbers(&[0.03]),
            doc: "edge of the square section or diameter of the round one",
            unit: "m",
        },
        Parameter {
            name: "section",
            kind: Kind::Word { choices: &["square", "round"] },
            default: Preset::Word("square"),
            doc: "shape of the section",
            unit: "",
        },
        Parameter {
            name: "cells_along",
            kind: Kind::COUNT,
            default: Preset::Numbers(&[800.0]),
            doc: "cells along the rope, 8 per turn or more",
            unit: "",
        },
        Parameter {
            name: "cells_across",
            kind: Kind::COUNT,
            default: Preset::Numbers(&[3.0]),
            doc: "cells across the rope; a round section has half as many rings, rounded up",
            unit: "",
        },
    ],
    elements: |p| {
        let (along, across) = (u128::from(p.count("cells_along")?), p.count("cells_across")?);
        let triangles = match p.word("section")? {
            "round" => 6 * u128::from(across.div_ceil(2)).pow(2),
            _ => 2 * u128::from(across).pow(2),
        };
        Ok(3 * along * triangles)
    },
    is_sheet: false,
    build,
};

fn build(p: &Parameters) -> Result<Mesh, MeshError> {
    let (helix, thickness, along, across) =
        (Helix::from(p)?, p.length("thickness")?, p.count("cells_along")?, p.count("cells_across")?);
    if thickness >= 2.0 * helix.radius {
        return Err(p.refuse("thickness", format!("less than twice the radius of the coil, {}", helix.radius)).into());
    }
    // After one turn, the rope meets itself.
    if helix.turns >= 1.0 && helix.gap() < thickness {
        let need = format!("more, for the turns of a rope of thickness {thickness} would overlap; or less than a turn");
        return Err(p.refuse("pitch", need).into());
    }
    if f64::from(along) < LEAST_CELLS_A_TURN * helix.turns {
        let need = format!("{LEAST_CELLS_A_TURN} a turn, {} or more", (LEAST_CELLS_A_TURN * helix.turns).ceil());
        return Err(p.refuse("cells_along", need).into());
    }

    // Either section spans -1/2 to 1/2 of the thickness.
    let section = match p.word("section")? {
        "round" => {
            let rings = across.div_ceil(2);
            let mut disc = Section::disc(rings, 6 * rings);
            disc.points.iter_mut().flatten().for_each(|x| *x *= 0.5);
            disc
        }
        _ => {
            let mut grid = Section::grid([across, across]);
            grid.points.iter_mut().flatten().for_each(|x| *x = *x / f64::from(across) - 0.5);
            grid
        }
    };
    let mut mesh =
        section.sweep(along, |layer, uv| helix.point(f64::from(layer) / f64::from(along), uv.map(|x| thickness * x)));
    let n = section.points.len() as u32;
    mesh.group_nodes("start", (0..n).collect());
    mesh.group_nodes("end", (0..n).map(|i| along * n + i).collect());
    Ok(mesh)
}
