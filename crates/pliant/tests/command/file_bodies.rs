//! Bodies from mesh files: run, repeated, resumed, refused.

use crate::meshes::{bar as bar_mesh, write};
use crate::workspace::{Workspace, bar};
use model::mesh::Mesh;
use std::fs;
use std::path::Path;

const GENERATED: &str = r#"shape = { generator = "bar", cells_along = 8, cells_across = 2 }"#;

/// The scene of the bar with its mesh from a file.
fn scene(path: &str) -> String {
    bar(&[
        (GENERATED, &format!("shape = {{ generator = \"file\", path = \"{path}\" }}")),
        ("where = { group = \"x-\" }", "where = { box = { min = [-inf, -inf, -inf], max = [0.0, inf, inf] } }"),
    ])
}

fn series(directory: &Path) -> Vec<u8> {
    // The last columns are times; the frames hold every bit of the state.
    let mut all = Vec::new();
    for frame in 0..13 {
        all.extend(fs::read(directory.join(format!("frames/frame-{frame:06}.vtu"))).unwrap());
    }
    all
}

#[test]
fn a_file_moves_as_the_generator_that_wrote_it() {
    let workspace = Workspace::new("file-body");
    fs::create_dir(workspace.path.join("scenes")).unwrap();
    write(&workspace, "scenes/bar.msh", &bar_mesh());
    workspace.write("scenes/file.toml", &scene("bar.msh"));
    workspace.write("generated.toml", &bar(&[]));
    // The path is relative to the scene, not to the current directory.
    workspace.pliant(&["check", "scenes/file.toml"]).expect(0);
    workspace.pliant(&["run", "scenes/file.toml", "-o", "file"]).expect(0);
    workspace.pliant(&["run", "generated.toml", "-o", "generated"]).expect(0);
    assert!(series(&workspace.path.join("file")) == series(&workspace.path.join("generated")), "to the bit");

    // The run no longer needs the original, neither to be repeated nor to be resumed.
    fs::remove_file(workspace.path.join("scenes/bar.msh")).unwrap();
    let toml = fs::read_to_string(workspace.path.join("file/run.toml")).unwrap();
    assert!(toml.contains("path = \"meshes/1/bar.msh\"") && toml.contains("checksum = "), "{toml}");
    let first = series(&workspace.path.join("file"));
    workspace.pliant(&["run", "file/run.toml", "-o", "again"]).expect(0);
    workspace.pliant(&["run", "file/run.toml", "-o", "file"]).expect(0);
    assert!(first == series(&workspace.path.join("again")) && first == series(&workspace.path.join("file")));
    assert_eq!(toml, fs::read_to_string(workspace.path.join("again/run.toml")).unwrap());
    assert_eq!(toml, fs::read_to_string(workspace.path.join("file/run.toml")).unwrap());
    // Foreign files beside the meshes are kept.
    workspace.write("file/meshes/notes.txt", "mine");
    assert!(workspace.pliant(&["run", "generated.toml", "-o", "file"]).expect(1).err.contains("notes.txt"));
    // A run without a mesh file replaces it and leaves no mesh.
    workspace.pliant(&["run", "generated.toml", "-o", "again", "--force"]).expect(0);
    assert!(!workspace.path.join("again/meshes").exists());
}

#[test]
fn a_run_of_a_file_goes_on_to_the_same_bits() {
    let workspace = Workspace::new("file-resume");
    write(&workspace, "bar.msh", &bar_mesh());
    workspace.write("bar.toml", &scene("bar.msh"));
    workspace.pliant(&["run", "bar.toml", "-o", "whole"]).expect(0);
    workspace.pliant(&["run", "bar.toml", "-o", "part", "--duration", "0.12"]).expect(0);
    // Another mesh under the old name does not matter: the run has its own copy.
    let mut other = bar_mesh();
    other.points.iter_mut().for_each(|p| p[1] *= 1.5);
    write(&workspace, "bar.msh", &other);
    workspace.pliant(&["resume", "part", "--duration", "0.24"]).expect(0);
    assert!(series(&workspace.path.join("whole")) == series(&workspace.path.join("part")));
    assert_eq!(
        fs::read(workspace.path.join("whole/run.toml")).unwrap(),
        fs::read(workspace.path.join("part/run.toml")).unwrap()
    );
    // The copy changed, and missing.
    let copy = workspace.path.join("part/meshes/1/bar.msh");
    fs::copy(workspace.path.join("bar.msh"), &copy).unwrap();
    let err = workspace.pliant(&["resume", "part", "--duration", "0.3"]).expect(4).err;
    assert!(err.contains("checksum") && err.contains("run.toml:") && err.contains("meshes/1/bar.msh"), "{err}");
    fs::remove_file(copy).unwrap();
    let err = workspace.pliant(&["resume", "part", "--duration", "0.3"]).expect(4).err;
    assert!(err.contains("meshes/1/bar.msh: cannot be read"), "{err}");
}

