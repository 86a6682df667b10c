//! Checkpoints that cannot be used: each is refused with a reason and advice, and nothing is changed.

use crate::runs::{BAR, Until, begin, empty_directory, everything, label, resume, variants, with};
use scene::output::Paused;
use std::fs;
use std::path::Path;

/// Checks that a directory is refused for these reasons, and left as it is.
fn assert_refused(path: &Path, words: &[&str]) {
    let before = everything(path);
    let error = Paused::open(path, None).err().expect("a refusal").to_string();
    for word in words {
        assert!(error.contains(word), "{word} is not in\n{error}");
    }
    assert!(everything(path) == before, "something was changed: {error}");
}

/// Writes a checkpoint with eight bytes replaced and a matching checksum.
fn forge(path: &Path, bytes: &[u8], at: usize, number: u64) {
    let mut forged = bytes[..bytes.len() - 16].to_vec();
    forged[at..at + 8].copy_from_slice(&number.to_le_bytes());
    let sum = xxhash_rust::xxh3::xxh3_128(&forged);
    forged.extend(sum.to_le_bytes());
    fs::write(path, forged).unwrap();
}

#[test]
fn what_is_not_a_whole_checkpoint() {
    let path = empty_directory("damaged");
    begin(&path, BAR, Until::Asked(9));
    let file = path.join("checkpoint.bin");
    let good = fs::read(&file).unwrap();
    let anew = "pliant run";
    // Cut at every length, and too long.
    for length in 0..good.len() {
        fs::write(&file, &good[..length]).unwrap();
        assert_refused(&path, &[anew, "checkpoint.bin"]);
    }
    fs::write(&file, [&good[..], b"!"].concat()).unwrap();
    assert_refused(&path, &["cut or added to", anew]);
    // Any bit that has changed.
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        fs::write(&file, bad).unwrap();
        assert_refused(&path, &[anew]);
    }
    forge(&file, &good, 8, 99);
    assert_refused(&path, &["format 99", "version that wrote it"]);
    fs::write(&file, "not a checkpoint at all").unwrap();
    assert_refused(&path, &["is not a checkpoint"]);
    fs::remove_file(&file).unwrap();
    assert_refused(&path, &["no checkpoint", anew]);
    fs::create_dir(&file).unwrap();
    assert!(Paused::open(&path, None).is_err());
    fs::remove_dir(&file).unwrap();
    fs::write(&file, &good).unwrap();
    resume(&path, None, Until::End);
}

#[test]
fn numbers_that_lie_behind_a_good_checksum() {
    let path = empty_directory("forged");
    begin(&path, &with(BAR, &[("linearly-implicit-euler", "bdf2")]), Until::Asked(9));
    let file = path.join("checkpoint.bin");
    let good = fs::read(&file).unwrap();
    // Lengths, counts and other numbers: no panic, no excessive allocation.
    for at in (24..good.len() - 24).step_by(8) {
        for number in [u64::MAX, u64::MAX / 8 + 1, 1 << 40, f64::NAN.to_bits(), 0] {
            forge(&file, &good, at, number);
            let _ = Paused::open(&path, None);
        }
    }
}

#[test]
fn memories_that_cannot_be() {
    // Of 20 nodes: behind head, fingerprint, time, two lists of 60 numbers and that of the turns of no rigid body comes the
    // length of the memory.
    let memory = 24 + 16 + 8 + 2 * (8 + 8 * 60) + 8 + 8;
    for (method, variant) in variants().filter(|(_, variant)| variant.contains("stale")) {
        let path = empty_directory(&format!("forged-{}", label(method, &variant)));
        begin(&path, &with(BAR, &[("linearly-implicit-euler\"", &variant)]), Until::Asked(9));
        let file = path.join("checkpoint.bin");
        let good = fs::read(&file).unwrap();
        let length = u64::from_le_bytes(good[memory - 8..memory].try_into().unwrap()) as usize;
        // Precisions, counts, kind and factors of a matrix, and positions: at least.
        assert!(length >= 10 + 60, "{}: {length} numbers", method.name);
        for k in 0..length {
            forge(&file, &good, memory + 8 * k, f64::NAN.to_bits());
            assert_refused(&path, &["was not written by", method.name, "pliant run"]);
        }
        forge(&file, &good, memory, 1e9_f64.to_bits());
        assert_refused(&path, &["was not written by", method.name, "pliant run"]);
        if method.name == "linearly-implicit-euler" {
            // Behind the last solutions: held, precision, iterations lately, age, uses, iterations, kind.
            let solutions = f64::from_le_bytes(good[memory..memory + 8].try_into().unwrap()) as usize;
            let factor = 1 + solutions;
            for (k, number) in [5.0, 3.0, -1.0, 0.5, 1e20, -3.0, 7.0].into_iter().enumerate() {
                forge(&file, &good, memory + 8 * (factor + k), f64::to_bits(number));
                assert_refused(&path, &["was not written by", method.name, "pliant run"]);
            }
            // Wrong but possible values do no harm: a factor is only a way to solve.
            for k in (1..factor).step_by(20).chain(factor + 7..length) {
                forge(&file, &good, memory + 8 * k, f64::to_bits(-2.0));
                resume(&path, None, Until::End);
                begin(&path, &with(BAR, &[("linearly-implicit-euler\"", &variant)]), Until::Asked(9));
            }
        }
    }
}

