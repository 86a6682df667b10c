//! A study: one table or figure of a paper, as `studies/PAPER/ITEM/study.toml` says it.

use crate::claim::{Claim, split};
use crate::error::StudyError;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A paper whose studies are known.
#[derive(Debug)]
pub struct Paper {
    /// Name of its folder.
    pub name: &'static str,
    /// Authors, title, year.
    pub citation: &'static str,
}

/// All papers, newest first.
pub static PAPERS: &[Paper] = &[
    Paper {
        name: "siere",
        citation: "Chen, Sheen, Ascher, Pai: SIERE, a hybrid semi-implicit exponential integrator for efficiently simulating \
                   stiff deformable objects, 2020",
    },
    Paper { name: "small", citation: "Macklin and others: Small steps in physics simulation, 2019" },
    Paper {
        name: "ere",
        citation: "Chen, Ascher, Pai: Exponential Rosenbrock-Euler integrators for elastodynamic simulation, 2018",
    },
    Paper {
        name: "sai",
        citation: "Michels, Luan, Tokman: A stiffly accurate integrator for elastodynamic problems, 2017",
    },
    Paper { name: "async", citation: "Zhao, Li, Barbič: Asynchronous implicit backward Euler integration, 2016" },
];

/// Size at which a study runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Bodies of at most some thousand vertices, and fewer frames.
    Quick,
    /// Sizes and frames of the paper.
    Full,
}

impl Size {
    /// Returns the word of flags and files.
    pub fn word(self) -> &'static str {
        match self {
            Size::Quick => "quick",
            Size::Full => "full",
        }
    }
}

/// One table or figure of a paper.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Name of the paper's folder.
    #[serde(skip)]
    pub paper: String,
    /// Name of its own folder.
    #[serde(skip)]
    pub item: String,
    /// Title.
    pub title: String,
    /// Place in the paper.
    pub place: String,
    /// Other figures and tables of the paper that it covers, or parts of a table: `fig-6`, `table-1`.
    #[serde(default)]
    pub covers: Vec<String>,
    /// Claim of the paper, in our words.
    pub says: String,
    /// Parameters that the paper leaves out, and other reasons why something cannot be decided.
    #[serde(default)]
    pub missing: Vec<String>,
    /// Assumptions in their place.
    #[serde(default)]
    pub assumed: Vec<String>,
    /// Reason why numbers differ where the claims hold.
    pub differs: Option<String>,
    /// Runs, compared in groups of one scene each.
    #[serde(default, rename = "compare")]
    pub groups: Vec<Group>,
    /// Readings of what the paper leaves out. Claims have to come out alike in all, or the study cannot be decided.
    #[serde(default, rename = "alternative")]
    pub alternatives: Vec<Alternative>,
    /// Methods whose artificial damping is computed.
    #[serde(default)]
    pub damping: Vec<OneMode>,
    /// Steps of methods on a single undamped oscillator.
    #[serde(default, rename = "oscillator")]
    pub oscillators: Vec<Swing>,
    /// Claims that can be false.
    #[serde(default, rename = "claim")]
    pub claims: Vec<Stated>,
    /// Numbers of the paper.
    #[serde(default, rename = "number")]
    pub numbers: Vec<Number>,
    /// Plots in the axes of the paper.
    #[serde(default, rename = "plot")]
    pub plots: Vec<Plot>,
}

/// A scene with several methods.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Name, the first part of the names of its runs; needed where there are several groups.
    pub name: Option<String>,
    /// Scene file, from the root of the project.
    pub scene: PathBuf,
    /// Methods, as METHOD or METHOD@STEP.
    pub methods: Vec<String>,
    /// Reference for errors, as METHOD@STEP.
    pub reference: Option<String>,
    /// Body that a mesh of the reader may replace.
    pub mesh: Option<OwnMesh>,
    /// Hash of the file that replaces it.
    #[serde(skip)]
    pub mesh_hash: Option<u128>,
    /// Keys of the scene and their values.
    #[serde(default)]
    pub set: BTreeMap<String, toml::Value>,
    /// Keys that take several values: the group is run with each combination.
    #[serde(default)]
    pub vary: Vec<Vary>,
    /// Differences of quick runs.
    #[serde(default)]
    pub quick: AtSize,
    /// Differences of full runs.
    #[serde(default)]
    pub full: AtSize,
}

