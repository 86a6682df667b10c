//! Boxes and bars: a grid of cells, with six Kuhn tets per cell, or five tets.
//!
//! A cell is cut along a diagonal, from the corner whose indices are all even. Neighbours are thus mirror images, the
//! mesh conforms, and a box with even numbers of cells is symmetric. If all cells were cut alike, a bar that falls
//! straight down would swing to the side. Each tet of a cube has mean-ratio quality 0.756.
//!
//! Five tets are four cut-off corners, those whose indices have an even sum, and the tet between them: quality 0.840
//! and 1. A corner is cut off from all cells around it or from none, and the mesh conforms.

use numerics::mat3::Vec3;

use super::{Generator, Kind, Parameter, Parameters, Preset};
use crate::mesh::{Mesh, MeshError};

/// A box.
pub(super) const BOX: Generator = Generator {
    name: "box",
    description: "A box with its lowest corner at the origin. Groups: the faces x-, x+, y-, y+, z-, z+.",
    parameters: &[
        Parameter {
            name: "size",
            kind: Kind::lengths(3),
            default: Preset::Numbers(&[1.0, 1.0, 1.0]),
            doc: "lengths of the edges along x, y, z",
            unit: "m",
        },
        Parameter {
            name: "cells",
            kind: Kind::counts(3),
            default: Preset::Numbers(&[4.0, 4.0, 4.0]),
            doc: "cells along x, y, z, six tets each, or five",
            unit: "",
        },
        Parameter {
            name: "cut",
            kind: Kind::Word { choices: &["six", "five"] },
            default: Preset::Word("six"),
            doc: "tets per cell: six around a diagonal, or four at corners and one between them",
            unit: "",
        },
    ],
    elements: |p| Ok(tets_a_cell(is_five(p)?) * cells_in_all(p.counts3("cells")?)),
    is_sheet: false,
    build: |p| Ok(cuboid([0.0; 3], p.lengths3("size")?, p.counts3("cells")?, is_five(p)?)),
};

fn is_five(p: &Parameters) -> Result<bool, MeshError> {
    Ok(p.word("cut")? == "five")
}

fn tets_a_cell(five: bool) -> u128 {
    if five { 5 } else { 6 }
}

/// A bar.
pub(super) const BAR: Generator = Generator {
    name: "bar",
    description: "A bar along x from x = 0, centred in y and z. Groups: the faces x-, x+, y-, y+, z-, z+.",
    parameters: &[
        Parameter {
            name: "length",
            kind: Kind::LENGTH,
            default: Preset::Numbers(&[1.0]),
            doc: "length along x",
            unit: "m",
        },
        Parameter {
            name: "thickness",
            kind: Kind::LENGTH,
            default: Preset::Numbers(&[0.2]),
            doc: "edge of the square section",
            unit: "m",
        },
        Parameter {
            name: "width",
            kind: Kind::LENGTH,
            default: Preset::SameAs("thickness"),
            doc: "extent along y",
            unit: "m",
        },
        Parameter {
            name: "height",
            kind: Kind::LENGTH,
            default: Preset::SameAs("thickness"),
            doc: "extent along z",
            unit: "m",
        },
        Parameter {
            name: "cells_along",
            kind: Kind::COUNT,
            default: Preset::Numbers(&[20.0]),
            doc: "cells along x",
            unit: "",
        },
        Parameter {
            name: "cells_across",
            kind: Kind::counts(2),
            default: Preset::Numbers(&[4.0, 4.0]),
            doc: "cells along y and z",
            unit: "",
        },
    ],
    elements: |p| Ok(tets_a_cell(false) * cells_in_all(bar_cells(p)?)),
    is_sheet: false,
    build: |p| {
        let [width, height] = [p.length("width")?, p.length("height")?];
        let low = [0.0, -width / 2.0, -height / 2.0];
        Ok(cuboid(low, [p.length("length")?, width, height], bar_cells(p)?, false))
    },
};

fn bar_cells(p: &Parameters) -> Result<[u32; 3], MeshError> {
    let [y, z] = p.counts2("cells_across")?;
    Ok([p.count("cells_along")?, y, z])
}

fn cells_in_all(cells: [u32; 3]) -> u128 {
    cells.iter().map(|&n| u128::from(n)).product::<u128>()
}

/// Orders in which a path along the edges of a cell may take the axes; true for odd permutations.
const PATHS: [([usize; 3], bool); 6] = [
    ([0, 1, 2], false),
    ([1, 2, 0], false),
    ([2, 0, 1], false),
    ([0, 2, 1], true),
    ([1, 0, 2], true),
    ([2, 1, 0], true),
];

/// Corners of each of five tets, by the axes along which they are away from an even corner.
const FIVE: [[[u32; 3]; 4]; 5] = [
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    [[1, 1, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]],
    [[1, 0, 1], [1, 0, 0], [0, 0, 1], [1, 1, 1]],
    [[0, 1, 1], [0, 0, 1], [0, 1, 0], [1, 1, 1]],
    [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]],
];

/// Builds the box from `low` [m] with edges `size` [m], x fastest.
fn cuboid(low: Vec3, size: Vec3, cells: [u32; 3], five: bool) -> Mesh {
    let [nx, ny, nz] = cells;
    let grid =
        |[nx, ny, nz]: [u32; 3]| (0..nz).flat_map(move |k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])));
    // Multiply before dividing: the last node lies exactly at low + size.
    let place = |ijk: [u32; 3]| {
        std::array::from_fn(|axis| low[axis] + size[axis] * f64::from(ijk[axis]) / f64::from(cells[axis]))
    };
    let mut mesh = Mesh { points: grid(cells.map(|n| n + 1)).map(place).collect(), ..Mesh::default() };
    let node = |[i, j, k]: [u32; 3]| i + (nx + 1) * (j + (ny + 1) * k);
    mesh.tets.reserve(6 * nx as usize * ny as usize * nz as usize);
    for cell in grid(cells) {
        // From the even corner to the odd one, along three edges.
        let [even, odd] = [cell.map(|c| c + c % 2), cell.map(|c| c + 1 - c % 2)];
        let mirrored = cell.iter().sum::<u32>() % 2 == 1;
        if five {
            let corner = |away: [u32; 3]| node(std::array::from_fn(|c| if away[c] == 1 { odd[c] } else { even[c] }));
            let oriented = |[a, b, c, d]: [u32; 4]| if mirrored { [a, b, d, c] } else { [a, b, c, d] };
            mesh.tets.extend(FIVE.iter().map(|tet| oriented(tet.map(corner))));
            continue;
        }
        for (path, is_odd) in PATHS {
            let mut corner = even;
            let mut tet = [node(corner); 4];
            for (n, axis) in path.into_iter().enumerate() {
                corner[axis] = odd[axis];
                tet[n + 1] = node(corner);
            }
            if is_odd != mirrored {
                tet.swap(2, 3);
            }
            mesh.tets.push(tet);
        }
    }
    // By index, not by position: exact for any size.
    let strides = [1, nx + 1, (nx + 1) * (ny + 1)];
    for (axis, letter) in ["x", "y", "z"].into_iter().enumerate() {
        let layer = |node: u32| node / strides[axis] % (cells[axis] + 1);
        for (sign, wanted) in [("-", 0), ("+", cells[axis])] {
            let nodes = (0..mesh.points.len() as u32).filter(|&node| layer(node) == wanted).collect();
            mesh.group_nodes(&format!("{letter}{sign}"), nodes);
        }
    }
    mesh
}
