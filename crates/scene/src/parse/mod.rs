//! From text to a [`Scene`]: syntax, then every key and value against the spec, then what they say together. Of a file in
//! which something is wrong, what the meshes say of the rest is told with it.

mod body;
mod check;
mod contact;
mod fluid;
mod read;
mod rigid;
mod salvage;
pub(crate) mod solid;
mod suggest;
pub(crate) mod tree;
mod value;
mod walk;

use crate::body::Shape;
use crate::contact::Obstacle;
use crate::disk::open_regular;
use crate::problem::{Found, Problems, Source};
use crate::rigid::RigidShape;
use crate::scene::Scene;
use crate::spec;
use std::io::Read;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The largest scene file [bytes]. Checking takes up to eighty times the memory, and what people write is smaller.
const MOST_BYTES: usize = 4 << 20;

/// What the flags of a command line put in the place of what a file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// Another method, by name or alias; options of the file that it does not read are dropped.
    pub method: Option<String>,
    /// Another step [s].
    pub step: Option<f64>,
    /// Another duration [s].
    pub duration: Option<f64>,
    /// Another number of frames a simulated second [1/s].
    pub frame_rate: Option<f64>,
}

impl Overrides {
    /// These, and the others where these say nothing.
    fn or(&self, others: &Overrides) -> Overrides {
        Overrides {
            method: self.method.clone().or_else(|| others.method.clone()),
            step: self.step.or(others.step),
            duration: self.duration.or(others.duration),
            frame_rate: self.frame_rate.or(others.frame_rate),
        }
    }
}

impl Scene {
    /// Reads and checks a scene file. Where keys are wrong, what the meshes say of the rest is told too: that takes as long as
    /// making them.
    pub fn load(path: &Path) -> Result<Scene, Problems> {
        Scene::load_with(path, &Overrides::default())
    }

    /// Reads and checks a scene file with parts of it replaced.
    pub fn load_with(path: &Path, overrides: &Overrides) -> Result<Scene, Problems> {
        let name = path.display().to_string();
        let mut bytes = Vec::new();
        let read = open_regular(path).and_then(|file| file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes));
        if let Err(error) = read {
            let message = format!("the file cannot be read ({error}); correct the path or its permissions");
            return Err(Problems::of_file(&name, message));
        }
        match String::from_utf8(bytes) {
            Ok(text) => {
                let directory = path.parent().unwrap_or(Path::new("")).to_path_buf();
                Scene::parse_source(Source { directory, ..Source::new(&name, &text) }, overrides, true)
            }
            // The limit may have cut a letter in two.
            Err(error) if error.as_bytes().len() > MOST_BYTES => Err(too_large(&name)),
            Err(error) => {
                let good = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(&error.as_bytes()[..good]).into_owned();
                let source = Source::new(&name, &text);
                let byte = error.as_bytes()[good];
                let message =
                    format!("byte {good} of the file, 0x{byte:02x}, is not UTF-8; save the scene as UTF-8 text");
                Err(Problems { list: vec![source.problem(good..good, message, None)], more: 0 })
            }
        }
    }

    /// Checks the text of a scene, in little time; `name` is what messages call it.
    pub fn parse(name: &str, text: &str) -> Result<Scene, Problems> {
        Scene::parse_with(name, text, &Overrides::default())
    }

    /// Checks the text of a scene with parts of it replaced.
    pub fn parse_with(name: &str, text: &str, overrides: &Overrides) -> Result<Scene, Problems> {
        Scene::parse_source(Source::new(name, text), overrides, false)
    }

    /// Checks a text; of one that is wrong also the meshes, if they are wanted.
    fn parse_source(mut source: Source, overrides: &Overrides, with_meshes: bool) -> Result<Scene, Problems> {
        let flags = push_flags(&mut source, overrides);
        let Checked { mut table, mut found } = Checked::new(&source, spec::root(), &flags)?;
        read::name(&mut table, "body");
        read::name(&mut table, "fluid");
        read::name(&mut table, "rigid");
        check::check(&table, &mut found);
        if with_meshes && !found.is_empty() {
            salvage::check_meshes(&table, &source, overrides, &mut found);
        }
        found.finish()?;
        read::scene(table, &source, overrides).map_err(|undeclared| undeclared.problem(&source.name))
    }

    /// The same scene with parts replaced, checked again. What was replaced before stays so.
    pub fn with(&self, overrides: &Overrides) -> Result<Scene, Problems> {
        let Source { name, text, directory, file_length } = &self.source;
        let source = Source { directory: directory.clone(), ..Source::new(name, &text[..*file_length]) };
        Scene::parse_source(source, &overrides.or(&self.overrides), false)
    }

    /// The same scene with another method, checked again; options that it does not read are dropped.
    pub fn with_method(&self, name: &str) -> Result<Scene, Problems> {
        self.with(&Overrides { method: Some(name.to_string()), ..Overrides::default() })
    }

    /// The same scene with another step [s], checked again.
    pub fn with_step(&self, step: f64) -> Result<Scene, Problems> {
        self.with(&Overrides { step: Some(step), ..Overrides::default() })
    }

    /// The same scene with another duration [s], checked again.
    pub fn with_duration(&self, duration: f64) -> Result<Scene, Problems> {
        self.with(&Overrides { duration: Some(duration), ..Overrides::default() })
    }

    /// The scene as a file with every default filled in: enough to repeat the run, where the meshes it names are.
    pub fn to_toml(&self) -> String {
        spec::write(&self.table)
    }

    /// The same, with the meshes that were read where `place` puts them: a path from the file's directory, and the
    /// checksum that it must have.
    pub(crate) fn to_toml_with(&self, place: impl Fn(&Path) -> Option<(String, String)>) -> String {
        let mut table = self.table.clone();
        for (body, of_table) in self.bodies.iter().zip(table.tables_mut("body")) {
            if let (Shape::File { path, .. }, Some(shape)) = (&body.shape, of_table.table_mut("shape"))
                && let Some((path, checksum)) = place(path)
            {
                shape.set("path", tree::Value::Text(path));
                shape.set("checksum", tree::Value::Text(checksum));
            }
        }
        for (contact, of_table) in self.contacts.iter().zip(table.tables_mut("contact")) {
            if let (Obstacle::Mesh(mesh), Some(obstacle)) = (&contact.obstacle, of_table.table_mut("obstacle"))
                && let (Some((path, checksum)), Some(table)) = (place(&mesh.path), obstacle.table_mut("mesh"))
            {
                table.set("path", tree::Value::Text(path));
                table.set("checksum", tree::Value::Text(checksum));
            }
        }
        for (rigid, of_table) in self.rigids.iter().zip(table.tables_mut("rigid")) {
            if let (RigidShape::File { path, .. }, Some(shape)) = (&rigid.shape, of_table.table_mut("shape"))
                && let Some((path, checksum)) = place(path)
            {
                shape.set("path", tree::Value::Text(path));
                shape.set("checksum", tree::Value::Text(checksum));
            }
        }
        spec::write(&table)
    }
}

