//! Legacy VTK: text and binary, old and new lists of cells.

use formats::{FormatError, Input};
use model::mesh::Mesh;

fn read(bytes: &[u8]) -> Result<Mesh, FormatError> {
    formats::read(&Input { name: "a.vtk", bytes, beside: &|_| Err("nothing is beside it".to_string()) })
}

const POINTS: [f64; 15] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
/// A tet, a quad, a line, a polyline and a vertex.
const CELLS: [&[u64]; 5] = [&[0, 1, 2, 3], &[0, 1, 4, 2], &[3, 4], &[0, 1, 2], &[4]];
const KINDS: [u64; 5] = [10, 9, 3, 4, 1];

/// Writes numbers as text or with the high byte first.
fn numbers(out: &mut Vec<u8>, binary: bool, size: usize, numbers: impl IntoIterator<Item = u64>) {
    for number in numbers {
        match binary {
            true => out.extend(&number.to_be_bytes()[8 - size..]),
            false => out.extend(format!("{number} ").bytes()),
        }
    }
    out.push(b'\n');
}

fn cells(out: &mut Vec<u8>, keyword: &str, binary: bool, new: bool, cells: &[&[u64]]) {
    let size: usize = cells.iter().map(|cell| cell.len()).sum();
    if !new {
        out.extend(format!("{keyword} {} {}\n", cells.len(), size + cells.len()).bytes());
        let list = cells.iter().flat_map(|cell| std::iter::once(cell.len() as u64).chain(cell.iter().copied()));
        return numbers(out, binary, 4, list);
    }
    out.extend(format!("{keyword} {} {size}\nOFFSETS vtktypeint64\n", cells.len() + 1).bytes());
    let ends = cells.iter().scan(0, |end, cell| {
        *end += cell.len() as u64;
        Some(*end)
    });
    numbers(out, binary, 8, std::iter::once(0).chain(ends));
    out.extend(b"CONNECTIVITY vtktypeint64\n");
    numbers(out, binary, 8, cells.iter().flat_map(|cell| cell.iter().copied()));
}

fn head(binary: bool, new: bool, kind: &str) -> Vec<u8> {
    let (version, encoding) = (if new { "5.1" } else { "3.0" }, if binary { "BINARY" } else { "ASCII" });
    let mut out = format!(
        "# vtk DataFile Version {version}\nmade by hand\n{encoding}\nDATASET {kind}\nFIELD FieldData 1\nTIME 1 2 double\n"
    )
    .into_bytes();
    let time = if binary { [1.5f64.to_bits(), 2.5f64.to_bits()] } else { [1, 2] };
    numbers(&mut out, binary, 8, time);
    out.extend(b"METADATA\nINFORMATION 0\n\nPOINTS 5 double\n");
    numbers(&mut out, binary, 8, POINTS.iter().map(|x| if binary { x.to_bits() } else { *x as u64 }));
    out
}

fn grid(binary: bool, new: bool) -> Vec<u8> {
    let mut out = head(binary, new, "UNSTRUCTURED_GRID");
    cells(&mut out, "CELLS", binary, new, &CELLS);
    out.extend(b"CELL_TYPES 5\n");
    numbers(&mut out, binary, 4, KINDS);
    out.extend(b"POINT_DATA 5\nSCALARS anything goes here\n");
    out
}

#[test]
fn grids_are_read() {
    for (binary, new) in [(false, false), (false, true), (true, false), (true, true)] {
        let mesh = read(&grid(binary, new)).unwrap_or_else(|error| panic!("{binary} {new}: {error}"));
        assert_eq!(mesh.points.as_flattened(), POINTS);
        assert_eq!(mesh.tets, [[0, 1, 2, 3]]);
        assert_eq!(mesh.triangles, [[0, 1, 4], [0, 4, 2]]);
        assert_eq!(mesh.edges, [[3, 4], [0, 1], [1, 2]]);
    }
}

