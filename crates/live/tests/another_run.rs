//! A directory shown while one run replaces another.

use live::Server;
use scene::Scene;
use scene::export::Replay;
use scene::output::{Directory, Files};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

const SCENE: &str = include_str!("bar.toml");

/// Writes a run of the bar with each first text replaced by the second.
fn write(directory: &Path, instead: &[(&str, &str)]) {
    let text = instead.iter().fold(SCENE.to_string(), |text, (that, this)| text.replace(that, this));
    let scene = Scene::parse("another.toml", &text).unwrap_or_else(|problems| panic!("{problems}"));
    let mut built = scene.build().unwrap_or_else(|problems| panic!("{problems}"));
    let mut files = Files::new(&Directory::prepare(directory, false).unwrap(), &scene, &built).unwrap();
    scene::run(&mut built, &mut [&mut files], &AtomicBool::new(false)).unwrap();
}

fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if path.exists() {
        std::fs::remove_dir_all(&path).unwrap();
    }
    path
}

/// Returns the head of the answer to a page that has seen this version.
fn frames(server: &Server, since: u64) -> Value {
    let (host, path) = server.address().strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let ask = format!("GET /{path}frames?since={since} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(ask.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let body = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    let length = u32::from_le_bytes(bytes[body..body + 4].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[body + 4..body + 4 + length]).unwrap()
}

fn times(head: &Value) -> Vec<f64> {
    head["frames"].as_array().unwrap().iter().map(|frame| frame["t"].as_f64().unwrap()).collect()
}

#[test]
fn another_run_is_not_mixed_into_the_first() {
    for (name, duration, count) in [("shorter", "duration = 0.1", 7), ("longer", "duration = 0.4", 25)] {
        let path = directory(name);
        write(&path, &[]);
        let server =
            Server::of_run(Replay::open(&path, live::MOST_PARTICLES).unwrap(), &path, "pliant view run", 0).unwrap();
        let first = frames(&server, 0);
        assert_eq!((&first["epoch"], &first["state"]["method"]), (&0.into(), &"backward-euler".into()));
        assert_eq!(times(&first).len(), 13);
        let seen = first["version"].as_u64().unwrap();
        write(&path, &[("backward-euler", "siere"), ("duration = 0.2", duration)]);
        // A page that has seen all of the first run gets the second from its beginning, with its energies.
        let second = frames(&server, seen);
        assert_eq!((&second["epoch"], &second["state"]["method"]), (&1.into(), &"siere".into()), "{name}");
        let shown = times(&second);
        assert_eq!((shown.len(), shown[0]), (count, 0.0), "{name}");
        assert!(second["version"].as_u64().unwrap() > seen, "versions never go back");
        assert_eq!(times(&frames(&server, 0)), shown, "and so is a new page");
    }
}

#[test]
fn a_run_of_something_else_is_said() {
    let path = directory("else");
    write(&path, &[]);
    let server =
        Server::of_run(Replay::open(&path, live::MOST_PARTICLES).unwrap(), &path, "pliant view run", 0).unwrap();
    write(&path, &[("cells_along = 6", "cells_along = 5")]);
    let head = frames(&server, 0);
    assert!(head["state"]["words"].as_str().unwrap().contains("start pliant view again"), "{head}");
    assert!(times(&head).is_empty());
}
