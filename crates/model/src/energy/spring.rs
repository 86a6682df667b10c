//! Spring between two weighted points of its nodes.
//!
//! p = sum_a w_a x_a is the vector along the spring: weights (1, -1) join two nodes, weights
//! (1, -1/3, -1/3, -1/3) join a vertex of a tet to the centroid of the opposite face. With
//! l = |p|, rest length L and e = l - L, the laws are
//!
//! | law | U(l) | pull dU/dl |
//! |---|---|---|
//! | linear | k e^2 / 2 | k e |
//! | quadratic | k abs(e)^3 / (3 L) | k e abs(e) / L |
//! | cubic | k e^4 / (4 L^2) | k e^3 / L^2 |
//!
//! so that k is in N/m in all of them, and all pull with k L at twice the rest length.

use super::relaxation::{Block, Blocks, Elements, Surroundings};
use super::rows::ByRows;
use super::{ElementKind, Energy, Group, MAX_BLOCKS, Relaxation, Row, Stiffness, false_share};
use crate::parameter::{Kind, Parameter, Preset};
use numerics::mat3::{Mat3, Vec3, add, dot, identity, mat_add, mat_scale, mat_sub, norm, outer, scale, sub};
use numerics::real::Real;

/// Growth of the pull of a spring with its elongation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Law {
    /// Proportional to the elongation.
    #[default]
    Linear,
    /// Square of the elongation, with its sign.
    Quadratic,
    /// Cube of the elongation.
    Cubic,
}

