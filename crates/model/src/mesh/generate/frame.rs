//! Frames of girders: selected cells of a grid, each whole or cut in half along a diagonal.
//!
//! This keeps slanted girders straight: whole cells along the diagonal, half cells beside them. A cell or half cell is
//! cut into tets by one rule: a cone from its first corner over the faces that do not contain it, each quadrilateral
//! cut from its own first corner. Neighbours agree on their common face because they use the same order of its corners.
//! Corners with few odd indices come first, so that whole cells are cut like those of a box: mirror images side by
//! side. Where cells are cubes, tets have a mean-ratio quality of 0.68 or more.

use std::collections::BTreeMap;

use numerics::mat3::Vec3;

use crate::mesh::Mesh;

/// Corner of the grid.
type Corner = [u32; 3];

/// Kept cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Whole,
    /// Without one edge: the one along `axis` with these offsets along the next two axes.
    Half {
        axis: usize,
        without: [u32; 2],
    },
}

/// Kept cells with the names of their parts, by their lowest corner as [z, y, x]: in this order x is fastest.
#[derive(Debug, Default)]
pub(super) struct Frame {
    cells: BTreeMap<Corner, (Piece, &'static str)>,
}

impl Frame {
    /// Keeps the block of whole cells `from..to`. Cells of an earlier part stay in that part.
    pub fn block(&mut self, part: &'static str, from: Corner, to: Corner) {
        for k in from[2]..to[2] {
            for j in from[1]..to[1] {
                for i in from[0]..to[0] {
                    self.keep(part, [i, j, k], Piece::Whole);
                }
            }
        }
    }

    /// Keeps a girder along the diagonal of the square of `length` cells at `from`, in the two axes after `axis`:
    /// rising, or falling from the far end; one cell thick.
    pub fn diagonal(&mut self, part: &'static str, from: Corner, length: u32, axis: usize, rising: bool) {
        let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
        let mut keep = |a: u32, b: u32, piece: Piece| {
            let mut cell = from;
            cell[u] += if rising { a } else { length - 1 - a };
            cell[v] += b;
            self.keep(part, cell, piece);
        };
        // Cells beside the diagonal lose the corner away from it.
        let half = |near: u32| Piece::Half { axis, without: [if rising { near } else { 1 - near }, 1 - near] };
        for a in 0..length {
            keep(a, a, Piece::Whole);
            if a + 1 < length {
                keep(a + 1, a, half(1));
                keep(a, a + 1, half(0));
            }
        }
    }

    fn keep(&mut self, part: &'static str, [i, j, k]: Corner, piece: Piece) {
        let kept = self.cells.entry([k, j, i]).or_insert((piece, part));
        // Two halves in one cell fill it, or nearly.
        if kept.0 != piece {
            kept.0 = Piece::Whole;
        }
    }

    /// Builds the mesh, with one group of tets and their nodes per part; returns also the corners of its nodes.
    pub fn mesh(&self, place: impl Fn(Corner) -> Vec3) -> (Mesh, Vec<Corner>) {
        let mut nodes: BTreeMap<Corner, u32> = BTreeMap::new();
        for (&[k, j, i], (piece, _)) in &self.cells {
            for [x, y, z] in piece.corners([i, j, k]) {
                nodes.insert([z, y, x], 0);
            }
        }
        nodes.values_mut().enumerate().for_each(|(index, node)| *node = index as u32);
        let corners: Vec<Corner> = nodes.keys().map(|&[z, y, x]| [x, y, z]).collect();

        let mut mesh = Mesh { points: corners.iter().map(|&corner| place(corner)).collect(), ..Mesh::default() };
        let mut parts: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for (&[k, j, i], (piece, part)) in &self.cells {
            for mut tet in piece.tets([i, j, k]) {
                if orientation(tet) < 0 {
                    tet.swap(2, 3);
                }
                parts.entry(part).or_default().push(mesh.tets.len() as u32);
                // Every corner of a piece is among the nodes.
                mesh.tets.push(tet.map(|[x, y, z]| nodes.get(&[z, y, x]).copied().unwrap_or_default()));
            }
        }
        for (part, tets) in parts {
            mesh.group_tets(part, tets);
        }
        (mesh, corners)
    }
}

impl Piece {
    /// Returns the corners of the piece in this cell.
    fn corners(self, cell: Corner) -> Vec<Corner> {
        let offsets = (0..8).map(|n| [n & 1, n >> 1 & 1, n >> 2]);
        offsets.filter(|&offset| self.holds(offset)).map(|d| std::array::from_fn(|k| cell[k] + d[k])).collect()
    }

    fn holds(self, offset: Corner) -> bool {
        match self {
            Piece::Whole => true,
            Piece::Half { axis, without } => [offset[(axis + 1) % 3], offset[(axis + 2) % 3]] != without,
        }
    }

    /// Returns the tets of the piece, of either orientation.
    fn tets(self, cell: Corner) -> Vec<[Corner; 4]> {
        let corners = self.corners(cell);
        let Some(&tip) = corners.iter().min_by_key(|corner| rank(**corner)) else { return Vec::new() };
        let mut tets = Vec::with_capacity(6);
        for face in self.faces(cell, &corners).into_iter().filter(|face| !face.contains(&tip)) {
            let first = (0..face.len()).min_by_key(|&n| rank(face[n])).unwrap_or_default();
            let around = |n: usize| face[(first + n) % face.len()];
            tets.extend((1..face.len() - 1).map(|n| [tip, around(0), around(n), around(n + 1)]));
        }
        tets
    }

    /// Returns the corners of each face, in order around it.
    fn faces(self, cell: Corner, corners: &[Corner]) -> Vec<Vec<Corner>> {
        let mut faces = Vec::with_capacity(6);
        for axis in 0..3 {
            for side in 0..2 {
                let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
                let around = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[a, b]| {
                    let mut corner = cell;
                    corner[axis] += side;
                    corner[u] += a;
                    corner[v] += b;
                    corner
                });
                let face: Vec<Corner> = around.into_iter().filter(|corner| corners.contains(corner)).collect();
                // A half cell has only two corners of each side that it lost.
                if face.len() > 2 {
                    faces.push(face);
                }
            }
        }
        if let Piece::Half { axis, without } = self {
            let corner = |along: u32, [a, b]: [u32; 2]| {
                let mut corner = cell;
                corner[axis] += along;
                corner[(axis + 1) % 3] += a;
                corner[(axis + 2) % 3] += b;
                corner
            };
            let [p, q] = [[1 - without[0], without[1]], [without[0], 1 - without[1]]];
            faces.push(vec![corner(0, p), corner(1, p), corner(1, q), corner(0, q)]);
        }
        faces
    }
}

/// Orders corners: few odd indices first.
fn rank(corner: Corner) -> (u32, Corner) {
    (corner.iter().map(|x| x % 2).sum(), corner)
}

/// Computes the sign of the volume of a tet of the grid, exactly.
fn orientation([a, b, c, d]: [Corner; 4]) -> i64 {
    let edge = |p: Corner| -> [i64; 3] { std::array::from_fn(|k| i64::from(p[k]) - i64::from(a[k])) };
    let ([x, y, z], [u, v, w], [p, q, r]) = (edge(b), edge(c), edge(d));
    x * (v * r - w * q) - y * (u * r - w * p) + z * (u * q - v * p)
}