/// A file checked key by key against its spec.
pub(crate) struct Checked<'s> {
    /// What it says, every default filled in.
    pub table: tree::Table,
    /// What is wrong with it.
    pub found: Found<'s>,
}

impl<'s> Checked<'s> {
    /// Checks the text of a source. What keeps it from being read at all is an error at once.
    pub fn new(source: &'s Source, section: &spec::Section, flags: &[Flag]) -> Result<Checked<'s>, Problems> {
        let text = &source.text[..source.file_length];
        if text.len() > MOST_BYTES {
            return Err(too_large(&source.name));
        }
        let mut found = Found::new(source);
        if text.trim().is_empty() {
            found.add(&(0..0), "the file is empty; begin with the scene that `pliant new` writes");
            return Err(found.into_problems());
        }
        let (mut document, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            found.add(&error.span().unwrap_or(0..0), format!("not TOML: {}; correct it", error.message()));
        }
        // What a broken line was meant to say is not known: nothing more can be said of the rest.
        if !errors.is_empty() {
            return Err(found.into_problems());
        }
        replace(document.get_mut(), &source.text, flags);
        let table = walk::Walk { found: &mut found }.section(section, document.get_ref(), 0..0, walk::FILE);
        Ok(Checked { table, found })
    }
}

fn too_large(name: &str) -> Problems {
    let message = format!("the file is larger than {} MiB, which no scene is; choose another file", MOST_BYTES >> 20);
    Problems::of_file(name, message)
}

/// A key that a flag replaces, and where its value is.
pub(crate) type Flag = (&'static str, &'static str, std::ops::Range<usize>);

fn push_flags(source: &mut Source, overrides: &Overrides) -> Vec<Flag> {
    let mut flags = Vec::new();
    // Debug writes what TOML reads, but for NaN.
    let number = |x: f64| format!("{x:?}").to_lowercase();
    if let Some(method) = &overrides.method {
        flags.push(("integrator", "method", source.push_flag("--method", method)));
    }
    if let Some(step) = overrides.step {
        flags.push(("integrator", "step", source.push_flag("--step", &number(step))));
    }
    if let Some(duration) = overrides.duration {
        flags.push(("run", "duration", source.push_flag("--duration", &number(duration))));
    }
    if let Some(rate) = overrides.frame_rate {
        flags.push(("run", "frame_rate", source.push_flag("--frame-rate", &number(rate))));
    }
    flags
}

/// Puts the flags in the place of what the document says.
fn replace<'t>(document: &mut DeTable<'t>, text: &'t str, flags: &[Flag]) {
    for (section, key, at) in flags {
        let word = &text[at.clone()];
        let table = document.get_mut(*section).map(Spanned::get_mut);
        let Some(DeValue::Table(table)) = table else { continue };
        let value = if *key == "method" {
            drop_options(table, word);
            DeValue::String(word.into())
        } else {
            match DeValue::parse(word) {
                Ok(value) => value.into_inner(),
                Err(_) => DeValue::String(word.into()),
            }
        };
        table.insert(Spanned::new(at.clone(), (*key).into()), Spanned::new(at.clone(), value));
    }
}

/// Options of another method say nothing about this one.
fn drop_options(integrator: &mut DeTable, method: &str) {
    let Some(method) = integrators::find(method) else { return };
    let all = integrators::settings().into_iter().map(|setting| setting.parameter.name);
    for name in all.filter(|name| !method.reads(name)) {
        integrator.remove(name);
    }
    if !method.serves.contains(&integrators::Feature::Regions) {
        integrator.remove(spec::STEP_REGION);
        integrator.remove(spec::STEP_REGIONS);
    }
}
