//! Error of methods with one linearisation per step, with the exact, the automatic and the turned stiffness.
//!
//! Each case runs with all three. Marked is where the automatic one, the default, is worse than the exact one. The error is the largest distance between nodes of a run and of the reference at 20 times of the run, over the largest
//! displacement of the reference. The reference is implicit-midpoint with a tenth of the step, or backward Euler with a hundredth where that fails (contact).
//! Three sweeps: scenes at their own steps; bars that swing, spin, bend and hang, of every material, from soft to stiff, at several steps; and a minute of the
//! hinged and the spinning bar, where energy and angular momentum at the end count.

use super::{Findings, Report};
use crate::failure::Failure;
use integrators::{FrameKind, LineariseAt, Modes, Options, parameters};
use model::energy::Stiffness;
use model::material::MATERIALS;
use model::parameter::Value;
use model::{Model, State};
use numerics::mat3::{norm, sub};
use scene::Scene;
use serde_json::{Map, json};

/// Times at which a run is compared with the reference.
const LOOKS: usize = 20;
/// Limit of the motion, over the largest displacement of the reference, beyond which a run has diverged.
const DIVERGED: f64 = 10.0;

/// Scenes whose bodies move by forces.
const SCENES: &[(&str, &str, f64)] = &[
    ("swinging-bar", include_str!("../../scenes/swinging-bar.toml"), 1.0),
    ("twisted-bar", include_str!("../../scenes/twisted-bar.toml"), 0.5),
    ("untwisting-cuboid", include_str!("../../scenes/untwisting-cuboid.toml"), 0.5),
    ("hanging-ball", include_str!("../../scenes/hanging-ball.toml"), 0.2),
    ("stiff-ball", include_str!("../../scenes/stiff-ball.toml"), 0.3),
    ("bouncing-ball", include_str!("../../scenes/bouncing-ball.toml"), 1.0),
    ("dropped-bar", include_str!("../../scenes/dropped-bar.toml"), 0.6),
    ("bridge", include_str!("../../scenes/bridge.toml"), 0.5),
    ("honeycomb", include_str!("../../scenes/honeycomb.toml"), 0.3),
    ("tower", include_str!("../../scenes/tower.toml"), 0.5),
    ("bar-in-wind", include_str!("../../scenes/bar-in-wind.toml"), 1.0),
    ("fibre-bar", include_str!("../../scenes/fibre-bar.toml"), 0.5),
    ("made-of-parts", include_str!("../../scenes/made-of-parts.toml"), 0.5),
    ("plucked-bar", include_str!("../../scenes/plucked-bar.toml"), 0.5),
    ("uncoiling-rope", include_str!("../../scenes/uncoiling-rope.toml"), 1.0),
    ("rope", include_str!("../../scenes/rope.toml"), 1.0),
    ("chain", include_str!("../../scenes/chain.toml"), 1.0),
    ("flag", include_str!("../../scenes/flag.toml"), 1.0),
    ("dropped-cloth", include_str!("../../scenes/dropped-cloth.toml"), 1.0),
    ("shaken-cloth", include_str!("../../scenes/shaken-cloth.toml"), 1.0),
    ("tower-of-springs", include_str!("../../scenes/tower-of-springs.toml"), 0.5),
    ("springs-stiff-diagonals", include_str!("../../scenes/springs-stiff-diagonals.toml"), 0.5),
];

/// Young's moduli of the bars [Pa].
const YOUNG: [f64; 5] = [1e4, 1e6, 1e8, 1e10, 1e11];

