//! Obstacles of bodies, as the page draws them.

use collision::Pose;
use model::script::Motion;
use numerics::mat3::{Vec3, unit};
use scene::contact::{Act, Obstacle};
use scene::{Scene, unit_motion};
use serde_json::{Value, json};

/// Segments per quarter turn of round shapes.
const FINENESS: usize = 8;
/// Poses per second of a moving obstacle, and their limit.
const RATE: f64 = 60.0;
const MOST_POSES: f64 = 3000.0;

/// An obstacle: its look and its motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// Its look.
    pub look: Look,
    /// Its motion, if it moves.
    pub way: Option<Way>,
}

/// Poses of an obstacle at equal intervals, from the beginning on.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// Poses per second [1/s].
    pub rate: f64,
    /// Poses relative to the drawn one.
    pub poses: Vec<Pose>,
}

/// Look of an obstacle at the beginning of the run.
#[derive(Debug, Clone, PartialEq)]
pub enum Look {
    /// Ground.
    Plane {
        /// A point of it [m].
        point: Vec3,
        /// Unit normal.
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
    /// Collects the obstacles of a scene; meshes whose files cannot be read are left out.
    pub fn all(scene: &Scene) -> Vec<Drawn> {
        let drawn = scene.contacts.iter().filter_map(|contact| {
            // Triangles are at the motion's pose of the beginning; planes and balls are at the pose before the motion.
            let (look, first) = match contact.obstacle {
                Obstacle::Plane { point, normal } => (Look::Plane { point, normal: unit(normal) }, None),
                Obstacle::Ball { center, radius } => (Look::Ball { center, radius }, None),
                _ => {
                    let (points, triangles) = contact.triangles(&scene.directory, FINENESS)?;
                    (Look::Mesh { points, triangles }, Some(0.0))
                }
            };
            let way = match &contact.act {
                Act::Constraint { motion: Some(motion), .. } | Act::Impulses { motion: Some(motion), .. } => {
                    Some(Way::of(&unit_motion(motion), first, scene.run.duration))
                }
                _ => None,
            };
            Some(Drawn { look, way })
        });
        drawn.collect()
    }

    /// Returns the JSON for the page.
    pub fn to_json(&self) -> Value {
        let short = |p: &Vec3| p.map(|c| c as f32);
        let mut json = match &self.look {
            Look::Plane { point, normal } => json!({ "kind": "plane", "point": point, "normal": normal }),
            Look::Ball { center, radius } => json!({ "kind": "ball", "center": center, "radius": radius }),
            Look::Mesh { points, triangles } => {
                json!({ "kind": "mesh", "points": points.iter().map(short).collect::<Vec<_>>(), "triangles": triangles })
            }
        };
        if let Some(Way { rate, poses }) = &self.way {
            // The page has the real part last.
            let numbers = |Pose { position: [x, y, z], rotation: [w, a, b, c] }: &Pose| {
                [x, y, z, a, b, c, w].map(|number| *number as f32)
            };
            json["way"] = json!({ "rate": rate, "places": poses.iter().map(numbers).collect::<Vec<_>>() });
        }
        json
    }
}

impl Way {
    /// Samples a motion for some time [s], relative to its pose at `first` [s], or to the pose before the motion.
    fn of(motion: &Motion, first: Option<f64>, duration: f64) -> Way {
        let rate = RATE.min(MOST_POSES / duration);
        // Motions move all of space: the pose of the origin describes them.
        let at = |t: f64| motion.carry(t, &Pose::default());
        let back = first.map_or(Pose::default(), |t| at(t).inverse());
        let count = (duration * rate).ceil() as usize;
        Way { rate, poses: (0..=count).map(|k| at(k as f64 / rate).compose(&back)).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_has_a_way_that_ends_where_the_motion_does() {
        let text = r#"
[run]
duration = 2.0
[integrator]
method = "small-steps"
step = 0.01
[[body]]
shape = { generator = "cloth" }
springs = { stiffness = 10.0 }
node_mass = 0.1
[[contact]]
kind = "constraint"
obstacle = { box = { center = [1.0, 0.0, 0.0], size = 0.2 } }
motion = { kind = "rotation", center = [0.0, 0.0, 0.0], axis = [0.0, 0.0, 1.0], rate = 1.0, end = 1.5707963267948966 }
[[contact]]
kind = "constraint"
obstacle = { ball = { center = [1.0, 0.0, 0.0], radius = 0.1 } }
motion = { kind = "keyframes", times = [0.0, 1.0], offsets = [[0.0, 0.0, 1.0], [0.0, 0.0, 3.0]] }
[[contact]]
kind = "constraint"
obstacle = { plane = { point = [0.0, 0.0, -1.0], normal = [0.0, 0.0, 1.0] } }
"#;
        let drawn = Drawn::all(&Scene::parse("test", text).unwrap_or_else(|problems| panic!("{problems}")));
        let ends = |k: usize| {
            let poses = &drawn[k].way.as_ref().unwrap().poses;
            [poses[0], poses[poses.len() - 1]].map(|pose| pose.point([1.0, 0.0, 0.0]))
        };
        let near = |a: Vec3, b: Vec3| (0..3).all(|c| (a[c] - b[c]).abs() < 1e-9);
        assert!(near(ends(0)[0], [1.0, 0.0, 0.0]) && near(ends(0)[1], [0.0, 1.0, 0.0]), "{:?}", ends(0));
        assert!(near(ends(1)[0], [1.0, 0.0, 1.0]) && near(ends(1)[1], [1.0, 0.0, 3.0]), "{:?}", ends(1));
        assert!(drawn[2].way.is_none() && drawn[2].to_json().get("way").is_none());
        assert_eq!(drawn[1].to_json()["way"]["places"][0], json!([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]));
    }
}
