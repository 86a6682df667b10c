//! Ctrl-C ends a run after the step under way and leaves whole files.
#![cfg(unix)]

use crate::reader::whole_run;
use crate::workspace::{Ended, Workspace, bar};
use std::process::Command;
use std::time::{Duration, Instant};

#[test]
fn ctrl_c_leaves_whole_files() {
    let workspace = Workspace::new("interrupt");
    workspace.write("bar.toml", &bar(&[("duration = 0.24", "duration = 10000.0")]));
    let child = workspace.command(&["run", "bar.toml", "--json"]).spawn().unwrap();
    // Wait until it has done some steps.
    let series = workspace.path.join("out/bar/series.csv");
    let begun = Instant::now();
    while std::fs::read_to_string(&series).map_or(0, |text| text.lines().count()) < 10 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the run does not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ended = Ended::new(child.wait_with_output().unwrap()).expect(130);
    let report = ended.json();
    assert_eq!(report["outcome"], "interrupted");
    let steps = report["steps"].as_u64().unwrap();
    assert!(steps >= 9);
    assert!(ended.out.contains("pliant resume out/bar"), "{}", ended.out);
    let (rows, frames) = whole_run(&workspace.path.join("out/bar"));
    assert_eq!(rows.len() as u64, steps + 1);
    assert_eq!(frames.last().unwrap().time, report["time"].as_f64().unwrap());
    assert!(workspace.path.join("out/bar/summary.json").exists());
}
