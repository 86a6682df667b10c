//! Segments of fibres: long, thin, and side by side, so that their boxes overlap by the hundred.
//!
//! A plane separates most of them. Four directions are tried: across both segments, from one to the other across the first, and
//! across one segment within the plane of both. What is above a plane before and after a step is above it all the way, because the
//! least of linear functions is concave. So every pair that is left out stays apart, whatever rounding did to the direction.
//!
//! The segments of a leaf of the tree are a bundle: they lie side by side in lanes, eight tests at once, and within one thick
//! segment, so that most bundles are told apart by one test.

use super::surface::{Moving, Primitive};
use numerics::mat3::{Vec3, add, dot, norm, scale, sub};
use numerics::real::{Lanes, Real};

/// Segments per bundle.
pub(super) const MOST: usize = Lanes::LANES;
/// Share by which distances are enlarged, for rounding.
const ROUNDING: f64 = 1e-6;

/// Ends of a segment before and after a step [m]: a, b, a', b'.
type Way<R> = [[R; 3]; 4];

/// The segments of a leaf.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bundle {
    /// Segments side by side; the first is repeated in lanes without one.
    ways: Way<Lanes>,
    /// Number of segments; zero if the leaf has something else.
    count: usize,
    /// A segment with a radius [m] that holds all of them, from before the step to after it.
    thick: Way<f64>,
    radius: f64,
}

impl Bundle {
    /// Collects the segments of a leaf.
    pub fn new(leaf: &[u32], primitives: &[Primitive], nodes: &[Moving]) -> Bundle {
        let mut ways = [[[0.0; 3]; 4]; MOST];
        let is_whole = leaf.len() <= MOST && leaf.iter().all(|&i| primitives[i as usize].is_segment());
        let count = if is_whole { leaf.len() } else { 0 };
        for (lane, way) in ways.iter_mut().enumerate().take(if count > 0 { MOST } else { 0 }) {
            let [a, b, _] = primitives[leaf[if lane < count { lane } else { 0 }] as usize].nodes;
            let [a, b] = [nodes[a as usize], nodes[b as usize]];
            *way = [a.x, b.x, add(a.x, a.u), add(b.x, b.u)];
        }
        let (thick, radius) = hull(&ways[..count]);
        let mut lanes = [[Lanes::splat(0.0); 3]; 4];
        for (k, end) in lanes.iter_mut().enumerate() {
            for (c, coordinate) in end.iter_mut().enumerate() {
                *coordinate = Lanes::from_fn(|lane| ways[lane][k][c]);
            }
        }
        Bundle { ways: lanes, count, thick, radius }
    }

    /// Returns true if it holds nothing but segments.
    pub fn is_whole(&self) -> bool {
        self.count > 0
    }

    /// Calls `visit` with the lanes of each segment of this bundle and of another that may come within `reach` [m].
    #[inline]
    pub fn each_near(&self, other: &Bundle, reach: f64, mut visit: impl FnMut(usize, usize)) {
        let apart = parted(&self.thick, &other.thick, reach + self.radius + other.radius);
        if apart > 0.0 {
            return;
        }
        let mut near = self.near(&other.thick, reach + other.radius);
        while near != 0 {
            let lane = near.trailing_zeros() as usize;
            near &= near - 1;
            let mut others = other.near(&self.way(lane), reach);
            while others != 0 {
                visit(lane, others.trailing_zeros() as usize);
                others &= others - 1;
            }
        }
    }

    /// [`Bundle::each_near`] for two segments of this bundle.
    #[inline]
    pub fn each_near_within(&self, reach: f64, mut visit: impl FnMut(usize, usize)) {
        for lane in 0..self.count {
            let mut others = self.near(&self.way(lane), reach) & !((2 << lane) - 1);
            while others != 0 {
                visit(lane, others.trailing_zeros() as usize);
                others &= others - 1;
            }
        }
    }

    /// Returns one of the segments.
    #[inline(always)]
    fn way(&self, lane: usize) -> Way<f64> {
        self.ways.map(|end| end.map(|coordinate| coordinate.lane(lane)))
    }

