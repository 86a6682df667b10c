//! A closed surface of triangles around a shape, for display and embedding: the boundary of its tets, without the
//! inside.

use model::mesh::Mesh;

use crate::{
    Distance,
    doctor::renumber::drop_unused,
    stuff::{Fineness, StuffError, Wanted, stuff},
};

/// Levels by which tets grow inside, where they are not needed.
const COARSEST: u32 = 8;
/// Allowed relative difference from the wanted number of vertices.
const CLOSE: f64 = 0.05;
/// Limit of spacings tried; about three are needed. Where the number jumps over the wanted one, the nearest is taken.
const TRIES: usize = 12;
/// Cells along the widest side of the shape in the first try.
const FIRST: f64 = 12.0;

/// Makes the surface of a shape: triangles alone, about as fine as a spacing, or of about this many vertices (within 5
/// %, or as near as the lattice allows where they are few).
///
/// `progress` is called with the finished share of the work, from 0 to 1, increasing.
pub fn isosurface(shape: &dyn Distance, fineness: Fineness, progress: &mut dyn FnMut(f64)) -> Result<Mesh, StuffError> {
    match fineness {
        Fineness::Spacing(spacing) => boundary(shape, spacing, progress),
        Fineness::Vertices(vertices) => search(shape, vertices, progress),
    }
}

fn boundary(shape: &dyn Distance, spacing: f64, progress: &mut dyn FnMut(f64)) -> Result<Mesh, StuffError> {
    let solid = stuff(shape, &Wanted::spacing(spacing).graded(COARSEST), progress)?.mesh;
    let mut surface = Mesh { triangles: solid.boundary_triangles(), points: solid.points, ..Mesh::default() };
    drop_unused(&mut surface);
    Ok(surface)
}

/// Searches for the spacing. The number of vertices on a surface scales like the spacing to the power -2, once its
/// features are resolved.
fn search(shape: &dyn Distance, wanted: usize, progress: &mut dyn FnMut(f64)) -> Result<Mesh, StuffError> {
    let bounds = shape.bounds();
    let widest = (0..3).map(|k| bounds[1][k] - bounds[0][k]).fold(0.0, f64::max);
    let mut spacing = widest / FIRST;
    let mut best: Option<(f64, Mesh)> = None; // off by this share
    let mut bracket = [0.0, f64::INFINITY]; // spacings with too many and too few
    let mut done = 0.0;
    for _ in 0..TRIES {
        // While the next try may be the last, it counts as half of the rest.
        let share = 0.5 * (1.0 - done);
        let found = boundary(shape, spacing, &mut |part| progress(done + share * part));
        done += share;
        let surface = match found {
            // Thin or small: finer, but not forever.
            Err(StuffError::Nothing { .. }) => {
                bracket[1] = spacing;
                spacing *= 0.25;
                continue;
            }
            found => found?,
        };
        let ratio = surface.points.len() as f64 / wanted as f64;
        let off = (ratio - 1.0).abs();
        if best.as_ref().is_none_or(|(least, _)| off < *least) {
            best = Some((off, surface));
        }
        if off <= CLOSE {
            break;
        }
        // Sixteen times as many at most at once: coarse surfaces miss thin parts.
        bracket[usize::from(ratio < 1.0)] = spacing;
        spacing *= ratio.max(1.0 / 16.0).sqrt();
        if spacing <= bracket[0] || spacing >= bracket[1] {
            // The number jumps where the lattice begins to resolve thin parts.
            spacing = (bracket[0] * bracket[1]).sqrt();
        }
    }
    progress(1.0);
    best.map(|(_, surface)| surface).ok_or(StuffError::Nothing { spacing, bounds })
}
