//! From text to a [`Scene`]: syntax, then every key and value against the spec, then checks of keys against each other.
//! If a file has mistakes, problems of the meshes in its sound parts are reported with them.

mod body;
mod check;
mod contact;
mod fibres;
mod fluid;
mod keys;
mod overrides;
mod read;
mod rigid;
mod salvage;
mod solid;
mod spelling;
mod stokes;
mod suggest;
mod table;
mod value;
mod walk;

pub use overrides::Overrides;

use crate::body::Shape;
use crate::disk::open_regular;
use crate::problem::{Found, Keys, Problems, Said, Source};
use crate::scene::{Scene, Span};
use crate::spec;
use crate::tree::{self, Table};
use crate::write::given_path;
use model::mesh::{MeshError, ParameterError};
use overrides::Located;
use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use toml::de::DeTable;

/// Largest scene file [bytes]. Checking takes up to eighty times the memory, and files written by people are smaller.
const MOST_BYTES: usize = 4 << 20;

impl Scene {
    /// Reads and checks a scene file. If keys are wrong, problems of the remaining meshes are reported too: that takes
    /// as long as making them.
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
                Scene::parse_source(Source::new(&name, &text), directory, overrides, true)
            }
            // The limit may have cut a character in two.
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

    /// Checks the text of a scene, without making meshes; `name` is its name in messages. Relative paths start from the
    /// working directory.
    pub fn parse(name: &str, text: &str) -> Result<Scene, Problems> {
        Scene::parse_with(name, text, &Overrides::default())
    }

    /// Checks the text of a scene with parts of it replaced.
    pub fn parse_with(name: &str, text: &str, overrides: &Overrides) -> Result<Scene, Problems> {
        Scene::parse_source(Source::new(name, text), PathBuf::new(), overrides, false)
    }

    /// Checks a text; if it is wrong, also the meshes, if requested.
    fn parse_source(
        mut source: Source,
        directory: PathBuf,
        overrides: &Overrides,
        with_meshes: bool,
    ) -> Result<Scene, Problems> {
        let located = overrides.locate(&mut source);
        let Checked { mut table, mut found } = Checked::new(&source, spec::root(), &located)?;
        read::name(&mut table, "body");
        read::name(&mut table, "fibres");
        read::name(&mut table, "fluid");
        read::name(&mut table, "rigid");
        check::check(&table, &mut found);
        if with_meshes && !found.is_empty() {
            salvage::check_meshes(&table, &directory, &mut found);
        }
        found.finish()?;
        let scene = read::scene(&table).map_err(|undeclared| undeclared.problem(&source.name))?;
        Ok(Scene { directory, name: source.name.clone(), ..scene }.said(source, &table))
    }

    /// Attaches the text that the scene was read from.
    fn said(mut self, source: Source, table: &Table) -> Scene {
        let (spans, written) = (keys::spans(table), self.to_toml());
        self.said = Some(Arc::new(Said { source, spans, written }));
        self
    }

    /// Returns the text that the scene was read from, unless it was made or changed in code.
    fn origin(&self, written: &str) -> Option<Arc<Said>> {
        self.said.clone().filter(|said| said.written == written)
    }

    /// Returns the same scene, checked by the rules for files. A scene that was read and not changed is known to be
    /// sound.
    pub(crate) fn checked(&self) -> Result<Cow<'_, Scene>, Problems> {
        match self.origin(&self.to_toml()) {
            Some(_) => Ok(Cow::Borrowed(self)),
            None => self.with(&Overrides::default()).map(Cow::Owned),
        }
    }

    /// Replaces a value, and checks the scene again; after an error the scene is unchanged. Any key is set by its path:
    /// `integrator.method`, `run.duration`, `body.bar.material.young`. Bodies and other entries of lists are named, or
    /// numbered from 1.
    ///
    /// With another method, options that it does not read are dropped.
    pub fn set(&mut self, path: &str, value: impl Into<toml::Value>) -> Result<(), Problems> {
        *self = self.with(&Overrides::new().set(path, value))?;
        Ok(())
    }

    /// Returns the scene with parts replaced, checked again.
    pub fn with(&self, overrides: &Overrides) -> Result<Scene, Problems> {
        let text = self.to_toml();
        let origin = self.origin(&text);
        if origin.is_some() && overrides.is_empty() {
            return Ok(self.clone());
        }
        self.known_parameters()?;
        let keys = Some(Keys { list: keys::of_text(&text), origin });
        let source = Source { keys, ..Source::new(&self.name, &text) };
        let mut scene = Scene::parse_source(source, self.directory.clone(), overrides, false)?;
        // A mesh in memory is written as the name of a file.
        for (body, own) in scene.bodies.iter_mut().zip(&self.bodies) {
            let stands_for =
                |shape: &Shape| matches!(shape, Shape::File { path, .. } if *path == given_path(&own.name));
            if matches!(own.shape, Shape::Given(_)) && stands_for(&body.shape) {
                body.shape = own.shape.clone();
            }
        }
        Ok(scene)
    }

    /// Refuses parameters that a shape or fibres do not have: a document has no keys for them.
    fn known_parameters(&self) -> Result<(), Problems> {
        for body in &self.bodies {
            if let Shape::Generated { generator, parameters } = &body.shape
                && let Err(error @ MeshError::Parameter(ParameterError::UnknownParameter { .. })) =
                    generator.resolve(parameters)
            {
                let message = format!("body \"{}\": {error}", body.name);
                return Err(Problems::of_file(&self.name, message));
            }
        }
        if let Some(fluid) = &self.stokes
            && let Err(error @ ParameterError::UnknownParameter { .. }) = fluid.resolve()
        {
            return Err(Problems::of_file(&self.name, error.to_string()));
        }
        for fibres in &self.fibres {
            if let Err(error @ ParameterError::UnknownParameter { .. }) = fibres.kind() {
                return Err(Problems::of_file(&self.name, format!("fibres \"{}\": {error}", fibres.name)));
            }
        }
        Ok(())
    }

    /// Returns the scene with another method, checked again; options that it does not read are dropped.
    pub fn with_method(&self, name: &str) -> Result<Scene, Problems> {
        self.with(&Overrides::new().method(Some(name)))
    }

    /// Returns the scene with another step [s], checked again.
    pub fn with_step(&self, step: f64) -> Result<Scene, Problems> {
        self.with(&Overrides::new().step(Some(step)))
    }

    /// Returns the scene with another duration [s], checked again.
    pub fn with_duration(&self, duration: f64) -> Result<Scene, Problems> {
        self.with(&Overrides::new().duration(Some(duration)))
    }

    /// Returns the text it was read from, for messages; empty for a scene made in code.
    pub(crate) fn source(&self) -> &Source {
        static NONE: LazyLock<Source> = LazyLock::new(Source::default);
        self.said.as_ref().map_or(&NONE, |said| &said.source)
    }

    /// Returns the span of a key in that text; entries of lists are numbered from 1.
    pub(crate) fn span(&self, path: &str) -> Span {
        self.said.as_ref().map(|said| said.span(path)).unwrap_or_default()
    }
}

