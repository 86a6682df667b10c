//! Rectangles of cloth: triangles, and the three families of springs of mass-spring cloth.

use super::{Generator, Kind, Parameter, Parameters, Preset};
use crate::mesh::{Mesh, MeshError};

/// A rectangle of cloth.
pub(super) const CLOTH: Generator = Generator {
    name: "cloth",
    description: "A rectangle of cloth in the plane z = 0, one corner at the origin: triangles, structural springs \
                  (edges), both diagonals of each cell (shear) and pairs two apart (bends). Groups: corners, \
                  corner-00, corner-10, corner-01, corner-11 (x, then y), and the sides x-, x+, y-, y+.",
    parameters: &[
        Parameter {
            name: "size",
            kind: Kind::lengths(2),
            default: Preset::Numbers(&[1.0, 1.0]),
            doc: "extent along x and y",
            unit: "m",
        },
        Parameter {
            name: "cells",
            kind: Kind::counts(2),
            default: Preset::Numbers(&[10.0, 10.0]),
            doc: "cells along x and y",
            unit: "",
        },
        Parameter {
            name: "diagonals",
            kind: Kind::Word { choices: &["alternating", "uniform"] },
            default: Preset::Word("alternating"),
            doc: "cut of cells into triangles: alternating has no preferred direction",
            unit: "",
        },
    ],
    elements: |p| {
        // Two triangles, two edges, two diagonals and two bends per cell, except at the sides.
        let [nx, ny] = p.counts2("cells")?;
        Ok(8 * u128::from(nx) * u128::from(ny))
    },
    is_sheet: true,
    build,
};

fn build(p: &Parameters) -> Result<Mesh, MeshError> {
    let (size, [nx, ny]) = (p.lengths2("size")?, p.counts2("cells")?);
    let alternating = p.word("diagonals")? == "alternating";
    let node = |i: u32, j: u32| j * (nx + 1) + i;
    let mut mesh = Mesh::default();

    for j in 0..=ny {
        for i in 0..=nx {
            let [x, y] = [size[0] * f64::from(i) / f64::from(nx), size[1] * f64::from(j) / f64::from(ny)];
            mesh.points.push([x, y, 0.0]);
            let here = node(i, j);
            if i < nx {
                mesh.edges.push([here, node(i + 1, j)]);
            }
            if j < ny {
                mesh.edges.push([here, node(i, j + 1)]);
            }
            if i + 1 < nx {
                mesh.bends.push([here, node(i + 2, j)]);
            }
            if j + 1 < ny {
                mesh.bends.push([here, node(i, j + 2)]);
            }
        }
    }
    for j in 0..ny {
        for i in 0..nx {
            let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i, j + 1), node(i + 1, j + 1)];
            mesh.shear.extend([[a, d], [b, c]]);
            let rising = !alternating || (i + j) % 2 == 0;
            mesh.triangles.extend(if rising { [[a, b, d], [a, d, c]] } else { [[a, b, c], [b, d, c]] });
        }
    }

    let corners = [("00", node(0, 0)), ("10", node(nx, 0)), ("01", node(0, ny)), ("11", node(nx, ny))];
    for (name, corner) in corners {
        mesh.group_nodes(&format!("corner-{name}"), vec![corner]);
    }
    mesh.group_nodes("corners", corners.map(|(_, corner)| corner).to_vec());
    mesh.group_nodes("x-", (0..=ny).map(|j| node(0, j)).collect());
    mesh.group_nodes("x+", (0..=ny).map(|j| node(nx, j)).collect());
    mesh.group_nodes("y-", (0..=nx).map(|i| node(i, 0)).collect());
    mesh.group_nodes("y+", (0..=nx).map(|i| node(i, ny)).collect());
    Ok(mesh)
}
