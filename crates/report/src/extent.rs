//! Extent of drawn data: in space, and in colour.

use numerics::mat3::Vec3;

/// Returns the box around points [m]; `None` if there are none.
pub fn around(points: impl Iterator<Item = Vec3>) -> Option<[Vec3; 2]> {
    points.map(|p| [p, p]).reduce(|[low, high], [p, _]| {
        [std::array::from_fn(|k| low[k].min(p[k])), std::array::from_fn(|k| high[k].max(p[k]))]
    })
}

/// Returns the top of a colour scale: all but a thousandth of the values are below it, so that a few corners of a
/// failing run do not dominate. Values that are not finite are ignored; 0 if none is left.
pub fn top(values: impl Iterator<Item = f32>) -> f64 {
    let mut values: Vec<f32> = values.filter(|x| x.is_finite()).collect();
    if values.is_empty() {
        return 0.0;
    }
    let rank = (values.len() - 1) * 999 / 1000;
    f64::from(*values.select_nth_unstable_by(rank, f32::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_holds_all_points_and_no_more() {
        let points = [[0.0, 5.0, -1.0], [2.0, 4.0, -3.0], [1.0, 6.0, -2.0]];
        assert_eq!(around(points.into_iter()), Some([[0.0, 4.0, -3.0], [2.0, 6.0, -1.0]]));
        assert_eq!(around(std::iter::empty()), None);
    }

    #[test]
    fn few_values_do_not_make_the_top() {
        assert_eq!(top((0..=2000).map(|i| if i < 1999 { i as f32 } else { 1e9 })), 1998.0);
        assert_eq!(top([1.0, f32::NAN, 3.0].into_iter()), 1.0);
        assert_eq!(top([f32::INFINITY].into_iter()), 0.0);
    }
}
