//! Points in the fluid of bodies and fibres, by the rules of the table in `mod.rs`.

use super::{Follower, LARGEST, Point, Stokes, StokesError};
use crate::fibre::Fibres;
use crate::mesh::Mesh;
use numerics::mat3::{Vec3, add, dot, norm, scale, sub};
use std::f64::consts::PI;

/// Size of the blobs along a fibre over its radius: sqrt(e).
pub const EPSILON_PER_RADIUS: f64 = 1.648_721_270_700_128_2;

/// Drag of a node inside of a body relative to its neighbours, over that of a sphere as large as a blob: a trace, because the body
/// moves it.
const INNER: f64 = 1e-3;

impl Stokes {
    /// Wets a body whose nodes begin at `first`: points at the nodes of its surface, with an epsilon [m] or one of this many
    /// distances of the nodes. Inner nodes follow their neighbours. A body without a surface has points at all nodes.
    pub fn wet_body(
        &mut self,
        mesh: &Mesh,
        first: u32,
        epsilon: Option<f64>,
        per_distance: f64,
    ) -> Result<(), StokesError> {
        let areas = mesh.nodal_areas();
        let (area, count) = (areas.iter().sum::<f64>(), areas.iter().filter(|area| **area > 0.0).count());
        let by_area = (count > 0).then(|| per_distance * (area / count as f64).sqrt());
        let epsilon = epsilon.or(by_area).ok_or(StokesError::NoSurface)?;

        let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); mesh.points.len()];
        for [a, b] in mesh.edges.iter().chain(&mesh.edges_of_tets()).chain(&mesh.shear).chain(&mesh.bends) {
            neighbours[*a as usize].push(*b);
            neighbours[*b as usize].push(*a);
        }
        for (i, mut near) in neighbours.into_iter().enumerate() {
            let node = first + i as u32;
            near.sort_unstable();
            near.dedup();
            if areas[i] > 0.0 || count == 0 || near.is_empty() {
                self.points.push(Point { of: vec![(node, 1.0)], epsilon });
            } else {
                let weight = 1.0 / near.len() as f64;
                let of = near.into_iter().map(|j| (first + j, weight)).collect();
                let drag = INNER * 6.0 * PI * self.viscosity * epsilon;
                self.followers.push(Follower { node, of, drag });
            }
        }
        Ok(())
    }

    /// Wets fibres, whose nodes are those of a mesh and begin at `first`: points along their centre lines, at most `spacing` times their epsilon apart,
    /// on cubics through the centres of the rings. The corners of rings follow the centre.
    pub fn wet_fibres(&mut self, fibres: &Fibres, mesh: &Mesh, first: u32, spacing: f64) {
        let corner = |ring: usize, c: usize| first + 4 * ring as u32 + c as u32;
        let center = |ring: usize| -> Vec3 {
            let corners = &mesh.points[4 * ring..4 * ring + 4];
            scale(0.25, corners.iter().fold([0.0; 3], |sum, p| add(sum, *p)))
        };
        let mut start = 0;
        for &rings in &fibres.rings {
            // No list longer than what will be refused.
            if self.points.len() > 10 * LARGEST {
                return;
            }
            let rings = start..start + rings as usize;
            start = rings.end;
            let length = |ring: usize| norm(sub(center(ring + 1), center(ring)));
            let radius = |ring: usize| 0.5 * fibres.thickness[ring];
            for ring in rings.start..rings.end - 1 {
                let thinner = radius(ring).min(radius(ring + 1));
                let count = (length(ring) / (spacing * EPSILON_PER_RADIUS * thinner)).ceil().max(1.0);
                for k in 0..count as usize {
                    let t = (k as f64 + 0.5) / count;
                    let weights = on_cubic(ring, t, rings.start, rings.end);
                    let of = weights.into_iter().flat_map(|(ring, w)| (0..4).map(move |c| (corner(ring, c), 0.25 * w)));
                    let epsilon = EPSILON_PER_RADIUS * (radius(ring) + t * (radius(ring + 1) - radius(ring)));
                    self.points.push(Point { of: of.collect(), epsilon });
                }
            }
            for ring in rings.clone() {
                // A cylinder of length l that turns about its axis meets a torque of 4 pi mu a^2 l w.
                let before = if ring > rings.start { length(ring - 1) } else { 0.0 };
                let after = if ring + 1 < rings.end { length(ring) } else { 0.0 };
                let arm = sub(mesh.points[4 * ring], center(ring));
                let torque = 4.0 * PI * self.viscosity * radius(ring).powi(2) * 0.5 * (before + after);
                let of: Vec<(u32, f64)> = (0..4).map(|c| (corner(ring, c), 0.25)).collect();
                let drag = 0.25 * torque / dot(arm, arm);
                self.followers.extend((0..4).map(|c| Follower { node: corner(ring, c), of: of.clone(), drag }));
            }
        }
    }
}

/// Returns rings and weights of the place at a share t of the segment behind a ring, on a cubic through it and its neighbours
/// (Catmull-Rom), among the rings from `start` to before `end`. Beyond the ends the line continues with the same curvature.
fn on_cubic(ring: usize, t: f64, start: usize, end: usize) -> Vec<(usize, f64)> {
    let square = t * t;
    let cube = square * t;
    let [before, mut here, mut next, after] = [
        0.5 * (2.0 * square - t - cube),
        0.5 * (2.0 - 5.0 * square + 3.0 * cube),
        0.5 * (t + 4.0 * square - 3.0 * cube),
        0.5 * (cube - square),
    ];
    let mut weights = Vec::with_capacity(4);
    match (ring > start, ring + 2 < end) {
        (true, true) => weights.extend([(ring - 1, before), (ring + 2, after)]),
        (false, true) => {
            // p0 = 3 p1 - 3 p2 + p3
            (here, next) = (here + 3.0 * before, next - 3.0 * before);
            weights.push((ring + 2, after + before));
        }
        (true, false) => {
            (here, next) = (here - 3.0 * after, next + 3.0 * after);
            weights.push((ring - 1, before + after));
        }
        (false, false) => (here, next) = (1.0 - t, t),
    }
    weights.extend([(ring, here), (ring + 1, next)]);
    weights
}
