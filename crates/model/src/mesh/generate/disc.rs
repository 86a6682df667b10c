//! Triangulated unit disc: rings of nodes around the centre, zipped together.

use std::f64::consts::TAU;

use super::sweep::Section;

impl Section {
    /// Builds the unit disc with `segments` nodes on its rim, and proportionally fewer on each inner ring. Six times as
    /// many segments as rings make near-equilateral triangles.
    pub fn disc(rings: u32, segments: u32) -> Self {
        let on_ring = |ring: u32| {
            let proportional = (u64::from(segments) * u64::from(ring) + u64::from(rings) / 2) / u64::from(rings);
            proportional.max(3) as u32
        };
        let mut disc = Self { points: vec![[0.0, 0.0]], triangles: Vec::new() };
        let mut inner = Ring { start: 0, nodes: 1 };
        for ring in 1..=rings {
            let outer = Ring { start: disc.points.len() as u32, nodes: on_ring(ring) };
            let radius = f64::from(ring) / f64::from(rings);
            disc.points.extend((0..outer.nodes).map(|i| {
                let angle = TAU * f64::from(i) / f64::from(outer.nodes);
                [radius * angle.cos(), radius * angle.sin()]
            }));
            zip(&inner, &outer, &mut disc.triangles);
            inner = outer;
        }
        disc
    }
}

/// Consecutive nodes around the centre, the first at angle 0.
struct Ring {
    start: u32,
    nodes: u32,
}

impl Ring {
    fn node(&self, i: u32) -> u32 {
        self.start + i % self.nodes
    }
}

/// Fills the band between two rings. Of the two possible next triangles it takes the one whose new side spans the
/// smaller angle. Angles are compared as integers, so that no rounding decides.
fn zip(inner: &Ring, outer: &Ring, triangles: &mut Vec<[u32; 3]>) {
    let inner_nodes = if inner.nodes == 1 { 0 } else { inner.nodes }; // the centre is no ring: a fan
    let (mut i, mut j) = (0, 0);
    let span = |i: u32, j: u32| (u64::from(i) * u64::from(outer.nodes)).abs_diff(u64::from(j) * u64::from(inner.nodes));
    while i < inner_nodes || j < outer.nodes {
        let (a, b) = (inner.node(i), outer.node(j));
        if i < inner_nodes && (j == outer.nodes || span(i + 1, j) <= span(i, j + 1)) {
            i += 1;
            triangles.push([a, b, inner.node(i)]);
        } else {
            j += 1;
            triangles.push([a, b, outer.node(j)]);
        }
    }
}
