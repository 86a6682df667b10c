//! First contact of two moving features: additive continuous collision detection.
//!
//! Features move straight over a step. From a time with a known distance d, the time until they can be as near as a gap
//! is at least (d - gap) / speed; the sum of such times approaches the first contact from below and never passes it
//! (Li, Kaufman and Jiang 2021; conservative advancement, Mirtich 1996). Two details are our own:
//!
//! - The speed is that along the normal n of the closest points. Both features are convex, so the plane across n separates
//!   them, and only motion along n brings them nearer. Features that slide past each other need one evaluation.
//! - The distance is that between the two planes across n which touch the features. It is a lower bound of the true one
//!   whatever n is, so rounding of the closest points can cost evaluations, but no contact is missed.

use super::Kind;
use super::approach::{combine, normal, weights};
use numerics::mat3::{Vec3, add, dot, scale, sub};

/// Share of the gap to the contact that each advance covers.
const SHARE: f64 = 0.9;
/// Limit of evaluations, after which a pair counts as in contact.
const LOOKS: usize = 1000;

/// Two features at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Separation {
    /// Distance of the planes across the normal that touch them: their distance up to rounding, negative if no such plane
    /// separates them [m].
    pub gap: f64,
    /// Weights of the closest points: of the first feature they sum to 1, of the second to -1.
    pub weights: [f64; 4],
    /// Unit normal from the second to the first.
    pub normal: Vec3,
}

/// First contact within a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstContact {
    /// Time, as a share of the step: at or a little before the true one.
    pub time: f64,
    /// Weights of the closest points then.
    pub weights: [f64; 4],
    /// Unit normal then, from the second feature to the first.
    pub normal: Vec3,
}

/// Returns the number of nodes of the first feature.
#[inline(always)]
fn first(kind: Kind) -> usize {
    match kind {
        Kind::VertexTriangle => 1,
        Kind::EdgeEdge => 2,
    }
}

/// Returns the least of the first feature minus the greatest of the second, along n.
#[inline(always)]
fn along(kind: Kind, n: Vec3, a: &[Vec3; 4]) -> f64 {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (k, a) in a.iter().enumerate() {
        let at = dot(n, *a);
        if k < first(kind) {
            low = if at < low { at } else { low };
        } else {
            high = if at > high { at } else { high };
        }
    }
    low - high
}

/// Returns the distance of two features at the positions `x` [m]. Where they touch, the normal is against their motion `u`.
pub fn separation(kind: Kind, x: [Vec3; 4], u: [Vec3; 4]) -> Separation {
    // Coordinates relative to a node lose no digits where the world is far from the origin.
    let x = x.map(|p| sub(p, x[1]));
    let weights = weights(kind, x);
    let normal = normal(kind, weights, x, u);
    Separation { gap: along(kind, normal, &x), weights, normal }
}

/// Returns the largest displacement of the second feature against the first along a normal, of displacements `u` [m]:
/// features come no nearer than by this. Negative if all of them separates.
#[inline]
pub fn approach_along(kind: Kind, n: Vec3, u: [Vec3; 4]) -> f64 {
    let u = u.map(|p| sub(p, u[1]));
    -along(kind, n, &u)
}

/// Finds the first time at which two features that move from `x` by `u` [m] may be as near as `gap` [m]; `None` if they
/// stay farther apart throughout. Features that begin nearer must not come nearer than half their distance.
///
/// ```
/// use collision::Kind;
/// use collision::pairs::first_contact;
///
/// // A vertex falls from 1 m onto a triangle, 2 m within the step.
/// let x = [[0.2, 0.2, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let u = [[0.0, 0.0, -2.0], [0.0; 3], [0.0; 3], [0.0; 3]];
/// let contact = first_contact(Kind::VertexTriangle, x, u, 1e-3).unwrap();
/// assert!(contact.time > 0.4 && contact.time < 0.5 && (contact.normal[2] - 1.0).abs() < 1e-15);
/// ```
pub fn first_contact(kind: Kind, x: [Vec3; 4], u: [Vec3; 4], gap: f64) -> Option<FirstContact> {
    follow(kind, x, u, gap).err()
}

/// Follows two features over a step: their first contact as of [`first_contact`], or, if there is none, how much nearer they may
/// come at any time before there is one [m].
pub fn follow(kind: Kind, x: [Vec3; 4], u: [Vec3; 4], gap: f64) -> Result<f64, FirstContact> {
    let mut now = separation(kind, x, u);
    let gap = if now.gap > gap { gap } else { (0.5 * now.gap).max(0.0) };
    let near = gap + (1.0 - SHARE) * (now.gap - gap);
    let mut time = 0.0;
    let mut clearance = f64::INFINITY;
    for look in 0.. {
        let speed = approach_along(kind, now.normal, u);
        let room = now.gap - gap;
        // Separate until the end; a number that is not finite counts as contact.
        if speed <= 0.0 && room >= 0.0 || room > speed * (1.0 - time) {
            return Ok(clearance.min(room - speed.max(0.0) * (1.0 - time)));
        }
        if look > 0 && now.gap <= near || room.is_nan() || room <= 0.0 || look == LOOKS {
            break;
        }
        let next = time + SHARE * room / speed;
        if next <= time {
            break;
        }
        clearance = clearance.min((1.0 - SHARE) * room);
        time = next;
        let mut y = x;
        for k in 0..4 {
            y[k] = add(x[k], scale(time, u[k]));
        }
        now = separation(kind, y, u);
    }
    Err(FirstContact { time: time.min(1.0), weights: now.weights, normal: now.normal })
}

/// Returns the vector from the second closest point to the first [m], for weights of [`Separation`].
#[inline]
pub fn between(weights: [f64; 4], x: [Vec3; 4]) -> Vec3 {
    combine(weights, x)
}
