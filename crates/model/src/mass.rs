//! Mass of the free nodes: lumped at the nodes, or consistent with the shape functions.

use numerics::blocks::BlockMatrix;

/// Mass matrix of the free nodes [kg].
#[derive(Debug, Clone)]
pub enum Mass {
    /// One mass per node.
    Lumped(Vec<f64>),
    /// Galerkin mass of linear tets; each block is a multiple of the identity.
    Consistent(BlockMatrix),
}

impl Mass {
    /// Computes y += c M x.
    pub fn multiply_add(&self, c: f64, x: &[f64], y: &mut [f64]) {
        match self {
            Mass::Lumped(mass) => {
                for ((x, y), m) in x.as_chunks::<3>().0.iter().zip(y.as_chunks_mut::<3>().0).zip(mass) {
                    (0..3).for_each(|r| y[r] += c * m * x[r]);
                }
            }
            Mass::Consistent(matrix) => matrix.multiply_add(c, x, y),
        }
    }

    /// Computes A += c M.
    pub fn add_to(&self, c: f64, a: &mut BlockMatrix) {
        match self {
            Mass::Lumped(mass) => {
                let pattern = a.pattern().clone();
                for (i, m) in mass.iter().enumerate() {
                    let block = &mut a.values[pattern.diagonal(i)];
                    (0..3).for_each(|r| block[r][r] += c * m);
                }
            }
            Mass::Consistent(matrix) => {
                for (a, m) in a.values.iter_mut().zip(&matrix.values) {
                    (0..3).for_each(|r| a[r][r] += c * m[r][r]);
                }
            }
        }
    }

    /// Computes block row `i` of M x: the momentum of node `i` where x is a velocity.
    pub fn row_times(&self, i: usize, x: &[f64]) -> [f64; 3] {
        match self {
            Mass::Lumped(mass) => std::array::from_fn(|c| mass[i] * x[3 * i + c]),
            Mass::Consistent(matrix) => matrix.row_times(i, x),
        }
    }

    /// Computes x . M y.
    pub fn inner(&self, x: &[f64], y: &[f64]) -> f64 {
        match self {
            Mass::Lumped(mass) => (x.as_chunks::<3>().0.iter().zip(y.as_chunks::<3>().0).zip(mass))
                .map(|((x, y), m)| m * (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]))
                .sum(),
            Mass::Consistent(matrix) => {
                let rows = matrix.pattern().rows();
                (0..rows)
                    .map(|i| {
                        matrix
                            .pattern()
                            .lower(i)
                            .map(|(j, slot)| {
                                let both = (0..3).map(|r| x[3 * i + r] * y[3 * j + r] + x[3 * j + r] * y[3 * i + r]);
                                matrix.values[slot][0][0] * both.sum::<f64>() * if i == j { 0.5 } else { 1.0 }
                            })
                            .sum::<f64>()
                    })
                    .sum()
            }
        }
    }
}
