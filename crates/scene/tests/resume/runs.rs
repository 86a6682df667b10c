//! Scenes to interrupt, and ways to interrupt them.

use integrators::{METHODS, Method, parameters};
use model::parameter::Parameter;
use scene::output::{Directory, Files, OutputError, Paused, summary};
use scene::{Built, Ending, Moment, Observer, ObserverError, Scene, run};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// A soft bar, shaken at one end, in gusts: 20 steps that are stable for explicit methods, and a frame about every
/// third step.
pub const BAR: &str = r#"
[run]
duration = 0.08
frame_rate = 80.0
[integrator]
method = "linearly-implicit-euler"
step = 0.004
[damping]
mass = 0.1
stiffness = 1e-4
[[body]]
shape = { generator = "bar", cells_along = 4, cells_across = 1 }
material = { model = "stable-neo-hookean", young = 1e4, poisson = 0.3, density = 1000.0 }
[[script]]
where = { group = "x-" }
motion = "shake"
amplitude = [0.0, 0.02, 0.0]
frequency = 5.0
[[load]]
kind = "acceleration"
value = [0.0, 3.0, 0.0]
profile = "gusts"
strength = 0.5
period = 0.05
speed = 2.0
"#;

/// Cloth that falls onto a ball, which moves its nodes after steps.
pub const CLOTH: &str = r#"
[run]
duration = 0.04
frame_rate = 160.0
[integrator]
method = "linearly-implicit-euler"
step = 0.002
[[body]]
shape = { generator = "cloth" }
springs = { law = "linear", stiffness = 20.0, shear = 10.0 }
area_density = 0.2
[[contact]]
kind = "projection"
obstacle = { ball = { center = [0.5, 0.5, -0.298], radius = 0.3 } }
"#;

/// Returns a bar that falls onto a floor with a penalty, and bounces.
pub fn dropped() -> String {
    let [head, _] = BAR.split("[[script]]").collect::<Vec<_>>().try_into().expect("one script");
    head.to_string()
        + r#"
[[load]]
kind = "acceleration"
value = [0.0, 0.0, -30.0]
[[contact]]
kind = "penalty"
obstacle = { plane = { point = [0.0, 0.0, -0.01], normal = [0.0, 0.0, 1.0] } }
stiffness = 2e3
"#
}

/// Returns a soft bar with a stiff tip, shaken and in gusts as [`BAR`]; the program chooses the regions with small
/// steps.
pub fn tipped(method: &str) -> String {
    let replace = [
        ("method = \"linearly-implicit-euler\"", &*format!("method = \"{method}\"\nregions = \"auto\"")),
        (
            "{ generator = \"bar\", cells_along = 4, cells_across = 1 }",
            "{ generator = \"box\", size = [3.0, 0.3, 0.3], cells = [30, 3, 3] }",
        ),
        ("stable-neo-hookean", "linear"),
        (
            "[[script]]",
            "[[body.zone]]\nwhere = { box = { min = [2.5, -inf, -inf], max = [inf, inf, inf] } }\nyoung = 1e6\n[[script]]",
        ),
    ];
    with(BAR, &replace)
}

/// Returns replacements of `linearly-implicit-euler"` in these scenes: every method, and again with a kept factor if
/// the method supports it. Bodies as small as these would use the direct solver otherwise.
pub fn variants() -> impl Iterator<Item = (&'static Method, String)> {
    METHODS.iter().flat_map(|method| {
        let plain = format!("{}\"", method.name);
        let other = OTHER_FORMS.iter().find(|(parameter, _)| method.reads(parameter));
        let other = other.map(|(parameter, word)| format!("{plain}\n{} = \"{word}\"", parameter.name));
        let forms = [Some(plain), other].into_iter().flatten();
        forms.flat_map(move |form| {
            let kept = method.keeps_factor.then(|| format!("{form}\nsolver = \"stale\""));
            [Some(form), kept].into_iter().flatten().map(move |text| (method, text))
        })
    })
}

/// Parameters whose other word is another method for a part of the body.
const OTHER_FORMS: [(Parameter, &str); 2] =
    [(parameters::REST.parameter, "newton"), (parameters::REST_RULE.parameter, "midpoint")];

