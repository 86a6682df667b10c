//! Shapes among the particles: obstacles with prescribed motion, and rigid bodies, which are pushed back.
//!
//! Many particles meet a rigid body at the same time. In a pass each of them assumes the body's mobility times their
//! number, so that their simultaneous pushes do not overshoot.

use super::kernel::Kernel;
use collision::{Bounds, Pose, Shape};
use model::collisions::Collider;
use model::energy::Bodies;
use model::{Fluid, Model};
use numerics::mat3::{Vec3, add, cross, sub};
use rayon::prelude::*;

/// Push on a rigid body [kg m] and its moment about the centre [kg m^2].
pub(super) type Reaction = [Vec3; 2];

/// Owner of a shape.
#[derive(Debug, Clone)]
enum Owner {
    Obstacle(Box<Collider>),
    /// Number of a rigid body, and the frame of its shape in that of the body.
    Rigid(u32, Pose),
}

/// A shape with its poses in a substep.
#[derive(Debug, Clone)]
pub(super) struct Solid {
    owner: Owner,
    shape: Shape,
    pub friction: f64,
    /// Pose at the beginning of the substep, and now.
    poses: [Pose; 2],
    /// Box outside of which the shape has no effect [m].
    bounds: Bounds,
    /// Number of particles near it when the step began.
    crowd: f64,
}

/// A point on the surface of a shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct SurfacePoint {
    /// Distance of a particle from it [m], negative inside.
    pub distance: f64,
    /// Outward unit normal.
    pub normal: Vec3,
    /// Position [m].
    pub point: Vec3,
}

/// All shapes of a model.
#[derive(Debug, Clone, Default)]
pub(super) struct Solids {
    pub all: Vec<Solid>,
    reach: f64,
    pub rigids: usize,
}

impl Solids {
    /// Collects the obstacles of fluids; returns them and their numbers for each fluid.
    pub fn of(fluids: &[Fluid], kernel: &Kernel) -> (Solids, Vec<Vec<u32>>) {
        let mut solids = Solids { reach: 0.75 * kernel.support, ..Solids::default() };
        let numbers = fluids.iter().map(|fluid| {
            let own = fluid.obstacles.iter().map(|obstacle| {
                solids.push(Owner::Obstacle(Box::new(obstacle.clone())), obstacle.shape.clone(), obstacle.friction)
            });
            own.collect()
        });
        let numbers = numbers.collect();
        (solids, numbers)
    }

    /// Adds the rigid bodies of a model and returns their numbers.
    pub fn add_rigids(&mut self, model: &Model) -> Vec<u32> {
        self.rigids = model.rigids().len();
        let rigids = model.rigids().iter().enumerate();
        rigids.map(|(k, r)| self.push(Owner::Rigid(k as u32, r.frame), r.shape.clone(), r.friction)).collect()
    }

    fn push(&mut self, owner: Owner, shape: Shape, friction: f64) -> u32 {
        let poses = [Pose::default(); 2];
        self.all.push(Solid { owner, shape, friction, poses, bounds: Bounds::ALL, crowd: 1.0 });
        self.all.len() as u32 - 1
    }

    /// Sets the poses of every shape in the substep that begins at `t` [s] and lasts `dt` [s].
    pub fn place(&mut self, bodies: &Bodies, t: f64, dt: f64) {
        for solid in &mut self.all {
            solid.poses = match &solid.owner {
                Owner::Obstacle(collider) => [collider.pose_at(t), collider.pose_at(t + dt)],
                Owner::Rigid(k, frame) => {
                    let rotor = &bodies.rotors[*k as usize];
                    let start = bodies.start[rotor.node as usize].0;
                    let before = Pose { position: [start[0], start[1], start[2]], rotation: rotor.start };
                    let now = Pose { position: bodies.centre(*k as usize), rotation: rotor.orientation };
                    [before.compose(frame), now.compose(frame)]
                }
            };
            let bounds = solid.shape.bounds();
            let is_finite = bounds.low.iter().chain(&bounds.high).all(|c| c.is_finite());
            solid.bounds = if is_finite { bounds.posed(&solid.poses[1]).fattened(self.reach) } else { Bounds::ALL };
        }
    }

    /// Counts the particles near each rigid body.
    pub fn count(&mut self, points: &[Vec3]) {
        let reach = self.reach;
        for solid in self.all.iter_mut().filter(|solid| matches!(solid.owner, Owner::Rigid(..))) {
            let near = |&&point: &&Vec3| solid.near(point, reach).is_some();
            let near = points.par_iter().with_min_len(4096).filter(near).count();
            solid.crowd = near.max(1) as f64;
        }
    }
}

impl Solid {
    /// Returns the nearest point of its surface, if it is nearer than a bound [m].
    #[inline]
    pub fn near(&self, x: Vec3, bound: f64) -> Option<SurfacePoint> {
        if self.bounds.squared_distance(x) > 0.0 {
            return None;
        }
        let pose = &self.poses[1];
        let near = self.shape.near_within(pose.local_point(x), bound)?;
        Some(SurfacePoint { distance: near.distance, normal: pose.vector(near.normal), point: pose.point(near.point) })
    }

    /// Returns the displacement in this substep of its material point at a position [m].
    pub fn path(&self, at: Vec3) -> Vec3 {
        let [before, now] = &self.poses;
        sub(at, before.point(now.local_point(at)))
    }

    /// Returns the number of its rigid body.
    pub fn rigid(&self) -> Option<u32> {
        match self.owner {
            Owner::Rigid(k, _) => Some(k),
            Owner::Obstacle(_) => None,
        }
    }

    /// Returns the displacement along `n` by a unit push along `n` at a point, times the number of particles that push
    /// it [1/kg].
    pub fn mobility(&self, bodies: &Bodies, at: Vec3, n: Vec3) -> f64 {
        let of = |k: u32| self.crowd * bodies.mobility(k as usize, sub(at, bodies.centre(k as usize)), n);
        self.rigid().map_or(0.0, of)
    }

    /// Adds a push at a point [kg m] to the reactions on its body.
    pub fn react(&self, bodies: &Bodies, at: Vec3, push: Vec3, reactions: &mut [Reaction]) {
        if let Some(k) = self.rigid() {
            let [force, moment] = &mut reactions[k as usize];
            *force = add(*force, push);
            *moment = add(*moment, cross(sub(at, bodies.centre(k as usize)), push));
        }
    }
}

/// Pushes rigid bodies by the sums over chunks of particles, in the order of chunks.
pub(super) fn push(bodies: &mut Bodies, rigids: usize, reactions: &[Reaction]) {
    for k in 0..rigids {
        let mut sum = [[0.0; 3]; 2];
        for [force, moment] in reactions.iter().skip(k).step_by(rigids) {
            sum = [add(sum[0], *force), add(sum[1], *moment)];
        }
        bodies.push(bodies.rotors[k].node as usize, sum[0]);
        bodies.rotors[k].twist(sum[1]);
    }
}
