//! `pliant run`, `new` and `check`: files and output.

use crate::reader::{series, whole_run};
use crate::workspace::{BAR, Workspace, bar};

#[test]
fn a_run_writes_what_it_says() {
    let workspace = Workspace::new("run");
    workspace.write("bar.toml", BAR);
    let ended = workspace.pliant(&["run", "bar.toml", "--json"]).expect(0);
    let out = workspace.path.join("out/bar");
    let (rows, frames) = whole_run(&out);
    assert_eq!(rows.len(), 25);
    assert_eq!(frames.len(), 13);
    assert_eq!(frames.last().unwrap().time, 0.24);
    let report = ended.json();
    assert_eq!(report["outcome"], "done");
    assert_eq!((report["steps"].as_u64(), report["time"].as_f64()), (Some(24), Some(0.24)));
    assert_eq!(report["frames"], 13);
    assert_eq!(report["output"], "out/bar");
    assert_eq!(report["work"]["factorisations"], 24);
    assert!(report["ms_per_step"].as_f64().unwrap() > 0.0);
    assert_eq!(report["energy"]["last"]["total"].as_f64().unwrap(), rows[24][6]);
    let summary = std::fs::read_to_string(out.join("summary.json")).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&summary).unwrap(), report);
    assert!(ended.err.is_empty(), "no progress bar without a terminal: {}", ended.err);
    assert!(ended.out.contains("out/bar") && ended.out.contains("ms per step"));
}

#[test]
fn a_run_is_repeated_from_its_own_file() {
    let workspace = Workspace::new("repeat");
    workspace.write("bar.toml", BAR);
    workspace
        .pliant(&["run", "bar.toml", "-o", "a", "-m", "backward-euler", "--step", "0.02", "--duration", "0.1"])
        .expect(0);
    std::fs::copy(workspace.path.join("a/run.toml"), workspace.path.join("again.toml")).unwrap();
    workspace.pliant(&["run", "again.toml", "-o", "b", "-q"]).expect(0);
    let read = |file: &str| std::fs::read(workspace.path.join(file)).unwrap();
    assert!(read("a/series.csv") == read("b/series.csv"));
    assert!(read("a/run.toml") == read("b/run.toml"));
    assert!(read("a/frames/frame-000005.vtu") == read("b/frames/frame-000005.vtu"));
}

#[test]
fn flags_replace_what_the_scene_says() {
    let workspace = Workspace::new("flags");
    workspace.write("bar.toml", BAR);
    let flags = ["run", "bar.toml", "--method", "bdf2", "--step", "0.03", "--duration", "0.1", "--json", "--quiet"];
    let ended = workspace.pliant(&flags).expect(0);
    assert_eq!(ended.out.lines().count(), 1, "quiet: {}", ended.out);
    let report = ended.json();
    assert_eq!(
        (report["method"].as_str(), report["steps"].as_u64(), report["time"].as_f64()),
        (Some("bdf2"), Some(4), Some(0.1))
    );
    let (_, rows) = series(&workspace.path.join("out/bar/series.csv"));
    assert_eq!(rows.iter().map(|row| row[1]).collect::<Vec<_>>(), [0.0, 0.03, 0.06, 0.09, 0.1]);
}

#[test]
fn what_a_scene_expects_is_checked() {
    let workspace = Workspace::new("expect");
    let expecting = |block: &str| format!("{BAR}\n[expect]\n{block}\n");
    workspace.write("good.toml", &expecting("outcome = \"done\"\nenergy = [-1e3, 1e3]"));
    workspace.write("bad.toml", &expecting("outcome = \"done\"\nenergy = [1e6, 1e7]"));
    assert_eq!(workspace.pliant(&["run", "good.toml", "--json"]).expect(0).json()["as_expected"], true);
    let ended = workspace.pliant(&["run", "bad.toml", "--json"]).expect(5);
    assert_eq!(ended.json()["as_expected"], false);
    // Asked again, it is still not as expected.
    workspace.pliant(&["resume", "out/bad"]).expect(5);
    assert_eq!(ended.json()["expected"], serde_json::json!({ "outcome": "done", "energy": [1e6, 1e7] }));
    assert!(ended.out.contains("energy from 1e6 to 1e7 J expected, "), "{}", ended.out);
    workspace.write("worse.toml", &expecting("outcome = \"diverged\"\nenergy = [-inf, inf]"));
    let ended = workspace.pliant(&["run", "worse.toml"]).expect(5);
    assert!(ended.out.contains("outcome \"diverged\" expected, \"done\" came\n"), "{}", ended.out);
}

