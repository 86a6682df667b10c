//! Contact as a constraint: the surfaces that meet, and the obstacles.

use super::fluid::begun_inside;
use super::nodes::PlacedBodies;
use super::shape::{ShapeError, expect_checksum};
use crate::body::Fill;
use crate::contact::{Act, Contact, Obstacle, ObstacleMesh};
use crate::files::{MeshFile, fill_file};
use crate::problem::Found;
use crate::scene::Scene;
use crate::turn::{Turn, unit_motion};
use collision::{Pose, Shape};
use model::Fluid;
use model::collisions::{Collider, Collisions, Impulses};
use model::mesh::Mesh;
use model::script::Motion;
use numerics::mat3::{Vec3, add, cross, dot, norm, scale, sub, unit};
use numerics::quaternion::{Quaternion, from_axis_angle};
use std::path::Path;

/// Default thickness, relative to the shortest edge.
const THICKNESS: f64 = 0.25;
/// Default thickness where nothing has an edge, relative to the size of everything.
const THICKNESS_OF_POINTS: f64 = 1e-3;
/// Default thickness of fibres, relative to their least diameter.
const THICKNESS_OF_FIBRES: f64 = 3.0;
/// Largest rotation of an obstacle within a step, for impulses [rad].
const MOST_TURN: f64 = 0.5;
/// Largest share of the period of a shaken obstacle within a step, for impulses.
const MOST_OF_PERIOD: f64 = 0.25;

/// Returns the surfaces that meet; `None` where the scene has no contact as a constraint. Fluids get the obstacles that
/// they meet.
pub(super) fn collisions(
    scene: &Scene,
    placed: &mut PlacedBodies,
    fluids: &mut [Fluid],
    found: &mut Found,
) -> Option<Collisions> {
    let is_hard = |act: &Act| matches!(act, Act::Constraint { .. } | Act::Impulses { .. });
    if scene.collisions.is_none() && !scene.contacts.iter().any(|contact| is_hard(&contact.act)) {
        return None;
    }
    let by_impulses = scene.meets_by_impulses();
    let mesh = &placed.all;
    let [mut in_tet, mut in_face] = [vec![false; mesh.points.len()], vec![false; mesh.points.len()]];
    mesh.tets.as_flattened().iter().for_each(|&i| in_tet[i as usize] = true);
    let mut triangles = mesh.boundary_triangles();
    triangles.extend(mesh.triangles.iter().filter(|nodes| !placed.is_rigid(nodes[0])));
    triangles.as_flattened().iter().for_each(|&i| in_face[i as usize] = true);
    // Edges inside tets touch nothing.
    let edges: Vec<[u32; 2]> =
        mesh.edges.iter().filter(|nodes| !nodes.iter().any(|&i| in_tet[i as usize])).copied().collect();
    let mut used = in_face.clone();
    edges.as_flattened().iter().for_each(|&i| used[i as usize] = true);
    let is_outside = |i: &u32| in_face[*i as usize] || !in_tet[*i as usize];
    // Particles of fluids meet bodies through their densities.
    let of_bodies = placed.ranges[..scene.bodies.len()].last().map_or(0, |range| range.nodes.end as u32);
    // Fibres meet nothing as a constraint; impulses act on their rings.
    let of_fibres = of_bodies..placed.lines.nodes.end.max(of_bodies as usize) as u32;
    let points = (0..of_bodies).filter(|i| is_outside(i) && !used[*i as usize]).collect();

    let said = scene.collisions.as_ref();
    let thickness = said.and_then(|c| c.thickness).unwrap_or_else(|| {
        let thin = placed.lines.thickness.iter().copied().fold(f64::INFINITY, f64::min);
        let of_fibres = if by_impulses { THICKNESS_OF_FIBRES * thin } else { f64::INFINITY };
        match triangles.is_empty() && edges.is_empty() && of_fibres.is_finite() {
            true => of_fibres,
            false => default_thickness(mesh, &triangles, &edges).min(of_fibres),
        }
    });
    if by_impulses && said.is_some_and(|c| c.thickness.is_some()) {
        refuse_thin(scene, placed, thickness, found);
    }
    let mut body = vec![0; mesh.points.len()];
    for (k, range) in placed.ranges.iter().enumerate() {
        body[range.nodes.clone()].fill(k as u32);
    }
    // The particles of a fluid are numbered consecutively.
    let is_of = |fluid: &Fluid, i: &u32| fluid.nodes.first() <= Some(i) && Some(i) <= fluid.nodes.last();
    let mut colliders = Vec::new();
    for contact in &scene.contacts {
        let (friction, restitution, motion) = match &contact.act {
            Act::Constraint { friction, motion } => (*friction, 0.0, motion),
            Act::Impulses { friction, restitution, motion } => (*friction, *restitution, motion),
            _ => continue,
        };
        let made = shape(&contact.obstacle, &scene.directory, &mut placed.files);
        let made = made.map_err(|error| found.add(&contact.at, error));
        let Some(nodes) = placed.nodes(&contact.on, found) else { continue };
        placed.refuse_parts(&nodes, scene.bodies.len() + scene.fibres.len(), &contact.on.at, found);
        let rigids = placed.rigids_among(&nodes);
        let (particles, nodes): (Vec<u32>, Vec<u32>) = placed
            .not_rigid(nodes)
            .into_iter()
            .filter(|i| of_fibres.contains(i) && by_impulses || is_outside(i) && !of_fibres.contains(i))
            .partition(|&i| i >= of_fibres.end);
        let Ok((shape, pose)) = made else { continue };
        if let Some(problem) = motion.as_ref().filter(|_| by_impulses).and_then(|m| too_fast(m, scene.integrator.step))
        {
            found.add(&contact.at, problem);
        }
        let collider =
            Collider { shape, pose, motion: motion.as_ref().map(unit_motion), friction, restitution, nodes, rigids };
        let points = particles.iter().map(|&i| placed.all.points[i as usize]);
        if let Some(problem) = begun_inside(&collider.shape, &collider.pose_at(0.0), points) {
            found.add(&contact.at, problem);
        }
        // A fluid meets it as a whole, and keeps its own distance.
        for fluid in fluids.iter_mut().filter(|fluid| particles.iter().any(|i| is_of(fluid, i))) {
            fluid.obstacles.push(Collider { nodes: vec![], rigids: vec![], ..collider.clone() });
        }
        colliders.push(collider);
    }
    Some(Collisions {
        triangles,
        edges,
        points,
        body,
        thickness,
        margin: said.and_then(|c| c.margin).unwrap_or(thickness),
        friction: said.map_or(0.0, |c| c.friction),
        impulses: by_impulses.then(|| Impulses {
            restitution: said.map_or(0.0, |c| c.restitution),
            moves_bodies: said.is_some_and(|c| c.moves_bodies),
            ..centre_lines(placed)
        }),
        max_separation_speed: said.and_then(|c| c.max_separation_speed).unwrap_or(thickness / scene.integrator.step),
        within: said.is_some_and(|c| c.within),
        between: said.is_some_and(|c| c.between),
        colliders,
    })
}

