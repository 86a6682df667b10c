//! Obstacles in an export: still, or moving as the scene says.

use super::skin::TexturePoint;
use super::texture;
use crate::Scene;
use crate::contact::{Act, Contact, Obstacle};
use crate::turn::unit_motion;
use collision::Pose;
use model::script::Motion;
use numerics::mat3::{Vec3, add, norm, scale, sub, unit};
use std::path::Path;

/// Parts per quarter turn of round shapes.
const FINENESS: usize = 8;
/// Extent of the ground to each side, in diagonals of the first frame.
const GROUND: f64 = 2.0;

/// An obstacle.
#[derive(Debug, Clone)]
pub(super) struct Prop {
    /// Name: `obstacle-1-plane`.
    pub name: String,
    /// Its points at the beginning [m].
    pub points: Vec<Vec3>,
    /// Its triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates of each corner; empty without.
    pub texture: Vec<[TexturePoint; 3]>,
    motion: Option<Motion>,
}

impl Prop {
    /// Returns the obstacles of a scene whose first frame is within a box [m]; an obstacle that several bodies meet
    /// appears once. Meshes whose files cannot be read are left out and counted.
    pub fn all(scene: &Scene, bounds: [Vec3; 2]) -> (Vec<Prop>, usize) {
        let (mut seen, mut props, mut lost) = (Vec::<(&Obstacle, Option<&Motion>)>::new(), Vec::new(), 0);
        for contact in &scene.contacts {
            let motion = match &contact.act {
                Act::Constraint { motion, .. } | Act::Impulses { motion, .. } => motion.as_ref(),
                _ => None,
            };
            if seen.contains(&(&contact.obstacle, motion)) {
                continue;
            }
            seen.push((&contact.obstacle, motion));
            match Prop::of(contact, &scene.directory, motion, seen.len(), bounds) {
                Some(prop) => props.push(prop),
                None => lost += 1,
            }
        }
        (props, lost)
    }

    fn of(
        contact: &Contact,
        directory: &Path,
        motion: Option<&Motion>,
        number: usize,
        [low, high]: [Vec3; 2],
    ) -> Option<Prop> {
        let (mut points, triangles) = contact.triangles(directory, FINENESS)?;
        let (word, texture) = match &contact.obstacle {
            Obstacle::Plane { normal, .. } => {
                let normal = unit(*normal);
                // A square around the lowest point of the first frame.
                let middle = scale(0.5, add(low, high));
                let corner = *points.first()?;
                let height = (0..3).map(|k| (middle[k] - corner[k]) * normal[k]).sum::<f64>();
                let foot = sub(middle, scale(height, normal));
                let own = scale(1.0 / points.len() as f64, points.iter().fold([0.0; 3], |sum, p| add(sum, *p)));
                let side = norm(sub(corner, own));
                let reach = GROUND * norm(sub(high, low)) + height.abs();
                points.iter_mut().for_each(|p| *p = add(foot, scale(reach / side, sub(*p, own))));
                ("plane", Vec::new())
            }
            Obstacle::Ball { .. } => ("ball", Vec::new()),
            Obstacle::Box { .. } => ("box", Vec::new()),
            Obstacle::Capsule { .. } => ("capsule", Vec::new()),
            Obstacle::Mesh(mesh) => {
                ("mesh", texture::of_file(&directory.join(&mesh.path), &triangles).unwrap_or_default())
            }
        };
        let name = format!("obstacle-{number}-{word}");
        Some(Prop { name, points, triangles, texture, motion: motion.map(unit_motion) })
    }

    /// Returns whether it never moves.
    pub fn is_still(&self) -> bool {
        self.motion.is_none()
    }

    /// Returns the positions of its points at time `t` [m], and their velocities [m/s].
    pub fn at(&self, t: f64) -> impl Iterator<Item = (Vec3, Vec3)> {
        // Motions move space: the pose of the origin determines them. The points are those at the beginning.
        let pose = |motion: &Motion, t: f64| motion.carry(t, &Pose::default());
        let back = self.motion.as_ref().map(|motion| pose(motion, 0.0).inverse());
        self.points.iter().map(move |&point| match (&self.motion, &back) {
            (Some(motion), Some(back)) => motion.at(t, back.point(point)),
            _ => (point, [0.0; 3]),
        })
    }
}
