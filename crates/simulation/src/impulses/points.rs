//! Points that collide: nodes of surfaces, and the rings of fibres.
//!
//! A ring counts as one point, the mean of its four nodes, with their mass. A push moves all four alike: on nodes of equal
//! mass that is exactly the push on their centre of mass.

use model::collisions::Collisions;
use model::energy::Quad;
use model::{Model, State};
use numerics::mat3::{Vec3, dot, norm, sub};
use rayon::prelude::*;

/// Points per task.
const POINTS_PER_TASK: usize = 4096;

/// Points in the order of their first nodes; single nodes before rings.
pub(super) struct Points {
    /// Nodes of each point; a single node four times, so that the mean is exact.
    pub nodes: Vec<[u32; 4]>,
    /// Body of each.
    pub body: Vec<u32>,
    /// Positions at rest [m].
    pub rest: Vec<f64>,
    /// Positions before the step [m].
    pub start: Vec<f64>,
    /// Positions after it [m]: start plus shift.
    pub end: Vec<f64>,
    /// Displacement in the step [m], and the inverse mass [1/kg], zero for points that are held.
    pub shift: Vec<Quad>,
    /// Velocity after the step [m/s], and the inverse mass.
    pub speed: Vec<Quad>,
    /// Shift and velocity as the method left them, and the velocity before the step.
    pub free: Vec<[Vec3; 3]>,
    /// Length of the way that the end has been moved by contacts [m].
    pub travel: Vec<f64>,
    /// Last pass over contacts that has moved it.
    pub stirred: Vec<u32>,
}

/// Features of points, by their numbers.
pub(super) struct Features {
    pub triangles: Vec<[u32; 3]>,
    pub edges: Vec<[u32; 2]>,
    pub points: Vec<u32>,
}

