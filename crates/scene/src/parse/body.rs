//! Bodies: their keys, and checks of keys against each other.

use super::check::{number, table, tables, word};
use super::read::{selector, turn, undeclared};
use super::solid::solid;
use crate::body::{Body, BodyMarks, BodyMass, Detail, Fill, Material, Shape, Springs, Zone, materials_with};
use crate::problem::Found;
use crate::spec::{FILE, PARTS};
use crate::tree::{Read, Table, Value};
use model::energy::spring::Law;
use model::material::{self, MaterialFacts};
use model::mesh::generate::{self, Generator, MAX_ELEMENTS};
use model::mesh::{MeshError, ParameterError};
use model::parameter::Preset;
use std::collections::{BTreeMap, HashSet};

/// A key that gives a body without material its mass, and its meaning.
type MassKey = (&'static str, fn(f64) -> BodyMass);

/// All such keys.
const MASSES: [MassKey; 4] = [
    ("line_density", BodyMass::Line),
    ("area_density", BodyMass::Area),
    ("node_mass", BodyMass::Node),
    ("density", BodyMass::Volume),
];

pub(super) fn body(table: &Table) -> Read<Body> {
    let shape_table = table.table("shape")?;
    let rotation = turn(table)?;
    let mut mass = None;
    for (key, kind) in MASSES {
        mass = mass.or(table.maybe_number(key)?.map(|x| (kind(x), table.at(key))));
    }
    let (mass, mass_at) = mass.map_or((None, table.at.clone()), |(mass, at)| (Some(mass), at));
    Ok(Body {
        name: table.text("name")?.to_string(),
        shape: shape(shape_table)?,
        position: table.vector("position")?,
        rotation,
        scale: table.number("scale")?,
        material: table.maybe_table("material")?.map(material).transpose()?,
        springs: table.maybe_table("springs")?.map(springs).transpose()?,
        mass,
        zones: table.tables("zone")?.iter().map(zone).collect::<Read<_>>()?,
        marks: BodyMarks {
            body: table.at.clone().into(),
            shape: shape_table.at.clone().into(),
            material: table.at("material").into(),
            mass: mass_at.into(),
        },
    })
}

/// Reads the source of a mesh.
fn shape(table: &Table) -> Read<Shape> {
    let word = table.text("generator")?;
    if word == FILE {
        let checksum = table.maybe_text("checksum")?.map(str::to_string);
        let fill = Fill {
            vertices: table.maybe_count("vertices")?.map(|n| n as usize),
            grading: table.maybe_count("grading")?.map(|n| n as u32),
            surface: match table.get("surface").map(|node| &node.value) {
                Some(Value::Text(_)) => Some(Detail::Given),
                _ => table.maybe_count("surface")?.map(|n| Detail::Vertices(n as usize)),
            },
        };
        return Ok(Shape::File { path: table.text("path")?.into(), checksum, fill });
    }
    if word == PARTS {
        return Ok(Shape::Parts(solid(table)?));
    }
    let generator = Generator::find(word).map_err(|_| undeclared("generator"))?;
    Ok(Shape::Generated { generator, parameters: parameters(table) })
}

/// Returns the parameters of a shape, in the form its generator takes.
pub(super) fn parameters(shape: &Table) -> BTreeMap<String, generate::Value> {
    let mut parameters = BTreeMap::new();
    for (key, node) in shape.entries.iter().filter(|(key, _)| *key != "generator") {
        parameters.extend(node.value.of_parameter().map(|value| (key.to_string(), value)));
    }
    parameters
}

fn material(table: &Table) -> Read<Material> {
    Ok(Material {
        model: material_name(table.text("model")?)?,
        parameters: of_material(table),
        density: table.number("density")?,
    })
}

/// Returns the parameters of materials in the table of a material or zone.
fn of_material(table: &Table) -> BTreeMap<String, generate::Value> {
    let of_some = table.entries.iter().filter(|(key, _)| !materials_with(key).is_empty());
    of_some.filter_map(|(key, node)| Some((key.to_string(), node.value.of_parameter()?))).collect()
}

fn material_name(word: &str) -> Read<&'static str> {
    material::find(word).map(|facts| facts.name).ok_or_else(|| undeclared("model"))
}