/// A bar of tets in four motions.
const BAR: &str = r#"
title = "bar"
[run]
duration = 0.6
[integrator]
method = "linearly-implicit-euler"
step = 0.01
[[body]]
name = "bar"
shape = { generator = "bar", length = 1.0, width = 0.1, height = 0.1, cells_along = 8, cells_across = 2 }
"#;
const HINGED: &str = "[[fix]]\nwhere = { box = { min = [-0.001, -1.0, -1.0], max = [0.001, 1.0, -0.049] } }\n";
const MOTIONS: &[(&str, &str)] = &[
    ("hinged", HINGED),
    ("spinning", "[world]\ngravity = [0.0, 0.0, 0.0]\n[[initial]]\nkind = \"velocity\"\nangular = [0.0, 5.0, 0.0]\n"),
    ("cantilever", "[[fix]]\nwhere = { group = \"x-\" }\n"),
    (
        "hanging",
        "[world]\ngravity = [9.81, 0.0, 0.0]\n[[fix]]\nwhere = { group = \"x-\" }\n[[initial]]\nkind = \"velocity\"\nangular = [0.0, 0.0, 2.0]\n",
    ),
];

/// Kinds of stiffness that are compared.
const KINDS: [Stiffness; 3] = [Stiffness::Exact, Stiffness::Auto, Stiffness::Turned];

/// Methods that are compared; siere with automatic modes in both frames.
const CONTENDERS: usize = 5;

/// A method in the form that is compared.
struct Contender {
    label: &'static str,
    method: &'static str,
    options: Options,
}

fn contenders() -> [Contender; CONTENDERS] {
    let predicted = Options::default().with(&parameters::LINEARISE_AT, LineariseAt::Predicted);
    let auto = Options::default().with(&parameters::MODES, Modes::Auto);
    let fixed = auto.clone().with(&parameters::FRAME, FrameKind::Fixed);
    [
        Contender { label: "si", method: "linearly-implicit-euler", options: Options::default() },
        Contender { label: "si at x + h v", method: "linearly-implicit-euler", options: predicted },
        Contender { label: "siere, 5 modes", method: "siere", options: Options::default() },
        Contender { label: "siere, auto", method: "siere", options: auto },
        Contender { label: "siere, auto, fixed", method: "siere", options: fixed },
    ]
}

/// A scene with the motion that runs are compared with.
struct Case {
    scene: Scene,
    step: f64,
    steps: usize,
    reference: Vec<State>,
    /// Largest displacement of the reference [m].
    size: f64,
}

/// Runs a method; returns its state at each look, or fewer where a step failed.
fn looks(model: &Model, start: &State, method: &str, options: &Options, step: f64, steps: usize) -> Vec<State> {
    let stepper = integrators::find(method).and_then(|method| (method.make)(model, options).ok());
    let Some(mut stepper) = stepper else { return Vec::new() };
    let (mut state, mut seen) = (start.clone(), Vec::new());
    for done in 1..=steps {
        if stepper.step(model, &mut state, step).is_err() {
            break;
        }
        model.project(&mut state);
        if done * LOOKS / steps > (done - 1) * LOOKS / steps {
            seen.push(state.clone());
        }
    }
    seen
}

fn distance(a: &State, b: &State) -> f64 {
    a.x.iter().zip(&b.x).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
}

impl Case {
    /// Computes the reference; `None` where it fails.
    fn new(mut scene: Scene, step: f64, duration: f64) -> Result<Option<Case>, Failure> {
        scene.integrator.stiffness = Stiffness::Exact;
        let built = scene.build()?;
        let steps = ((duration / step).round() as usize).max(LOOKS);
        let fine = |method: &str, finer: usize| {
            let options = Options::default().with(&parameters::HALVINGS, 6).with(&parameters::ITERATIONS, 50);
            let seen = looks(&built.model, &built.start, method, &options, step / finer as f64, steps * finer);
            (seen.len() == LOOKS).then_some(seen)
        };
        let reference = fine("implicit-midpoint", 10).or_else(|| fine("backward-euler", 100));
        Ok(reference.map(|reference| {
            let size = reference.iter().map(|state| distance(state, &built.start)).fold(0.0, f64::max);
            Case { scene, step, steps, reference, size }
        }))
    }

