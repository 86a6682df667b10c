//! Contacts of convex shapes with flat sides, by GJK, EPA and clipped faces (parry).
//!
//! Parry's tolerances are absolute, suited for sizes of about 1. So each pair is converted to its own unit: the power
//! of two below the size of the smaller one. Powers of two round nothing, and the answer does not depend on the unit of
//! the scene.

use crate::unit::unit_below;
use crate::{Pose, Shape};
use numerics::mat3::{Vec3, scale};
use parry3d_f64::glamx::DQuat;
use parry3d_f64::math::Vector;
use parry3d_f64::query::ContactManifold;
use parry3d_f64::query::details::contact_manifold_pfm_pfm;
use parry3d_f64::shape::{
    ConvexPolyhedron, Cuboid, PackedFeatureId, PolygonalFeature, PolygonalFeatureMap, Segment, SupportMap, Triangle,
};

/// A polyhedron, possibly flat, with a skin.
pub(crate) enum Polyhedron<'a> {
    Segment(Segment, f64),
    Triangle(Triangle),
    Cuboid(Cuboid),
    Hull(Enlarged<'a>),
}

/// A hull scaled by `by`.
pub(crate) struct Enlarged<'a> {
    hull: &'a ConvexPolyhedron,
    by: f64,
}

impl SupportMap for Enlarged<'_> {
    fn local_support_point(&self, direction: Vector) -> Vector {
        self.by * self.hull.local_support_point(direction)
    }
}

impl PolygonalFeatureMap for Enlarged<'_> {
    fn local_support_feature(&self, direction: Vector, feature: &mut PolygonalFeature) {
        self.hull.local_support_feature(direction, feature);
        feature.vertices.iter_mut().for_each(|vertex| *vertex *= self.by);
    }
}

/// A contact in the frames of the two.
pub(crate) struct LocalContact {
    /// Point on the first, in its frame [m].
    pub on_first: Vec3,
    /// Point on the second, in its frame [m].
    pub on_second: Vec3,
    /// Normal from the second to the first, in the frame of the first.
    pub normal: Vec3,
    /// Distance along the normal [m].
    pub separation: f64,
}

impl<'a> Polyhedron<'a> {
    /// Converts a shape; `None` if it is not a polyhedron.
    pub fn of(shape: &'a Shape) -> Option<Self> {
        match shape {
            Shape::Capsule { half_length, radius } => {
                let end = Vector::new(0.0, 0.0, *half_length);
                Some(Polyhedron::Segment(Segment::new(-end, end), *radius))
            }
            Shape::Box { half } => Some(Polyhedron::Cuboid(Cuboid::new(Vector::from_array(*half)))),
            Shape::Hull(hull) => {
                let (hull, unit) = hull.polyhedron();
                Some(Polyhedron::Hull(Enlarged { hull, by: unit }))
            }
            Shape::HalfSpace | Shape::Ball { .. } | Shape::Mesh(_) => None,
        }
    }

    /// Makes one from the corners of a triangle [m].
    pub fn triangle(corners: [Vec3; 3]) -> Self {
        let [a, b, c] = corners.map(Vector::from_array);
        Polyhedron::Triangle(Triangle::new(a, b, c))
    }

    fn features(&self) -> &dyn PolygonalFeatureMap {
        match self {
            Polyhedron::Segment(segment, _) => segment,
            Polyhedron::Triangle(triangle) => triangle,
            Polyhedron::Cuboid(cuboid) => cuboid,
            Polyhedron::Hull(hull) => hull,
        }
    }

    fn skin(&self) -> f64 {
        if let Polyhedron::Segment(_, radius) = self { *radius } else { 0.0 }
    }

    /// Returns its size, within a small factor [m].
    fn size(&self) -> f64 {
        match self {
            Polyhedron::Segment(segment, radius) => segment.b.length() + radius,
            Polyhedron::Triangle(t) => (t.b - t.a).length().max((t.c - t.a).length()),
            Polyhedron::Cuboid(cuboid) => cuboid.half_extents.max_element(),
            Polyhedron::Hull(hull) => hull.by,
        }
    }

    /// Returns the same in another unit [m].
    fn in_unit(&self, unit: f64) -> Polyhedron<'a> {
        match self {
            Polyhedron::Segment(s, radius) => Polyhedron::Segment(Segment::new(s.a / unit, s.b / unit), radius / unit),
            Polyhedron::Triangle(t) => Polyhedron::Triangle(Triangle::new(t.a / unit, t.b / unit, t.c / unit)),
            Polyhedron::Cuboid(cuboid) => Polyhedron::Cuboid(Cuboid::new(cuboid.half_extents / unit)),
            Polyhedron::Hull(Enlarged { hull, by }) => Polyhedron::Hull(Enlarged { hull, by: by / unit }),
        }
    }
}

/// Finds contacts nearer than `margin` [m] of two polyhedra, the second at `pose` in the frame of the first.
pub(crate) fn contacts(
    first: &Polyhedron,
    second: &Polyhedron,
    pose: &Pose,
    margin: f64,
    mut push: impl FnMut(LocalContact),
) {
    let unit = unit_below(first.size().min(second.size()));
    let ([first, second], margin) = ([first, second].map(|body| body.in_unit(unit)), margin / unit);
    let ([w, x, y, z], position) = (pose.rotation, Vector::from_array(pose.position) / unit);
    let pose = parry3d_f64::math::Pose::from_parts(position, DQuat::from_xyzw(x, y, z, w));
    let mut manifold = ContactManifold::<(), ()>::new();
    let (a, b) = (first.features(), second.features());
    contact_manifold_pfm_pfm(&pose, a, first.skin(), None, b, second.skin(), None, margin, &mut manifold);
    let points = &manifold.points;
    // The closest points come last and without features; they add nothing where faces or edges lie on each other.
    let deepest = |named: bool| {
        let of = points.iter().filter(|p| (p.fid1 != PackedFeatureId::UNKNOWN) == named);
        of.map(|p| p.dist).fold(f64::INFINITY, f64::min)
    };
    let slack = 1e-9 * (1.0 + margin + pose.translation.length());
    let redundant = points.len() > 2 && deepest(true) <= deepest(false) + slack;
    for p in points {
        if p.fid1 == PackedFeatureId::UNKNOWN && redundant || p.dist.is_nan() || p.dist > margin {
            continue;
        }
        push(LocalContact {
            on_first: scale(unit, p.local_p1.to_array()),
            on_second: scale(unit, p.local_p2.to_array()),
            normal: (-manifold.local_n1).to_array(),
            separation: unit * p.dist,
        });
    }
}
