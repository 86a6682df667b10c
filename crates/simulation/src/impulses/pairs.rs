//! Pairs of features that may meet within a step, and which of them do.

use super::points::{Features, Points};
use super::row::{NONE, Row};
use collision::pairs::{Candidate, FirstContact, approach_along, between, follow, separation};
use collision::{CollisionSurface, Kind, Lists};
use model::collisions::Collisions;
use model::energy::Shared;
use numerics::mat3::{Vec3, dot, sub};

/// The distance that is never gone below, as a share of the thickness.
pub(super) const GAP: f64 = 0.1;
/// Share of a missing distance that is made up in a step.
pub(super) const SOFTLY: f64 = 0.1;
/// Thickness of a pair of one body, as a share of its distance at rest.
const AT_REST: f64 = 0.9;
/// Distance relative to the thickness at which pairs are near where whole bodies respond: what rests on something stays near it.
const RESTING: f64 = 1.05;
/// Pairs per task.
const PAIRS_PER_TASK: usize = 2048;
/// Share of stale points above which the list of pairs is made anew.
const STALE: f64 = 0.25;
/// Share of a clearance that points may use up before their pair is tested again: the rest is for rounding.
const SURE: f64 = 0.99;

/// Two features that may meet in this step.
#[derive(Debug, Clone, Copy)]
struct Pair {
    points: [u32; 4],
    /// Distance it should keep [m].
    thickness: f32,
    kind: Kind,
    /// The closest points belong to this pair, and are nearer than the thickness.
    is_near: bool,
    /// Sum of the ways its points may have been moved by contacts before they can meet [m]; they met in the last test, or have
    /// not been tested, if it is negative.
    apart_until: f64,
}

/// Two features that meet within the step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    pub points: [u32; 4],
    kind: Kind,
    thickness: f64,
    contact: FirstContact,
}

/// Two features that are too near before a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct TooNear {
    pub points: [u32; 4],
    pub distance: f64,
}

/// Search for pairs; its memory is reused from step to step.
pub(super) struct Pairs {
    surface: CollisionSurface,
    pairs: Vec<Pair>,
    lists: Lists<Pair>,
    hit_lists: Lists<Hit>,
    row_lists: Lists<Row>,
    rows: Vec<Row>,
    /// Pairs of stale points.
    fresh: Vec<Pair>,
    /// Distance relative to the thickness at which pairs are near.
    near: f64,
    /// Ends that the list of pairs was made for [m].
    listed: Vec<f64>,
    /// Points whose end is too far from that.
    stale: Vec<bool>,
    thickness: f64,
    margin: f64,
    friction: f64,
    within: bool,
    between: bool,
}

impl Pairs {
    pub fn new(features: &Features, points: &Points, collisions: &Collisions) -> Pairs {
        let Collisions { thickness, margin, friction, within, .. } = *collisions;
        let several = points.body.iter().any(|body| *body != points.body[0]);
        let between = collisions.between && several;
        let surface = || CollisionSurface::new(&features.triangles, &features.edges, &features.points);
        let surface = match (within, between) {
            (true, _) => surface(),
            (false, true) => surface().between_bodies(&points.body),
            (false, false) => CollisionSurface::default(),
        };
        Pairs {
            surface,
            pairs: Vec::new(),
            lists: Lists::default(),
            hit_lists: Lists::default(),
            row_lists: Lists::default(),
            rows: Vec::new(),
            fresh: Vec::new(),
            near: if collisions.impulses.as_ref().is_some_and(|i| i.moves_bodies) { RESTING } else { 1.0 },
            listed: Vec::new(),
            stale: Vec::new(),
            thickness,
            margin,
            friction,
            within,
            between,
        }
    }

    /// Lists all pairs that may come as near as the gap while each point's displacement changes by at most half the
    /// margin, and those nearer than their thickness.
    pub fn list(&mut self, points: &Points) {
        self.listed.clone_from(&points.end);
        self.search(points, false);
        std::mem::swap(&mut self.pairs, &mut self.fresh);
    }

