//! `pliant check`: reports all problems of a scene, or its contents and warnings.

use super::regions;
use super::run::set;
use super::turning;
use crate::failure::{DONE, Failure};
use crate::print::{self, short};
use crate::progress::filling;
use geometry::components;
use model::mesh::mean_ratio;
use model::stokes::Drag;
use numerics::mat3::{norm, sub};
use scene::{Built, Overrides, Scene, Survey, Surveyed, Unknown, stable_step};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Arguments of `pliant check`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Scene file
    scene: PathBuf,
    /// Override any key of the scene, for example body.bar.material.young=1e7; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print JSON, also for problems
    #[arg(long)]
    json: bool,
}

/// Checks the scene.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    let progress = filling(arguments.json);
    let overrides = set(Overrides::new(), &arguments.set)?;
    let built =
        Scene::load_with(&arguments.scene, &overrides).and_then(|scene| Ok((scene.build_telling(&progress)?, scene)));
    let (built, scene) = match built {
        Ok(built) => built,
        Err(problems) => {
            let failure = Failure::from(problems);
            if arguments.json {
                print::out(&format!("{}\n", failure.to_json()));
            }
            return Err(failure);
        }
    };
    let growth = regions::growth(&scene, &built);
    let survey = Survey::new(&scene, &built);
    let mut warnings = warnings(&scene, &built);
    warnings.extend(regions::warnings(&built, growth));
    warnings.extend(turning::warnings(&scene, &built, &survey));
    warnings.extend(survey.warnings(&scene));
    if arguments.json {
        let mut report = json(&scene, &built, &survey, &warnings);
        report["spectral_radius"] = json!(growth.map(|growth| growth.radius));
        report["regions"] = regions::json(&built);
        print::out(&format!("{report}\n"));
    } else {
        print::out(&text(&scene, &built, &survey));
        print::out(&regions::text(&built, growth));
        warnings.iter().for_each(|warning| print::err(&format!("warning: {warning}\n")));
    }
    Ok(DONE)
}

/// Counts the elements of each kind.
fn elements(built: &Built) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    built.model.terms().iter().for_each(|term| *counts.entry(term.kind().name()).or_insert(0) += term.count());
    counts
}

/// Returns the total mass [kg].
fn mass(built: &Built) -> f64 {
    built.model.node_mass().iter().sum()
}

/// Flops per second that two cores reach in dense kernels.
const FLOPS_PER_SECOND: f64 = 5e10;

/// Limit of bodies listed one by one.
const MOST_BODIES: usize = 10;

/// Returns one line per body: its size, its mass and its slowest oscillation.
fn bodies(survey: &Survey) -> String {
    let line = |body: &Surveyed| {
        let [x, y, z] = body.extent.map(digits);
        let swings = match body.slowest {
            Ok(slowest) => {
                let stiff = match slowest.too_fast {
                    Some(factor) => format!(", by its mesh at least {factor:.2} times too fast"),
                    None => ", its mesh too large to tell how much too fast".to_string(),
                };
                format!("; swings at {} Hz and more{stiff}", digits(hertz(slowest.frequency)))
            }
            Err(Unknown::Loose) => "; some part moves without bending anything".to_string(),
            Err(Unknown::TooLarge) => "; its mesh is too large to tell how slowly it swings".to_string(),
            Err(Unknown::Held | Unknown::NoSolid) => String::new(),
        };
        format!("  body      {}: {x} x {y} x {z} m, {} kg{swings}\n", print::one_line(&body.name), digits(body.mass))
    };
    let mut text: String = survey.bodies.iter().take(MOST_BODIES).map(line).collect();
    if survey.bodies.len() > MOST_BODIES {
        text += &format!("            and {} bodies more\n", survey.bodies.len() - MOST_BODIES);
    }
    text
}

/// Returns the step relative to the slowest and the fastest oscillation; empty where nothing oscillates.
fn h_omega(survey: &Survey, step: f64) -> String {
    if survey.fastest <= 0.0 {
        return String::new();
    }
    let fastest = digits(step * survey.fastest);
    match survey.slowest() {
        Some(slowest) => {
            let z = step * slowest;
            let steps = std::f64::consts::TAU / z;
            format!(
                "  step x \u{3c9}  {} for the slowest oscillation ({} steps each), {fastest} for the fastest\n",
                digits(z),
                digits(steps)
            )
        }
        None => format!("  step x \u{3c9}  {fastest} for the fastest oscillation\n"),
    }
}

fn hertz(frequency: f64) -> f64 {
    frequency / std::f64::consts::TAU
}

/// Rounds to three digits.
fn digits(value: f64) -> String {
    short(format!("{value:.2e}").parse().unwrap_or(value))
}

fn text(scene: &Scene, built: &Built, survey: &Survey) -> String {
    let (model, method, schedule) = (&built.model, built.simulation.method(), built.simulation.schedule());
    let title = if scene.title.is_empty() { String::new() } else { format!(": {}", print::one_line(&scene.title)) };
    let counts: Vec<String> = elements(built).iter().map(|(kind, count)| format!("{count} {kind}s")).collect();
    let kind = method.family.word();
    let mut text = format!("{}{title}\n", scene.name());
    text += &bodies(survey);
    text += &format!("  nodes     {}, {} of them free: {} unknowns\n", model.nodes(), model.free_nodes(), model.dofs());
    text += &format!("  elements  {}\n", if counts.is_empty() { "none".to_string() } else { counts.join(", ") });
    if let Some(surface) = &built.surface {
        let (vertices, triangles) = (surface.mesh.points.len(), surface.mesh.triangles.len());
        text += &format!("  surface   {vertices} vertices, {triangles} triangles that follow the tets\n");
    }
    if let Some(stokes) = model.stokes() {
        let (points, nodes) = (stokes.points.len(), stokes.nodes().len());
        text += &format!(
            "  fluid     {points} points, {nodes} nodes: {} GB, {} s per step or more\n",
            digits(1e-9 * Drag::bytes(points, nodes)),
            digits(Drag::flops(points, nodes) / FLOPS_PER_SECOND)
        );
    }
    text += &format!("  mass      {} kg\n", short(mass(built)));
    text += &format!("  method    {}, {kind}, order {}, energy: {}\n", method.name, method.order, method.energy.word());
    text += &format!(
        "  run       {} s in {} steps of {} s, {} frames\n",
        short(schedule.duration),
        schedule.steps(),
        short(schedule.step),
        schedule.frames()
    );
    text + &h_omega(survey, schedule.step)
}

