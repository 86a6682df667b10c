//! Convex hulls.

use super::{Measure, Mesh, Near, ShapeError};
use crate::Bounds;
use crate::unit::unit_below;
use numerics::mat3::{Vec3, norm, sub};
use parry3d_f64::math::Vector;
use parry3d_f64::shape::ConvexPolyhedron;
use parry3d_f64::transformation::try_convex_hull;

/// Thickness over length below which a hull counts as flat.
const FLAT: f64 = 1e-6;

/// The convex hull of points: a closed mesh facing outwards, of the points that are corners.
#[derive(Debug, Clone)]
pub struct Hull {
    mesh: Mesh,
    /// The same in a unit in which its size is about 1, because the tolerances of its library are absolute.
    polyhedron: ConvexPolyhedron,
    /// Unit of the polyhedron, a power of two [m].
    unit: f64,
}

impl Hull {
    /// Computes the hull of points [m]; points inside are left out.
    pub fn new(points: &[Vec3]) -> Result<Self, ShapeError> {
        if let Some(point) = points.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            return Err(ShapeError::PointNotFinite { point });
        }
        let mut distinct: Vec<Vec3> = points.iter().map(|p| p.map(|c| c + 0.0)).collect(); // -0 becomes 0
        distinct.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        distinct.dedup();
        if distinct.len() < 4 {
            return Err(ShapeError::TooFewPoints { points: distinct.len() });
        }
        let thickness = thickness(&distinct);
        if thickness.is_nan() || thickness <= FLAT {
            return Err(ShapeError::Flat { thickness });
        }
        let Bounds { low, high } = Bounds::around(distinct.iter().copied());
        let unit = unit_below(0.5 * sub(high, low).into_iter().fold(0.0, f64::max));
        let vectors: Vec<Vector> = distinct.iter().map(|p| Vector::from_array(*p) / unit).collect();
        let no_hull = |reason: String| ShapeError::NoHull { reason };
        let (corners, triangles) = try_convex_hull(&vectors).map_err(|e| no_hull(e.to_string()))?;
        let polyhedron = ConvexPolyhedron::from_convex_mesh(corners.clone(), &triangles)
            .ok_or_else(|| no_hull("its triangles do not fit together".into()))?;
        let corners: Vec<Vec3> = corners.iter().map(|p| (unit * *p).to_array()).collect();
        let mesh = Mesh::new(&corners, &triangles)?;
        Measure::mesh(&mesh)?; // closed, and not inside out
        Ok(Hull { mesh, polyhedron, unit })
    }

    /// Returns the surface [m].
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Finds the surface nearest to a point [m].
    pub fn near(&self, p: Vec3) -> Near {
        self.mesh.near(p)
    }

    /// Returns the hull of size about 1, and its unit [m].
    pub(crate) fn polyhedron(&self) -> (&ConvexPolyhedron, f64) {
        (&self.polyhedron, self.unit)
    }
}

/// Returns the extent across the plane of three far points over the extent along it.
fn thickness(points: &[Vec3]) -> f64 {
    use numerics::mat3::{cross, dot};
    let farthest = |measure: &dyn Fn(Vec3) -> f64| {
        points.iter().fold((points[0], 0.0), |best, p| if measure(*p) > best.1 { (*p, measure(*p)) } else { best })
    };
    let a = points[0];
    let (b, length) = farthest(&|p| norm(sub(p, a)));
    let (c, area) = farthest(&|p| norm(cross(sub(b, a), sub(p, a))));
    let normal = cross(sub(b, a), sub(c, a));
    let (_, volume) = farthest(&|p| dot(normal, sub(p, a)).abs());
    if area > 0.0 { volume / area / length } else { 0.0 }
}
