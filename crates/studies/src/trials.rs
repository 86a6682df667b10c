//! From a study to runs: every combination of its varied keys, at one size, with one reading of what is missing.

use crate::error::StudyError;
use crate::study::{Group, Size, Study, Vary};
use report::Contender;
use scene::{Overrides, Scene};
use std::path::{Path, PathBuf};

/// A scene with several methods, ready to run.
#[derive(Debug, Clone)]
pub struct Trial {
    /// Name, the first part of the names of its runs; empty for the only one.
    pub name: String,
    /// Name of the alternative reading; empty without one.
    pub alternative: String,
    /// Scene file, from the root of the project.
    pub scene: PathBuf,
    /// Keys of the scene and their values.
    pub set: Vec<(String, toml::Value)>,
    /// Names of the runs and their methods.
    pub contenders: Vec<(String, Contender)>,
    /// Reference for errors.
    pub reference: Option<Contender>,
    /// Hash of a mesh of the reader.
    pub mesh_hash: Option<u128>,
}

impl Trial {
    /// Returns the names of its runs.
    pub fn runs(&self) -> impl Iterator<Item = &str> {
        self.contenders.iter().map(|(name, _)| name.as_str())
    }

    /// Reads its scene, with its first method: keys may go with that only.
    pub fn load(&self, root: &Path) -> Result<Scene, StudyError> {
        let set = |overrides: Overrides, (key, value): &(String, toml::Value)| overrides.set(key, value.clone());
        let first = self.contenders.first().and_then(|(_, contender)| contender.method.as_deref());
        let overrides = self.set.iter().fold(Overrides::new().method(first), set);
        Ok(Scene::load_with(&root.join(&self.scene), &overrides)?)
    }

    /// Returns the command that runs one of its methods alone.
    pub fn command(&self, run: &str) -> Option<String> {
        let (_, contender) = self.contenders.iter().find(|(name, _)| name == run)?;
        let mut text = format!("pliant run {}", self.scene.display());
        if let Some(method) = &contender.method {
            text += &format!(" --method {method}");
        }
        if let Some(step) = contender.step {
            text += &format!(" --step {step}");
        }
        self.set.iter().for_each(|(key, value)| text += &format!(" --set '{key}={value}'"));
        Some(text)
    }
}

impl Study {
    /// Returns all trials at one size.
    pub fn trials(&self, size: Size) -> Result<Vec<Trial>, StudyError> {
        let mut trials = Vec::new();
        for group in &self.groups {
            if self.alternatives.is_empty() {
                expand(group, size, "", &[], &mut trials)?;
            }
            for alternative in &self.alternatives {
                let set: Vec<_> = alternative.set.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
                expand(group, size, &alternative.name, &set, &mut trials)?;
            }
        }
        Ok(trials)
    }
}

fn expand(
    group: &Group,
    size: Size,
    alternative: &str,
    more: &[(String, toml::Value)],
    trials: &mut Vec<Trial>,
) -> Result<(), StudyError> {
    let differs = match size {
        Size::Quick => &group.quick,
        Size::Full => &group.full,
    };
    let set = group.set.iter().chain(&differs.set).map(|(key, value)| (key.clone(), value.clone()));
    let first: Vec<_> = set.chain(more.iter().cloned()).collect();
    let mut combinations = vec![(group.name.clone().unwrap_or_default(), first)];
    for Vary { keys, values } in &group.vary {
        let each = |(name, set): &(String, Vec<(String, toml::Value)>)| {
            let with = |value: &toml::Value| {
                let name = if name.is_empty() { word(value) } else { format!("{name}/{}", word(value)) };
                let added = keys.iter().map(|key| (key.clone(), value.clone()));
                (name, set.iter().cloned().chain(added).collect())
            };
            values.iter().map(with).collect::<Vec<_>>()
        };
        combinations = combinations.iter().flat_map(each).collect();
    }
    let methods = differs.methods.as_ref().unwrap_or(&group.methods);
    let reference = differs.reference.as_ref().or(group.reference.as_ref());
    for (name, set) in combinations {
        let run = |method: &String| {
            let label = if name.is_empty() { method.clone() } else { format!("{name}/{method}") };
            Ok((label, contender(method)?))
        };
        trials.push(Trial {
            contenders: methods.iter().map(run).collect::<Result<_, StudyError>>()?,
            reference: reference.map(|text| contender(text)).transpose()?,
            scene: differs.scene.clone().unwrap_or_else(|| group.scene.clone()),
            alternative: alternative.to_string(),
            mesh_hash: group.mesh_hash,
            name,
            set,
        });
    }
    Ok(())
}

/// Parses METHOD or METHOD@STEP.
fn contender(text: &str) -> Result<Contender, StudyError> {
    let (method, step) = match text.split_once('@') {
        Some((method, step)) => {
            let step = step.parse().map_err(|_| StudyError::Contender { text: text.to_string() })?;
            (method, Some(step))
        }
        None => (text, None),
    };
    Ok(Contender { method: Some(method.to_string()), step })
}

/// Returns the shortest text of a value, for names: 1e8, 0.01, 20.
fn word(value: &toml::Value) -> String {
    match value {
        toml::Value::Float(x) if *x != 0.0 && !(1e-3..1e4).contains(&x.abs()) => format!("{x:e}"),
        toml::Value::Float(x) => x.to_string(),
        toml::Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}
