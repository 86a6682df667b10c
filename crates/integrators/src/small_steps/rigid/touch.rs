//! A single contact: separation along a normal, and friction against sliding.
//!
//!   C_n = n . (a - b) + max(d0 - v_max dt, 0) >= 0 (eq. 10, Macklin et al. 2019)
//!   C_f = D^T (a - b) = 0, with |lambda_f| <= mu lambda_n (eq. 11, 12)
//!
//! A round body touches with the point below its core, wherever it has rolled to: a side is a core, which is a point in
//! the frame of its body, and a radius around it. Friction resists the displacement of the material points now in
//! contact, in this substep, plus the part left by earlier substeps, so that sticking contacts do not creep. A sliding
//! contact drops whatever friction could not undo. That limit follows from the load of all contacts of the two bodies:
//! one pass leaves most of the load on the corner it reaches first, but the displacement is that of the whole body.
//! Both pushes act at one common point, so they have no moment.

use super::super::constraints::Substep;
use super::core::Core;
use collision::Pose;
use model::Anchor;
use model::energy::Bodies;
use numerics::mat3::{Vec3, add, dot, norm, scale, sub};

/// Share of a load kept from substep to substep where none is found: in a stack upward sweeps find one, downward sweeps
/// none.
const KEPT: f64 = 0.75;

/// One of the two sides of a contact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side {
    /// Object that is pushed, and its core in the frame of the body [m].
    pub core: Core,
    /// Radius around the core [m].
    pub radius: f64,
    /// Obstacle it belongs to, with prescribed motion: then the core is in the frame of the obstacle.
    pub obstacle: Option<u32>,
}

/// Poses of obstacles at the beginning and end of the substep.
pub(super) type Obstacles = [[Pose; 2]];

/// Owner of a side: a kind, and the numbers of a rigid body, an obstacle, a node, or the corners of a face.
pub(super) type Name = [u32; 4];

impl Side {
    /// Returns its owner.
    pub fn name(&self) -> Name {
        match (self.core, self.obstacle) {
            (Core::At(Anchor::World(_)), obstacle) => [0, obstacle.unwrap_or(u32::MAX), 0, 0],
            (Core::At(Anchor::Rigid(k, _)), _) => [1, k, 0, 0],
            (Core::At(Anchor::Node(i)), _) => [2, i, 0, 0],
            (Core::Face([a, b, c], _), _) => [3, a, b, c],
        }
    }

    fn now(&self, bodies: &Bodies, obstacles: &Obstacles) -> Vec3 {
        let point = self.core.position(bodies);
        self.obstacle.map_or(point, |k| obstacles[k as usize][1].point(point))
    }

    fn start(&self, bodies: &Bodies, obstacles: &Obstacles) -> Vec3 {
        let point = self.core.start(bodies);
        self.obstacle.map_or(point, |k| obstacles[k as usize][0].point(point))
    }

    /// Returns the displacement in this substep of the material point at a position [m].
    fn path(&self, at: Vec3, bodies: &Bodies, obstacles: &Obstacles) -> Vec3 {
        match self.obstacle {
            Some(k) => {
                let [before, now] = &obstacles[k as usize];
                sub(at, before.point(now.local_point(at)))
            }
            None => self.core.path(bodies, at),
        }
    }
}

/// Two sides that touch or may touch within the step.
#[derive(Debug, Clone, Copy)]
pub(super) struct RigidTouch {
    pub sides: [Side; 2],
    /// Unit normal, from the second side to the first.
    pub normal: Vec3,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Displacement of a sticking contact left by earlier substeps [m].
    pub slip: Vec3,
    /// Largest push of all contacts of the two in the last substeps [kg m].
    pub load: f64,
    /// Pushes of the contact in this substep, along the normal and tangential [kg m].
    pub pressed: f64,
    pub dragged: Vec3,
    /// Overlap left for later substeps [m].
    pub left: f64,
}

impl RigidTouch {
    pub fn across(&self, a: Vec3) -> Vec3 {
        sub(a, scale(dot(a, self.normal), self.normal))
    }

    /// Returns the distance of the sides along the normal, with their cores at these positions.
    fn gap(&self, [a, b]: [Vec3; 2]) -> f64 {
        dot(sub(a, b), self.normal) - self.sides[0].radius - self.sides[1].radius
    }

