//! Walls, obstacles and rigid bodies: particles keep their radius from them, and treat them as full of fluid at rest.
//!
//! Otherwise a particle at a wall would miss a part of its neighbours, and particles would stack up there at too low a
//! pressure. A wall at distance d [m] adds the density Phi(d) = Phi_0 (3/2 - d / s)^3 for d < 3/2 s. s is the spacing,
//! and Phi_0 the density missing in a lattice whose first layer is half a spacing from the wall: its second layer
//! misses nothing, so both rest at C = 0. Where walls meet, the free shares 1 - Phi are multiplied.
//! A rigid body takes part in C_i with the opposite gradient: the pressure of the particles around it lifts it.

use super::kernel::Kernel;
use super::solids::{Reaction, Solid, Solids, SurfacePoint};
use model::Fluid;
use model::energy::Bodies;
use numerics::mat3::{Vec3, add, dot, norm, scale, sub};

/// Container of a fluid.
#[derive(Debug, Clone)]
pub(super) struct Boundary {
    walls: Option<[Vec3; 2]>,
    /// Numbers of the shapes it meets.
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

    /// Returns the friction with a shape: the geometric mean of both coefficients.
    #[inline(always)]
    fn friction_with(&self, solid: &Solid) -> f64 {
        (self.friction * solid.friction).sqrt()
    }

    /// Adds shapes to meet.
    pub fn meet(&mut self, solids: &[u32]) {
        self.solids.extend(solids);
    }

    /// Calls `visit` with every shape nearer than a bound [m].
    #[inline(always)]
    fn solids(&self, x: Vec3, solids: &Solids, bound: f64, mut visit: impl FnMut(&Solid, SurfacePoint)) {
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

    /// Returns the share of the rest density that a surface at a distance [m] stands for, and its derivative [1/m].
    #[inline(always)]
    fn share(&self, distance: f64) -> [f64; 2] {
        let depth = 1.5 - distance.max(0.0) / self.spacing;
        [self.hidden * depth * depth * depth, -3.0 * self.hidden * depth * depth / self.spacing]
    }

    /// Returns the share of the rest density that walls stand for, and its gradient [1/m].
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

    /// Calls `visit` with every rigid body that takes part in the density, the point, and the gradient [1/m] of the
    /// particle; the gradient of the body is the opposite. `hidden` is the density.
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

    /// Moves a particle that came from `before` back to its radius from every obstacle and wall, walls last. Friction
    /// reverses its motion along the surface as far as Coulomb's cone allows.
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

    /// Separates a particle of inverse mass `w` [1/kg] from rigid bodies, each side by its share.
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
            let SurfacePoint { distance, normal, point } = surface;
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

/// Returns the correction of a particle that is too deep [m] after a displacement `way` [m]: out along the normal, and
/// back along the surface by friction.
#[inline(always)]
fn back(depth: f64, normal: Vec3, way: Vec3, friction: f64) -> Vec3 {
    let out = scale(depth, normal);
    let along = sub(way, scale(dot(way, normal), normal));
    let length = norm(along);
    if friction > 0.0 && length > 0.0 { sub(out, scale((friction * depth / length).min(1.0), along)) } else { out }
}