#[test]
fn a_checkpoint_of_something_else() {
    let path = empty_directory("other");
    begin(&path, BAR, Until::Asked(9));
    let run = fs::read_to_string(path.join("run.toml")).unwrap();
    let edit = |old: &str, new: &str| fs::write(path.join("run.toml"), with(&run, &[(old, new)])).unwrap();
    edit("cells_along = 4", "cells_along = 5");
    assert_refused(&path, &["20 nodes", "24", "put back", "pliant run"]);
    edit("young = 10000.0", "young = 20000.0");
    assert_refused(&path, &["run.toml has been changed"]);
    edit("duration = 0.08", "duration = 0.02");
    assert_refused(&path, &["0.036", "0.02", "--duration"]);
    edit("duration = 0.08", "duration = -1.0");
    assert_refused(&path, &["duration", "run.toml"]);
    fs::remove_file(path.join("run.toml")).unwrap();
    assert_refused(&path, &["holds no run"]);
    assert!(Paused::open(Path::new("/no/such/directory"), None).is_err());

    // Memory of another method: bdf2 has some, backward-euler none, and newmark less.
    let path = empty_directory("other-method");
    for (wrote, reads) in [("bdf2", "backward-euler"), ("bdf2", "newmark"), ("newmark", "bdf2")] {
        begin(&path, &with(BAR, &[("linearly-implicit-euler", wrote)]), Until::Asked(9));
        let checkpoint = fs::read(path.join("checkpoint.bin")).unwrap();
        begin(&path, &with(BAR, &[("linearly-implicit-euler", reads)]), Until::Asked(9));
        fs::write(path.join("checkpoint.bin"), checkpoint).unwrap();
        assert_refused(&path, &["was not written by", reads, "pliant run"]);
    }
}

#[test]
fn frames_that_are_cut_removed_or_altered() {
    let path = empty_directory("frames");
    begin(&path, BAR, Until::Asked(9));
    let written = fs::read_dir(path.join("frames")).unwrap().count();
    assert!(written >= 3, "{written} frames");
    for number in 0..written {
        let (name, after) = (format!("frame-{number:06}.vtu"), number + 1 == written);
        let file = path.join("frames").join(&name);
        let good = fs::read(&file).unwrap();
        let mut bits = good.clone();
        bits[good.len() / 2] ^= 4;
        let bad = [&good[..0], &good[..good.len() - 1], &bits, &[&good[..], b"!"].concat()].map(<[u8]>::to_vec);
        for bad in bad.iter().filter(|_| !after) {
            fs::write(&file, bad).unwrap();
            assert_refused(&path, &[&name, "not what the run had written", "pliant run"]);
        }
        fs::remove_file(&file).unwrap();
        // The last one belongs to the moment that is shown again: the checkpoint does not depend on it.
        if after {
            resume(&path, None, Until::End);
        } else {
            assert_refused(&path, &[&name, "gone", "pliant run"]);
            fs::write(&file, &good).unwrap();
        }
    }
}

#[test]
fn files_that_have_been_edited() {
    for file in ["series.csv", "frames.pvd"] {
        let path = empty_directory("edited");
        begin(&path, BAR, Until::Asked(9));
        let good = fs::read(path.join(file)).unwrap();
        let text = String::from_utf8(good.clone()).unwrap();
        let bad =
            [text.replacen("p=\"0\"", "p=\"1\"", 1).replacen(",0.0,", ",0.5,", 1), text[..text.len() / 3].to_string()];
        for bad in bad {
            assert_ne!(bad, text);
            fs::write(path.join(file), bad).unwrap();
            assert_refused(&path, &[file, "put it back", "pliant run"]);
        }
        fs::remove_file(path.join(file)).unwrap();
        assert_refused(&path, &[file, "gone"]);
        // Bytes after the checkpoint do not matter.
        fs::write(path.join(file), [&good[..], b"more"].concat()).unwrap();
        resume(&path, None, Until::End);
    }
}