/// Returns a name for a variant that may be part of a path.
pub fn label(method: &Method, variant: &str) -> String {
    let other = OTHER_FORMS.iter().find(|(parameter, _)| variant.contains(&format!("{} = ", parameter.name)));
    let other = other.map_or(String::new(), |(_, word)| format!("-{word}"));
    format!("{}{other}{}", method.name, if variant.contains("stale") { "-kept" } else { "" })
}

/// Returns a text with parts replaced.
pub fn with(text: &str, replace: &[(&str, &str)]) -> String {
    replace.iter().fold(text.to_string(), |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replace(old, new)
    })
}

/// Early end of a run.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// None.
    End,
    /// Asked to stop after this step, as by Ctrl-C.
    Asked(u64),
    /// Killed after this step was written, without notice.
    Killed(u64),
}

struct Fate<'a>(Until, &'a AtomicBool);

impl Observer for Fate<'_> {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        match self.0 {
            Until::Asked(step) if moment.step >= step => self.1.store(true, Ordering::Relaxed),
            Until::Killed(step) if moment.step >= step => {
                let error = std::io::Error::other("killed");
                return Err(OutputError::Io { doing: "write", path: PathBuf::new(), error }.into());
            }
            _ => {}
        }
        Ok(())
    }
}

/// Returns an empty directory.
pub fn empty_directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("resume").join(name);
    fs::remove_dir_all(&path).ok();
    path
}

fn go(scene: &Scene, built: &mut Built, mut files: Files, until: Until) {
    let stop = AtomicBool::new(false);
    let outcome = run(built, &mut [&mut files, &mut Fate(until, &stop)], &stop);
    match (until, outcome) {
        (Until::Killed(_), outcome) => assert!(outcome.is_err()),
        (_, outcome) => {
            let outcome = outcome.unwrap();
            assert_eq!(outcome.ending == Ending::Interrupted, matches!(until, Until::Asked(_)), "{:?}", outcome.ending);
            files.write_summary(&summary(scene, built, &outcome)).unwrap();
        }
    }
}

/// Begins a run.
pub fn begin(path: &Path, text: &str, until: Until) {
    let scene = Scene::parse("test", text).unwrap();
    let mut built = scene.build().unwrap();
    let files = Files::new(&Directory::prepare(path, false).unwrap(), &scene, &built).unwrap();
    go(&scene, &mut built, files, until);
}

/// Resumes a run; returns the step it was resumed at.
pub fn resume(path: &Path, duration: Option<f64>, until: Until) -> u64 {
    let mut paused = Paused::open(path, duration).unwrap();
    let files = paused.files().unwrap();
    let step = paused.built.simulation.steps();
    go(&paused.scene, &mut paused.built, files, until);
    step
}

/// Returns every file of a run except the checkpoint, which holds seconds; the summary without seconds and names.
pub fn files(path: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = everything(path);
    all.remove(&path.join("checkpoint.bin")).expect("a checkpoint");
    let text = all.remove(&path.join("summary.json")).expect("a summary");
    let mut summary: Value = serde_json::from_slice(&text).unwrap();
    for key in ["seconds", "ms_per_step", "scene"] {
        summary.as_object_mut().unwrap().remove(key).unwrap();
    }
    // The number of warped frames is the same, their time is not.
    summary["warping"] = summary["warping"]["frames"].clone();
    all.insert(path.join("summary.json"), summary.to_string().into_bytes());
    all.into_iter().map(|(file, bytes)| (file.strip_prefix(path).unwrap().to_path_buf(), bytes)).collect()
}

/// Returns every file below a directory.
pub fn everything(path: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(everything(&path))
        } else {
            drop(all.insert(path.clone(), fs::read(&path).unwrap()))
        }
    }
    all
}

/// Checks that two directories hold the same run.
pub fn assert_same(one: &Path, other: &Path) {
    let (one, other) = (files(one), files(other));
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (file, bytes) in &one {
        assert!(*bytes == other[file], "{} differs:\n{}", file.display(), String::from_utf8_lossy(bytes));
    }
}
