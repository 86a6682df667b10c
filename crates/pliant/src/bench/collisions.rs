//! Contact by impulses: hairs on a head, a large cloth, and growth with the number of features.
//!
//! The time of collisions is that of whole steps less that of the same steps of the same scene without contact. Hairs are
//! measured in the middle of their motion; a run of 4 s is extrapolated from these steps.

use super::{Findings, Report, forget_peak_memory, peak_memory_mib};
use crate::failure::Failure;
use scene::{Built, Scene};
use serde_json::json;
use std::time::Instant;

const TUFT: &str = include_str!("../../scenes/hair-tuft-in-contact.toml");
const CLOTH: &str = include_str!("../../scenes/cloth-on-ball-by-impulses.toml");

/// Hairs of the head shake (Michels et al. 2017, figure 1).
const HAIRS: u32 = 60_000;
/// Numbers of hairs per side of a lawn of constant density.
const LAWNS: [u32; 3] = [20, 40, 80];

/// Returns a scene with other words for some of its own.
fn with(name: &str, text: &str, words: &[(&str, &str)]) -> Result<Scene, Failure> {
    let missing = |word: &str| Failure::bench(format!("{name} has no {word}"));
    let text = words.iter().try_fold(text.to_string(), |text, (own, other)| {
        if text.contains(own) { Ok(text.replace(own, other)) } else { Err(missing(own)) }
    })?;
    Ok(Scene::parse(name, &text)?)
}

/// Takes steps; returns the mean time of the last `timed` of them [s], and contacts in the last one.
fn pace(built: &mut Built, steps: u64, timed: u64) -> Result<(f64, u64), Failure> {
    let mut contacts = 0;
    let mut clock = Instant::now();
    for step in 0..steps + timed {
        if step == steps {
            clock = Instant::now();
        }
        contacts = built.simulation.step().map_err(Failure::bench)?.contacts;
    }
    Ok((clock.elapsed().as_secs_f64() / timed as f64, contacts))
}

/// Returns the time of a step with and without contact [s], and the contacts.
fn both(scene: &Scene, steps: u64, timed: u64) -> Result<([f64; 2], u64), Failure> {
    let (with, contacts) = pace(&mut scene.build()?, steps, timed)?;
    let mut free = scene.clone();
    (free.collisions, free.contacts) = (None, Vec::new());
    let (without, _) = pace(&mut free.build()?, steps, timed)?;
    Ok(([with, without], contacts))
}

/// Returns the exponent of the growth of times with sizes, by least squares of the logarithms.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let [x, y] = points.iter().fold([0.0; 2], |[x, y], (a, b)| [x + a.ln() / n, y + b.ln() / n]);
    let over: f64 = points.iter().map(|(a, b)| (a.ln() - x) * (b.ln() - y)).sum();
    over / points.iter().map(|(a, _)| (a.ln() - x).powi(2)).sum::<f64>()
}

/// Measures everything.
pub fn run() -> Result<Report, Failure> {
    let mut findings = Findings::default();

    let mut growth = Vec::new();
    for side in LAWNS {
        let metres = 0.002 * f64::from(side);
        let roots = format!(
            "{{ on = \"rows\", side = [{metres}, 0.0, 0.0], other_side = [0.0, {metres}, 0.0], counts = [{side}, {side}] }}"
        );
        let line = TUFT.lines().find(|line| line.starts_with("roots =")).unwrap_or_default();
        let scene = Scene::parse("lawn.toml", &TUFT.replace(line, &format!("roots = {roots}")))?;
        let ([whole, free], contacts) = both(&scene, 8, 3)?;
        let hairs = side * side;
        findings.say(&format!(
            "lawn of {hairs} hairs: {whole:.4} s per step, {free:.4} s without contact, {contacts} contacts"
        ));
        growth.push((f64::from(hairs), (whole - free).max(1e-9)));
    }
    let exponent = exponent(&growth);
    findings.say(&format!("growth of collisions at constant density: exponent {exponent:.2} (to reach: 1.15)"));
    findings.json.insert("growth".into(), json!(exponent));

    forget_peak_memory();
    let count = format!("count = {HAIRS}");
    let hair = |step: &str| with("hair.toml", TUFT, &[("count = 200", &count), ("step = 0.0025", step)]);
    let ([fast, fast_free], contacts) = both(&hair("step = 0.01")?, 20, 3)?;
    findings.say(&format!("{HAIRS} hairs at 10 ms, mid-motion: {fast:.2} s per step, {fast_free:.2} s without contact, {contacts} contacts"));
    let ([slow, slow_free], contacts) = both(&hair("step = 0.0493")?, 5, 3)?;
    findings.say(&format!("{HAIRS} hairs at 49.3 ms, mid-motion: {slow:.2} s per step, {slow_free:.2} s without contact, {contacts} contacts"));
    let memory = peak_memory_mib();
    let minutes = |step: f64, seconds: f64| 4.0 / step * seconds / 60.0;
    findings.say(&format!(
        "4 s of {HAIRS} hairs, extrapolated: {:.1} min at 49.3 ms (to reach: 5; paper 54), {:.1} min at 10 ms (to reach: 20); {memory:.0} MiB",
        minutes(0.0493, slow),
        minutes(0.01, fast)
    ));
    findings.json.insert(
        "hair".into(),
        json!({
            "collision_step_seconds": fast - fast_free,
            "four_seconds_at_49ms_minutes": minutes(0.0493, slow),
            "at_10ms_minutes": minutes(0.01, fast),
            "is_extrapolated": true,
            "peak_memory_mib": memory,
        }),
    );

    let words = [("cells = [20, 20]", "cells = [387, 387]"), ("\"siere\"", "\"linearly-implicit-euler\"")];
    let cloth = with("cloth.toml", CLOTH, &words)?;
    let ([whole, free], contacts) = both(&cloth, 30, 3)?;
    let frame = whole / 60.0 / cloth.integrator.step;
    findings
        .say(&format!("cloth of 150k nodes: {whole:.2} s per step, {free:.2} without contact, {contacts} contacts"));
    findings.json.insert("cloth_150k".into(), json!({ "frame_seconds": frame }));

    Ok(Report { text: findings.text, json: findings.json.into() })
}
