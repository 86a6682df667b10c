//! The fastest oscillation of a body, which bounds the step of explicit methods.

use integrators::{EnergyBehaviour, Method};
use model::energy::Term;
use model::mass::Mass;
use model::material::MaterialKind;
use model::mesh::Mesh;
use model::{Blueprint, Model, Region, SolidPart};

/// The longest stable step of a method about `x` [s], about one per cent too long; `None` if every step is stable.
///
/// Symplectic Euler gives a mode of frequency w and damping d = alpha + beta w^2 the condition
/// h^2 w^2 + 2 h d < 4; other methods are taken to feel damping alike. Regions of schroeder do not feel it: their limit is that
/// of m small steps without.
pub fn stable_step(method: &Method, model: &Model, x: &[f64]) -> Option<f64> {
    if method.has_explicit_regions() {
        return stable_large_step(model, x);
    }
    let EnergyBehaviour::ConditionallyStable { limit } = method.energy else { return None };
    // The light modes of a consistent mass are up to five times lighter than the lumped mass has them.
    let lighter = if matches!(model.mass(), Mass::Consistent(_)) { 5.0 } else { 1.0 };
    let squared = lighter * fastest_frequency(model, model.terms(), x).powi(2);
    let damping = model.damping();
    let d = damping.mass + damping.stiffness * squared;
    // The positive root, written so that nothing cancels.
    Some(limit / 2.0 * 4.0 / (d + (d * d + 4.0 * squared).sqrt()))
}

/// The longest large step of the scheme of 2011: each region by itself is explicit, but for damping.
fn stable_large_step(model: &Model, x: &[f64]) -> Option<f64> {
    let limit =
        |(r, region): (usize, &Region)| 2.0 * region.ratio as f64 / fastest_frequency(model, &model.terms_within(r), x);
    model.regions().iter().enumerate().map(limit).min_by(f64::total_cmp)
}

/// How many steps each region must take at least in a large step h [s] of the scheme of 2011, by its frequency at rest.
pub(crate) fn least_ratios(model: &Model, h: f64) -> Vec<f64> {
    // Short of the limit, where the border has a say as well; frequencies are a little too low.
    const LIMIT: f64 = 1.8;
    let frequency = |r: usize| fastest_frequency(model, &model.terms_within(r), model.rest());
    (0..model.regions().len()).map(|r| (h * frequency(r) / LIMIT).ceil()).collect()
}

/// The largest angular frequency of small oscillations of the tets of a mesh, free and linearly elastic [rad/s], about one per
/// cent too low; `None` if they cannot be simulated. Young's modulus [Pa], Poisson's ratio, density [kg/m^3].
pub fn highest_frequency(mesh: Mesh, young: f64, poisson: f64, density: f64) -> Option<f64> {
    let material = MaterialKind::new("linear", young, poisson).ok()?;
    let tets = (0..mesh.tets.len() as u32).collect();
    let solids = vec![SolidPart { tets, material, density }];
    let model = Blueprint { mesh, solids, ..Blueprint::default() }.build().ok()?;
    let rest = model.state_at_rest();
    Some(fastest_frequency(&model, model.terms(), &rest.x)).filter(|w| *w > 0.0)
}

/// The largest angular frequency w of small oscillations about `x` of these elements [rad/s], by Lanczos iterations with M^-1/2 K M^-1/2, the
/// mass lumped; about one per cent too low. `x` covers all nodes [m].
fn fastest_frequency(model: &Model, terms: &[Box<dyn Term>], x: &[f64]) -> f64 {
    const ITERATIONS: usize = 40;
    /// An iteration that adds less than this part adds no more.
    const ENOUGH: f64 = 1e-4;
    let dofs = model.dofs();
    let root: Vec<f64> = (0..dofs).map(|i| model.node_mass()[i / 3].sqrt()).collect();
    // A start that is like no mode of the body: neighbours differ, and it is the same every time.
    let mut v: Vec<f64> = (0..dofs).map(|i| (1.7 * i as f64 + 0.3 * (i * i) as f64).sin()).collect();
    let (mut before, mut w, mut y) = (vec![0.0; dofs], vec![0.0; 3 * model.nodes()], vec![0.0; dofs]);
    let (mut diagonal, mut beside) = (Vec::new(), Vec::new());
    let mut squared = 0.0;
    let mut length = norm(&v);
    while length > 0.0 && length.is_finite() && diagonal.len() < ITERATIONS {
        v.iter_mut().for_each(|v| *v /= length);
        (0..dofs).for_each(|i| w[i] = v[i] / root[i]);
        y.fill(0.0);
        terms.iter().for_each(|term| term.add_stiffness_times(model.stiffness_kind(), 1.0, x, &w, &mut y));
        let back = beside.last().copied().unwrap_or(0.0);
        (0..dofs).for_each(|i| y[i] = y[i] / root[i] - back * before[i]);
        let along: f64 = v.iter().zip(&y).map(|(v, y)| v * y).sum();
        y.iter_mut().zip(&v).for_each(|(y, v)| *y -= along * v);
        length = norm(&y);
        diagonal.push(along);
        let largest = largest_eigenvalue(&diagonal, &beside);
        beside.push(length);
        let grown = largest - squared;
        squared = largest;
        // Rounding ends it too: what is left of the start is an invariant space.
        if grown <= ENOUGH * squared && diagonal.len() > 5 || length <= 1e-12 * squared {
            break;
        }
        std::mem::swap(&mut before, &mut v);
        std::mem::swap(&mut v, &mut y);
    }
    if squared.is_finite() { squared.max(0.0).sqrt() } else { 0.0 }
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The largest eigenvalue of a symmetric tridiagonal matrix, by bisection: all are below `x` when the factors of the matrix
/// less x are all negative.
fn largest_eigenvalue(diagonal: &[f64], beside: &[f64]) -> f64 {
    let (n, off) = (diagonal.len(), |i: usize| beside.get(i).map_or(0.0, |b| b.abs()));
    // Gershgorin: no eigenvalue is above a diagonal entry and what stands beside it.
    let bound = |i: usize| if i > 0 { off(i - 1) } else { 0.0 } + if i + 1 < n { off(i) } else { 0.0 };
    let mut high = (0..n).map(|i| diagonal[i] + bound(i)).fold(f64::NEG_INFINITY, f64::max);
    let mut low = diagonal.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let mut factor = diagonal[0] - middle;
        let mut below = factor < 0.0;
        for i in 1..n {
            factor = diagonal[i] - middle - off(i - 1) * off(i - 1) / factor;
            below &= factor < 0.0;
        }
        if below {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_eigenvalue_of_the_second_difference_is_known() {
        for n in 1..30 {
            let expected = 2.0 + 2.0 * (std::f64::consts::PI / (n + 1) as f64).cos();
            let found = largest_eigenvalue(&vec![2.0; n], &vec![-1.0; n - 1]);
            assert!((found - expected).abs() < 1e-12, "{n}: {found}, not {expected}");
        }
    }
}
