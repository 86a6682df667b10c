//! Closed triangle surfaces as shapes: a signed distance that tolerates common defects of files.
//!
//! The distance is that of the nearest triangle, the sign that of the winding number (inside above 1/2): small holes
//! are closed by the surface on which it is 1/2; duplicate and intersecting triangles count as often as they occur,
//! which changes nothing; triangles oriented against their neighbours are reversed, and so is a surface that is inside
//! out as a whole.
//!
//! Cost per point: about the logarithm of the number of triangles. Fails on surfaces that are open in large part.

mod error;
mod orient;
pub(crate) mod triangle;
mod winding;

pub use error::SurfaceError;

use numerics::mat3::{Vec3, add, cross, dot, norm, scale, sub};
use rayon::prelude::*;

use self::{
    triangle::{Triangle, area_vector},
    winding::{FAR, Winding},
};
use crate::{
    Distance,
    bvh::{Bvh, around},
};

/// The signed distance of a closed surface of triangles.
pub struct SurfaceDistance {
    triangles: Vec<Triangle>,
    tree: Bvh,
    winding: Winding,
    /// 1, or -1 for a surface that is inside out.
    outward: f64,
    turned: usize,
}

/// Approximate number of triangles at which closedness is tested.
const SAMPLES: usize = 1000;

/// Largest difference of the winding number just inside from 1 (or more where surfaces overlap); beyond it the place is
/// open.
const OPEN: f64 = 0.1;

/// Share of open area above which a surface is refused.
const MOST_OPEN: f64 = 0.2;

impl SurfaceDistance {
    /// Prepares a surface: points [m], triangles counter-clockwise seen from outside (most of them, or none).
    pub fn new(points: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, SurfaceError> {
        for (t, corners) in triangles.iter().enumerate() {
            for &i in corners {
                let point = points.get(i as usize).ok_or(SurfaceError::NodeOutOfRange {
                    triangle: t,
                    node: i,
                    points: points.len(),
                })?;
                if !point.iter().all(|x| x.is_finite()) {
                    return Err(SurfaceError::PointNotFinite { node: i, point: *point });
                }
            }
        }
        let mut oriented = triangles.to_vec();
        let turned = orient::orient(points, &mut oriented);
        // Flat triangles cover nothing, and their edges belong to others too.
        let triangles: Vec<Triangle> = (oriented.iter())
            .map(|t| t.map(|i| points[i as usize]))
            .filter(|triangle| norm(area_vector(triangle)) > 0.0)
            .collect();
        if triangles.is_empty() {
            return Err(SurfaceError::Empty);
        }
        let tree = Bvh::new(triangles.iter().map(|triangle| around(triangle)).collect());
        let winding = Winding::new(&tree, &triangles);
        let [low, high] = tree.bounds();
        let middle = scale(0.5, add(low, high));
        let volume: f64 = (triangles.iter())
            .map(|triangle| triangle.map(|p| sub(p, middle)))
            .map(|[a, b, c]| dot(a, cross(b, c)))
            .sum();
        let surface = SurfaceDistance { triangles, tree, winding, outward: 1.0_f64.copysign(volume), turned };
        surface.check_closed()?;
        Ok(surface)
    }

    /// Returns the number of triangles reversed because they disagreed with their neighbours.
    pub fn turned(&self) -> usize {
        self.turned
    }

    /// Returns the winding number of the surface around a point: 1 inside, 0 outside.
    pub fn winding(&self, point: Vec3) -> f64 {
        self.outward * self.winding.at(&self.tree, &self.triangles, point, FAR)
    }

    /// Refuses surfaces if the winding number below much of their area shows that nothing is enclosed.
    fn check_closed(&self) -> Result<(), SurfaceError> {
        let every = self.triangles.len().div_ceil(SAMPLES);
        let samples: Vec<(f64, f64, Vec3)> = (self.triangles.par_iter().step_by(every))
            .map(|triangle| {
                let normal = area_vector(triangle);
                let area = norm(normal);
                let centre = scale(1.0 / 3.0, add(triangle[0], add(triangle[1], triangle[2])));
                // A thousandth of its size below the triangle.
                let below = scale(-self.outward * 1e-3 / area.sqrt(), normal);
                let winding = self.winding(add(centre, below));
                (area, (winding - winding.round().max(1.0)).abs(), centre)
            })
            .collect();
        let [mut open, mut all] = [0.0, 0.0];
        let mut worst = (0.0, [0.0; 3]);
        for &(area, off, centre) in &samples {
            all += area;
            if off > OPEN {
                open += area;
                if off > worst.0 {
                    worst = (off, centre);
                }
            }
        }
        if open > MOST_OPEN * all {
            return Err(SurfaceError::Open { share: open / all, near: worst.1 });
        }
        Ok(())
    }
}

impl Distance for SurfaceDistance {
    fn at(&self, point: Vec3) -> f64 {
        let nearest =
            self.tree.nearest(point, f64::INFINITY, |i| triangle::squared_distance(&self.triangles[i as usize], point));
        let distance = nearest.map_or(f64::INFINITY, |(_, squared)| squared.sqrt());
        let inside = self.winding.is_inside(&self.tree, &self.triangles, point, self.outward);
        if inside { -distance } else { distance }
    }

    fn bounds(&self) -> [Vec3; 2] {
        self.tree.bounds()
    }
}