    /// Returns the error of each contender with this stiffness; infinite where it diverged.
    fn errors(&self, stiffness: Stiffness) -> Result<[f64; CONTENDERS], Failure> {
        let mut scene = self.scene.clone();
        scene.integrator.stiffness = stiffness;
        let built = scene.build()?;
        Ok(contenders().map(|Contender { method, options, .. }| {
            let seen = looks(&built.model, &built.start, method, &options, self.step, self.steps);
            let off = seen.iter().zip(&self.reference).map(|(a, b)| distance(a, b)).fold(0.0, f64::max) / self.size;
            if seen.len() < LOOKS || off.is_nan() || off > DIVERGED { f64::INFINITY } else { off }
        }))
    }
}

/// Adds a row with the errors of a case.
fn compare(name: &str, case: Option<Case>, findings: &mut Findings) -> Result<(), Failure> {
    let Some(case) = case else {
        findings.say(&format!("{name:<56} no reference"));
        return Ok(());
    };
    let errors = KINDS.map(|kind| case.errors(kind));
    let [exact, automatic, turned] = errors;
    let (exact, automatic, turned) = (exact?, automatic?, turned?);
    let word = |error: f64| if error.is_finite() { format!("{error:.4}") } else { "div".into() };
    let cell = |i: usize| format!("{:>6} {:>6} {:<6}", word(exact[i]), word(automatic[i]), word(turned[i]));
    let cells: Vec<String> = (0..CONTENDERS).map(cell).collect();
    let worse = (0..CONTENDERS).any(|i| automatic[i] > 1.02 * exact[i] + 1e-4);
    findings.say(&format!("{name:<56}{}{}", cells.join(" "), if worse { " worse" } else { "" }));
    let number = |error: f64| error.is_finite().then_some(error);
    let of = |i: usize| json!({ "exact": number(exact[i]), "auto": number(automatic[i]), "turned": number(turned[i]) });
    let row: Map<_, _> = (contenders().iter().enumerate()).map(|(i, c)| (c.label.to_string(), of(i))).collect();
    findings.json.insert(name.to_string(), row.into());
    Ok(())
}

/// Returns the scene of a bar of a material in a motion.
fn bar(material: &str, young: f64, poisson: f64, motion: &str) -> Result<Scene, Failure> {
    let facts = model::material::find(material).ok_or_else(|| Failure::bench(format!("no material {material}")))?;
    let mut keys = format!("model = \"{material}\", density = 1000.0");
    for (key, value) in (facts.sample)(young, poisson) {
        let value = match value {
            Value::Numbers(numbers) if numbers.len() == 1 => format!("{:?}", numbers[0]),
            Value::Numbers(numbers) => format!("{numbers:?}"),
            _ => continue,
        };
        keys += &format!(", {key} = {value}");
    }
    Ok(Scene::parse("bar.toml", &format!("{BAR}material = {{ {keys} }}\n{motion}"))?)
}

/// Part of the sweep.
type Part = fn(&mut Findings) -> Result<(), Failure>;
const PARTS: [Part; 4] = [scenes, bars, materials, minute];

/// Runs the whole sweep, which takes an hour.
pub fn run() -> Result<Report, Failure> {
    report(&PARTS)
}

/// Compares on scenes at their own steps.
pub fn run_scenes() -> Result<Report, Failure> {
    report(&[scenes])
}

/// Compares on bars that swing, spin, bend and hang, from soft to stiff, at steps of 1 ms to 0.1 s.
pub fn run_bars() -> Result<Report, Failure> {
    report(&[bars])
}

/// Compares on the same bars of every material.
pub fn run_materials() -> Result<Report, Failure> {
    report(&[materials])
}

/// Runs the hinged and the spinning bar for a minute.
pub fn run_minute() -> Result<Report, Failure> {
    report(&[minute])
}

