//! Small problems shared by contracts and known answers.
#![allow(dead_code)] // each test file uses some of them

pub mod bar;
pub mod hair;
pub mod turning;

use integrators::{
    Coupling, Feature, LineariseAt, METHODS, Method, Options, Rest, RestRule, StepError, Stepper, parameters,
};
use model::energy::Stiffness;
use model::energy::spring::Law;
use model::load::Profile;
use model::material::sample;
use model::mesh::Mesh;
use model::mesh::generate::{Value, generate};
use model::parameter::Parameter;
use model::script::Motion;
use model::{Basis, Blueprint, LoadPart, Model, Region, SolidPart, SpringPart, State};
use numerics::linear::SolverKind;

pub const GRAVITY: [f64; 3] = [0.0, 0.0, -9.81];

/// A box of tets.
pub fn cuboid(size: [f64; 3], cells: [usize; 3]) -> Mesh {
    let cells = cells.map(|c| c as f64).to_vec();
    generate("box", [("size", Value::Numbers(size.to_vec())), ("cells", Value::Numbers(cells))]).unwrap()
}

/// A body with all tets of one material.
pub fn solid(mesh: Mesh, material: &str, young: f64, poisson: f64, density: f64) -> Blueprint {
    let tets = (0..mesh.tets.len() as u32).collect();
    let material = sample(material, young, poisson).unwrap();
    Blueprint { solids: vec![SolidPart::new(tets, material, density)], mesh, ..Blueprint::default() }
}

/// Returns the nodes of a named group.
pub fn group(mesh: &Mesh, name: &str) -> Vec<u32> {
    mesh.groups[name].nodes.clone()
}

/// Uniform acceleration of all nodes.
pub fn gravity(mesh: &Mesh, direction: [f64; 3]) -> LoadPart {
    let nodes = (0..mesh.points.len() as u32).collect();
    LoadPart { nodes, basis: Basis::Mass, direction, profile: Profile::Constant }
}

/// A chain of springs along x, node 0 first.
pub fn chain(links: usize, length: f64, stiffness: f64, law: Law, node_mass: f64) -> Blueprint {
    let points = (0..=links).map(|i| [length * i as f64, 0.0, 0.0]).collect();
    let edges: Vec<[u32; 2]> = (0..links as u32).map(|i| [i, i + 1]).collect();
    let mesh = Mesh { points, edges: edges.clone(), ..Mesh::default() };
    let springs = vec![SpringPart { pairs: edges, law, stiffness }];
    let node_masses = (0..=links as u32).map(|i| (i, node_mass)).collect();
    Blueprint { mesh, springs, node_masses, ..Blueprint::default() }
}

/// One mass of 1 kg on a spring without rest length: a linear oscillator of frequency `omega`.
pub fn oscillator(omega: f64) -> Blueprint {
    let mesh = Mesh { points: vec![[0.0; 3], [0.0; 3]], edges: vec![[0, 1]], ..Mesh::default() };
    let springs = vec![SpringPart { pairs: vec![[0, 1]], law: Law::Linear, stiffness: omega * omega }];
    Blueprint { mesh, springs, node_masses: vec![(0, 1.0), (1, 1.0)], fixed: vec![0], ..Blueprint::default() }
}

/// Solves Newton, linear systems and matrix functions to rounding, so that only the method's own error is left.
pub fn tight() -> Options {
    Options::default()
        .with(&parameters::TOLERANCE, 1e-13)
        .with(&parameters::ITERATIONS, 50)
        .with(&parameters::SOLVER_TOLERANCE, 1e-10)
        .with(&parameters::KRYLOV_TOLERANCE, 1e-11)
}

/// The same with a new factor for each matrix.
pub fn direct() -> Options {
    tight().with(&parameters::SOLVER, SolverKind::Direct)
}

/// Returns true if a method can use a factor kept from step to step.
pub fn keeps_a_factor(method: &Method) -> bool {
    method.keeps_factor
}

/// Lists every method in every tested form, with all else as in `options`: a new factor for each matrix, and a stored
/// one (the choice of "auto" depends on the size of the body alone), in every form of [`forms`].
pub fn variants(options: &Options) -> impl Iterator<Item = (&'static Method, Options)> + use<> {
    let options = options.clone();
    METHODS.iter().flat_map(move |method| {
        let kept = keeps_a_factor(method).then_some(SolverKind::Stale);
        let solvers = [SolverKind::Direct].into_iter().chain(kept);
        let all = solvers.flat_map(|solver| forms(method, &options.clone().with(&parameters::SOLVER, solver)));
        all.map(|form| (method, form)).collect::<Vec<_>>()
    })
}

