//! Scenes that differ in their method share what is built of their bodies.

use super::{Built, Ground};
use crate::problem::{Found, Problems};
use crate::scene::{Integrator, Run, Scene};
use model::energy::Stiffness;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Grounds of scenes, each built once, whatever the methods that stand on it.
#[derive(Default)]
pub struct Grounds {
    built: Mutex<Vec<(Key, Arc<Ground>)>>,
}

/// All that the bodies of a scene and their model depend on.
#[derive(PartialEq)]
struct Key {
    /// The scene without its method and schedule.
    scene: Scene,
    /// The directory that its relative paths start from.
    directory: PathBuf,
    stiffness: Stiffness,
    /// The step [s], where the model depends on it, and whether regions are to be explicit, where they are chosen.
    step: Option<(f64, bool)>,
}

impl Key {
    fn of(scene: &Scene) -> Key {
        let integrator = &scene.integrator;
        // Contact as a constraint has speeds that go by the step.
        let meets = scene.collisions.is_some() || !scene.contacts.is_empty() || !scene.rigids.is_empty();
        let is_explicit = integrator.chooses_regions && integrator.method.has_explicit_regions;
        let step = (meets || integrator.chooses_regions).then_some((integrator.step, is_explicit));
        let regions = Integrator { regions: integrator.regions.clone(), ..Integrator::default() };
        let bodies = Scene { run: Run::default(), integrator: regions, ..scene.clone() };
        Key { scene: bodies, directory: scene.directory.clone(), stiffness: integrator.stiffness, step }
    }
}

impl Grounds {
    /// Builds a scene, on the ground of an earlier one that differs in method, step or schedule alone, if its model is the same.
    pub fn build(&self, scene: &Scene) -> Result<Built, Problems> {
        let scene = &*scene.checked()?;
        let key = Key::of(scene);
        // Whoever wants the same waits for it.
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, ground)) = built.iter().find(|(known, _)| *known == key) {
            let ground = ground.clone();
            drop(built);
            return scene.build_on(&ground, Found::new(scene.source()));
        }
        let first = scene.build_checked(&|_| {})?;
        built.push((key, first.ground.clone()));
        Ok(first)
    }

    /// Number of models that were built.
    pub fn count(&self) -> usize {
        self.built.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
