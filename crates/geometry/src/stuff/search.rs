//! Search for the spacing that gives a wanted number of vertices.

use super::{StuffError, filling::Filling};
use crate::Distance;

/// Allowed relative difference from the wanted number of vertices before the cuts are moved onto the surface, which
/// changes it slightly once more.
const CLOSE: f64 = 0.03;

/// Limit of spacings tried. About four are needed, the first ones coarse and cheap; where a body has symmetries or few
/// vertices the number jumps over the wanted one, and the nearest found is taken.
const TRIES: usize = 16;

/// Least number of cells along the widest side of the shape in the first try.
const FIRST: f64 = 12.0;

/// Finds a spacing and fills the shape with it.
///
/// The number of vertices scales like a power of the spacing between -2 (thin or graded bodies) and -3 (solid ones);
/// the last two tries give the power, and a bracket limits the next one where the number jumps.
pub(super) fn spacing(
    shape: &dyn Distance,
    wanted: usize,
    grading: u32,
    progress: &mut dyn FnMut(f64),
) -> Result<(Filling, f64), StuffError> {
    let bounds = shape.bounds();
    let [low, high] = bounds;
    let widest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    let target = (wanted as f64).ln();
    let mut spacing = widest / FIRST;
    let mut power = -2.5;
    let mut last: Option<(f64, f64)> = None; // logarithms of spacing and number
    let mut bracket = [f64::NEG_INFINITY, f64::INFINITY]; // logarithms of spacings with too many and too few
    let mut best: Option<(f64, f64)> = None; // off by this share, spacing
    for tried in 0..TRIES {
        let filling = Filling::new(shape, spacing, grading)?;
        let count = filling.vertices();
        if count == 0 {
            // Nothing found yet: thin or small. Finer, but not forever.
            bracket[1] = bracket[1].min(spacing.ln());
            spacing *= 0.5;
            if widest / spacing > 2048.0 {
                return Err(StuffError::Nothing { spacing: 2.0 * spacing, bounds });
            }
            continue;
        }
        let off = (count as f64 / wanted as f64 - 1.0).abs();
        if off <= CLOSE {
            return Ok((filling, spacing));
        }
        if best.is_none_or(|(least, ..)| off < least) {
            best = Some((off, spacing));
        }
        let here = (spacing.ln(), (count as f64).ln());
        if let Some((x, y)) = last.filter(|last| last.0 != here.0) {
            power = ((here.1 - y) / (here.0 - x)).clamp(-3.3, -1.7);
        }
        last = Some(here);
        bracket[usize::from(here.1 < target)] = here.0;
        // Eight times as many at most at once: the power of coarse lattices says little about fine ones.
        let mut next = here.0 + ((target - here.1) / power).clamp(8_f64.ln() / power, -2.0 * 8_f64.ln() / power);
        if next <= bracket[0] || next >= bracket[1] || (tried > TRIES / 2 && bracket.iter().all(|x| x.is_finite())) {
            next = 0.5 * (bracket[0] + bracket[1]);
        }
        spacing = next.exp();
        progress(0.6 * (1.0 - 1.0 / (tried + 2) as f64));
    }
    match best {
        Some((_, spacing)) => Ok((Filling::new(shape, spacing, grading)?, spacing)),
        None => Err(StuffError::Nothing { spacing, bounds }),
    }
}
