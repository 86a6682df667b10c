//! Broken mesh and shape files, given to every command that reads them: exit code 4, file and line in the message,
//! nothing written.

use crate::workspace::{Workspace, bar};
use std::path::{Path, PathBuf};

fn tests(directory: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(directory)
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Counts the files of a workspace.
fn left(workspace: &Workspace) -> usize {
    files(&workspace.path).len()
}

#[test]
fn none_is_converted() {
    let workspace = Workspace::new("bad-meshes");
    let formats = files(&tests("bad_meshes")).into_iter().filter(|path| path.is_dir());
    let mut count = 0;
    for path in formats.flat_map(|directory| files(&directory)) {
        // A node file may be sound, beside the broken one.
        if path.extension().is_some_and(|ending| ending == "node") {
            continue;
        }
        let err = workspace.pliant(&["convert", path.to_str().unwrap(), "out.msh"]).expect(4).err;
        assert!(err.contains(&*path.file_name().unwrap().to_string_lossy()), "{}: {err}", path.display());
        assert_eq!(left(&workspace), 0, "{} leaves a file", path.display());
        count += 1;
    }
    assert!(count >= 150, "{count} files");
}

#[test]
fn every_command_names_the_line() {
    let workspace = Workspace::new("bad-meshes-commands");
    // Messages of the doctor for files that it can read.
    for (file, place, seen) in [
        ("gmsh/node_coordinate_nan.msh", ":7: ", Some("1 node is nowhere")),
        ("medit/tet_names_vertex_5.mesh", ":11: ", Some("1 element names a node that is not there")),
        ("vtk/hexahedron.vtk", ":10: ", None),
        ("vtu/point_nan.vtu", ":6: ", Some("1 node is nowhere")),
        ("vtu/bomb_of_zlib_groups.vtu", "byte 7821", None),
        ("obj/face_names_vertex_4.obj", ":4: ", Some("1 element names a node that is not there")),
        ("ply/face_cut_off.ply", ":13: ", Some("are announced, but")),
        ("stl/vertex_is_text.stl", ":5: ", None),
    ] {
        let path = tests("bad_meshes").join(file);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        std::fs::copy(&path, workspace.path.join(&name)).unwrap();
        let scene = [(
            r#"shape = { generator = "bar", cells_along = 8, cells_across = 2 }"#,
            &*format!("shape = {{ generator = \"file\", path = \"{name}\" }}"),
        )];
        workspace.write("scene.toml", &bar(&scene));
        let before = left(&workspace);
        let fix = ["doctor", &name, "--fix", "all", "-o", "out.msh"];
        let look = ["doctor", &*name];
        let doctor: &[&[&str]] = &[&look, &fix];
        if let Some(seen) = seen {
            for arguments in doctor {
                let out = workspace.pliant(arguments).expect(0).out;
                assert!(out.contains(seen) && out.contains("mends it"), "{arguments:?}: {out}");
            }
            std::fs::remove_file(workspace.path.join("out.msh")).unwrap();
            let err = workspace.pliant(&["run", "scene.toml"]).expect(4).err;
            assert!(err.contains(&format!("pliant doctor {name} --fix all")), "{err}");
        }
        let refused = if seen.is_none() { doctor } else { &[] };
        for &arguments in refused.iter().chain(&[
            &["mesh", &name, "-o", "out.msh", "--vertices", "100"][..],
            &["check", "scene.toml"],
            &["run", "scene.toml"],
        ]) {
            let err = workspace.pliant(arguments).expect(4).err;
            assert!(err.contains(&name) && err.contains(place), "{arguments:?}: {err}");
            assert_eq!(left(&workspace), before, "{arguments:?} leaves a file");
        }
    }
}

#[test]
fn no_shape_is_filled() {
    let workspace = Workspace::new("bad-shapes");
    for path in files(&tests("bad_shapes")) {
        let err = workspace.pliant(&["mesh", path.to_str().unwrap(), "-o", "out.msh"]).expect(4).err;
        assert!(err.contains(&*path.file_name().unwrap().to_string_lossy()), "{}: {err}", path.display());
        assert_eq!(left(&workspace), 0, "{} leaves a file", path.display());
    }
}

/// The doctor reports a node that is twice in a tet; other commands refuse it.
#[test]
fn a_node_twice_in_a_tet_is_seen_and_refused() {
    let workspace = Workspace::new("sick-meshes");
    for path in files(&tests("sick_meshes")) {
        let name = path.to_str().unwrap();
        let err = workspace.pliant(&["convert", name, "out.msh"]).expect(4).err;
        assert!(err.contains("tet 1") && err.contains("--fix degenerate"), "{err}");
        assert_eq!(left(&workspace), 0);
        workspace.pliant(&["doctor", name, "--fix", "degenerate", "-o", "mended.msh"]);
        workspace.pliant(&["convert", "mended.msh", "mended.vtu"]).expect(0);
        for made in ["mended.msh", "mended.vtu"] {
            std::fs::remove_file(workspace.path.join(made)).unwrap();
        }
    }
}
