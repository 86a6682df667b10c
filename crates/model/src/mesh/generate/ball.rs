//! Balls: the 20 tetrahedra between the centre and the faces of an icosahedron, each cut into resolution^3 tets whose
//! nodes lie on concentric spheres (a rounded Mackay icosahedron).
//!
//! A rounded cube is simpler but flattens the tets along its edges. Here the worst tet has a mean-ratio quality of 0.75
//! at any resolution, unless the shell is much thinner than a layer. One sphere of nodes lies exactly between core and
//! shell.

use std::collections::HashMap;
use std::f64::consts::TAU;

use numerics::mat3::{Vec3, add, norm, scale, sub};

use super::{Generator, Kind, Parameter, Parameters, Preset, Range};
use crate::mesh::{Mesh, MeshError};

/// A ball. Its defaults give 923 nodes and 4320 tets, near the 1,018 and 4,637 of siere-2020, table 1.
pub(super) const BALL: Generator = Generator {
    name: "ball",
    description: "A ball around the origin. Groups: core and, if the shell has a thickness, shell (tets and their \
                  nodes), surface (nodes).",
    parameters: &[
        Parameter {
            name: "radius",
            kind: Kind::LENGTH,
            default: Preset::Numbers(&[0.1]),
            doc: "outer radius",
            unit: "m",
        },
        Parameter {
            name: "shell",
            kind: Kind::Number { components: 1, range: Range::NotNegative },
            default: Preset::Numbers(&[0.02]),
            doc: "thickness of the outer part that is the group shell, 0 for none",
            unit: "m",
        },
        Parameter {
            name: "resolution",
            kind: Kind::COUNT,
            default: Preset::Numbers(&[6.0]),
            doc: "layers of cells from the centre to the surface; 20 resolution^3 tets",
            unit: "",
        },
    ],
    elements: |p| Ok(20 * u128::from(p.count("resolution")?).pow(3)),
    is_sheet: false,
    build,
};

fn build(p: &Parameters) -> Result<Mesh, MeshError> {
    let (radius, shell, n) = (p.length("radius")?, p.length("shell")?, p.count("resolution")?);
    if shell >= radius {
        return Err(p.refuse("shell", format!("less than the radius, {radius}")).into());
    }
    if shell > 0.0 && n < 2 {
        return Err(p.refuse("resolution", "2 or more: a layer for the core and one for the shell".to_string()).into());
    }

    // The shell gets layers in proportion to its thickness.
    let shell_layers = if shell > 0.0 { ((f64::from(n) * shell / radius).round() as u32).clamp(1, n - 1) } else { 0 };
    let core_layers = n - shell_layers;
    let sphere = |layer: u32| {
        if layer <= core_layers {
            (radius - shell) * f64::from(layer) / f64::from(core_layers)
        } else {
            radius - shell * f64::from(n - layer) / f64::from(shell_layers)
        }
    };

    let mut lattice =
        Lattice { vertices: icosahedron(), nodes: HashMap::new(), layers: Vec::new(), points: Vec::new() };
    let mut tets = Vec::with_capacity(20 * (n as usize).pow(3));
    for face in faces() {
        lattice.fill(face, n, &sphere, &mut tets);
    }
    let layers = lattice.layers;
    let mut mesh = Mesh { points: lattice.points, tets, ..Mesh::default() };
    if (0..mesh.tets.len()).any(|e| mesh.tet_volume(e) <= 0.0) {
        let need = format!("a thicker one, or a resolution above {n}: the facets of the sphere would cut through it");
        return Err(p.refuse("shell", need).into());
    }

    // By layer, not by centroid: no tet crosses the sphere between core and shell.
    let outermost = |e: u32| mesh.tets[e as usize].iter().map(|&i| layers[i as usize]).max();
    let (core, outer): (Vec<u32>, Vec<u32>) =
        (0..mesh.tets.len() as u32).partition(|&e| outermost(e) <= Some(core_layers));
    for (name, tets) in [("core", core), ("shell", outer)] {
        if !tets.is_empty() {
            mesh.group_tets(name, tets);
        }
    }
    mesh.group_nodes("surface", (0..layers.len() as u32).filter(|&i| layers[i as usize] == n).collect());
    Ok(mesh)
}

