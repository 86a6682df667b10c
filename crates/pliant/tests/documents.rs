//! Documents and comments: every path that documents name exists, and both are written in plain words.

mod cycles;

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Words in backticks that look like a path in this repository.
fn paths(text: &str) -> Vec<&str> {
    let top = [
        "bench/",
        "bodies/",
        "crates/",
        "docs/",
        "examples/",
        "python/",
        "release/",
        "scenes/",
        "tests/",
        "viewer/",
        ".cargo/",
        ".ci/",
    ];
    text.split('`').skip(1).step_by(2).filter(|word| top.iter().any(|top| word.starts_with(top))).collect()
}

/// Returns path in the repository and text of every document.
fn documents() -> Vec<(String, String)> {
    let root = root();
    let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "ERRATA.md"];
    let mut names: Vec<String> = top.iter().map(|name| name.to_string()).collect();
    names.extend(["scenes/README.md", "viewer/README.md"].map(String::from));
    names.extend(CRATES.iter().map(|name| format!("crates/{name}/README.md")));
    for folder in ["docs", "docs/decisions"] {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
        files.sort();
        names.extend(files.iter().map(|path| path.strip_prefix(&root).unwrap().display().to_string()));
    }
    names.into_iter().map(|name| (name.clone(), std::fs::read_to_string(root.join(&name)).unwrap())).collect()
}

#[test]
fn every_path_in_the_documents_exists() {
    let root = root();
    let mut named = 0;
    // Readmes of crates and of the page name paths in their own folder.
    for (document, text) in documents().into_iter().filter(|(name, _)| !name.starts_with("crates/")) {
        for path in paths(&text) {
            named += 1;
            assert!(root.join(path).exists(), "{document} names {path}, which does not exist");
        }
    }
    assert!(named > 30, "only {named} paths were found: is the test still looking at the right words?");
}

/// Returns pairs of a name of the code and a file: "`METHODS` in `crates/integrators/src/table.rs`".
fn named_in(text: &str) -> Vec<(&str, &str)> {
    let words: Vec<&str> = text.split('`').collect();
    let pairs = words.windows(3).skip(1).step_by(2).filter(|words| words[1] == " in ");
    pairs.map(|words| (words[0], words[2])).filter(|(_, file)| file.starts_with("crates/")).collect()
}

#[test]
fn every_table_to_add_to_is_in_its_file() {
    assert_eq!(named_in("a `ROW` in `crates/a.rs`, a `mod` in `src`, one in `crates/b.rs`"), [("ROW", "crates/a.rs")]);
    let root = root();
    let text = std::fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap();
    let named = named_in(&text);
    for (name, file) in &named {
        let code = std::fs::read_to_string(root.join(file)).unwrap();
        let name = name.trim_matches(['[', ']']);
        let is_there = code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        assert!(is_there, "CONTRIBUTING.md says that `{name}` is in {file}, which does not have it");
    }
    assert!(named.len() > 12, "only {} tables were found: {named:?}", named.len());
}

#[test]
fn the_first_scene_of_the_readme_is_sound() {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let scene = text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let scene = scene::Scene::parse("README.md", scene).unwrap_or_else(|problems| panic!("{problems}"));
    let built = scene.build().unwrap_or_else(|problems| panic!("{problems}"));
    assert!(built.ground.model.nodes() > 1000);
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
    let there_is = &text[text.find("## Features").unwrap()..];
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

/// All crates.
const CRATES: [&str; 13] = [
    "collision",
    "formats",
    "geometry",
    "integrators",
    "live",
    "model",
    "numerics",
    "pliant",
    "processor",
    "python",
    "report",
    "scene",
    "simulation",
];

/// Beginnings of doc comments that name a question instead of the thing.
const QUESTIONS: [&str; 9] = ["What", "Whatever", "Whether", "Where", "How", "Who", "Whoever", "Why", "Those"];

/// Returns the source files below a folder, sorted.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            found.extend(sources(&entry));
        } else if entry.extension().is_some_and(|ending| ending == "rs") {
            found.push(entry);
        }
    }
    found.sort();
    found
}

/// Calls `visit` with the path in the repository, number and text of every source line.
fn for_each_line(mut visit: impl FnMut(&str, usize, &str)) {
    let root = root();
    for file in CRATES.iter().flat_map(|name| sources(&root.join("crates").join(name))) {
        let path = file.strip_prefix(&root).unwrap().display().to_string();
        let text = std::fs::read_to_string(&file).unwrap();
        text.lines().enumerate().for_each(|(i, line)| visit(&path, i + 1, line));
    }
}

/// Returns the text of a line that is a doc comment.
fn doc(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).filter(|text| !text.starts_with('/'))
}

