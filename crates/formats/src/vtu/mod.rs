//! VTU: VTK's unstructured grids in XML, and the frames of runs.
//!
//! Arrays may be text, base64 or appended to the XML, in either byte order, plain or compressed by zlib. Groups are
//! arrays of 0 and 1 over points and cells whose names begin with `group:`.

use model::mesh::Mesh;

use crate::care::Care;
use crate::error::{Fault, FormatError};
use crate::scalar::{AnyNode, Anywhere};
use crate::vtk_cells::{Cells, TETRA, all_tets, made, shift};
use crate::{Format, Groups, Holds, Input};

mod array;
mod blocks;
mod frame;
mod stream;
mod words;
pub mod write;
mod xml;

use array::Decoder;
pub use frame::{Frame, THICKNESS, read_frame};
use xml::{Array, File, Piece};

/// Prefix of the names of group arrays.
const GROUP: &str = "group:";

/// Row of the table for VTU.
pub const FORMAT: Format = Format {
    name: "vtu",
    extensions: &["vtu"],
    description: "VTK's unstructured grids in XML, for ParaView; frames of runs",
    holds: Holds { tets: true, triangles: true, edges: true, groups: Groups::Named, exact: true },
    read: Some(read),
    write: Some(write::write),
    pair: None,
};

/// Reads a VTU file; several pieces become one mesh.
pub fn read(input: &Input, care: Care) -> Result<Mesh, FormatError> {
    let mut file = xml::parse(input.bytes, &[])?;
    file.text.care = care;
    mesh(&file, &Decoder::new(&file))
}

fn mesh(file: &File, decoder: &Decoder) -> Result<Mesh, FormatError> {
    if file.pieces.is_empty() {
        let what = "the element Piece of the element UnstructuredGrid".to_string();
        return Err(FormatError::whole("vtu", Fault::Expected { what, found: "the end of the file".to_string() }));
    }
    let mut mesh = Mesh::default();
    for piece in &file.pieces {
        add_piece(file, decoder, piece, &mut mesh)?;
    }
    for group in mesh.groups.values_mut() {
        for list in [&mut group.nodes, &mut group.tets, &mut group.triangles] {
            // They ascend already unless a piece names a group twice.
            if !list.is_sorted_by(|a, b| a < b) {
                list.sort_unstable();
                list.dedup();
            }
        }
    }
    Ok(mesh)
}

