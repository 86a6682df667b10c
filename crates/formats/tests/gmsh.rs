//! Gmsh's files: by hand, and round trips.

use formats::{Encoding, Fault, Format, FormatError, Input, Position, read};
use model::mesh::{Group, Mesh};

fn parse(bytes: &[u8]) -> Result<Mesh, FormatError> {
    read(&Input { name: "body.msh", bytes, beside: &|_| Err("there is none".to_string()) })
}

fn write(mesh: &Mesh, encoding: Encoding) -> Vec<u8> {
    let format = Format::of("body.msh").unwrap();
    format.write.unwrap()(mesh, encoding)
}

const TEXT_2: &str = r#"$MeshFormat
2.2 0 8
$EndMeshFormat
$Comments
anything $Nodes
$EndComments
$PhysicalNames
3
0 7 "tip"
2 3 "the skin"
3 1 "flesh"
$EndPhysicalNames
$Nodes
5
10 0 0 0
20 1 0 0
30 0 1 0
40 0 0 1
1000000000000 1.0 1.0 1e0
$EndNodes
$Elements
6
1 15 2 7 1 10
2 1 2 9 1 10 20
3 2 2 3 1 10 20 30
4 3 2 3 1 10 20 1000000000000 30
5 4 2 1 1 10 20 30 40
6 4 4 5 1 1 1 20 30 40 1000000000000
$EndElements
$NodeData
whatever
$EndNodeData
"#;

const TEXT_4: &str = r#"$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
3
0 7 "tip"
2 3 "the skin"
3 1 "flesh"
$EndPhysicalNames
$Entities
1 1 1 2
1 0 0 0 1 7
1 0 0 0 1 0 0 1 9 0
1 0 0 0 1 1 0 1 -3 1 1
1 0 0 0 1 1 1 1 1 1 1
2 0 0 0 1 1 1 1 5 0
$EndEntities
$Nodes
2 5 10 1000000000000
0 1 0 1
10
0 0 0
2 1 1 4
20
30
40
1000000000000
1 0 0 0.5 0.5
0 1 0 0.5 0.5
0 0 1 0.5 0.5
1 1 1 0.5 0.5
$EndNodes
$Elements
6 6 1 6
0 1 15 1
1 10
1 1 1 1
2 10 20
2 1 2 1
3 10 20 30
2 1 3 1
4 10 20 1000000000000 30
3 1 4 1
5 10 20 30 40
3 2 4 1
6 20 30 40 1000000000000
$EndElements
$Periodic
0
$EndPeriodic
"#;

fn expected() -> Mesh {
    let mut mesh = Mesh {
        points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0; 3]],
        tets: vec![[0, 1, 2, 3], [1, 2, 3, 4]],
        triangles: vec![[0, 1, 2], [0, 1, 4], [0, 4, 2]],
        edges: vec![[0, 1]],
        ..Mesh::default()
    };
    let mut group = |name: &str, nodes: &[u32], tets: &[u32], triangles: &[u32]| {
        let group = Group { nodes: nodes.to_vec(), tets: tets.to_vec(), triangles: triangles.to_vec() };
        mesh.groups.insert(name.to_string(), group);
    };
    group("tip", &[0], &[], &[]);
    group("physical-9", &[0, 1], &[], &[]);
    group("the skin", &[], &[], &[0, 1, 2]);
    group("flesh", &[], &[0], &[]);
    group("physical-5", &[], &[1], &[]);
    mesh
}

#[test]
fn text_of_both_versions() {
    for text in [TEXT_2, TEXT_4] {
        assert_eq!(parse(text.as_bytes()), Ok(expected()));
        assert_eq!(parse(text.replace('\n', "\r\n").as_bytes()), Ok(expected()));
        assert_eq!(parse(text.replace("\n", " \n\n ").as_bytes()), Ok(expected()), "rows need not be neat");
    }
}