#[test]
fn files_beside_a_file_are_kept_with_it() {
    let workspace = Workspace::new("file-beside");
    let mesh = bar_mesh();
    let mut node = format!("{} 3 0 0\n", mesh.points.len());
    mesh.points.iter().enumerate().for_each(|(i, [x, y, z])| node += &format!("{i} {x:?} {y:?} {z:?}\n"));
    let mut ele = format!("{} 4 0\n", mesh.tets.len());
    mesh.tets.iter().enumerate().for_each(|(e, [a, b, c, d])| ele += &format!("{e} {a} {b} {c} {d}\n"));
    workspace.write("bar.node", &node);
    workspace.write("bar.ele", &ele);
    workspace.write("bar.toml", &scene("bar.ele"));
    workspace.pliant(&["run", "bar.toml", "-o", "first"]).expect(0);
    fs::remove_file(workspace.path.join("bar.node")).unwrap();
    assert!(workspace.pliant(&["check", "bar.toml"]).expect(4).err.contains("bar.node"));
    workspace.pliant(&["run", "first/run.toml", "-o", "again"]).expect(0);
    assert!(series(&workspace.path.join("first")) == series(&workspace.path.join("again")));
    // Any byte of either counts.
    workspace.write("first/meshes/1/bar.node", &node.replace("0.125", "0.1251"));
    assert!(workspace.pliant(&["check", "first/run.toml"]).expect(4).err.contains("checksum"));
}

#[test]
fn groups_of_a_file_select_and_its_faces_are_no_cloth() {
    let workspace = Workspace::new("file-groups");
    let mut mesh = bar_mesh();
    mesh.groups.retain(|name, _| name == "jaw");
    mesh.triangles = mesh.boundary_triangles();
    let at_wall = |t: &[u32; 3]| t.iter().all(|&i| mesh.points[i as usize][0] == 0.0);
    let wall = (0..mesh.triangles.len() as u32).filter(|&t| at_wall(&mesh.triangles[t as usize])).collect();
    let group = model::mesh::Group { triangles: wall, ..Default::default() };
    mesh.groups.insert("wall".to_string(), group);
    write(&workspace, "bar.msh", &mesh);
    let text = scene("bar.msh")
        .replace("{ box = { min = [-inf, -inf, -inf], max = [0.0, inf, inf] } }", "{ group = \"wall\" }");
    let region = "\n[[body.zone]]\nwhere = { group = \"jaw\" }\nyoung = 1e7\n[[fix]]";
    workspace.write("bar.toml", &text.replace("[[fix]]", region));
    let report = workspace.pliant(&["check", "bar.toml", "--json"]).expect(0).json();
    assert_eq!(report["dofs"], 3 * (81 - 9));
    assert_eq!(report["elements"]["tet"], 192);
    let err = {
        workspace.write("typo.toml", &text.replace("wall", "wal"));
        workspace.pliant(&["check", "typo.toml"]).expect(4).err
    };
    assert!(err.contains("did you mean `wall`?"), "{err}");
}

