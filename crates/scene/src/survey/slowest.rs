//! The slowest oscillation of a body of tets about its rest, and how much too fast its mesh makes it.
//!
//! Linear tets bend too little. The lowest eigenvalue lam of K u = lam M u on a mesh of spacing h is lam (1 + C h^2): from it
//! and from that of the mesh with each tet cut into eight,
//!
//!   lam = (4 lam_fine - lam_coarse) / 3,        sqrt(lam_coarse / lam) times too fast                                (1)
//!
//! (Richardson). At nu = 0.3 this is right within two per cent. Where h^2 is not yet the rule, and near the incompressible, where the
//! fine mesh is too stiff as well, (1) says too little: at nu = 0.45 it finds 1.18 for 1.30 and 1.06 for 1.10. So it is told as a
//! lower bound.
//!
//! lam is found by Lanczos iterations with M^1/2 (K + s M)^-1 M^1/2, s tiny, orthogonal to the motions that bend nothing. Cost: a
//! factorisation and some twenty solves for each mesh, of which the fine one is most. Work is counted before: what would take
//! more than a budget is left out.

use super::mechanism::free_motions;
use super::refine::refined;
use model::energy::Stiffness;
use model::mesh::Mesh;
use model::{Blueprint, Model, SolidPart};
use numerics::blocks::BlockMatrix;
use numerics::linear::Cholesky;
use numerics::linear::ordering::Ordering;
use simulation::{fastest_frequency, largest};

/// Vertices above which no order of elimination is looked for.
const MOST_NODES: usize = 100_000;
/// Numbers of a factor above which none is made: 400 MB.
const MOST_ENTRIES: f64 = 5e7;
/// The shift s over the largest eigenvalue: large over rounding, small beside what is looked for.
const SHIFT: f64 = 1e-10;
/// Eigenvalues below so many shifts are none: some part moves freely.
const LEAST: f64 = 10.0;
/// The relative change of the eigenvalue at which iterations end.
const ENOUGH: f64 = 1e-7;

/// The flops that all factorisations of a survey may take together: a few seconds.
pub(super) struct Budget(pub f64);

/// What is known of the slowest oscillation of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slowest {
    /// Angular frequency of the mesh as it is [rad/s].
    pub frequency: f64,
    /// How many times too fast that is, by (1); `None` if the refined mesh is too large to look at.
    pub too_fast: Option<f64>,
}

/// Why nothing is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// It is no body of tets with a material.
    NoSolid,
    /// Some part of it moves without bending anything.
    Loose,
    /// Nothing of it can move.
    Held,
    /// Its mesh is too large for a check.
    TooLarge,
}

/// Looks at a body: its mesh, the parts of it, the nodes that are held.
pub(super) fn slowest(
    mesh: &Mesh,
    parts: &[SolidPart],
    held: &[bool],
    budget: &mut Budget,
) -> Result<Slowest, Unknown> {
    let fixed = |held: &[bool]| (0..held.len() as u32).filter(|&i| held[i as usize]).collect::<Vec<u32>>();
    // The same parts, with `children` tets for each.
    let solids = |children: u32| -> Vec<SolidPart> {
        let of = |&e: &u32| children * e..children * (e + 1);
        // A direction per tet is that of its children.
        let each = |part: &SolidPart| if part.fibres.len() > 1 { children as usize } else { 1 };
        let part = |part: &SolidPart| SolidPart {
            tets: part.tets.iter().flat_map(of).collect(),
            fibres: part.fibres.iter().flat_map(|fibre| std::iter::repeat_n(*fibre, each(part))).collect(),
            ..part.clone()
        };
        parts.iter().map(part).collect()
    };
    if !held.contains(&false) {
        return Err(Unknown::Held);
    }
    let tets = Mesh { points: mesh.points.clone(), tets: mesh.tets.clone(), ..Mesh::default() };
    let blueprint = Blueprint { mesh: tets, solids: solids(1), fixed: fixed(held), ..Blueprint::default() };
    let coarse = lowest_eigenvalue(blueprint, budget)?;
    let frequency = coarse.sqrt();
    if 8 * mesh.points.len() > 2 * MOST_NODES {
        return Ok(Slowest { frequency, too_fast: None });
    }
    let fine = refined(mesh);
    // Halves of an edge between held nodes are held: so they are on the coarse mesh.
    let mut held = held.to_vec();
    held.extend(fine.edges.iter().map(|edge| edge.iter().all(|&i| held[i as usize])).collect::<Vec<_>>());
    let blueprint = Blueprint { mesh: fine.mesh, solids: solids(8), fixed: fixed(&held), ..Blueprint::default() };
    let fine = lowest_eigenvalue(blueprint, budget).ok();
    // What is no finer by refining, or absurdly so, tells nothing.
    let exact = fine.map(|fine| (4.0 * fine - coarse) / 3.0).filter(|exact| *exact > 0.0);
    Ok(Slowest { frequency, too_fast: exact.map(|exact| (coarse / exact).sqrt()) })
}