/// Body of a scene that a mesh of the reader may replace.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnMesh {
    /// Name of the mesh: any file of this name in the folder, in a format that is known by its ending.
    pub name: String,
    /// Body whose shape it is.
    pub body: String,
    /// Keys that go with it, such as the nodes that are held.
    #[serde(default)]
    pub set: BTreeMap<String, toml::Value>,
}

/// A key that takes several values.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vary {
    /// The key, or several that take the same value.
    pub keys: Vec<String>,
    /// The values.
    pub values: Vec<toml::Value>,
}

/// Differences of a group at one size.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtSize {
    /// Another scene.
    pub scene: Option<PathBuf>,
    /// Other methods.
    pub methods: Option<Vec<String>>,
    /// Another reference.
    pub reference: Option<String>,
    /// More keys.
    #[serde(default)]
    pub set: BTreeMap<String, toml::Value>,
}

/// A reading of what the paper leaves out.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// Name.
    pub name: String,
    /// Keys of all scenes of the study.
    pub set: BTreeMap<String, toml::Value>,
}

/// A method on one oscillator.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OneMode {
    /// Name in claims; that of the method if left out.
    pub name: Option<String>,
    /// The method.
    pub method: String,
}

/// Steps of a method on q'' + omega^2 q = 0 from q = 0.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Swing {
    /// Name in claims.
    pub name: String,
    /// The method.
    pub method: String,
    /// Frequency [rad/s].
    pub omega: f64,
    /// Step [s].
    pub step: f64,
    /// Number of steps.
    pub steps: usize,
    /// Initial velocity [m/s].
    pub velocity: f64,
}

/// A claim, and its formula or what is missing to decide it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stated {
    /// The claim in words.
    pub says: String,
    /// The formula that has to hold.
    pub holds: Option<Claim>,
    /// Reason why no formula can decide it; only without one.
    pub missing: Option<String>,
}

/// A number of the paper.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Number {
    /// The quantity in words, with its unit.
    pub says: String,
    /// Value in the paper; `None` for one that it does not give, which is shown.
    pub paper: Option<f64>,
    /// Formula of the value here.
    pub here: Claim,
    /// Relative tolerance. Left out for numbers that are shown and not judged, such as absolute times.
    pub within: Option<f64>,
}

/// A plot of values of runs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plot {
    /// Title.
    pub title: String,
    /// Label of the horizontal axis, with its unit.
    pub x: String,
    /// Label of the vertical axis, with its unit.
    pub y: String,
    /// True for logarithmic axes.
    #[serde(default)]
    pub log: bool,
    /// Positions along the horizontal axis, for curves by formulas.
    #[serde(default)]
    pub at: Vec<f64>,
    /// Curves.
    pub curves: Vec<PlotCurve>,
}

/// A curve of a plot: its heights, or one formula for all, or the positions of an oscillator.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlotCurve {
    /// Name in the legend.
    pub name: String,
    /// Formulas of the heights, one for each position.
    #[serde(default)]
    pub heights: Vec<Claim>,
    /// Formula of all heights, in which `{x}` is the position.
    pub height: Option<Claim>,
    /// Name of an oscillator.
    pub oscillator: Option<String>,
}

/// Name of the position in the formula of a curve.
pub const POSITION: &str = "x";

impl Study {
    /// Reads the study in a folder.
    pub fn read(folder: &Path) -> Result<Study, StudyError> {
        let path = folder.join("study.toml");
        let wrong = |message: String| StudyError::File { path: path.clone(), message };
        let text = std::fs::read_to_string(&path)
            .map_err(|error| wrong(format!("cannot be read ({error}); a study is a folder with a study.toml")))?;
        let study: Study = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let name =
            |folder: Option<&Path>| folder.and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        let study = Study { paper: name(folder.parent()), item: name(Some(folder)), ..study };
        study.check().map_err(wrong)?;
        Ok(study)
    }

