//! Zones: points whose contacts impulses could not resolve move together, as one rigid body.
//!
//! The rigid motion keeps linear and angular momentum (Provot 1997; Bridson, Fedkiw and Anderson 2002). A pair that still
//! meets within its zone, because straight paths shorten distances in a rotation, makes the zone move without rotation:
//! then nothing within it comes nearer. A zone that touches held points or an obstacle moves with them. Zones only grow, so
//! the search for them ends.

use super::obstacles::Obstacles;
use super::points::Points;
use super::row::NONE;
use numerics::mat3::{IDENTITY, Mat3, Vec3, add, cofactor, cross, determinant, dot, mat_vec, norm, scale, sub, trace};
use numerics::quaternion::{from_rotation_vector, rotate};

/// Largest disagreement of what holds a zone, relative to its displacement.
const AGREE: f64 = 1e-9;

/// A contact that impulses did not resolve.
#[derive(Debug, Clone, Copy)]
struct Link {
    points: [u32; 4],
    obstacle: u32,
    /// Its zone may not rotate.
    is_stiff: bool,
}

/// A zone: points `members[first..end]`.
#[derive(Debug, Clone, Copy)]
struct Zone {
    first: usize,
    end: usize,
    is_stiff: bool,
    is_held: bool,
}

/// All zones of a step.
#[derive(Default)]
pub(super) struct Zones {
    links: Vec<Link>,
    /// Free points of zones, zone by zone.
    members: Vec<u32>,
    zones: Vec<Zone>,
    /// Zone of each free point of a zone, ascending by point.
    zone_of: Vec<(u32, u32)>,
}

impl Zones {
    pub fn clear(&mut self) {
        self.links.clear();
        self.members.clear();
        self.zones.clear();
        self.zone_of.clear();
    }

    /// Returns the number of zones.
    pub fn len(&self) -> usize {
        self.zones.len()
    }

    /// Adds a contact of points, with an obstacle or `NONE`. Returns false if its zone cannot be made stiffer.
    pub fn link(&mut self, points: [u32; 4], obstacle: u32, all: &Points) -> bool {
        let zone = |&i: &u32| {
            let at = self.zone_of.binary_search_by_key(&i, |(point, _)| *point);
            at.ok().map(|at| self.zone_of[at].1)
        };
        let mut free = points.iter().filter(|i| !all.is_held(**i)).map(zone);
        let first = free.next().flatten();
        let is_inside = first.is_some() && free.all(|other| other == first);
        let has_holder = obstacle != NONE || points.iter().any(|&i| all.is_held(i));
        let whole = first.map(|zone| self.zones[zone as usize]);
        // A contact within a zone that already moves as stiffly as can be is not resolvable.
        let is_stiff = is_inside && !has_holder;
        if is_inside && whole.is_some_and(|zone| if has_holder { zone.is_held } else { zone.is_stiff || zone.is_held })
        {
            return false;
        }
        self.links.push(Link { points, obstacle, is_stiff });
        true
    }

    /// Joins all contacts into zones, and moves each; fails with a point of a zone whose holders disagree.
    pub fn solve(&mut self, points: &mut Points, obstacles: &Obstacles) -> Result<(), u32> {
        let Zones { links, members, zones, zone_of } = self;
        members.clear();
        members.extend(links.iter().flat_map(|link| link.points).filter(|&i| !points.is_held(i)));
        members.sort_unstable();
        members.dedup();
        let at = |i: u32| members.binary_search(&i).ok();
        let mut parent: Vec<usize> = (0..members.len()).collect();
        for link in links.iter() {
            let mut roots = link.points.iter().filter_map(|&i| at(i)).map(|k| root(&parent, k));
            let Some(mut low) = roots.next() else { continue };
            for other in roots.collect::<Vec<_>>() {
                let (a, b) = (root(&parent, low), root(&parent, other));
                parent[a.max(b)] = a.min(b);
                low = a.min(b);
            }
        }
        zone_of.clear();
        let mut roots: Vec<usize> = (0..members.len()).map(|k| root(&parent, k)).collect();
        let whole = roots.clone();
        roots.sort_unstable();
        roots.dedup();
        let number = |k: usize| roots.binary_search(&whole[k]).unwrap_or(0) as u32;
        zone_of.extend(members.iter().enumerate().map(|(k, &i)| (i, number(k))));
        let mut by_zone = zone_of.clone();
        by_zone.sort_unstable_by_key(|&(point, zone)| (zone, point));
        members.clear();
        members.extend(by_zone.iter().map(|(point, _)| *point));
        zones.clear();
        let mut first = 0;
        for chunk in by_zone.chunk_by(|a, b| a.1 == b.1) {
            zones.push(Zone { first, end: first + chunk.len(), is_stiff: false, is_held: false });
            first += chunk.len();
        }
        // What holds each zone: points or obstacles.
        let mut holders: Vec<Vec<Link>> = vec![Vec::new(); zones.len()];
        for link in links.iter() {
            let free = link.points.iter().find(|i| !points.is_held(**i));
            let Some(zone) = free.and_then(|i| zone_of.binary_search_by_key(i, |(point, _)| *point).ok()) else {
                continue;
            };
            let zone = zone_of[zone].1 as usize;
            zones[zone].is_stiff |= link.is_stiff;
            if link.obstacle != NONE || link.points.iter().any(|&i| points.is_held(i)) {
                zones[zone].is_held = true;
                holders[zone].push(*link);
            }
        }
        for (zone, holders) in zones.iter().zip(&holders) {
            let members = &members[zone.first..zone.end];
            match holders.first() {
                Some(holder) => follow(members, holder, holders, points, obstacles)?,
                None => carry(members, zone.is_stiff, points),
            }
        }
        Ok(())
    }

