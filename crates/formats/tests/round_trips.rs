//! From every format to every other and back into a mesh, in both encodings: what both support comes back, coordinates
//! to the bit.

use formats::{Encoding, FORMATS, Format, Groups, Input};
use model::mesh::generate::{Generator, Value};
use model::mesh::{Group, Mesh};
use std::collections::BTreeMap;

fn generated(name: &str, numbers: &[(&str, f64)]) -> Mesh {
    let given = numbers.iter().map(|(key, n)| (key.to_string(), Value::Numbers(vec![*n]))).collect();
    let mut mesh = Generator::find(name).unwrap().mesh(&given).unwrap();
    // No format has these.
    (mesh.shear, mesh.bends) = (Vec::new(), Vec::new());
    mesh
}

fn group(nodes: &[u32], tets: &[u32], triangles: &[u32]) -> Group {
    Group { nodes: nodes.to_vec(), tets: tets.to_vec(), triangles: triangles.to_vec() }
}

/// Tets, triangles and edges, with coordinates that are hard to write.
fn mixed() -> Mesh {
    Mesh {
        points: vec![
            [0.0, -0.0, 5e-324],
            [1.0 / 3.0, 1e-300, 0.1],
            [0.1 + 0.2, 1e30, 0.0],
            [f64::MIN_POSITIVE, 2.0, 1.0 + f64::EPSILON],
            [123_456_789.123_456_7, -1e-7, 1e22],
            [7.0, 7.0, 7.0],
        ],
        tets: vec![[0, 1, 2, 3], [4, 3, 2, 1], [0, 1, 2, 5]],
        triangles: vec![[0, 1, 5], [5, 4, 3], [0, 1, 5]],
        edges: vec![[3, 4], [5, 0]],
        ..Mesh::default()
    }
}

fn meshes() -> Vec<(&'static str, Mesh)> {
    let mut solid = generated("bar", &[("cells_along", 4.0), ("cells_across", 2.0)]);
    solid.group_tets("jaw", vec![3, 4, 5]);
    let mut groups = mixed();
    groups.groups = BTreeMap::from([
        ("overlapping".to_string(), group(&[0, 5], &[0, 1], &[1])),
        ("overlapping too".to_string(), group(&[5], &[1, 2], &[0, 1])),
        ("one triangle".to_string(), group(&[], &[], &[2])),
        ("empty".to_string(), Group::default()),
    ]);
    let mut names = mixed();
    for (i, name) in
        ["a b", "\"quoted\"", "'", "größe ∂Ω 中文", "a & <b>", "#1", " blank at the ends ", "$Nodes", "1 2 \"3\"", "-"]
            .into_iter()
            .enumerate()
    {
        names.groups.insert(name.to_string(), group(&[i as u32 % 6], &[i as u32 % 3], &[i as u32 % 3]));
    }
    vec![
        ("solid", solid),
        ("cloth", generated("cloth", &[])),
        ("rope", generated("chain", &[("links", 5.0)])),
        ("mixed", mixed()),
        ("points", Mesh { points: mixed().points, ..Mesh::default() }),
        ("groups", groups),
        ("names", names),
    ]
}

/// Comparable content of a mesh: elements by the bits of their corners, however nodes are numbered.
#[derive(Debug, PartialEq)]
struct Content {
    points: Vec<[u64; 3]>,
    tets: Vec<[[u64; 3]; 4]>,
    triangles: Vec<[[u64; 3]; 3]>,
    edges: Vec<[[u64; 3]; 2]>,
    groups: BTreeMap<String, Group>,
    /// Groups by the corners of their triangles.
    faces: BTreeMap<String, Vec<[[u64; 3]; 3]>>,
}

/// Returns the content of a mesh that two formats support.
fn content(mesh: &Mesh, [a, b]: [&Format; 2]) -> Content {
    let solid = a.holds.tets && b.holds.tets;
    let exact = a.holds.exact && b.holds.exact;
    // STL makes one point of 0 and -0.
    let bits = |x: f64| if exact { x.to_bits() } else { f64::from(x as f32 + 0.0).to_bits() };
    let points: Vec<[u64; 3]> = mesh.points.iter().map(|point| point.map(bits)).collect();
    let corner = |i: u32| points[i as usize];
    // Formats without tets have their boundary.
    let mut triangles = if solid { Vec::new() } else { mesh.boundary_triangles() };
    let boundary = triangles.len();
    triangles.extend_from_slice(&mesh.triangles);
    let triangles: Vec<_> = triangles.iter().map(|nodes| nodes.map(corner)).collect();
    let named = [a, b].iter().all(|format| matches!(format.holds.groups, Groups::Named | Groups::OfTriangles));
    let mut faces: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for (name, group) in mesh.groups.iter().filter(|(_, group)| named && !group.triangles.is_empty()) {
        // Names of OBJ are words.
        let word = name.replace(|c: char| c.is_whitespace() || c == '#', "_");
        let list = group.triangles.iter().map(|&i| triangles[boundary + i as usize]);
        faces.entry(if solid { name.clone() } else { word }).or_default().extend(list);
    }
    let edges = if a.holds.edges && b.holds.edges { mesh.edges.as_slice() } else { &[] };
    Content {
        tets: if solid { mesh.tets.iter().map(|nodes| nodes.map(corner)).collect() } else { Vec::new() },
        edges: edges.iter().map(|nodes| nodes.map(corner)).collect(),
        groups: if named && solid { mesh.groups.clone() } else { BTreeMap::new() },
        points: if solid { points } else { Vec::new() },
        triangles,
        faces,
    }
}

fn pass(mesh: &Mesh, format: &Format, encoding: Encoding) -> Result<Mesh, String> {
    let bytes = format.write.unwrap()(mesh, encoding);
    let name = format!("a.{}", format.extensions[0]);
    let beside = |_: &str| Err("nothing is beside it".to_string());
    formats::read(&Input { name: &name, bytes: &bytes, beside: &beside }).map_err(|error| error.to_string())
}

#[test]
fn what_both_formats_hold_comes_back() {
    let writable: Vec<&Format> = FORMATS.iter().filter(|format| format.write.is_some()).collect();
    let encodings = [Encoding::Binary, Encoding::Ascii];
    let mut pairs = 0;
    for (what, mesh) in meshes() {
        for a in &writable {
            for b in &writable {
                let expected = content(&mesh, [a, b]);
                // An empty surface is not a valid file.
                let nothing = expected.points.is_empty() && expected.triangles.is_empty() && expected.edges.is_empty();
                for (first, second) in encodings.iter().flat_map(|first| encodings.map(|second| (*first, second))) {
                    if nothing {
                        continue;
                    }
                    let way = format!("{what}: {} {first:?}, {} {second:?}", a.name, b.name);
                    let there = pass(&mesh, a, first).unwrap_or_else(|error| panic!("{way}: {error}"));
                    let back = pass(&there, b, second).unwrap_or_else(|error| panic!("{way}: {error}"));
                    let found = content(&back, [a, b]);
                    for (part, same) in [
                        ("points", found.points == expected.points),
                        ("tets", found.tets == expected.tets),
                        ("triangles", found.triangles == expected.triangles),
                        ("edges", found.edges == expected.edges),
                        ("groups", found.groups == expected.groups),
                        ("groups of triangles", found.faces == expected.faces),
                    ] {
                        assert!(same, "{way}: {part} differ\n{found:?}\n{expected:?}");
                    }
                    pairs += 1;
                }
            }
        }
    }
    println!("{pairs} round trips");
    assert!(pairs > 1000, "{pairs}");
}