/// The lowest eigenvalue of K u = lam M u that is not of a motion without bending [1/s^2], K at rest.
fn lowest_eigenvalue(blueprint: Blueprint, budget: &mut Budget) -> Result<f64, Unknown> {
    let motions = free_motions(&blueprint.mesh, &blueprint.fixed);
    // A mesh that cannot be simulated was refused before; one that is made of it may be flat by rounding.
    let model = blueprint.build().map_err(|_| Unknown::TooLarge)?;
    if model.free_nodes() > MOST_NODES {
        return Err(Unknown::TooLarge);
    }
    let ordering = Ordering::best(model.pattern());
    if ordering.flops > budget.0 || ordering.entries > MOST_ENTRIES {
        return Err(Unknown::TooLarge);
    }
    budget.0 -= ordering.flops;

    let (rest, dofs) = (model.rest(), model.dofs());
    let shift = SHIFT * fastest_frequency(&model, model.terms(), rest).powi(2);
    let mut k = BlockMatrix::zeros(model.pattern().clone());
    model.stiffness(Stiffness::Exact, rest, &mut k);
    model.mass().add_to(shift, &mut k);
    let solver = Cholesky::with_ordering(model.pattern(), &ordering);
    let mut solver = solver.map_err(|_| Unknown::TooLarge)?.refuse_indefinite();
    numerics::linear::LinearSolver::prepare(&mut solver, &k).map_err(|_| Unknown::Loose)?;

    let root: Vec<f64> = (0..dofs).map(|i| model.node_mass()[i / 3].sqrt()).collect();
    let motions = orthonormal(&model, &motions, &root);
    let project = |v: &mut [f64]| {
        for motion in &motions {
            let along: f64 = motion.iter().zip(&*v).map(|(m, v)| m * v).sum();
            v.iter_mut().zip(motion).for_each(|(v, m)| *v -= along * m);
        }
    };
    let mut is_solved = true;
    let inverse = largest(dofs, ENOUGH, &mut |v, y| {
        y.copy_from_slice(v);
        project(y);
        y.iter_mut().zip(&root).for_each(|(y, root)| *y *= root);
        is_solved &= solver.solve_factored(y, 1).is_ok();
        y.iter_mut().zip(&root).for_each(|(y, root)| *y *= root);
        project(y);
    });
    let value = 1.0 / inverse - shift;
    if is_solved && value.is_finite() && value > LEAST * shift { Ok(value) } else { Err(Unknown::Loose) }
}

/// Motions of the nodes of a mesh as unit vectors of M^1/2 u, orthogonal to each other, of the free nodes.
fn orthonormal(model: &Model, motions: &[Vec<[f64; 3]>], root: &[f64]) -> Vec<Vec<f64>> {
    let mut found: Vec<Vec<f64>> = Vec::new();
    for motion in motions {
        let mut v: Vec<f64> = (0..model.dofs()).map(|i| root[i] * motion[model.origin(i / 3)][i % 3]).collect();
        // Twice, so that nothing is left of rounding.
        for _ in 0..2 {
            for other in &found {
                let along: f64 = other.iter().zip(&v).map(|(a, b)| a * b).sum();
                v.iter_mut().zip(other).for_each(|(v, o)| *v -= along * o);
            }
        }
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            v.iter_mut().for_each(|x| *x /= length);
            found.push(v);
        }
    }
    found
}
