//! 0 done, 1 output not written, 2 usage, 3 diverged, 4 scene missing or wrong; 130 is tested where Ctrl-C is.

use crate::workspace::{BAR, Workspace, bar};

#[test]
fn every_exit_code() {
    let workspace = Workspace::new("exit-codes");
    workspace.write("bar.toml", BAR);
    workspace.write("broken.toml", &bar(&[("young = 1e6", "yung = 1e6"), ("duration = 0.24", "duration = -1.0")]));
    workspace.write("file", "");
    workspace.pliant(&["run", "bar.toml", "-o", "done"]).expect(0);
    workspace.pliant(&["run", "bar.toml", "-o", "file"]).expect(1);
    workspace.pliant(&["run", "bar.toml", "-o", "d", "--method", "symplectic-euler"]).expect(3);
    for usage in
        [&["run"][..], &["walk"], &["run", "bar.toml", "--step", "much"], &["run", "bar.toml", "--threads", "0"]]
    {
        assert!(workspace.pliant(usage).expect(2).err.contains("Usage") || usage.len() > 2);
    }
    workspace.pliant(&[]).expect(2);
    // Two mistakes, both named, with their lines; nothing is written.
    let ended = workspace.pliant(&["run", "broken.toml"]).expect(4);
    assert!(
        ended.err.contains("yung") && ended.err.contains("young") && ended.err.contains("duration"),
        "{}",
        ended.err
    );
    assert!(ended.err.contains("broken.toml:4") && ended.err.contains("error:"), "{}", ended.err);
    assert!(!workspace.path.join("out").exists());
    workspace.pliant(&["check", "broken.toml"]).expect(4);
    let missing = workspace.pliant(&["check", "missing.toml"]).expect(4).err;
    assert!(missing.contains("--> missing.toml\n") && !missing.contains('^'), "there is no line to show:\n{missing}");
    workspace.pliant(&["run", "bar.toml", "--method", "backwards-euler"]).expect(4);
    for step in ["-1", "0", "nan", "inf", "1e-300"] {
        workspace.pliant(&["run", "bar.toml", "--step", step]).expect(4);
    }
}

#[test]
fn errors_are_json_too() {
    let workspace = Workspace::new("errors-json");
    workspace.write("broken.toml", &bar(&[("young = 1e6", "yung = 1e6")]));
    workspace.write("bar.toml", BAR);
    workspace.write("file", "");
    let report = workspace.pliant(&["run", "broken.toml", "--json"]).expect(4).json();
    assert_eq!(report["outcome"], "bad input");
    assert!(report["problems"].as_array().is_some_and(|list| !list.is_empty()));
    assert_eq!(workspace.pliant(&["check", "broken.toml", "--json"]).expect(4).json()["outcome"], "bad input");
    let report = workspace.pliant(&["run", "bar.toml", "-o", "file", "--json"]).expect(1).json();
    assert_eq!(report["outcome"], "error");
}

#[test]
fn help_and_version() {
    let workspace = Workspace::new("help");
    let help = workspace.pliant(&["--help"]).expect(0).out;
    for word in ["demo", "new", "check", "run", "resume", "list", "schema", "bench", "Exit codes"] {
        assert!(help.contains(word), "{word}");
    }
    assert_eq!(workspace.pliant(&["--version"]).expect(0).out.trim(), concat!("pliant ", env!("CARGO_PKG_VERSION")));
}
