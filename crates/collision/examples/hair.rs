//! Pairs of segments that come near each other, among hairs that stand on a cap of a ball, at constant density: times and counts.
//!
//!     hair [COUNT...]

use collision::{CollisionSurface, Lists};
use numerics::mat3::{Vec3, add, scale, unit};
use std::time::Instant;

/// Hairs per area of the ball [1/m^2].
const DENSITY: f64 = 1.75e6;
const RADIUS: f64 = 0.09;

fn main() {
    let counts: Vec<usize> = std::env::args().skip(1).filter_map(|count| count.parse().ok()).collect();
    let counts = if counts.is_empty() { vec![600, 2_000, 6_000, 20_000, 60_000] } else { counts };
    for count in counts {
        let mut dice = 1u64;
        let mut any = || {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) as f64 / f64::from(1u32 << 30) - 1.0
        };
        let height = count as f64 / DENSITY / (std::f64::consts::TAU * RADIUS);
        let (mut now, mut then, mut edges) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..count {
            // Equal areas at equal heights.
            let (z, turn) = (RADIUS - 0.5 * (any() + 1.0) * height, std::f64::consts::PI * any());
            let side = (RADIUS * RADIUS - z * z).max(0.0).sqrt();
            let root = [side * turn.cos(), side * turn.sin(), z];
            let way = unit(add(unit(root), scale(0.17, [any(), any(), any()])));
            let (segments, drift) = (8, scale(1e-3, [any(), any(), any()]));
            let first = now.len() as u32 / 3;
            edges.extend((0..segments).map(|k| [first + k, first + k + 1]));
            for k in 0..=segments {
                let s = f64::from(k) / f64::from(segments);
                // It bends as it hangs, and all of it moves to one side, each hair a little otherwise.
                let x: Vec3 = add(root, add(scale(0.2 * s, way), [0.0, 0.0, -0.1 * s * s]));
                now.extend(x);
                then.extend(add(x, add([0.02 * (1.0 - 0.3 * s), 0.0, 0.0], scale(s, drift))));
            }
        }
        let mut surface = CollisionSurface::new(&[], &edges, &[]);
        let (mut lists, mut out) = (Lists::default(), Vec::<[u32; 4]>::new());
        let mut least = f64::INFINITY;
        for _ in 0..3 {
            let start = Instant::now();
            surface.visit_candidates([&now, &then], 4e-4, None, &mut lists, &mut out, |c, list| list.push(c.nodes));
            least = least.min(start.elapsed().as_secs_f64());
        }
        let all = out.len();
        surface.visit_candidates([&now, &then], 4e-4, None, &mut lists, &mut out, |c, list| {
            if !c.is_apart(4e-4) {
                list.push(c.nodes);
            }
        });
        println!("{count:6} hairs: {:8.1} ms, {all} pairs, {} not apart", 1e3 * least, out.len());
    }
}
