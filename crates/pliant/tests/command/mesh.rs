//! `pliant mesh`: shapes, surfaces and bodies of scenes, filled with tets.

use crate::workspace::{Workspace, bar};
use scene::files::read_mesh;

const SHAPE: &str = "\
title = \"Ball with a stud\"
vertices = 1200

[[part]]
name = \"ball\"
kind = \"ball\"

[[part]]
name = \"stud\"
kind = \"capsule\"
to = [0.0, 0.0, 0.9]
radius = 0.2
blend = 0.1
";

#[test]
fn a_shape_becomes_a_mesh_with_its_names() {
    let workspace = Workspace::new("mesh-shape");
    workspace.write("stud.toml", SHAPE);
    let report = workspace.pliant(&["mesh", "stud.toml", "-o", "stud.msh", "--json"]).expect(0).json();
    assert_eq!((report["outcome"].as_str(), report["parts"].as_u64()), (Some("done"), Some(1)));
    let mesh = read_mesh(&workspace.path.join("stud.msh")).unwrap();
    assert_eq!(mesh.points.len() as u64, report["nodes"].as_u64().unwrap());
    assert!((1080..=1320).contains(&mesh.points.len()), "{} vertices", mesh.points.len());
    assert_eq!(mesh.groups.keys().collect::<Vec<_>>(), ["ball", "stud"]);
    mesh.validate().unwrap();

    let finer = workspace.pliant(&["mesh", "stud.toml", "-o", "fine.msh", "--vertices", "4000", "--json"]).expect(0);
    assert!(finer.json()["nodes"].as_u64() > Some(3600));
    let again = workspace.pliant(&["mesh", "stud.toml", "-o", "again.msh"]).expect(0);
    assert!(again.out.contains("wrote  again.msh") && again.out.contains("degrees"), "{}", again.out);
    let bytes = |name: &str| std::fs::read(workspace.path.join(name)).unwrap();
    assert!(bytes("stud.msh") == bytes("again.msh"), "not the same twice");
}

#[test]
fn a_surface_is_filled_and_its_holes_are_closed() {
    let workspace = Workspace::new("mesh-surface");
    workspace.write("stud.toml", SHAPE);
    workspace.pliant(&["mesh", "stud.toml", "-o", "stud.obj"]).expect(0);
    // A hole: the last triangle is missing.
    let text = std::fs::read_to_string(workspace.path.join("stud.obj")).unwrap();
    let last = text.rfind("\nf ").unwrap();
    workspace.write("holed.obj", &text[..last]);
    let volume = |name: &str| {
        workspace.pliant(&["mesh", name, "-o", "filled.msh", "--vertices", "3000"]).expect(0);
        read_mesh(&workspace.path.join("filled.msh")).unwrap().volume()
    };
    let (whole, holed) = (volume("stud.obj"), volume("holed.obj"));
    assert!((holed / whole - 1.0).abs() < 0.02, "{whole} m^3, with a hole {holed}");
}

#[test]
fn what_is_said_is_what_the_file_holds() {
    let workspace = Workspace::new("mesh-loss");
    workspace.write("stud.toml", SHAPE);
    let report = workspace.pliant(&["mesh", "stud.toml", "-o", "stud.stl", "--json"]).expect(0).json();
    let read = read_mesh(&workspace.path.join("stud.stl")).unwrap();
    let counts = ["nodes", "tets", "triangles", "groups"].map(|key| report[key].as_u64().unwrap() as usize);
    assert_eq!(counts, [read.points.len(), 0, read.triangles.len(), 0]);
    assert!(report["lost"].to_string().contains("holds no tets"), "{report}");
    let text = workspace.pliant(&["mesh", "stud.toml", "-o", "stud.stl"]).expect(0).out;
    assert!(text.contains("note   stl holds no tets") && text.contains("note   stl holds no groups"), "{text}");
}

