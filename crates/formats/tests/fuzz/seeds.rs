//! Valid files of every format and encoding, to be changed.

use formats::{Encoding, FORMATS};
use model::mesh::{Group, Mesh};
use std::path::Path;

/// A file, and the one beside it.
pub struct Seed {
    pub name: String,
    pub bytes: Vec<u8>,
    pub beside: Option<Vec<u8>>,
}

/// Returns the files of `tests/meshes`, and those of our writers.
pub fn all() -> Vec<Seed> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/meshes");
    let mut paths: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut seeds = Vec::new();
    for path in paths {
        let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        if !FORMATS.iter().any(|format| format.extensions.contains(&ending.as_str())) {
            continue;
        }
        let other = match ending.as_str() {
            "node" => path.with_extension("ele"),
            "ele" => path.with_extension("node"),
            _ => directory.join("meshio-tetgen.node"),
        };
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        seeds.push(Seed { name, bytes: std::fs::read(&path).unwrap(), beside: std::fs::read(other).ok() });
    }
    assert!(seeds.len() > 25, "{} files are few", seeds.len());
    for format in FORMATS {
        for encoding in [Encoding::Binary, Encoding::Ascii] {
            let Some(write) = format.write else { continue };
            let name = format!("written-{encoding:?}.{}", format.extensions[0]);
            seeds.push(Seed { name, bytes: write(&sample(), encoding), beside: None });
        }
    }
    // A frame, with data of points and cells.
    let (velocities, bodies) = ([0.5; 15], [0, 0, 1, 1, 2]);
    let text = String::from_utf8(formats::vtu::write::write(&sample(), Encoding::Ascii)).unwrap();
    let mut data = [String::new(), String::new()];
    formats::vtu::write::array(&mut data[0], Encoding::Binary, "velocity", 3, velocities.into_iter());
    formats::vtu::write::array(&mut data[1], Encoding::Ascii, "body", 1, bodies.into_iter());
    let text = text.replace("<PointData>", &format!("<PointData>{}", data[0]));
    let text = text.replace("<CellData>", &format!("<CellData>{}", data[1]));
    let frame = formats::vtu::read_frame(text.as_bytes()).unwrap();
    assert_eq!((frame.mesh, frame.bodies), (sample(), bodies.map(|body| body as u32).to_vec()));
    assert_eq!(frame.velocities.as_flattened(), velocities);
    seeds.push(Seed { name: "frame.vtu".to_string(), bytes: text.into_bytes(), beside: None });
    seeds
}

/// Two tets, a triangle, an edge and groups of each kind.
fn sample() -> Mesh {
    let mut mesh = Mesh {
        points: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.1, 1.0 / 3.0], [1.0, 5.0, -1.0]],
        tets: vec![[0, 1, 2, 3], [1, 2, 3, 4]],
        triangles: vec![[0, 1, 4], [2, 3, 4]],
        edges: vec![[3, 4]],
        ..Mesh::default()
    };
    mesh.groups.insert("a & <b>".to_string(), Group { nodes: vec![0, 3], tets: vec![1], triangles: vec![0] });
    mesh.groups.insert("sheet".to_string(), Group { triangles: vec![0, 1], ..Group::default() });
    mesh
}
