//! Shape files that are wrong: each is refused with its own message, in time and within memory.
//!
//! The messages are in `tests/bad_shapes.txt`, one line per file: its name, a colon, and the line and words of each
//! problem.

#[path = "../../formats/tests/measured/mod.rs"]
mod measured;

use measured::measured;
use scene::files::{MeshFileError, read_shape};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

#[test]
fn each_is_refused_with_its_own_message() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let table = std::fs::read_to_string(tests.join("bad_shapes.txt")).unwrap_or_default();
    let mut expected: BTreeMap<&str, &str> = table.lines().filter_map(|line| line.split_once(": ")).collect();
    let mut names: Vec<_> = std::fs::read_dir(tests.join("bad_shapes"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let mut wrong = Vec::new();
    for name in &names {
        let path = tests.join("bad_shapes").join(name);
        let (result, cost) = measured(|| read_shape(&path).and_then(|shape| shape.make(&|_| {}).map(drop)));
        assert!(cost.bytes < 64 << 20, "{name} takes {} MiB", cost.bytes >> 20);
        assert!(cost.time < Duration::from_secs(1), "{name} takes {:?}", cost.time);
        let message = match result {
            Ok(()) => "it is accepted".to_string(),
            Err(MeshFileError::Shape(problems)) => {
                let said = problems.list.iter().map(|problem| format!("line {}: {}", problem.line, problem.message));
                said.collect::<Vec<_>>().join(" | ")
            }
            Err(other) => other.to_string(),
        };
        if expected.remove(name.as_str()) != Some(&message) {
            wrong.push(format!("{name}: {message}"));
        }
    }
    assert!(wrong.is_empty(), "{} messages differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(expected.is_empty(), "messages of files that are not there: {expected:?}");
    assert!(names.len() >= 40, "{} files are few", names.len());
}