#[test]
fn a_new_scene_can_be_checked_and_run_and_is_never_overwritten() {
    let workspace = Workspace::new("new");
    workspace.pliant(&["new", "mine.toml"]).expect(0);
    let text = std::fs::read_to_string(workspace.path.join("mine.toml")).unwrap();
    assert!(text.lines().filter(|line| line.contains('#')).count() > 5, "commented:\n{text}");
    workspace.pliant(&["new", "mine.toml"]).expect(2);
    assert_eq!(std::fs::read_to_string(workspace.path.join("mine.toml")).unwrap(), text);
    workspace.pliant(&["check", "mine.toml"]).expect(0);
    workspace.pliant(&["run", "mine.toml", "--duration", "0.1"]).expect(0);
    let refused = workspace.pliant(&["new", "no/such/directory.toml"]).expect(1).err;
    assert!(refused.contains("make its directory first") && !refused.contains("-o"), "{refused}");
    workspace.pliant(&["new"]).expect(0);
    assert!(workspace.path.join("scene.toml").exists());
}

#[test]
fn a_check_says_what_there_is_and_what_to_look_out_for() {
    let workspace = Workspace::new("check");
    workspace.write("bar.toml", BAR);
    let ended = workspace.pliant(&["check", "bar.toml"]).expect(0);
    for word in ["81", "216", "192 tets", "40 kg", "linearly-implicit-euler", "24 steps", "13 frames"] {
        assert!(ended.out.contains(word), "{word} is not in\n{}", ended.out);
    }
    assert!(ended.err.lines().count() == 1 && ended.err.contains("its mesh is too coarse"), "{}", ended.err);
    assert!(!workspace.path.join("out").exists(), "checking writes nothing");

    workspace.write(
        "fast.toml",
        &bar(&[("linearly-implicit-euler", "symplectic-euler"), ("[[fix]]\nwhere = { group = \"x-\" }\n", "")]),
    );
    let ended = workspace.pliant(&["check", "fast.toml"]).expect(0);
    assert!(ended.err.contains("warning: symplectic-euler is stable for steps below"), "{}", ended.err);
    assert!(ended.err.contains("everything falls"), "{}", ended.err);
    let report = workspace.pliant(&["check", "fast.toml", "--json"]).expect(0).json();
    assert_eq!(report["elements"]["tet"], 192);
    assert_eq!(report["warnings"].as_array().unwrap().len(), 3);
}

#[test]
fn cloth_and_ropes_have_cells_of_their_own() {
    let workspace = Workspace::new("cloth");
    workspace.write(
        "cloth.toml",
        r#"
[run]
duration = 0.1
[integrator]
method = "linearly-implicit-euler"
step = 0.01
[[body]]
name = "cloth"
shape = { generator = "cloth" }
springs = { law = "linear", stiffness = 100.0 }
area_density = 0.2
[[body]]
name = "chain"
shape = { generator = "chain", links = 5 }
springs = { law = "linear", stiffness = 100.0 }
line_density = 0.1
position = [0.0, 0.0, 2.0]
[[fix]]
body = "chain"
where = { group = "start" }
"#,
    );
    workspace.pliant(&["run", "cloth.toml"]).expect(0);
    let (_, frames) = whole_run(&workspace.path.join("out/cloth"));
    let (types, bodies) = (frames[0].integers("types"), frames[0].integers("body"));
    let count = |kind: i64, body: i64| types.iter().zip(&bodies).filter(|(t, b)| (**t, **b) == (kind, body)).count();
    assert!(count(5, 0) > 0 && count(3, 0) > 0, "triangles and edges of cloth");
    assert_eq!((count(5, 1), count(3, 1)), (0, 5), "a chain has edges only");
}
