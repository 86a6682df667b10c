//! From text to a [`Scene`]: syntax, then every key and value against the spec, then what they say together.

pub(crate) mod tree;

use crate::problem::Problems;
use crate::scene::Scene;
use std::path::Path;

/// What the flags of a command line put in the place of what a file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// Another method, by name or alias; options of the file that it does not read are dropped.
    pub method: Option<String>,
    /// Another step [s].
    pub step: Option<f64>,
    /// Another duration [s].
    pub duration: Option<f64>,
    /// Another number of frames a simulated second [1/s].
    pub frame_rate: Option<f64>,
}

impl Scene {
    /// Reads and checks a scene file.
    pub fn load(path: &Path) -> Result<Scene, Problems> {
        Err(Problems::of_file(&path.display().to_string(), String::new()))
    }

    /// Checks the text of a scene; `name` is what messages call it.
    pub fn parse(name: &str, text: &str) -> Result<Scene, Problems> {
        Err(Problems::of_file(name, text.to_string()))
    }

    /// The same scene with parts replaced, checked again.
    pub fn with(&self, overrides: &Overrides) -> Result<Scene, Problems> {
        let _ = overrides;
        Ok(self.clone())
    }

    /// The scene as a file with every default filled in: enough to repeat the run.
    pub fn to_toml(&self) -> String {
        String::new()
    }
}
