//! An empty directory to work in, and a scene for it.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub struct Workspace {
    pub path: PathBuf,
}

/// Result of running the program.
pub struct Ended {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ended {
    pub fn new(output: Output) -> Ended {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let ended =
            Ended { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) };
        // In no case is there a panic, or a colour without a terminal.
        assert!(!ended.err.contains("panicked"), "{}", ended.err);
        let is_order = |c: char| c.is_control() && c != '\n' && c != '\t';
        assert!(!ended.err.contains(is_order) && !ended.out.contains(is_order), "{:?}{:?}", ended.out, ended.err);
        ended
    }

    /// Parses the last line of stdout, which is JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(self.out.lines().last().unwrap_or_default()).unwrap()
    }

    /// Requires an exit code.
    pub fn expect(self, code: i32) -> Ended {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }
}

impl Workspace {
    pub fn new(name: &str) -> Workspace {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("command").join(name);
        std::fs::remove_dir_all(&path).ok();
        std::fs::create_dir_all(&path).unwrap();
        Workspace { path }
    }

    pub fn write(&self, file: &str, text: &str) {
        std::fs::write(self.path.join(file), text).unwrap();
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        command.args(arguments).current_dir(&self.path).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn pliant(&self, arguments: &[&str]) -> Ended {
        Ended::new(self.command(arguments).output().unwrap())
    }
}

/// A bar of rubber, clamped at one end, that swings: 24 steps.
pub const BAR: &str = r#"
title = "A bar that swings"
[run]
duration = 0.24
frame_rate = 50.0
[integrator]
method = "linearly-implicit-euler"
step = 0.01
[[body]]
name = "bar"
shape = { generator = "bar", cells_along = 8, cells_across = 2 }
material = { model = "neo-hookean", young = 1e6, poisson = 0.3, density = 1000.0 }
[[fix]]
where = { group = "x-" }
"#;

/// The bar, with lines of its sections replaced.
pub fn bar(replace: &[(&str, &str)]) -> String {
    replace.iter().fold(BAR.to_string(), |scene, (old, new)| {
        assert!(scene.contains(old), "{old}");
        scene.replace(old, new)
    })
}
