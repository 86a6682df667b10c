//! The top-level modules of a crate have no circular dependencies, read from their `use` lines.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Uses that still close a cycle: crate, module, and the modules that it should not use. Remove entries once they are
/// fixed.
const KNOTS: &[(&str, &str, &[&str])] =
    &[("integrators", "options", OWNERS), ("integrators", "stepper", &["asynchronous"])];

/// Modules whose choices are fields of the options.
const OWNERS: &[&str] = &[
    "asynchronous",
    "gautschi",
    "linearly_implicit_euler",
    "matrix_functions",
    "siere",
    "small_steps",
    "turning_frame",
];

/// Modules and those that each of them uses, with one file that does.
type Graph = BTreeMap<String, BTreeMap<String, String>>;

#[test]
fn modules_do_not_go_in_circles() {
    let crates = super::root().join("crates");
    let mut names: Vec<String> =
        std::fs::read_dir(&crates).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let mut wrong = Vec::new();
    for name in &names {
        let mut graph = graph(&crates.join(name).join("src"));
        for (_, from, to) in KNOTS.iter().filter(|(of, ..)| of == name) {
            for to in to.iter() {
                if graph.get_mut(*from).and_then(|used| used.remove(*to)).is_none() {
                    wrong.push(format!("{name}: {from} does not use {to} any more; take it off KNOTS"));
                }
            }
        }
        wrong.extend(circle(&graph).map(|circle| format!("{name}: {circle}")));
    }
    assert!(names.len() > 8 && wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn circles_are_found_in_what_modules_use() {
    let text = "// crate::no\nuse crate::{a::{x, y}, B, c::*};\nfn f() { crate::d::g(); super::e::h() }\n\
                #[cfg(test)]\nmod tests {\n    use crate::no;\n}\n";
    let used: Vec<String> = used(text, 1).into_iter().collect();
    assert_eq!(used, ["B", "a", "c", "d", "e"]);
    let edges = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")];
    let mut graph = Graph::new();
    for (from, to) in edges {
        graph.entry(from.into()).or_default().insert(to.into(), format!("{from}.rs"));
    }
    assert_eq!(circle(&graph).unwrap(), "a -> b (a.rs) -> c (b.rs) -> a (c.rs)");
    graph.remove("c");
    assert_eq!(circle(&graph), None);
}

/// Returns the uses among the top-level modules of a crate.
fn graph(source: &Path) -> Graph {
    let root =
        ["lib.rs", "main.rs"].map(|name| std::fs::read_to_string(source.join(name)).unwrap_or_default()).concat();
    let mut files = Vec::new();
    collect(source, &mut files);
    let module = |file: &str| file.split('/').next().unwrap_or(file).trim_end_matches(".rs").to_string();
    let modules: BTreeSet<String> = files.iter().map(|(file, _)| module(file)).collect();
    let exported = exported(&root, &modules);
    let mut graph = Graph::new();
    for (file, text) in &files {
        let from = module(file);
        if ["lib", "main"].contains(&from.as_str()) {
            continue;
        }
        let depth = file.matches('/').count() + usize::from(!file.ends_with("/mod.rs"));
        for name in used(text, depth) {
            let to = exported.get(&name).cloned().unwrap_or(name);
            if to != from && modules.contains(&to) {
                graph.entry(from.clone()).or_default().entry(to).or_insert_with(|| file.clone());
            }
        }
    }
    graph
}

/// Collects all source files below a folder, by their path in it, without tests.
fn collect(source: &Path, files: &mut Vec<(String, String)>) {
    let mut folders = vec![source.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "tests" {
                folders.push(path);
            } else if name.ends_with(".rs") && name != "tests.rs" {
                let inside = path.strip_prefix(source).unwrap().to_string_lossy().into_owned();
                files.push((inside, std::fs::read_to_string(path).unwrap()));
            }
        }
    }
    files.sort();
}

/// Returns the module of each name exported by the root of a crate.
fn exported(root: &str, modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for statement in code(root).split(';').filter_map(|statement| statement.split("pub use ").nth(1)) {
        let words: Vec<&str> = statement.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let Some((module, names)) = words.split_first().filter(|(module, _)| modules.contains(**module)) else {
            continue;
        };
        found.extend(
            names.iter().filter(|name| !modules.contains(**name)).map(|name| (name.to_string(), module.to_string())),
        );
    }
    found
}

/// Returns a file without comments and without tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    text.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")).collect()
}

/// Returns the names in the root of a crate that a file uses, which is `depth` modules below the root.
fn used(text: &str, depth: usize) -> BTreeSet<String> {
    let text = code(text);
    let mut found = BTreeSet::new();
    for prefix in ["crate::".to_string(), "super::".repeat(depth)] {
        for (at, _) in text.match_indices(&prefix) {
            let before = text[..at].chars().next_back().unwrap_or(' ');
            if before != ':' && before != '_' && !before.is_alphanumeric() {
                found.extend(first_names(&text[at + prefix.len()..]));
            }
        }
    }
    found.remove("super");
    found
}

/// Returns the first name of a path, or of each path of a list in braces.
fn first_names(path: &str) -> Vec<String> {
    let name =
        |path: &str| -> String { path.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let Some(list) = path.strip_prefix('{') else { return vec![name(path)] };
    let (mut depth, mut names, mut begin) = (0, Vec::new(), 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            ',' if depth == 0 => {
                names.push(name(&list[begin..at]));
                begin = at + 1;
            }
            '}' if depth == 0 => {
                names.push(name(&list[begin..at]));
                break;
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Describes a cycle.
fn circle(graph: &Graph) -> Option<String> {
    graph.keys().find_map(|start| {
        // The shortest way back.
        let mut ways = vec![vec![start.as_str()]];
        let mut seen = BTreeSet::new();
        while !ways.is_empty() {
            let mut longer = Vec::new();
            for way in ways {
                for next in graph.get(way[way.len() - 1]).into_iter().flat_map(|used| used.keys()) {
                    let mut way = way.clone();
                    way.push(next);
                    if next == start {
                        let step = |pair: &[&str]| format!("{} ({})", pair[1], graph[pair[0]][pair[1]]);
                        let steps: Vec<String> = way.windows(2).map(step).collect();
                        return Some(format!("{start} -> {}", steps.join(" -> ")));
                    }
                    if seen.insert(next.as_str()) {
                        longer.push(way);
                    }
                }
            }
            ways = longer;
        }
        None
    })
}