#[test]
fn triangles_are_cloth_and_edges_a_net() {
    let workspace = Workspace::new("file-cloth");
    // Two squares of two triangles each: 6 nodes, 9 edges, 3 of them inside.
    let points = (0..6).map(|i| [(i % 3) as f64, (i / 3) as f64, 0.0]).collect();
    let triangles = vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]];
    let cloth = Mesh { points, triangles, ..Mesh::default() };
    write(&workspace, "cloth.msh", &cloth);
    let springs = "springs = { law = \"linear\", stiffness = 100.0, bending = 1.0 }\narea_density = 0.1";
    let text = |file: &str, springs: &str| {
        let material = "material = { model = \"neo-hookean\", young = 1e6, poisson = 0.3, density = 1000.0 }";
        scene(file).replace(material, springs)
    };
    workspace.write("cloth.toml", &text("cloth.msh", springs));
    let report = workspace.pliant(&["check", "cloth.toml", "--json"]).expect(0).json();
    assert_eq!(report["elements"]["spring"], 9 + 3);
    assert!((report["mass"].as_f64().unwrap() - 0.2).abs() < 1e-12);
    workspace.pliant(&["run", "cloth.toml", "--step", "0.001", "--duration", "0.01", "-o", "cloth"]).expect(0);
    // Requested tets that the file does not have.
    workspace.write("solid.toml", &scene("cloth.msh"));
    let err = workspace.pliant(&["check", "solid.toml"]).expect(4).err;
    assert!(err.contains("has no tets"), "{err}");

    let net = Mesh { edges: vec![[0, 1], [1, 2], [2, 5]], points: cloth.points[..].to_vec(), ..Mesh::default() };
    write(&workspace, "net.msh", &net);
    workspace
        .write("net.toml", &text("net.msh", "springs = { law = \"linear\", stiffness = 100.0 }\nline_density = 0.1"));
    let err = workspace.pliant(&["check", "net.toml"]).expect(4).err;
    assert!(err.contains("2 nodes belong to no element, node 3 is the first") && err.contains("--fix unused"), "{err}");
    workspace.pliant(&["doctor", "net.msh", "--fix", "unused", "-o", "mended.msh"]).expect(0);
    workspace.write(
        "net.toml",
        &text("mended.msh", "springs = { law = \"linear\", stiffness = 100.0 }\nline_density = 0.1"),
    );
    assert_eq!(workspace.pliant(&["check", "net.toml", "--json"]).expect(0).json()["elements"]["spring"], 3);
}

#[test]
fn what_is_wrong_is_said_with_both_lines() {
    let workspace = Workspace::new("file-bad");
    let mut inverted = bar_mesh();
    inverted.tets[5].swap(0, 1);
    write(&workspace, "inverted.msh", &inverted);
    workspace.write("inverted.toml", &scene("inverted.msh"));
    let err = workspace.pliant(&["run", "inverted.toml"]).expect(4).err;
    assert!(
        err.contains("--> inverted.toml:11:") && err.contains("pliant doctor inverted.msh --fix orientation"),
        "{err}"
    );
    workspace.pliant(&["doctor", "inverted.msh", "--fix", "orientation", "-o", "mended.msh"]).expect(0);
    workspace.write("mended.toml", &scene("mended.msh"));
    workspace.pliant(&["check", "mended.toml"]).expect(0);

    workspace.write("short.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 nowhere 0\n$EndNodes\n");
    for (path, words) in [
        ("short.msh", vec!["short.msh:6: ", "nowhere"]),
        ("none.msh", vec!["none.msh: cannot be read"]),
        ("bar.meshh", vec!["no mesh format ends in '.meshh'", "perhaps '.mesh'"]),
        ("", vec!["the name has no ending"]),
        (".", vec!["the name has no ending"]),
    ] {
        workspace.write("bad.toml", &scene(path));
        let err = workspace.pliant(&["check", "bad.toml"]).expect(4).err;
        assert!(err.contains("--> bad.toml:11:") && err.contains("^"), "{path}: {err}");
        words.iter().for_each(|word| assert!(err.contains(word), "{path}: {err}"));
    }
    let both = scene("none.msh").replace("path = ", "radius = 1.0, path = ");
    workspace.write("bad.toml", &both);
    assert!(workspace.pliant(&["check", "bad.toml"]).expect(4).err.contains("radius"));
    let keys = workspace.pliant(&["list", "scene"]).expect(0).out;
    assert!(keys.contains("`\"file\"`") && keys.contains("`path`"), "{keys}");
}