/// A file checked key by key against its spec.
pub(crate) struct Checked<'s> {
    /// Contents, every default filled in.
    pub table: tree::Table,
    /// Problems.
    pub found: Found<'s>,
}

impl<'s> Checked<'s> {
    /// Checks the text of a source. An unreadable text is an error at once.
    pub fn new(source: &'s Source, section: &spec::Section, overrides: &[Located]) -> Result<Checked<'s>, Problems> {
        let text = &source.text[..source.file_length];
        if text.len() > MOST_BYTES && source.keys.is_none() {
            return Err(too_large(&source.name));
        }
        let mut found = Found::new(source);
        if text.trim().is_empty() {
            found.add(&(0..0), "the file is empty; begin with the scene that `pliant new` writes");
            return Err(found.into_problems());
        }
        let (mut document, errors) = DeTable::parse_recoverable(text);
        let said = errors.iter().map(|error| (error.span().unwrap_or(0..0), error.message())).collect();
        found.add_errors(said, |message| format!("not TOML: {message}; correct it"));
        // The meaning of a broken line is unknown: the rest cannot be checked.
        if !errors.is_empty() {
            return Err(found.into_problems());
        }
        spelling::renew(document.get_mut(), &section.all_keys().collect::<Vec<_>>(), &mut found);
        overrides::apply(document.get_mut(), &source.text, overrides, &mut found);
        let table = walk::Walk { found: &mut found }.section(section, document.get_ref(), 0..0, walk::FILE);
        Ok(Checked { table, found })
    }
}

fn too_large(name: &str) -> Problems {
    let message = format!("the file is larger than {} MiB, which no scene is; choose another file", MOST_BYTES >> 20);
    Problems::of_file(name, message)
}
