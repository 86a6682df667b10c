//! `pliant compare` as people and programs use it.

use crate::workspace::{Workspace, bar};

#[test]
fn methods_and_steps_are_compared_with_a_reference() {
    let workspace = Workspace::new("compare");
    workspace.write("bar.toml", &bar(&[]));
    let arguments = ["compare", "bar.toml", "--methods", "backward-euler,implicit-midpoint", "--steps", "0.01,0.005"];
    let more = ["--reference", "implicit-midpoint@0.0005", "--json", "-o", "cmp"];
    let report = workspace.pliant(&[&arguments[..], &more[..]].concat()).expect(0).json();
    let runs = report["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 4);
    assert_eq!(runs[1]["label"], "backward-euler @ 0.005 s");
    let error = |i: usize| runs[i]["error"].as_f64().unwrap();
    assert!(error(0) > error(1) && error(2) > error(3) && error(1) > error(3), "{report}");
    for name in ["report.html", "energy.svg", "precision.svg", "runs.csv", "energies.csv"] {
        assert!(workspace.path.join("cmp").join(name).is_file(), "{name} is missing");
    }
    let page = std::fs::read_to_string(workspace.path.join("cmp/report.html")).unwrap();
    assert!(page.contains("pliant compare bar.toml --methods backward-euler,implicit-midpoint --steps 0.01,0.005"));
}

#[test]
fn what_cannot_be_compared_says_why() {
    let workspace = Workspace::new("compare-bad");
    workspace.write("bar.toml", &bar(&[]));
    for (arguments, code, words) in [
        (&["--methods", "siera"][..], 4, "did you mean `siere`"),
        (&["--methods", "siere", "--steps", "-1"], 4, "`step` takes"),
        (&["--methods", "siere", "--steps", "0.01", "--equal-cost"], 2, "cannot be used with"),
        (&["--methods", "siere", "--reference", "siere"], 2, "is no METHOD@STEP"),
        (&["--methods", "siere", "--reference", "symplectic-euler@0.1"], 2, "the reference symplectic-euler"),
        (&[], 2, "--methods"),
    ] {
        let ended = workspace.pliant(&[&["compare", "bar.toml", "-o", "cmp"], arguments].concat()).expect(code);
        assert!(ended.err.contains(words), "{arguments:?}: {}", ended.err);
        assert!(!workspace.path.join("cmp").exists(), "{arguments:?} left files");
    }
}
