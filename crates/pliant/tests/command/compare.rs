//! `pliant compare` as people and programs use it.

use crate::workspace::{Ended, Workspace, bar};
use std::process::Stdio;

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
    for name in ["report.html", "energy.svg", "precision.svg", "damping.svg", "damping.csv", "runs.csv", "energies.csv"]
    {
        assert!(workspace.path.join("cmp").join(name).is_file(), "{name} is missing");
    }
    let read = |name: &str| std::fs::read_to_string(workspace.path.join("cmp").join(name)).unwrap();
    let (page, plot, rows) = (read("report.html"), read("damping.svg"), read("damping.csv"));
    assert!(runs.iter().all(|run| run["ms_per_step"].as_f64() > Some(0.0)), "{report}");
    // One curve per method, whatever its steps, with measured dots.
    assert_eq!((plot.matches("<polyline").count(), plot.matches("<circle").count()), (2, 34));
    assert!(
        page.contains("\"damping\":{\"axis\"") && rows.contains("backward-euler,backward-euler,1.0,0.693147180559945")
    );
    let euler = &report["damping"][0];
    assert_eq!((&euler["label"], euler["points"].as_array().map(Vec::len)), (&"backward-euler".into(), Some(17)));
    for point in euler["points"].as_array().unwrap() {
        let [formula, measured] = ["formula", "measured"].map(|key| point[key].as_f64().unwrap());
        assert!((formula - measured).abs() < 1e-6, "{point}");
    }
    assert!(page.contains("pliant compare bar.toml --methods backward-euler,implicit-midpoint --steps 0.01,0.005"));
}

/// A comparison with other methods does not replace the first.
#[test]
fn other_comparisons_stay_apart() {
    let workspace = Workspace::new("compare-apart");
    workspace.write("bar.toml", &bar(&[("duration = 0.24", "duration = 0.02")]));
    let compare = |methods: &str| workspace.pliant(&["compare", "bar.toml", "-m", methods]).expect(0);
    assert_eq!(compare("bdf2").err, "");
    let told = compare("newmark");
    assert!(
        told.err.contains("out/compare-bar holds another comparison; this one goes to out/compare-bar-2"),
        "{}",
        told.err
    );
    assert!(told.out.contains("out/compare-bar-2/report.html"), "{}", told.out);
    assert!(compare("bdf2").out.contains("out/compare-bar/report.html"), "the same one is replaced");
    let page = |name: &str| std::fs::read_to_string(workspace.path.join(name).join("report.html")).unwrap();
    assert!(
        page("out/compare-bar").contains("--methods bdf2") && page("out/compare-bar-2").contains("--methods newmark")
    );
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

/// Ctrl-C in the middle: finished results are shown.
#[cfg(unix)]
#[test]
fn an_interrupted_comparison_keeps_what_is_done() {
    let workspace = Workspace::new("compare-interrupted");
    workspace.write("bar.toml", &bar(&[("duration = 0.24", "duration = 10000.0")]));
    let script = "import os, signal as s, sys\ns.signal(s.SIGINT, s.SIG_DFL)\nos.execv(sys.argv[1], sys.argv[1:])";
    // Progress within a time depends on the load of the machine.
    let began = [2, 8, 30].into_iter().any(|seconds| {
        let mut command = std::process::Command::new("python3");
        command.args(["-c", script, env!("CARGO_BIN_EXE_pliant"), "compare", "bar.toml", "-o", "cmp", "--json"]);
        command.args(["--methods", "symplectic-euler,backward-euler,bdf2,siere"]).current_dir(&workspace.path);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_secs(seconds));
        let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        let report = Ended::new(child.wait_with_output().unwrap()).expect(130).json();
        assert_eq!(report["outcome"], "interrupted");
        // Nothing is written where nothing was begun.
        assert_eq!(report["report"].is_null(), report["runs"].as_array().unwrap().is_empty(), "{report}");
        report["runs"][0]["outcome"] == "diverged" && report["runs"][1]["outcome"] == "interrupted"
    });
    assert!(began, "no run gets anywhere");
    assert!(
        std::fs::read_to_string(workspace.path.join("cmp/report.html")).unwrap().contains("\"outcome\":\"stopped\"")
    );
}

/// With scripts, damping and hard contacts the exact motion does not conserve energy: no share is shown.
#[test]
fn energy_kept_is_said_only_where_there_is_energy_to_keep() {
    let workspace = Workspace::new("compare-kept");
    let free = bar(&[("[run]", "[world]\ngravity = [0.0, 0.0, 0.0]\n\n[run]")])
        + "\n[[initial]]\nkind = \"stretch\"\nfactors = [1.02, 1.0, 1.0]\n";
    let damped = format!("{free}\n[damping]\nmass = 5.0\n");
    for (name, text, kept) in [("free", free, true), ("damped", damped, false)] {
        workspace.write(&format!("{name}.toml"), &text);
        let scene = format!("{name}.toml");
        let arguments = ["compare", &scene, "-m", "implicit-midpoint,im", "--json"];
        let usage = workspace.pliant(&arguments).expect(2);
        assert!(usage.err.contains("implicit-midpoint is named twice"), "an alias is the same method: {}", usage.err);
        let report = workspace.pliant(&["compare", &scene, "-m", "implicit-midpoint", "--json"]).expect(0).json();
        assert_eq!(report["runs"][0]["energy_kept"].is_number(), kept, "{name}: {report}");
    }
    assert!(workspace.pliant(&["compare", "free.toml", "-m", "siere,,"]).expect(2).err.contains("empty name"));
}
