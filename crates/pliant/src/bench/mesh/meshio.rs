//! meshio as a program of its own that does what it is told, one thing after the other.
//!
//! It is looked for in the system's Python and in target/venv, where it is installed if it is nowhere.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const PROGRAM: &str = include_str!("meshio.py");

/// meshio, waiting.
pub(super) struct Meshio {
    process: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// Which.
    pub version: String,
}

/// What meshio read.
pub(super) struct Read {
    /// How long it took [ms].
    pub ms: f64,
    pub points: u64,
    pub tets: u64,
}

impl Meshio {
    /// Starts it; says why it cannot be had.
    pub fn start() -> Result<Meshio, String> {
        let venv = venv();
        let python = venv.join("bin/python");
        let candidates = [PathBuf::from("python3"), python.clone()];
        let python = match candidates.into_iter().find(|python| has_meshio(python)) {
            Some(python) => python,
            None => install(&venv).map(|()| python)?,
        };
        let mut command = Command::new(&python);
        command.args(["-c", PROGRAM]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().map_err(|error| format!("{}: {error}", python.display()))?;
        let (requests, answers) = (process.stdin.take(), process.stdout.take());
        let answers = BufReader::new(answers.ok_or("meshio has no output")?);
        let mut meshio = Meshio { process, requests, answers, version: String::new() };
        meshio.version = meshio.answer()?["version"].as_str().unwrap_or_default().to_string();
        Ok(meshio)
    }

    /// Writes the tets of a mesh file again, as another file.
    pub fn write(&mut self, from: &Path, to: &Path, options: &Value) -> Result<(), String> {
        self.ask(&json!({ "read": from, "write": to, "options": options })).map(|_| ())
    }

    /// Reads a mesh file.
    pub fn read(&mut self, path: &Path) -> Result<Read, String> {
        let answer = self.ask(&json!({ "read": path }))?;
        let count = |key: &str| answer[key].as_u64().unwrap_or(0);
        let seconds = answer["seconds"].as_f64().ok_or("meshio did not say how long it took")?;
        Ok(Read { ms: 1e3 * seconds, points: count("points"), tets: count("tets") })
    }

    fn ask(&mut self, request: &Value) -> Result<Value, String> {
        let requests = self.requests.as_mut().ok_or("meshio takes no requests")?;
        writeln!(requests, "{request}").map_err(|error| format!("meshio: {error}"))?;
        self.answer()
    }

    fn answer(&mut self) -> Result<Value, String> {
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|error| format!("meshio: {error}"))?;
        let answer: Value = serde_json::from_str(&line).map_err(|error| format!("meshio's answer: {error}"))?;
        answer["error"].as_str().map_or(Ok(()), |error| Err(format!("meshio: {error}")))?;
        Ok(answer)
    }
}

impl Drop for Meshio {
    fn drop(&mut self) {
        // It ends when there is nothing more to read.
        self.requests = None;
        let _ = self.process.wait();
    }
}

/// target/venv of pliant's source, or of the folder this runs in.
fn venv() -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = if source.join("Cargo.toml").exists() { source } else { PathBuf::from(".") };
    folder.join("target/venv")
}

fn has_meshio(python: &Path) -> bool {
    let mut command = Command::new(python);
    command.args(["-c", "import meshio"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn install(venv: &Path) -> Result<(), String> {
    eprintln!("installing meshio into {}", venv.display());
    let run = |command: &mut Command| {
        let status = command.stdout(Stdio::null()).status().map_err(|error| format!("python: {error}"))?;
        if status.success() { Ok(()) } else { Err("meshio cannot be installed: see what pip says above".to_string()) }
    };
    run(Command::new("python3").args(["-m", "venv"]).arg(venv))?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "meshio"];
    run(Command::new(venv.join("bin/python")).args(install))
}
