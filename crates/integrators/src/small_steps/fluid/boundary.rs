//! Walls and obstacles: particles keep their radius from them, and see them as full of fluid at rest.
//!
//! Without the second a particle at a wall would miss a part of its neighbours and could hide from pressure by stacking
//! up there. A wall at the distance d [m] fills in the density Phi(d) = Phi_0 (3/2 - d / s)^3 for d < 3/2 s, with
//! s the spacing and Phi_0 what a lattice of which the first layer is half a spacing from the wall misses there: its
//! second layer misses nothing, so both rest at C = 0. Where walls meet, the free shares 1 - Phi are multiplied.

use super::kernel::Kernel;
use model::Fluid;
use model::energy::contact::Obstacle;
use numerics::mat3::{Vec3, add, dot, norm, scale, sub};

/// What a fluid is held in.
#[derive(Debug, Clone)]
pub(super) struct Boundary {
    walls: Option<[Vec3; 2]>,
    obstacles: Vec<Obstacle>,
    friction: f64,
    spacing: f64,
    hidden: f64,
}

impl Boundary {
    pub fn new(fluid: &Fluid, kernel: &Kernel) -> Boundary {
        Boundary {
            walls: fluid.walls,
            obstacles: fluid.obstacles.clone(),
            friction: fluid.friction,
            spacing: fluid.liquid.spacing,
            hidden: kernel.hidden,
        }
    }

    /// Calls `visit` with the distance [m] and the normal of every obstacle nearer than a bound [m].
    #[inline(always)]
    fn obstacles(&self, x: Vec3, bound: f64, mut visit: impl FnMut(f64, Vec3)) {
        for obstacle in &self.obstacles {
            let (distance, normal, _) = obstacle.distance(x);
            if distance < bound {
                visit(distance, normal);
            }
        }
    }

    /// The same for walls.
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

    /// The share of the density at rest that walls stand for, and its gradient [1/m].
    #[inline(always)]
    pub fn density(&self, x: Vec3) -> (f64, Vec3) {
        let (mut free, mut slope) = (1.0, [0.0; 3]);
        let mut fill = |distance: f64, normal: Vec3| {
            let depth = 1.5 - distance.max(0.0) / self.spacing;
            let share = self.hidden * depth * depth * depth;
            let derivative = -3.0 * self.hidden * depth * depth / self.spacing;
            slope = add(slope, scale(derivative / (1.0 - share), normal));
            free *= 1.0 - share;
        };
        self.obstacles(x, 1.5 * self.spacing, &mut fill);
        self.walls(x, 1.5 * self.spacing, &mut fill);
        (1.0 - free, scale(free, slope))
    }

    /// Puts a particle that came from `before` back to its radius from every surface, from walls last; friction takes
    /// as much of the way along the surface as Coulomb's cone allows.
    #[inline(always)]
    pub fn project(&self, x: Vec3, before: Vec3) -> Vec3 {
        let radius = 0.5 * self.spacing;
        let push = |x: &mut Vec3, distance: f64, normal: Vec3| {
            let depth = radius - distance;
            *x = add(*x, scale(depth, normal));
            let way = sub(*x, before);
            let along = sub(way, scale(dot(way, normal), normal));
            let length = norm(along);
            if self.friction > 0.0 && length > 0.0 {
                *x = sub(*x, scale((self.friction * depth / length).min(1.0), along));
            }
        };
        let mut clear = x;
        self.obstacles(x, radius, |distance, normal| push(&mut clear, distance, normal));
        let mut inside = clear;
        self.walls(clear, radius, |distance, normal| push(&mut inside, distance, normal));
        inside
    }
}
