//! `pliant resume`: a run continues bit-for-bit identical to an uninterrupted one, whatever ended it.

use crate::workspace::{BAR, Workspace, bar};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Returns every file of a run that contains no computing times.
fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for part in ["", "frames"] {
        for entry in fs::read_dir(directory.join(part)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(directory).unwrap().to_path_buf();
            let timed = ["summary.json", "checkpoint.bin"].contains(&name.to_str().unwrap());
            if !timed && path.is_file() {
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    files
}

fn assert_same(one: &Path, other: &Path) {
    let (one, other) = (files(one), files(other));
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    one.iter().for_each(|(file, bytes)| assert!(*bytes == other[file], "{} differs", file.display()));
}

/// Returns the step of a checkpoint: after the head, the state and the memory, whose lengths are stored.
fn step_of(checkpoint: &Path) -> Option<u64> {
    let bytes = fs::read(checkpoint).ok()?;
    let whole = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let mut at = 48;
    for _ in 0..4 {
        at += 8 + 8 * whole(at)? as usize;
    }
    whole(at)
}

#[cfg(unix)]
#[test]
fn a_killed_run_goes_on() {
    for (method, threads) in [("bdf2", "1"), ("newmark", "2")] {
        let workspace = Workspace::new(&format!("killed-{method}"));
        let replace = [("duration = 0.24", "duration = 10000.0"), ("linearly-implicit-euler", method)];
        workspace.write("bar.toml", &bar(&replace));
        let (out, whole) = (workspace.path.join("out/bar"), workspace.path.join("whole"));
        let mut child = workspace.command(&["run", "bar.toml"]).spawn().unwrap();
        // Killed after it has continued from its second checkpoint.
        let begun = Instant::now();
        while step_of(&out.join("checkpoint.bin")).unwrap_or(0) == 0 {
            assert!(begun.elapsed() < Duration::from_secs(60), "there is no checkpoint");
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(50));
        child.kill().unwrap();
        child.wait().unwrap();
        let step = step_of(&out.join("checkpoint.bin")).unwrap();
        let rows = fs::read_to_string(out.join("series.csv")).unwrap().lines().count() as u64 - 2;
        assert!(rows >= step, "{rows} steps are written, {step} in the checkpoint");
        assert!(!out.join("summary.json").exists());

        let duration = format!("{}", (rows + 20) as f64 * 0.01);
        let ended = workspace.pliant(&["resume", "out/bar", "--duration", &duration, "--threads", threads, "--json"]);
        let resumed = ended.expect(0).json();
        let ended = workspace.pliant(&["run", "bar.toml", "--duration", &duration, "-o", "whole", "--json"]);
        let report = ended.expect(0).json();
        assert_same(&out, &whole);
        for key in ["outcome", "steps", "time", "duration", "energy", "work", "frames", "halved", "divergence"] {
            assert_eq!(resumed[key], report[key], "{key}");
        }
    }
}

#[test]
fn a_finished_run_has_nothing_left_to_do_and_can_be_made_longer() {
    let workspace = Workspace::new("longer");
    workspace.write("bar.toml", BAR);
    workspace.pliant(&["run", "bar.toml", "--duration", "0.095"]).expect(0);
    let out = workspace.path.join("out/bar");
    let before = files(&out);
    let ended = workspace.pliant(&["resume", "out/bar", "--json"]).expect(0);
    assert!(ended.out.contains("nothing left") && ended.out.contains("--duration"), "{}", ended.out);
    assert_eq!(ended.json()["outcome"], "done");
    assert_eq!(workspace.pliant(&["resume", "out/bar", "-q"]).expect(0).out, "");
    assert!(files(&out) == before);

    let ended = workspace.pliant(&["resume", "out/bar", "--duration", "0.24"]).expect(0);
    assert!(ended.out.contains("24 of 24 steps"), "{}", ended.out);
    workspace.pliant(&["run", "bar.toml", "-o", "whole"]).expect(0);
    assert_same(&out, &workspace.path.join("whole"));
}

/// The checkpoint names the program; another one may continue, and warns that bits may differ.
#[test]
fn the_program_that_wrote_a_checkpoint_is_named() {
    let workspace = Workspace::new("program");
    workspace.write("bar.toml", BAR);
    let report = workspace.pliant(&["run", "bar.toml", "--json"]).expect(0).json();
    let [commit, instructions] = ["commit", "instructions"].map(|key| report[key].as_str().unwrap().to_string());
    assert!(commit == "unknown" || commit.len() >= 40, "{commit}");
    assert!(instructions.starts_with(std::env::consts::ARCH), "{instructions}");
    let path = workspace.path.join("out/bar/checkpoint.bin");
    let good = fs::read(&path).unwrap();
    let at = |word: &str| good.windows(word.len()).rposition(|bytes| bytes == word.as_bytes()).unwrap();
    let forge = |at: usize, byte: u8| {
        let mut forged = good[..good.len() - 16].to_vec();
        forged[at] = byte;
        forged.extend(xxhash_rust::xxh3::xxh3_128(&forged).to_le_bytes());
        fs::write(&path, forged).unwrap();
    };
    let resume = |code: i32| workspace.pliant(&["resume", "out/bar"]).expect(code).err;
    assert_eq!(resume(0), "");
    forge(at(&instructions), b'?');
    let told = resume(0);
    assert!(told.contains("warning: another program") && told.contains("instructions ?"), "{told}");
    assert!(told.contains(&format!("now {instructions}")), "{told}");
    forge(at(&commit), b'?');
    assert!(resume(0).contains("commit ?"));
    let version = env!("CARGO_PKG_VERSION");
    forge(at(&commit) - 8 - version.len(), b'9');
    let told = resume(4);
    assert!(told.contains("pliant 9.1.0 (commit") && told.contains("resume with the version that wrote it"), "{told}");
    // An earlier layout is named, with what to do.
    let mut old = good.clone();
    old[8..16].copy_from_slice(&8_u64.to_le_bytes());
    fs::write(&path, old).unwrap();
    let told = resume(4);
    assert!(told.contains("format 8 of an earlier pliant") && told.contains("pliant run out/bar/run.toml"), "{told}");
}

#[test]
fn what_cannot_be_resumed_is_left_alone() {
    let workspace = Workspace::new("refused");
    workspace.write("bar.toml", BAR);
    workspace.pliant(&["run", "bar.toml"]).expect(0);
    let out = workspace.path.join("out/bar");
    let refused = |words: &[&str]| {
        let before = files(&out);
        let ended = workspace.pliant(&["resume", "out/bar", "--duration", "0.5", "--json"]).expect(4);
        words.iter().for_each(|word| assert!(ended.err.contains(word), "{word} is not in\n{}", ended.err));
        assert_eq!(ended.json()["outcome"], "bad input");
        assert!(files(&out) == before && out.join("summary.json").exists());
    };
    let checkpoint = fs::read(out.join("checkpoint.bin")).unwrap();
    fs::write(out.join("checkpoint.bin"), &checkpoint[..checkpoint.len() / 2]).unwrap();
    refused(&["checkpoint.bin", "pliant run out/bar/run.toml -o out/bar"]);
    fs::remove_file(out.join("checkpoint.bin")).unwrap();
    refused(&["no checkpoint", "pliant run out/bar/run.toml -o out/bar"]);
    // Its advice works.
    workspace.pliant(&["run", "out/bar/run.toml", "-o", "out/bar"]).expect(0);
    let series = fs::read_to_string(out.join("series.csv")).unwrap();
    fs::write(out.join("series.csv"), series.replacen("\n5,", "\n6,", 1)).unwrap();
    refused(&["series.csv", "put it back"]);
    fs::write(out.join("series.csv"), series).unwrap();
    // Every frame is unchanged, or the changed one is named.
    let frame = out.join("frames/frame-000003.vtu");
    let good = fs::read(&frame).unwrap();
    fs::write(&frame, &good[..good.len() / 2]).unwrap();
    refused(&["frame-000003.vtu", "cut to", "put it back"]);
    let mut bad = good.clone();
    bad[good.len() / 2] ^= 1;
    fs::write(&frame, &bad).unwrap();
    refused(&["frame-000003.vtu", "checksum"]);
    fs::write(&frame, [&good[..], b"\n"].concat()).unwrap();
    refused(&["frame-000003.vtu", "checksum"]);
    fs::remove_file(&frame).unwrap();
    refused(&["frame-000003.vtu", "gone"]);
    fs::write(&frame, &good).unwrap();
    workspace.pliant(&["resume", "out/bar", "--duration", "0.1"]).expect(4);
    workspace.pliant(&["resume", "out/bar", "--duration", "nan"]).expect(4);
    workspace.pliant(&["resume", "."]).expect(4);
    workspace.pliant(&["resume", "bar.toml"]).expect(4);
    workspace.pliant(&["resume", "nowhere"]).expect(4);
    workspace.pliant(&["resume"]).expect(2);
    workspace.pliant(&["resume", "out/bar", "--duration", "0.5"]).expect(0);
}