    /// Lists the pairs of points again whose displacement has changed by more than the list allows for.
    pub fn complete(&mut self, points: &Points) {
        let most = 0.25 * self.margin * self.margin;
        let is_stale = |(listed, end): (&Vec3, &Vec3)| {
            let d = sub(*end, *listed);
            dot(d, d) > most
        };
        let places = || self.listed.as_chunks::<3>().0.iter().zip(points.end.as_chunks::<3>().0);
        match places().filter(|place| is_stale(*place)).count() {
            0 => return,
            many if many as f64 > STALE * points.len() as f64 => return self.list(points),
            _ => {}
        }
        let marks: Vec<bool> = places().map(is_stale).collect();
        self.stale = marks;
        // The others may still move by half the margin from where they were listed.
        let ends = self.listed.as_chunks_mut::<3>().0.iter_mut().zip(points.end.as_chunks::<3>().0);
        ends.zip(&self.stale).filter(|(_, is_stale)| **is_stale).for_each(|((listed, end), _)| *listed = *end);
        self.search(points, true);
        let Pairs { pairs, fresh, stale, .. } = self;
        pairs.retain(|pair| !pair.points.iter().any(|&i| stale[i as usize]));
        pairs.append(fresh);
    }

    /// Finds pairs for the listed ends: all, or those with a stale point.
    fn search(&mut self, points: &Points, only_stale: bool) {
        let Pairs { surface, fresh, lists, listed, stale, thickness, margin, within, between, near, .. } = self;
        if !*within && !*between {
            return;
        }
        let (thickness, within, between, near) = (*thickness, *within, *between, *near);
        let gap = GAP * thickness + *margin;
        let stale = only_stale.then_some(stale.as_slice());
        let visit = |candidate: &Candidate, list: &mut Vec<Pair>| {
            if candidate.is_apart((near * thickness).max(gap)) {
                return;
            }
            let (kind, nodes) = (candidate.kind, candidate.nodes);
            let now = separation(kind, candidate.x, candidate.u);
            let nears = approach_along(kind, now.normal, candidate.u);
            // A distance that is not a number is kept: it counts as contact.
            if now.gap > near * thickness && now.gap - nears.max(0.0) > gap || nodes.iter().all(|&i| points.is_held(i))
            {
                return;
            }
            let second = if kind == Kind::VertexTriangle { 1 } else { 2 };
            let is_same = points.body[nodes[0] as usize] == points.body[nodes[second] as usize];
            if !(if is_same { within } else { between }) {
                return;
            }
            let thickness = if is_same { thickness.min(AT_REST * at_rest(kind, nodes, points)) } else { thickness };
            // Features in one place at rest cannot be kept apart.
            if thickness > 0.0 {
                let is_near = now.gap < near * thickness && candidate.owns(now.weights);
                let apart_until = f64::NEG_INFINITY;
                list.push(Pair { points: nodes, thickness: thickness as f32, kind, is_near, apart_until });
            }
        };
        surface.visit_candidates([&points.start, listed], (near * thickness).max(gap), stale, lists, fresh, visit);
    }

    /// Adds contacts of pairs that are nearer than their thickness: they approach no further, and separate softly, at a
    /// speed of at most `fastest` [m per step].
    pub fn repel(&mut self, points: &Points, fastest: f64, out: &mut Vec<Row>) {
        let Pairs { pairs, row_lists, rows, friction, near, .. } = self;
        let near = *near;
        row_lists.gather(pairs.len().div_ceil(PAIRS_PER_TASK), rows, |task, list| {
            let end = pairs.len().min((task + 1) * PAIRS_PER_TASK);
            for pair in pairs[task * PAIRS_PER_TASK..end].iter().filter(|pair| pair.is_near) {
                let x = pair.points.map(|i| points.at(i));
                let now = separation(pair.kind, x, pair.points.map(|i| points.way(i)));
                let missing = f64::from(pair.thickness) - now.gap;
                // Those that are near beyond their thickness may use the room.
                let floor = if near > 1.0 { missing.min(0.0) } else { 0.0 };
                let least = (SOFTLY * missing).clamp(floor, fastest);
                list.extend(row(pair.kind, pair.points, now.weights, now.normal, least, *friction, points));
            }
        });
        sort(rows);
        out.extend_from_slice(rows);
    }

