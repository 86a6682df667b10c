//! Meshes of the reader in place of our bodies: a study on the meshes that its paper used.

use crate::study::{AtSize, Group, OwnMesh, Study};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_128;

impl Study {
    /// Returns the study on the meshes of a folder, as far as it has them.
    pub fn on_meshes(mut self, folder: &Path) -> Study {
        let mut used = Vec::new();
        for group in &mut self.groups {
            let Some(mesh) = group.mesh.clone() else { continue };
            let Some(file) = find(folder, &mesh.name) else { continue };
            group.replace(&mesh, &file);
            let told = format!("the mesh {} in place of our '{}'", file.display(), mesh.body);
            if !used.contains(&told) {
                used.push(told);
            }
        }
        self.assumed.extend(used);
        self
    }
}

impl Group {
    /// Replaces the body, at both sizes.
    fn replace(&mut self, mesh: &OwnMesh, file: &Path) {
        let shape = format!("body.{}.shape", mesh.body);
        let is_of_shape = |key: &String| *key == shape || key.starts_with(&format!("{shape}."));
        for set in [&mut self.set, &mut self.quick.set, &mut self.full.set] {
            set.retain(|key, _| !is_of_shape(key));
        }
        self.vary.iter_mut().for_each(|vary| vary.keys.retain(|key| !is_of_shape(key)));
        self.vary.retain(|vary| !vary.keys.is_empty());
        // The scene may be read from any folder.
        let path = std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf()).display().to_string();
        let named = [("generator", "file".to_string()), ("path", path)];
        let table = named.into_iter().map(|(key, value)| (key.to_string(), toml::Value::String(value)));
        let keys: Vec<_> = mesh.set.clone().into_iter().chain([(shape, toml::Value::Table(table.collect()))]).collect();
        for AtSize { set, .. } in [&mut self.quick, &mut self.full] {
            set.extend(keys.clone());
        }
        // Results on another file of the same name are other results.
        self.mesh_hash = std::fs::read(file).ok().map(|bytes| xxh3_128(&bytes));
    }
}

/// Returns the first file of this name, whatever its ending.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files.into_iter().find(|path| path.is_file() && path.file_stem().is_some_and(|stem| *stem == *name))
}
