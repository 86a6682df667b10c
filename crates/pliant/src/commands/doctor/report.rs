//! Report of the doctor as JSON.

use super::super::convert::counts;
use super::page::unit;
use super::substance::Substance;
use super::{Mended, Seen};
use geometry::doctor::Finding;
use model::mesh::Mesh;
use scene::files::Loss;
use serde_json::{Value, json};

/// Returns the JSON of an examined mesh.
pub fn seen(mesh: &Mesh, seen: &Seen, material: &Substance, step: f64) -> Value {
    let Seen { doubts, diagnosis, frequency } = seen;
    let quality = diagnosis.quality.as_ref().map(|quality| {
        json!({
            "mean_ratio": { "lowest": quality.ratio[0], "mean": quality.ratio[1], "histogram": quality.ratios },
            "dihedral_degrees": { "lowest": quality.angle[0], "mean": quality.angle[1], "histogram": quality.angles },
        })
    });
    let Substance { name, young, poisson, density } = material;
    let motion = frequency.map(|w| {
        json!({
            "material": { "name": name, "young": young, "poisson": poisson, "density": density },
            "highest_frequency": w, "explicit_step": 2.0 / w, "step": step, "step_times_frequency": step * w,
        })
    });
    json!({
        "healthy": diagnosis.is_healthy() && doubts.is_empty(),
        "doubts": doubts.iter().map(|doubt| json!({ "kind": doubt.word(), "message": doubt.to_string() })).collect::<Vec<_>>(),
        "counts": counts(mesh),
        "groups": mesh.groups.keys().collect::<Vec<_>>(),
        "bounds": diagnosis.bounds,
        "unit_guess": unit(diagnosis.bounds).map(|(_, name)| name),
        "volume": diagnosis.volume,
        "area": diagnosis.area,
        "parts": diagnosis.components,
        "quality": quality,
        "motion": motion,
        "findings": diagnosis.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn finding(finding: &Finding) -> Value {
    let facts = finding.kind.facts();
    let first: Vec<Value> =
        finding.first.iter().map(|one| json!({ "what": one.what, "index": one.index, "at": one.at })).collect();
    json!({
        "kind": facts.word, "severity": facts.severity.word(), "count": finding.count, "first": first,
        "longest": finding.longest, "fix": facts.cure.ok().map(|fix| fix.name()),
    })
}

/// Returns the JSON of the mended mesh.
pub fn mended(mended: &Mended, material: &Substance, step: f64) -> Value {
    let changes: Vec<Value> = mended
        .changes
        .iter()
        .map(|change| json!({ "fix": change.fix.name(), "count": change.count, "what": change.what }))
        .collect();
    let mut report = seen(&mended.mesh, &mended.seen, material, step);
    report["file"] = json!(mended.to.to_string_lossy());
    report["changes"] = json!(changes);
    report["lost"] = json!(mended.losses.iter().map(Loss::to_string).collect::<Vec<_>>());
    report
}
