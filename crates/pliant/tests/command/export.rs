//! `pliant export`. Formats of others are read by independent readers too: tests/check_export.py.

use crate::reader::{Frame, collection};
use crate::workspace::{BAR, Workspace, bar};
use scene::files::read_mesh;
use std::fs;
use std::path::{Path, PathBuf};

/// Cloth and a chain, whose bodies are no solids.
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

/// A run of the bar in out/bar.
fn ran(name: &str) -> Workspace {
    let workspace = Workspace::new(name);
    workspace.write("bar.toml", BAR);
    workspace.pliant(&["run", "bar.toml", "--quiet"]).expect(0);
    workspace
}

/// A frame whose points are so many times as far away.
fn scaled(frame: &Path, factor: f64) -> Vec<u8> {
    let mut mesh = read_mesh(frame).unwrap();
    mesh.points.iter_mut().flatten().for_each(|x| *x *= factor);
    (formats::vtu::FORMAT.write.unwrap())(&mesh, formats::Encoding::Binary)
}

/// Every file below a directory, with its bytes.
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
    // Nothing was put into the directory of the run: it can be replaced.
    workspace.pliant(&["run", "bar.toml", "--quiet"]).expect(0);
    // From inside it goes beside too.
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
    // The node of each vertex: those of the surface, which are all different, in their order.
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
    // A chain alone is nothing to a printer.
    let chain = SPRINGS.split("[[body]]").enumerate().filter(|(i, _)| *i != 1).map(|(_, part)| part);
    workspace.write("chain.toml", &chain.collect::<Vec<_>>().join("[[body]]"));
    workspace.pliant(&["run", "chain.toml", "--quiet"]).expect(0);
    let err = workspace.pliant(&["export", "out/chain", "--to", "stl"]).expect(2).err;
    assert!(err.contains("nothing that stl can show"), "{err}");
    workspace.pliant(&["export", "out/chain", "--to", "gltf"]).expect(0);
}

/// Cloth over a still ball and a box that goes to and fro, above the ground.
const OBSTACLES: &str = r#"
[run]
duration = 0.1
frame_rate = 60.0
[integrator]
method = "small-steps"
step = 0.01
[[body]]
name = "cloth"
shape = { generator = "cloth", cells = [4, 4] }
springs = { law = "linear", stiffness = 100.0 }
area_density = 0.2
[[contact]]
kind = "constraint"
obstacle = { ball = { center = [0.5, 0.5, -0.5], radius = 0.3 } }
[[contact]]
kind = "constraint"
obstacle = { box = { center = [2.0, 0.0, 0.0], size = 0.2 } }
motion = { kind = "shake", amplitude = [0.0, 0.5, 0.0], frequency = 2.5 }
[[contact]]
kind = "constraint"
obstacle = { plane = { point = [0.0, 0.0, -1.0], normal = [0.0, 0.0, 1.0] } }
"#;

