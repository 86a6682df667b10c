//! `pliant list`: prints the tables of methods, materials and so on.

use crate::failure::{DONE, Failure};
use crate::print::{self, short};
use formats::{FORMATS, Format, Groups};
use geometry::shape::SHAPES;
use integrators::{METHODS, Method, settings};
use model::material::MATERIALS;
use model::mesh::generate::GENERATORS;
use model::parameter::{Kind, Parameter, Preset, Range};
use scene::export::EXPORTS;
use serde_json::{Value, json};

/// Arguments of `pliant list`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Table to print [default: all]
    table: Option<Table>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Table {
    /// Time integrators, for [integrator] method
    Methods,
    /// Materials of tets, for material
    Materials,
    /// Generated meshes, for shape
    Generators,
    /// Shapes that bodies are composed of, for part
    Parts,
    /// Mesh files, for shape = { generator = "file" }, convert and doctor
    Formats,
    /// Formats of exported runs, for export --to
    Exports,
    /// Parameters of methods, for [integrator]
    Options,
    /// Every section and key of a scene file
    Scene,
}

const TABLES: [(Table, &str); 8] = [
    (Table::Methods, "methods"),
    (Table::Materials, "materials"),
    (Table::Generators, "generators"),
    (Table::Parts, "parts"),
    (Table::Formats, "formats"),
    (Table::Exports, "exports"),
    (Table::Options, "options"),
    (Table::Scene, "scene"),
];

/// Prints the tables; the keys of scene files, which are many, only on request.
pub fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    let asked = |table: Table| arguments.table.map_or(table != Table::Scene, |asked| asked == table);
    let chosen = TABLES.iter().filter(|(table, _)| asked(*table));
    if arguments.json {
        let object: serde_json::Map<String, Value> =
            chosen.map(|(table, name)| (name.to_string(), json(*table))).collect();
        print::out(&format!("{:#}\n", Value::Object(object)));
    } else {
        let parts: Vec<String> = chosen.map(|(table, name)| titled(*table, name)).collect();
        print::out(&parts.join("\n"));
        if arguments.table.is_none() {
            print::out(
                "\nloads, scripts, contacts, selectors, springs, damping, all keys of a scene: pliant list scene\n",
            );
        }
    }
    Ok(DONE)
}

/// Returns a table under its name; the manual of scenes has its own headings.
fn titled(table: Table, name: &str) -> String {
    if table == Table::Scene { text(table) } else { format!("{name}\n{}", text(table)) }
}

fn text(table: Table) -> String {
    match table {
        Table::Methods => METHODS
            .iter()
            .map(|m| {
                let also =
                    if m.aliases.is_empty() { String::new() } else { format!(" (also {})", m.aliases.join(", ")) };
                let kind = m.family.word();
                let exact = if m.exact_on_linear { ", exact on linear problems" } else { "" };
                format!(
                    "  {}{also}\n      {}\n      {kind}, order {}, energy: {}{exact}; {}\n      options: {}\n",
                    m.name,
                    m.description,
                    m.order,
                    m.energy.word(),
                    m.citation,
                    names(m).join(", ")
                )
            })
            .collect(),
        Table::Materials => MATERIALS
            .iter()
            .map(|m| {
                let also =
                    if m.aliases.is_empty() { String::new() } else { format!(" (also {})", m.aliases.join(", ")) };
                let facts = format!("{}\n      {}; {}", m.description, m.defined.words(), m.citation);
                with_parameters(&format!("{}{also}", m.name), &facts, m.parameters)
            })
            .collect(),
        Table::Generators => GENERATORS.iter().map(|g| with_parameters(g.name, g.description, g.parameters)).collect(),
        Table::Parts => SHAPES.iter().map(|s| with_parameters(s.name, s.description, s.parameters)).collect(),
        Table::Formats => FORMATS
            .iter()
            .map(|format| {
                let endings: Vec<String> = format.extensions.iter().map(|ending| format!(".{ending}")).collect();
                let (ways, holds) = (ways(format).join(" and "), holds(format).join(", "));
                format!(
                    "  {} ({})\n      {}\n      {ways}; {holds}\n",
                    format.name,
                    endings.join(", "),
                    format.description
                )
            })
            .collect(),
        Table::Exports => EXPORTS
            .iter()
            .map(|e| {
                let mut shows = if e.whole { vec!["tets", "triangles", "edges"] } else { vec!["surfaces"] };
                shows.extend((e.lines && !e.whole).then_some("lines"));
                shows.extend(e.particles.then_some("particles"));
                let shows = shows.join(", ");
                format!("  {} (.{})\n      {}\n      {shows}\n", e.name, e.extension, e.description)
            })
            .collect(),
        Table::Options => settings()
            .into_iter()
            .map(|p| {
                let methods: Vec<&str> = METHODS.iter().filter(|m| m.reads(p)).map(|m| m.name).collect();
                let default = preset(p);
                format!(
                    "  {} = {default}: {}\n      {}\n      read by {}\n",
                    p.name,
                    p.takes(),
                    p.doc,
                    methods.join(", ")
                )
            })
            .collect(),
        Table::Scene => scene::spec::manual(),
    }
}

/// Describes a generator or shape with its parameters.
fn with_parameters(name: &str, description: &str, parameters: &[Parameter]) -> String {
    let rows = parameters.iter().map(|p| {
        let unit = if p.unit.is_empty() { String::new() } else { format!(" [{}]", p.unit) };
        format!("      {} = {}    {}{unit}\n", p.name, preset(p), p.doc)
    });
    format!("  {name}\n      {description}\n{}", rows.collect::<String>())
}

