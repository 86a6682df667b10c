//! Lattice towers: four legs that lean inward, rings around them, a diagonal in every bay.

use super::frame::Frame;
use super::{Generator, Kind, Parameter, Parameters, Preset};
use crate::mesh::{Mesh, MeshError};

/// Smallest number of cells per side that leaves room between legs and diagonals.
const LEAST: u32 = 5;

/// A tower. Its defaults give 4,816 nodes, near the 5,000 of stiffly-accurate-2017, table 1; the edges of its tets are
/// its girders.
pub(super) const GIRDER_TOWER: Generator = Generator {
    name: "girder-tower",
    description: "A square lattice tower around z, standing on z = 0, its girders a cell thick. Every stage is as high \
                  as it is wide, so that cells keep their shape as the tower tapers. Groups: legs, rings, braces (tets \
                  and their nodes), feet, top (nodes).",
    parameters: &[
        Parameter {
            name: "width",
            kind: Kind::LENGTH,
            default: Preset::Numbers(&[2.0]),
            doc: "side of the tower at its feet",
            unit: "m",
        },
        Parameter {
            name: "top",
            kind: Kind::LENGTH,
            default: Preset::Numbers(&[0.5]),
            doc: "side of the tower at its top",
            unit: "m",
        },
        Parameter {
            name: "stages",
            kind: Kind::COUNT,
            default: Preset::Numbers(&[8.0]),
            doc: "number of stages",
            unit: "",
        },
        Parameter {
            name: "side_cells",
            kind: Kind::COUNT,
            default: Preset::Numbers(&[13.0]),
            doc: "cells along a side; 5 or more",
            unit: "",
        },
    ],
    elements: |p| {
        let [stages, side] = sizes(p)?.map(u128::from);
        Ok(6 * stages * (4 * side + 4 * (side - 2) + 8 * (side - 3)))
    },
    is_sheet: false,
    build,
};

/// Reads the number of stages, and of cells along a side.
fn sizes(p: &Parameters) -> Result<[u32; 2], MeshError> {
    let side = p.count("side_cells")?;
    if side < LEAST {
        return Err(p.refuse("side_cells", format!("{LEAST} or more, for legs and diagonals to leave room")).into());
    }
    Ok([p.count("stages")?, side])
}

fn build(p: &Parameters) -> Result<Mesh, MeshError> {
    let ([stages, side], width, top) = (sizes(p)?, p.length("width")?, p.length("top")?);
    let last = side - 1;
    let levels = stages * side;
    let mut frame = Frame::default();
    for [x, y] in [[0, 0], [last, 0], [0, last], [last, last]] {
        frame.block("legs", [x, y, 0], [x + 1, y + 1, levels]);
    }
    for stage in 0..stages {
        let z = stage * side;
        for near in [0, last] {
            frame.block("rings", [near, 0, z + last], [near + 1, side, z + side]);
            frame.block("rings", [0, near, z + last], [side, near + 1, z + side]);
            // Diagonals rise and fall alternately around the tower and from stage to stage.
            let rising = (stage + u32::from(near > 0)) % 2 == 0;
            frame.diagonal("braces", [near, 0, z], side, 0, rising);
            frame.diagonal("braces", [0, near, z], side, 1, !rising);
        }
    }

    // A level is as high as its cells are wide: both shrink by the same factor per level.
    let factor = (top / width).powf(1.0 / f64::from(levels));
    let mut heights = vec![0.0];
    let mut size = width / f64::from(side);
    for level in 0..levels as usize {
        heights.push(heights[level] + size);
        size *= factor;
    }
    let (mut mesh, corners) = frame.mesh(|[i, j, k]| {
        let size = width * factor.powi(k as i32) / f64::from(side);
        let across = |i: u32| size * (f64::from(i) - 0.5 * f64::from(side));
        [across(i), across(j), heights[k as usize]]
    });
    for (name, level) in [("feet", 0), ("top", levels)] {
        mesh.group_nodes(name, (0..corners.len() as u32).filter(|&i| corners[i as usize][2] == level).collect());
    }
    Ok(mesh)
}
