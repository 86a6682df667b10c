//! Randomly changed files, read by every reader: none panics, takes more than a second or much memory, and results have
//! finite points and indices in range.
//!
//! Runs for 30 s, the same files each time; for longer on request:
//!
//!     PLIANT_FUZZ_SECONDS=3600 PLIANT_FUZZ_SEED=7 cargo test --release -p pliant-formats --test fuzz -- --nocapture
//!
//! A wrongly read file is left in `target/fuzz`, with a name that says how it was made. Such files, once fixed, belong
//! into `tests/bad_meshes`.

#[path = "../measured/mod.rs"]
mod measured;
mod mutate;
mod seeds;

use formats::{FormatError, Input};
use measured::measured;
use model::mesh::Mesh;
use mutate::{Random, mutate};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// Limit of memory for reading: a constant, and a factor of the file size [bytes].
const LEAST_BYTES: usize = 96 << 20;
const BYTES_PER_BYTE: usize = 200;
/// Limit of seed files: larger ones would run too rarely [bytes].
const LARGEST: usize = 1 << 16;

fn environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |value| value.parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

#[test]
fn no_file_is_too_bad_to_be_refused() {
    let seconds = environment("PLIANT_FUZZ_SECONDS", 30);
    let first = environment("PLIANT_FUZZ_SEED", 1);
    let seeds = seeds::all();
    let (start, mut run, mut read) = (Instant::now(), 0, 0);
    while start.elapsed() < Duration::from_secs(seconds) {
        let mut random = Random::new(first.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ run);
        // Every reader gets its turn.
        let seed = &seeds[run as usize % seeds.len()];
        let mut bytes = mutate(&seed.bytes, || &seeds[random_of(run, first, seeds.len())].bytes, &mut random);
        bytes.truncate(LARGEST);
        // The file beside it is now and then the file itself, changed.
        let beside = if random.below(4) == 0 { Some(bytes.clone()) } else { seed.beside.clone() };
        let checked = check(&seed.name, &bytes, beside.as_deref());
        read += u64::from(checked.unwrap_or_else(|wrong| {
            let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/fuzz");
            let path = directory.join(format!("seed-{first}-run-{run}-{}", seed.name));
            std::fs::create_dir_all(&directory).unwrap();
            std::fs::write(&path, &bytes).unwrap();
            if let Some(beside) = &beside {
                std::fs::write(path.with_extension("beside"), beside).unwrap();
            }
            panic!("{wrong}; the file is {}", path.display());
        }));
        run += 1;
    }
    println!("{run} changed files of {} kinds in {seconds} s, of which {read} could still be read", seeds.len());
    assert!(run > 100, "{run} are hardly any");
}

/// Chooses another file that a run takes pieces from.
fn random_of(run: u64, first: u64, count: usize) -> usize {
    Random::new(run.rotate_left(32) ^ first).below(count)
}

/// Reads a file; returns true if it could be read, or the defect of the reader.
fn check(name: &str, bytes: &[u8], beside: Option<&[u8]>) -> Result<bool, String> {
    let fetch = |_: &str| beside.map(<[u8]>::to_vec).ok_or_else(|| "there is none".to_string());
    let read = || formats::read(&Input { name, bytes, beside: &fetch });
    let (result, cost) = measured(|| catch_unwind(AssertUnwindSafe(&read)));
    let result = result.map_err(|_| format!("reading {name} panics"))?;
    let most = LEAST_BYTES + BYTES_PER_BYTE * (bytes.len() + beside.map_or(0, <[u8]>::len));
    if cost.bytes > most {
        return Err(format!("reading {} bytes takes {} MiB", bytes.len(), cost.bytes >> 20));
    }
    if cost.time > Duration::from_secs(1) {
        return Err(format!("reading {} bytes takes {:?}", bytes.len(), cost.time));
    }
    // The lenient reader: points may be NaN and nodes missing, but groups are in order.
    let lenient = || formats::read_leniently(&Input { name, bytes, beside: &fetch });
    let (doctored, cost) = measured(|| catch_unwind(AssertUnwindSafe(&lenient)));
    match doctored.map_err(|_| format!("reading {name} leniently panics"))? {
        Ok((mut mesh, doubts)) => {
            // Doubts that a strict reader need not have, such as about unused rows.
            if let Ok(strict) = &result
                && strict != &mesh
                && doubts.is_empty()
            {
                return Err(format!("{name} is sound, but a doctor reads something else"));
            }
            let points = mesh.points.len() as u32;
            mesh.points.iter_mut().flatten().for_each(|x| *x = if x.is_finite() { *x } else { 0.0 });
            let lists =
                [mesh.tets.as_flattened_mut(), mesh.triangles.as_flattened_mut(), mesh.edges.as_flattened_mut()];
            lists.into_iter().flatten().filter(|node| **node >= points).for_each(|node| *node = 0);
            if points > 0 {
                sound(&mesh)?;
            }
        }
        Err(error) => clear(&error)?,
    }
    if cost.bytes > 2 * most || cost.time > Duration::from_secs(1) {
        return Err(format!("reading {} bytes leniently takes {} MiB", bytes.len(), cost.bytes >> 20));
    }
    if name.ends_with(".vtu") {
        let frame = catch_unwind(|| formats::vtu::read_frame(bytes)).map_err(|_| format!("the frame {name} panics"))?;
        match frame {
            Ok(frame) if !frame.velocities.iter().flatten().all(|x| x.is_finite()) => {
                return Err("a velocity is no number".to_string());
            }
            Ok(frame) => sound(&frame.mesh)?,
            Err(error) => clear(&error)?,
        }
    }
    match result {
        Ok(mesh) => sound(&mesh).map(|()| true),
        Err(error) => clear(&error).map(|()| false),
    }
}

/// Checks the properties of every mesh that was read.
fn sound(mesh: &Mesh) -> Result<(), String> {
    let points = mesh.points.len();
    let nodes = [mesh.tets.as_flattened(), mesh.triangles.as_flattened(), mesh.edges.as_flattened()];
    if !mesh.points.as_flattened().iter().all(|x| x.is_finite()) {
        return Err("a point is nowhere".to_string());
    }
    if nodes.iter().any(|list| list.iter().any(|&node| node as usize >= points)) {
        return Err("an element names a node that is not there".to_string());
    }
    for (name, group) in &mesh.groups {
        for (list, count) in
            [(&group.nodes, points), (&group.tets, mesh.tets.len()), (&group.triangles, mesh.triangles.len())]
        {
            if !list.is_sorted_by(|a, b| a < b) || list.last().is_some_and(|&last| last as usize >= count) {
                return Err(format!("the group {name:?} is not in order or not in range"));
            }
        }
    }
    Ok(())
}

/// Checks the properties of every message: a few words, and what to do.
fn clear(error: &FormatError) -> Result<(), String> {
    let text = error.to_string();
    let plain = !text.chars().any(char::is_control);
    if text.contains("; ") && text.len() < 1000 && plain {
        return Ok(());
    }
    Err(format!("the message is not clear: {text}"))
}
