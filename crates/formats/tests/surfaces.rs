//! OBJ, PLY and STL: round trips, and variants of other programs.

use formats::{Encoding, Fault, Format, FormatError, Input};
use model::mesh::{Group, Mesh};

fn read(name: &str, bytes: &[u8]) -> Result<Mesh, FormatError> {
    formats::read(&Input { name, bytes, beside: &|_| Err("nothing is beside it".to_string()) })
}

fn write(name: &str, mesh: &Mesh, encoding: Encoding) -> Vec<u8> {
    Format::of(name).unwrap().write.unwrap()(mesh, encoding)
}

/// Two triangles of three points that are exact in single precision, and an edge.
fn sheet() -> Mesh {
    Mesh {
        points: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.5, 0.25, 1e-3f32.into()]],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..Mesh::default()
    }
}

#[test]
fn surfaces_come_back() {
    for encoding in [Encoding::Binary, Encoding::Ascii] {
        let mut mesh = sheet();
        assert_eq!(read("a.stl", &write("a.stl", &mesh, encoding)).unwrap(), mesh, "{encoding:?}");
        mesh.points[1] = [1.0 / 3.0, 1e-300, -1e300];
        mesh.edges = vec![[3, 1]];
        assert_eq!(read("a.ply", &write("a.ply", &mesh, encoding)).unwrap(), mesh, "{encoding:?}");
        mesh.groups.insert("one".into(), Group { triangles: vec![0], ..Group::default() });
        mesh.groups.insert("two".into(), Group { triangles: vec![0, 1], ..Group::default() });
        assert_eq!(read("a.obj", &write("a.obj", &mesh, encoding)).unwrap(), mesh, "{encoding:?}");
    }
}

/// For a solid the boundary is written, without unused points.
#[test]
fn solids_are_written_by_their_boundary() {
    let mut mesh = sheet();
    mesh.points.insert(0, [9.0; 3]);
    mesh.triangles.clear();
    mesh.tets = vec![[1, 2, 3, 4]];
    for name in ["a.obj", "a.ply", "a.stl"] {
        let back = read(name, &write(name, &mesh, Encoding::Binary)).unwrap();
        assert_eq!(back.triangles.len(), 4, "{name}");
        assert_eq!(back.points.len(), 4, "{name}");
        assert!(back.points.iter().all(|point| point[0] < 9.0));
        if name != "a.stl" {
            let boundary: Vec<_> = mesh.boundary_triangles().iter().map(|t| t.map(|i| i - 1)).collect();
            assert_eq!((back.points, back.triangles), (mesh.points[1..].to_vec(), boundary), "{name}");
        }
    }
}

#[test]
fn obj_in_all_its_forms() {
    let text = b"# made by hand\r\nmtllib a.mtl\r\no two parts\r\nv 0 0 0\r\nv 1 0 0 1.0\r\nv 1 1 0 0.5 0.5 0.5\r\n\
        v 0 1 \\\r\n 0\r\nvt 0 0\r\nvn 0 0 1\r\ng front back\r\ns off\r\nf 1/1/1 2//1 3/1 4\r\ng\r\nf -4 -2 -1 # last\r\n\
        o other\r\nl 1 2 3\r\np 1\r\nf 1 2 5\r\nv 0 0 1\r\n";
    let mesh = read("a.obj", text).unwrap();
    assert_eq!(mesh.points.len(), 5);
    assert_eq!(mesh.points[3], [0.0, 1.0, 0.0]);
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 2, 3], [0, 1, 4]]);
    assert_eq!(mesh.edges, [[0, 1], [1, 2]]);
    let triangles = |name: &str| mesh.groups[name].triangles.clone();
    assert_eq!(triangles("front"), [0, 1]);
    assert_eq!(triangles("back"), [0, 1]);
    assert_eq!(triangles("two parts"), [0, 1, 2]);
    assert_eq!(triangles("other"), [3]);
}