#[test]
fn doc_comments_begin_with_the_thing() {
    let (mut wrong, mut comments, mut is_inside) = (Vec::new(), 0, false);
    for_each_line(|path, number, line| {
        let text = doc(line);
        if let (Some(text), false) = (text, is_inside) {
            comments += 1;
            let first = text.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty()).unwrap_or_default();
            if QUESTIONS.contains(&first) {
                wrong.push(format!("{path}:{number}: {}", line.trim()));
            }
        }
        is_inside = text.is_some();
    });
    assert!(comments > 4000, "only {comments} doc comments were found");
    assert!(wrong.is_empty(), "begin with a noun for data, with a verb for functions:\n{}", wrong.join("\n"));
}

/// Returns the public traits of a source file, and for each if its doc comment has an example that is compiled.
fn traits(text: &str) -> Vec<(&str, bool)> {
    let (mut found, mut fences) = (Vec::new(), Vec::new());
    for line in text.lines() {
        if let Some(rest) = line.trim_start().strip_prefix("pub trait ") {
            let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            // Every second fence opens a block. Those with a word such as `text` or `ignore` are not compiled.
            found.push((name, fences.iter().step_by(2).any(|fence| *fence == "```")));
        }
        match doc(line) {
            Some(text) => fences.extend(Some(text.trim()).filter(|text| text.starts_with("```"))),
            None if line.trim_start().starts_with("#[") => {}
            None => fences.clear(),
        }
    }
    found
}

#[test]
fn every_public_trait_has_an_example() {
    let good = "/// A.\n///\n/// ```\n/// one();\n/// ```\n#[must_use]\npub trait Good<T> {}\n";
    let bad = "/// A.\n///\n/// ```text\n/// one\n/// ```\npub trait Bad: Send {}\npub trait Bare {}\n";
    assert_eq!(traits(&format!("{good}{bad}")), [("Good", true), ("Bad", false), ("Bare", false)]);
    let root = root();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for file in std::fs::read_dir(root.join("crates")).unwrap().flat_map(|entry| sources(&entry.unwrap().path())) {
        let path = file.strip_prefix(&root).unwrap().display().to_string();
        let is_source = path.split('/').nth(2) == Some("src");
        let text = std::fs::read_to_string(&file).unwrap();
        let found = if is_source { traits(&text) } else { Vec::new() };
        count += found.len();
        wrong.extend(found.iter().filter(|(_, has)| !has).map(|(name, _)| format!("{path}: {name}")));
    }
    wrong.sort();
    assert!(count > 20, "only {count} public traits were found");
    assert!(wrong.is_empty(), "show in the doc comment how to call or implement these traits:\n{}", wrong.join("\n"));
}

/// Returns the first "ms a step" of a line: a quantity and what it is counted by, which should be "ms per step".
fn quantity_without_per(line: &str) -> Option<String> {
    const UNITS: [&str; 14] =
        ["ns", "ms", "us", "s", "bytes", "KiB", "MiB", "GiB", "kB", "MB", "GB", "flops", "once", "twice"];
    const COUNTED: [&str; 23] = [
        "block",
        "body",
        "column",
        "constraint",
        "core",
        "element",
        "entry",
        "face",
        "frame",
        "iteration",
        "method",
        "node",
        "number",
        "pair",
        "particle",
        "pass",
        "period",
        "run",
        "second",
        "solve",
        "step",
        "substep",
        "tet",
    ];
    // "{spring} names a node twice" counts nothing.
    const VERBS: [&str; 2] = ["holds", "names"];
    let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_start_matches(['"', '(', '`'])).collect();
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == '{');
    (1..words.len().saturating_sub(1)).find_map(|k| {
        let [quantity, article, by] = [words[k - 1], words[k], words[k + 1]];
        let by = by.trim_end_matches(|c: char| !c.is_alphabetic());
        let is_plural = quantity.len() > 3 && quantity.ends_with('s') && !VERBS.contains(&quantity);
        let is_counted = k > 1 && is_plural && is_number(words[k - 2]);
        let is_quantity = UNITS.contains(&quantity) || is_counted;
        let is_per = ["a", "an"].contains(&article) && COUNTED.contains(&by);
        (is_quantity && is_per).then(|| format!("{quantity} {article} {by}"))
    })
}

