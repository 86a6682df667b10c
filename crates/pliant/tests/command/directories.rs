//! Where files go, and what happens where they cannot.

use crate::reader::{series, whole_run};
use crate::workspace::{BAR, Ended, Workspace, bar};
use std::process::Command;

#[test]
fn a_directory_of_somebody_else_is_refused() {
    let workspace = Workspace::new("foreign");
    workspace.write("bar.toml", BAR);
    std::fs::create_dir(workspace.path.join("home")).unwrap();
    workspace.write("home/letter.txt", "dear");
    let ended = workspace.pliant(&["run", "bar.toml", "-o", "home"]).expect(1);
    assert!(ended.err.contains("letter.txt") && ended.err.contains("--force"), "{}", ended.err);
    assert_eq!(std::fs::read_dir(workspace.path.join("home")).unwrap().count(), 1);
    workspace.pliant(&["run", "bar.toml", "-o", "home", "--force"]).expect(0);
    assert_eq!(std::fs::read_to_string(workspace.path.join("home/letter.txt")).unwrap(), "dear");
    // The scene itself beside its output is somebody else's too.
    workspace.pliant(&["run", "bar.toml", "-o", "."]).expect(1);
}

#[test]
fn an_earlier_run_is_replaced_without_a_trace() {
    let workspace = Workspace::new("replace");
    workspace.write("bar.toml", BAR);
    workspace.pliant(&["run", "bar.toml"]).expect(0);
    workspace.pliant(&["run", "bar.toml", "--duration", "0.05"]).expect(0);
    let (rows, frames) = whole_run(&workspace.path.join("out/bar"));
    assert_eq!((rows.len(), frames.len()), (6, 4));
}

#[cfg(unix)]
#[test]
fn a_place_that_cannot_be_written_is_an_error() {
    let workspace = Workspace::new("unwritable");
    workspace.write("bar.toml", BAR);
    // Where nobody may make directories, root included.
    let ended = workspace.pliant(&["run", "bar.toml", "-o", "/proc/pliant"]).expect(1);
    assert!(ended.err.contains("/proc/pliant") && ended.err.contains("-o"), "{}", ended.err);
    workspace.write("file", "");
    let ended = workspace.pliant(&["run", "bar.toml", "-o", "file/below"]).expect(1);
    assert!(ended.err.contains("file/below"), "{}", ended.err);
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_that_leaves_whole_rows() {
    let workspace = Workspace::new("full");
    workspace.write(
        "bar.toml",
        &bar(&[("duration = 0.24", "duration = 100.0"), ("frame_rate = 50.0", "frame_rate = 0.001")]),
    );
    // No file may be longer than 128 blocks of 512 bytes: the series meets that as it would a full disk.
    let script = format!("trap '' XFSZ; ulimit -f 128; exec {} run bar.toml --json", env!("CARGO_BIN_EXE_pliant"));
    let output = Command::new("sh").args(["-c", &script]).current_dir(&workspace.path).output().unwrap();
    let ended = Ended::new(output).expect(1);
    assert!(ended.err.contains("series.csv") && ended.err.contains("make room"), "{}", ended.err);
    assert!(ended.err.contains("pliant resume out/bar"), "{}", ended.err);
    assert_eq!(ended.json()["outcome"], "error");
    let (_, rows) = series(&workspace.path.join("out/bar/series.csv"));
    assert!(rows.len() > 50);
    // With room again it goes on.
    workspace.pliant(&["resume", "out/bar", "--duration", "4.0"]).expect(0);
    workspace.pliant(&["run", "bar.toml", "--duration", "4.0", "-o", "whole"]).expect(0);
    let read = |file: &str| std::fs::read(workspace.path.join(file)).unwrap();
    assert!(read("out/bar/series.csv") == read("whole/series.csv"));
}

#[test]
fn runs_of_run_files_stay_apart() {
    let workspace = Workspace::new("again");
    for name in ["one", "two"] {
        workspace.write(&format!("{name}.toml"), BAR);
        workspace.pliant(&["run", &format!("{name}.toml")]).expect(0);
        let report = workspace.pliant(&["run", &format!("out/{name}/run.toml"), "--json"]).expect(0).json();
        assert_eq!(report["output"], format!("out/{name}-again"));
    }
    // From inside of its directory too, which is then still a run's and no more.
    let inside = |arguments: &[&str]| {
        let mut command = workspace.command(arguments);
        Ended::new(command.current_dir(workspace.path.join("out/one")).output().unwrap()).expect(0)
    };
    assert_eq!(inside(&["run", "run.toml", "--json"]).json()["output"], "../one-again");
    let text = std::fs::read_to_string(workspace.path.join("out/one/run.toml")).unwrap();
    let advised = text.lines().find_map(|line| line.strip_prefix("# pliant run ")).unwrap();
    inside(&[&["run"], advised.split(' ').collect::<Vec<_>>().as_slice()].concat());
    assert!(workspace.path.join("out/again/summary.json").exists());
    workspace.pliant(&["run", "one.toml"]).expect(0);
}

#[cfg(unix)]
#[test]
fn names_need_not_be_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let workspace = Workspace::new("bytes");
    let (scene, out) = (OsStr::from_bytes(b"b\xff.toml"), OsStr::from_bytes(b"o\xff"));
    // Some file systems take UTF-8 only.
    if std::fs::write(workspace.path.join(scene), BAR).is_err() {
        return;
    }
    let run = |arguments: &[&OsStr]| {
        let output = workspace.command(&["run", "--json"]).args(arguments).output().unwrap();
        Ended::new(output).expect(0).json()["output"].clone()
    };
    assert_eq!(run(&[scene]), "out/b\u{fffd}");
    assert_eq!(run(&[scene, OsStr::new("-o"), out]), "o\u{fffd}");
    assert!(workspace.path.join(out).join("summary.json").exists());
    let output = workspace.command(&["demo", "--quiet", "-o"]).arg(out).output().unwrap();
    Ended::new(output).expect(0);
    let output = workspace.command(&["resume", "--json"]).arg(out).output().unwrap();
    Ended::new(output).expect(0);
    let output = workspace.command(&["check", "--json"]).arg(scene).output().unwrap();
    Ended::new(output).expect(0);
}
