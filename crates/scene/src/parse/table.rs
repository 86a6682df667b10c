//! Scenes from tables of values, as programs in other languages have them.

use crate::body::Shape;
use crate::problem::{Keys, Problems, Source};
use crate::scene::Scene;
use model::mesh::Mesh;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

impl Scene {
    /// Checks a scene given as a table, by the rules for files; messages name keys, not lines. `name` is its name in messages, and
    /// relative paths start from `directory`.
    ///
    /// A body whose shape is a file with a path in `meshes` has that mesh instead.
    pub fn from_table(
        name: &str,
        table: &toml::Table,
        directory: PathBuf,
        meshes: &BTreeMap<PathBuf, Arc<Mesh>>,
    ) -> Result<Scene, Problems> {
        let text = table.to_string();
        let keys = Some(Keys { list: super::keys::of_text(&text), origin: None });
        let source = Source { keys, ..Source::new(name, &text) };
        let mut scene = Scene::parse_source(source, directory, &super::Overrides::default(), false)?;
        for body in &mut scene.bodies {
            if let Shape::File { path, .. } = &body.shape
                && let Some(mesh) = meshes.get(path)
            {
                body.shape = Shape::Given(mesh.clone());
            }
        }
        Ok(scene)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_checked_as_a_file_and_takes_meshes_in_memory() {
        let text = "[run]\nduration = 1.0\n[integrator]\nmethod = \"siere\"\nstep = 0.01\n[[body]]\n\
                    shape = { generator = \"file\", path = \"given/0\" }\n\
                    material = { model = \"neo-hookean\", young = 1e6, poisson = 0.4, density = 1000.0 }\n";
        let table: toml::Table = text.parse().unwrap();
        let mesh = Mesh {
            points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            tets: vec![[0, 1, 2, 3]],
            ..Mesh::default()
        };
        let meshes = BTreeMap::from([(PathBuf::from("given/0"), Arc::new(mesh))]);
        let scene = Scene::from_table("table", &table, PathBuf::new(), &meshes).unwrap();
        assert_eq!(scene.build().unwrap().model.nodes(), 4);
        let wrong: toml::Table = text.replace("young = 1e6", "yung = 1e6").parse().unwrap();
        let problems = Scene::from_table("table", &wrong, PathBuf::new(), &meshes).unwrap_err().list;
        let misspelt = problems.iter().find(|problem| problem.suggestion.as_deref() == Some("young")).unwrap();
        assert_eq!(misspelt.key.as_deref(), Some("body.1.material.yung"));
    }
}
