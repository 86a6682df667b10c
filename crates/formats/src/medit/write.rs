//! Writing Medit's meshes.

use std::fmt::Write;

use model::mesh::{Group, Mesh};

/// Returns the reference of each of `count` things: the position, from 1, of the first group that holds it; 0 without.
pub(crate) fn references(mesh: &Mesh, count: usize, list: fn(&Group) -> &[u32]) -> Vec<i32> {
    let mut references = vec![0; count];
    for (group, reference_of_group) in mesh.groups.values().zip(1..) {
        for &member in list(group) {
            if let Some(reference @ 0) = references.get_mut(member as usize) {
                *reference = reference_of_group;
            }
        }
    }
    references
}

/// Writes text.
pub(super) fn text(mesh: &Mesh) -> Vec<u8> {
    let mut out = String::from("MeshVersionFormatted 2\nDimension 3\n");
    for (name, reference) in mesh.groups.keys().zip(1..) {
        let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        line(&mut out, format_args!("# reference {reference}: {name}"));
    }
    line(&mut out, format_args!("Vertices\n{}", mesh.points.len()));
    for ([x, y, z], reference) in mesh.points.iter().zip(references(mesh, mesh.points.len(), |group| &group.nodes)) {
        line(&mut out, format_args!("{x:?} {y:?} {z:?} {reference}"));
    }
    text_cells(&mut out, "Edges", &mesh.edges, &vec![0; mesh.edges.len()]);
    let of_triangles = references(mesh, mesh.triangles.len(), |group| &group.triangles);
    text_cells(&mut out, "Triangles", &mesh.triangles, &of_triangles);
    let of_tets = references(mesh, mesh.tets.len(), |group| &group.tets);
    text_cells(&mut out, "Tetrahedra", &mesh.tets, &of_tets);
    out.push_str("End\n");
    out.into_bytes()
}

fn line(out: &mut String, arguments: std::fmt::Arguments) {
    // Writing to memory cannot fail.
    let _ = writeln!(out, "{arguments}");
}

fn text_cells<const N: usize>(out: &mut String, keyword: &str, cells: &[[u32; N]], references: &[i32]) {
    if cells.is_empty() {
        return;
    }
    line(out, format_args!("{keyword}\n{}", cells.len()));
    for (nodes, reference) in cells.iter().zip(references) {
        for node in nodes {
            let _ = write!(out, "{} ", node + 1);
        }
        line(out, format_args!("{reference}"));
    }
}

/// Writes version 3 of the binary files: doubles, integers of 32 bits, positions of 64.
pub(super) fn binary(mesh: &Mesh) -> Vec<u8> {
    let mut out = Vec::new();
    integers(&mut out, &[1, 3]);
    keyword(&mut out, 3, |out| integers(out, &[3]));
    keyword(&mut out, 4, |out| {
        integers(out, &[mesh.points.len() as i32]);
        for (point, reference) in mesh.points.iter().zip(references(mesh, mesh.points.len(), |group| &group.nodes)) {
            point.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
            integers(out, &[reference]);
        }
    });
    binary_cells(&mut out, 5, &mesh.edges, &vec![0; mesh.edges.len()]);
    binary_cells(&mut out, 6, &mesh.triangles, &references(mesh, mesh.triangles.len(), |group| &group.triangles));
    binary_cells(&mut out, 8, &mesh.tets, &references(mesh, mesh.tets.len(), |group| &group.tets));
    integers(&mut out, &[54]);
    out.extend_from_slice(&0u64.to_le_bytes());
    out
}

fn integers(out: &mut Vec<u8>, values: &[i32]) {
    values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
}

/// Writes a keyword, the position of the next, and the data between.
fn keyword(out: &mut Vec<u8>, code: i32, body: impl FnOnce(&mut Vec<u8>)) {
    integers(out, &[code]);
    let start = out.len();
    out.extend_from_slice(&[0; 8]);
    body(out);
    let next = out.len() as u64;
    out[start..start + 8].copy_from_slice(&next.to_le_bytes());
}

fn binary_cells<const N: usize>(out: &mut Vec<u8>, code: i32, cells: &[[u32; N]], references: &[i32]) {
    if cells.is_empty() {
        return;
    }
    keyword(out, code, |out| {
        integers(out, &[cells.len() as i32]);
        for (nodes, &reference) in cells.iter().zip(references) {
            nodes.iter().for_each(|node| integers(out, &[*node as i32 + 1]));
            integers(out, &[reference]);
        }
    });
}