fn add_piece(file: &File, decoder: &Decoder, piece: &Piece, mesh: &mut Mesh) -> Result<(), FormatError> {
    let (base, lenient) = (mesh.points.len() as u32, file.text.care.is_lenient());
    if piece.points > u64::from(u32::MAX - base) {
        let what = format!("{} points are more than 32 bits can number", piece.points);
        let cure = "correct the count, or cut the mesh into parts".to_string();
        return Err(file.text.error_at(piece.at, Fault::Unsupported { what, cure }));
    }
    // A cell has fewer triangles than nodes, so no index of an element exceeds this either.
    let few = |count: u64, what: &str| {
        let limit = u64::from(u32::MAX) - (mesh.tets.len() + mesh.triangles.len()) as u64;
        let too_many = || file.text.error_at(piece.at, Fault::TooMany { what: what.to_string(), count, limit });
        if count > limit { Err(too_many()) } else { Ok(()) }
    };
    few(piece.cells, "cells")?;
    let find = |section: &str, name: &str| {
        let mut arrays = piece.arrays.iter().filter(|array| array.section == section);
        arrays.find(|array| name.is_empty() || array.name.eq_ignore_ascii_case(name))
    };
    let needed = |section: &str, name: &str| {
        find(section, name).ok_or_else(|| {
            let name = if name.is_empty() { String::new() } else { format!(" '{name}'") };
            let what = format!("the element Piece has no array{name} in its element {section}");
            let cure = "add it, or export the file again".to_string();
            file.text.error_at(piece.at, Fault::Contradiction { what, cure })
        })
    };

    // Points.
    if piece.points > 0 {
        let points = needed("Points", "")?;
        if points.components != 3 {
            let what = format!("{} with 3 components", decoder.describe(points));
            return Err(decoder.error(points, Fault::Expected { what, found: points.components.to_string() }));
        }
        let read = match lenient {
            true => {
                let any = decoder.read::<Anywhere, 3>(points, piece.points)?;
                any.into_iter().map(|point| point.map(|x| x.0)).collect()
            }
            false => decoder.read::<f64, 3>(points, piece.points)?,
        };
        append(&mut mesh.points, read);
    }

    // Cells; tets alone, the usual case, are decoded in place.
    let (tet_base, triangle_base) = (mesh.tets.len() as u32, mesh.triangles.len() as u32);
    let mut cells = Cells::default();
    if piece.cells > 0 {
        let connectivity = needed("Cells", "connectivity")?;
        let (kinds, ends) = (needed("Cells", "types")?, needed("Cells", "offsets")?);
        let has_groups = piece.arrays.iter().any(|array| array.section == "CellData");
        let known = !has_groups
            && decoder.holds(kinds, piece.cells, |_| TETRA.into())
            && decoder.holds(ends, piece.cells, |cell| 4 * (cell + 1));
        if !known {
            cells.kinds = decoder.read::<u8, 1>(kinds, piece.cells)?.into_flattened();
            cells.ends = decoder.read::<u64, 1>(ends, piece.cells)?.into_flattened();
        }
        let failed = |fault| decoder.error(connectivity, fault);
        if known || all_tets(&cells.kinds, &cells.ends) {
            let mut tets = nodes::<4>(decoder, connectivity, piece.cells, lenient)?;
            shift(tets.as_flattened_mut(), piece.points as usize, base, lenient, |node| node / 4).map_err(failed)?;
            append(&mut mesh.tets, tets);
        } else {
            let count = cells.ends.last().copied().unwrap_or(0);
            few(count, "nodes of cells")?;
            cells.nodes = nodes::<1>(decoder, connectivity, count, lenient)?.into_flattened();
            cells.add_to(mesh, piece.points as usize, base, lenient).map_err(failed)?;
        }
    }

    // Groups.
    for array in piece.arrays.iter().filter(|array| array.name.starts_with(GROUP)) {
        let group = &array.name[GROUP.len()..];
        match array.section.as_str() {
            "PointData" => {
                let inside = decoder.read::<u8, 1>(array, piece.points)?;
                let group = mesh.groups.entry(group.to_string()).or_default();
                group.nodes.extend((base..).zip(&inside).filter(|(_, inside)| inside[0] != 0).map(|(i, _)| i));
            }
            "CellData" => group_of_cells(decoder, array, piece, &cells, mesh, [tet_base, triangle_base])?,
            _ => {}
        }
    }
    Ok(())
}

/// Reads the nodes of elements; a lenient reader also takes numbers that are not nodes.
fn nodes<const K: usize>(
    decoder: &Decoder,
    array: &Array,
    rows: u64,
    lenient: bool,
) -> Result<Vec<[u32; K]>, FormatError> {
    if !lenient {
        return decoder.read::<u32, K>(array, rows);
    }
    let any = decoder.read::<AnyNode, K>(array, rows)?;
    Ok(any.into_iter().map(|nodes| nodes.map(|node| node.0)).collect())
}

/// Reads a group of cells: the tets and triangles that they became.
fn group_of_cells(
    decoder: &Decoder,
    array: &Array,
    piece: &Piece,
    cells: &Cells,
    mesh: &mut Mesh,
    [mut tet, mut triangle]: [u32; 2],
) -> Result<(), FormatError> {
    let inside = decoder.read::<u8, 1>(array, piece.cells)?;
    let group = mesh.groups.entry(array.name[GROUP.len()..].to_string()).or_default();
    let mut start = 0;
    for ((&kind, &end), inside) in cells.kinds.iter().zip(&cells.ends).zip(&inside) {
        let (tets, triangles) = made(kind, (end - start) as usize);
        start = end;
        if inside[0] != 0 {
            group.tets.extend(tet..tet + tets);
            group.triangles.extend(triangle..triangle + triangles);
        }
        (tet, triangle) = (tet + tets, triangle + triangles);
    }
    Ok(())
}

/// Appends data; the first piece, which mostly is the only one, without a copy.
fn append<T>(to: &mut Vec<T>, mut more: Vec<T>) {
    if to.is_empty() { *to = more } else { to.append(&mut more) }
}