impl Law {
    /// Names in scenes.
    pub const NAMES: [(&'static str, Law); 3] =
        [("linear", Law::Linear), ("quadratic", Law::Quadratic), ("cubic", Law::Cubic)];

    /// Words of scenes, in the order of [`Law::NAMES`].
    pub const WORDS: [&'static str; 3] = [Law::NAMES[0].0, Law::NAMES[1].0, Law::NAMES[2].0];

    /// Computes U, dU/dl and d2U/dl2 at elongation `e`.
    #[inline(always)]
    fn energy<R: Real>(self, k: R, rest_length: R, e: R) -> [R; 3] {
        let [half, third, quarter] = [0.5, 1.0 / 3.0, 0.25].map(R::splat);
        match self {
            Law::Linear => [half * k * e * e, k * e, k],
            Law::Quadratic => {
                let size = e.max(-e);
                let stiffness = k * size / rest_length;
                [third * stiffness * size * size, stiffness * e, stiffness + stiffness]
            }
            Law::Cubic => {
                let stiffness = k * e * e / (rest_length * rest_length);
                [quarter * stiffness * e * e, stiffness * e, R::splat(3.0) * stiffness]
            }
        }
    }

    /// Computes C with k C^2 = 2 U at elongation `e`, and dC/dl.
    #[inline(always)]
    fn constraint<R: Real>(self, rest_length: R, e: R) -> [R; 2] {
        match self {
            Law::Linear => [e, R::splat(1.0)],
            Law::Quadratic => {
                let root = (R::splat(2.0 / 3.0) * e.max(-e) / rest_length).sqrt();
                [root * e, R::splat(1.5) * root]
            }
            Law::Cubic => {
                let relative = R::splat(std::f64::consts::SQRT_2) * e / rest_length;
                [R::splat(0.5) * relative * e, relative]
            }
        }
    }
}

/// Parameters of the springs of a body: the law of all, and the stiffness of each kind.
pub const PARAMETERS: &[Parameter] = &[
    Parameter::new(
        "law",
        Kind::Word { choices: &Law::WORDS },
        Preset::Word("linear"),
        "",
        "growth of the pull with elongation",
    ),
    Parameter { default: Preset::Required, ..stiffness("stiffness", "along the edges of the shape, or of its tets") },
    stiffness("shear", "along the diagonals of cloth"),
    stiffness("bending", "between second neighbours"),
    stiffness("faces", "from each vertex of a tet to the centroid of the opposite face"),
];

/// Parameters of the springs in a part of a body that differs.
pub const ZONE_PARAMETERS: &[Parameter] = &[
    Parameter::optional("stiffness", Kind::NOT_NEGATIVE, "N/m", "another stiffness of the springs along edges"),
    Parameter::optional("shear", Kind::NOT_NEGATIVE, "N/m", "another stiffness of the diagonal springs"),
    Parameter::optional("bending", Kind::NOT_NEGATIVE, "N/m", "another stiffness of the bending springs"),
];

const fn stiffness(name: &'static str, doc: &'static str) -> Parameter {
    Parameter::new(name, Kind::NOT_NEGATIVE, Preset::Numbers(&[0.0]), "N/m", doc)
}

/// Springs of one law. The rest state is the rest length [m] and the stiffness k [N/m].
#[derive(Clone)]
pub struct Spring<const N: usize> {
    law: Law,
    weights: [f64; N],
}

/// Numbers of rest state per spring.
pub const REST: usize = 2;

impl Spring<2> {
    /// Builds springs between pairs of nodes: nodes, rest length, stiffness, number in the mesh.
    pub fn group(law: Law, free: usize, springs: Vec<([u32; 2], [f64; REST], u32)>) -> Group<Spring<2>, 2, REST, 1> {
        Group::new(ElementKind::Spring, Spring::between_nodes(law), free, springs)
    }

    /// Returns the energy of springs between two nodes.
    pub(crate) fn between_nodes(law: Law) -> Spring<2> {
        Spring { law, weights: [1.0, -1.0] }
    }
}

impl Spring<4> {
    /// Builds springs from the first node of each element to the centroid of the other three.
    pub fn group(law: Law, free: usize, springs: Vec<([u32; 4], [f64; REST], u32)>) -> Group<Spring<4>, 4, REST, 1> {
        let third = -1.0 / 3.0;
        Group::new(ElementKind::FaceSpring, Spring { law, weights: [1.0, third, third, third] }, free, springs)
    }
}

/// Strain of true tension that is left out, over the square of the turn. With 0.5 a chain of stiff springs lags, with an error of
/// 0.05 instead of 0.012 (`docs/turning.md`).
const LEFT_OUT: f64 = 1.5;

/// Largest true tension that is left out of a spring between two nodes, over its length and the inertia of its lighter node,
/// m / h^2. It acts explicitly: a string diverges above 1. With 1 siere is two times less accurate on swinging ropes than with
/// the exact stiffness, without a bound ropes that whip around diverge.
const BORNE: f64 = 0.3;

/// Square of the turn per step below which a spring counts as not stretched [rad^2]: rounding is not to be taken back.
const LEAST: f64 = 1e-12;

/// Returns the length, not below a billionth of that at rest. Across a spring the stiffness is pull / length, unbounded
/// for one pressed to a point.
#[inline(always)]
fn longer<R: Real>(length: R, rest: &[R; REST]) -> R {
    length.at_least(R::splat(1e-9) * rest[0])
}

/// Returns what may be left out of the stiffness across a spring. Where springs go from nodes to faces, a body of many of them
/// bears it by its shear.
#[inline(always)]
fn borne<R: Real, const N: usize>(out: R, inertia: &[R; N]) -> R {
    if N > 2 {
        return out;
    }
    let lighter = inertia[0].select_gt(inertia[N - 1], inertia[N - 1], inertia[0]);
    let most = R::splat(BORNE) * lighter;
    out.select_gt(most, most, out)
}

impl<const N: usize> Spring<N> {
    /// Computes sum_a w_a x_a.
    #[inline(always)]
    fn along<R: Real>(&self, x: &[Vec3<R>; N]) -> Vec3<R> {
        let mut p = [R::splat(0.0); 3];
        for a in 0..N {
            p = add(p, scale(R::splat(self.weights[a]), x[a]));
        }
        p
    }

    /// Computes the Hessian from the stiffness along the spring and across it; the latter is negative under compression.
    #[inline(always)]
    fn blocks<R: Real>(&self, along: R, across: R, direction: Vec3<R>) -> [Mat3<R>; MAX_BLOCKS] {
        let nn = outer(direction, direction);
        let h = mat_add(&mat_scale(along, &nn), &mat_scale(across, &mat_sub(&identity(), &nn)));
        let mut blocks = [[[R::splat(0.0); 3]; 3]; MAX_BLOCKS];
        for a in 0..N {
            for b in 0..=a {
                blocks[a * (a + 1) / 2 + b] = mat_scale(R::splat(self.weights[a] * self.weights[b]), &h);
            }
        }
        blocks
    }

    /// Computes length and direction; a spring of zero length has zero direction and does not pull.
    #[inline(always)]
    fn direction<R: Real>(&self, x: &[Vec3<R>; N]) -> (R, Vec3<R>) {
        let p = self.along(x);
        let length = norm(p).at_least(R::splat(f64::MIN_POSITIVE));
        (length, scale(R::splat(1.0) / length, p))
    }
}

impl<const N: usize> Energy<N, REST, 1> for Spring<N> {
    #[inline(always)]
    fn value<R: Real>(&self, rest: &[R; REST], x: &[Vec3<R>; N]) -> R {
        let (length, _) = self.direction(x);
        self.law.energy(rest[1], rest[0], length - rest[0])[0]
    }

    #[inline(always)]
    fn gradient<R: Real>(&self, rest: &[R; REST], x: &[Vec3<R>; N]) -> [Vec3<R>; N] {
        let (length, direction) = self.direction(x);
        let [_, pull, _] = self.law.energy(rest[1], rest[0], length - rest[0]);
        self.weights.map(|w| scale(R::splat(w) * pull, direction))
    }

    #[inline(always)]
    fn hessian<R: Real>(&self, kind: Stiffness, rest: &[R; REST], x: &[Vec3<R>; N]) -> [Mat3<R>; MAX_BLOCKS] {
        let (length, direction) = self.direction(x);
        let elongation = if kind == Stiffness::Corotated { R::splat(0.0) } else { length - rest[0] };
        let [_, pull, along] = self.law.energy(rest[1], rest[0], elongation);
        let across = match kind {
            Stiffness::Exact | Stiffness::Auto => pull / longer(length, rest),
            Stiffness::Projected => (pull / length).at_least(R::splat(0.0)),
            Stiffness::Turned | Stiffness::Corotated | Stiffness::Predicted => R::splat(0.0),
        };
        self.blocks(along, across, direction)
    }

    #[inline(always)]
    fn hessian_after<R: Real>(
        &self,
        rest: &[R; REST],
        x: &[Vec3<R>; N],
        way: &[Vec3<R>; N],
        inertia: &[R; N],
    ) -> [Mat3<R>; MAX_BLOCKS] {
        let (length, direction) = self.direction(x);
        let (zero, one) = (R::splat(0.0), R::splat(1.0));
        let elongation = length - rest[0];
        let [_, pull, along] = self.law.energy(rest[1], rest[0], elongation);
        // A linear step stretches by 1 / cos of the angle. As far as the pull shows it, it is taken back.
        let before = sub(self.along(x), self.along(way));
        let cosine = (dot(before, direction) / longer(norm(before), rest)).at_least(zero);
        let turn = self.turn(rest, x, way);
        let stretched = turn.select_gt(R::splat(LEAST), length * (one - cosine), zero);
        let later = self.law.energy(rest[1], rest[0], elongation - stretched)[1];
        let share = pull.at_least(zero) / (pull - later).at_least(R::splat(f64::MIN_POSITIVE));
        let true_elongation = elongation - share.select_gt(one, one, share) * stretched;
        let pull = self.law.energy(rest[1], rest[0], true_elongation)[1];
        let left_out = R::splat(LEFT_OUT) * turn;
        let share = false_share(left_out, true_elongation.max(-true_elongation) / rest[0]);
        let across = pull / longer(length, rest);
        self.blocks(along, across - borne(share * across, inertia), direction)
    }

    #[inline(always)]
    fn hessian_predicted<R: Real>(
        &self,
        rest: &[R; REST],
        x: &[Vec3<R>; N],
        way: &[Vec3<R>; N],
    ) -> [Mat3<R>; MAX_BLOCKS] {
        let (length, direction) = self.direction(x);
        let [_, _, along] = self.law.energy(rest[1], rest[0], length - rest[0]);
        let way = self.along(way);
        let before = sub(self.along(x), way);
        let length_before = longer(norm(before), rest);
        let [_, pull, slope] = self.law.energy(rest[1], rest[0], length_before - rest[0]);
        let predicted = pull + slope * dot(before, way) / length_before;
        self.blocks(along, predicted / longer(length, rest), direction)
    }

    #[inline(always)]
    fn turn<R: Real>(&self, rest: &[R; REST], x: &[Vec3<R>; N], way: &[Vec3<R>; N]) -> R {
        let (length, direction) = self.direction(x);
        let (way, length) = (self.along(way), longer(length, rest));
        let across = sub(way, scale(dot(way, direction), direction));
        dot(across, across) / (length * length)
    }

    #[inline(always)]
    fn rows<R: Real>(&self, rest: &[R; REST], x: &[Vec3<R>; N]) -> [Row<R, N>; 1] {
        let (length, direction) = self.direction(x);
        let [c, slope] = self.law.constraint(rest[0], length - rest[0]);
        let along = scale(slope, direction);
        [Row { c, gradient: self.weights.map(|w| scale(R::splat(w), along)), k: rest[1] }]
    }

    fn relaxation(&self, elements: &Elements<'_, N, REST>) -> Box<dyn Relaxation> {
        Box::new(Blocks::new(Pulls(ByRows(self.clone())), elements))
    }
}

/// Springs as blocks, with a faster form for springs between two nodes.
struct Pulls<const N: usize>(ByRows<Spring<N>>);

/// Length below which a spring has no direction [m]; its square does not underflow.
const SHORTEST: f64 = 1e-150;

impl<const N: usize> Block<N, REST, 1> for Pulls<N> {
    const IS_CENTRAL: bool = N == 2;

    #[inline(always)]
    fn relax<R: Real>(
        &self,
        rest: &[R; REST],
        x: &[Vec3<R>; N],
        surroundings: &Surroundings<R, N>,
        lambda: &mut [R; 1],
    ) -> [Vec3<R>; N] {
        self.0.relax(rest, x, surroundings, lambda)
    }

    /// Solves the row of `rows` with one division: dlambda = -(s C + lambda) / (1 + s C'^2 w), pull = dlambda C' / l.
    #[inline(always)]
    fn pull<R: Real>(&self, rest: &[R; REST], squared: R, w: R, dt2: f64, lambda: &mut [R; 1]) -> R {
        let length = squared.sqrt().at_least(R::splat(SHORTEST));
        let [c, slope] = self.0.0.law.constraint(rest[0], length - rest[0]);
        let s = rest[1] * R::splat(dt2);
        let resistance = (s.max(R::splat(0.0)) * slope * slope).mul_add(w, R::splat(1.0));
        let change = -s.mul_add(c, lambda[0]) / (resistance * length);
        lambda[0] += change * length;
        change * slope
    }
}