#[test]
fn polygons_are_read() {
    for (binary, new) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut file = head(binary, new, "POLYDATA");
        cells(&mut file, "VERTICES", binary, new, &[&[4]]);
        cells(&mut file, "LINES", binary, new, &[&[0, 1, 2]]);
        cells(&mut file, "POLYGONS", binary, new, &[&[0, 1, 2], &[0, 1, 2, 3, 4]]);
        cells(&mut file, "TRIANGLE_STRIPS", binary, new, &[&[0, 1, 2, 3, 4]]);
        let mesh = read(&file).unwrap_or_else(|error| panic!("{binary} {new}: {error}"));
        assert_eq!(mesh.edges, [[0, 1], [1, 2]]);
        let fans = [[0, 1, 2], [0, 1, 2], [0, 2, 3], [0, 3, 4]];
        assert_eq!(mesh.triangles, [&fans[..], &[[0, 1, 2], [2, 1, 3], [2, 3, 4]]].concat());
    }
}

#[test]
fn what_is_wrong_is_named() {
    let text = String::from_utf8(grid(false, false)).unwrap();
    for (from, to, parts) in [
        ("DataFile Version 3.0", "DataFile Version 7.0", ["version 7", "save it as", "line 1"]),
        ("ASCII", "TEXT", ["line 3", "ASCII or BINARY", "'TEXT'"]),
        ("UNSTRUCTURED_GRID", "STRUCTURED_POINTS", ["line 4", "STRUCTURED_POINTS", "save it as"]),
        ("POINTS 5", "POINTS 5000", ["line 11", "15000 numbers", "room for"]),
        ("POINTS 5", "POINTS -5", ["line 11", "the number of points", "'-5'"]),
        ("POINTS 5 double", "POINTS 5 quadruple", ["line 11", "type of numbers", "'quadruple'"]),
        ("0 0 0 1 0", "0 0 inf 1 0", ["line 12", "(number 2)", "'inf'"]),
        ("4 0 1 2 3", "4 0 1 2 5", ["line 13", "cell 0 is 5", "0 to 4"]),
        ("4 0 1 2 3", "3 0 1 2 3", ["line 13", "cell", "correct"]),
        ("4 0 1 2 3", "4 0 1 2 -3", ["line 14", "(number 4)", "'-3'"]),
        ("10 9 3 4 1", "10 9 3 4 13", ["line 13", "type 13", "wedge"]),
        ("10 9 3 4 1", "10 12 3 4 1", ["line 13", "hexahedron", "Tetrahedralize"]),
        ("10 9 3 4 1", "10 9 5 4 1", ["line 13", "cell 2", "triangle of 2 nodes"]),
        ("10 9 3 4 1", "10 9 3 4 999", ["line 16", "type of a cell (number 4)", "'999'"]),
        ("CELL_TYPES 5", "CELL_TYPES 4", ["line 16", "keyword", "'1'"]),
    ] {
        assert!(text.contains(from));
        let error = read(text.replacen(from, to, 1).as_bytes()).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{from} -> {to}: {error}");
    }
}

#[test]
fn nodes_of_no_cell_are_an_error() {
    let text = String::from_utf8(grid(false, true)).unwrap();
    let longer = text.replace("CELLS 6 14", "CELLS 6 15").replace("0 1 2 4 \n", "0 1 2 4 3 \n");
    assert_ne!(text, longer);
    let error = read(longer.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("end at 14") && error.contains("there are 15"), "{error}");
}

/// Files truncated anywhere and with any byte changed are errors or meshes, never a panic.
#[test]
fn broken_files_do_no_harm() {
    for (binary, new) in [(false, false), (false, true), (true, false), (true, true)] {
        let file = grid(binary, new);
        for at in 0..file.len() {
            let _ = read(&file[..at]);
            for change in [0x01, 0x10, 0x80, 0xff] {
                let mut broken = file.clone();
                broken[at] ^= change;
                if let Ok(mesh) = read(&broken) {
                    assert!(mesh.points.iter().flatten().all(|x| x.is_finite()));
                    assert!(mesh.tets.iter().flatten().all(|&i| (i as usize) < mesh.points.len()));
                }
            }
        }
    }
}