#[test]
fn quantities_are_per_step() {
    for (line, found) in [
        ("/// Cost: 9.4 ms an iteration.", Some("ms an iteration")),
        ("nodes take 10 steps a step", Some("steps a step")),
        ("{products:.1} products a step\"", Some("products a step")),
        ("found once a frame, over the motion", Some("once a frame")),
        ("/// Takes a step of 2 ms, then a second one.", None),
        ("/// Returns the 10 bytes per node, and has a node.", None),
        ("joint {joint} holds a node that is not there", None),
    ] {
        assert_eq!(quantity_without_per(line).as_deref(), found, "{line}");
    }
    let mut wrong = Vec::new();
    let mut check = |path: &str, number: usize, line: &str| {
        // The examples above are meant.
        if let Some(found) = quantity_without_per(line).filter(|_| !path.ends_with("tests/documents.rs")) {
            wrong.push(format!("{path}:{number}: {found}"));
        }
    };
    for_each_line(&mut check);
    for (name, text) in documents().into_iter().chain(printed()) {
        text.lines().enumerate().for_each(|(i, line)| check(&name, i + 1, line));
    }
    assert!(wrong.is_empty(), "write \"per\":\n{}", wrong.join("\n"));
}

/// Returns command line and output of everything that the program prints as help: of all commands, and all lists.
fn printed() -> Vec<(String, String)> {
    let print = |arguments: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_pliant")).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        (format!("pliant {}", arguments.join(" ")), String::from_utf8(output.stdout).unwrap())
    };
    let help = print(&["--help"]);
    let commands = help.1.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.len() > 10 && commands.contains(&"run"), "{commands:?}");
    let of_commands: Vec<_> =
        commands.iter().filter(|name| **name != "help").map(|name| print(&[*name, "--help"])).collect();
    [help, print(&["list"]), print(&["list", "scene"])].into_iter().chain(of_commands).collect()
}

/// Returns the sentences of a document that begin with a clause such as "What rests" instead of a thing. Questions,
/// headings and labels in bold are allowed.
fn clauses(text: &str) -> Vec<String> {
    const BEGINNINGS: [&str; 6] = ["What", "Whatever", "Whether", "Who", "Whoever", "Whose"];
    let mut found = Vec::new();
    // Lines of one paragraph, item or row are joined: sentences go over line ends.
    let mut paragraphs = vec![String::new()];
    let mut is_code = false;
    for line in text.lines() {
        let trimmed = line.trim();
        is_code ^= trimmed.starts_with("```");
        let is_heading = trimmed.starts_with('#') || trimmed.starts_with("<");
        let is_new = trimmed.is_empty() || is_heading || trimmed.starts_with(['-', '|', '*', '/']);
        if is_new {
            paragraphs.push(String::new());
        }
        if !is_code
            && !is_heading
            && let Some(last) = paragraphs.last_mut()
        {
            last.push_str(trimmed);
            last.push(' ');
        }
    }
    for cell in paragraphs.iter().flat_map(|paragraph| paragraph.split('|')) {
        let cell = cell.trim_start_matches(['-', ' ']);
        let sentences = cell.replace(". ", ".\n").replace("? ", "?\n").replace(".** ", ".**\n");
        for sentence in sentences.lines() {
            let first = sentence.trim_start().split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
            if BEGINNINGS.contains(&first) && !sentence.trim_end().ends_with('?') {
                found.push(sentence.trim().to_string());
            }
        }
    }
    found
}

#[test]
fn sentences_of_documents_begin_with_the_thing() {
    let text = "# What it does\n\n**Why.** A bar. What rests\nstays. Is it? What is K?\n- Whoever asks gets it.\n| Whether x | y |\n";
    assert_eq!(clauses(text), ["What rests stays.", "Whoever asks gets it.", "Whether x"]);
    let mut wrong = Vec::new();
    for (name, text) in documents() {
        wrong.extend(clauses(&text).iter().map(|sentence| format!("{name}: {sentence}")));
    }
    assert!(wrong.is_empty(), "begin with the thing:\n{}", wrong.join("\n"));
}

#[test]
fn help_begins_with_the_thing() {
    const BEGINNINGS: [&str; 9] = ["what", "whatever", "whether", "where", "how", "who", "whoever", "why", "when"];
    let (mut wrong, mut lines) = (Vec::new(), 0);
    for (name, text) in printed() {
        for line in text.lines() {
            // The last cell of a row describes a key; help of flags stands behind two spaces or alone.
            let cells = line.trim().trim_matches('|').rsplit(['|']).next().unwrap_or_default();
            let described = cells.trim().rsplit("  ").next().unwrap_or_default().trim();
            let first = described.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase();
            lines += 1;
            if BEGINNINGS.contains(&first.as_str()) {
                wrong.push(format!("{name}: {}", line.trim()));
            }
        }
    }
    assert!(lines > 500, "only {lines} lines of help were found");
    assert!(wrong.is_empty(), "begin with a noun or a verb:\n{}", wrong.join("\n"));
}