    /// Checks keys against each other; returns the first mistake.
    fn check(&self) -> Result<(), String> {
        let several = self.groups.len() > 1;
        if let Some(group) = self.groups.iter().find(|group| several && group.name.is_none()) {
            let scene = group.scene.display();
            return Err(format!("the [[compare]] of {scene} has no name; with several, each needs one"));
        }
        let curves = || self.plots.iter().flat_map(|plot| plot.curves.iter().map(move |curve| (plot, curve)));
        if let Some((plot, curve)) = curves().find(|(plot, curve)| !curve.is_whole(plot)) {
            return Err(format!(
                "plot '{}', curve '{}': write either 'heights', as many as there are values in 'at', or 'height', a formula \
                 of {{x}}, or 'oscillator'",
                plot.title, curve.name
            ));
        }
        if let Some(claim) = self.claims.iter().find(|claim| claim.holds.is_some() == claim.missing.is_some()) {
            return Err(format!(
                "claim '{}': write either 'holds', a formula, or 'missing', why there is none",
                claim.says
            ));
        }
        if let Some(number) = self.numbers.iter().find(|number| number.within.is_some() && number.paper.is_none()) {
            return Err(format!("number '{}': 'within' needs the value of the 'paper'", number.says));
        }
        let runs = self.trials(Size::Quick).map_err(|message| message.to_string())?;
        let known: Vec<&str> = runs.iter().flat_map(|trial| trial.runs()).chain(self.without_run()).collect();
        let formulas = (self.claims.iter().filter_map(|claim| claim.holds.as_ref()))
            .chain(self.numbers.iter().map(|number| &number.here))
            .chain(curves().flat_map(|(_, curve)| curve.heights.iter().chain(&curve.height)));
        for formula in formulas {
            for name in formula.names().filter(|name| *name != POSITION) {
                let (run, _) = split(name);
                if !known.contains(&run) {
                    let known = known.join(", ");
                    return Err(format!("'{{{name}}}' in '{formula}': there is no run '{run}'; there are {known}"));
                }
            }
        }
        Ok(())
    }

    /// Returns the names of what is computed without a run.
    pub fn without_run(&self) -> impl Iterator<Item = &str> {
        self.damping.iter().map(OneMode::name).chain(self.oscillators.iter().map(|swing| swing.name.as_str()))
    }

    /// Returns whether it covers this figure or table.
    pub fn covers(&self, item: &str) -> bool {
        self.items().any(|name| name == item)
    }

    /// Returns all figures and tables that it covers, its own first.
    pub fn items(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.item).chain(&self.covers).map(String::as_str)
    }

    /// Returns the names of paper and item, as the command takes them.
    pub fn name(&self) -> String {
        format!("{} {}", self.paper, self.item)
    }
}

impl PlotCurve {
    fn is_whole(&self, plot: &Plot) -> bool {
        let ways = [!self.heights.is_empty(), self.height.is_some(), self.oscillator.is_some()];
        let fits = self.heights.is_empty() || self.heights.len() == plot.at.len();
        ways.iter().filter(|is_used| **is_used).count() == 1 && fits
    }
}

impl OneMode {
    /// Returns its name in claims.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.method)
    }
}

/// Reads all studies below a folder: papers in the order of [`PAPERS`], items by name, numbers in names by value.
pub fn all(root: &Path) -> Result<Vec<Study>, StudyError> {
    let mut studies = Vec::new();
    for paper in PAPERS {
        let folder = root.join(paper.name);
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let mut items: Vec<PathBuf> =
            entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        items.sort_by_key(|path| order(&path.file_name().unwrap_or_default().to_string_lossy()));
        for item in items {
            studies.push(Study::read(&item)?);
        }
    }
    match studies.is_empty() {
        true => Err(StudyError::NoStudies { root: root.to_path_buf() }),
        false => Ok(studies),
    }
}

/// Returns a key that sorts fig-2 before fig-10.
fn order(name: &str) -> (String, u32) {
    let digits = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    (name[..digits].to_string(), name[digits..].parse().unwrap_or(0))
}
