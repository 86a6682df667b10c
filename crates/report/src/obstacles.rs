//! What bodies meet, as the page draws it.

use numerics::mat3::Vec3;
use scene::Scene;
use scene::scene::Obstacle;
use serde_json::{Value, json};

/// Parts of a quarter turn that round shapes are cut into.
const FINENESS: usize = 8;

/// An obstacle where the run begins.
#[derive(Debug, Clone, PartialEq)]
pub enum Drawn {
    /// Ground.
    Plane {
        /// A point of it [m].
        point: Vec3,
        /// Its unit normal.
        normal: Vec3,
    },
    /// A ball.
    Ball {
        /// Its centre [m].
        center: Vec3,
        /// Its radius [m].
        radius: f64,
    },
    /// Triangles.
    Mesh {
        /// Their corners [m].
        points: Vec<Vec3>,
        /// The corners of each.
        triangles: Vec<[u32; 3]>,
    },
}

impl Drawn {
    /// The obstacles of a scene; meshes whose files cannot be read are left out.
    pub fn all(scene: &Scene) -> Vec<Drawn> {
        let drawn = scene.contacts.iter().filter_map(|contact| match contact.obstacle {
            Obstacle::Plane { point, normal } => Some(Drawn::Plane { point, normal }),
            Obstacle::Ball { center, radius } => Some(Drawn::Ball { center, radius }),
            _ => contact.triangles(FINENESS).map(|(points, triangles)| Drawn::Mesh { points, triangles }),
        });
        drawn.collect()
    }

    /// What the page reads.
    pub fn to_json(&self) -> Value {
        let short = |p: &Vec3| p.map(|c| c as f32);
        match self {
            Drawn::Plane { point, normal } => json!({ "kind": "plane", "point": point, "normal": normal }),
            Drawn::Ball { center, radius } => json!({ "kind": "ball", "center": center, "radius": radius }),
            Drawn::Mesh { points, triangles } => {
                json!({ "kind": "mesh", "points": points.iter().map(short).collect::<Vec<_>>(), "triangles": triangles })
            }
        }
    }
}
