//! Walls, obstacles and rigid bodies: particles keep their radius from them, and see them as full of fluid at rest.
//!
//! Without the second a particle at a wall would miss a part of its neighbours and could hide from pressure by stacking
//! up there. A wall at the distance d [m] fills in the density Phi(d) = Phi_0 (3/2 - d / s)^3 for d < 3/2 s, with
//! s the spacing and Phi_0 what a lattice of which the first layer is half a spacing from the wall misses there: its
//! second layer misses nothing, so both rest at C = 0. Where walls meet, the free shares 1 - Phi are multiplied.
//! A rigid body takes part in C_i with the opposite gradient: what lifts it is the pressure of the particles around it.

use super::kernel::Kernel;
use super::solids::{Reaction, Solid, Solids, Surface};
use model::Fluid;
use model::energy::Bodies;
use numerics::mat3::{Vec3, add, dot, norm, scale, sub};

/// What a fluid is held in.
#[derive(Debug, Clone)]
pub(super) struct Boundary {
    walls: Option<[Vec3; 2]>,
    /// The shapes it meets, by number.
    solids: Vec<u32>,
    friction: f64,
    spacing: f64,
    hidden: f64,
}

impl Boundary {
    pub fn new(fluid: &Fluid, solids: Vec<u32>, kernel: &Kernel) -> Boundary {
        Boundary {
            walls: fluid.walls,
            solids,
            friction: fluid.friction,
            spacing: fluid.liquid.spacing,
            hidden: kernel.hidden,
        }
    }

    /// Of two that touch the geometric mean counts.
    #[inline(always)]
    fn friction_with(&self, solid: &Solid) -> f64 {
        (self.friction * solid.friction).sqrt()
    }

    /// Adds shapes that it meets.
    pub fn meet(&mut self, solids: &[u32]) {
        self.solids.extend(solids);
    }

    /// Calls `visit` with every shape nearer than a bound [m].
    #[inline(always)]
    fn solids(&self, x: Vec3, solids: &Solids, bound: f64, mut visit: impl FnMut(&Solid, Surface)) {
        for &k in &self.solids {
            let solid = &solids.all[k as usize];
            if let Some(surface) = solid.near(x, bound) {
                visit(solid, surface);
            }
        }
    }

    /// Calls `visit` with the distance [m] and the normal of every wall nearer than a bound [m].
    #[inline(always)]
    fn walls(&self, x: Vec3, bound: f64, mut visit: impl FnMut(f64, Vec3)) {
        let Some([low, high]) = &self.walls else { return };
        for c in 0..3 {
            for (distance, sign) in [(x[c] - low[c], 1.0), (high[c] - x[c], -1.0)] {
                if distance < bound {
                    visit(distance, std::array::from_fn(|k| if k == c { sign } else { 0.0 }));
                }
            }
        }
    }

    /// What a surface at a distance [m] stands for: a share of the density at rest, and how it changes [1/m].
    #[inline(always)]
    fn share(&self, distance: f64) -> [f64; 2] {
        let depth = 1.5 - distance.max(0.0) / self.spacing;
        [self.hidden * depth * depth * depth, -3.0 * self.hidden * depth * depth / self.spacing]
    }

    /// The share of the density at rest that walls stand for, and its gradient [1/m].
    #[inline(always)]
    pub fn density(&self, x: Vec3, solids: &Solids) -> (f64, Vec3) {
        let (mut free, mut slope) = (1.0, [0.0; 3]);
        let mut fill = |distance: f64, normal: Vec3| {
            let [share, derivative] = self.share(distance);
            slope = add(slope, scale(derivative / (1.0 - share), normal));
            free *= 1.0 - share;
        };
        self.solids(x, solids, 1.5 * self.spacing, |_, surface| fill(surface.distance, surface.normal));
        self.walls(x, 1.5 * self.spacing, &mut fill);
        (1.0 - free, scale(free, slope))
    }

    /// Calls `visit` with every rigid body that takes part in the density, where, and with what gradient [1/m] of the particle:
    /// the body's own is the opposite. `hidden` is the density.
    #[inline(always)]
    pub fn gradients(&self, x: Vec3, solids: &Solids, hidden: f64, mut visit: impl FnMut(&Solid, Vec3, Vec3)) {
        if solids.rigids == 0 {
            return;
        }
        self.solids(x, solids, 1.5 * self.spacing, |solid, surface| {
            if solid.rigid().is_some() {
                let [share, derivative] = self.share(surface.distance);
                visit(solid, surface.point, scale((1.0 - hidden) * derivative / (1.0 - share), surface.normal));
            }
        });
    }

    /// Puts a particle that came from `before` back to its radius from every obstacle and wall, from walls last; friction takes
    /// as much of the way along the surface as Coulomb's cone allows.
    #[inline(always)]
    pub fn project(&self, x: Vec3, before: Vec3, solids: &Solids) -> Vec3 {
        let radius = 0.5 * self.spacing;
        let mut clear = x;
        self.solids(x, solids, radius, |solid, surface| {
            if solid.rigid().is_none() {
                let way = sub(sub(clear, before), solid.path(surface.point));
                clear = add(clear, back(radius - surface.distance, surface.normal, way, self.friction_with(solid)));
            }
        });
        let mut inside = clear;
        self.walls(clear, radius, |distance, normal| {
            inside = add(inside, back(radius - distance, normal, sub(inside, before), self.friction));
        });
        inside
    }

    /// Parts a particle of inverse mass `w` [1/kg] from rigid bodies, each of the two by its share.
    #[inline(always)]
    pub fn part(
        &self,
        x: Vec3,
        before: Vec3,
        w: f64,
        solids: &Solids,
        bodies: &Bodies,
        reactions: &mut [Reaction],
    ) -> Vec3 {
        if solids.rigids == 0 || w <= 0.0 {
            return x;
        }
        let radius = 0.5 * self.spacing;
        let mut clear = x;
        self.solids(x, solids, radius, |solid, surface| {
            let Surface { distance, normal, point } = surface;
            if solid.rigid().is_some() {
                let share = w / (w + solid.mobility(bodies, point, normal));
                let way = sub(sub(clear, before), solid.path(point));
                let moved = scale(share, back(radius - distance, normal, way, self.friction_with(solid)));
                clear = add(clear, moved);
                solid.react(bodies, point, scale(-1.0 / w, moved), reactions);
            }
        });
        clear
    }
}

/// What brings a particle back that is too deep [m], after having gone a way [m]: out along the normal, and back along the surface
/// by friction.
#[inline(always)]
fn back(depth: f64, normal: Vec3, way: Vec3, friction: f64) -> Vec3 {
    let out = scale(depth, normal);
    let along = sub(way, scale(dot(way, normal), normal));
    let length = norm(along);
    if friction > 0.0 && length > 0.0 { sub(out, scale((friction * depth / length).min(1.0), along)) } else { out }
}