/// Returns what is possible with a format: read, written.
fn ways(format: &Format) -> Vec<&'static str> {
    let ways = [(format.read.is_some(), "read"), (format.write.is_some() || format.pair.is_some(), "written")];
    ways.into_iter().filter_map(|(can, way)| can.then_some(way)).collect()
}

/// Returns the parts of a mesh that a format can hold.
fn holds(format: &Format) -> Vec<&'static str> {
    let holds = format.holds;
    let groups = match holds.groups {
        Groups::None => None,
        Groups::Numbered => Some("numbered groups"),
        Groups::OfTriangles => Some("groups of triangles"),
        Groups::Named => Some("groups"),
    };
    let parts = [(holds.tets, "tets"), (holds.triangles, "triangles"), (holds.edges, "edges")];
    parts.into_iter().filter_map(|(can, part)| can.then_some(part)).chain(groups).collect()
}

/// Returns the default of a parameter.
fn preset(p: &Parameter) -> String {
    match p.default {
        Preset::Numbers([number]) => short(*number),
        Preset::Numbers(numbers) => format!("[{}]", numbers.iter().map(|&x| short(x)).collect::<Vec<_>>().join(", ")),
        Preset::Points(points) => format!("{points:?}"),
        Preset::Word(word) => format!("\"{word}\""),
        Preset::Flag(flag) => flag.to_string(),
        Preset::SameAs(other) => other.to_string(),
        Preset::Optional => "none".to_string(),
        Preset::Required => "...".to_string(),
    }
}

/// Returns the names of a method's parameters.
fn names(method: &Method) -> Vec<&'static str> {
    method.parameters.iter().map(|parameter| parameter.name).collect()
}

fn json(table: Table) -> Value {
    match table {
        Table::Methods => METHODS
            .iter()
            .map(|m| {
                json!({
                    "name": m.name, "aliases": m.aliases, "description": m.description, "citation": m.citation,
                    "order": m.order, "exact_on_linear": m.exact_on_linear, "energy": m.energy.word(),
                    "family": m.family.word(), "options": names(m),
                })
            })
            .collect(),
        Table::Materials => MATERIALS
            .iter()
            .map(|m| {
                json!({
                    "name": m.name, "aliases": m.aliases, "description": m.description, "citation": m.citation,
                    "rotation_invariant": m.rotation_invariant, "survives_inversion": m.defined.survives_inversion(),
                    "isotropic": m.isotropic, "parameters": m.parameters.iter().map(parameter).collect::<Vec<_>>(),
                })
            })
            .collect(),
        Table::Generators => GENERATORS
            .iter()
            .map(|g| {
                let parameters: Vec<Value> = g.parameters.iter().map(parameter).collect();
                json!({ "name": g.name, "description": g.description, "parameters": parameters })
            })
            .collect(),
        Table::Parts => SHAPES
            .iter()
            .map(|s| {
                let parameters: Vec<Value> = s.parameters.iter().map(parameter).collect();
                json!({ "name": s.name, "description": s.description, "parameters": parameters })
            })
            .collect(),
        Table::Formats => FORMATS
            .iter()
            .map(|format| {
                let (read, write) = (format.read.is_some(), format.write.is_some() || format.pair.is_some());
                json!({
                    "name": format.name, "extensions": format.extensions, "description": format.description,
                    "read": read, "write": write, "holds": holds(format), "exact": format.holds.exact,
                })
            })
            .collect(),
        Table::Exports => EXPORTS
            .iter()
            .map(|e| {
                json!({
                    "name": e.name, "extension": e.extension, "description": e.description,
                    "file_a_frame": e.file_per_frame, "tets": e.whole, "lines": e.lines, "particles": e.particles, "exact": e.exact,
                })
            })
            .collect(),
        Table::Options => settings().into_iter().map(parameter).collect(),
        Table::Scene => scene::spec::schema(),
    }
}

fn parameter(p: &Parameter) -> Value {
    let (kind, components) = match p.kind {
        Kind::Number { components, .. } => ("number", components),
        Kind::Count { components, .. } => ("count", components),
        Kind::CountOr { .. } => ("count", 1),
        Kind::NumberOr { .. } => ("number", 1),
        Kind::Flag => ("flag", 1),
        Kind::Direction => ("direction", 3),
        Kind::List { .. } => ("list", 1),
        Kind::Points { components } => ("points", components),
        Kind::Word { .. } => ("word", 1),
        Kind::Text => ("text", 1),
    };
    let default = match p.default {
        Preset::Numbers(numbers) if kind == "count" => numbers.iter().map(|&x| x as u64).collect(),
        Preset::Numbers(numbers) => json!(numbers),
        Preset::Points(points) => json!(points),
        Preset::Word(word) => json!(word),
        Preset::Flag(flag) => json!(flag),
        Preset::SameAs(other) => json!({ "same_as": other }),
        Preset::Optional | Preset::Required => Value::Null,
    };
    let mut told = json!({
        "name": p.name, "kind": kind, "components": components, "default": default, "unit": p.unit,
        "description": p.doc,
    });
    match p.kind {
        Kind::Number { range: Range::Within { min, max } | Range::Between { min, max, .. }, .. } => {
            told["range"] = json!([min, max]);
        }
        Kind::Count { range, .. } => told["range"] = json!(range),
        Kind::CountOr { range, word } => (told["range"], told["or"]) = (json!(range), json!(word)),
        Kind::NumberOr { range: Range::Within { min, max }, word } => {
            (told["range"], told["or"]) = (json!([min, max]), json!(word));
        }
        Kind::Word { choices } => told["words"] = json!(choices),
        _ => {}
    }
    told
}