/// Lists the forms of a method with one solver: either coupling of regions, either position of linearisation, and each
/// method for the rest that siere and siere2 have.
pub fn forms(method: &Method, options: &Options) -> Vec<Options> {
    let mut forms = vec![options.clone().with(&parameters::COUPLING, Coupling::Conserving)];
    let mut split = |parameter: &Parameter, change: fn(&mut Options)| {
        if method.reads(parameter) {
            let others: Vec<Options> = forms.clone();
            forms.extend(others.into_iter().map(|mut form| {
                change(&mut form);
                form
            }));
        }
    };
    split(&parameters::COUPLING.parameter, |form| form.set(&parameters::COUPLING, Coupling::Paper));
    split(&parameters::LINEARISE_AT.parameter, |form| form.set(&parameters::LINEARISE_AT, LineariseAt::Predicted));
    split(&parameters::REST.parameter, |form| form.set(&parameters::REST, Rest::Newton));
    split(&parameters::REST_RULE.parameter, |form| form.set(&parameters::REST_RULE, RestRule::Midpoint));
    forms
}

/// Lists the variants of methods that support regions, for a body that has some.
pub fn variants_with_regions(options: &Options) -> impl Iterator<Item = (&'static Method, Options)> + use<> {
    variants(options).filter(|(method, _)| method.serves.contains(&Feature::Regions))
}

/// The body with a region: the last two layers of nodes of a body of `cells` layers along x take three small steps.
pub fn with_tip(mut blueprint: Blueprint, cells: usize) -> Blueprint {
    let x = |p: &[f64; 3]| p[0];
    let low = blueprint.mesh.points.iter().map(x).fold(f64::INFINITY, f64::min);
    let high = blueprint.mesh.points.iter().map(x).fold(f64::NEG_INFINITY, f64::max);
    let edge = high - 1.5 * (high - low) / cells as f64;
    let nodes = blueprint.mesh.points.iter().enumerate().filter(|(_, p)| p[0] > edge).map(|(i, _)| i as u32).collect();
    blueprint.regions = vec![Region { nodes, ratio: 3 }];
    blueprint
}

/// The same for one method, by its name.
pub fn variants_of(name: &'static str, options: &Options) -> impl Iterator<Item = (&'static Method, Options)> + use<> {
    variants(options).filter(move |(method, _)| method.name == name)
}

/// Returns a name for a method with its solver, its coupling if it has one, and its form where that is not the default.
pub fn label(method: &Method, options: &Options) -> String {
    let coupling = match method.reads(&parameters::COUPLING.parameter) {
        true => format!(", {:?}", options.get(&parameters::COUPLING)),
        false => String::new(),
    };
    let place = if options.get(&parameters::LINEARISE_AT) == LineariseAt::Predicted { ", predicted" } else { "" };
    let rest = if options.get(&parameters::REST) == Rest::Newton { ", rest by newton" } else { "" };
    let rule = if options.get(&parameters::REST_RULE) == RestRule::Midpoint { ", rest by midpoint" } else { "" };
    format!("{} with {:?}{coupling}{place}{rest}{rule}", method.name, options.get(&parameters::SOLVER)).to_lowercase()
}

pub fn make(method: &Method, model: &Model, options: &Options) -> Box<dyn Stepper> {
    (method.make)(model, options).unwrap()
}

/// Runs `steps` steps over `duration`.
pub fn run(
    method: &Method,
    options: &Options,
    model: &Model,
    state: &State,
    duration: f64,
    steps: usize,
) -> Result<State, StepError> {
    let mut stepper = make(method, model, options);
    let mut state = state.clone();
    for _ in 0..steps {
        stepper.step(model, &mut state, duration / steps as f64)?;
    }
    Ok(state)
}

impl Problem {
    /// Lists every method that supports the problem, as in [`variants`].
    pub fn variants(&self, options: &Options) -> impl Iterator<Item = (&'static Method, Options)> + use<> {
        let needs = self.needs;
        variants(options).filter(move |(method, _)| needs.iter().all(|need| method.serves.contains(need)))
    }
}

