//! Tells the program its commit: the one that `git archive` wrote into commit.txt, the one that `cargo package` wrote into the
//! package, that of the checkout, or "unknown".

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=commit.txt");
    let commit = archived().or_else(packaged).or_else(checked_out).unwrap_or_else(|| "unknown".to_string());
    println!("cargo::rustc-env=PLIANT_COMMIT={commit}");
}

/// Returns the commit in commit.txt, if git has filled it in.
fn archived() -> Option<String> {
    let text = std::fs::read_to_string("commit.txt").ok()?;
    is_commit(text.trim()).then(|| text.trim().to_string())
}

/// The commit a package was made from: {"git": {"sha1": "..."}}.
fn packaged() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    text.split('"').find(|word| is_commit(word)).map(str::to_string)
}

/// The commit of the checkout, if this is one: the archive may lie inside of the checkout of something else.
fn checked_out() -> Option<String> {
    let root = Path::new("../..").canonicalize().ok()?;
    if Path::new(&git(&["rev-parse", "--show-toplevel"])?).canonicalize().ok()? != root {
        return None;
    }
    // git appends a line to it for every commit and checkout.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).exists() {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "HEAD"]).filter(|commit| is_commit(commit))
}

fn is_commit(text: &str) -> bool {
    text.len() >= 40 && text.bytes().all(|c| c.is_ascii_hexdigit())
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_string())
}
