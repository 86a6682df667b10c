//! Texture coordinates of bodies: along the threads of a sheet, or as given by an OBJ file.

use super::skin::TexturePoint;
use crate::body::{Body, Shape};
use crate::files::{read_bytes, read_mesh};
use model::mesh::Mesh;
use std::path::Path;

/// Returns the texture coordinates of the corners of a body's triangles, which must be those of its mesh.
pub(super) fn of_body(body: &Body, directory: &Path, triangles: &[[u32; 3]]) -> Option<Vec<[TexturePoint; 3]>> {
    match &body.shape {
        Shape::Generated { generator, parameters } if generator.is_sheet => {
            of_flat(&generator.mesh(parameters).ok()?, triangles)
        }
        Shape::File { path, .. } => of_file(&directory.join(path), triangles),
        Shape::Generated { .. } | Shape::Parts(_) | Shape::Given(_) => None,
    }
}

/// Reads the texture coordinates of an OBJ file, if its triangles are these.
pub(super) fn of_file(path: &Path, triangles: &[[u32; 3]]) -> Option<Vec<[TexturePoint; 3]>> {
    path.extension().filter(|ending| ending.eq_ignore_ascii_case("obj"))?;
    let texture = formats::obj_texture(&read_bytes(path).ok()?)?;
    (read_mesh(path).ok()?.triangles == triangles).then_some(texture)
}

/// Spreads the picture over a sheet in the plane z = 0.
fn of_flat(mesh: &Mesh, triangles: &[[u32; 3]]) -> Option<Vec<[TexturePoint; 3]>> {
    let [low, high] = mesh.bounds()?;
    let size: [f64; 2] = std::array::from_fn(|k| high[k] - low[k]);
    if !mesh.tets.is_empty() || mesh.triangles != triangles || high[2] != low[2] || size.contains(&0.0) {
        return None;
    }
    let point = |i: u32| std::array::from_fn(|k| ((mesh.points[i as usize][k] - low[k]) / size[k]) as f32);
    Some(triangles.iter().map(|triangle| triangle.map(point)).collect())
}
