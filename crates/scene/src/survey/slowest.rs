//! The slowest oscillation of a body of tets about its rest, and the factor by which its mesh makes it too fast.
//!
//! Linear tets are too stiff in bending. The lowest eigenvalue of K u = lam M u on a mesh of spacing h is lam (1 + C
//! h^2). From it and from that of the mesh with each tet cut into eight,
//!
//!   lam = (4 lam_fine - lam_coarse) / 3,        sqrt(lam_coarse / lam) times too fast                                (1)
//!
//! (Richardson). At nu = 0.3 this is right within two per cent. On meshes too coarse for the error to fall as h^2, and
//! near the incompressible, where the fine mesh is too stiff as well, (1) is too small: at nu = 0.45 it finds 1.18 for
//! 1.30 and 1.06 for 1.10. So it is reported as a lower bound.
//!
//! lam is found by Lanczos iterations with M^1/2 (K + s M)^-1 M^1/2, s tiny, orthogonal to the motions that deform
//! nothing. Cost: a factorisation and some twenty solves per mesh, mostly for the fine one. Work is counted beforehand:
//! meshes beyond the budget are left out.

use super::mechanism::free_motions;
use super::refine::refined;
use model::energy::Stiffness;
use model::mesh::Mesh;
use model::{Blueprint, Model, SolidPart};
use numerics::blocks::BlockMatrix;
use numerics::linear::Cholesky;
use numerics::linear::ordering::Ordering;
use simulation::{fastest_frequency, largest};

/// Largest number of vertices for which an elimination order is sought.
const MOST_NODES: usize = 100_000;
/// Largest number of entries of a factor: 400 MB.
const MOST_ENTRIES: f64 = 5e7;
/// Shift s relative to the largest eigenvalue: large against rounding, small against the sought eigenvalue.
const SHIFT: f64 = 1e-10;
/// Smallest eigenvalue in shifts; below it some part moves freely.
const LEAST: f64 = 10.0;
/// Relative change of the eigenvalue at which iterations end.
const ENOUGH: f64 = 1e-7;

/// Flops that all factorisations of a survey may take together: a few seconds.
pub(super) struct Budget(pub f64);

/// Slowest oscillation of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slowest {
    /// Angular frequency of the mesh as it is [rad/s].
    pub frequency: f64,
    /// Factor by which that is too fast, by (1); `None` if the refined mesh is too large to check.
    pub too_fast: Option<f64>,
}

/// Reason why it is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// The body has no tets with a material.
    NoSolid,
    /// Some part of it moves without deformation.
    Loose,
    /// None of its nodes can move.
    Held,
    /// Its mesh is too large for a check.
    TooLarge,
}

/// Examines a body: its mesh, its parts, and its held nodes.
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
        // Children inherit the direction of their tet.
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
    // Midpoints of edges between held nodes are held: so they are on the coarse mesh.
    let mut held = held.to_vec();
    held.extend(fine.edges.iter().map(|edge| edge.iter().all(|&i| held[i as usize])).collect::<Vec<_>>());
    let blueprint = Blueprint { mesh: fine.mesh, solids: solids(8), fixed: fixed(&held), ..Blueprint::default() };
    let fine = lowest_eigenvalue(blueprint, budget).ok();
    // An extrapolated value that is not positive tells nothing.
    let exact = fine.map(|fine| (4.0 * fine - coarse) / 3.0).filter(|exact| *exact > 0.0);
    Ok(Slowest { frequency, too_fast: exact.map(|exact| (coarse / exact).sqrt()) })
}

/// Returns the lowest eigenvalue of K u = lam M u of a motion with deformation [1/s^2], K at rest.
fn lowest_eigenvalue(blueprint: Blueprint, budget: &mut Budget) -> Result<f64, Unknown> {
    let motions = free_motions(&blueprint.mesh, &blueprint.fixed);
    // A mesh that cannot be simulated was refused before; a refined one may be flat by rounding.
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

/// Returns motions of the free nodes of a mesh as orthonormal vectors of M^1/2 u.
fn orthonormal(model: &Model, motions: &[Vec<[f64; 3]>], root: &[f64]) -> Vec<Vec<f64>> {
    let mut found: Vec<Vec<f64>> = Vec::new();
    for motion in motions {
        let mut v: Vec<f64> = (0..model.dofs()).map(|i| root[i] * motion[model.origin(i / 3)][i % 3]).collect();
        // Twice, to remove the rounding of the first pass.
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
