//! The reference of scene files in Markdown, one table per section.

use super::write::text;
use super::{Content, Key, Section, root, shape_file};
use model::parameter::Preset;

/// Returns every section and key of a scene file with its values, unit and default.
pub fn manual() -> String {
    let mut out = String::from("# Scene files\n\nKeys are strict: any other key is an error.\n");
    let top: Vec<&Key> = root().keys.iter().filter(|key| inner(key).is_none()).collect();
    out.push_str("\n## At the top\n\n");
    rows(&mut out, top.into_iter());
    for key in &root().keys {
        match &key.content {
            Content::Table(section) => chapter(&mut out, &format!("[{}]", key.name), section, 2),
            Content::Tables(section) => chapter(&mut out, &format!("[[{}]]", key.name), section, 2),
            _ => {}
        }
    }
    shape_files(&mut out);
    out
}

/// Adds the keys of shape files: those of a body of parts in a scene, at the top of the file.
fn shape_files(out: &mut String) {
    let section = shape_file();
    out.push_str(&format!("\n# Shape files\n\n{}\n\n## At the top of a shape file\n\n", section.doc));
    rows(out, section.keys.iter().filter(|key| inner(key).is_none()));
    out.push_str("\n## `[[part]]`\n\nThe keys of `[[body.shape.part]]` above.\n");
}

/// Returns the section of a key, if it has one.
fn inner(key: &Key) -> Option<&Section> {
    match &key.content {
        Content::Table(section) | Content::Tables(section) => Some(section),
        _ => None,
    }
}

fn chapter(out: &mut String, name: &str, section: &Section, depth: usize) {
    out.push_str(&format!("\n{} `{name}`\n\n{}\n", "#".repeat(depth), section.doc));
    if !section.keys.is_empty() {
        out.push('\n');
        rows(out, section.keys.iter());
    }
    if let Some(choice) = &section.choice {
        let default = choice.default.map_or("required".to_string(), |word| format!("`\"{word}\"` by default"));
        out.push_str(&format!("\n`{}`: {}; {default}. With it go:\n", choice.key, choice.doc));
        for variant in &choice.variants {
            let aliases = match variant.aliases {
                [] => String::new(),
                aliases => {
                    format!(" (also {})", aliases.iter().map(|a| format!("`\"{a}\"`")).collect::<Vec<_>>().join(", "))
                }
            };
            out.push_str(&format!("\n- `\"{}\"`{aliases}: {}\n", variant.name, variant.doc));
            if !variant.keys.is_empty() {
                out.push('\n');
                rows(out, variant.keys.iter());
            }
        }
    }
    let of_variants = section.choice.iter().flat_map(|choice| &choice.variants).flat_map(|variant| &variant.keys);
    for key in section.keys.iter().chain(of_variants) {
        match &key.content {
            Content::OneOf(keys) => {
                out.push_str(&format!("\n{} `{name}` `{}`\n\nExactly one of:\n\n", "#".repeat(depth + 1), key.name));
                spelt_rows(out, keys.iter());
            }
            _ => {
                if let Some(section) = inner(key) {
                    chapter(out, &inner_name(name, key), section, depth + 1);
                }
            }
        }
    }
}

/// Returns the name of the section of a key in a file, inside the section of this name.
fn inner_name(name: &str, key: &Key) -> String {
    match key.content {
        // As its header is written: [[body.shape.part]].
        Content::Tables(_) => {
            let outer = name.replace(['[', ']'], "").replace(' ', ".");
            format!("[[{outer}.{}]]", key.name)
        }
        _ => format!("{name} {}", key.name),
    }
}

fn rows<'k>(out: &mut String, keys: impl Iterator<Item = &'k Key>) {
    table(out, keys, Key::takes);
}

/// Adds rows of keys whose tables have no chapter of their own: their keys are listed in place.
fn spelt_rows<'k>(out: &mut String, keys: impl Iterator<Item = &'k Key>) {
    let spelt = |key: &Key| match inner(key) {
        Some(section) => {
            let keys = section.keys.iter().map(|key| format!("`{}`, {}: {}", key.name, key.doc, key.takes()));
            format!("a table of {}", keys.collect::<Vec<_>>().join("; "))
        }
        None => key.takes(),
    };
    table(out, keys, spelt);
}

fn table<'k>(out: &mut String, keys: impl Iterator<Item = &'k Key>, takes: impl Fn(&Key) -> String) {
    out.push_str("| key | takes | default | meaning |\n|---|---|---|---|\n");
    for key in keys {
        let default = match key.default {
            Preset::Required => "required".to_string(),
            Preset::SameAs(other) => format!("that of `{other}`"),
            _ => key.preset().map(|value| format!("`{}`", text(&value))).unwrap_or_default(),
        };
        out.push_str(&format!("| `{}` | {} | {default} | {} |\n", key.name, takes(key), key.doc));
    }
}
