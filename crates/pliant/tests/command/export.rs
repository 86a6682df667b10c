//! `pliant export`. Independent readers check the formats too: tests/check_export.py.

mod appearance;
mod refusals;

use crate::reader::{Frame, collection};
use crate::workspace::{BAR, Workspace, bar};
use scene::files::read_mesh;
use std::fs;
use std::path::{Path, PathBuf};

/// Cloth and a chain, bodies that are not solids.
const SPRINGS: &str = r#"
[run]
duration = 0.1
frame_rate = 50.0
[integrator]
method = "linearly-implicit-euler"
step = 0.02
[[body]]
name = "cloth"
shape = { generator = "cloth", cells = [4, 4] }
springs = { law = "linear", stiffness = 100.0 }
area_density = 0.2
[[body]]
name = "chain"
shape = { generator = "chain", links = 5 }
springs = { law = "linear", stiffness = 100.0 }
line_density = 0.1
position = [0.0, 0.0, 2.0]
"#;

/// Runs the bar in out/bar.
fn ran(name: &str) -> Workspace {
    let workspace = Workspace::new(name);
    workspace.write("bar.toml", BAR);
    workspace.pliant(&["run", "bar.toml", "--quiet"]).expect(0);
    workspace
}

/// Returns a frame with its points scaled by a factor.
fn scaled(frame: &Path, factor: f64) -> Vec<u8> {
    let mut mesh = read_mesh(frame).unwrap();
    mesh.points.iter_mut().flatten().for_each(|x| *x *= factor);
    (formats::vtu::FORMAT.write.unwrap())(&mesh, formats::Encoding::Binary)
}

/// Returns every file below a directory, with its bytes.
fn files(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            found.extend(files(&entry))
        } else {
            found.push((entry.clone(), fs::read(&entry).unwrap()))
        }
    }
    found.sort();
    found
}