fn springs(table: &Table) -> Read<Springs> {
    let word = table.text("law")?;
    let law = Law::NAMES.iter().find(|(name, _)| *name == word).map(|(_, law)| *law);
    Ok(Springs {
        law: law.ok_or_else(|| undeclared("law"))?,
        stiffness: table.number("stiffness")?,
        shear: table.number("shear")?,
        bending: table.number("bending")?,
        faces: table.number("faces")?,
        at: ["stiffness", "shear", "bending", "faces"].map(|key| table.at(key).into()),
    })
}

fn zone(table: &Table) -> Read<Zone> {
    Ok(Zone {
        part: selector(table.table("where")?)?,
        model: table.maybe_text("model")?.map(material_name).transpose()?,
        parameters: of_material(table),
        density: table.maybe_number("density")?,
        node_mass: table.maybe_number("node_mass")?,
        stiffness: table.maybe_number("stiffness")?,
        shear: table.maybe_number("shear")?,
        bending: table.maybe_number("bending")?,
        at: table.at("where").into(),
    })
}

/// Checks that bodies have unique names and a mass, and no more elements than allowed.
pub(super) fn check(scene: &Table, found: &mut Found) {
    let bodies = tables(scene, "body");
    if ["body", "fibres", "fluid", "rigid"].iter().all(|section| scene.get(section).is_none()) {
        found.add(&scene.at, "[[body]] is missing: the bodies; add one, [[fibres]], a [[fluid]], or a [[rigid]]");
    }
    let (mut names, mut elements) = (HashSet::new(), 0);
    for body in bodies {
        if let Some(name) = word(body, "name")
            && !names.insert(name)
        {
            found.add(&body.at("name"), format!("two bodies are called \"{name}\"; give each its own name"));
        }
        if let Some(shape) = table(body, "shape") {
            elements += size(shape, found);
        }
        made_of(body, found);
        tables(body, "zone").iter().for_each(|zone| differs(body, zone, found));
    }
    if elements > MAX_ELEMENTS {
        let message = format!(
            "the bodies have {elements} elements in all, more than the {MAX_ELEMENTS} that are allowed; lower their \
             counts"
        );
        found.add(&bodies[0].at, message);
    }
}

/// Returns the number of elements of a shape; absurd counts are refused here, before anything is allocated.
pub(super) fn size(shape: &Table, found: &mut Found) -> u128 {
    let Ok(generator) = word(shape, "generator").map_or(Err(()), |name| Generator::find(name).map_err(|_| ())) else {
        return 0;
    };
    if is_broken(shape) {
        return 0;
    }
    let given = parameters(shape);
    match generator.resolve(&given).and_then(|parameters| (generator.elements)(&parameters)) {
        Ok(elements) => elements,
        Err(error) => {
            let at = match &error {
                MeshError::Parameter(ParameterError::Value { parameter, .. }) => shape.at(parameter),
                _ => shape.at.clone(),
            };
            found.add(&at, error.to_string());
            0
        }
    }
}

/// Checks that a body has a material, springs or both, and a single source of mass.
fn made_of(body: &Table, found: &mut Found) {
    let given: Vec<&str> = MASSES.map(|(key, _)| key).into_iter().filter(|key| body.get(key).is_some()).collect();
    let (material, springs) = (body.get("material").is_some(), body.get("springs").is_some());
    let listed = MASSES.map(|(key, _)| format!("`{key}`")).join(", ");
    match (material, springs, given.as_slice()) {
        (false, false, _) => {
            found.add(&body.at, "the body is made of nothing; give it a `material` (for tets), `springs`, or both")
        }
        (true, _, [key, ..]) => found
            .add(&body.at(key), format!("`{key}` and the density of the `material` both give mass; remove `{key}`")),
        (false, true, []) => found
            .add(&body.at("springs"), format!("springs have no mass of their own; add one of {listed} to the body")),
        (false, true, [_, second, ..]) => {
            found.add(&body.at(second), format!("`{}` and `{second}` both give mass; keep one", given[0]))
        }
        _ => {}
    }
    if let Some(material) = table(body, "material")
        && let Some(facts) = word(material, "model").and_then(material::find)
    {
        goes_together(facts, &of_material(material), material, found);
    }
    if let Some(springs) = table(body, "springs") {
        let kinds = ["stiffness", "shear", "bending", "faces"];
        if kinds.iter().all(|kind| number(springs, kind) == Some(0.0)) {
            found.add(&springs.at, "all springs have stiffness 0; give one of them more, or remove the springs");
        }
    }
}

