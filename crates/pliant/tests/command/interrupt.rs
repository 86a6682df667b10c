//! Ctrl-C and termination signals stop a run after the current step and leave complete files.
#![cfg(unix)]

use crate::reader::whole_run;
use crate::workspace::{Ended, Workspace, bar};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Runs a command that ignores no signals: the tests may run under nohup, which shells cannot undo.
const UNIGNORED: &str = "import os, signal as s, sys
for n in (s.SIGHUP, s.SIGINT, s.SIGTERM): s.signal(n, s.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])";

/// Starts a run that has done some steps and would continue for long.
fn begin(workspace: &Workspace, command: &mut Command) -> Child {
    workspace.write("bar.toml", &bar(&[("duration = 0.24", "duration = 10000.0")]));
    let child = command.spawn().unwrap();
    // The heading, the beginning, and nine steps.
    wait_for_rows(workspace, 11);
    child
}

fn rows(workspace: &Workspace) -> usize {
    std::fs::read_to_string(workspace.path.join("out/bar/series.csv")).map_or(0, |text| text.lines().count())
}

fn wait_for_rows(workspace: &Workspace, count: usize) {
    let begun = Instant::now();
    while rows(workspace) < count {
        assert!(begun.elapsed() < Duration::from_secs(60), "the run does not go on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn ctrl_c_and_signals_to_end_leave_whole_files() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let workspace = Workspace::new(&format!("interrupt{signal}"));
        let mut command = Command::new("python3");
        command.args(["-c", UNIGNORED, env!("CARGO_BIN_EXE_pliant"), "run", "bar.toml", "--json"]);
        command.current_dir(&workspace.path).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = begin(&workspace, &mut command);
        send(signal, &child);
        let ended = Ended::new(child.wait_with_output().unwrap()).expect(130);
        let report = ended.json();
        assert_eq!(report["outcome"], "interrupted");
        let steps = report["steps"].as_u64().unwrap();
        assert!(steps >= 9, "{steps}");
        assert!(ended.out.contains("pliant resume out/bar"), "{}", ended.out);
        let (rows, frames) = whole_run(&workspace.path.join("out/bar"));
        assert_eq!(rows.len() as u64, steps + 1);
        assert_eq!(frames.last().unwrap().time, report["time"].as_f64().unwrap());
        assert!(workspace.path.join("out/bar/summary.json").exists());
    }
}

/// `nohup pliant run ...` continues when its terminal is closed.
#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_to_ignore_hanging_up_does() {
    let workspace = Workspace::new("nohup");
    let script = format!("trap '' HUP; exec {} run bar.toml", env!("CARGO_BIN_EXE_pliant"));
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(&workspace.path).stdout(Stdio::null());
    let mut child = begin(&workspace, &mut command);
    send("-HUP", &child);
    wait_for_rows(&workspace, rows(&workspace) + 50);
    assert!(child.try_wait().unwrap().is_none());
    child.kill().unwrap();
    child.wait().unwrap();
}