/// The JSON of a glTF file, and its bytes.
fn gltf(path: &Path) -> (serde_json::Value, Vec<u8>) {
    let bytes = fs::read(path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    (serde_json::from_slice(&bytes[20..20 + length]).unwrap(), bytes[28 + length..].to_vec())
}

#[test]
fn obstacles_are_things_of_their_own_with_normals_and_cloth_has_places_for_a_picture() {
    let workspace = Workspace::new("export-obstacles");
    workspace.write("cloth.toml", OBSTACLES);
    workspace.pliant(&["run", "cloth.toml", "--quiet"]).expect(0);
    let export = |to: &str, more: &[&str]| {
        let all = [&["export", "out/cloth", "--to", to, "--json"], more].concat();
        workspace.pliant(&all).expect(0).json()
    };
    let ball = {
        export("obj", &[]);
        let obj = read_mesh(&workspace.path.join("out/cloth-obj/frame-000003.obj")).unwrap();
        let names: Vec<&String> = obj.groups.keys().collect();
        assert_eq!(names, ["cloth", "obstacle-1-ball", "obstacle-2-box", "obstacle-3-plane"]);
        let corners = |name: &str| -> Vec<[f64; 3]> {
            let nodes = obj.groups[name].triangles.iter().flat_map(|&t| obj.triangles[t as usize]);
            nodes.map(|i| obj.points[i as usize]).collect()
        };
        let text = fs::read_to_string(workspace.path.join("out/cloth-obj/frame-000003.obj")).unwrap();
        let lines = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
        assert_eq!(lines("vt "), 25, "a place a node of the cloth");
        let first = text.lines().find(|line| line.starts_with("f ")).unwrap();
        assert!(
            first.split(' ').skip(1).all(|corner| corner.split('/').count() == 3 && !corner.contains("//")),
            "{first}"
        );
        // The box has moved: frame 3 is that of step 5 of 10, an eighth of a period.
        let middle = corners("obstacle-2-box").iter().map(|p| p[1]).sum::<f64>() / 36.0;
        assert!((middle - 0.5 * (std::f64::consts::TAU * 2.5 * 0.05).sin()).abs() < 1e-12, "{middle}");
        assert!(corners("obstacle-3-plane").iter().all(|p| p[2] == -1.0));
        let far = corners("obstacle-1-ball")
            .iter()
            .map(|p| (p[0] - 0.5).hypot(p[1] - 0.5).hypot(p[2] + 0.5))
            .fold(0.0, f64::max);
        assert!((far - 0.3).abs() < 1e-12, "{far}");
        // A box has three normals at a corner, a ball one at a point.
        let normals: Vec<usize> = text.split("\no ").map(|part| part.matches("\nvn ").count()).collect();
        let points: Vec<usize> = ["cloth", "obstacle-1-ball", "obstacle-2-box", "obstacle-3-plane"]
            .map(|name| {
                let mut nodes: Vec<u32> =
                    obj.groups[name].triangles.iter().flat_map(|&t| obj.triangles[t as usize]).collect();
                nodes.sort_unstable();
                nodes.dedup();
                nodes.len()
            })
            .to_vec();
        assert_eq!(normals[1..], [25, points[1], 24, 4]);
        obj.groups["obstacle-1-ball"].triangles.len()
    };
    export("gltf", &[]);
    let (json, bytes) = gltf(&workspace.path.join("out/cloth.glb"));
    let names: Vec<&str> =
        json["meshes"].as_array().unwrap().iter().map(|mesh| mesh["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["cloth", "obstacle-1-ball", "obstacle-2-box", "obstacle-3-plane"]);
    let primitive = |mesh: usize| &json["meshes"][mesh]["primitives"][0];
    let targets = |mesh: usize| primitive(mesh)["targets"].as_array().map_or(0, Vec::len);
    assert_eq!([0, 1, 2, 3].map(targets), [6, 0, 6, 0], "what stands still has no targets");
    let channels: Vec<u64> = json["animations"][0]["channels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|channel| channel["target"]["node"].as_u64().unwrap())
        .collect();
    assert_eq!(channels, [1, 3]);
    let accessor = |number: &serde_json::Value| &json["accessors"][number.as_u64().unwrap() as usize];
    assert_eq!(accessor(&primitive(2)["attributes"]["POSITION"])["count"], 24);
    assert_eq!(accessor(&primitive(1)["indices"])["count"], 3 * ball);
    let picture = accessor(&primitive(0)["attributes"]["TEXCOORD_0"]);
    assert_eq!((&picture["type"], &picture["count"]), (&"VEC2".into(), &25.into()));
    assert!(primitive(1)["attributes"].get("TEXCOORD_0").is_none());
    // The clock is that of the frames, to single precision.
    let clock = accessor(&json["animations"][0]["samplers"][0]["input"]);
    let at =
        json["bufferViews"][clock["bufferView"].as_u64().unwrap() as usize]["byteOffset"].as_u64().unwrap() as usize;
    let frames = collection(&workspace.path.join("out/cloth/frames.pvd"));
    for (k, (time, _)) in frames.iter().enumerate() {
        let found = f32::from_le_bytes(bytes[at + 4 * k..at + 4 * k + 4].try_into().unwrap());
        assert_eq!(found, *time as f32);
    }

    export("usda", &[]);
    let stage = fs::read_to_string(workspace.path.join("out/cloth.usda")).unwrap();
    assert_eq!(stage.matches("def Mesh").count(), 4);
    // Frames are at steps of 10 ms: the stage goes by the rate of the scene, and says where between they are.
    assert!(stage.contains("timeCodesPerSecond = 60\n") && stage.contains("framesPerSecond = 60\n"));
    assert!(stage.contains("            1.2: [") && stage.contains("endTimeCode = 6\n"));
    assert_eq!(stage.matches("primvars:st = ").count(), 1);
    assert_eq!((stage.matches("normals.timeSamples").count(), stage.matches("normal3f[] normals = ").count()), (2, 2));

    export("vtu", &[]);
    let frame = Frame::read(&workspace.path.join("out/cloth-vtu/frame-000003.vtu"));
    let bodies = frame.integers("body");
    assert!((1..4).all(|body| bodies.contains(&body)) && frame.floats("velocity").len() == 3 * frame.points);
    let without = export("vtu", &["--without-obstacles"]);
    assert_eq!(without["nodes"], 25);
    let stl = export("stl", &[]);
    assert!(stl["notes"].to_string().contains("obstacles are left out") && stl["nodes"] == 25, "{stl}");
}

#[test]
fn places_for_a_picture_come_from_an_obj_file() {
    let workspace = Workspace::new("export-picture");
    workspace.write("sheet.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0.1 0.2\nvt 0.9 0.2\nvt 0.9 0.8\nvt 0.1 0.8\nvt 0.5 0.5\nf 1/1 2/2 3/3\nf 1/5 3/3 4/4\n");
    let scene = SPRINGS.split("[[body]]").next().unwrap().to_string()
        + r#"
[[body]]
name = "sheet"
shape = { generator = "file", path = "sheet.obj" }
springs = { law = "linear", stiffness = 100.0 }
area_density = 0.2
"#;
    workspace.write("sheet.toml", &scene);
    workspace.pliant(&["run", "sheet.toml", "--quiet"]).expect(0);
    workspace.pliant(&["export", "out/sheet", "--to", "obj"]).expect(0);
    let text = fs::read_to_string(workspace.path.join("out/sheet-obj/frame-000002.obj")).unwrap();
    let rows = |start: &str| text.lines().filter(|line| line.starts_with(start)).collect::<Vec<_>>();
    assert_eq!(rows("vt "), ["vt 0.1 0.2", "vt 0.9 0.2", "vt 0.9 0.8", "vt 0.5 0.5", "vt 0.1 0.8"]);
    assert_eq!(rows("f "), ["f 1/1/1 2/2/2 3/3/3", "f 1/4/1 3/3/3 4/5/4"]);
    workspace.pliant(&["export", "out/sheet", "--to", "gltf"]).expect(0);
    let (json, _) = gltf(&workspace.path.join("out/sheet.glb"));
    assert_eq!(
        json["accessors"].as_array().unwrap().iter().find(|a| a["type"] == "VEC2").unwrap()["count"],
        5,
        "a seam"
    );
}

#[test]
fn finer_surfaces_stand_for_the_bodies_that_have_them() {
    let workspace = Workspace::new("export-finer");
    let figure = r#"[[body]]
name = "figure"
position = [0.0, 2.0, 0.5]
material = { model = "stable-neo-hookean", young = 1e5, poisson = 0.3, density = 1000.0 }
shape = { generator = "parts", vertices = 200, surface = 1000, part = [{ kind = "ball", radius = 0.4 }] }
"#;
    workspace.write("bar.toml", &bar(&[("[[fix]]\n", &format!("{figure}[[fix]]\nbody = \"bar\"\n"))]));
    workspace.pliant(&["run", "bar.toml", "--quiet"]).expect(0);
    let run = workspace.path.join("out/bar");
    let triangles = |arguments: &[&str]| {
        let all = [&["export", "out/bar", "--to", "obj", "--json"], arguments].concat();
        let report = workspace.pliant(&all).expect(0).json();
        [&report["triangles"], &report["frames"]].map(|n| n.as_u64().unwrap() as usize)
    };
    let fine = read_mesh(&run.join("surface/frame-000000.vtu")).unwrap().triangles.len();
    let whole = read_mesh(&run.join("frames/frame-000000.vtu")).unwrap();
    // The tets of the bar come first.
    let coarse = whole.boundary_triangles();
    let of_bar = coarse.iter().filter(|triangle| triangle[0] < 81).count();
    assert!(fine > 1500 && of_bar > 100 && coarse.len() > of_bar, "{fine} {of_bar} {}", coarse.len());
    assert_eq!(triangles(&[]), [fine + of_bar, 13]);
    assert_eq!(triangles(&["--surface"]), [fine + of_bar, 13]);
    assert_eq!(triangles(&["--tets"]), [coarse.len(), 13]);
    let obj = read_mesh(&workspace.path.join("out/bar-obj/frame-000003.obj")).unwrap();
    assert_eq!(obj.groups.keys().collect::<Vec<_>>(), ["bar", "figure"]);

    // A run that was killed between a frame and its surface.
    let list = fs::read_to_string(run.join("surface.pvd")).unwrap();
    let last = list.lines().find(|line| line.contains("frame-000012")).unwrap();
    fs::write(run.join("surface.pvd"), list.replace(last, "")).unwrap();
    assert_eq!(triangles(&[]), [fine + of_bar, 12]);
    assert_eq!(triangles(&["--tets"]), [coarse.len(), 13]);
    // Surfaces of another run.
    fs::write(run.join("surface.pvd"), list.replace("timestep=\"0.14\"", "timestep=\"0.141\"")).unwrap();
    let err = workspace.pliant(&["export", "out/bar", "--to", "usda"]).expect(4).err;
    assert!(err.contains("frame-000007.vtu") && err.contains("times"), "{err}");
    fs::write(run.join("surface.pvd"), &list).unwrap();
    fs::write(run.join("surface/frame-000007.vtu"), "<VTKFile").unwrap();
    workspace.pliant(&["export", "out/bar", "--to", "usda"]).expect(4);
    workspace.pliant(&["export", "out/bar", "--to", "usda", "--tets"]).expect(0);
}

#[test]
fn what_is_no_run_is_refused() {
    let workspace = Workspace::new("export-no-run");
    fs::create_dir(workspace.path.join("empty")).unwrap();
    workspace.write("file", "");
    for directory in ["empty", "none", "file"] {
        let ended = workspace.pliant(&["export", directory, "--to", "gltf", "--json"]).expect(4);
        assert_eq!(ended.json()["outcome"], "bad input");
        assert!(ended.err.contains(directory), "{}", ended.err);
    }
    assert_eq!(names(&workspace.path), ["empty", "file"]);
}

#[test]
fn broken_runs_are_refused_and_leave_nothing() {
    let workspace = ran("export-broken");
    let run = workspace.path.join("out/bar");
    let list = fs::read_to_string(run.join("frames.pvd")).unwrap();
    let frame = run.join("frames/frame-000007.vtu");
    let bytes = fs::read(&frame).unwrap();
    let refused = |why: &str, words: &[&str]| {
        for format in FORMATS {
            let err = workspace.pliant(&["export", "out/bar", "--to", format]).expect(4).err;
            assert!(words.iter().all(|word| err.contains(word)), "{why}, {format}: {err}");
            assert_eq!(names(&workspace.path.join("out")), ["bar"], "{why}, {format}");
        }
    };
    fs::remove_file(&frame).unwrap();
    refused("missing", &["frame-000007.vtu", "run the scene again"]);
    fs::write(&frame, &bytes[..bytes.len() / 2]).unwrap();
    refused("cut off", &["frame-000007.vtu"]);
    fs::write(&frame, "").unwrap();
    refused("empty", &["frame-000007.vtu"]);
    let text = String::from_utf8(bytes.clone()).unwrap();
    fs::write(&frame, text.replace("Name=\"velocity\" NumberOfComponents=\"3\"", "Name=\"velocity\"")).unwrap();
    refused("numbers instead of vectors", &["frame-000007.vtu", "velocity"]);

    // Frames of another run.
    let other = Workspace::new("export-broken/other");
    other.write("bar.toml", &bar(&[("cells-along = 8", "cells-along = 4")]));
    other.pliant(&["run", "bar.toml", "--quiet"]).expect(0);
    fs::copy(other.path.join("out/bar/frames/frame-000007.vtu"), &frame).unwrap();
    refused("of another run", &["frame-000007.vtu", "other points"]);
    // The frames before it are sound.
    workspace.pliant(&["export", "out/bar", "--to", "gltf", "--until", "0.12"]).expect(0);
    fs::remove_file(workspace.path.join("out/bar.glb")).unwrap();
    fs::write(&frame, &bytes).unwrap();

    for (old, new, word) in [
        ("frames/frame-000007.vtu", "../../secret.vtu", "not in the directory"),
        ("frames/frame-000007.vtu", "/etc/passwd", "not in the directory"),
        ("frames/frame-000007.vtu", "", "not in the directory"),
        ("timestep=\"0.14\"", "timestep=\"late\"", "no number"),
        ("timestep=\"0.14\"", "timestep=\"NaN\"", "no number"),
        ("timestep=\"0.14\"", "timestep=\"0.02\"", "not later"),
        ("</VTKFile>", "", "cut off"),
    ] {
        assert!(list.contains(old), "{old}: {list}");
        fs::write(run.join("frames.pvd"), list.replace(old, new)).unwrap();
        refused(new, &["frames.pvd:", word]);
    }
    fs::write(run.join("frames.pvd"), "<VTKFile>\n</VTKFile>\n").unwrap();
    refused("no frames", &["lists no frames"]);
    fs::write(run.join("frames.pvd"), [0xff, 0xfe, 0]).unwrap();
    refused("no text", &["frames.pvd"]);
}

#[test]
fn what_single_precision_cannot_hold_is_refused() {
    let workspace = ran("export-huge");
    let frame = workspace.path.join("out/bar/frames/frame-000007.vtu");
    fs::write(&frame, scaled(&frame, 1e60)).unwrap();
    for format in ["gltf", "usda", "pc2", "stl"] {
        let err = workspace.pliant(&["export", "out/bar", "--to", format]).expect(4).err;
        assert!(err.contains("frame-000007.vtu") && err.contains("t = 0.14 s") && err.contains("--until"), "{err}");
    }
    assert_eq!(names(&workspace.path.join("out")), ["bar"]);
    // This frame does not say velocities: they stay empty.
    workspace.pliant(&["export", "out/bar", "--to", "csv"]).expect(0);
    let text = fs::read_to_string(workspace.path.join("out/bar.csv")).unwrap();
    let empty: Vec<&str> = text.lines().filter(|row| row.ends_with(",,,")).collect();
    assert!(empty.len() == 81 && empty.iter().all(|row| row.starts_with("7,0.14,")), "{}", empty.len());
}

#[test]
fn what_is_there_is_not_lost() {
    let workspace = ran("export-safe");
    let run = files(&workspace.path.join("out/bar"));
    for (format, output) in [
        ("csv", "out/bar/series.csv"),
        ("vtu", "out/bar/frames"),
        ("vtu", "out/bar"),
        ("obj", "out"),
        ("obj", "."),
        ("obj", "out/bar/frames/more"),
        ("usda", "out/bar.txt"),
        ("gltf", "out/bar"),
    ] {
        let err = workspace.pliant(&["export", "out/bar", "--to", format, "-o", output]).expect(2).err;
        assert!(err.contains("-o"), "{err}");
    }
    // A directory of somebody's.
    fs::create_dir(workspace.path.join("mine")).unwrap();
    workspace.write("mine/thesis.obj", "v 0 0 0\n");
    let err = workspace.pliant(&["export", "out/bar", "--to", "obj", "-o", "mine"]).expect(1).err;
    assert!(err.contains("thesis.obj") && err.contains("-o"), "{err}");
    assert_eq!(names(&workspace.path.join("mine")), ["thesis.obj"]);
    workspace.pliant(&["export", "out/bar", "--to", "obj", "-o", "mine/thesis.obj"]).expect(1);
    assert!(files(&workspace.path.join("out/bar")) == run);
    // Where nothing can be made.
    let err = workspace.pliant(&["export", "out/bar", "--to", "gltf", "-o", "bar.toml/x.glb"]).expect(1).err;
    assert!(err.contains("bar.toml") && err.contains("-o"), "{err}");
    // Of an earlier export the frames that are no more go.
    workspace.pliant(&["export", "out/bar", "--to", "stl", "-o", "new/frames"]).expect(0);
    workspace.pliant(&["export", "out/bar", "--to", "stl", "-o", "new/frames", "--every", "12"]).expect(0);
    assert_eq!(names(&workspace.path.join("new/frames")), ["frame-000000.stl", "frame-000001.stl"]);
    assert_eq!(names(&workspace.path.join("new")), ["frames"]);
}

#[test]
fn a_scene_of_too_many_frames_says_how_many_would_do() {
    let workspace = Workspace::new("export-many");
    workspace.write(
        "long.toml",
        &bar(&[
            ("duration = 0.24", "duration = 0.7"),
            ("frame_rate = 50.0", "frame_rate = 1000.0"),
            ("step = 0.01", "step = 0.001"),
        ]),
    );
    workspace.pliant(&["run", "long.toml", "--quiet"]).expect(0);
    let err = workspace.pliant(&["export", "out/long", "--to", "gltf"]).expect(2).err;
    assert!(err.contains("701 frames") && err.contains("--every 3"), "{err}");
    let report = workspace.pliant(&["export", "out/long", "--to", "gltf", "--every", "3", "--json"]).expect(0).json();
    assert_eq!(report["frames"], 234);
    // Every second is still too many: what it asks for counts from the frames of the run.
    let err = workspace.pliant(&["export", "out/long", "--to", "gltf", "--every", "2"]).expect(2).err;
    assert!(err.contains("351 frames") && err.contains("--every 4"), "{err}");
}
