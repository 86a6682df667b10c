//! `pliant view`: its refusals, and that viewing a run does not change it. The page itself is tested in a browser.

use crate::workspace::{BAR, Ended, Workspace};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Child;

#[test]
fn what_cannot_be_shown_is_said() {
    let workspace = Workspace::new("view-bad");
    workspace.write("bar.toml", BAR);
    workspace.write("broken.toml", "[run]\nduration = -1.0\n");
    std::fs::create_dir(workspace.path.join("empty")).unwrap();
    for (arguments, code, words) in [
        (&["view"][..], 2, "SCENE|DIR"),
        (&["view", "missing.toml"], 4, "missing.toml"),
        (&["view", "broken.toml"], 4, "broken.toml:2"),
        (&["view", "empty"], 4, "holds no run"),
        (&["view", "empty", "--method", "siere"], 2, "leave out --method"),
        (&["view", "bar.toml", "--method", "backwards-euler"], 4, "backward-euler"),
        (&["view", "bar.toml", "--step", "-1"], 4, "step"),
    ] {
        let ended = workspace.pliant(arguments).expect(code);
        assert!(ended.err.contains(words), "{arguments:?}: {}", ended.err);
    }
}

#[test]
fn a_run_is_shown_and_stays_as_it_is() {
    let workspace = Workspace::new("view-run");
    workspace.write("bar.toml", BAR);
    workspace.pliant(&["run", "bar.toml"]).expect(0);
    let before = everything(&workspace.path);
    let mut child = workspace.command(&["view", "out/bar"]).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    let address = line.split_whitespace().find_map(|word| word.strip_prefix("http://")).unwrap().to_string();
    let page = get(&address, "");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("pliant-report") && page.contains("connect-src 'self'"));
    let frames = get(&address, "frames?since=0");
    assert!(frames.starts_with("HTTP/1.1 200") && frames.len() > 1000, "{}", frames.len());
    end(&mut child);
    Ended::new(child.wait_with_output().unwrap()).expect(0);
    assert!(everything(&workspace.path) == before, "looking at a run has changed its files");
}

/// Returns the answer of the server, head and body; bytes that are not text are replaced.
fn get(address: &str, what: &str) -> String {
    let (host, path) = address.split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path}{what} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

fn end(child: &mut Child) {
    let kill = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
}

/// Returns names and bytes of all files below a directory.
fn everything(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut waiting = vec![directory.to_path_buf()];
    while let Some(directory) = waiting.pop() {
        for entry in std::fs::read_dir(directory).unwrap().flatten() {
            match entry.path() {
                path if path.is_dir() => waiting.push(path),
                path => files.push((path.display().to_string(), std::fs::read(&path).unwrap())),
            }
        }
    }
    files.sort();
    files
}
