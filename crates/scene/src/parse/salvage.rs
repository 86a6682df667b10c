//! The sound part of a scene with mistakes: enough to check its meshes, so that all problems are reported at once.
//!
//! A section that cannot be read is left out, or replaced by that of a plain scene. A body is kept if its shape and
//! placement are sound, even if its material is not. Sections that name a body that is left out are left out too. So no
//! problem is reported that only follows from another mistake.

use super::body::size;
use super::{Checked, read};
use crate::problem::{Found, Source, Spans};
use crate::scene::Scene;
use crate::spec::{self, STEP_REGION};
use crate::tree::{Node, Table, Value};
use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

/// Sections of a plain scene.
const PLAIN: &str = "title = \"\"\n[run]\nduration = 1.0\n[world]\n[damping]\n[expect]\n\
                     [integrator]\nmethod = \"small-steps\"\nstep = 1.0\n[[body]]\nshape = { generator = \"bar\" }\n\
                     material = { model = \"linear\", young = 1.0, poisson = 0.0, density = 1.0 }\n\
                     springs = { law = \"linear\", stiffness = 1.0 }\n";
/// Sections that every scene has.
const ALWAYS: [&str; 5] = ["title", "run", "world", "damping", "integrator"];
/// Sections that are repeated and name bodies.
const NAMING: [&str; 6] = ["fix", "script", "load", "initial", "contact", "joint"];
/// Keys that select the nodes of such a section.
const SELECTING: [&str; 3] = ["body", "to", "where"];
/// Stand-in for the material of a body: any will do to find its zones.
const MADE_OF: [&str; 2] = ["material", "springs"];
/// Keys that a body may lose and still have its mesh.
const MASSES: [&str; 4] = ["line_density", "area_density", "node_mass", "density"];
/// Largest total number of elements for which bodies are made while keys are wrong; beyond it they are left out.
const MOST: u128 = 2_000_000;
/// Number of generated elements that cost as much time as one vertex of a filled shape.
const FILLED: u128 = 20;

/// Adds problems of the meshes in the sound parts of a table in which problems were found.
pub(super) fn check_meshes(table: &Table, directory: &Path, found: &mut Found) {
    let wrong = Wrong(found.spans());
    let Some((table, is_partial)) = wrong.sound_part(table) else { return };
    let Ok(scene) = read::scene(&table) else { return };
    let scene = Scene { directory: directory.to_path_buf(), ..scene }.said(found.source.clone(), &table);
    let mut more = Found::new(found.source);
    scene.lay_out(is_partial, &|_| {}, &mut more);
    found.take_new(more);
}

/// Returns the number of elements of a generated body; vertices to fill in and particles count as equivalent elements.
fn elements(body: &Table) -> u128 {
    if let Ok(shape) = body.table("shape") {
        let vertices = shape.maybe_count("vertices").ok().flatten().unwrap_or(0);
        return size(shape, &mut Found::new(&Source::default())) + FILLED * u128::from(vertices);
    }
    if body.get("roots").is_some() {
        return super::fibres::elements(body);
    }
    super::fluid::fluid(body).map_or(0, |fluid| fluid.particles().iter().product::<f64>() as u128)
}

/// Spans of the problems.
struct Wrong(Spans);

impl Wrong {
    /// Returns true if a value can be used as it is. A default has the span of its table.
    fn is_sound(&self, value: &Value, at: &Range<usize>, table: &Range<usize>) -> bool {
        if at != table && self.0.overlap(at) {
            return false;
        }
        match value {
            Value::Broken => false,
            Value::Table(inner) => self.has_sound_entries(inner),
            Value::Tables(tables) => tables.iter().all(|table| self.is_sound_table(table)),
            _ => true,
        }
    }

    fn has_sound_entries(&self, table: &Table) -> bool {
        table.entries.iter().all(|(_, node)| self.is_sound(&node.value, &node.at, &table.at))
    }

    fn is_sound_table(&self, table: &Table) -> bool {
        !self.0.overlap(&table.at) && self.has_sound_entries(table)
    }

