//! Output directories, and errors where files cannot be written.

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
    // The scene itself beside its output is a foreign file too.
    workspace.pliant(&["run", "bar.toml", "-o", "."]).expect(1);
}

/// Computed results are lost only on request.
#[test]
fn runs_with_other_parameters_stay_apart() {
    let workspace = Workspace::new("replace");
    workspace.write("bar.toml", BAR);
    let first = workspace.pliant(&["run", "bar.toml"]).expect(0);
    assert!(first.err.is_empty(), "{}", first.err);
    let short = ["run", "bar.toml", "--duration", "0.05"];
    for note in ["out/bar holds another run; this one goes to out/bar-2", "out/bar-2 held a run of the same scene"] {
        let ended = workspace.pliant(&short).expect(0);
        assert!(ended.err.contains(note), "{}", ended.err);
        assert!(ended.out.contains("out/bar-2"), "{}", ended.out);
    }
    let size = |directory: &str| {
        let (rows, frames) = whole_run(&workspace.path.join(directory));
        (rows.len(), frames.len())
    };
    assert_eq!((size("out/bar"), size("out/bar-2")), ((25, 13), (6, 4)));
    // An edited scene is another run, and gets a third name.
    workspace.write("bar.toml", &bar(&[("young = 1e6", "young = 2e6")]));
    let report = workspace.pliant(&["run", "bar.toml", "--json"]).expect(0).json();
    assert_eq!(report["output"], "out/bar-3");
    // A named directory is not renumbered, so the run in it is replaced only on request.
    workspace.write("bar.toml", BAR);
    let refused = workspace.pliant(&["run", "bar.toml", "-o", "out/bar-3"]).expect(1).err;
    assert!(refused.contains("out/bar-3 holds another run") && refused.contains("--force"), "{refused}");
    assert_eq!(size("out/bar-3"), (25, 13));
    // With --force it is replaced completely.
    let ended = workspace.pliant(&[&short[..], &["--force"]].concat()).expect(0);
    assert!(ended.err.contains("out/bar held another run: it is replaced"), "{}", ended.err);
    assert_eq!(size("out/bar"), (6, 4));
}

/// A run into a directory that another one writes into is refused; leftovers of a killed one are no obstacle.
#[cfg(unix)]
#[test]
fn two_runs_do_not_write_into_one_directory() {
    use std::io::Read;
    let workspace = Workspace::new("locked");
    workspace.write("bar.toml", BAR);
    workspace.write("long.toml", &bar(&[("duration = 0.24", "duration = 10000.0")]));
    let mut child = workspace.command(&["run", "long.toml", "-o", "d", "--quiet"]).spawn().unwrap();
    let begun = std::time::Instant::now();
    while !workspace.path.join("d/checkpoint.bin").exists() {
        assert!(begun.elapsed() < std::time::Duration::from_secs(120), "the run does not begin");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    for arguments in [
        &["run", "bar.toml", "-o", "d"][..],
        &["run", "bar.toml", "-o", "d", "--force"],
        &["run", "long.toml", "-o", "d", "--json"],
        &["resume", "d"],
    ] {
        let ended = workspace.pliant(arguments).expect(6);
        let words = format!("another run (process {}) writes into d; wait for its end", child.id());
        assert!(ended.err.contains(&words), "{arguments:?}: {}", ended.err);
        assert_eq!(ended.err.contains("--out"), arguments[0] == "run", "{}", ended.err);
    }
    assert!(child.try_wait().unwrap().is_none(), "the first goes on");
    child.kill().unwrap();
    child.wait().unwrap();
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(told, "");
    assert!(workspace.path.join("d/run.lock").exists(), "a kill leaves the file of the lock");
    // It may have come farther than that; a stale lock is no reason to refuse.
    assert_ne!(workspace.pliant(&["resume", "d", "--duration", "0.5", "--quiet"]).code, 6);
    workspace.pliant(&["run", "bar.toml", "-o", "d", "--force"]).expect(0);
    assert!(!workspace.path.join("d/run.lock").exists());
}

/// Killed before run.toml had its final name: the directory still counts as a run's.
#[test]
fn a_kill_inside_of_the_first_write_leaves_nothing_in_the_way() {
    let workspace = Workspace::new("first-write");
    workspace.write("bar.toml", BAR);
    workspace.pliant(&["run", "bar.toml"]).expect(0);
    let out = workspace.path.join("out/bar");
    let whole = std::fs::read(out.join("run.toml")).unwrap();
    for length in [0, 3, MARK.len(), 20, whole.len()] {
        std::fs::remove_dir_all(&out).unwrap();
        std::fs::create_dir_all(out.join("frames")).unwrap();
        std::fs::write(out.join("run.toml.partial"), &whole[..length]).unwrap();
        std::fs::write(out.join("run.lock"), "1\n").unwrap();
        let ended = workspace.pliant(&["run", "bar.toml"]).expect(0);
        assert!(ended.err.is_empty(), "nothing was computed there: {}", ended.err);
        whole_run(&out);
        assert!(!out.join("run.toml.partial").exists());
    }
    // A foreign file stays unchanged.
    std::fs::remove_dir_all(&out).unwrap();
    std::fs::create_dir_all(&out).unwrap();
    std::fs::write(out.join("run.toml.partial"), "my own").unwrap();
    let refused = workspace.pliant(&["run", "bar.toml"]).expect(1).err;
    assert!(refused.contains("run.toml.partial, which no run wrote"), "{refused}");
}

const MARK: &str = "# pliant ";

#[test]
fn plots_of_several_runs_leave_those_of_one_alone() {
    let workspace = Workspace::new("plots");
    workspace.write("bar.toml", BAR);
    for name in ["a", "b"] {
        workspace.pliant(&["run", "bar.toml", "-o", name, "-q"]).expect(0);
    }
    workspace.pliant(&["plot", "a"]).expect(0);
    let pictures = || {
        let files = std::fs::read_dir(workspace.path.join("a-plots")).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = files.map(|path| (std::fs::read(&path).unwrap(), path)).collect();
        files.sort();
        files
    };
    let before = pictures();
    let told = workspace.pliant(&["plot", "a", "b"]).expect(0).out;
    assert!(told.contains("a-with-b-plots"), "{told}");
    assert!(pictures() == before && !before.is_empty());
    let many: Vec<&str> = ["a", "b"].into_iter().cycle().take(60).collect();
    let told = workspace.pliant(&[&["plot"], &many[..]].concat()).expect(0).out;
    assert!(told.contains("a-with-59-others-"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_place_that_cannot_be_written_is_an_error() {
    let workspace = Workspace::new("unwritable");
    workspace.write("bar.toml", BAR);
    // A place where no user may make directories, not even root.
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
    // No file may exceed 128 blocks of 512 bytes: the series meets this limit like a full disk.
    let script = format!("trap '' XFSZ; ulimit -f 128; exec {} run bar.toml --json", env!("CARGO_BIN_EXE_pliant"));
    let output = Command::new("sh").args(["-c", &script]).current_dir(&workspace.path).output().unwrap();
    let ended = Ended::new(output).expect(1);
    assert!(ended.err.contains("series.csv") && ended.err.contains("make room"), "{}", ended.err);
    assert!(ended.err.contains("pliant resume out/bar"), "{}", ended.err);
    assert_eq!(ended.json()["outcome"], "error");
    let (_, rows) = series(&workspace.path.join("out/bar/series.csv"));
    assert!(rows.len() > 50);
    // With space again it continues.
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
    // Also from inside its directory, which remains a run's and nothing else.
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
