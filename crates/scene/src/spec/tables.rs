//! Parts of the spec that are made from the tables of other crates: materials, generators, methods and options.

use super::Section;
use super::parts::{grading, parts, surface_of_file, vertices};
use super::selection::on_and;
use super::{Bounds, Choice, Key, Kind, Presence, Variant};
use crate::tree::Value;
use integrators::{Feature, METHODS};
use model::Region;
use model::energy::spring::Law;
use model::material::MATERIALS;
use model::mesh::generate::{self, GENERATORS, Parameter, Preset, Range};

/// Describes a density.
pub(super) fn density(presence: Presence) -> Key {
    Key::new("density", Kind::Number(Bounds::POSITIVE), presence, "kg/m^3", "density")
        .hint("what has no mass has no acceleration: water has 1000")
}

/// Returns the names and aliases of all materials.
pub(super) fn material_words() -> Kind {
    Kind::Word(MATERIALS.iter().map(|material| (material.name, material.aliases)).collect())
}

/// Describes the parameters of all materials, for zones that change some of them.
pub(super) fn material_parameters() -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    for known in MATERIALS.iter().flat_map(|material| material.parameters) {
        if keys.iter().all(|key| key.name != known.name) {
            keys.push(Key { presence: Presence::Optional, ..parameter(known) });
        }
    }
    keys
}

/// Describes the model of a material.
pub(super) fn materials() -> Choice {
    let variants = MATERIALS.iter().map(|material| Variant {
        name: material.name,
        aliases: material.aliases,
        doc: material.description,
        keys: material.parameters.iter().map(parameter).collect(),
    });
    Choice { key: "model", doc: "law of the energy", default: None, variants: variants.collect() }
}

/// Returns the laws of springs.
pub(super) fn laws() -> Kind {
    const NONE: &[&str] = &[];
    Kind::Word(Law::NAMES.iter().map(|(name, _)| (*name, NONE)).collect())
}

/// Key of regions with smaller steps, in the section of the integrator.
pub(crate) const STEP_REGION: &str = "region";

/// Key that lets the program choose such regions.
pub(crate) const STEP_REGIONS: &str = "regions";

/// Word for a shape from a file instead of a generator.
pub(crate) const FILE: &str = "file";

/// Describes a mesh from a file.
fn file() -> Variant {
    let path = Key::new(
        "path",
        Kind::Text,
        Presence::Required,
        "",
        "the file, from the directory of the scene; `pliant list formats` names the formats",
    );
    let checksum = Key::new(
        "checksum",
        Kind::Text,
        Presence::Optional,
        "",
        "expected checksum of the file; written to run.toml, so that a run is repeated with the same mesh",
    );
    let doc =
        "approximate number of vertices: fills a closed surface with tets, or replaces the number of a shape file";
    Variant {
        name: FILE,
        aliases: &[],
        doc: "a mesh, a surface, or a shape file (.toml) of your own",
        keys: vec![path, vertices(Presence::Optional, doc), grading(Presence::Optional), surface_of_file(), checksum],
    }
}

/// Describes the generator of a shape.
pub(super) fn generators() -> Choice {
    let variants = GENERATORS.iter().map(|generator| Variant {
        name: generator.name,
        aliases: &[],
        doc: generator.description,
        keys: generator.parameters.iter().map(snake_case).collect(),
    });
    Choice {
        key: "generator",
        doc: "generator of the mesh",
        default: None,
        variants: variants.chain([file(), parts()]).collect(),
    }
}

fn bounds(range: Range) -> Bounds {
    match range {
        Range::Positive => Bounds::POSITIVE,
        Range::NotNegative => Bounds::NOT_NEGATIVE,
        Range::Any => Bounds::FINITE,
        Range::Within { min, max } => Bounds { min, max, closed: [true; 2] },
        Range::Between { min, max, .. } => Bounds { min, max, closed: [false; 2] },
    }
}

