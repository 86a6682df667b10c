//! pyPBD as a separate program that steps one body, on one thread.

use super::super::python;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const PROGRAM: &str = include_str!("steps.py");

/// pyPBD with a body, waiting for requests.
pub(super) struct PyPbd {
    process: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl PyPbd {
    /// Starts it with a body; returns the reason if it is not available.
    pub fn start(body: &Value, constraints: usize) -> Result<PyPbd, String> {
        let python = python::with("pypbd", "pyPBD")?;
        let mut command = Command::new(&python);
        command.args(["-c", PROGRAM]).env("OMP_NUM_THREADS", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().map_err(|error| format!("{}: {error}", python.display()))?;
        let (requests, answers) = (process.stdin.take(), process.stdout.take());
        let answers = BufReader::new(answers.ok_or("pyPBD has no output")?);
        let mut pypbd = PyPbd { process, requests, answers };
        let found = pypbd.ask(body)?;
        let same = found["constraints"].as_u64() == Some(constraints as u64);
        if same { Ok(pypbd) } else { Err(format!("pyPBD has {found}, not {constraints} constraints")) }
    }

    /// Returns the time of the fastest of some steps [s].
    pub fn step(&mut self, steps: usize) -> Result<f64, String> {
        let answer = self.ask(&json!(steps))?;
        if !answer["lowest"].as_f64().is_some_and(f64::is_finite) {
            return Err("pyPBD diverged".to_string());
        }
        let seconds = answer["seconds"].as_array().into_iter().flatten().filter_map(Value::as_f64);
        Ok(seconds.fold(f64::INFINITY, f64::min))
    }

    fn ask(&mut self, request: &Value) -> Result<Value, String> {
        let requests = self.requests.as_mut().ok_or("pyPBD takes no requests")?;
        writeln!(requests, "{request}").map_err(|error| format!("pyPBD: {error}"))?;
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|error| format!("pyPBD: {error}"))?;
        serde_json::from_str(&line).map_err(|error| format!("pyPBD's answer: {error}"))
    }
}

impl Drop for PyPbd {
    fn drop(&mut self) {
        // It ends at the end of its input.
        self.requests = None;
        let _ = self.process.wait();
    }
}
