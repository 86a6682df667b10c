//! 0 done, 1 output not written, 2 usage, 3 diverged, 4 scene missing or wrong; 5 is tested where `[expect]` is, 6 where
//! directories are, 7 where runs fail in comparisons, 130 where Ctrl-C is.

use crate::workspace::{BAR, Ended, Workspace, bar};

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

/// Every command reports a failing stdout; a closed pipe is not an error.
#[cfg(target_os = "linux")]
#[test]
fn a_lost_stdout_is_an_error() {
    let workspace = Workspace::new("lost-stdout");
    workspace.write("bar.toml", BAR);
    workspace.pliant(&["run", "bar.toml", "-q"]).expect(0);
    let full = |arguments: &[&str]| {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        Ended::new(workspace.command(arguments).stdout(full).output().unwrap())
    };
    for arguments in [
        &["schema"][..],
        &["list"],
        &["--help"],
        &["--version"],
        &["check", "bar.toml"],
        &["check", "bar.toml", "--json"],
        &["run", "bar.toml"],
        &["run", "bar.toml", "-q", "--json"],
        &["resume", "out/bar"],
        &["plot", "out/bar"],
        &["export", "out/bar", "--to", "csv"],
        &["new", "other.toml"],
    ] {
        std::fs::remove_file(workspace.path.join("other.toml")).ok();
        let ended = full(arguments).expect(1);
        assert!(ended.err.contains("stdout could not be written"), "{arguments:?}: {}", ended.err);
    }
    full(&["run", "bar.toml", "-q"]).expect(0);
    // A more serious error keeps its code.
    full(&["run", "bar.toml", "--method", "symplectic-euler"]).expect(3);
    let script = format!("{} schema | head -1", env!("CARGO_BIN_EXE_pliant"));
    let output = std::process::Command::new("bash").args(["-o", "pipefail", "-c", &script]).output().unwrap();
    assert_eq!(Ended::new(output).expect(0).out, "{\n");
}

/// Reading a pipe without a writer would wait forever.
#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused_and_not_waited_for() {
    let workspace = Workspace::new("fifo");
    for name in ["scene.toml", "mesh.msh", "shape.toml"] {
        let made = std::process::Command::new("mkfifo").arg(workspace.path.join(name)).status().unwrap();
        assert!(made.success());
    }
    let shape = "shape = { generator = \"bar\", cells_along = 8, cells_across = 2 }";
    workspace.write("bar.toml", &bar(&[(shape, "shape = { generator = \"file\", path = \"mesh.msh\" }")]));
    for arguments in [
        &["run", "scene.toml"][..],
        &["check", "scene.toml"],
        &["check", "bar.toml"],
        &["compare", "scene.toml", "-m", "siere"],
        &["view", "scene.toml"],
        &["doctor", "mesh.msh"],
        &["convert", "mesh.msh", "other.vtu"],
        &["mesh", "shape.toml", "-o", "other.vtu"],
        &["run", "/dev/zero"],
    ] {
        let ended = workspace.pliant(arguments).expect(4);
        assert!(ended.err.contains("a pipe or a device"), "{arguments:?}: {}", ended.err);
    }
    // A run whose files were replaced by pipes does not wait either.
    workspace.write("good.toml", BAR);
    workspace.pliant(&["run", "good.toml"]).expect(0);
    for name in ["checkpoint.bin", "series.csv", "frames.pvd"] {
        std::fs::remove_file(workspace.path.join("out/good").join(name)).unwrap();
        std::process::Command::new("mkfifo").arg(workspace.path.join("out/good").join(name)).status().unwrap();
    }
    for arguments in [&["resume", "out/good"][..], &["plot", "out/good"], &["export", "out/good", "--to", "csv"]] {
        workspace.pliant(arguments).expect(4);
    }
}

/// Titles and names come from files of others, and a terminal executes what it is sent.
#[test]
fn nothing_of_a_file_is_sent_to_the_terminal_as_an_order() {
    let workspace = Workspace::new("escapes");
    let title = "title = \"\\u001b]0;mine\\u0007\\u001b[2J\\u009b31m\\nerror: no\"";
    let name = "name = \"b\\u001b[31m\\u202e\"";
    workspace.write("bar.toml", &bar(&[("title = \"A bar that swings\"", title), ("name = \"bar\"", name)]));
    // Printed by the program, by an error that quotes the file, and by one that names a body; each is checked for
    // escapes.
    let told = workspace.pliant(&["check", "bar.toml"]).expect(0).out;
    assert!(told.contains("\\u001b[2J") && !told.contains("\nerror: no"), "{told}");
    let json = workspace.pliant(&["check", "bar.toml", "--json"]).expect(0);
    assert_eq!(json.json()["title"], "\u{1b}]0;mine\u{7}\u{1b}[2J\u{9b}31m\nerror: no");
    workspace.pliant(&["run", "bar.toml", "--method", "symplectic-euler"]).expect(3);
    let hostile = "\x1b[2J\u{9b}31m";
    workspace.write("bad.toml", &bar(&[("young = 1e6", &format!("\"{hostile}\" = 1e6"))]));
    workspace.pliant(&["check", "bad.toml"]).expect(4);
    workspace.write("bad.toml", &format!("{hostile} = 1"));
    workspace.pliant(&["check", "bad.toml"]).expect(4);
    workspace.write("bad.obj", &format!("v 0 0 0\n{hostile} 1 2 {hostile}\n"));
    workspace.pliant(&["doctor", "bad.obj"]);
    workspace.pliant(&["check", &format!("{hostile}.toml")]).expect(4);
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
    let version = workspace.pliant(&["--version"]).expect(0).out;
    assert_eq!(version.trim(), format!("pliant {} (built for {})", env!("CARGO_PKG_VERSION"), processor::built()));
    workspace.write("bar.toml", BAR);
    let report = workspace.pliant(&["run", "bar.toml", "--json"]).expect(0).json();
    assert_eq!(report["level"], processor::built());
}
