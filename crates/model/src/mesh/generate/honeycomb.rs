//! Honeycomb sheets: hexagonal cells with walls two rows of equilateral triangles thick, swept through the depth.
//!
//! Nodes lie on the lattice of the triangles: (u, v) is at u (1, 0) + v (1/2, sqrt(3)/2) times the edge of one. The
//! hexagons around a centre are the level sets of max(|du|, |dv|, |du + dv|).

use std::collections::{BTreeMap, BTreeSet};

use super::sweep::Section;
use super::{Generator, Kind, Parameter, Parameters, Preset};
use crate::mesh::{Mesh, MeshError};

/// A honeycomb. Its defaults give 3,164 nodes and 10,062 tets, near the 3,642 and 9,850 of siere-2020, table 1.
pub(super) const HONEYCOMB: Generator = Generator {
    name: "honeycomb",
    description: "A sheet of open hexagonal cells, its middle plane around the origin in x and y, from z = 0 upward. \
                  Groups: edges (the outermost layers of the walls, below and above) and core (between them), tets \
                  and their nodes; bottom, top, and the sides x-, x+, y-, y+ (nodes).",
    parameters: &[
        Parameter {
            name: "cells",
            kind: Kind::counts(2),
            default: Preset::Numbers(&[5.0, 4.0]),
            doc: "cells along x and y",
            unit: "",
        },
        Parameter {
            name: "side",
            kind: Kind::LENGTH,
            default: Preset::Numbers(&[0.05]),
            doc: "side of a hexagon, between the middles of the walls",
            unit: "m",
        },
        Parameter {
            name: "wall_cells",
            kind: Kind::COUNT,
            default: Preset::Numbers(&[4.0]),
            doc: "triangles along the side of a hexagon, 2 or more: with n of them walls are 1.73 sides / n thick",
            unit: "",
        },
        Parameter {
            name: "depth",
            kind: Kind::LENGTH,
            default: Preset::Numbers(&[0.0375]),
            doc: "thickness of the sheet along z",
            unit: "m",
        },
        Parameter {
            name: "layers",
            kind: Kind::COUNT,
            default: Preset::Numbers(&[3.0]),
            doc: "layers of cells through the sheet, 3 or more: two of edges, the core between",
            unit: "",
        },
    ],
    elements: |p| {
        let ([nx, ny], n, layers) = sizes(p)?;
        let [nx, ny, n] = [nx, ny, n].map(u128::from);
        // The walls of all cells, plus half a wall along the sides of the hexagons around the sheet.
        let triangles = nx * ny * (12 * n - 6) + (4 * nx + 4 * ny - 2) * 2 * n + 6;
        Ok(3 * u128::from(layers) * triangles)
    },
    is_sheet: false,
    build,
};

/// Reads the numbers of cells, of triangles along the side of a cell, and of layers.
fn sizes(p: &Parameters) -> Result<([u32; 2], u32, u32), MeshError> {
    let (n, layers) = (p.count("wall_cells")?, p.count("layers")?);
    if n < 2 {
        return Err(p.refuse("wall_cells", "2 or more, for cells to be open".to_string()).into());
    }
    if layers < 3 {
        return Err(p.refuse("layers", "3 or more: two of edges, the core between".to_string()).into());
    }
    Ok((p.counts2("cells")?, n, layers))
}

/// Node of the lattice of triangles.
type Node = [i64; 2];

/// Returns the triangles whose corners all lie within `distance` of the centre, counter-clockwise.
fn hexagon(centre: Node, distance: i64) -> impl Iterator<Item = [Node; 3]> {
    let near = move |[u, v]: &Node| {
        let [du, dv] = [u - centre[0], v - centre[1]];
        du.abs().max(dv.abs()).max((du + dv).abs()) <= distance
    };
    let range = move |k: usize| centre[k] - distance..=centre[k] + distance;
    range(1).flat_map(move |v| {
        range(0).flat_map(move |u| {
            let [a, b, c, d] = [[u, v], [u + 1, v], [u, v + 1], [u + 1, v + 1]];
            [[a, b, c], [b, d, c]].into_iter().filter(move |triangle| triangle.iter().all(near))
        })
    })
}

fn build(p: &Parameters) -> Result<Mesh, MeshError> {
    let ([nx, ny], n, layers) = sizes(p)?;
    let (edge, depth) = (p.length("side")? / f64::from(n), p.length("depth")?);
    let n = i64::from(n);
    // Columns of cells; every other one is half a cell higher.
    let centres = (0..i64::from(nx)).flat_map(|x| {
        let column = [n * (3 * (x / 2) + x % 2), n * (x % 2)];
        (0..i64::from(ny)).map(move |y| [column[0] - n * y, column[1] + 2 * n * y])
    });
    let mut walls: BTreeSet<[Node; 3]> = centres.clone().flat_map(|centre| hexagon(centre, n + 1)).collect();
    centres.flat_map(|centre| hexagon(centre, n - 1)).for_each(|triangle| _ = walls.remove(&triangle));

    // Numbered row by row, like the nodes of a grid.
    let mut numbers: BTreeMap<Node, u32> = walls.iter().flatten().map(|&[u, v]| ([v, u], 0)).collect();
    numbers.values_mut().enumerate().for_each(|(index, number)| *number = index as u32);
    let nodes: Vec<Node> = numbers.keys().map(|&[v, u]| [u, v]).collect();
    let number = |[u, v]: Node| numbers.get(&[v, u]).copied().unwrap_or_default();
    // In integers: half edges along x, rows along y.
    let corners = || nodes.iter().map(|&[u, v]| [2 * u + v, v]);
    let bounds = [0, 1].map(|k| {
        let along = || corners().map(|corner| corner[k]);
        [along().min().unwrap_or_default(), along().max().unwrap_or_default()]
    });
    let units = [0.5 * edge, 0.75_f64.sqrt() * edge];
    let centred =
        |corner: Node| [0, 1].map(|k| units[k] * (corner[k] as f64 - 0.5 * (bounds[k][0] + bounds[k][1]) as f64));
    let section = Section {
        points: corners().map(centred).collect(),
        triangles: walls.iter().map(|triangle| triangle.map(number)).collect(),
    };
    let mut mesh = section.sweep(layers, |layer, [x, y]| [x, y, depth * f64::from(layer) / f64::from(layers)]);

    let a_layer = 3 * section.triangles.len() as u32;
    let (core, edges): (Vec<u32>, Vec<u32>) =
        (0..layers * a_layer).partition(|tet| (1..layers - 1).contains(&(tet / a_layer)));
    for (name, tets) in [("core", core), ("edges", edges)] {
        mesh.group_tets(name, tets);
    }
    let count = nodes.len() as u32;
    mesh.group_nodes("bottom", (0..count).collect());
    mesh.group_nodes("top", (layers * count..(layers + 1) * count).collect());
    for (k, letter) in ["x", "y"].into_iter().enumerate() {
        for (sign, bound) in ["-", "+"].into_iter().zip(bounds[k]) {
            let side = (0..count).zip(corners()).filter(|(_, corner)| corner[k] == bound).map(|(i, _)| i);
            let nodes = side.flat_map(|i| (0..=layers).map(move |layer| layer * count + i)).collect();
            mesh.group_nodes(&format!("{letter}{sign}"), nodes);
        }
    }
    Ok(mesh)
}
