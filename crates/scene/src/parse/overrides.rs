//! Overrides of values of a scene: any key, by its path.

use super::keys;
use super::suggest::similar;
use crate::problem::{Found, Source};
use crate::spec::{self, Content, Key};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Overrides of values of a scene, in this order, each by the path of its key: `run.duration`,
/// `body.bar.material.young`. Bodies and other entries of lists are named, or numbered from 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    list: Vec<Override>,
}

#[derive(Debug, Clone, PartialEq)]
struct Override {
    path: String,
    /// The value as TOML, or a word without quotes.
    value: String,
    by: By,
}

/// Source of an override, for messages.
#[derive(Debug, Clone, PartialEq)]
enum By {
    Code,
    /// A flag of the command line for this key: `--step`.
    Flag(&'static str),
    /// A flag that takes any key: `--set`.
    AnyFlag(&'static str),
}

impl Overrides {
    /// Returns no overrides.
    pub fn new() -> Overrides {
        Overrides::default()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Overrides the value of a key.
    pub fn set(self, path: &str, value: impl Into<toml::Value>) -> Overrides {
        self.with(path, value.into().to_string(), By::Code)
    }

    /// Overrides the value of a key, from the text `PATH=VALUE` of a flag such as `--set`. Text that is not TOML is a
    /// string. `None` if there is no `=`.
    pub fn assign(self, flag: &'static str, text: &str) -> Option<Overrides> {
        let (path, value) = text.split_once('=')?;
        Some(self.with(path.trim(), value.trim().to_string(), By::AnyFlag(flag)))
    }

    /// Overrides the method, by name or alias; options of the scene that it does not read are dropped.
    pub fn method(self, name: Option<&str>) -> Overrides {
        self.flag("--method", "integrator.method", name.map(str::to_string))
    }

    /// Overrides the step [s].
    pub fn step(self, step: Option<f64>) -> Overrides {
        self.flag("--step", "integrator.step", step.map(number))
    }

    /// Overrides the duration [s].
    pub fn duration(self, duration: Option<f64>) -> Overrides {
        self.flag("--duration", "run.duration", duration.map(number))
    }

    /// Overrides the number of frames per simulated second [1/s].
    pub fn frame_rate(self, rate: Option<f64>) -> Overrides {
        self.flag("--frame-rate", "run.frame_rate", rate.map(number))
    }

    fn flag(self, flag: &'static str, path: &str, value: Option<String>) -> Overrides {
        match value {
            Some(value) => self.with(path, value, By::Flag(flag)),
            None => self,
        }
    }

    fn with(mut self, path: &str, value: String, by: By) -> Overrides {
        self.list.push(Override { path: path.to_string(), value, by });
        self
    }

    /// Adds a line to the source for each of them.
    pub(super) fn locate(&self, source: &mut Source) -> Vec<Located> {
        let mut located = Vec::new();
        for Override { path, value, by } in &self.list {
            let (line, path_at, value_at) = match by {
                By::Flag(flag) => (format!("{flag} {value}"), 0, flag.len() + 1),
                By::AnyFlag(flag) => {
                    (format!("{flag} {path}={value}"), flag.len() + 1, flag.len() + 1 + path.len() + 1)
                }
                By::Code => (format!("{path} = {value}"), 0, path.len() + 3),
            };
            let start = source.push_line(&line);
            if *by == By::Code {
                source.set.push((start..start + line.len(), path.clone()));
            }
            let words = keys::split(path).unwrap_or_default();
            // A flag for one key does not show its path: the flag is the span of all its words.
            let span = |at: Range<usize>| match by {
                By::Flag(flag) => start..start + flag.len(),
                _ => start + path_at + at.start..start + path_at + at.end,
            };
            located.push(Located {
                words: words.into_iter().map(|(word, at)| (word, span(at))).collect(),
                path: span(0..path.len()),
                value: start + value_at..start + value_at + value.len(),
            });
        }
        located
    }
}

/// Formats a number as TOML: Debug does so, except for NaN.
fn number(x: f64) -> String {
    format!("{x:?}").to_lowercase()
}

/// An override in the text of its source.
pub(crate) struct Located {
    words: Vec<(String, Range<usize>)>,
    path: Range<usize>,
    value: Range<usize>,
}

/// Applies overrides to a document, and reports those that do not fit into it.
pub(super) fn apply<'t>(document: &mut DeTable<'t>, text: &'t str, located: &[Located], found: &mut Found) {
    for Located { words, path, value } in located {
        if words.is_empty() {
            let message = "it takes the path of a key, such as run.duration or body.bar.material.young; give one";
            found.add(path, message);
            continue;
        }
        let word = &text[value.clone()];
        let is_method = words.iter().map(|(word, _)| word.as_str()).eq(["integrator", "method"]);
        let value = match DeValue::parse(word) {
            Ok(parsed) if !is_method => shifted(parsed, value.start),
            _ => Spanned::new(value.clone(), DeValue::String(word.trim_matches('"').to_string().into())),
        };
        if is_method && let Some(DeValue::Table(integrator)) = document.get_mut("integrator").map(Spanned::get_mut) {
            drop_options(integrator, value.get_ref().as_str().unwrap_or_default());
        }
        put(document, &spec::root().all_keys().collect::<Vec<_>>(), words, value, found);
    }
}

/// Sets a value at the end of a path inside a table. Missing tables are made; unknown keys are reported with the rest.
fn put<'t>(
    table: &mut DeTable<'t>,
    keys: &[&Key],
    path: &[(String, Range<usize>)],
    value: Spanned<DeValue<'t>>,
    found: &mut Found,
) {
    let Some(((word, at), rest)) = path.split_first() else { return };
    let key = keys.iter().find(|key| key.is_called(word));
    let name = key.map_or(word.as_str(), |key| key.name);
    let own = Spanned::new(at.clone(), name.to_string().into());
    if rest.is_empty() {
        table.insert(own, value);
        return;
    }
    if table.get(name).is_none() {
        if key.is_some_and(|key| matches!(key.content, Content::Tables(_))) {
            found.add(at, format!("the scene has no [[{name}]] to change; add one to the file"));
            return;
        }
        table.insert(own, Spanned::new(at.clone(), DeValue::Table(DeTable::new())));
    }
    let inside = key.map(|key| key.content.keys()).unwrap_or_default();
    match table.get_mut(name).map(Spanned::get_mut) {
        Some(DeValue::Table(table)) => put(table, &inside, rest, value, found),
        Some(DeValue::Array(array)) => {
            let Some(((word, at), rest)) = rest.split_first() else { return };
            match entry(array, name, word) {
                Ok(i) => {
                    let Some(chosen) = array.get_mut(i) else { return };
                    match chosen.get_mut() {
                        _ if rest.is_empty() => *chosen = value,
                        DeValue::Table(table) => put(table, &inside, rest, value, found),
                        _ => found.add(at, format!("entry {word} of `{name}` has no keys; end the path here")),
                    }
                }
                Err((message, suggestion)) => found.suggest(at, message, suggestion.as_deref()),
            }
        }
        // A key that is no table is reported with the file.
        _ => {}
    }
}

/// Returns the entry of a list by its name or number, or the reason why there is none and a similar name.
fn entry(array: &toml::de::DeArray, list: &str, word: &str) -> Result<usize, (String, Option<String>)> {
    let name = |i: usize| match array[i].get_ref() {
        DeValue::Table(table) => table.get("name").and_then(|name| name.get_ref().as_str()).map(str::to_string),
        _ => None,
    };
    let names: Vec<Option<String>> = (0..array.len()).map(name).collect();
    let number = || word.parse::<usize>().ok().filter(|n| (1..=array.len()).contains(n)).map(|n| n - 1);
    // Names of entries without a name.
    let unnamed = |i: &usize| names[*i].is_none() && word == format!("{list}-{}", i + 1);
    let found = names.iter().position(|name| name.as_deref() == Some(word));
    if let Some(i) = found.or_else(|| (0..names.len()).find(unnamed)).or_else(number) {
        return Ok(i);
    }
    let known: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
    let listed: Vec<String> = known.iter().take(10).map(|name| format!("\"{name}\" or ")).collect();
    let message =
        format!("`{list}` has no entry \"{word}\"; use {}a number from 1 to {}", listed.concat(), array.len());
    Err((message, similar(word, known).map(str::to_string)))
}

/// Shifts the spans in a value by the beginning of the source.
fn shifted(value: Spanned<DeValue>, by: usize) -> Spanned<DeValue> {
    let at = value.span();
    let inner = match value.into_inner() {
        DeValue::Array(mut array) => {
            for element in array.iter_mut() {
                let taken = std::mem::replace(element, Spanned::new(0..0, DeValue::Boolean(false)));
                *element = shifted(taken, by);
            }
            DeValue::Array(array)
        }
        DeValue::Table(table) => {
            let mut moved = DeTable::new();
            for (key, value) in table {
                let at = key.span();
                moved.insert(Spanned::new(at.start + by..at.end + by, key.into_inner()), shifted(value, by));
            }
            DeValue::Table(moved)
        }
        other => other,
    };
    Spanned::new(at.start + by..at.end + by, inner)
}

/// Drops options that the method does not read.
fn drop_options(integrator: &mut DeTable, method: &str) {
    let Some(method) = integrators::find(method) else { return };
    for parameter in integrators::settings().into_iter().filter(|parameter| !method.reads(parameter)) {
        integrator.remove(parameter.name);
    }
    if !method.serves.contains(&integrators::Feature::Regions) {
        integrator.remove(spec::STEP_REGION);
        integrator.remove(spec::STEP_REGIONS);
    }
}
