//! Medit's files: by hand, and round trips.

use formats::{Encoding, Fault, Format, FormatError, Input, Position, read};
use model::mesh::{Group, Mesh};

fn parse(bytes: &[u8]) -> Result<Mesh, FormatError> {
    read(&Input { name: "body.mesh", bytes, beside: &|_| Err("there is none".to_string()) })
}

const TEXT: &str = "MeshVersionFormatted 2
# a comment
Dimension
3
Geometry \"a file with Vertices 3\"
Vertices
5
0 0 0 0
1. 0 0 7
0 1D0 0 0
0 0 1 7 # of note
1 1 1 0
Corners
2
1
2
Tetrahedra 2
1 2 3 4 5
2 3 4 5 0
Triangles
1
1 2 3 5
Quadrilaterals
1
1 2 5 3 6
Edges
1
1 2 9
Hexahedra
0
SomethingNew
2
1.5 -3
4 5
End
";

fn expected() -> Mesh {
    let group = |nodes: &[u32], tets: &[u32], triangles: &[u32]| Group {
        nodes: nodes.to_vec(),
        tets: tets.to_vec(),
        triangles: triangles.to_vec(),
    };
    Mesh {
        points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0; 3]],
        tets: vec![[0, 1, 2, 3], [1, 2, 3, 4]],
        triangles: vec![[0, 1, 2], [0, 1, 4], [0, 4, 2]],
        edges: vec![[0, 1]],
        groups: [
            ("ref-5".to_string(), group(&[], &[0], &[0])),
            ("ref-6".to_string(), group(&[], &[], &[1, 2])),
            ("vertex-ref-7".to_string(), group(&[1, 3], &[], &[])),
        ]
        .into(),
        ..Mesh::default()
    }
}

#[test]
fn text_in_any_order_and_layout() {
    assert_eq!(parse(TEXT.as_bytes()), Ok(expected()));
    assert_eq!(parse(TEXT.replace('\n', "\r\n").as_bytes()), Ok(expected()));
    let (head, rest) = TEXT.split_once("Vertices\n").unwrap();
    let (vertices, rest) = rest.split_once("Corners").unwrap();
    let turned = format!("{head}Corners{}Vertices\n{vertices}\nEnd\n", rest.replace("End", ""));
    assert_eq!(parse(turned.as_bytes()), Ok(expected()), "elements before vertices");
}

#[test]
fn two_dimensions_lie_in_a_plane() {
    let text = "MeshVersionFormatted 1\nDimension 2\nVertices 3\n0 0 0\n1 0 0\n0 1 0\nTriangles 1\n1 2 3 0\nEnd";
    let mesh = parse(text.as_bytes()).unwrap();
    assert_eq!(mesh.points[2], [0.0, 1.0, 0.0]);
    assert_eq!(mesh.triangles, [[0, 1, 2]]);
}

/// The same mesh in binary.
fn binary(version: i32, big: bool) -> Vec<u8> {
    let bytes = |mut bytes: Vec<u8>| {
        if big {
            bytes.reverse();
        }
        bytes
    };
    let int = |value: i64| bytes((value as i32).to_le_bytes().to_vec());
    let integer = |value: i64| if version == 4 { bytes(value.to_le_bytes().to_vec()) } else { int(value) };
    let position = |value: usize| if version >= 3 { bytes(value.to_le_bytes().to_vec()) } else { int(value as i64) };
    let real = |x: f64| bytes(if version == 1 { (x as f32).to_le_bytes().to_vec() } else { x.to_le_bytes().to_vec() });
    let mut out = [int(1), int(version.into())].concat();
    let mut add = |code: i64, body: Vec<u8>| {
        let next = out.len() + 4 + position(0).len() + body.len();
        out.extend([int(code), position(next), body].concat());
    };
    let table = |rows: &[&[i64]]| {
        let numbers = rows.iter().flat_map(|row| row.iter().flat_map(|&value| integer(value)));
        integer(rows.len() as i64).into_iter().chain(numbers).collect::<Vec<u8>>()
    };
    add(3, int(3));
    add(8, table(&[&[1, 2, 3, 4, 5], &[2, 3, 4, 5, 0]]));
    let mut vertices = integer(5);
    for (point, reference) in expected().points.iter().zip([0, 7, 0, 7, 0]) {
        vertices.extend(point.iter().flat_map(|&x| real(x)).chain(integer(reference)));
    }
    add(4, vertices);
    add(77, vec![1, 2, 3]);
    add(10, table(&[]));
    add(6, table(&[&[1, 2, 3, 5]]));
    add(7, table(&[&[1, 2, 5, 3, 6]]));
    add(5, table(&[&[1, 2, 9]]));
    out.extend([int(54), position(0)].concat());
    out
}

#[test]
fn binary_of_every_version_and_byte_order() {
    for version in 1..=4 {
        for big in [false, true] {
            assert_eq!(parse(&binary(version, big)), Ok(expected()), "version {version}, big endian: {big}");
        }
    }
}

#[test]
fn there_and_back() {
    let mut mesh = expected();
    mesh.points[4] = [f64::MIN_POSITIVE, -1.0 / 3.0, 1e300];
    mesh.groups = [("all".to_string(), Group { tets: vec![1], ..Group::default() })].into();
    let mut back = mesh.clone();
    back.groups = [("ref-1".to_string(), Group { tets: vec![1], ..Group::default() })].into();
    for name in ["body.mesh", "body.meshb"] {
        let bytes = Format::of(name).unwrap().write.unwrap()(&mesh, Encoding::Binary);
        assert_eq!(parse(&bytes).as_ref(), Ok(&back), "{name}");
    }
}

#[test]
fn what_is_wrong_is_named() {
    let fault = |from: &str, to: &str| parse(TEXT.replace(from, to).as_bytes()).map_err(|e| (e.position, e.fault));
    let out = |what: &str, index| Fault::OutOfRange { what: format!("a vertex of {what}"), index, low: 1, high: 5 };
    assert_eq!(fault("2 3 4 5 0", "2 3 4 6 0"), Err((Position::Line(19), out("tet 2", 6))));
    assert_eq!(fault("2 3 4 5 0", "2 0 4 5 0"), Err((Position::Line(19), out("tet 2", 0))));
    assert!(matches!(fault("1. 0 0 7", "inf 0 0 7"), Err((Position::Line(9), Fault::NotFinite { .. }))));
    assert!(matches!(fault("Vertices\n5", "Vertices\n500000000"), Err((_, Fault::TooMany { .. }))));
    assert!(matches!(fault("Hexahedra\n0", "Hexahedra\n1"), Err((_, Fault::Unsupported { .. }))));
    assert!(matches!(fault("Vertices\n5", "Vertices\n4"), Err((_, Fault::Expected { .. }))));
    assert!(matches!(fault("MeshVersion", "Mesh"), Err((_, Fault::Expected { .. }))));
    // Truncated, or a keyword that points back: an error, never a loop.
    let sound = binary(3, false);
    for length in 0..sound.len() - 12 {
        assert!(parse(&sound[..length]).is_err(), "{length}");
    }
    let mut back = sound.clone();
    back[12..20].copy_from_slice(&8u64.to_le_bytes());
    assert!(matches!(
        parse(&back),
        Err(FormatError { position: Position::Byte(20), fault: Fault::OutOfRange { .. }, .. })
    ));
}
