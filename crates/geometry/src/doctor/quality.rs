//! Quality of tets: mean ratio and smallest dihedral angle.

use super::faces::FACES;
use model::mesh::{Mesh, mean_ratio};
use numerics::mat3::{Vec3, cross, dot, sub};
use rayon::prelude::*;

/// Number of bars of a histogram.
pub const BARS: usize = 20;
/// The upper end of the histogram of angles [degrees]; the regular tet has 70.5.
pub const WIDEST: f64 = 72.0;
/// Mean ratio below which a tet is a sliver.
const LEAST_RATIO: f64 = 0.1;
/// Dihedral angle below which a tet is a sliver [degrees].
const LEAST_ANGLE: f64 = 5.0;

/// Quality of the tets.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    /// Lowest and mean of the mean ratio.
    pub ratio: [f64; 2],
    /// Tets by mean ratio, from 0 to 1.
    pub ratios: [usize; BARS],
    /// Lowest and mean of the smallest dihedral angle of a tet [degrees].
    pub angle: [f64; 2],
    /// Tets by smallest dihedral angle, from 0 to [`WIDEST`] degrees.
    pub angles: [usize; BARS],
}

/// Returns the smallest dihedral angle of a tet [degrees].
pub fn smallest_dihedral(p: &[Vec3; 4]) -> f64 {
    let normal = |[a, b, c]: [usize; 3]| cross(sub(p[b], p[a]), sub(p[c], p[a]));
    let normals = FACES.map(normal);
    let mut widest = -1.0_f64;
    for i in 0..4 {
        for j in 0..i {
            let lengths = (dot(normals[i], normals[i]) * dot(normals[j], normals[j])).sqrt();
            widest = widest.max(-dot(normals[i], normals[j]) / lengths);
        }
    }
    widest.clamp(-1.0, 1.0).acos().to_degrees()
}

/// Returns the quality of the `sound` tets, and the slivers among them, ascending. Inverted tets would have the same
/// quality.
pub(super) fn quality(mesh: &Mesh, sound: &[bool]) -> (Option<Quality>, Vec<u32>) {
    let both = |e: usize| {
        let p = mesh.tet_points(e);
        (mean_ratio(&p).abs(), smallest_dihedral(&p))
    };
    let each: Vec<Option<(f64, f64)>> =
        (0..mesh.tets.len()).into_par_iter().map(|e| sound[e].then(|| both(e))).collect();
    let (mut ratios, mut angles) = ([0; BARS], [0; BARS]);
    let (mut ratio, mut angle, mut count, mut slivers) = ([1.0_f64, 0.0], [180.0_f64, 0.0], 0.0, Vec::new());
    let bar = |x: f64| ((BARS as f64 * x) as usize).min(BARS - 1);
    for (e, (q, a)) in each.into_iter().enumerate().filter_map(|(e, both)| Some((e, both?))) {
        ratios[bar(q)] += 1;
        angles[bar(a / WIDEST)] += 1;
        ratio = [ratio[0].min(q), ratio[1] + q];
        angle = [angle[0].min(a), angle[1] + a];
        count += 1.0;
        if q < LEAST_RATIO || a < LEAST_ANGLE {
            slivers.push(e as u32);
        }
    }
    if count == 0.0 {
        return (None, slivers);
    }
    let (ratio, angle) = ([ratio[0], ratio[1] / count], [angle[0], angle[1] / count]);
    (Some(Quality { ratio, ratios, angle, angles }), slivers)
}