/// Returns whether a value of a table was refused.
pub(super) fn is_broken(table: &Table) -> bool {
    table.entries.iter().any(|(_, node)| node.value == Value::Broken)
}

/// Parameters of a material, each of which is sound, that do not go together.
fn goes_together(
    facts: &'static MaterialFacts,
    given: &BTreeMap<String, generate::Value>,
    table: &Table,
    found: &mut Found,
) {
    if is_broken(table) {
        return;
    }
    if let Err(error) = facts.law(given) {
        let at = match &error {
            ParameterError::Value { parameter, .. } => table.at(parameter),
            _ => table.at.clone(),
        };
        found.add(&at, error.to_string());
    }
}

/// Checks that a zone overrides something that the body has.
fn differs(body: &Table, zone: &Table, found: &mut Found) {
    let of_springs = ["stiffness", "shear", "bending"];
    let is_of_material = |key: &str| ["model", "density"].contains(&key) || !materials_with(key).is_empty();
    let material = table(body, "material");
    let of_body = material.and_then(|material| word(material, "model")).and_then(material::find);
    let facts = word(zone, "model").and_then(material::find).or(of_body);
    const MASS: &str = "node_mass";
    if zone.entries.iter().all(|(key, _)| !is_of_material(key) && !of_springs.contains(key) && *key != MASS) {
        let parameters = facts.map_or(Vec::new(), |facts| facts.parameters.iter().map(|p| p.name).collect());
        let listed = [&["model"][..], &parameters, &["density", MASS, "stiffness", "shear"]].concat().join(", ");
        found.add(&zone.at, format!("the zone changes nothing; give it {listed} or bending"));
    }
    for (key, _) in zone.entries.iter().filter(|(key, _)| is_of_material(key) && body.get("material").is_none()) {
        let message = format!("the zone changes `{key}`, but the body has no material; add one or remove the key");
        found.add(&zone.at(key), message);
    }
    for key in of_springs.into_iter().filter(|key| zone.get(key).is_some() && body.get("springs").is_none()) {
        let known = of_body.and_then(|facts| facts.parameters.first()).map_or("young", |parameter| parameter.name);
        let message =
            format!("the zone changes the `{key}` of springs, but the body has none; use `{known}`, or add springs");
        found.add(&zone.at(key), message);
    }
    if zone.get(MASS).is_some() && material.is_some() {
        let message = format!("the zone changes `{MASS}`, but the material gives the body its mass; use `density`");
        found.add(&zone.at(MASS), message);
    }
    if let (Some(facts), Some(material)) = (facts, material) {
        of_model(facts, material, zone, found);
    }
}

/// Checks that a zone has no parameters of other models, and that it or the body gives all required ones of its model.
fn of_model(facts: &'static MaterialFacts, material: &Table, zone: &Table, found: &mut Found) {
    for (key, _) in &zone.entries {
        let others = materials_with(key);
        if !others.is_empty() && facts.parameter(key).is_none() {
            let names: Vec<&str> = others.iter().map(|facts| facts.name).collect();
            let message = format!(
                "`{key}` does not go with model = \"{}\" of the zone, only with {}; remove it or change the model",
                facts.name,
                names.join(", ")
            );
            found.add(&zone.at(key), message);
        }
    }
    let is_given = |name: &str| zone.get(name).is_some() || material.get(name).is_some();
    let missing = facts.parameters.iter().filter(|p| p.default == Preset::Required && !is_given(p.name));
    let missing: Vec<String> = missing.map(|p| format!("`{} = ...`, {}", p.name, p.doc)).collect();
    if !missing.is_empty() {
        let message = format!(
            "the zone has model = \"{}\", whose parameters the body does not say; add {}",
            facts.name,
            missing.join(" and ")
        );
        found.add(&zone.at("model"), message);
        return;
    }
    if is_broken(material) {
        return;
    }
    let given = of_material(material).into_iter().chain(of_material(zone));
    goes_together(facts, &given.filter(|(name, _)| facts.parameter(name).is_some()).collect(), zone, found);
}
