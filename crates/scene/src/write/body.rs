//! Bodies in the form of documents.

use super::{Kept, selector, solid, turn};
use crate::body::{Body, BodyMass, Detail, Material, Shape, Springs, Zone};
use crate::spec::{FILE, GIVEN, PARTS};
use crate::tree::{Table, Value};
use model::energy::spring::Law;
use model::material::{self, MATERIALS};
use model::mesh::generate;
use std::collections::BTreeMap;
use std::path::PathBuf;

pub(super) fn body(body: &Body, kept: Kept) -> Table {
    let mass = |kind: fn(f64) -> BodyMass, mass: f64| (body.mass == Some(kind(mass))).then_some(mass);
    let (line, area, node, volume) = match body.mass {
        Some(BodyMass::Line(x) | BodyMass::Area(x) | BodyMass::Node(x) | BodyMass::Volume(x)) => {
            (mass(BodyMass::Line, x), mass(BodyMass::Area, x), mass(BodyMass::Node, x), mass(BodyMass::Volume, x))
        }
        None => (None, None, None, None),
    };
    Table::default()
        .with("name", body.name.as_str())
        .with("shape", shape(body, kept))
        .with("position", body.position)
        .maybe("rotation", turn(body.rotation))
        .with("scale", body.scale)
        .maybe("material", body.material.as_ref().map(material))
        .maybe("springs", body.springs.as_ref().map(springs))
        .maybe("line_density", line)
        .maybe("area_density", area)
        .maybe("node_mass", node)
        .maybe("density", volume)
        .list("zone", body.zones.iter().map(zone))
}

/// Returns the path that stands for the mesh in memory of a body, different for each name. Letters that file names
/// cannot have are replaced by their number.
pub(crate) fn given_path(body: &str) -> PathBuf {
    let plain = |c: char| match c {
        '-' | '_' => c.to_string(),
        c if c.is_alphanumeric() => c.to_string(),
        c => format!("%{:x}.", u32::from(c)),
    };
    PathBuf::from(format!("meshes/given-{}.vtu", body.chars().map(plain).collect::<String>()))
}

fn shape(body: &Body, kept: Kept) -> Table {
    match &body.shape {
        Shape::Generated { generator, parameters: given } => {
            parameters(Table::default().with("generator", generator.name), given, generator.parameters)
        }
        Shape::File { path, checksum, fill } => {
            let detail = match fill.surface {
                Some(Detail::Vertices(vertices)) => Some(Value::Count(vertices as u64)),
                Some(Detail::Given) => Some(Value::Text(GIVEN.to_string())),
                None => None,
            };
            let (path, checksum) = kept(path).map_or_else(
                || (path.to_string_lossy().into_owned(), checksum.clone()),
                |(path, checksum)| (path, Some(checksum)),
            );
            Table::default()
                .with("generator", FILE)
                .with("path", path)
                .maybe("vertices", fill.vertices)
                .maybe("grading", fill.grading)
                .maybe("surface", detail)
                .maybe("checksum", checksum)
        }
        Shape::Parts(whole) => solid::solid(whole).with("generator", PARTS),
        Shape::Given(_) => {
            let path = given_path(&body.name);
            let (path, checksum) = kept(&path)
                .map_or_else(|| (path.to_string_lossy().into_owned(), None), |(path, sum)| (path, Some(sum)));
            Table::default().with("generator", FILE).with("path", path).maybe("checksum", checksum)
        }
    }
}

/// Adds the given parameters, under the names of their table.
pub(super) fn parameters(
    table: Table,
    given: &BTreeMap<String, generate::Value>,
    known: &'static [generate::Parameter],
) -> Table {
    let said = known.iter().filter_map(|parameter| Some((parameter.name, given.get(parameter.name)?)));
    said.fold(table, |table, (name, value)| table.with(name, value.clone()))
}

fn material(of_body: &Material) -> Table {
    let known = material::find(of_body.model).map_or(&[][..], |facts| facts.parameters);
    parameters(Table::default().with("model", of_body.model), &of_body.parameters, known)
        .with("density", of_body.density)
}

fn springs(springs: &Springs) -> Table {
    let law = Law::NAMES.iter().find(|(_, law)| *law == springs.law).map_or("", |(name, _)| name);
    Table::default()
        .with("law", law)
        .with("stiffness", springs.stiffness)
        .with("shear", springs.shear)
        .with("bending", springs.bending)
        .with("faces", springs.faces)
}

fn zone(zone: &Zone) -> Table {
    let table = Table::default().with("where", selector(&zone.part)).maybe("model", zone.model);
    // A zone without a model has parameters of the body's model: they are looked up in all materials.
    let of_materials = MATERIALS.iter().flat_map(|facts| facts.parameters);
    let mut said: Vec<(&'static str, generate::Value)> = Vec::new();
    for parameter in of_materials {
        if let Some(value) = zone.parameters.get(parameter.name)
            && said.iter().all(|(name, _)| *name != parameter.name)
        {
            said.push((parameter.name, value.clone()));
        }
    }
    said.into_iter()
        .fold(table, |table, (name, value)| table.with(name, value))
        .maybe("density", zone.density)
        .maybe("node_mass", zone.node_mass)
        .maybe("stiffness", zone.stiffness)
        .maybe("shear", zone.shear)
        .maybe("bending", zone.bending)
}
