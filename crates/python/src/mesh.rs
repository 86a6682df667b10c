//! Meshes from arrays, and arrays from meshes.

use model::mesh::{Group, Mesh};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// Points [m], tets, triangles, edges, and the nodes of groups; arrays that Python has checked: C-contiguous, of these types.
pub type GivenMesh<'py> = (
    PyReadonlyArray2<'py, f64>,
    PyReadonlyArray2<'py, u32>,
    PyReadonlyArray2<'py, u32>,
    PyReadonlyArray2<'py, u32>,
    Vec<(String, PyReadonlyArray1<'py, u32>)>,
);

/// Makes a mesh. A group holds the tets and triangles all of whose corners it holds.
pub fn mesh((points, tets, triangles, edges, groups): GivenMesh) -> Mesh {
    let mut mesh = Mesh {
        points: rows(&points),
        tets: rows(&tets),
        triangles: rows(&triangles),
        edges: rows(&edges),
        ..Mesh::default()
    };
    let mut all = BTreeMap::new();
    for (name, nodes) in groups {
        let nodes: Vec<u32> = nodes.as_slice().unwrap_or_default().to_vec();
        let mut inside = vec![false; mesh.points.len()];
        for &node in &nodes {
            if let Some(inside) = inside.get_mut(node as usize) {
                *inside = true;
            }
        }
        let held = |corners: &[u32]| corners.iter().all(|&node| inside.get(node as usize) == Some(&true));
        let numbers = |elements: Vec<bool>| -> Vec<u32> {
            (0u32..).zip(elements).filter(|(_, is_held)| *is_held).map(|(number, _)| number).collect()
        };
        let tets = numbers(mesh.tets.iter().map(|corners| held(corners)).collect());
        let triangles = numbers(mesh.triangles.iter().map(|corners| held(corners)).collect());
        all.insert(name, Group { nodes, tets, triangles });
    }
    mesh.groups = all;
    mesh
}

/// Returns the rows of an array of N columns; none of an array of another width.
fn rows<T: numpy::Element + Copy, const N: usize>(array: &PyReadonlyArray2<T>) -> Vec<[T; N]> {
    array.as_slice().map(|values| values.as_chunks::<N>().0.to_vec()).unwrap_or_default()
}

/// Returns a new array of N columns.
pub fn array<'py, T: numpy::Element + Copy, const N: usize>(
    py: Python<'py>,
    rows: &[[T; N]],
) -> PyResult<Bound<'py, PyArray2<T>>> {
    PyArray1::from_slice(py, rows.as_flattened()).reshape([rows.len(), N])
}
