//! Obstacles, normals, texture coordinates and finer surfaces in exported files.

use super::*;

/// Cloth over a still ball and an oscillating box, above the ground.
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

/// Returns the JSON of a glTF file, and its bytes.
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
        assert_eq!(lines("vt "), 25, "one texture point per node of the cloth");
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
    // Times are those of the frames, in single precision.
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
    // Frames are at steps of 10 ms: the stage has the rate of the scene, and frames lie between its time codes.
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
