//! Every scene of the repository runs and ends as its `[expect]` block says; the large ones are built only.

use scene::Scene;
use scene::expect::Outcome;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The scene files of a directory of the repository, sorted.
fn scenes_in(directory: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(directory);
    let all = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let mut scenes: Vec<_> = all.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    scenes.sort();
    scenes
}

#[test]
fn large_scenes_can_be_built_and_expect_motion() {
    let scenes = scenes_in("scenes/large");
    assert!(scenes.len() >= 5, "only {} scenes", scenes.len());
    for scene in &scenes {
        let wrong = stillness_expected(scene);
        assert!(wrong.is_none(), "{}: {wrong:?}", scene.display());
    }
}

/// Returns an error if a run in which nothing moves would fulfil the scene's expectations.
fn stillness_expected(path: &Path) -> Option<String> {
    let check = Command::new(env!("CARGO_BIN_EXE_pliant")).args(["check", "--json"]).arg(path).output().unwrap();
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
    let report: serde_json::Value = serde_json::from_slice(&check.stdout).unwrap();
    let mut warnings = report["warnings"].as_array().unwrap().iter();
    let warning = warnings.find(|warning| warning.as_str().unwrap().contains("nothing ever moves"))?;
    Some(format!("{}: {warning}", path.display()))
}

/// The same, and an error if the final kinetic energy is not bounded, so that an overdamped run might pass.
fn too_little_expected(path: &Path) -> Option<String> {
    if let Some(wrong) = stillness_expected(path) {
        return Some(wrong);
    }
    let scene = Scene::load(path).unwrap_or_else(|problems| panic!("{problems}"));
    let expect = scene.expect.unwrap_or_else(|| panic!("{} expects nothing", path.display()));
    let says = expect.outcome == Outcome::Diverged || expect.bounds.iter().any(|bound| bound.of.name == "kinetic");
    (!says).then(|| format!("{}: [expect] does not bound `kinetic`", path.display()))
}

#[test]
fn every_scene_ends_as_it_expects() {
    let out = std::env::temp_dir().join(format!("pliant-scenes-{}", std::process::id()));
    let scenes = scenes_in("scenes");
    assert!(scenes.len() >= 20, "only {} scenes", scenes.len());
    let mut wrong = Vec::new();
    for scene in &scenes {
        wrong.extend(too_little_expected(scene));
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
