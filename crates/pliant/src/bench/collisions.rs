//! Contact by impulses at the papers' sizes.
//!
//! Hair: the head shake, of 600 to 60,000 hairs at constant density. The time of contact is that of the whole step less that of the
//! method alone from the same state, in the same run. The four seconds at 49.3 ms are run in full, from the file of the scene to the
//! last step; those at 10 ms are extrapolated from steps in the middle of that motion.

use super::fibres::exponent;
use super::runner::Runner;
use super::{Findings, Folder, Report, forget_peak_memory, peak_memory_mib, time};
use crate::failure::Failure;
use scene::Scene;
use serde_json::json;
use simulation::Simulation;

const HEAD: &str = include_str!("../../scenes/large/head-shake.toml");
/// Numbers of hairs for the growth.
const SIZES: [u32; 5] = [600, 2_000, 6_000, 20_000, 60_000];
/// Steps before the timed ones, and timed steps, for the growth.
const STEPS: [usize; 2] = [10, 5];
/// Height of the cap of the head that 60,000 hairs cover, and its radius [m].
const CAP: [f64; 2] = [0.061, 0.091];
/// The paper's step, and a shorter one [s].
const COARSE: f64 = 0.0493;
const FINE: f64 = 0.01;
/// The coarse step after which the head has been shaken seven times, but for 0.3 ms: fine steps begin there, with the clock at zero.
const SHAKEN: u64 = 71;
/// Number of fine steps.
const FINE_STEPS: usize = 40;

/// Mean times of steps [s].
struct Times {
    whole: f64,
    contact: f64,
    rounds: f64,
}

/// Returns the head shake of some hairs, as dense as 60,000.
fn head(folder: &Folder, hairs: u32, step: f64) -> Result<Scene, Failure> {
    let mut scene = folder.scene(HEAD, None)?;
    let [height, radius] = CAP;
    scene.set("integrator.step", step)?;
    scene.set("fibres.hair.roots.count", i64::from(hairs))?;
    scene.set("fibres.hair.roots.where.half_space.point.2", radius - height * f64::from(hairs) / 60_000.0)?;
    Ok(scene)
}

/// Takes steps, and times them with and without contact.
fn steps(simulation: &mut Simulation, count: usize) -> Result<Times, Failure> {
    let model = simulation.model().clone();
    let method = simulation.method().name;
    let mut alone = Runner::new(&model, simulation.state(), method, &Default::default())?;
    // The first step finds memory.
    alone.step(&model, simulation.schedule().length(1))?;
    let (mut whole, rounds) = (0.0, simulation.report().contact_rounds);
    for _ in 0..count {
        let h = simulation.schedule().length(simulation.steps() + 1);
        alone.state.clone_from(simulation.state());
        alone.step(&model, h)?;
        let (done, ms) = time(|| simulation.step());
        done.map_err(Failure::bench)?;
        whole += 1e-3 * ms / count as f64;
    }
    let rounds = (simulation.report().contact_rounds - rounds) as f64 / count as f64;
    Ok(Times { whole, contact: whole - 1e-3 * alone.mean(1), rounds })
}

/// Measures everything.
pub fn run() -> Result<Report, Failure> {
    let mut findings = Findings::default();
    let folder = Folder::new("collisions")?;
    forget_peak_memory();

    let mut seconds = Vec::new();
    for hairs in SIZES {
        let mut simulation = head(&folder, hairs, FINE)?.build()?.simulation;
        (0..STEPS[0]).try_for_each(|_| simulation.step().map(drop)).map_err(Failure::bench)?;
        let Times { whole, contact, rounds } = steps(&mut simulation, STEPS[1])?;
        findings
            .say(&format!("{hairs} hairs: {whole:.3} s per step, {contact:.3} s of it contact, {rounds:.1} rounds"));
        seconds.push(contact);
    }
    let exponent = exponent(&SIZES.map(|size| size as usize), &seconds);
    findings.say(&format!("growth at constant density: exponent {exponent:.2} (to reach: 1.15)"));
    findings.json.insert("growth".into(), json!(exponent));

    let hairs = SIZES[SIZES.len() - 1];
    let (ran, ms) = time(|| -> Result<_, Failure> {
        let mut simulation = head(&folder, hairs, COARSE)?.build()?.simulation;
        let count = simulation.schedule().steps();
        let mut middle = None;
        for step in 1..=count {
            simulation.step().map_err(Failure::bench)?;
            if step == SHAKEN {
                middle = Some(simulation.state().clone());
            }
        }
        Ok((simulation, middle))
    });
    let (simulation, middle) = ran?;
    let minutes = ms / 6e4;
    findings.say(&format!(
        "{hairs} hairs: four seconds at {COARSE} s, all included, in {minutes:.1} minutes (to reach: 5; the paper 54); {} rounds",
        simulation.report().contact_rounds
    ));
    drop(simulation);
    let built = head(&folder, hairs, FINE)?.build()?;
    let mut simulation = built.simulation;
    if let Some(mut middle) = middle {
        middle.t = 0.0;
        simulation.begin_from(middle).map_err(Failure::bench)?;
    }
    let Times { whole, contact, rounds } = steps(&mut simulation, FINE_STEPS)?;
    let fine = whole * 4.0 / FINE / 60.0;
    findings.say(&format!(
        "{hairs} hairs in the middle of the motion, {FINE_STEPS} steps of {FINE} s: {contact:.2} s of contact per step (to reach: 2.5), \
         {rounds:.1} rounds; four seconds extrapolate to {fine:.0} minutes (to reach: 20)"
    ));
    let hair = json!({
        "collision_step_seconds": contact,
        "four_seconds_at_49ms_minutes": minutes,
        "at_10ms_minutes": fine,
        "at_10ms_is_extrapolated_from_steps": FINE_STEPS,
        "threads": rayon::current_num_threads(),
    });
    findings.json.insert("hair".into(), hair);
    let peak = peak_memory_mib();
    findings.say(&format!("peak memory {peak:.0} MiB"));
    findings.json.insert("peak_memory_mib".into(), json!(peak));
    Ok(Report { text: findings.text, json: findings.json.into() })
}
