//! What the documents say of the repository is true: every path they name exists.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Words in backticks that look like a path in this repository.
fn paths(text: &str) -> Vec<&str> {
    let top = ["bench/", "bodies/", "crates/", "docs/", "release/", "scenes/", "tests/", "viewer/", ".cargo/", ".ci/"];
    text.split('`').skip(1).step_by(2).filter(|word| top.iter().any(|top| word.starts_with(top))).collect()
}

#[test]
fn every_path_in_the_documents_exists() {
    let root = root();
    let top = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "ERRATA.md",
        "docs/guide.md",
        "docs/performance.md",
        "scenes/README.md",
    ];
    let mut documents: Vec<_> = top.map(|name| root.join(name)).into();
    documents.extend(std::fs::read_dir(root.join("docs/decisions")).unwrap().map(|entry| entry.unwrap().path()));
    let mut named = 0;
    for document in documents {
        let text = std::fs::read_to_string(&document).unwrap();
        for path in paths(&text) {
            named += 1;
            assert!(root.join(path).exists(), "{} names {path}, which does not exist", document.display());
        }
    }
    assert!(named > 30, "only {named} paths were found: is the test still looking at the right words?");
}

#[test]
fn every_scene_is_in_the_list_of_scenes() {
    let root = root();
    let text = std::fs::read_to_string(root.join("scenes/README.md")).unwrap();
    let named = paths(&text);
    let mut scenes = 0;
    for entry in std::fs::read_dir(root.join("scenes")).unwrap() {
        let name = format!("scenes/{}", entry.unwrap().file_name().to_string_lossy());
        if name.ends_with(".toml") || name == "scenes/large" {
            scenes += 1;
            assert!(named.contains(&name.as_str()), "scenes/README.md does not name {name}");
        }
    }
    assert!(scenes > 40, "only {scenes} scenes were found");
}

#[test]
fn every_method_and_shape_is_in_the_guide() {
    let text = std::fs::read_to_string(root().join("docs/guide.md")).unwrap();
    let there_is = &text[text.find("## What there is").unwrap()..];
    let words: Vec<&str> = there_is.split(|c: char| !c.is_alphanumeric() && c != '-').collect();
    let methods = integrators::METHODS.iter().map(|method| method.name);
    for name in methods.chain(model::mesh::generate::GENERATORS.iter().map(|shape| shape.name)) {
        assert!(words.contains(&name), "docs/guide.md does not say that there is {name}");
    }
}

#[test]
fn every_decision_has_a_number_of_its_own() {
    let root = root();
    let mut numbers: Vec<String> = std::fs::read_dir(root.join("docs/decisions"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy()[..4].to_string())
        .collect();
    numbers.sort();
    let expected: Vec<String> = (1..=numbers.len()).map(|n| format!("{n:04}")).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn exit_codes_are_those_of_the_help() {
    let root = root();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let help = std::process::Command::new(env!("CARGO_BIN_EXE_pliant")).arg("--help").output().unwrap().stdout;
    let help = words(&String::from_utf8(help).unwrap());
    let codes = &help[help.find("Exit codes: 0").unwrap()..];
    for name in ["docs/guide.md", "ARCHITECTURE.md"] {
        let text = words(&std::fs::read_to_string(root.join(name)).unwrap());
        assert!(text.contains(codes), "{name} does not say\n{codes}");
    }
}