#[test]
fn copies_for_several_groups_are_one_element() {
    let text = TEXT_2.replace("$Elements\n6", "$Elements\n9").replace(
        "6 4 4 5 1 1 1 20 30 40 1000000000000\n",
        "6 4 4 5 1 1 1 20 30 40 1000000000000\n7 4 2 1 1 20 30 40 1000000000000\n8 4 2 1 1 40 30 20 10\n\
         9 4 2 1 1 40 30 20 10\n",
    );
    let mesh = parse(text.as_bytes()).unwrap();
    assert_eq!(mesh.tets, [[0, 1, 2, 3], [1, 2, 3, 4], [3, 2, 1, 0], [3, 2, 1, 0]], "twice in one group stays twice");
    assert_eq!((&mesh.groups["flesh"].tets[..], &mesh.groups["physical-5"].tets[..]), (&[0, 1, 2, 3][..], &[1][..]));
    assert_eq!(mesh.groups["the skin"], expected().groups["the skin"]);
}

/// Numbers in either byte order.
struct Bytes {
    bytes: Vec<u8>,
    big: bool,
}

impl Bytes {
    fn text(&mut self, text: &str) -> &mut Bytes {
        self.bytes.extend_from_slice(text.as_bytes());
        self
    }

    fn push<const N: usize>(&mut self, mut bytes: [u8; N]) {
        if self.big {
            bytes.reverse();
        }
        self.bytes.extend_from_slice(&bytes);
    }

    fn ints(&mut self, values: &[i32]) -> &mut Bytes {
        values.iter().for_each(|value| self.push(value.to_le_bytes()));
        self
    }

    fn sizes(&mut self, values: &[u64]) -> &mut Bytes {
        values.iter().for_each(|value| self.push(value.to_le_bytes()));
        self
    }

    fn reals(&mut self, values: &[f64]) -> &mut Bytes {
        values.iter().for_each(|value| self.push(value.to_le_bytes()));
        self
    }
}

const NAMES: &str = "$PhysicalNames\n3\n0 7 \"tip\"\n2 3 \"the skin\"\n3 1 \"flesh\"\n$EndPhysicalNames\n";

fn binary_2(big: bool) -> Vec<u8> {
    let mut out = Bytes { bytes: Vec::new(), big };
    out.text("$MeshFormat\n2.2 1 8\n").ints(&[1]).text("\n$EndMeshFormat\n").text(NAMES).text("$Nodes\n5\n");
    for (i, point) in expected().points.iter().enumerate() {
        out.ints(&[10 * (i as i32 + 1)]).reals(point);
    }
    out.text("\n$EndNodes\n$Elements\n6\n");
    out.ints(&[15, 1, 2, 1, 7, 1, 10]);
    out.ints(&[1, 1, 2, 2, 9, 1, 10, 20]);
    out.ints(&[2, 1, 2, 3, 3, 1, 10, 20, 30]);
    out.ints(&[3, 1, 2, 4, 3, 1, 10, 20, 50, 30]);
    out.ints(&[4, 2, 2, 5, 1, 1, 10, 20, 30, 40, 6, 5, 1, 20, 30, 40, 50]);
    out.text("\n$EndElements\n");
    out.bytes
}

fn binary_4(big: bool) -> Vec<u8> {
    let mut out = Bytes { bytes: Vec::new(), big };
    out.text("$MeshFormat\n4.1 1 8\n").ints(&[1]).text("\n$EndMeshFormat\n").text(NAMES).text("$Entities\n");
    out.sizes(&[1, 1, 1, 2]).ints(&[1]).reals(&[0.0; 3]).sizes(&[1]).ints(&[7]);
    for tag in [9, 3, 1] {
        out.ints(&[1]).reals(&[0.0; 6]).sizes(&[1]).ints(&[tag]).sizes(&[1]).ints(&[1]);
    }
    out.ints(&[2]).reals(&[0.0; 6]).sizes(&[1]).ints(&[5]).sizes(&[0]);
    out.text("\n$EndEntities\n$Nodes\n").sizes(&[1, 5, 10, 50]).ints(&[3, 1, 1]).sizes(&[5, 10, 20, 30, 40, 50]);
    for point in &expected().points {
        out.reals(point).reals(&[0.1, 0.2, 0.3]);
    }
    out.text("\n$EndNodes\n$Elements\n").sizes(&[6, 6, 1, 6]);
    out.ints(&[0, 1, 15]).sizes(&[1, 1, 10]);
    out.ints(&[1, 1, 1]).sizes(&[1, 2, 10, 20]);
    out.ints(&[2, 1, 2]).sizes(&[1, 3, 10, 20, 30]);
    out.ints(&[2, 1, 3]).sizes(&[1, 4, 10, 20, 50, 30]);
    out.ints(&[3, 1, 4]).sizes(&[1, 5, 10, 20, 30, 40]);
    out.ints(&[3, 2, 4]).sizes(&[1, 6, 20, 30, 40, 50]);
    out.text("\n$EndElements\n");
    out.bytes
}

