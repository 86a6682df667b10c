//! meshio as a separate program that executes requests one after the other.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const PROGRAM: &str = include_str!("meshio.py");

/// meshio, waiting for requests.
pub(super) struct Meshio {
    process: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// Version of meshio.
    pub version: String,
}

/// Result of reading by meshio.
pub(super) struct Read {
    /// Time [ms].
    pub ms: f64,
    pub points: u64,
    pub tets: u64,
}

impl Meshio {
    /// Starts it; returns the reason if it is not available.
    pub fn start() -> Result<Meshio, String> {
        let python = super::super::python::with("meshio", "meshio")?;
        let mut command = Command::new(&python);
        command.args(["-c", PROGRAM]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().map_err(|error| format!("{}: {error}", python.display()))?;
        let (requests, answers) = (process.stdin.take(), process.stdout.take());
        let answers = BufReader::new(answers.ok_or("meshio has no output")?);
        let mut meshio = Meshio { process, requests, answers, version: String::new() };
        meshio.version = meshio.answer()?["version"].as_str().unwrap_or_default().to_string();
        Ok(meshio)
    }

    /// Rewrites the tets of a mesh file as another file.
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
        // It ends at the end of its input.
        self.requests = None;
        let _ = self.process.wait();
    }
}
