//! The launcher starts the build that fits, in its own process and with all arguments. Builds are scripts that say their name.
#![cfg(all(unix, target_arch = "x86_64"))]

use processor::Level;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

/// Programs are written and started one at a time: a file that another thread's child still has open for writing cannot be run.
static ONE: Mutex<()> = Mutex::new(());

/// A directory with the launcher in bin/ and scripts for these levels in libexec/pliant/.
fn install(name: &str, levels: &[Level]) -> PathBuf {
    let _alone = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(root.join("bin")).unwrap();
    fs::create_dir_all(root.join("libexec/pliant")).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_pliant-launcher"), root.join("bin/pliant")).unwrap();
    for level in levels {
        let path = root.join(format!("libexec/pliant/pliant-{}", level.short()));
        fs::write(&path, format!("#!/bin/sh\necho {} $$ \"$@\"\nexit 5\n", level.short())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    root
}

fn launch(program: &Path, force: Option<&str>) -> (Output, u32) {
    let mut command = Command::new(program);
    command.args(["run", "a b"]).env_remove("PLIANT_CPU");
    command.envs(force.map(|level| ("PLIANT_CPU", level)));
    let _alone = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let id = child.id();
    (child.wait_with_output().unwrap(), id)
}

#[test]
fn the_best_build_runs_in_the_process_of_the_launcher() {
    let root = install("levels", &Level::ALL);
    let best = Level::of_machine().unwrap().short();
    let link = root.join("pliant-by-another-name");
    std::os::unix::fs::symlink(root.join("bin/pliant"), &link).unwrap();
    for program in [root.join("bin/pliant"), link] {
        let (output, id) = launch(&program, None);
        assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{best} {id} run a b\n"));
        assert_eq!(output.status.code(), Some(5));
    }
}

#[test]
fn a_level_can_be_forced() {
    let root = install("forced", &Level::ALL);
    let (output, _) = launch(&root.join("bin/pliant"), Some("v1"));
    assert!(output.stdout.starts_with(b"v1 "), "{output:?}");
}

#[test]
fn what_cannot_be_started_is_told() {
    let told = |name: &str, levels: &[Level], force| {
        let (output, _) = launch(&install(name, levels).join("bin/pliant"), force);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(told("none", &[], None).contains("error: there is no build beside the launcher"));
    assert!(told("unknown", &[Level::V1], Some("v9")).contains("use v1, v2, v3, v4"));
    assert!(told("absent", &[Level::V1], Some("v2")).contains("use one of v1"));
}
