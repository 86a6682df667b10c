//! Rigid shapes, each in its own frame: distance of points, mass properties, triangles for drawing.

mod cuboid;
mod error;
mod hull;
mod measure;
mod mesh;
mod triangles;

pub use error::ShapeError;
pub use hull::Hull;
pub use measure::Measure;
pub use mesh::Mesh;

use crate::Bounds;
use numerics::mat3::{Vec3, add, norm, scale, sub};

/// A rigid shape in its own frame [m].
#[derive(Debug, Clone)]
pub enum Shape {
    /// Everything below the plane z = 0; its outside is +z.
    HalfSpace,
    /// A ball around the origin.
    Ball {
        /// Its radius [m].
        radius: f64,
    },
    /// A box along the axes around the origin.
    Box {
        /// Half its sides [m].
        half: Vec3,
    },
    /// Everything nearer than the radius to a segment along z around the origin.
    Capsule {
        /// Half the length of the segment [m]; the capsule is longer by the radius at both ends.
        half_length: f64,
        /// Its radius [m].
        radius: f64,
    },
    /// The convex hull of points.
    Hull(Hull),
    /// A surface of triangles, whose outer side sees them counter-clockwise.
    Mesh(Mesh),
}

/// Point of a shape's surface nearest to a given point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Distance of the given point from the surface [m], negative inside.
    pub distance: f64,
    /// Outward unit normal: the gradient of the distance. One of the possible ones where there are several.
    pub normal: Vec3,
    /// Point of the surface, in the frame of the shape [m].
    pub point: Vec3,
}

impl Shape {
    /// Makes the convex hull of points [m].
    pub fn hull(points: &[Vec3]) -> Result<Self, ShapeError> {
        Ok(Shape::Hull(Hull::new(points)?))
    }

    /// Makes a triangle mesh of points [m].
    pub fn mesh(points: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, ShapeError> {
        Ok(Shape::Mesh(Mesh::new(points, triangles)?))
    }

    /// Checks that all sizes are positive numbers; hulls and meshes were checked when they were made.
    pub fn check(&self) -> Result<(), ShapeError> {
        let positive = |what, value: f64| {
            if value > 0.0 && value.is_finite() { Ok(()) } else { Err(ShapeError::Size { what, value }) }
        };
        match self {
            Shape::HalfSpace | Shape::Hull(_) | Shape::Mesh(_) => Ok(()),
            Shape::Ball { radius } => positive("radius", *radius),
            Shape::Box { half } => {
                let names = ["half side x", "half side y", "half side z"];
                names.into_iter().zip(half).try_for_each(|(what, value)| positive(what, *value))
            }
            Shape::Capsule { half_length, radius } => {
                positive("half length", *half_length).and_then(|()| positive("radius", *radius))
            }
        }
    }

    /// Finds the surface nearest to a point of its frame [m]. For meshes see [`Mesh::near`].
    pub fn near(&self, p: Vec3) -> Near {
        match self {
            Shape::HalfSpace => Near { distance: p[2], normal: [0.0, 0.0, 1.0], point: [p[0], p[1], 0.0] },
            Shape::Ball { radius } => around([0.0; 3], *radius, p),
            Shape::Box { half } => cuboid::near(*half, p),
            Shape::Capsule { half_length, radius } => {
                around([0.0, 0.0, p[2].clamp(-half_length, *half_length)], *radius, p)
            }
            Shape::Hull(hull) => hull.near(p),
            Shape::Mesh(mesh) => mesh.near(p),
        }
    }

    /// [`Shape::near`] if the surface is within `reach` [m] of the point, or the point is inside a shape other than a
    /// mesh; else `None`. Faster where most points are far.
    pub fn near_within(&self, p: Vec3, reach: f64) -> Option<Near> {
        match self {
            Shape::Mesh(mesh) => mesh.near_within(p, reach),
            _ => Some(self.near(p)).filter(|near| near.distance <= reach),
        }
    }

    /// [`Shape::near_within`] with a known point of the surface: faster if that is near.
    pub fn near_known(&self, p: Vec3, reach: f64, known: Vec3) -> Option<Near> {
        let tight = (1.0 + 1e-9) * norm(sub(p, known));
        match self {
            // Rounding may put the known point beyond the bound it makes.
            Shape::Mesh(mesh) if tight < reach => mesh.near_within(p, tight).or_else(|| mesh.near_within(p, reach)),
            _ => self.near_within(p, reach),
        }
    }

    /// Returns the box around it in its frame [m].
    pub fn bounds(&self) -> Bounds {
        let centred = |half: Vec3| Bounds { low: half.map(|c| -c), high: half };
        match self {
            Shape::HalfSpace => Bounds { high: [f64::INFINITY, f64::INFINITY, 0.0], ..Bounds::ALL },
            Shape::Ball { radius } => centred([*radius; 3]),
            Shape::Box { half } => centred(*half),
            Shape::Capsule { half_length, radius } => centred([*radius, *radius, half_length + radius]),
            Shape::Hull(hull) => hull.mesh().bounds(),
            Shape::Mesh(mesh) => mesh.bounds(),
        }
    }

    /// Computes volume, centre and inertia.
    pub fn measure(&self) -> Result<Measure, ShapeError> {
        match self {
            Shape::HalfSpace => Err(ShapeError::Endless),
            Shape::Ball { radius } => Ok(Measure::ball(*radius)),
            Shape::Box { half } => Ok(Measure::cuboid(*half)),
            Shape::Capsule { half_length, radius } => Ok(Measure::capsule(*half_length, *radius)),
            Shape::Hull(hull) => Measure::mesh(hull.mesh()),
            Shape::Mesh(mesh) => Measure::mesh(mesh),
        }
    }

    /// Returns points [m] and triangles of the surface, for drawing. Round parts are cut into `fineness` segments per
    /// quarter turn, at least one; a half space is a square with sides of 2 m.
    pub fn triangles(&self, fineness: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        match self {
            Shape::HalfSpace => triangles::square(),
            Shape::Ball { radius } => triangles::capsule(0.0, *radius, fineness),
            Shape::Box { half } => triangles::cuboid(*half),
            Shape::Capsule { half_length, radius } => triangles::capsule(*half_length, *radius, fineness),
            Shape::Hull(hull) => (hull.mesh().points().to_vec(), hull.mesh().triangles().to_vec()),
            Shape::Mesh(mesh) => (mesh.points().to_vec(), mesh.triangles().to_vec()),
        }
    }
}

/// Finds the nearest point of a ball; at its centre, which has no normal, +x is used.
fn around(centre: Vec3, radius: f64, p: Vec3) -> Near {
    let d = sub(p, centre);
    let length = norm(d);
    let normal = if length > 0.0 { scale(1.0 / length, d) } else { [1.0, 0.0, 0.0] };
    Near { distance: length - radius, normal, point: add(centre, scale(radius, normal)) }
}