fn report(parts: &[Part]) -> Result<Report, Failure> {
    let mut findings = Findings::default();
    parts.iter().try_for_each(|part| part(&mut findings))?;
    Ok(Report { text: findings.text, json: findings.json.into() })
}

fn head(findings: &mut Findings) {
    let labels: Vec<String> = contenders().iter().map(|c| format!("{:<20}", c.label)).collect();
    findings.say(&format!("{:<56}{}", "error with the exact, the automatic, the turned stiffness", labels.join(" ")));
}

fn scenes(findings: &mut Findings) -> Result<(), Failure> {
    head(findings);
    for (name, text, duration) in SCENES {
        let scene = Scene::parse(name, text)?;
        let step = scene.integrator.step;
        compare(name, Case::new(scene, step, *duration)?, findings)?;
    }
    Ok(())
}

fn bars(findings: &mut Findings) -> Result<(), Failure> {
    head(findings);
    for (name, motion) in MOTIONS {
        for (young, poisson) in YOUNG.into_iter().flat_map(|young| [(young, 0.3), (young, 0.49)]) {
            for step in [0.001, 0.01, 0.05, 0.1] {
                let scene = bar("stable-neo-hookean", young, poisson, motion)?;
                let name = format!("{name}, {young:e} Pa, nu {poisson}, h {step} s");
                compare(&name, Case::new(scene, step, 0.6)?, findings)?;
            }
        }
    }
    Ok(())
}

fn materials(findings: &mut Findings) -> Result<(), Failure> {
    head(findings);
    for facts in MATERIALS.iter().filter(|facts| facts.rotation_invariant) {
        for (name, motion) in MOTIONS {
            for young in [1e5, 1e8] {
                let scene = bar(facts.name, young, 0.3, motion)?;
                let name = format!("{name}, {}, {young:e} Pa", facts.name);
                compare(&name, Case::new(scene, 0.01, 0.6)?, findings)?;
            }
        }
    }
    Ok(())
}

/// Adds what a minute changes of the energy of motion and weight of the hinged and the spinning bar, over the largest kinetic energy,
/// and of the angular momentum of the latter.
fn minute(findings: &mut Findings) -> Result<(), Failure> {
    for ((what, motion), young) in MOTIONS[..2].iter().flat_map(|motion| [1e6, 1e9].map(|young| (motion, young))) {
        let mut scene = bar("stable-neo-hookean", young, 0.3, motion)?;
        for (stiffness, word) in KINDS.map(|kind| (kind, kind.name())) {
            scene.integrator.stiffness = stiffness;
            let built = scene.build()?;
            let (model, start) = (&*built.model, &built.start);
            let energy = |state: &State| model.kinetic(state) + model.load_potential(state.t, &state.x);
            let others = ["backward-euler", "implicit-midpoint"].map(|method| Contender {
                label: method,
                method,
                options: Options::default(),
            });
            for contender in contenders().into_iter().chain(others) {
                let seen = looks(model, start, contender.method, &contender.options, 0.01, 6000);
                let most = seen.iter().map(|state| model.kinetic(state)).fold(model.kinetic(start), f64::max);
                let left = seen.last().map_or(f64::NAN, |state| (energy(state) - energy(start)) / most);
                let [spin, now] =
                    [Some(start), seen.last()].map(|s| s.map_or([f64::NAN; 3], |s| model.angular_momentum(s)));
                let lost = norm(sub(now, spin)) / norm(spin);
                let diverged = if seen.len() < LOOKS { ", diverged" } else { "" };
                let name = format!("{what} for 60 s, {young:e} Pa, {}, {word}", contender.label);
                let turned =
                    if *what == "spinning" { format!(", angular momentum by {lost:.1e}") } else { String::new() };
                findings.say(&format!("{name:<70} energy changed by {left:.4}{turned}{diverged}"));
                findings.json.insert(name, json!([left, lost]));
            }
        }
    }
    Ok(())
}
