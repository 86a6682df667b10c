//! Runs and files that `pliant export` refuses.

use super::*;

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
    other.write("bar.toml", &bar(&[("cells_along = 8", "cells_along = 4")]));
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
    // This frame has no velocities: they stay empty.
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
    // A foreign directory.
    fs::create_dir(workspace.path.join("mine")).unwrap();
    workspace.write("mine/thesis.obj", "v 0 0 0\n");
    let err = workspace.pliant(&["export", "out/bar", "--to", "obj", "-o", "mine"]).expect(1).err;
    assert!(err.contains("thesis.obj") && err.contains("-o"), "{err}");
    assert_eq!(names(&workspace.path.join("mine")), ["thesis.obj"]);
    workspace.pliant(&["export", "out/bar", "--to", "obj", "-o", "mine/thesis.obj"]).expect(1);
    assert!(files(&workspace.path.join("out/bar")) == run);
    // A place where nothing can be written.
    let err = workspace.pliant(&["export", "out/bar", "--to", "gltf", "-o", "bar.toml/x.glb"]).expect(1).err;
    assert!(err.contains("bar.toml") && err.contains("-o"), "{err}");
    // Frames of an earlier export that no longer exist are removed.
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
    // Every second frame is still too many: the suggestion counts frames of the run.
    let err = workspace.pliant(&["export", "out/long", "--to", "gltf", "--every", "2"]).expect(2).err;
    assert!(err.contains("351 frames") && err.contains("--every 4"), "{err}");
}