    /// Returns the readable part of a scene, and whether bodies are missing from it; `None` if nothing is left.
    fn sound_part(&self, scene: &Table) -> Option<(Table, bool)> {
        let plain = Source::new("", PLAIN);
        let plain = Checked::new(&plain, spec::root(), &[]).ok()?.table;
        let mut part = Table { entries: Vec::new(), at: scene.at.clone() };
        let (mut lost, mut all) = (Lost::default(), 0);
        for section in ["body", "fibres", "fluid", "rigid"] {
            // A value that is no list of bodies may have meant any.
            let Ok(tables) = scene.tables(section) else { return None };
            let mut keep = |table: &Table| {
                let part = match section {
                    "body" => self.sound_body(table, &plain),
                    _ => self.is_sound_table(table).then(|| table.clone()),
                }?;
                let more = elements(&part);
                let fits = all + more <= MOST;
                all += if fits { more } else { 0 };
                fits.then_some(part)
            };
            part.set(
                section,
                Value::Tables(tables.iter().filter_map(|table| lost.unless(table, keep(table))).collect()),
            );
        }
        let keep = |table: &Table| self.selects(table) && lost.leaves(table);
        let kept = |list: &[Table]| Value::Tables(list.iter().filter(|table| keep(table)).cloned().collect());
        for section in NAMING {
            part.set(section, kept(scene.tables(section).unwrap_or_default()));
        }
        for section in ALWAYS {
            let node = scene.get(section).filter(|node| self.is_sound(&node.value, &node.at, &scene.at));
            part.entries.push((section, node.or(plain.get(section))?.clone()));
        }
        let regions = scene.table("integrator").and_then(|table| table.tables(STEP_REGION)).map(kept);
        if let (Some(integrator), Ok(regions)) = (part.table_mut("integrator"), regions) {
            integrator.set(STEP_REGION, regions);
        }
        if let Ok(Some(expect)) = scene.maybe_table("expect") {
            let mut own = plain.table("expect").ok()?.clone();
            own.set("position", kept(expect.tables("position").unwrap_or_default()));
            part.set("expect", Value::Table(own));
        }
        if let Some(node) = scene.get("collisions").filter(|node| self.is_sound(&node.value, &node.at, &scene.at)) {
            part.entries.push(("collisions", node.clone()));
        }
        Some((part, !lost.names.is_empty() || lost.is_nameless))
    }

    /// Returns whether a section can be read and its selection of nodes is sound, even if other keys do not fit
    /// together.
    fn selects(&self, table: &Table) -> bool {
        let is_sound = |key: &&str| table.get(key).is_none_or(|node| self.is_sound(&node.value, &node.at, &table.at));
        !self.0.overlap(&table.at) && !is_broken(table) && SELECTING.iter().all(is_sound)
    }

    /// Returns a body with a sound mesh; a wrong material is replaced by that of a plain scene.
    fn sound_body(&self, body: &Table, plain: &Table) -> Option<Table> {
        let plain = plain.tables("body").ok()?.first()?;
        let mut part = Table { entries: Vec::new(), at: body.at.clone() };
        for (key, node) in &body.entries {
            match &node.value {
                Value::Tables(zones) if *key == "zone" => {
                    let sound = zones.iter().filter(|zone| self.is_sound_table(zone)).cloned().collect();
                    part.set(key, Value::Tables(sound));
                }
                value if self.is_sound(value, &node.at, &body.at) => part.entries.push((*key, node.clone())),
                _ if MADE_OF.contains(key) => {
                    let other = Node { at: node.at.clone(), ..plain.get(key)?.clone() };
                    part.entries.push((*key, other));
                }
                _ if MASSES.contains(key) => {}
                _ => return None,
            }
        }
        Some(part)
    }
}

/// Returns whether some value of a table cannot be used.
fn is_broken(table: &Table) -> bool {
    table.entries.iter().any(|(_, node)| match &node.value {
        Value::Broken => true,
        Value::Table(inner) => is_broken(inner),
        Value::Tables(tables) => tables.iter().any(is_broken),
        _ => false,
    })
}

/// Bodies that are left out.
#[derive(Default)]
struct Lost {
    names: HashSet<String>,
    is_nameless: bool,
}

impl Lost {
    /// Notes the body if it is left out.
    fn unless(&mut self, table: &Table, part: Option<Table>) -> Option<Table> {
        if part.is_none() {
            match table.text("name") {
                Ok(name) => drop(self.names.insert(name.to_string())),
                Err(_) => self.is_nameless = true,
            }
        }
        part
    }

    /// Returns whether all bodies that a section names are there; a section without names needs all bodies.
    fn leaves(&self, table: &Table) -> bool {
        let named = ["body", "to"].iter().filter_map(|key| table.maybe_text(key).ok().flatten());
        match table.get("body") {
            Some(_) => named.into_iter().all(|name| !self.names.contains(name)),
            None => self.names.is_empty() && !self.is_nameless,
        }
    }
}