/// Describes a parameter of a generator. Older files have hyphens in its name.
fn snake_case(of: &Parameter) -> Key {
    let key = parameter(of);
    if of.name.contains('_') { key.once(of.name.replace('_', "-")) } else { key }
}

pub(super) fn parameter(parameter: &Parameter) -> Key {
    let kind = match parameter.kind {
        generate::Kind::Number { components: 1, range } => Kind::Number(bounds(range)),
        generate::Kind::Number { components, range } => {
            Kind::Numbers { components, bounds: bounds(range), spread: range != Range::Any }
        }
        generate::Kind::Count { components: 1, range: [min, max] } => Kind::Count { min: min.into(), max: max.into() },
        generate::Kind::Count { components, range: [min, max] } => {
            Kind::Counts { components, min: min.into(), max: max.into() }
        }
        generate::Kind::CountOr { range: [min, max], word } => Kind::CountOr { min: min.into(), max: max.into(), word },
        generate::Kind::Flag => Kind::Flag,
        generate::Kind::Direction => Kind::Direction,
        generate::Kind::List { range } => Kind::List(bounds(range)),
        generate::Kind::Points { components } => Kind::Vectors { components },
        generate::Kind::Word { choices } => words(choices),
    };
    let presence = match (parameter.default, &kind) {
        (Preset::Numbers([x]), Kind::Count { .. } | Kind::CountOr { .. }) => Presence::Default(Value::Count(*x as u64)),
        (Preset::Numbers([x]), Kind::Number(_)) => Presence::Default(Value::Number(*x)),
        (Preset::Numbers(numbers), Kind::Counts { .. }) => {
            Presence::Default(Value::Counts(numbers.iter().map(|&x| x as u64).collect()))
        }
        (Preset::Numbers(numbers), _) => Presence::Default(Value::Numbers(numbers.to_vec())),
        (Preset::Points(points), _) => Presence::Default(Value::Vectors(points.to_vec())),
        (Preset::Word(word), _) => Presence::Default(Value::Text(word.to_string())),
        (Preset::Flag(flag), _) => Presence::Default(Value::Flag(flag)),
        (Preset::SameAs(other), _) => Presence::SameAs(other),
        (Preset::Required, _) => Presence::Required,
    };
    Key::new(parameter.name, kind, presence, parameter.unit, parameter.doc).hint(parameter.kind.why())
}

pub(super) fn words(words: &'static [&'static str]) -> Kind {
    const NONE: &[&str] = &[];
    Kind::Word(words.iter().map(|word| (*word, NONE)).collect())
}

/// Describes the method of the integrator and its options.
pub(super) fn methods() -> Choice {
    let variants = METHODS.iter().map(|method| Variant {
        name: method.name,
        aliases: method.aliases,
        doc: method.description,
        keys: method
            .parameters
            .iter()
            .map(parameter)
            .chain(method.serves.contains(&Feature::Regions).then(chosen_regions))
            .chain(method.serves.contains(&Feature::Regions).then(step_regions))
            .collect(),
    });
    Choice { key: "method", doc: "time integrator", default: None, variants: variants.collect() }
}

/// Describes regions that the program chooses.
fn chosen_regions() -> Key {
    let doc = "auto: parts that are stiffer, lighter or finer than the rest take small steps, in proportion to their frequencies; instead of [[integrator.region]]";
    Key::new(STEP_REGIONS, words(&["auto"]), Presence::Optional, "", doc)
}

/// Describes regions with smaller steps.
fn step_regions() -> Key {
    let ratio = Kind::Count { min: 1, max: Region::MOST as u64 };
    let more = vec![Key::new("ratio", ratio, Presence::Required, "", "small steps per step of the rest")];
    let section = Section::new(
        "Nodes that take several small steps per step of the rest. Fixed and scripted nodes are left out; regions have no \
         node and no element in common.",
        on_and(Presence::Required, more),
    );
    Key::new(
        STEP_REGION,
        Kind::Tables(section),
        Presence::Optional,
        "",
        "parts that take several small steps per step of the rest",
    )
}