fn names(path: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

const FORMATS: [&str; 8] = ["vtu", "obj", "ply", "stl", "gltf", "usda", "pc2", "csv"];

#[test]
fn every_format_is_written_twice_to_the_same_bytes_and_the_run_stays_as_it_is() {
    let workspace = ran("export-all");
    let run = files(&workspace.path.join("out/bar"));
    for format in FORMATS {
        let report = workspace.pliant(&["export", "out/bar", "--to", format, "--json"]).expect(0).json();
        assert_eq!((&report["outcome"], &report["frames"]), (&"done".into(), &13.into()), "{format}");
    }
    let expected =
        ["bar", "bar-obj", "bar-ply", "bar-stl", "bar-vtu", "bar.csv", "bar.glb", "bar.pc2", "bar.pc2.obj", "bar.usda"];
    assert_eq!(names(&workspace.path.join("out")), expected, "nothing else is left behind");
    let first = files(&workspace.path.join("out"));
    for format in FORMATS {
        assert_eq!(workspace.pliant(&["export", "out/bar", "--to", format, "--quiet"]).expect(0).out, "");
    }
    assert!(files(&workspace.path.join("out")) == first, "the same bytes");
    assert!(files(&workspace.path.join("out/bar")) == run, "the run is only looked at");
    // Nothing was written into the directory of the run: it can be replaced.
    workspace.pliant(&["run", "bar.toml", "--quiet"]).expect(0);
    // From inside it is also written beside the run.
    let inside = Workspace { path: workspace.path.join("out/bar") };
    fs::remove_file(workspace.path.join("out/bar.glb")).unwrap();
    inside.pliant(&["export", ".", "--to", "gltf"]).expect(0);
    assert!(workspace.path.join("out/bar.glb").exists());
}

#[test]
fn surfaces_are_those_of_the_frames() {
    let workspace = ran("export-surfaces");
    let frames = collection(&workspace.path.join("out/bar/frames.pvd"));
    workspace.pliant(&["export", "out/bar", "--to", "obj"]).expect(0);
    workspace.pliant(&["export", "out/bar", "--to", "vtu"]).expect(0);
    for (k, (time, file)) in frames.iter().enumerate() {
        let source = read_mesh(&workspace.path.join("out/bar").join(file)).unwrap();
        let surface = read_mesh(&workspace.path.join(format!("out/bar-obj/frame-{k:06}.obj"))).unwrap();
        let corners = |points: &[[f64; 3]], triangles: &[[u32; 3]]| -> Vec<[[f64; 3]; 3]> {
            triangles.iter().map(|t| t.map(|i| points[i as usize])).collect()
        };
        let expected = corners(&source.points, &source.boundary_triangles());
        assert_eq!(corners(&surface.points, &surface.triangles), expected, "to the bit");
        assert_eq!(surface.groups["bar"].triangles.len(), expected.len());
        let copy = workspace.path.join(format!("out/bar-vtu/frame-{k:06}.vtu"));
        assert_eq!(read_mesh(&copy).unwrap(), source);
        let [copy, source] = [&copy, &workspace.path.join("out/bar").join(file)].map(|path| Frame::read(path));
        assert_eq!(copy.floats("velocity"), source.floats("velocity"));
        assert_eq!(copy.time, *time);
    }
}

#[test]
fn tables_and_point_caches_hold_every_node_of_every_frame() {
    let workspace = ran("export-points");
    let frames = collection(&workspace.path.join("out/bar/frames.pvd"));
    workspace.pliant(&["export", "out/bar", "--to", "csv"]).expect(0);
    workspace.pliant(&["export", "out/bar", "--to", "pc2"]).expect(0);
    let text = fs::read_to_string(workspace.path.join("out/bar.csv")).unwrap();
    let mut rows = text.lines();
    assert_eq!(rows.next(), Some("frame,time,node,x,y,z,vx,vy,vz"));
    let bytes = fs::read(workspace.path.join("out/bar.pc2")).unwrap();
    let word = |at: usize| <[u8; 4]>::try_from(&bytes[at..at + 4]).unwrap();
    let mesh = read_mesh(&workspace.path.join("out/bar.pc2.obj")).unwrap();
    assert_eq!(&bytes[..12], b"POINTCACHE2\0");
    assert_eq!([12, 16, 28].map(|at| i32::from_le_bytes(word(at))), [1, mesh.points.len() as i32, 13]);
    assert_eq!([20, 24].map(|at| f32::from_le_bytes(word(at))), [0.0, 1.0]);
    assert_eq!(bytes.len(), 32 + 12 * 13 * mesh.points.len());

    let first = Frame::read(&workspace.path.join("out/bar").join(&frames[0].1)).floats("Points");
    // The node of each vertex: those of the surface, all different and in order.
    let node_of: Vec<usize> =
        mesh.points.iter().map(|x| first.chunks(3).position(|point| point == x).expect("a vertex is a node")).collect();
    assert!(node_of.is_sorted());
    for (k, (time, file)) in frames.iter().enumerate() {
        let frame = Frame::read(&workspace.path.join("out/bar").join(file));
        let (x, v) = (frame.floats("Points"), frame.floats("velocity"));
        for node in 0..frame.points {
            let row: Vec<f64> = rows.next().unwrap().split(',').map(|cell| cell.parse().unwrap()).collect();
            assert_eq!(row[..3], [k as f64, *time, node as f64]);
            assert_eq!((&row[3..6], &row[6..]), (&x[3 * node..3 * node + 3], &v[3 * node..3 * node + 3]));
        }
        for (vertex, node) in node_of.iter().enumerate() {
            for c in 0..3 {
                let at = 32 + 12 * (k * mesh.points.len() + vertex) + 4 * c;
                assert_eq!(f32::from_le_bytes(word(at)), x[3 * node + c] as f32);
            }
        }
    }
    assert_eq!(rows.next(), None);
}

#[test]
fn frames_are_chosen() {
    let workspace = ran("export-choice");
    let frames = |arguments: &[&str]| {
        let all = [&["export", "out/bar", "--to", "csv"], arguments].concat();
        workspace.pliant(&all).expect(0);
        let text = fs::read_to_string(workspace.path.join("out/bar.csv")).unwrap();
        let mut numbers: Vec<u32> =
            text.lines().skip(1).map(|row| row.split(',').next().unwrap().parse().unwrap()).collect();
        numbers.dedup();
        numbers
    };
    assert_eq!(frames(&["--every", "5"]), [0, 5, 10]);
    assert_eq!(frames(&["--from", "0.1", "--until", "0.16"]), [5, 6, 7, 8]);
    assert_eq!(frames(&["--from", "0.11", "--every", "3"]), [6, 9, 12]);
    let err = workspace.pliant(&["export", "out/bar", "--to", "csv", "--from", "7"]).expect(2).err;
    assert!(err.contains("from 0 to 0.24 s"), "{err}");
    for wrong in [&["--every", "0"][..], &["--surface", "--tets"], &["--to", "gif"]] {
        workspace.pliant(&[&["export", "out/bar", "--to", "csv"], wrong].concat()).expect(2);
    }
    let err = workspace.pliant(&["export", "out/bar", "--to", "obj", "--surface"]).expect(2).err;
    assert!(err.contains("surface.pvd") && !workspace.path.join("out/bar-obj").exists(), "{err}");
}

#[test]
fn ropes_are_lines_and_springs_of_cloth_are_not() {
    let workspace = Workspace::new("export-lines");
    workspace.write("springs.toml", SPRINGS);
    workspace.pliant(&["run", "springs.toml", "--quiet"]).expect(0);
    let report = workspace.pliant(&["export", "out/springs", "--to", "obj", "--json"]).expect(0).json();
    assert_eq!((&report["triangles"], &report["lines"]), (&32.into(), &5.into()), "{report}");
    let obj = read_mesh(&workspace.path.join("out/springs-obj/frame-000000.obj")).unwrap();
    assert_eq!((obj.triangles.len(), obj.edges.len(), obj.points.len()), (32, 5, 25 + 6));
    let stl = workspace.pliant(&["export", "out/springs", "--to", "stl", "--json"]).expect(0).json();
    assert_eq!((&stl["nodes"], &stl["lines"]), (&25.into(), &0.into()), "what STL cannot say is left out");
    let stage = {
        workspace.pliant(&["export", "out/springs", "--to", "usda"]).expect(0);
        fs::read_to_string(workspace.path.join("out/springs.usda")).unwrap()
    };
    assert!(stage.contains("def Mesh \"cloth\"") && stage.contains("def BasisCurves \"chain\""));
    assert!(stage.contains("curveVertexCounts = [6]"), "a chain is one curve");
    // A chain alone has nothing to print in 3-D.
    let chain = SPRINGS.split("[[body]]").enumerate().filter(|(i, _)| *i != 1).map(|(_, part)| part);
    workspace.write("chain.toml", &chain.collect::<Vec<_>>().join("[[body]]"));
    workspace.pliant(&["run", "chain.toml", "--quiet"]).expect(0);
    let err = workspace.pliant(&["export", "out/chain", "--to", "stl"]).expect(2).err;
    assert!(err.contains("nothing that stl can show"), "{err}");
    workspace.pliant(&["export", "out/chain", "--to", "gltf"]).expect(0);
}