    /// Returns the point where both sides are pushed: below the core of a round side, which rolls on the other; midway
    /// between two of a kind.
    fn amid(&self, [a, b]: [Vec3; 2]) -> Vec3 {
        let [one, two] = self.sides.map(|side| side.radius);
        let [a, b] = [sub(a, scale(one, self.normal)), add(b, scale(two, self.normal))];
        match (one > 0.0, two > 0.0) {
            (true, false) => a,
            (false, true) => b,
            _ => scale(0.5, add(a, b)),
        }
    }

    /// Runs one pass; overlaps present at the beginning of the substep are removed at `speed` [m/s].
    pub fn relax(&mut self, bodies: &mut Bodies, obstacles: &Obstacles, substep: &Substep, speed: f64) {
        let [one, two] = self.sides;
        if substep.pass == 0 {
            let overlap = -self.gap([one, two].map(|side| side.start(bodies, obstacles)));
            self.left = (overlap - speed * substep.dt).max(0.0);
            (self.pressed, self.dragged) = (0.0, [0.0; 3]);
        }
        let n = self.normal;
        let cores = [one, two].map(|side| side.now(bodies, obstacles));
        let at = self.amid(cores);
        let resistance = |bodies: &Bodies, along: Vec3| -> f64 {
            [one, two].iter().map(|side| side.core.mobility(bodies, at, along)).sum()
        };
        let w = resistance(bodies, n);
        if w <= 0.0 {
            return;
        }
        let pressed = (self.pressed - (self.gap(cores) + self.left) / w).max(0.0);
        let more = std::mem::replace(&mut self.pressed, pressed);
        self.push(bodies, at, scale(pressed - more, n));
        if self.friction > 0.0 && (self.pressed > 0.0 || self.dragged != [0.0; 3]) {
            self.hold(bodies, obstacles, at, resistance);
        }
    }

    fn hold(&mut self, bodies: &mut Bodies, obstacles: &Obstacles, at: Vec3, w: impl Fn(&Bodies, Vec3) -> f64) {
        let path = add(self.path_at(bodies, obstacles, at), self.slip);
        let length = norm(path);
        let wanted = if length > 0.0 {
            let along = scale(1.0 / length, path);
            sub(self.dragged, scale(length / w(bodies, along), along))
        } else {
            self.dragged
        };
        let (most, drag) = (self.friction * self.pressed, norm(wanted));
        let dragged = if drag > most { scale(most / drag, wanted) } else { wanted };
        let before = std::mem::replace(&mut self.dragged, dragged);
        self.push(bodies, at, sub(dragged, before));
    }

    /// Returns the tangential displacement of the first side relative to the second in this substep, at a position.
    fn path_at(&self, bodies: &Bodies, obstacles: &Obstacles, at: Vec3) -> Vec3 {
        let [a, b] = self.sides.map(|side| side.path(at, bodies, obstacles));
        self.across(sub(a, b))
    }

    fn push(&self, bodies: &mut Bodies, at: Vec3, p: Vec3) {
        if p != [0.0; 3] {
            self.sides[0].core.push(bodies, at, p);
            self.sides[1].core.push(bodies, at, p.map(|c| -c));
        }
    }

    /// Returns the names of the two sides.
    pub fn names(&self) -> [Name; 2] {
        self.sides.map(|side| side.name())
    }

    /// Ends a substep: remembers the slip left, as far as friction could undo it where all contacts of the two have
    /// pushed by `load` [kg m].
    pub fn end(&mut self, bodies: &Bodies, obstacles: &Obstacles, load: f64) {
        self.load = load.max(KEPT * self.load);
        if self.load <= 0.0 || self.friction <= 0.0 {
            self.slip = [0.0; 3];
            return;
        }
        let at = self.amid(self.sides.map(|side| side.now(bodies, obstacles)));
        let left = add(self.slip, self.path_at(bodies, obstacles, at));
        let length = norm(left);
        let w: f64 = self.sides.iter().map(|side| side.core.mobility(bodies, at, left)).sum();
        // w belongs to a vector of this length.
        let most = self.friction * self.load * w / (length * length);
        self.slip = if length > most { scale(most / length, left) } else { left };
    }
}
