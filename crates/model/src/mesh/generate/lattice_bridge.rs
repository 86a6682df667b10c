//! Truss bridges: a deck between two trusses, portals across their tops, piers at the ends.

use super::frame::Frame;
use super::{Generator, Kind, Parameter, Parameters, Preset};
use crate::mesh::{Mesh, MeshError};

/// Thickness of chords, posts and piers [cells].
const MEMBER: u32 = 2;
/// Smallest number of cells between the trusses, and between chords, that leaves a lattice.
const LEAST: u32 = 3 * MEMBER;

/// A bridge. Its defaults give 35,377 nodes and 102,000 tets, near the 30,133 and 99,455 of siere-2020, table 1.
pub(super) const LATTICE_BRIDGE: Generator = Generator {
    name: "lattice-bridge",
    description: "A truss bridge along x from the origin, its deck at the height of its piers, made of cubic cells. \
                  Groups: deck, trusses (chords, posts, diagonals and the portals across), piers (tets and their \
                  nodes), feet (the nodes that the piers stand on).",
    parameters: &[
        Parameter {
            name: "cell",
            kind: Kind::LENGTH,
            default: Preset::Numbers(&[0.1]),
            doc: "edge of a cell; the deck is one thick, members two",
            unit: "m",
        },
        Parameter {
            name: "panels",
            kind: Kind::COUNT,
            default: Preset::Numbers(&[14.0]),
            doc: "panels of the trusses, with one diagonal each, alternately rising and falling",
            unit: "",
        },
        Parameter {
            name: "panel_cells",
            kind: Kind::COUNT,
            default: Preset::Numbers(&[20.0]),
            doc: "cells along a panel, which is as high as long; 6 or more",
            unit: "",
        },
        Parameter {
            name: "width_cells",
            kind: Kind::COUNT,
            default: Preset::Numbers(&[28.0]),
            doc: "cells across the bridge; 6 or more",
            unit: "",
        },
        Parameter {
            name: "pier_cells",
            kind: Kind::COUNT,
            default: Preset::Numbers(&[10.0]),
            doc: "height of the piers in cells",
            unit: "",
        },
    ],
    elements: |p| {
        let [panels, bay, wide, piers] = sizes(p)?.map(u128::from);
        let posts = (panels + 1) * (bay - 3) * 4;
        let chords = panels * bay * 6;
        let diagonals = panels * (bay - 3) * 4;
        let portals = (panels + 1) * (wide - 4) * 4;
        Ok(6 * (panels * bay * wide + 2 * (posts + chords + diagonals) + portals + piers * 16))
    },
    is_sheet: false,
    build,
};

/// Reads the numbers of panels, cells per panel, cells across, and cells per pier.
fn sizes(p: &Parameters) -> Result<[u32; 4], MeshError> {
    let sizes = [p.count("panels")?, p.count("panel_cells")?, p.count("width_cells")?, p.count("pier_cells")?];
    for (parameter, cells) in [("panel_cells", sizes[1]), ("width_cells", sizes[2])] {
        if cells < LEAST {
            return Err(p.refuse(parameter, format!("{LEAST} or more: members are {MEMBER} cells thick")).into());
        }
    }
    Ok(sizes)
}

fn build(p: &Parameters) -> Result<Mesh, MeshError> {
    let ([panels, bay, wide, piers], edge) = (sizes(p)?, p.length("cell")?);
    // A post also stands behind the last panel.
    let (long, top) = (panels * bay + MEMBER, piers + bay + MEMBER);
    let mut frame = Frame::default();
    for y in [0, wide - MEMBER] {
        for x in [0, long - MEMBER] {
            frame.block("piers", [x, y, 0], [x + MEMBER, y + MEMBER, piers]);
        }
    }
    frame.block("deck", [0, 0, piers], [long, wide, piers + 1]);
    for y in [0, wide - MEMBER] {
        // Together with the deck below it, the lower chord is as thick as the upper one.
        frame.block("trusses", [0, y, piers + 1], [long, y + MEMBER, piers + MEMBER]);
        frame.block("trusses", [0, y, top - MEMBER], [long, y + MEMBER, top]);
        for panel in 0..=panels {
            let x = panel * bay;
            frame.block("trusses", [x, y, piers + 1], [x + MEMBER, y + MEMBER, top]);
            for layer in (y..y + MEMBER).filter(|_| panel < panels) {
                // Between the posts and the chords; along y the axes that follow are z and x.
                let square = [x + MEMBER - 1, layer, piers + MEMBER - 1];
                frame.diagonal("trusses", square, bay, 1, panel % 2 == 0);
            }
        }
    }
    for panel in 0..=panels {
        let x = panel * bay;
        frame.block("trusses", [x, 0, top - MEMBER], [x + MEMBER, wide, top]);
    }
    let (mut mesh, corners) = frame.mesh(|corner| corner.map(|c| edge * f64::from(c)));
    mesh.group_nodes("feet", (0..corners.len() as u32).filter(|&i| corners[i as usize][2] == 0).collect());
    Ok(mesh)
}
