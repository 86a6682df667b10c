//! Wrong files: each is refused with its own message, within a second and little memory.
//!
//! The messages are in `tests/bad_meshes/FORMAT.txt`, one line per file: its name, a colon, and the whole message.

mod measured;

use formats::{Input, Position};
use measured::measured;
use model::mesh::MeshError;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Limit of memory to refuse a file [bytes]; files are small. Those that unpack to much have more.
const MOST_BYTES: usize = 1 << 20;
const MOST_UNPACKED: usize = 64 << 20;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bad_meshes")
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Reads the messages of a format by file.
fn messages(format: &str) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(directory().join(format!("{format}.txt"))).unwrap_or_default();
    let mut messages = BTreeMap::new();
    for line in text.lines() {
        let (name, message) = line.split_once(": ").unwrap_or_else(|| panic!("{format}.txt: {line}"));
        assert_eq!(messages.insert(name.to_string(), message.to_string()), None, "{format}.txt has {name} twice");
    }
    messages
}

/// A single test, so that no other thread allocates at the same time.
#[test]
fn each_is_refused_with_its_own_message() {
    let (mut files, mut wrong) = (0, Vec::new());
    for format in names(&directory()).iter().filter(|name| !name.ends_with(".txt")) {
        let directory = directory().join(format);
        let mut expected = messages(format);
        for name in names(&directory) {
            // The node file of a pair is wrong itself, or beside a wrong file.
            if name.ends_with(".node") {
                continue;
            }
            files += 1;
            let bytes = std::fs::read(directory.join(&name)).unwrap();
            assert!(bytes.len() < 4096 || name.starts_with("bomb") && bytes.len() < 16384, "{format}/{name} is large");
            let beside = |name: &str| std::fs::read(directory.join(name)).map_err(|_| "it is not there".to_string());
            let (result, cost) = measured(|| formats::read(&Input { name: &name, bytes: &bytes, beside: &beside }));
            let most = if name.starts_with("bomb") { MOST_UNPACKED } else { MOST_BYTES };
            assert!(cost.bytes < most, "{format}/{name} takes {} KiB", cost.bytes >> 10);
            assert!(cost.time < Duration::from_secs(1), "{format}/{name} takes {:?}", cost.time);
            let message = match result {
                Ok(_) => "it is read".to_string(),
                Err(error) => {
                    let located = error.position != Position::File;
                    let text = error.to_string();
                    assert!(text.contains("; ") || text.contains(": perhaps"), "{format}/{name}: what to do? {text}");
                    assert_eq!(located, text.starts_with("line ") || text.starts_with("byte "), "{text}");
                    text
                }
            };
            if expected.remove(&name).as_ref() != Some(&message) {
                wrong.push(format!("{format}.txt: {name}: {message}"));
            }
        }
        assert!(expected.is_empty(), "{format}.txt has messages of files that are not there: {expected:?}");
    }
    assert!(wrong.is_empty(), "{} messages differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(files >= 150, "{files} files are few");
    println!("{files} files");
    sick_meshes_can_be_read();
    bad_files_are_read_leniently();
}

/// The lenient reader accepts points that are not finite, missing nodes and wrong counts.
fn bad_files_are_read_leniently() {
    let mut read = Vec::new();
    for format in names(&directory()).iter().filter(|name| !name.ends_with(".txt")) {
        let directory = directory().join(format);
        for name in names(&directory).into_iter().filter(|name| !name.ends_with(".node")) {
            let bytes = std::fs::read(directory.join(&name)).unwrap();
            let beside = |name: &str| std::fs::read(directory.join(name)).map_err(|_| "it is not there".to_string());
            let input = Input { name: &name, bytes: &bytes, beside: &beside };
            let (result, cost) = measured(|| formats::read_leniently(&input));
            assert!(cost.bytes < MOST_UNPACKED && cost.time < Duration::from_secs(1), "{format}/{name}");
            if result.is_ok() {
                assert!(formats::read(&input).is_err(), "{format}/{name}");
                read.push(format!("{format}/{name}"));
            }
        }
    }
    println!("{} of them are read leniently: {read:?}", read.len());
    for format in ["gmsh", "medit", "tetgen", "vtk", "vtu", "obj", "ply", "stl"] {
        assert!(read.iter().any(|name| name.starts_with(format)), "none of {format}: {read:?}");
    }
}

/// A node twice in a tet can be read for the doctor, and is refused by other users.
fn sick_meshes_can_be_read() {
    let directory = directory().join("../sick_meshes");
    for name in names(&directory) {
        let bytes = std::fs::read(directory.join(&name)).unwrap();
        let beside = |name: &str| std::fs::read(directory.join(name)).map_err(|_| "it is not there".to_string());
        let mesh = formats::read(&Input { name: &name, bytes: &bytes, beside: &beside }).unwrap();
        assert!(matches!(mesh.validate(), Err(MeshError::RepeatedNode { .. })), "{name}");
    }
}