fn json(scene: &Scene, built: &Built, survey: &Survey, warnings: &[String]) -> Value {
    let (model, bodies) = (&built.model, &built.bodies);
    let (method, schedule) = (built.simulation.method(), built.simulation.schedule());
    let surveyed: Vec<Value> = (survey.bodies.iter())
        .map(|body| {
            json!({
                "name": body.name, "extent": body.extent, "mass": body.mass,
                "slowest_hz": body.slowest.ok().map(|slowest| hertz(slowest.frequency)),
                "too_fast": body.slowest.ok().and_then(|slowest| slowest.too_fast),
            })
        })
        .collect();
    json!({
        "outcome": "good",
        "scene": scene.name(),
        "title": scene.title,
        "bodies": bodies.iter().map(|body| body.name.as_str()).collect::<Vec<_>>(),
        "nodes": model.nodes(),
        "dofs": model.dofs(),
        "elements": elements(built),
        "mass": mass(built),
        "stokes": model.stokes().map(|stokes| {
            let (points, nodes) = (stokes.points.len(), stokes.nodes().len());
            json!({ "points": points, "nodes": nodes, "bytes": Drag::bytes(points, nodes), "flops": Drag::flops(points, nodes) })
        }),
        "surveyed": surveyed,
        "h_omega_slowest": survey.slowest().map(|slowest| schedule.step * slowest),
        "h_omega_fastest": schedule.step * survey.fastest,
        "method": method.name,
        "step": schedule.step,
        "duration": schedule.duration,
        "steps": schedule.steps(),
        "frames": schedule.frames(),
        "warnings": warnings,
    })
}

/// Returns warnings about settings that are allowed but rarely intended.
fn warnings(scene: &Scene, built: &Built) -> Vec<String> {
    let (model, mesh, state) = (&built.model, &built.mesh, built.simulation.state());
    let (method, schedule) = (built.simulation.method(), built.simulation.schedule());
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
    for body in &built.bodies {
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
    for (first, second, depth) in built.overlaps() {
        warnings.push(format!(
            "the rigid bodies \"{first}\" and \"{second}\" begin {depth:.1e} m inside each other and will be pushed apart; \
             move one of them, or join them"
        ));
    }
    warnings.extend(overlaps(built));
    if built.expects_stillness() {
        warnings.push(
            "a run in which nothing ever moves would give what [expect] says; bound `kinetic` or `moved` from below"
                .to_string(),
        );
    }
    let falls = scene.world.gravity != [0.0; 3]
        && model.free_nodes() == model.nodes()
        && scene.contacts.is_empty()
        && scene.fluids.is_empty();
    if falls {
        warnings.push(
            "nothing is fixed and nothing is in the way: everything falls; add [[fix]] or [[contact]]".to_string(),
        );
    }
    warnings
}

/// Warns of nodes that begin inside an obstacle, and of a thickness that is too large for the mesh.
fn overlaps(built: &Built) -> Vec<String> {
    let (model, state) = (&built.model, built.simulation.state());
    let Some(collisions) = model.collisions() else { return Vec::new() };
    let mut warnings = Vec::new();
    for (k, collider) in collisions.colliders.iter().enumerate() {
        let pose = collider.pose_at(state.t);
        let depth = |&node: &u32| {
            let i = 3 * node as usize;
            let local = pose.local_point([state.x[i], state.x[i + 1], state.x[i + 2]]);
            0.5 * collisions.thickness - collider.shape.near(local).distance
        };
        let depths = collider.nodes.iter().map(|node| (depth(node), model.origin(*node as usize)));
        let inside: Vec<(f64, usize)> = depths.filter(|(depth, _)| *depth > 1e-9 * collisions.thickness).collect();
        if let Some((deepest, node)) = inside.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0)) {
            warnings.push(format!(
                "{} nodes begin inside of obstacle {} or nearer than half the thickness, node {node} by {deepest:.1e} m: \
                 they are pushed out at {} m/s; move them, or raise max_separation_speed",
                inside.len(),
                k + 1,
                short(collisions.max_separation_speed)
            ));
        }
    }
    if collisions.between {
        for (first, second, count) in built.intrusions() {
            warnings.push(format!(
                "{count} nodes of \"{first}\" begin inside of \"{second}\": surfaces are kept on the side where they are, so \
                 that both stay stuck in each other; move one of them"
            ));
        }
    }
    let rest = |i: u32| -> [f64; 3] { std::array::from_fn(|c| model.rest()[3 * i as usize + c]) };
    let sides = collisions.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let edges = sides.chain(collisions.edges.iter().copied());
    let shortest = edges.map(|[a, b]| norm(sub(rest(a), rest(b)))).fold(f64::INFINITY, f64::min);
    if collisions.within && collisions.thickness > shortest {
        warnings.push(format!(
            "the thickness of {} m is more than the shortest edge, {} m: what is nearer than it at rest does not meet; \
             use a smaller thickness or a coarser mesh",
            short(collisions.thickness),
            short(shortest)
        ));
    }
    warnings
}
