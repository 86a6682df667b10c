//! A dropped server leaves no threads. A separate test, because it counts threads of the process.

use live::Server;
use scene::Scene;
use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

const SCENE: &str = r#"
[run]
duration = 1.0

[integrator]
method = "backward-euler"
step = 0.01

[[body]]
shape = { generator = "bar", length = 1.0, thickness = 0.25, cells_along = 4, cells_across = 1 }
material = { model = "neo-hookean", young = 1e4, poisson = 0.4, density = 1000.0 }
"#;

#[test]
fn threads_and_port_end_with_the_server() {
    let scene = Scene::parse("dropped.toml", SCENE).unwrap_or_else(|problems| panic!("{problems}"));
    // Worker threads stay for the whole process, and have the name of the thread that first needs them.
    let mut first = scene.build().unwrap_or_else(|problems| panic!("{problems}"));
    scene::run(&mut first, &mut [], &AtomicBool::new(false)).unwrap();
    let built = scene.build().unwrap_or_else(|problems| panic!("{problems}"));
    let server = Server::of_scene(scene, built, "pliant view dropped.toml", 0).unwrap();
    let address = server.address().strip_prefix("http://").unwrap().to_string();
    let (host, path) = address.split_once('/').unwrap();
    // A client waits for news when the server ends.
    let mut waiting = TcpStream::connect(host).unwrap();
    waiting
        .write_all(format!("GET /{path}frames?since=999999999 HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes())
        .unwrap();
    if cfg!(target_os = "linux") {
        become_threads(2);
    }
    drop(server);
    assert!(TcpStream::connect(host).is_err(), "the port is closed");
    become_threads(0);
}

/// Waits for this many threads: the system shows names and ends of threads with a delay.
fn become_threads(number: usize) {
    let begin = Instant::now();
    while threads() != number {
        assert!(begin.elapsed() < Duration::from_secs(30), "{} threads, not {number}", threads());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Counts the threads of servers and simulations, where the system lists them.
fn threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| ["server", "simulation"].contains(&name.trim())).count()
}
