//! Scenes that differ in their method share what is built of their bodies.

use super::{Built, Ground};
use crate::problem::{Found, Problems};
use crate::scene::Scene;
use model::energy::Stiffness;
use std::sync::{Arc, Mutex, PoisonError};

/// Grounds of scenes, each built once, whatever the methods that stand on it.
#[derive(Default)]
pub struct Grounds {
    built: Mutex<Vec<(Key, Arc<Ground>)>>,
}

/// All that the bodies of a scene and their model depend on.
#[derive(PartialEq)]
struct Key {
    /// The scene without its method and schedule, in the words of run.toml.
    text: String,
    stiffness: Stiffness,
    /// The step [s], where the model depends on it, and whether regions are to be explicit, where they are chosen.
    step: Option<(f64, bool)>,
}

impl Key {
    fn of(scene: &Scene) -> Key {
        let (mut section, mut text) = ("", String::new());
        let whole = scene.to_toml();
        for line in whole.lines() {
            section = if line.starts_with('[') { line } else { section };
            if !["[integrator]", "[run]"].contains(&section) {
                text += line;
                text.push('\n');
            }
        }
        let integrator = &scene.integrator;
        // Contact as a constraint has speeds that go by the step.
        let meets = scene.collisions.is_some() || !scene.contacts.is_empty() || !scene.rigids.is_empty();
        let is_explicit = integrator.chooses_regions && integrator.method.has_explicit_regions;
        let step = (meets || integrator.chooses_regions).then_some((integrator.step, is_explicit));
        Key { text, stiffness: integrator.stiffness, step }
    }
}

impl Grounds {
    /// Builds a scene, on the ground of an earlier one that differs in method, step or schedule alone, if its model is the same.
    pub fn build(&self, scene: &Scene) -> Result<Built, Problems> {
        let key = Key::of(scene);
        // Whoever wants the same waits for it.
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, ground)) = built.iter().find(|(known, _)| *known == key) {
            let ground = ground.clone();
            drop(built);
            return scene.build_on(&ground, Found::new(&scene.source));
        }
        let first = scene.build()?;
        built.push((key, first.ground.clone()));
        Ok(first)
    }

    /// Number of models that were built.
    pub fn count(&self) -> usize {
        self.built.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
