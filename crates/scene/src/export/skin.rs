//! Normals and texture coordinates of a body, at each corner of its triangles.
//!
//! Corners of one node share their normal across edges that are not sharp, so that a ball looks round and a box has
//! edges. Sharp edges are found in the first frame that is shown, and stay sharp.

use numerics::mat3::{Vec3, add, cross, dot, norm, scale, sub};
use std::collections::HashMap;

/// Triangles with a larger angle at an edge have separate normals there [degrees]; the page uses the same value.
pub(super) const SHARP: f64 = 50.0;

/// Texture coordinates: from the left, from the bottom; the whole picture is 1 wide and high.
pub type TexturePoint = [f32; 2];

/// Normals and texture coordinates of the corners of a body's triangles.
#[derive(Debug, Clone, Default)]
pub(super) struct Skin {
    /// Corners of the triangles, in the numbering of the body.
    pub triangles: Vec<[usize; 3]>,
    /// Normal of each corner.
    pub normal_of: Vec<[usize; 3]>,
    /// Node of each normal.
    pub node_of_normal: Vec<usize>,
    /// Texture coordinates of each corner; empty without a picture.
    pub texture_point_of: Vec<[usize; 3]>,
    /// All texture coordinates.
    pub texture_points: Vec<TexturePoint>,
}

impl Skin {
    /// Makes the skin of triangles over some points; `texture` has coordinates for each corner, or is empty.
    pub fn of(points: &[Vec3], triangles: Vec<[usize; 3]>, texture: &[[TexturePoint; 3]]) -> Skin {
        let mut parents = smooth_corners(points, &triangles);
        let (mut numbers, mut node_of_normal) = (HashMap::new(), Vec::new());
        let mut normal_of = Vec::with_capacity(triangles.len());
        for (t, triangle) in triangles.iter().enumerate() {
            normal_of.push(std::array::from_fn(|k| {
                *numbers.entry(root(&mut parents, 3 * t + k)).or_insert_with(|| {
                    node_of_normal.push(triangle[k]);
                    node_of_normal.len() - 1
                })
            }));
        }
        let (mut known, mut texture_points) = (HashMap::new(), Vec::new());
        let mut number = |texture_point: TexturePoint| {
            *known.entry(texture_point.map(f32::to_bits)).or_insert_with(|| {
                texture_points.push(texture_point);
                texture_points.len() - 1
            })
        };
        let texture_point_of = texture.iter().map(|corners| corners.map(&mut number)).collect();
        Skin { triangles, normal_of, node_of_normal, texture_point_of, texture_points }
    }

    /// Computes the normals of a body from its current points: means over the triangles, weighted by area; up if there
    /// is none.
    pub fn normals(&self, points: &[Vec3], normals: &mut Vec<Vec3>) {
        normals.clear();
        normals.resize(self.node_of_normal.len(), [0.0; 3]);
        for (triangle, numbers) in self.triangles.iter().zip(&self.normal_of) {
            let area = area(points, triangle);
            numbers.iter().for_each(|&n| normals[n] = add(normals[n], area));
        }
        normals.iter_mut().for_each(|normal| *normal = direction(*normal).unwrap_or([0.0, 0.0, 1.0]));
    }
}

/// Vertices with one normal and one pair of texture coordinates each, as glTF requires.
pub(super) struct Vertices {
    /// Node of each vertex. The first are the nodes themselves; copies of those on creases and seams follow.
    pub nodes: Vec<usize>,
    /// Normal of each vertex, if it belongs to a triangle.
    pub normals: Vec<Option<usize>>,
    /// Texture coordinates of each vertex, if it belongs to a triangle.
    pub texture_points: Vec<Option<usize>>,
    /// Triangles.
    pub triangles: Vec<[usize; 3]>,
}

impl Vertices {
    /// Returns the vertices of a body of so many nodes.
    pub fn of(skin: &Skin, nodes: usize) -> Vertices {
        let mut all = Vertices {
            nodes: (0..nodes).collect(),
            normals: vec![None; nodes],
            texture_points: vec![None; nodes],
            triangles: Vec::with_capacity(skin.triangles.len()),
        };
        let mut numbers = HashMap::new();
        for (t, triangle) in skin.triangles.iter().enumerate() {
            let vertices = std::array::from_fn(|k| {
                let (normal, texture_point) =
                    (skin.normal_of[t][k], skin.texture_point_of.get(t).map(|corners| corners[k]));
                *numbers.entry((normal, texture_point)).or_insert_with(|| {
                    let mut number = triangle[k];
                    if all.normals[number].is_some() {
                        number = all.nodes.len();
                        all.nodes.push(triangle[k]);
                        all.normals.push(None);
                        all.texture_points.push(None);
                    }
                    (all.normals[number], all.texture_points[number]) = (Some(normal), texture_point);
                    number
                })
            });
            all.triangles.push(vertices);
        }
        all
    }
}

/// Returns the normal of a triangle, of twice its area in length.
fn area(points: &[Vec3], triangle: &[usize; 3]) -> Vec3 {
    let [a, b, c] = triangle.map(|i| points[i]);
    cross(sub(b, a), sub(c, a))
}

/// Returns the unit vector along another; `None` if its length or its square underflows in double precision.
fn direction(vector: Vec3) -> Option<Vec3> {
    let length = norm(vector);
    (length > 1e-150).then(|| scale(1.0 / length, vector))
}

/// Returns trees of the corners that share a normal: those of one node on both sides of an edge that is not sharp.
fn smooth_corners(points: &[Vec3], triangles: &[[usize; 3]]) -> Vec<usize> {
    let least = SHARP.to_radians().cos();
    let normals: Vec<Vec3> = triangles.iter().map(|t| direction(area(points, t)).unwrap_or_default()).collect();
    let mut parents: Vec<usize> = (0..3 * triangles.len()).collect();
    let mut sides: HashMap<[usize; 2], [usize; 2]> = HashMap::new();
    for (t, triangle) in triangles.iter().enumerate() {
        for k in 0..3 {
            let mut ends = [(triangle[k], 3 * t + k), (triangle[(k + 1) % 3], 3 * t + (k + 1) % 3)];
            ends.sort_unstable();
            let [(a, from), (b, to)] = ends;
            let other = *sides.entry([a, b]).or_insert([from, to]);
            if dot(normals[t], normals[other[0] / 3]) >= least {
                join(&mut parents, from, other[0]);
                join(&mut parents, to, other[1]);
            }
        }
    }
    parents
}

fn root(parents: &mut [usize], mut i: usize) -> usize {
    while parents[i] != i {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    i
}

fn join(parents: &mut [usize], i: usize, j: usize) {
    let (a, b) = (root(parents, i), root(parents, j));
    parents[a.max(b)] = a.min(b);
}
