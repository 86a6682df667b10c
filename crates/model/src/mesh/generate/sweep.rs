//! Tets by sweeping a triangulated section through space.
//!
//! Each prism between two copies of a triangle is cut into three tets by the order of the node indices: every
//! quadrilateral face is cut from its lower corner with the lower index, so that neighbours always agree. On a grid of
//! right triangles this is the Kuhn split, six tets per cell.

use numerics::mat3::Vec3;

use crate::mesh::Mesh;

/// A flat triangulated patch of the (u, v) plane.
pub(super) struct Section {
    /// Corners; the unit is the caller's.
    pub points: Vec<[f64; 2]>,
    /// Triangles, counter-clockwise.
    pub triangles: Vec<[u32; 3]>,
}

impl Section {
    /// Builds the rectangle [0, cells] x [0, cells], u fastest, cut along rising diagonals.
    pub fn grid([nu, nv]: [u32; 2]) -> Self {
        let points = (0..=nv).flat_map(|j| (0..=nu).map(move |i| [f64::from(i), f64::from(j)])).collect();
        let mut triangles = Vec::with_capacity(2 * nu as usize * nv as usize);
        for j in 0..nv {
            for i in 0..nu {
                let a = j * (nu + 1) + i;
                let [b, c, d] = [a + 1, a + nu + 1, a + nu + 2];
                triangles.extend([[a, b, d], [a, d, c]]);
            }
        }
        Self { points, triangles }
    }

    /// Stacks `layers` prisms on each triangle. `place(layer, [u, v])` returns the position of a node [m]; (u, v,
    /// layer) must map to a right-handed frame, or the tets are inverted. Node i of the section has index layer *
    /// points + i.
    pub fn sweep(&self, layers: u32, place: impl Fn(u32, [f64; 2]) -> Vec3) -> Mesh {
        let n = self.points.len() as u32;
        let points = (0..=layers).flat_map(|layer| self.points.iter().map(move |&uv| (layer, uv)));
        let mut mesh = Mesh { points: points.map(|(layer, uv)| place(layer, uv)).collect(), ..Mesh::default() };
        mesh.tets.reserve(3 * self.triangles.len() * layers as usize);
        for layer in 0..layers {
            for triangle in &self.triangles {
                let (sorted, mirrored) = sort3(triangle.map(|i| layer * n + i));
                let [a, b, c] = sorted;
                let [d, e, f] = sorted.map(|i| i + n);
                for [p, q, r, s] in [[a, b, c, f], [a, b, f, e], [a, d, e, f]] {
                    mesh.tets.push(if mirrored { [p, q, s, r] } else { [p, q, r, s] });
                }
            }
        }
        mesh
    }
}

/// Sorts three numbers; returns also true for an odd number of swaps.
fn sort3([mut a, mut b, mut c]: [u32; 3]) -> ([u32; 3], bool) {
    let mut odd = false;
    for _ in 0..2 {
        if a > b {
            (a, b, odd) = (b, a, !odd);
        }
        if b > c {
            (b, c, odd) = (c, b, !odd);
        }
    }
    ([a, b, c], odd)
}