impl Points {
    /// Collects the points of a model, and the features in their numbers; also returns the point of each node, or
    /// `u32::MAX`.
    pub fn new(model: &Model, collisions: &Collisions) -> (Points, Features, Vec<u32>) {
        let mut used = vec![false; model.nodes()];
        let singles = collisions.triangles.as_flattened().iter().chain(collisions.edges.as_flattened());
        singles.chain(&collisions.points).for_each(|&i| used[i as usize] = true);
        let mut point_of = vec![u32::MAX; model.nodes()];
        let mut nodes: Vec<[u32; 4]> = Vec::new();
        for i in (0..model.nodes()).filter(|&i| used[i]) {
            point_of[i] = nodes.len() as u32;
            nodes.push([i as u32; 4]);
        }
        let first_ring = nodes.len() as u32;
        let (rings, segments) = match &collisions.impulses {
            Some(impulses) => (impulses.rings.as_slice(), impulses.segments.as_slice()),
            None => Default::default(),
        };
        for ring in rings {
            ring.iter().for_each(|&i| point_of[i as usize] = nodes.len() as u32);
            nodes.push(*ring);
        }
        let of = |i: u32| point_of[i as usize];
        let features = Features {
            triangles: collisions.triangles.iter().map(|t| t.map(of)).collect(),
            edges: collisions
                .edges
                .iter()
                .map(|e| e.map(of))
                .chain(segments.iter().map(|segment| segment.map(|ring| first_ring + ring)))
                .collect(),
            points: collisions.points.iter().map(|&i| of(i)).collect(),
        };
        let inverse = |point: &[u32; 4]| {
            let mass: f64 = match is_single(point) {
                true => model.node_mass()[point[0] as usize],
                false => point.iter().map(|&i| model.node_mass()[i as usize]).sum(),
            };
            if point.iter().all(|&i| (i as usize) < model.free_nodes()) { 1.0 / mass } else { 0.0 }
        };
        let still: Vec<Quad> = nodes.iter().map(|point| Quad([0.0, 0.0, 0.0, inverse(point)])).collect();
        let rest: Vec<f64> = nodes.iter().flat_map(|point| mean(point, model.rest())).collect();
        let points = Points {
            body: nodes.iter().map(|point| collisions.body[point[0] as usize]).collect(),
            start: rest.clone(),
            end: rest.clone(),
            rest,
            shift: still.clone(),
            speed: still,
            free: vec![[[0.0; 3]; 3]; nodes.len()],
            travel: vec![0.0; nodes.len()],
            stirred: vec![0; nodes.len()],
            nodes,
        };
        (points, features, point_of)
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the nodes of a point, each once.
    pub fn nodes_of(&self, point: usize) -> &[u32] {
        nodes_of(&self.nodes[point])
    }

    /// Returns true if the point is held or scripted.
    pub fn is_held(&self, point: u32) -> bool {
        self.shift[point as usize].0[3] == 0.0
    }

    /// Returns the position before the step [m].
    pub fn at(&self, point: u32) -> Vec3 {
        let i = 3 * point as usize;
        [self.start[i], self.start[i + 1], self.start[i + 2]]
    }

    /// Returns the displacement in the step [m].
    pub fn way(&self, point: u32) -> Vec3 {
        let Quad([x, y, z, _]) = self.shift[point as usize];
        [x, y, z]
    }

    /// Reads the states before and after a step.
    pub fn read(&mut self, before: &State, after: &State) {
        let Points { nodes, start, end, shift, speed, free, travel, stirred, .. } = self;
        travel.fill(0.0);
        stirred.fill(0);
        let places = start.as_chunks_mut::<3>().0.par_iter_mut().zip(end.as_chunks_mut::<3>().0.par_iter_mut());
        let moves = shift.par_iter_mut().zip(speed.par_iter_mut()).zip(free.par_iter_mut());
        let all = nodes.par_iter().zip(places).zip(moves).with_min_len(POINTS_PER_TASK);
        all.for_each(|((point, (start, end)), ((shift, speed), free))| {
            *start = mean(point, &before.x);
            *end = mean(point, &after.x);
            let (v, v_before) = (mean(point, &after.v), mean(point, &before.v));
            for c in 0..3 {
                shift.0[c] = end[c] - start[c];
                speed.0[c] = v[c];
            }
            *free = [[shift.0[0], shift.0[1], shift.0[2]], v, v_before];
        });
    }

    /// Updates the ends from the shifts, and how far they have travelled.
    pub fn settle(&mut self) {
        let Points { start, end, shift, travel, .. } = self;
        let places = start.as_chunks::<3>().0.par_iter().zip(end.as_chunks_mut::<3>().0.par_iter_mut());
        let all = places.zip(shift.par_iter()).zip(travel.par_iter_mut());
        all.with_min_len(POINTS_PER_TASK).for_each(|(((start, end), shift), travel)| {
            let now: Vec3 = std::array::from_fn(|c| start[c] + shift.0[c]);
            *travel += norm(sub(now, *end));
            *end = now;
        });
    }

    /// Writes the changes to the state after the step; returns true if there are any. Points that did not change keep
    /// every bit.
    pub fn write(&self, after: &mut State) -> bool {
        let mut changed = false;
        for (i, point) in self.nodes.iter().enumerate() {
            let [shift, speed, _] = self.free[i];
            let (Quad(now), Quad(speed_now)) = (self.shift[i], self.speed[i]);
            let by: Vec3 = std::array::from_fn(|c| now[c] - shift[c]);
            let faster: Vec3 = std::array::from_fn(|c| speed_now[c] - speed[c]);
            if by == [0.0; 3] && faster == [0.0; 3] || now[3] == 0.0 {
                continue;
            }
            changed = true;
            for &node in nodes_of(point) {
                let at = 3 * node as usize;
                for c in 0..3 {
                    after.x[at + c] += by[c];
                    after.v[at + c] += faster[c];
                }
            }
        }
        changed
    }

    /// Shortens the changes of the velocities, all by one factor, if they add kinetic energy: impulses that have not
    /// converged could.
    pub fn lose_energy(&mut self) {
        let (mut along, mut square) = (0.0, 0.0);
        for (speed, [_, v, _]) in self.speed.iter().zip(&self.free) {
            let Quad([x, y, z, inverse]) = *speed;
            if inverse > 0.0 && [x, y, z] != *v {
                let d = sub([x, y, z], *v);
                along += dot(d, *v) / inverse;
                square += dot(d, d) / inverse;
            }
        }
        if along + 0.5 * square <= 0.0 {
            return;
        }
        let share = (-2.0 * along / square).max(0.0);
        for (speed, [_, v, _]) in self.speed.iter_mut().zip(&self.free) {
            for c in 0..3 {
                speed.0[c] = v[c] + share * (speed.0[c] - v[c]);
            }
        }
    }

    /// Returns the change of the kinetic energy by the changes of the velocities [J].
    pub fn work(&self) -> f64 {
        let one = |i: usize| {
            let Quad([x, y, z, inverse]) = self.speed[i];
            let v = self.free[i][1];
            if inverse == 0.0 || [x, y, z] == v {
                return 0.0;
            }
            let mut twice = 0.0;
            for (now, v) in [x, y, z].into_iter().zip(v) {
                twice += (now - v) * (now + v);
            }
            0.5 * twice / inverse
        };
        (0..self.len()).map(one).sum()
    }
}

fn nodes_of(point: &[u32; 4]) -> &[u32] {
    &point[..if is_single(point) { 1 } else { 4 }]
}

fn is_single(point: &[u32; 4]) -> bool {
    point[0] == point[1]
}

/// Returns the mean of a value over the nodes of a point; of a single node its value, to the bit.
fn mean(point: &[u32; 4], of: &[f64]) -> Vec3 {
    let value = |node: u32, c: usize| of[3 * node as usize + c];
    if is_single(point) {
        return std::array::from_fn(|c| value(point[0], c));
    }
    std::array::from_fn(|c| {
        let [a, b, d, e] = point.map(|node| value(node, c));
        0.25 * ((a + b) + (d + e))
    })
}