/// Reports bodies of tets that are thinner than twice the thickness: their sides would push each other apart.
fn refuse_thin(scene: &Scene, placed: &PlacedBodies, thickness: f64, found: &mut Found) {
    for (range, mesh) in placed.ranges.iter().zip(&placed.meshes).filter(|(_, mesh)| !mesh.tets.is_empty()) {
        let side = |c: usize| {
            let all = || mesh.points.iter().map(|p| p[c]);
            all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min)
        };
        let thin = (0..3).map(side).fold(f64::INFINITY, f64::min);
        if thin < 2.0 * thickness {
            let message = format!(
                "body \"{}\" is {} m thin, less than twice the thickness of contact; use at most {:.1e} m",
                range.name,
                (1e6 * thin).round() / 1e6,
                0.5 * thin
            );
            found.add(&scene.span("collisions.thickness"), message);
        }
    }
}

/// Returns the reason why the motion of an obstacle cannot be followed with steps of this length [s].
fn too_fast(motion: &Motion, step: f64) -> Option<String> {
    match motion {
        Motion::Rotation { rate, .. } if rate.abs() * step > MOST_TURN => Some(format!(
            "it turns by {} rad within a step of {step} s, and points are followed on straight ways; use steps of at most {:.1e} s",
            (1e3 * rate.abs() * step).round() / 1e3,
            MOST_TURN / rate.abs()
        )),
        Motion::Shake { frequency, .. } if frequency * step > MOST_OF_PERIOD => Some(format!(
            "it shakes {} times within a step of {step} s; use steps of at most {:.1e} s",
            (1e3 * frequency * step).round() / 1e3,
            MOST_OF_PERIOD / frequency
        )),
        _ => None,
    }
}

/// Returns the centre lines of the fibres, for impulses.
fn centre_lines(placed: &PlacedBodies) -> Impulses {
    let lines = &placed.lines;
    let ring = |node: usize| std::array::from_fn(|k| (node + k) as u32);
    let rings = lines.nodes.clone().step_by(4).map(ring).collect();
    Impulses { rings, segments: lines.segments().collect(), ..Impulses::default() }
}