#[test]
fn a_finer_surface_is_written_beside_the_tets() {
    let workspace = Workspace::new("mesh-finer");
    workspace.write("stud.toml", SHAPE);
    let fine = ["--surface", "6000", "--surface-output", "fine.ply"];
    let report =
        workspace.pliant(&[&["mesh", "stud.toml", "-o", "stud.msh", "--json"], &fine[..]].concat()).expect(0).json();
    let surface = read_mesh(&workspace.path.join("fine.ply")).unwrap();
    assert!((5400..=6600).contains(&surface.points.len()), "{}", surface.points.len());
    assert_eq!(report["surface"]["nodes"], surface.points.len());
    assert!(geometry::doctor::examine(&surface, |_| {}).is_healthy(), "closed and outward");
    // A given surface stays unchanged.
    let given = ["--surface", "given", "--surface-output", "again.ply"];
    workspace.pliant(&[&["mesh", "fine.ply", "-o", "filled.msh"], &given[..]].concat()).expect(0);
    let again = read_mesh(&workspace.path.join("again.ply")).unwrap();
    assert_eq!((&again.points, &again.triangles), (&surface.points, &surface.triangles));
    for (more, code, words) in [
        (&["--surface-output", "out.ply"][..], 2, "say --surface VERTICES"),
        (&["--surface", "600"], 2, "--surface-output"),
        (&["--surface", "7", "--surface-output", "out.ply"], 2, "from 8 to 1000000"),
        (&["--surface", "given", "--surface-output", "out.ply"], 4, "is a shape, not a surface"),
        (&["--surface", "600", "--surface-output", "out.foo"], 2, "'.foo'"),
        (&["--surface", "600", "--surface-output", "./out.msh"], 2, "name two files"),
    ] {
        let ended = workspace.pliant(&[&["mesh", "stud.toml", "-o", "out.msh"], more].concat()).expect(code);
        assert!(ended.err.contains(words), "{}", ended.err);
        assert!(!workspace.path.join("out.msh").exists() && !workspace.path.join("out.ply").exists());
    }
}

#[test]
fn a_body_of_a_scene_is_written_where_it_stands() {
    let workspace = Workspace::new("mesh-scene");
    workspace.write("scene.toml", &bar(&[]));
    workspace.pliant(&["mesh", "scene.toml", "-o", "body.vtu"]).expect(0);
    let ended = workspace.pliant(&["mesh", "scene.toml", "--body", "nobody", "-o", "body.vtu"]).expect(4);
    assert!(ended.err.contains("there is no body \"nobody\"; use one of"), "{}", ended.err);
    let ended = workspace.pliant(&["mesh", "scene.toml", "--vertices", "100", "-o", "body.vtu"]).expect(2);
    assert!(ended.err.contains("leave out --vertices"), "{}", ended.err);
}

#[test]
fn what_cannot_be_filled_is_refused_and_nothing_is_written() {
    let workspace = Workspace::new("mesh-refused");
    workspace.write("stud.toml", SHAPE);
    workspace.write("typo.toml", &SHAPE.replace("radius", "radios"));
    workspace.write("thin.toml", &SHAPE.replace("radius = 0.2", "radius = 0.001").replace("0.9", "9.0"));
    workspace.pliant(&["mesh", "stud.toml", "-o", "stud.vtu"]).expect(0);
    workspace.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n");
    for (from, code, words) in [
        ("typo.toml", 4, "--> typo.toml:12:1"),
        ("thin.toml", 4, "no tet belongs to the part 'stud'"),
        ("missing.toml", 4, "missing.toml"),
        ("missing.obj", 4, "missing.obj: cannot be read"),
        ("open.obj", 4, "open.obj: "),
        ("stud.vtu", 4, "has tets already"),
    ] {
        let ended = workspace.pliant(&["mesh", from, "-o", "out.msh"]).expect(code);
        assert!(ended.err.contains(words), "{from}: {}", ended.err);
        assert!(!workspace.path.join("out.msh").exists(), "{from} left a file");
    }
    let ended = workspace.pliant(&["mesh", "stud.toml", "-o", "out.foo"]).expect(2);
    assert!(ended.err.contains("'.foo'"), "{}", ended.err);
}

#[test]
fn a_body_in_pieces_is_warned_of() {
    let workspace = Workspace::new("mesh-pieces");
    let shape = SHAPE.replace("to = [0.0, 0.0, 0.9]", "from = [0.0, 0.0, 2.0]\nto = [0.0, 0.0, 2.9]");
    workspace.write("apart.toml", &shape);
    let from_file = "generator = \"file\", path = \"apart.toml\"";
    let scene = bar(&[("generator = \"bar\", cells_along = 8, cells_across = 2", from_file), ("\"x-\"", "\"stud\"")]);
    workspace.write("scene.toml", &scene);
    let ended = workspace.pliant(&["check", "scene.toml"]).expect(0);
    assert!(ended.err.contains("is in 2 pieces that share no face"), "{}", ended.err);
    let made = workspace.pliant(&["mesh", "apart.toml", "-o", "apart.msh"]).expect(0);
    assert!(made.out.contains("has 2 parts that share no face"), "{}", made.out);
}