#[test]
fn ply_in_all_its_forms() {
    let head = |format: &str| {
        format!(
            "ply\r\nformat {format} 1.0\r\ncomment by hand\r\nelement camera 1\r\nproperty list uchar float view\r\n\
             property short k\r\nelement vertex 4\r\nproperty float x\r\nproperty uchar red\r\nproperty double y\r\n\
             property list uchar int marks\r\nproperty float z\r\nelement face 1\r\nproperty uchar flag\r\n\
             property list uint8 uint32 vertex_index\r\nelement tristrips 1\r\nproperty list int int vertex_indices\r\n\
             element edge 1\r\nproperty int vertex1\r\nproperty int vertex2\r\nend_header\r\n"
        )
    };
    let text = head("ascii")
        + "2 0.5 0.5 7\r\n0 255 0 0 0\r\n1 0 0 1 5 0\r\n1 0 1 2 3 4 0\r\n0 0 1 0 0.5\r\n1 4 0 1 2 3\r\n7 0 1 2 -1 1 2 3\r\n3 0";
    let expected = read("a.ply", text.as_bytes()).unwrap();
    assert_eq!(expected.points, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.5]]);
    assert_eq!(expected.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2], [1, 2, 3]]);
    assert_eq!(expected.edges, [[3, 0]]);
    for (format, big) in [("binary_little_endian", false), ("binary_big_endian", true)] {
        let mut file = head(format).into_bytes();
        let mut put = |bytes: &[u8]| match big {
            true => file.extend(bytes.iter().rev()),
            false => file.extend(bytes),
        };
        put(&[2]);
        put(&0.5f32.to_le_bytes());
        put(&0.5f32.to_le_bytes());
        put(&7i16.to_le_bytes());
        for (i, [x, y, z]) in expected.points.iter().enumerate() {
            put(&(*x as f32).to_le_bytes());
            put(&[9]);
            put(&y.to_le_bytes());
            put(&[i as u8]);
            (0..i).for_each(|_| put(&7i32.to_le_bytes()));
            put(&(*z as f32).to_le_bytes());
        }
        put(&[1]);
        put(&[4]);
        [0u32, 1, 2, 3].iter().for_each(|i| put(&i.to_le_bytes()));
        [7, 0, 1, 2, -1, 1, 2, 3, 3, 0].iter().for_each(|i: &i32| put(&i.to_le_bytes()));
        assert_eq!(read("a.ply", &file).unwrap(), expected, "{format}");
    }
}

#[test]
fn stl_in_all_its_forms() {
    let facet =
        "facet normal 0 0 1\n outer loop\n vertex 0 0 0\n vertex 1e0 0 -0.0\n VERTEX 0 1 0\n endloop\nendfacet\n";
    let one = format!("solid part\r\n{facet}endsolid part\r\n");
    let mesh = read("a.stl", one.as_bytes()).unwrap();
    assert_eq!((mesh.points.len(), mesh.triangles.clone(), mesh.groups.len()), (3, vec![[0, 1, 2]], 0));
    let two = read("a.stl", format!("solid first part\n{facet}endsolid\n\nsolid\n{facet}endsolid").as_bytes()).unwrap();
    // The second solid has the same corners.
    assert_eq!((two.points.len(), two.triangles), (3, vec![[0, 1, 2], [0, 1, 2]]));
    assert_eq!(two.groups["first part"].triangles, [0]);
    assert_eq!(two.groups["solid-2"].triangles, [1]);

    // A binary file that begins like a text.
    let mut binary = write("a.stl", &sheet(), Encoding::Binary);
    binary[..11].copy_from_slice(b"solid title");
    assert_eq!(read("a.stl", &binary).unwrap(), sheet());
    assert!(matches!(read("a.stl", &binary[..binary.len() - 1]).unwrap_err().fault, Fault::TooMany { .. }));
    binary[84 + 12..84 + 16].copy_from_slice(&f32::NAN.to_le_bytes());
    let error = read("a.stl", &binary).unwrap_err().to_string();
    assert!(error.contains("byte 96") && error.contains("triangle 0"), "{error}");
}

