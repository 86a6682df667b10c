//! A closed surface of triangles around a shape, to look at and to embed: the boundary of its tets, the inside thrown away.

use model::mesh::Mesh;

use crate::{
    Distance,
    doctor::renumber::drop_unused,
    stuff::{Fineness, StuffError, Wanted, stuff},
};

/// Tets double in size this often inside: they are thrown away.
const COARSEST: u32 = 8;
/// The number of vertices may differ from the wanted one by this share.
const CLOSE: f64 = 0.05;
/// How many spacings are tried; about three are needed. Where the number jumps over the wanted one, the nearest is taken.
const TRIES: usize = 12;
/// Cells along the widest side of the shape in the first try.
const FIRST: f64 = 12.0;

/// The surface of a shape: triangles alone, about as fine as a spacing, or of about so many vertices (within 5 %, or as near
/// as the lattice allows where they are few).
///
/// `progress` is told the share of the work that is done, from 0 to 1, growing.
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

/// The number of vertices on a surface goes like the spacing to the power -2, once its features are resolved.
fn search(shape: &dyn Distance, wanted: usize, progress: &mut dyn FnMut(f64)) -> Result<Mesh, StuffError> {
    let bounds = shape.bounds();
    let widest = (0..3).map(|k| bounds[1][k] - bounds[0][k]).fold(0.0, f64::max);
    let mut spacing = widest / FIRST;
    let mut best: Option<(f64, Mesh)> = None; // off by this share
    let mut bracket = [0.0, f64::INFINITY]; // spacings with too many and too few
    let mut done = 0.0;
    for _ in 0..TRIES {
        // As long as the next try may be the last it is half of what is left.
        let share = 0.5 * (1.0 - done);
        let found = boundary(shape, spacing, &mut |part| progress(done + share * part));
        done += share;
        let surface = match found {
            // Thin or small: finer, but not for ever.
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
        // Sixteen times as many at most in one go: coarse surfaces miss what is thin.
        bracket[usize::from(ratio < 1.0)] = spacing;
        spacing *= ratio.max(1.0 / 16.0).sqrt();
        if spacing <= bracket[0] || spacing >= bracket[1] {
            // The number jumps where the lattice begins to see what is thin.
            spacing = (bracket[0] * bracket[1]).sqrt();
        }
    }
    progress(1.0);
    best.map(|(_, surface)| surface).ok_or(StuffError::Nothing { spacing, bounds })
}
