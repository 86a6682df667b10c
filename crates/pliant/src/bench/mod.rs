//! Measurements of this program: one file and one row of [`BENCHES`] each.

mod async_cost;
mod bodies;
mod collisions;
mod energy_kept;
mod ere_stiffness;
mod fibres;
mod implicit_step;
mod mesh;
mod python;
mod runner;
mod siere_cost;
mod small_steps;
mod solver_tolerance;
mod step_floor;
mod swimmer;
mod turning;

use crate::failure::Failure;
use scene::Scene;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Instant;

/// A row of [`BENCHES`].
pub struct Bench {
    /// Name on the command line.
    pub name: &'static str,
    /// Description in one line.
    pub description: &'static str,
    /// Runs the measurement.
    pub run: fn() -> Result<Report, Failure>,
}

/// Results of a bench.
pub struct Report {
    /// For people.
    pub text: String,
    /// For programs; times in ms, ratios of times where a machine should not matter.
    pub json: Value,
}

/// All benches.
pub static BENCHES: &[Bench] = &[
    Bench {
        name: "step-floor",
        description: "a whole implicit step compared with the bare refactorisation and solve of its matrix",
        run: step_floor::run,
    },
    Bench {
        name: "ere-stiffness",
        description: "a step of ere on a honeycomb sheet as it gets stiffer, by Lanczos, Expokit and a rational space",
        run: ere_stiffness::run,
    },
    Bench {
        name: "siere-cost",
        description: "a step of siere compared with linearly-implicit-euler, on nine bodies of its paper and a cube",
        run: siere_cost::run,
    },
    Bench {
        name: "energy-kept",
        description: "energy kept by every method within a second, at equal step and at equal cost",
        run: energy_kept::run,
    },
    Bench {
        name: "implicit-step",
        description: "a linearly implicit step compared with a fresh factor, with rapier, and by size of the body",
        run: implicit_step::run,
    },
    Bench {
        name: "beams",
        description: "the part of implicit-step that compares bending beams with rapier",
        run: implicit_step::beams,
    },
    Bench {
        name: "growth",
        description: "the part of implicit-step about cubes and bars of 1k to 100k vertices",
        run: implicit_step::growth,
    },
    Bench {
        name: "solver-tolerance",
        description: "error that a solver tolerance adds to each implicit method",
        run: solver_tolerance::run,
    },
    Bench {
        name: "mesh",
        description: "reading files of a million tets compared with meshio, and filling bodies of 100k vertices with tets",
        run: mesh::run,
    },
    Bench {
        name: "small-steps",
        description: "time per constraint of small-steps compared with pyPBD, on a cloth and on tets; substeps compared with passes",
        run: small_steps::run,
    },
    Bench {
        name: "async-cost",
        description: "a frame of asynchronous-backward-euler compared with one step for all nodes, and the motion it keeps",
        run: async_cost::run,
    },
    Bench {
        name: "fibres",
        description: "steps of 60,000 hairs, their factor compared with the general one, and error as springs get stiffer",
        run: fibres::run,
    },
    Bench {
        name: "collisions",
        description: "a head shake of 60,000 hairs that meet each other and the head by impulses, and its growth with the number of hairs",
        run: collisions::run,
    },
    Bench {
        name: "swimmer",
        description: "two seconds of a bacterium in Stokes flow, the error of its speed, and cost by the number of points",
        run: swimmer::run,
    },
    Bench {
        name: "turning",
        description: "error of methods of one linearisation with each kind of stiffness: the four that follow",
        run: turning::run,
    },
    Bench { name: "turning-scenes", description: "this error on scenes at their own steps", run: turning::run_scenes },
    Bench {
        name: "turning-bars",
        description: "on bars that swing, spin, bend and hang, from soft to stiff, at steps of 1 ms to 0.1 s",
        run: turning::run_bars,
    },
    Bench { name: "turning-materials", description: "on the same bars of every material", run: turning::run_materials },
    Bench {
        name: "turning-minute",
        description: "energy and angular momentum of a hinged and a spinning bar after a minute",
        run: turning::run_minute,
    },
];

/// Results so far. Each row is shown when it is ready, because a bench takes minutes.
#[derive(Default)]
struct Findings {
    text: String,
    json: Map<String, Value>,
}

impl Findings {
    fn say(&mut self, row: &str) {
        eprintln!("{row}");
        self.text.push_str(row);
        self.text.push('\n');
    }
}

/// A temporary folder; removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(bench: &str) -> Result<Folder, Failure> {
        let path = std::env::temp_dir().join(format!("pliant-bench-{bench}-{}", std::process::id()));
        let refused = |error| Failure::bench(format!("{}: {error}; set TMPDIR to a writable folder", path.display()));
        std::fs::create_dir_all(&path).map_err(refused)?;
        Ok(Folder(path))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Reads a scene of `scenes/large`, beside which it finds the body that it names.
    fn scene(&self, scene: &str, body: Option<(&str, &str)>) -> Result<Scene, Failure> {
        for name in ["bodies", "scenes/large"] {
            std::fs::create_dir_all(self.file(name)).map_err(Failure::bench)?;
        }
        let file = self.file("scenes/large/scene.toml");
        if let Some((name, body)) = body {
            std::fs::write(self.file(&format!("bodies/{name}")), body).map_err(Failure::bench)?;
        }
        std::fs::write(&file, scene).map_err(Failure::bench)?;
        Ok(Scene::load(&file)?)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Files left in the temporary folder do no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Measures one call [ms].
fn time<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, 1e3 * start.elapsed().as_secs_f64())
}

/// Resets [`peak_memory_mib`], where the system can.
fn forget_peak_memory() {
    // Without it the peak includes everything before: true, but less useful.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Returns the peak of memory of this process, since the last reset if possible [MiB]; zero where the system does not
/// report it.
fn peak_memory_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse::<f64>().ok());
    kib.unwrap_or(0.0) / 1024.0
}