/// Returns the twelve vertices on the unit sphere: a pole, five above the equator, five below, a pole.
fn icosahedron() -> [Vec3; 12] {
    let (z, r) = (0.2_f64.sqrt(), 0.8_f64.sqrt());
    std::array::from_fn(|i| match i {
        0 => [0.0, 0.0, 1.0],
        11 => [0.0, 0.0, -1.0],
        _ => {
            let (upper, step) = (i <= 5, if i <= 5 { (i - 1) as f64 } else { (i - 6) as f64 + 0.5 });
            let (sin, cos) = (TAU * step / 5.0).sin_cos();
            [r * cos, r * sin, if upper { z } else { -z }]
        }
    })
}

/// Returns the twenty faces, counter-clockwise from outside.
fn faces() -> impl Iterator<Item = [usize; 3]> {
    (0..5).flat_map(|i| {
        let j = (i + 1) % 5;
        let [a, b, c, d] = [1 + i, 1 + j, 6 + i, 6 + j];
        [[0, a, b], [a, c, b], [b, c, d], [11, d, c]]
    })
}

/// Node of one of the twenty parts: its weights at the three outer corners. Their sum is its layer.
type Weights = [u32; 3];

/// Nodes created so far.
struct Lattice {
    vertices: [Vec3; 12],
    /// Keyed by vertices and their nonzero weights, so that neighbouring parts share the nodes between them.
    nodes: HashMap<[(usize, u32); 3], u32>,
    layers: Vec<u32>,
    points: Vec<Vec3>,
}

impl Lattice {
    /// Fills the part between the centre and a face: regular subdivision into small copies, octahedra and upside-down
    /// copies.
    fn fill(&mut self, face: [usize; 3], n: u32, sphere: &dyn Fn(u32) -> f64, tets: &mut Vec<[u32; 4]>) {
        for a in 0..n {
            for b in 0..n - a {
                for c in 0..n - a - b {
                    let left = n - 1 - a - b - c; // layers outside this copy
                    let mut node = |da, db, dc| self.node(face, [a + da, b + db, c + dc], sphere);
                    let [va, vb, vc] = [node(1, 0, 0), node(0, 1, 0), node(0, 0, 1)];
                    tets.push([node(0, 0, 0), va, vb, vc]);
                    if left >= 1 {
                        let [ab, ac, bc] = [node(1, 1, 0), node(1, 0, 1), node(0, 1, 1)];
                        if left >= 2 {
                            let abc = node(1, 1, 1);
                            tets.push([ab, bc, ac, abc]);
                        }
                        self.octahedron([va, vb, vc], [bc, ac, ab], tets);
                    }
                }
            }
        }
    }

    /// Adds four tets around the shortest diagonal of an octahedron; `low[k]` is opposite to `high[k]`.
    fn octahedron(&self, low: [u32; 3], high: [u32; 3], tets: &mut Vec<[u32; 4]>) {
        let length = |k: usize| norm(sub(self.points[low[k] as usize], self.points[high[k] as usize]));
        let mut k = 0;
        for other in 1..3 {
            // Clearly shorter: where symmetry makes lengths equal, rounding must not decide.
            if length(other) < (1.0 - 1e-9) * length(k) {
                k = other;
            }
        }
        let [i, j] = [(k + 1) % 3, (k + 2) % 3];
        let ring = [low[i], low[j], high[i], high[j]];
        for s in 0..4 {
            tets.push([low[k], high[k], ring[s], ring[(s + 1) % 4]]);
        }
    }

    /// Returns the index of a node, created on first use.
    fn node(&mut self, face: [usize; 3], weights: Weights, sphere: &dyn Fn(u32) -> f64) -> u32 {
        let mut key: [(usize, u32); 3] =
            std::array::from_fn(|k| if weights[k] == 0 { (usize::MAX, 0) } else { (face[k], weights[k]) });
        key.sort_unstable();
        if let Some(&index) = self.nodes.get(&key) {
            return index;
        }
        // Sines make equal steps along the edges of the face, and nearly equal ones inside.
        let layer: u32 = weights.iter().sum();
        let edge = 0.2_f64.sqrt().acos(); // the angle between neighbouring vertices
        let mut direction = [0.0; 3];
        for (vertex, weight) in key.into_iter().filter(|&(_, weight)| weight > 0) {
            let share = (edge * f64::from(weight) / f64::from(layer)).sin();
            direction = add(direction, scale(share, self.vertices[vertex]));
        }
        let length = norm(direction);
        let point = if layer == 0 { [0.0; 3] } else { scale(sphere(layer) / length, direction) };
        let index = self.points.len() as u32;
        self.nodes.insert(key, index);
        self.points.push(point);
        self.layers.push(layer);
        index
    }
}
