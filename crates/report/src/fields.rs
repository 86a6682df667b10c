//! Fields that points may be coloured by: speed, strain, elastic energy.

use model::mesh::Mesh;
use model::{Model, State};
use numerics::mat3::{Mat3, Vec3, mat_mul, mat_t_mul, norm, sub};

/// Names and units, in the order of [`Recording::fields`](crate::Recording::fields).
pub const FIELDS: [(&str, &str); 3] = [("speed", "m/s"), ("strain", ""), ("energy", "J/kg")];

/// Rest shapes, made once per run.
pub struct Fields {
    /// For each tet its nodes in the model, the inverse of its edges at rest [1/m], and its volume [m^3].
    tets: Vec<([u32; 4], Mat3, f64)>,
    /// For each structural edge of bodies without tets its nodes in the model and its length at rest [m].
    edges: Vec<([u32; 2], f64)>,
}

impl Fields {
    /// Makes it from the elements of a mesh, in the numbering of the model.
    pub fn new(mesh: &Mesh, model: &Model) -> Fields {
        let number = |i: u32| model.number(i as usize) as u32;
        let tets = mesh.tets.iter().enumerate().map(|(e, tet)| {
            let [a, b, c, d] = mesh.tet_points(e);
            (tet.map(number), inverse(&columns([sub(b, a), sub(c, a), sub(d, a)])), mesh.tet_volume(e))
        });
        let mut of_tets = vec![false; mesh.points.len()];
        mesh.tets.iter().flatten().for_each(|&i| of_tets[i as usize] = true);
        let alone = mesh.edges.iter().filter(|edge| !edge.iter().any(|&i| of_tets[i as usize]));
        let edges = alone.map(|edge| {
            let [a, b] = edge.map(|i| mesh.points[i as usize]);
            (edge.map(number), norm(sub(b, a)))
        });
        Fields { tets: tets.collect(), edges: edges.collect() }
    }

    /// Computes speed [m/s], strain and elastic energy [J/kg] of every node, in the order of the model. The strain of a
    /// tet is the norm of Green's strain, that of a spring its elongation; a node has the mean of its elements.
    pub fn at(&self, model: &Model, state: &State) -> Vec<Vec3> {
        let n = model.nodes();
        let point = |i: u32| -> Vec3 { std::array::from_fn(|c| state.x[3 * i as usize + c]) };
        let (mut strain, mut weight) = (vec![0.0; n], vec![0.0; n]);
        for (tet, rest, volume) in &self.tets {
            let [a, b, c, d] = tet.map(point);
            let f = mat_mul(&columns([sub(b, a), sub(c, a), sub(d, a)]), rest);
            let stretch = mat_t_mul(&f, &f);
            let squares = (0..9).map(|k| stretch[k / 3][k % 3] - f64::from(k / 3 == k % 3)).map(|x| x * x);
            let green = 0.5 * squares.sum::<f64>().sqrt();
            for &i in tet {
                strain[i as usize] += volume * green;
                weight[i as usize] += volume;
            }
        }
        for (edge, length) in &self.edges {
            let [a, b] = edge.map(point);
            for &i in edge {
                strain[i as usize] += (norm(sub(b, a)) - length).abs();
                weight[i as usize] += length;
            }
        }
        let mut energy = vec![0.0; n];
        model.terms().iter().for_each(|term| term.share_energy(&state.x, &mut energy));
        let mass = model.node_mass();
        let mean = |sum: f64, weight: f64| if weight > 0.0 { sum / weight } else { 0.0 };
        (0..n)
            .map(|i| {
                let v: Vec3 = std::array::from_fn(|c| state.v[3 * i + c]);
                [norm(v), mean(strain[i], weight[i]), mean(energy[i].max(0.0), mass[i])]
            })
            .collect()
    }
}

fn columns([a, b, c]: [Vec3; 3]) -> Mat3 {
    std::array::from_fn(|r| [a[r], b[r], c[r]])
}

fn inverse(a: &Mat3) -> Mat3 {
    let cofactor = numerics::mat3::cofactor(a);
    let determinant = numerics::mat3::determinant(a);
    std::array::from_fn(|r| std::array::from_fn(|c| cofactor[c][r] / determinant))
}
