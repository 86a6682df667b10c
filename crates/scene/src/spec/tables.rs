//! Parts of the spec that are made from the tables of other crates: materials, generators, methods and options.

use super::parts::{grading, parts, surface_of_file, vertices};
use super::selection::on_and;
use super::{Choice, Content, Key, Section, Variant, keys};
use integrators::{Feature, METHODS};
use model::Region;
use model::material::{DENSITY, MATERIALS};
use model::mesh::generate::GENERATORS;
use model::parameter::{Kind, Parameter, Preset};

/// Describes a density.
pub(super) fn density(default: Preset) -> Key {
    Key { default, ..Key::from(&DENSITY) }
}

/// Returns the names and aliases of all materials.
pub(super) fn material_words() -> Content {
    Content::Row(MATERIALS.iter().map(|material| (material.name, material.aliases)).collect())
}

/// Describes the parameters of all materials, for zones that change some of them.
pub(super) fn material_parameters() -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    for known in MATERIALS.iter().flat_map(|material| material.parameters) {
        if keys.iter().all(|key| key.name != known.name) {
            keys.push(Key { default: Preset::Optional, ..Key::from(known) });
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
        keys: keys(material.parameters),
    });
    Choice { key: "model", doc: "law of the energy", default: None, variants: variants.collect() }
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
        Preset::Required,
        "",
        "the file, from the directory of the scene; `pliant list formats` names the formats",
    );
    let checksum = Key::new(
        "checksum",
        Kind::Text,
        Preset::Optional,
        "",
        "expected checksum of the file; written to run.toml, so that a run is repeated with the same mesh",
    );
    let doc =
        "approximate number of vertices: fills a closed surface with tets, or replaces the number of a shape file";
    Variant {
        name: FILE,
        aliases: &[],
        doc: "a mesh, a surface, or a shape file (.toml) of your own",
        keys: vec![path, vertices(Preset::Optional, doc), grading(Preset::Optional), surface_of_file(), checksum],
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

/// Describes a parameter of a generator. Older files have hyphens in its name.
fn snake_case(of: &Parameter) -> Key {
    let key = Key::from(of);
    if of.name.contains('_') { key.once(of.name.replace('_', "-")) } else { key }
}

/// Returns the kind of some words.
pub(super) fn words(choices: &'static [&'static str]) -> Kind {
    Kind::Word { choices }
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
            .map(Key::from)
            .chain(method.serves.contains(&Feature::Regions).then(chosen_regions))
            .chain(method.serves.contains(&Feature::Regions).then(step_regions))
            .collect(),
    });
    Choice { key: "method", doc: "time integrator", default: None, variants: variants.collect() }
}

/// Describes regions that the program chooses.
fn chosen_regions() -> Key {
    let doc = "auto: parts that are stiffer, lighter or finer than the rest take small steps, in proportion to their frequencies; instead of [[integrator.region]]";
    Key::new(STEP_REGIONS, words(&["auto"]), Preset::Optional, "", doc)
}

/// Describes regions with smaller steps.
fn step_regions() -> Key {
    let ratio = Kind::count_within(1, Region::MOST as u32);
    let more = vec![Key::new("ratio", ratio, Preset::Required, "", "small steps per step of the rest")];
    let section = Section::new(
        "Nodes that take several small steps per step of the rest. Fixed and scripted nodes are left out; regions have no \
         node and no element in common.",
        on_and(Preset::Required, more),
    );
    Key::new(
        STEP_REGION,
        Content::Tables(section),
        Preset::Optional,
        "",
        "parts that take several small steps per step of the rest",
    )
}
