//! The page with the data it needs before the first frame. viewer/README.md describes the format.

use crate::simulation::Live;
use integrators::METHODS;
use numerics::mat3::{Vec3, norm, sub};
use report::page::DrawnShape;
use report::{Drawn, FIELDS, Particles, around, page};
use scene::Scene;
use scene::export::Replay;
use serde_json::{Value, json};

/// Policy of a report, which forbids all connections, and that of a page that may query its own server.
const POLICIES: [&str; 2] = ["connect-src 'none'", "connect-src 'self'"];

/// The page of a scene.
pub(crate) fn of_scene(scene: &Scene, live: &Live, command: &str) -> String {
    let methods: Vec<Value> =
        METHODS.iter().map(|method| json!({ "name": method.name, "about": method.description })).collect();
    let (name, step) = (scene.integrator.method.name, scene.integrator.step);
    let title = if scene.title.is_empty() { name } else { scene.title.as_str() };
    let fields: Vec<Value> =
        FIELDS.iter().map(|(name, unit)| json!({ "name": name, "unit": unit, "max": 0.0 })).collect();
    let live_facts = json!({ "interferes": true, "methods": methods });
    let obstacles = page::drawn_obstacles(&Drawn::all(scene));
    let text = scene.to_toml();
    let flow = live.plane.as_ref().map(|plane| plane.facts(0.0)).unwrap_or_default();
    let trails = json!(live.drawing.trails);
    let told =
        Told { title, scene: &text, command, method: name, step, fields, obstacles, trails, flow, live: live_facts };
    told.page(&DrawnShape::of(&live.drawing), &live.drawing.particles)
}

/// The page of a run read from files; `scene` is the scene it ran, if it is still stored.
pub(crate) fn of_run(name: &str, scene: Option<&Scene>, replay: &Replay, command: &str) -> String {
    let text = scene.map(Scene::to_toml).unwrap_or_default();
    let title = scene.map(|scene| scene.title.as_str()).filter(|title| !title.is_empty()).unwrap_or(name);
    let (method, step) = scene.map_or(("", 0.0), |scene| (scene.integrator.method.name, scene.integrator.step));
    let fields = FIELDS[..1].iter().map(|(name, unit)| json!({ "name": name, "unit": unit, "max": 0.0 })).collect();
    let live = json!({ "interferes": false, "methods": [] });
    let obstacles = page::drawn_obstacles(&scene.map(Drawn::all).unwrap_or_default());
    let (trails, flow) = (json!([]), Value::Null);
    let told = Told { title, scene: &text, command, method, step, fields, obstacles, trails, flow, live };
    let (mesh, (count, every)) = (replay.mesh(), replay.particles());
    let across = || {
        let [low, high] = with_margin(&mesh.points);
        norm(sub(high, low))
    };
    let spacing = scene.and_then(|scene| Some(scene.fluids.first()?.liquid.spacing));
    // A run that no longer says it shows dots.
    let particles = Particles::new(count, spacing.unwrap_or_else(|| 0.01 * across()), every);
    let (triangles, lines, rest) = (&mesh.triangles, &mesh.edges, &mesh.points);
    told.page(&DrawnShape { triangles, lines, thickness: replay.thickness(), rest }, &particles)
}

/// Data about an ongoing run.
pub(crate) struct Told<'a> {
    pub title: &'a str,
    /// Text of the scene.
    pub scene: &'a str,
    pub command: &'a str,
    pub method: &'a str,
    /// Length of a step [s].
    pub step: f64,
    pub fields: Vec<Value>,
    pub obstacles: Value,
    pub trails: Value,
    pub flow: Value,
    pub live: Value,
}

impl Told<'_> {
    /// Returns the page that shows this.
    pub fn page(self, shape: &DrawnShape, particles: &Particles) -> String {
        let empty: [f64; 0] = [];
        let facts = json!({
            "pliant": env!("CARGO_PKG_VERSION"),
            "title": self.title,
            "scene": self.scene,
            "command": self.command,
            "times": [0.0],
            "up": [0, 0, 1],
            "shape": page::drawn_shape(shape, particles),
            "box": with_margin(shape.rest),
            "fields": self.fields,
            "obstacles": self.obstacles,
            "trails": self.trails,
            "flow": self.flow,
            "runs": [{
                "label": self.method, "method": self.method, "step": self.step, "outcome": "live", "diverged_at": null,
                "message": null, "frames": 0, "ms_per_step": 0.0, "steps": 0, "work": {}, "energy_kept": null, "error": null,
                "series": { "t": empty, "kinetic": empty, "elastic": empty, "loads": empty, "total": empty },
            }],
            "reference": null,
            "damping": null,
            "precision": null,
            "live": self.live,
        });
        page::filled(&facts, &[("shape".to_string(), shape.packed())]).replacen(POLICIES[0], POLICIES[1], 1)
    }
}

/// Returns the box around points, with space for motion [m].
fn with_margin(points: &[Vec3]) -> [Vec3; 2] {
    let [low, high] = around(points.iter().copied()).unwrap_or_default();
    let margin = 0.4 * (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    [low.map(|x| x - margin), high.map(|x| x + margin)]
}