    /// Gives the velocities of each zone the rigid motion of the same momentum; those of held zones follow what holds
    /// them. `h` is the length of the step [s].
    pub fn settle_speeds(&self, points: &mut Points, h: f64) {
        for zone in &self.zones {
            let members = &self.members[zone.first..zone.end];
            if zone.is_held {
                for &i in members {
                    let way = points.way(i);
                    let speed = &mut points.speed[i as usize].0;
                    (0..3).for_each(|c| speed[c] = way[c] / h);
                }
                continue;
            }
            let place = |points: &Points, i: u32| add(points.at(i), points.way(i));
            let speed = |points: &Points, i: u32| {
                let [x, y, z, _] = points.speed[i as usize].0;
                [x, y, z]
            };
            let motion = rigid(members, points, place, speed, zone.is_stiff);
            for &i in members {
                let v = add(motion.mean, cross(motion.turn, sub(place(points, i), motion.centre)));
                points.speed[i as usize].0[..3].copy_from_slice(&v);
            }
        }
    }
}

/// Returns the root of an entry.
fn root(parent: &[usize], mut k: usize) -> usize {
    while parent[k] != k {
        k = parent[k];
    }
    k
}

/// A rigid motion.
struct Rigid {
    centre: Vec3,
    mean: Vec3,
    turn: Vec3,
}

/// Returns the rigid motion with the linear and angular momentum of points.
fn rigid(
    members: &[u32],
    points: &Points,
    place: impl Fn(&Points, u32) -> Vec3,
    motion: impl Fn(&Points, u32) -> Vec3,
    is_stiff: bool,
) -> Rigid {
    let mass = |i: u32| 1.0 / points.shift[i as usize].0[3];
    let total: f64 = members.iter().map(|&i| mass(i)).sum();
    let average = |of: &dyn Fn(u32) -> Vec3| {
        scale(1.0 / total, members.iter().fold([0.0; 3], |sum, &i| add(sum, scale(mass(i), of(i)))))
    };
    let centre = average(&|i| place(points, i));
    let mean = average(&|i| motion(points, i));
    if is_stiff {
        return Rigid { centre, mean, turn: [0.0; 3] };
    }
    let mut momentum = [0.0; 3];
    let mut inertia: Mat3 = [[0.0; 3]; 3];
    for &i in members {
        let (m, r) = (mass(i), sub(place(points, i), centre));
        momentum = add(momentum, scale(m, cross(r, sub(motion(points, i), mean))));
        for (a, row) in inertia.iter_mut().enumerate() {
            for (b, entry) in row.iter_mut().enumerate() {
                *entry += m * (if a == b { dot(r, r) } else { 0.0 } - r[a] * r[b]);
            }
        }
    }
    // Points in a line have no inertia about it, and no momentum either.
    let least = 1e-12 * trace(&inertia);
    (0..3).for_each(|k| inertia[k][k] += least * IDENTITY[k][k]);
    let size = determinant(&inertia);
    let turn = if size > 0.0 { scale(1.0 / size, mat_vec(&cofactor(&inertia), momentum)) } else { [0.0; 3] };
    Rigid { centre, mean, turn }
}

/// Moves a free zone as a rigid body.
fn carry(members: &[u32], is_stiff: bool, points: &mut Points) {
    let motion = rigid(members, points, |points, i| points.at(i), |points, i| points.way(i), is_stiff);
    let turn = from_rotation_vector(motion.turn);
    for &i in members {
        let arm = sub(points.at(i), motion.centre);
        let turned = if is_stiff { [0.0; 3] } else { sub(rotate(turn, arm), arm) };
        points.shift[i as usize].0[..3].copy_from_slice(&add(motion.mean, turned));
    }
}

/// Moves a zone with what holds it.
fn follow(
    members: &[u32],
    holder: &Link,
    holders: &[Link],
    points: &mut Points,
    obstacles: &Obstacles,
) -> Result<(), u32> {
    let held = |link: &Link| link.points.into_iter().filter(|&i| points.is_held(i)).collect::<Vec<_>>();
    let shift = held(holder).first().map(|&i| points.way(i)).unwrap_or_default();
    let way = |x: Vec3| if holder.obstacle == NONE { shift } else { obstacles.carry(holder.obstacle, x) };
    let agrees = |a: Vec3, b: Vec3| norm(sub(a, b)) <= AGREE * (norm(a) + norm(b));
    for link in holders {
        for i in held(link) {
            if !agrees(way(points.at(i)), points.way(i)) {
                return Err(members[0]);
            }
        }
        let apart = |&i: &u32| !agrees(way(points.at(i)), obstacles.carry(link.obstacle, points.at(i)));
        if link.obstacle != NONE && link.obstacle != holder.obstacle && members.iter().any(apart) {
            return Err(members[0]);
        }
    }
    let moves: Vec<Vec3> = members.iter().map(|&i| way(points.at(i))).collect();
    for (&i, way) in members.iter().zip(moves) {
        points.shift[i as usize].0[..3].copy_from_slice(&way);
    }
    Ok(())
}
