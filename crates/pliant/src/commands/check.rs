//! `pliant check`: everything that is wrong with a scene, or what it holds and what to look out for.

use crate::failure::{DONE, Failure};
use crate::print::{self, short};
use crate::progress::filling;
use geometry::components;
use model::mesh::mean_ratio;
use scene::{Scene, Simulation, stable_step};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What to check.
#[derive(clap::Args)]
pub struct Arguments {
    /// The scene file
    scene: PathBuf,
    /// As JSON, problems too
    #[arg(long)]
    json: bool,
}

/// Checks the scene.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    let progress = filling(arguments.json);
    let built = Scene::load(&arguments.scene).and_then(|scene| Ok((scene.build_telling(&progress)?, scene)));
    let (simulation, scene) = match built {
        Ok(built) => built,
        Err(problems) => {
            let failure = Failure::from(problems);
            if arguments.json {
                print::out(&format!("{}\n", failure.to_json()));
            }
            return Err(failure);
        }
    };
    let warnings = warnings(&scene, &simulation);
    if arguments.json {
        print::out(&format!("{}\n", json(&scene, &simulation, &warnings)));
    } else {
        print::out(&text(&scene, &simulation));
        warnings.iter().for_each(|warning| print::err(&format!("warning: {warning}\n")));
    }
    Ok(DONE)
}

/// Number of elements of each kind.
fn elements(simulation: &Simulation) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    simulation.model.terms().iter().for_each(|term| *counts.entry(term.element_name()).or_insert(0) += term.count());
    counts
}

/// Mass of everything [kg].
fn mass(simulation: &Simulation) -> f64 {
    simulation.model.node_mass().iter().sum()
}

fn text(scene: &Scene, simulation: &Simulation) -> String {
    let Simulation { model, method, schedule, bodies, .. } = simulation;
    let title = if scene.title.is_empty() { String::new() } else { format!(": {}", scene.title) };
    let names: Vec<&str> = bodies.iter().map(|body| body.name.as_str()).collect();
    let counts: Vec<String> = elements(simulation).iter().map(|(kind, count)| format!("{count} {kind}s")).collect();
    let kind = method.family.word();
    let mut text = format!("{}{title}\n", scene.name());
    text += &format!("  bodies    {}\n", names.join(", "));
    text += &format!("  nodes     {}, {} of them free: {} unknowns\n", model.nodes(), model.free_nodes(), model.dofs());
    text += &format!("  elements  {}\n", if counts.is_empty() { "none".to_string() } else { counts.join(", ") });
    if let Some(surface) = &simulation.surface {
        let (vertices, triangles) = (surface.mesh.points.len(), surface.mesh.triangles.len());
        text += &format!("  surface   {vertices} vertices, {triangles} triangles that follow the tets\n");
    }
    text += &format!("  mass      {} kg\n", short(mass(simulation)));
    text += &format!("  method    {}, {kind}, order {}, energy: {}\n", method.name, method.order, method.energy.word());
    text += &format!(
        "  run       {} s in {} steps of {} s, {} frames\n",
        short(schedule.duration),
        schedule.steps(),
        short(schedule.step),
        schedule.frames()
    );
    text
}

fn json(scene: &Scene, simulation: &Simulation, warnings: &[String]) -> Value {
    let Simulation { model, method, schedule, bodies, .. } = simulation;
    json!({
        "outcome": "good",
        "scene": scene.name(),
        "title": scene.title,
        "bodies": bodies.iter().map(|body| body.name.as_str()).collect::<Vec<_>>(),
        "nodes": model.nodes(),
        "dofs": model.dofs(),
        "elements": elements(simulation),
        "mass": mass(simulation),
        "method": method.name,
        "step": schedule.step,
        "duration": schedule.duration,
        "steps": schedule.steps(),
        "frames": schedule.frames(),
        "warnings": warnings,
    })
}

/// What is allowed but seldom meant.
fn warnings(scene: &Scene, simulation: &Simulation) -> Vec<String> {
    let Simulation { model, state, method, schedule, mesh, .. } = simulation;
    let mut warnings = Vec::new();
    if let Some(stable) = stable_step(method, model, &state.x).filter(|stable| schedule.step > *stable) {
        warnings.push(format!(
            "{} is stable for steps below about {stable:.1e} s and will diverge with {} s; use a smaller step or \
             an implicit method",
            method.name,
            short(schedule.step)
        ));
    }
    let worst = (0..mesh.tets.len()).map(|e| (mean_ratio(&mesh.tet_points(e)), e)).min_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((quality, e)) = worst.filter(|(quality, _)| *quality < 0.1) {
        warnings.push(format!(
            "tet {e} is nearly flat (mean-ratio quality {quality:.2}, 1 is best): explicit steps must be tiny and \
             implicit solves are badly conditioned; use another mesh"
        ));
    }
    let (piece_of, _) = components(mesh);
    for body in &simulation.bodies {
        let mut found: Vec<u32> = piece_of[body.tets.clone()].to_vec();
        found.sort_unstable();
        found.dedup();
        if found.len() > 1 {
            warnings.push(format!(
                "body \"{}\" is in {} pieces that share no face; if thin places broke, ask for more vertices or make \
                 them thicker",
                body.name,
                found.len()
            ));
        }
    }
    for (first, second, depth) in simulation.overlaps() {
        warnings.push(format!(
            "the rigid bodies \"{first}\" and \"{second}\" begin {depth:.1e} m inside each other and will be pushed apart; \
             move one of them, or join them"
        ));
    }
    let falls = scene.world.gravity != [0.0; 3] && model.free_nodes() == model.nodes() && scene.contacts.is_empty();
    if falls {
        warnings.push(
            "nothing is fixed and nothing is in the way: everything falls; add [[fix]] or [[contact]]".to_string(),
        );
    }
    warnings
}
