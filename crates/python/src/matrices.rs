//! Matrices of the free nodes as block rows, in the order of the mesh.

use model::Model;
use numerics::blocks::BlockMatrix;
use numerics::mat3::{Mat3, transpose};
use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

/// Blocks, their columns, and the beginning of each row: what `scipy.sparse.bsr_array` takes.
pub type Blocks<'py> = (Bound<'py, PyArray3<f64>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<i32>>);

/// Returns the free nodes of the model in the order of the mesh, and the place of each in that order.
fn order(model: &Model) -> (Vec<usize>, Vec<usize>) {
    let mut nodes: Vec<usize> = (0..model.free_nodes()).collect();
    nodes.sort_unstable_by_key(|&node| model.origin(node));
    let mut place = vec![0; nodes.len()];
    nodes.iter().enumerate().for_each(|(k, &node)| place[node] = k);
    (nodes, place)
}

/// Returns a matrix of the model, both halves of it.
pub fn blocks<'py>(py: Python<'py>, matrix: &BlockMatrix, model: &Model) -> PyResult<Blocks<'py>> {
    let (nodes, place) = order(model);
    let pattern = matrix.pattern();
    let (mut values, mut columns, mut starts) = (Vec::new(), Vec::new(), vec![0]);
    for &i in &nodes {
        let mut row: Vec<(usize, Mat3)> = pattern
            .neighbours(i)
            .map(|(j, slot)| {
                let block = &matrix.values[slot];
                (place[j], if j > i { transpose(block) } else { *block })
            })
            .collect();
        row.sort_unstable_by_key(|(column, _)| *column);
        for (column, block) in row {
            columns.push(column as i32);
            values.push(block);
        }
        starts.push(columns.len() as i32);
    }
    made(py, &values, columns, starts)
}

/// Returns the lumped mass of a model.
pub fn diagonal<'py>(py: Python<'py>, model: &Model) -> PyResult<Blocks<'py>> {
    let (nodes, _) = order(model);
    let block = |&node: &usize| -> Mat3 {
        let mass = model.node_mass()[node];
        std::array::from_fn(|r| std::array::from_fn(|c| if r == c { mass } else { 0.0 }))
    };
    let values: Vec<Mat3> = nodes.iter().map(block).collect();
    let count = nodes.len() as i32;
    made(py, &values, (0..count).collect(), (0..=count).collect())
}

fn made<'py>(py: Python<'py>, values: &[Mat3], columns: Vec<i32>, starts: Vec<i32>) -> PyResult<Blocks<'py>> {
    let flat = PyArray1::from_slice(py, values.as_flattened().as_flattened());
    let values = flat.reshape([values.len(), 3, 3])?;
    Ok((values, PyArray1::from_vec(py, columns), PyArray1::from_vec(py, starts)))
}