    /// Returns the lanes that are not separated from a segment, as bits.
    #[inline(always)]
    fn near(&self, other: &Way<f64>, reach: f64) -> u32 {
        let apart = parted(&self.ways, &other.map(|end| end.map(Lanes::splat)), reach);
        // A number that is not one separates nothing.
        let parted = (0..self.count).fold(0, |bits, lane| bits | u32::from(apart.lane(lane) > 0.0) << lane);
        !parted & ((1 << self.count) - 1)
    }
}

/// Returns a segment and the radius around it that hold segments throughout a step.
fn hull(ways: &[Way<f64>]) -> (Way<f64>, f64) {
    let Some(first) = ways.first() else { return ([[0.0; 3]; 4], f64::INFINITY) };
    let along = |way: &Way<f64>| sub(way[1], way[0]);
    // Fibres may run either way: low ends first.
    let turned = ways.iter().map(|way| {
        let [a, b, c, d] = *way;
        if dot(along(way), along(first)) < 0.0 { [b, a, d, c] } else { *way }
    });
    let share = 1.0 / ways.len() as f64;
    let mut mean = [[0.0; 3]; 4];
    for way in turned.clone() {
        (0..4).for_each(|k| mean[k] = add(mean[k], scale(share, way[k])));
    }
    // Positions along the mean segment: 0 and 1 at its ends.
    let axis = along(&mean);
    let length = dot(axis, axis);
    let position = |x: Vec3| if length > 0.0 { dot(sub(x, mean[0]), axis) / length } else { 0.0 };
    let positions = || ways.iter().flat_map(|way| [position(way[0]), position(way[1])]);
    let [low, high] = [positions().fold(0.0, f64::min), positions().fold(1.0, f64::max)];
    let at = |[a, b]: [Vec3; 2], s: f64| add(a, scale(s, sub(b, a)));
    let (before, after) = ([mean[0], mean[1]], [mean[2], mean[3]]);
    let mut radius: f64 = 0.0;
    for way in ways {
        for k in 0..2 {
            let s = position(way[k]);
            radius = radius.max(norm(sub(way[k], at(before, s)))).max(norm(sub(way[k + 2], at(after, s))));
        }
    }
    ([at(before, low), at(before, high), at(after, low), at(after, high)], radius)
}

/// Returns a positive number where a plane separates two moving segments by more than `reach` [m] throughout.
#[inline(always)]
fn parted<R: Real>(p: &Way<R>, q: &Way<R>, reach: f64) -> R {
    let reach = (1.0 + ROUNDING) * reach;
    let (zero, square) = (R::splat(0.0), R::splat(reach * reach));
    let less = |a: [R; 3], b: [R; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let more = |a: [R; 3], b: [R; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
    let along = |a: [R; 3], b: [R; 3]| a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]));
    let cross =
        |a: [R; 3], b: [R; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    // Coordinates relative to a node lose no digits where the world is far from the origin.
    let [b, c, d] = [less(p[1], p[0]), less(p[2], p[0]), less(p[3], p[0])];
    let [e, f, g, h] = q.map(|x| less(x, p[0]));
    // Along both segments, in the middle of the step.
    let (first, second) = (more(b, less(d, c)), more(less(f, e), less(h, g)));
    let mut apart = R::splat(-1.0);
    let mut plane = |n: [R; 3]| {
        let [b, c, d] = [along(n, b), along(n, c), along(n, d)];
        let [e, f, g, h] = [along(n, e), along(n, f), along(n, g), along(n, h)];
        let (low, high) = (|a: R, b: R| a.select_gt(b, b, a), |a: R, b: R| a.select_gt(b, a, b));
        let above = low(low(e, f) - high(zero, b), low(g, h) - high(c, d));
        let below = low(low(zero, b) - high(e, f), low(c, d) - high(g, h));
        let gap = high(high(above, below), zero);
        let by = gap * gap - square * along(n, n);
        apart = by.select_gt(apart, by, apart);
        (0..R::LANES).all(|lane| apart.lane(lane) > 0.0)
    };
    let across = cross(first, second);
    if plane(across) {
        return apart;
    }
    // From one middle to the other, four times.
    let between = less(more(more(e, f), more(g, h)), more(b, more(c, d)));
    let share = along(between, first) / along(first, first);
    if plane(less(between, first.map(|x| x * share))) || plane(cross(across, first)) {
        return apart;
    }
    plane(cross(across, second));
    apart
}