fn default_thickness(mesh: &Mesh, triangles: &[[u32; 3]], edges: &[[u32; 2]]) -> f64 {
    let length = |[a, b]: [u32; 2]| norm(sub(mesh.points[a as usize], mesh.points[b as usize]));
    let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let lengths = sides.chain(edges.iter().copied()).map(length).filter(|length| *length > 0.0);
    let shortest = lengths.fold(f64::INFINITY, f64::min);
    let size = mesh.diagonal();
    match shortest.is_finite() {
        true => THICKNESS * shortest,
        false => THICKNESS_OF_POINTS * if size > 0.0 { size } else { 1.0 },
    }
}

impl Contact {
    /// Returns points [m] and triangles of the obstacle at the beginning of the run, for drawing; `None` if its file
    /// cannot be read. Round parts are cut into `fineness` parts per quarter turn; relative paths start from
    /// `directory`.
    pub fn triangles(&self, directory: &Path, fineness: usize) -> Option<(Vec<Vec3>, Vec<[u32; 3]>)> {
        let (shape, pose) = shape(&self.obstacle, directory, &mut Vec::new()).ok()?;
        let pose = match &self.act {
            Act::Constraint { motion: Some(motion), .. } | Act::Impulses { motion: Some(motion), .. } => {
                unit_motion(motion).carry(0.0, &pose)
            }
            _ => pose,
        };
        let (points, triangles) = shape.triangles(fineness);
        Some((points.into_iter().map(|p| pose.point(p)).collect(), triangles))
    }
}

/// Returns an obstacle as a shape in its frame, or the reason why it has none.
fn shape(obstacle: &Obstacle, directory: &Path, files: &mut Vec<MeshFile>) -> Result<(Shape, Pose), String> {
    let turned = |center: Vec3, turn: Option<Turn>| {
        let (axis, angle) = Turn::radians(turn);
        Pose::new(center, from_axis_angle(axis, angle))
    };
    let (shape, pose) = match obstacle {
        Obstacle::Plane { point, normal } => (Shape::HalfSpace, Pose::new(*point, from_z(unit(*normal)))),
        Obstacle::Ball { center, radius } => (Shape::Ball { radius: *radius }, Pose::at(*center)),
        Obstacle::Box { center, size, rotation } => {
            (Shape::Box { half: scale(0.5, *size) }, turned(*center, *rotation))
        }
        Obstacle::Capsule { from, to, radius } => {
            let (along, middle) = (sub(*to, *from), scale(0.5, add(*from, *to)));
            let (half_length, radius) = (0.5 * norm(along), *radius);
            match half_length > 0.0 {
                true => (Shape::Capsule { half_length, radius }, Pose::new(middle, from_z(along))),
                false => (Shape::Ball { radius }, Pose::at(middle)),
            }
        }
        Obstacle::Mesh(mesh) => (surface(mesh, directory, files)?, turned(mesh.position, mesh.rotation)),
    };
    shape.check().map_err(|error| error.to_string())?;
    Ok((shape, pose))
}

/// Returns the surface of a mesh file; for tets, their boundary.
fn surface(mesh: &ObstacleMesh, directory: &Path, files: &mut Vec<MeshFile>) -> Result<Shape, String> {
    let path = directory.join(&mesh.path);
    let fill = Fill { vertices: mesh.vertices, ..Fill::default() };
    let read = fill_file(&path, &fill, &|_| {}).map_err(ShapeError::File);
    let checked = read.and_then(|(made, file)| {
        expect_checksum(&path, mesh.checksum.as_deref(), &file)?;
        Ok((made.mesh, file))
    });
    let (made, file) = checked.map_err(|error| error.to_string())?;
    let triangles = if made.tets.is_empty() { made.triangles.clone() } else { made.boundary_triangles() };
    // Points without a triangle are not part of the surface.
    let mut number = vec![u32::MAX; made.points.len()];
    let mut points = Vec::new();
    for &i in triangles.as_flattened() {
        if let Some(number) = number.get_mut(i as usize).filter(|number| **number == u32::MAX) {
            *number = points.len() as u32;
            points.push(scale(mesh.scale, made.points[i as usize]));
        }
    }
    let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|i| number[i as usize])).collect();
    let shape = Shape::mesh(&points, &triangles).map_err(|error| format!("{}: {error}", path.display()))?;
    if !files.iter().any(|known| known.path == path) {
        files.push(file);
    }
    Ok(shape)
}

/// Returns a rotation that takes +z to a direction.
fn from_z(direction: Vec3) -> Quaternion {
    let z = [0.0, 0.0, 1.0];
    let axis = cross(z, direction);
    let angle = norm(axis).atan2(dot(z, direction));
    from_axis_angle(if norm(axis) > 0.0 { axis } else { [1.0, 0.0, 0.0] }, angle)
}
