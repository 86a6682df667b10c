//! One contact: kept apart along a normal, held against sliding by friction.
//!
//!   C_n = n . (a - b) + max(d0 - v_max dt, 0) >= 0 (eq. 10, Macklin et al. 2019)
//!   C_f = D^T (a - b) = 0, with |lambda_f| <= mu lambda_n (eq. 11, 12)
//!
//! What is round touches by the point below the middle of its roundness, wherever it has rolled to: a side is a place in the
//! frame of its body, its core, and a radius around it. The path that friction resists is that of the material points that
//! touch now, in this substep, and what earlier substeps have left of theirs, so that what sticks does not creep; what slides lets
//! go of all that friction could not undo. How much that is follows from the load of all contacts of the two bodies: one pass
//! leaves most of it on the corner it comes to first, but the path is that of the whole body. Both pushes act at one point of both
//! bodies, so that they have no moment.

use super::super::constraints::Substep;
use super::core::Core;
use collision::Pose;
use model::Anchor;
use model::energy::Bodies;
use numerics::mat3::{Vec3, add, dot, norm, scale, sub};

/// How much of a load is kept from substep to substep where none is found: in a stack sweeps upwards find one, those downwards none.
const KEPT: f64 = 0.75;

/// One of two that touch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side {
    /// What is pushed, and its core in the frame of the body [m].
    pub core: Core,
    /// Radius around the core [m].
    pub radius: f64,
    /// The obstacle it belongs to, whose motion is given: then the core is in the frame of the obstacle.
    pub obstacle: Option<u32>,
}

/// Where obstacles are when the substep begins and ends.
pub(super) type Obstacles = [[Pose; 2]];

/// What a side belongs to: a kind, and the numbers of a rigid body, an obstacle, a node, or the corners of a face.
pub(super) type Name = [u32; 4];

impl Side {
    /// What it belongs to.
    pub fn name(&self) -> Name {
        match (self.core, self.obstacle) {
            (Core::At(Anchor::World(_)), obstacle) => [0, obstacle.unwrap_or(u32::MAX), 0, 0],
            (Core::At(Anchor::Rigid(k, _)), _) => [1, k, 0, 0],
            (Core::At(Anchor::Node(i)), _) => [2, i, 0, 0],
            (Core::Face([a, b, c], _), _) => [3, a, b, c],
        }
    }

    fn now(&self, bodies: &Bodies, obstacles: &Obstacles) -> Vec3 {
        let place = self.core.place(bodies);
        self.obstacle.map_or(place, |k| obstacles[k as usize][1].point(place))
    }

    fn start(&self, bodies: &Bodies, obstacles: &Obstacles) -> Vec3 {
        let place = self.core.start(bodies);
        self.obstacle.map_or(place, |k| obstacles[k as usize][0].point(place))
    }

    /// How far the material point that is at a place has come in this substep [m].
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

/// Two that touch or may do so within the step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    pub sides: [Side; 2],
    /// The unit normal, from the second side to the first.
    pub normal: Vec3,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// What earlier substeps have left of the path of what sticks [m].
    pub slip: Vec3,
    /// The most that all contacts of the two have pushed by in the last substeps [kg m].
    pub load: f64,
    /// What the contact has pushed by in this substep, along the normal and across [kg m].
    pub pressed: f64,
    pub dragged: Vec3,
    /// The overlap that is left for later substeps [m].
    pub left: f64,
}

impl Touch {
    pub fn across(&self, a: Vec3) -> Vec3 {
        sub(a, scale(dot(a, self.normal), self.normal))
    }

    /// How far the sides are apart along the normal, of their cores at some time.
    fn gap(&self, [a, b]: [Vec3; 2]) -> f64 {
        dot(sub(a, b), self.normal) - self.sides[0].radius - self.sides[1].radius
    }

    /// Where both sides are pushed: below the core of what is round, which rolls along the other; amid two of a kind.
    fn amid(&self, [a, b]: [Vec3; 2]) -> Vec3 {
        let [one, two] = self.sides.map(|side| side.radius);
        let [a, b] = [sub(a, scale(one, self.normal)), add(b, scale(two, self.normal))];
        match (one > 0.0, two > 0.0) {
            (true, false) => a,
            (false, true) => b,
            _ => scale(0.5, add(a, b)),
        }
    }

    /// One pass; overlaps that are there when the substep begins are undone at `speed` [m/s].
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

    /// How far the first side has gone along the second in this substep, at a place.
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

    /// The two that touch.
    pub fn names(&self) -> [Name; 2] {
        self.sides.map(|side| side.name())
    }

    /// The passes of a substep are over: the path that is left is remembered, as far as friction could undo it where all contacts
    /// of the two have pushed by `load` [kg m].
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
        // w is that along a vector of this length.
        let most = self.friction * self.load * w / (length * length);
        self.slip = if length > most { scale(most / length, left) } else { left };
    }
}
