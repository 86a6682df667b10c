//! Results of finished runs, kept by the hash of their scene, method and program.

use crate::error::StudyError;
use crate::quantities::Quantities;
use crate::trials::Trial;
use scene::Scene;
use scene::output::{Program, write_whole};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_128;

/// Folder of kept results.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// Opens a folder, and makes it if it is missing.
    pub fn open(folder: &Path) -> Result<Store, StudyError> {
        std::fs::create_dir_all(folder).map_err(|error| StudyError::File {
            path: folder.to_path_buf(),
            message: format!("cannot be made ({error}); choose another --out"),
        })?;
        Ok(Store { folder: folder.to_path_buf() })
    }

    /// Returns the key of a run of a trial: another scene, reference, mesh of the reader or program has another.
    pub fn key(scene: &Scene, trial: &Trial) -> String {
        let directory = trial.scene.parent().unwrap_or(Path::new("")).display();
        let Trial { reference, mesh_hash, .. } = trial;
        let text = format!("{}\n{directory}\n{reference:?}\n{mesh_hash:?}\n{}", scene.to_toml(), Program::this());
        format!("{:032x}", xxh3_128(text.as_bytes()))
    }

    /// Returns a kept result. A damaged one counts as missing.
    pub fn get(&self, key: &str) -> Option<Quantities> {
        let text = std::fs::read(self.path(key)).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Keeps a result.
    pub fn keep(&self, key: &str, quantities: &Quantities) -> Result<(), StudyError> {
        let text = serde_json::to_vec(quantities).unwrap_or_default();
        Ok(write_whole(&self.path(key), &text)?)
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }
}