#[test]
fn binary_of_both_versions_and_byte_orders() {
    for big in [false, true] {
        assert_eq!(parse(&binary_2(big)), Ok(expected()), "2.2, big endian: {big}");
        assert_eq!(parse(&binary_4(big)), Ok(expected()), "4.1, big endian: {big}");
    }
}

#[test]
fn there_and_back_with_groups_that_overlap() {
    let mut mesh = expected();
    mesh.groups.insert("all".into(), Group { nodes: vec![0, 2, 4], tets: vec![0, 1], triangles: vec![1] });
    mesh.groups.insert("none".into(), Group::default());
    mesh.points[4] = [f64::MIN_POSITIVE, -1.0 / 3.0, 1e300];
    for mesh in [mesh, expected(), Mesh { points: vec![[1.0; 3]], ..Mesh::default() }, Mesh::default()] {
        for encoding in [Encoding::Ascii, Encoding::Binary] {
            let bytes = write(&mesh, encoding);
            assert_eq!(parse(&bytes).as_ref(), Ok(&mesh), "{encoding:?}: {}", String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn cut_anywhere_is_an_error() {
    for bytes in [TEXT_2.into(), TEXT_4.into(), binary_2(false), binary_4(true)] {
        let bytes: Vec<u8> = bytes;
        for length in 0..bytes.len() - 20 {
            if let Ok(mesh) = parse(&bytes[..length]) {
                // Between two sections nothing shows that more was to come.
                assert!(bytes[..length].trim_ascii_end().ends_with(b"s") || mesh == expected(), "{length}");
            }
        }
    }
}

#[test]
fn what_is_wrong_is_named() {
    let fault = |text: String| parse(text.as_bytes()).map_err(|error| (error.position, error.fault));
    assert_eq!(
        fault(TEXT_2.replace("5 4 2 1 1 10 20 30 40", "5 4 2 1 1 10 20 30 41")),
        Err((
            Position::Line(27),
            Fault::Contradiction {
                what: "tet 5 names node 41, which the file does not have".into(),
                cure: "add the node, or correct the number".into()
            }
        ))
    );
    assert_eq!(
        fault(TEXT_4.replace("5 10 20 30 40", "5 10 20 30 4")),
        Err((
            Position::Line(44),
            Fault::OutOfRange { what: "a node of tet 5".into(), index: 4, low: 10, high: 1_000_000_000_000 }
        ))
    );
    assert!(matches!(
        fault(TEXT_4.replace("0 1 0 0.5 0.5", "0 nan 0 0.5 0.5")),
        Err((Position::Line(29), Fault::NotFinite { what, .. })) if what == "the y coordinate of node 30"
    ));
    assert!(matches!(
        fault(TEXT_2.replace("$Elements\n6", "$Elements\n600000000")),
        Err((_, Fault::TooMany { count: 600_000_000, .. }))
    ));
    assert!(matches!(fault(TEXT_2.replace("$Elements\n6", "$Elements\n5")), Err((_, Fault::Expected { .. }))));
    assert!(matches!(fault(TEXT_4.replace("6 6 1 6", "6 7 1 6")), Err((_, Fault::Contradiction { .. }))));
    assert!(matches!(
        fault(TEXT_2.replace("5 4 2 1 1", "5 5 2 1 1")),
        Err((Position::Line(27), Fault::Unsupported { .. }))
    ));
    assert!(matches!(fault(TEXT_4.replace("3 2 4 1", "3 2 11 1")), Err((_, Fault::Unsupported { .. }))));
    assert!(matches!(fault(TEXT_4.replace("4.1 0 8", "4 0 8")), Err((Position::Line(2), Fault::Unsupported { .. }))));
    assert!(matches!(fault(TEXT_2.replace("20 1 0 0", "30 1 0 0")), Err((_, Fault::Contradiction { .. }))));
    let mut marked = binary_2(false);
    marked[20] = 9;
    assert!(matches!(
        parse(&marked),
        Err(FormatError { position: Position::Byte(_), fault: Fault::Expected { .. }, .. })
    ));
}
