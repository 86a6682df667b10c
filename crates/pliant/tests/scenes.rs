//! Every scene of the repository runs and ends as its `[expect]` block says.

use std::path::Path;
use std::process::Command;

#[test]
fn every_scene_ends_as_it_expects() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let out = std::env::temp_dir().join(format!("pliant-scenes-{}", std::process::id()));
    let mut scenes: Vec<_> =
        std::fs::read_dir(root.join("scenes")).unwrap().map(|entry| entry.unwrap().path()).collect();
    scenes.sort();
    assert!(scenes.len() >= 8, "only {} scenes", scenes.len());
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