#[test]
fn what_is_wrong_is_named() {
    let ply = |head: &str, body: &str| format!("ply\nformat ascii 1.0\n{head}end_header\n{body}");
    let vertices = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
    let faces = format!("{vertices}element face 1\nproperty list uchar int vertex_indices\n");
    let points = "0 0 0\n1 0 0\n0 1 0\n";
    for (name, text, parts) in [
        ("a.obj", "v 0 0 0\nf 1 1 2\n".to_string(), ["line 2", "is 2", "1 to 1"]),
        ("a.obj", "v 0 0 0\nf 1 0 1\n".to_string(), ["line 2", "is 0", "count from 1"]),
        ("a.obj", "v 0 0 0\nf 1 -2 1\n".to_string(), ["line 2", "is -2", "-1 to -1"]),
        ("a.obj", "v 0 0 0\nf 1 1\n".to_string(), ["line 2", "3 vertices or more", "'2'"]),
        ("a.obj", "v 0 0 inf\n".to_string(), ["line 1", "z coordinate of vertex 1", "inf"]),
        ("a.obj", "v 0 zero 0\n".to_string(), ["line 1", "y coordinate of vertex 1", "'zero'"]),
        ("a.obj", "v 0 0 0\nsurf 0 1 0 1 1 2\n".to_string(), ["line 2", "'surf'", "export polygons"]),
        ("a.obj", "\u{1}\u{2}nothing".to_string(), ["line 1", "keyword of OBJ", "??nothing"]),
        ("a.ply", ply(&faces, &format!("{points}3 0 1 3\n")), ["line 13", "face 0 is 3", "0 to 2"]),
        ("a.ply", ply(&faces, &format!("{points}2 0 1\n")), ["line 13", "face 0", "'2'"]),
        ("a.ply", ply(&faces, &format!("{points}3 0 1\n")), ["line 14", "vertex_indices of face 0", "cut off"]),
        ("a.ply", ply(vertices, "0 0 0\n0 nan 0\n0 0 0\n"), ["line 9", "y of vertex 1", "NaN"]),
        (
            "a.ply",
            ply(&vertices.replace('3', "4000000000"), points),
            ["4000000000 elements of the kind vertex", "room for", "cut off"],
        ),
        ("a.ply", ply(&faces, &format!("{points}1e15 0 1\n")), ["line 13", "face 0", "room for"]),
        ("a.ply", ply(&vertices.replace("float z", "float w"), points), ["property z", "vertex", "line 8"]),
        ("a.stl", "solid a\nfacet normal 0 0 1\nouter ring".to_string(), ["line 3", "loop", "'ring'"]),
        ("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x".to_string(), ["line 4", "triangle 0", "'x'"]),
    ] {
        let error = read(name, text.as_bytes()).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{name} {text}: {error}");
    }
}

/// Files truncated anywhere and with any byte changed are errors or meshes with everything in range, never a panic.
#[test]
fn broken_files_do_no_harm() {
    let mut mesh = sheet();
    mesh.edges = vec![[3, 1]];
    mesh.groups.insert("one".into(), Group { triangles: vec![0], ..Group::default() });
    for name in ["a.obj", "a.ply", "a.stl"] {
        for encoding in [Encoding::Binary, Encoding::Ascii] {
            let file = write(name, &mesh, encoding);
            for length in 0..file.len() {
                let _ = read(name, &file[..length]);
            }
            for at in 0..file.len() {
                for change in [0x01, 0x10, 0x80, 0xff] {
                    let mut broken = file.clone();
                    broken[at] ^= change;
                    if let Ok(mesh) = read(name, &broken) {
                        assert!(mesh.points.iter().flatten().all(|x| x.is_finite()));
                        let nodes = mesh.triangles.iter().flatten().chain(mesh.edges.iter().flatten());
                        assert!(nodes.into_iter().all(|&i| (i as usize) < mesh.points.len()));
                    }
                }
            }
        }
    }
}