/// A nonlinear problem with a smooth solution.
pub struct Problem {
    pub name: &'static str,
    /// Features a method must support to solve it.
    pub needs: &'static [Feature],
    pub model: Model,
    pub start: State,
    pub duration: f64,
    /// Steps at which explicit methods are well inside their stability.
    pub steps: usize,
}

/// Nonlinear problems: a solid in large motion, springs with a nonlinear law, a damped chain that is shaken, a solid
/// with a consistent mass and damping by its stiffness at rest, and two of them with a region.
pub fn nonlinear_problems() -> Vec<Problem> {
    nonlinear_problems_with(Stiffness::default())
}

/// The same with a kind of stiffness.
pub fn nonlinear_problems_with(stiffness: Stiffness) -> Vec<Problem> {
    let blueprint = || {
        let mut blueprint = solid(cuboid([0.4, 0.1, 0.1], [4, 1, 1]), "neo-hookean", 2e4, 0.3, 1000.0);
        blueprint.fixed = group(&blueprint.mesh, "x-");
        blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
        blueprint.stiffness = stiffness;
        blueprint
    };
    let model = blueprint().build().unwrap();
    let start = model.state_at_rest();
    let beam = Problem { name: "falling beam", needs: &[], model, start, duration: 0.1, steps: 80 };
    let model = with_tip(blueprint(), 4).build().unwrap();
    let start = model.state_at_rest();
    let needs = &[Feature::Regions];
    let tip = Problem { name: "falling beam with a region", needs, model, start, duration: 0.1, steps: 80 };

    let mut blueprint = chain(5, 0.1, 60.0, Law::Cubic, 0.02);
    blueprint.fixed = vec![0];
    blueprint.stiffness = stiffness;
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    let model = blueprint.build().unwrap();
    let mut start = model.state_at_rest();
    // Straight springs of the cubic law have no stiffness: begin stretched.
    start.x.iter_mut().for_each(|x| *x *= 1.3);
    let cubic = Problem { name: "cubic chain", needs: &[], model, start, duration: 0.2, steps: 40 };

    let mut blueprint = chain(4, 0.1, 40.0, Law::Linear, 0.02);
    let shake = Motion::Shake { amplitude: [0.0, 0.02, 0.03], frequency: 2.0, start: 0.0, end: 10.0 };
    blueprint.scripts = vec![(vec![0], shake)];
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    blueprint.damping = [0.3, 0.004];
    blueprint.stiffness = stiffness;
    let model = blueprint.build().unwrap();
    let start = model.state_at_rest();
    let shaken = Problem { name: "shaken damped chain", needs: &[], model, start, duration: 0.2, steps: 40 };

    let blueprint = || {
        let mut blueprint = solid(cuboid([0.3, 0.1, 0.1], [3, 1, 1]), "st-venant-kirchhoff", 2e4, 0.3, 1000.0);
        blueprint.fixed = group(&blueprint.mesh, "x-");
        blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
        blueprint.damping = [0.2, 0.002];
        blueprint.damp_at_rest = true;
        blueprint.consistent_mass = true;
        blueprint.stiffness = stiffness;
        blueprint
    };
    let model = blueprint().build().unwrap();
    let start = model.state_at_rest();
    let needs = &[Feature::ConsistentMass, Feature::DampingAtRest];
    let consistent =
        Problem { name: "consistent mass, damped at rest", needs, model, start, duration: 0.1, steps: 160 };
    let model = with_tip(blueprint(), 3).build().unwrap();
    let start = model.state_at_rest();
    let needs = &[Feature::ConsistentMass, Feature::DampingAtRest, Feature::Regions];
    let name = "consistent mass, damped at rest, with a region";
    let consistent_tip = Problem { name, needs, model, start, duration: 0.1, steps: 160 };
    vec![beam, cubic, shaken, consistent, tip, consistent_tip]
}

/// Returns the method of this name.
pub fn method(name: &str) -> &'static Method {
    METHODS.iter().find(|m| m.name == name).unwrap()
}

/// Returns the largest difference of positions of two states [m].
pub fn distance(a: &State, b: &State) -> f64 {
    a.x.iter().zip(&b.x).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}