    /// Finds the pairs that come as near as their gap. Those that contacts have moved by less than they were apart in the last
    /// test are not tested again.
    pub fn hits(&mut self, points: &Points, out: &mut Vec<Hit>) {
        let Pairs { pairs, hit_lists, .. } = self;
        let count = pairs.len();
        let shared = Shared::new(pairs);
        hit_lists.gather(count.div_ceil(PAIRS_PER_TASK), out, |task, list| {
            for i in task * PAIRS_PER_TASK..count.min((task + 1) * PAIRS_PER_TASK) {
                // SAFETY: each pair belongs to one task.
                let pair = unsafe { shared.at(i) };
                let travel: f64 = pair.points.iter().map(|&i| points.travel[i as usize]).sum();
                if travel < pair.apart_until {
                    continue;
                }
                let (kind, four, thickness) = (pair.kind, pair.points, f64::from(pair.thickness));
                let (x, u) = (four.map(|i| points.at(i)), four.map(|i| points.way(i)));
                pair.apart_until = match follow(kind, x, u, GAP * thickness) {
                    Ok(clearance) => travel + SURE * clearance,
                    Err(contact) => {
                        list.push(Hit { points: four, kind, thickness, contact });
                        f64::NEG_INFINITY
                    }
                };
            }
        });
        // The order must not depend on the tree, and so not on when it was built.
        out.sort_unstable_by_key(|hit| (hit.kind, hit.points));
    }

    /// Adds the contacts of hits. At first, features may approach until they are as near as their thickness; if that was
    /// not enough (`is_late`), they may not approach at all.
    pub fn resist(&self, hits: &[Hit], is_late: bool, points: &Points, out: &mut Vec<Row>) {
        for hit in hits {
            let x = hit.points.map(|i| points.at(i));
            let FirstContact { weights, normal, .. } = hit.contact;
            let room = dot(normal, between(weights, x));
            let least = if is_late { 0.0 } else { (hit.thickness - room).min(0.0) };
            out.extend(row(hit.kind, hit.points, weights, normal, least, self.friction, points));
        }
    }

    /// Returns the pair that is nearest relative to its thickness, if it is as near as its gap before a step.
    pub fn too_near(&self, points: &Points) -> Option<TooNear> {
        let near = self.pairs.iter().filter_map(|pair| {
            let x = pair.points.map(|i| points.at(i));
            let gap = separation(pair.kind, x, [[0.0; 3]; 4]).gap;
            (gap <= GAP * f64::from(pair.thickness)).then_some(TooNear { points: pair.points, distance: gap.max(0.0) })
        });
        near.min_by(|a, b| a.distance.total_cmp(&b.distance).then(a.points.cmp(&b.points)))
    }
}

/// Returns the distance of a pair at rest [m].
fn at_rest(kind: Kind, four: [u32; 4], points: &Points) -> f64 {
    collision::pairs::rest_distance(kind, four, &points.rest)
}

/// Returns a contact, unless all its points are held.
fn row(
    kind: Kind,
    four: [u32; 4],
    weights: [f64; 4],
    normal: Vec3,
    least: f64,
    friction: f64,
    points: &Points,
) -> Option<Row> {
    let row = Row { kind, points: four, weights, normal, least, friction, obstacle: NONE, ..Row::EMPTY };
    row.complete(&points.shift, &points.speed)
}

fn sort(rows: &mut [Row]) {
    rows.sort_unstable_by_key(|row| (row.kind, row.points));
}

/// Returns the velocity of approach along the normal before the step [m/s], of features without held points.
pub(super) fn speed_before(row: &Row, points: &Points) -> f64 {
    let mut sum = [0.0; 3];
    for (point, weight) in row.sides() {
        let v = points.free[point][2];
        (0..3).for_each(|c| sum[c] += weight * v[c]);
    }
    dot(row.normal, sub(sum, row.carried[1]))
}
