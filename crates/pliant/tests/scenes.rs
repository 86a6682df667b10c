//! Every scene of the repository runs and ends as its `[expect]` block says; the large ones are built only.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The scene files of a directory of the repository, sorted.
fn scenes_in(directory: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(directory);
    let all = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let mut scenes: Vec<_> = all.filter(|path| path.is_file()).collect();
    scenes.sort();
    scenes
}

#[test]
fn large_scenes_can_be_built_and_expect_something() {
    let scenes = scenes_in("scenes/large");
    assert!(scenes.len() >= 5, "only {} scenes", scenes.len());
    for scene in &scenes {
        let text = std::fs::read_to_string(scene).unwrap();
        assert!(text.contains("[expect]"), "{} expects nothing", scene.display());
        let check = Command::new(env!("CARGO_BIN_EXE_pliant")).arg("check").arg(scene).output().unwrap();
        assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
    }
}

#[test]
fn every_scene_ends_as_it_expects() {
    let out = std::env::temp_dir().join(format!("pliant-scenes-{}", std::process::id()));
    let scenes = scenes_in("scenes");
    assert!(scenes.len() >= 20, "only {} scenes", scenes.len());
    let mut wrong = Vec::new();
    for scene in &scenes {
        let text = std::fs::read_to_string(scene).unwrap();
        assert!(text.contains("[expect]"), "{} expects nothing", scene.display());
        let run = Command::new(env!("CARGO_BIN_EXE_pliant"))
            .args(["run", "--quiet", "--json", "-o"])
            .arg(out.join(scene.file_stem().unwrap()))
            .arg(scene)
            .output()
            .unwrap();
        let stdout = String::from_utf8(run.stdout).unwrap();
        let summary: serde_json::Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
        if summary["as_expected"] != true {
            wrong.push(format!("{}: {summary}", scene.display()));
        }
    }
    std::fs::remove_dir_all(&out).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
