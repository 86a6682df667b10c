//! Random scenes with every method, run by the program: none panics, none leaves a file that is incomplete or not
//! finite, and a long run ends soon after Ctrl-C.
//!
//! Runs for some seconds; for longer with `PLIANT_SOAK_SECONDS`, or for a number of runs with `PLIANT_SOAK_RUNS`, with
//! another seed by `PLIANT_SOAK_SEED`:
//!
//!     PLIANT_SOAK_SECONDS=1800 cargo test --profile quick -p pliant --test command soak -- --nocapture
//!     PLIANT_SOAK_RUNS=10000 cargo test --profile quick -p pliant --test command soak -- --nocapture
#![cfg(unix)]

mod scene;

use crate::reader::whole_run;
use crate::workspace::Workspace;
use scene::random_scene;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{Child, Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Time after which a run is interrupted, and time within which it must then end. The second is long, because all cores
/// are busy and results are written.
const PATIENCE: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(5)];
/// Exit codes of runs that ended properly: done, diverged, refused, interrupted.
const GOOD: [i32; 4] = [0, 3, 4, 130];

#[test]
fn soak_no_scene_breaks_the_program() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let runs = number("PLIANT_SOAK_RUNS");
    let seconds = number("PLIANT_SOAK_SECONDS").unwrap_or(if runs.is_some() { u64::MAX } else { 10 });
    let seed = number("PLIANT_SOAK_SEED").unwrap_or(1);
    let (start, next, workspace) = (Instant::now(), AtomicU64::new(0), Workspace::new("soak"));
    let (endings, wrong) = (Mutex::new(BTreeMap::<i32, u64>::new()), Mutex::new(Vec::new()));
    let is_over = |run: u64| runs.is_some_and(|runs| run >= runs) || start.elapsed() >= Duration::from_secs(seconds);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let run = next.fetch_add(1, Ordering::Relaxed);
                    if is_over(run) {
                        break;
                    }
                    let text = random_scene(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ run);
                    match soak(&workspace, run, &text) {
                        Ok(code) => *endings.lock().unwrap().entry(code).or_default() += 1,
                        Err(cause) => wrong.lock().unwrap().push(kept(seed, run, &text, &cause)),
                    }
                    if run % 500 == 499 {
                        eprintln!("{} runs, {} wrong, {:?}", run + 1, wrong.lock().unwrap().len(), start.elapsed());
                    }
                }
            });
        }
    });
    let (endings, wrong) = (endings.into_inner().unwrap(), wrong.into_inner().unwrap());
    println!("runs by exit code: {endings:?}; wrong: {}", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let count = |code| endings.get(&code).copied().unwrap_or(0);
    let all: u64 = endings.values().sum();
    // Refused scenes test nothing.
    assert!(count(0) > 5 && 10 * count(4) < all, "too few runs were runs: {endings:?}");
}

/// Runs the scene; returns its exit code, or the defect.
fn soak(workspace: &Workspace, run: u64, text: &str) -> Result<i32, String> {
    let (scene, out) = (format!("{run}.toml"), format!("{run}"));
    workspace.write(&scene, text);
    let child = workspace.command(&["run", "--quiet", "--threads", "1", "-o", &out, &scene]).spawn().unwrap();
    let (output, is_late) = ended(child);
    let (code, errors) = (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned());
    if errors.contains("panicked") || !GOOD.contains(&code) {
        return Err(format!("exit code {code}: {errors}"));
    }
    if is_late {
        return Err(format!("does not end within {:?} of being interrupted", PATIENCE[1]));
    }
    let directory = workspace.path.join(&out);
    if directory.exists() {
        let whole = catch_unwind(AssertUnwindSafe(|| whole_run(&directory)));
        whole.map_err(|_| "has left a file that is not whole and finite".to_string())?;
        std::fs::remove_dir_all(&directory).unwrap();
    }
    std::fs::remove_file(workspace.path.join(&scene)).unwrap();
    Ok(code)
}

/// Waits for the end of a run, interrupts it if it takes long, and kills it if that does not help, which is reported.
fn ended(child: Child) -> (Output, bool) {
    let (id, is_over, is_late) = (child.id().to_string(), AtomicBool::new(false), AtomicBool::new(false));
    let output = std::thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            let output = child.wait_with_output().unwrap();
            is_over.store(true, Ordering::Relaxed);
            output
        });
        for (signal, patience) in ["-INT", "-KILL"].into_iter().zip(PATIENCE) {
            let begun = Instant::now();
            while begun.elapsed() < patience && !is_over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(2));
            }
            if !is_over.load(Ordering::Relaxed) {
                is_late.store(signal == "-KILL", Ordering::Relaxed);
                let _ = Command::new("kill").args([signal, &id]).status();
            }
        }
        waiter.join().unwrap()
    });
    (output, is_late.into_inner())
}

/// Keeps a scene that revealed a defect, and returns its path.
fn kept(seed: u64, run: u64, text: &str, cause: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("soak");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("seed-{seed}-run-{run}.toml"));
    std::fs::write(&path, text).unwrap();
    let line = format!("{}: {cause}", path.display());
    eprintln!("{line}");
    line
}
