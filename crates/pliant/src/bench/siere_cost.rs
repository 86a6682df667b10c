//! What a step of siere costs over one of linearly-implicit-euler: on the lattice bridge and on a cube of 12k vertices.
//!
//! Both take their steps in turn, each along its own motion; the first ones, which look for modes from nothing, are
//! told apart. Medians, since a step now and then makes a second pass. Residuals are those of the captured modes as they
//! are used, measured afresh with a factor of its own: h^2 |A^-1 (K u - lam M u)|_M, the relative residual of A^-1 M.

use super::step_floor::body;
use super::{Report, time};
use crate::failure::Failure;
use integrators::{Modes, Options, Stepper};
use model::energy::Stiffness;
use model::{Model, State};
use numerics::blocks::BlockMatrix;
use numerics::linear::{Cholesky, LinearSolver, SolverKind};
use scene::Scene;
use serde_json::{Map, json};
use std::fmt::Write;

/// Warm steps that are measured.
const STEPS: usize = 12;
const BRIDGE: &str = include_str!("../../../../scenes/large/bridge.toml");

/// One method on its way.
struct Runner {
    stepper: Box<dyn Stepper>,
    state: State,
    /// Of the first step, and of all others [ms].
    cold: f64,
    warm: Vec<f64>,
    /// The worst of every third step.
    residuals: Vec<f64>,
    columns: usize,
    solves: u64,
}

impl Runner {
    fn new(model: &Model, state: &State, modes: usize) -> Result<Runner, Failure> {
        let method = integrators::find("siere").ok_or_else(|| Failure::bench("no such method"))?;
        let options = Options { solver: SolverKind::Direct, modes: Modes::Count(modes), ..Options::default() };
        let stepper = (method.make)(model, &options).map_err(Failure::bench)?;
        Ok(Runner {
            stepper,
            state: state.clone(),
            cold: 0.0,
            warm: Vec::new(),
            residuals: Vec::new(),
            columns: 0,
            solves: 0,
        })
    }

    fn step(&mut self, model: &Model, h: f64, is_first: bool) -> Result<(), Failure> {
        let (done, ms) = time(|| self.stepper.step(model, &mut self.state, h));
        let report = done.map_err(Failure::bench)?;
        if is_first {
            self.cold = ms;
        } else {
            self.warm.push(ms);
            self.solves += report.linear.solves;
            self.columns = report.modes as usize;
        }
        Ok(())
    }

    /// The worst residual of the modes of the last step. They are in the memory of the method, behind three numbers and
    /// the positions they belong to.
    fn measure(&mut self, model: &Model, h: f64) -> Result<(), Failure> {
        let n = model.dofs();
        let memory = self.stepper.memory();
        let Some(vectors) = memory.get(3 + n..3 + n + self.columns * n) else {
            return Err(Failure::bench("the method has no modes"));
        };
        let mut x = model.rest().to_vec();
        x[..n].copy_from_slice(&memory[3..3 + n]);
        let mut k = BlockMatrix::zeros(model.pattern().clone());
        let mut a = k.clone();
        model.stiffness(model.stiffness_kind(), &x, &mut k);
        model.combine([1.0, h, h * h], &k, None, &mut a);
        let mut solver = Cholesky::new(model.pattern()).map_err(Failure::bench)?;
        solver.prepare(&a).map_err(Failure::bench)?;
        let mut r = vec![0.0; vectors.len()];
        k.multiply_columns(vectors, &mut r, self.columns);
        for (u, r) in vectors.chunks_exact(n).zip(r.chunks_exact_mut(n)) {
            let lam: f64 = u.iter().zip(&*r).map(|(u, ku)| u * ku).sum();
            model.mass().multiply_add(-lam, u, r);
        }
        solver.solve(&a, &mut r, self.columns).map_err(Failure::bench)?;
        let sizes = r.chunks_exact(n).map(|z| h * h * model.mass().inner(z, z).sqrt());
        self.residuals.push(sizes.fold(0.0, f64::max));
        Ok(())
    }

    fn median(&self) -> f64 {
        let mut times = self.warm.clone();
        times.sort_unstable_by(f64::total_cmp);
        times[times.len() / 2]
    }
}

/// Measures both bodies.
pub fn run() -> Result<Report, Failure> {
    let scene = Scene::parse("bridge", BRIDGE)?;
    let bridge = scene.build()?;
    let cube = body([1.0; 3], [22.0; 3], Stiffness::Exact)?;
    let at_rest = cube.state_at_rest();
    let cases = [
        ("bridge", bridge.model, bridge.state, scene.integrator.step, Some(1.3)),
        ("cube_12k", cube, at_rest, 0.01, Some(1.15)),
    ];
    let mut text = String::new();
    let mut json = Map::new();
    for (name, model, start, h, goal) in cases {
        let mut euler = Runner::new(&model, &start, 0)?;
        let mut rows = Map::new();
        for modes in [5, 20, 50] {
            let mut siere = Runner::new(&model, &start, modes)?;
            euler = Runner { state: start.clone(), warm: Vec::new(), ..euler };
            for step in 0..=STEPS {
                euler.step(&model, h, step == 0)?;
                siere.step(&model, h, step == 0)?;
                if step % 3 == 2 {
                    siere.measure(&model, h)?;
                }
            }
            let (ms, base) = (siere.median(), euler.median());
            let ratio = ms / base;
            let mean = siere.residuals.iter().sum::<f64>() / siere.residuals.len() as f64;
            let worst = siere.residuals.iter().fold(0.0, |m: f64, r| m.max(*r));
            let solves = siere.solves as f64 / STEPS as f64;
            let goal = goal.filter(|_| modes == 5).map_or(String::new(), |goal| format!(" (to reach: {goal})"));
            let _ = writeln!(
                text,
                "{name}, {} vertices, {modes} modes: {ms:.1} ms over {base:.1} ms, ratio {ratio:.2}{goal}; residual {mean:.1e}, \
                 worst {worst:.1e}; {solves:.1} columns solved a step; first step {:.0} ms",
                model.nodes(),
                siere.cold
            );
            let key = if modes == 5 { "ratio".to_string() } else { format!("ratio_{modes}") };
            rows.insert(key, json!(ratio));
            rows.insert(
                format!("modes_{modes}"),
                json!({
                    "siere_ms": ms, "euler_ms": base, "residual_mean": mean, "residual_worst": worst,
                    "columns_a_step": solves, "first_step_ms": siere.cold,
                }),
            );
        }
        json.insert(name.into(), rows.into());
    }
    json.insert("peak_memory_mib".into(), json!(super::peak_memory_mib()));
    json.insert("threads".into(), json!(rayon::current_num_threads()));
    Ok(Report { text, json: json.into() })
}
