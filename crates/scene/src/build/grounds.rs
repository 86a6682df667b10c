//! Scenes that differ only in their method share the model of their bodies.

use super::{Built, Ground};
use crate::problem::{Found, Problems};
use crate::scene::{Integrator, Run, Scene};
use model::energy::Stiffness;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Cache of the grounds of scenes: each is built once and shared by all methods.
#[derive(Default)]
pub struct Grounds {
    built: Mutex<Vec<(Key, Arc<Ground>)>>,
}

/// Cache key: everything that the bodies of a scene and their model depend on.
#[derive(PartialEq)]
struct Key {
    /// The scene without its method and schedule.
    scene: Scene,
    /// Directory that its relative paths start from.
    directory: PathBuf,
    stiffness: Stiffness,
    /// Step [s] if the model depends on it, and true if chosen regions must be explicit.
    step: Option<(f64, bool)>,
}

impl Key {
    fn of(scene: &Scene) -> Key {
        let integrator = &scene.integrator;
        // Contact as a constraint has speeds that depend on the step.
        let meets = scene.collisions.is_some() || !scene.contacts.is_empty() || !scene.rigids.is_empty();
        let is_explicit = integrator.chooses_regions && integrator.method.has_explicit_regions;
        let step = (meets || integrator.chooses_regions).then_some((integrator.step, is_explicit));
        let regions = Integrator { regions: integrator.regions.clone(), ..Integrator::default() };
        let bodies = Scene { run: Run::default(), integrator: regions, ..scene.clone() };
        Key { scene: bodies, directory: scene.directory.clone(), stiffness: integrator.stiffness, step }
    }
}

impl Grounds {
    /// Builds a scene. Reuses the ground of an earlier scene with the same model, which differs in method, step or
    /// schedule only.
    pub fn build(&self, scene: &Scene) -> Result<Built, Problems> {
        let scene = &*scene.checked()?;
        let key = Key::of(scene);
        // Other threads that need the same ground wait for it here.
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

    /// Returns the number of models that were built.
    pub fn count(&self) -> usize {
        self.built.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
