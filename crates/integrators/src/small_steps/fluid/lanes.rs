//! Eight neighbours side by side: rows transposed to columns, square roots, and selection by mask.

use model::energy::Quad;
use wide::f64x8;

/// Transposes the rows of eight particles: all first numbers, all second ones, and so on. The order of lanes is
/// unspecified, but the same in all four.
#[inline(always)]
#[cfg(target_feature = "avx512f")]
pub(super) fn gather(rows: &[Quad], eight: &[u32; 8]) -> [f64x8; 4] {
    use std::arch::x86_64::*;
    let [a, b, c, d, e, f, g, h] = *eight;
    // SAFETY: the target has the instructions, a row is four aligned numbers, and both types of eight lanes have the
    // same layout.
    unsafe {
        let row = |j: u32| _mm256_load_pd(rows[j as usize].0.as_ptr());
        let pair = |low: u32, high: u32| _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(row(low)), row(high));
        let (ab, cd, ef, gh) = (pair(a, b), pair(c, d), pair(e, f), pair(g, h));
        let (xz, yw) = (_mm512_unpacklo_pd(ab, cd), _mm512_unpackhi_pd(ab, cd));
        let (more_xz, more_yw) = (_mm512_unpacklo_pd(ef, gh), _mm512_unpackhi_pd(ef, gh));
        let first = |p: __m512d, q: __m512d| std::mem::transmute(_mm512_shuffle_f64x2::<0b10_00_10_00>(p, q));
        let second = |p: __m512d, q: __m512d| std::mem::transmute(_mm512_shuffle_f64x2::<0b11_01_11_01>(p, q));
        [first(xz, more_xz), first(yw, more_yw), second(xz, more_xz), second(yw, more_yw)]
    }
}

/// The same for targets with fewer lanes.
#[inline(always)]
#[cfg(not(target_feature = "avx512f"))]
pub(super) fn gather(rows: &[Quad], eight: &[u32; 8]) -> [f64x8; 4] {
    let column = |c: usize| f64x8::new(std::array::from_fn(|lane| rows[eight[lane] as usize].0[c]));
    [column(0), column(1), column(2), column(3)]
}

/// Computes square roots to rounding. Divisions and roots keep their unit busy for many cycles, so products replace
/// them: y = 1 / sqrt(x) is known to 14 bits, and with e = 1 - x y^2 the root is x y (1 - e)^(-1/2), of which three
/// terms of the series are enough.
#[inline(always)]
#[cfg(target_feature = "avx512f")]
pub(super) fn sqrt(x: f64x8) -> f64x8 {
    use std::arch::x86_64::{__m512d, _mm512_rsqrt14_pd};
    // Zero has no inverse root.
    let x = x.fast_max(f64x8::splat(1e-300));
    // SAFETY: as above.
    let y: f64x8 = unsafe { std::mem::transmute(_mm512_rsqrt14_pd(std::mem::transmute::<f64x8, __m512d>(x))) };
    let root = x * y;
    let e = root.mul_neg_add(y, f64x8::ONE);
    let series = e.mul_add(f64x8::splat(0.3125), f64x8::splat(0.375)).mul_add(e, f64x8::splat(0.5));
    (root * e).mul_add(series, root)
}

/// Computes square roots.
#[inline(always)]
#[cfg(not(target_feature = "avx512f"))]
pub(super) fn sqrt(x: f64x8) -> f64x8 {
    x.sqrt()
}

/// Appends `first` + lane for each lane of the mask; the list must have capacity for eight more.
#[inline(always)]
#[cfg(all(target_feature = "avx512f", target_feature = "avx512vl"))]
pub(super) fn append(list: &mut Vec<u32>, first: u32, mask: u8) {
    use std::arch::x86_64::*;
    assert!(list.capacity() - list.len() >= 8, "no room for eight");
    // SAFETY: as above; all eight written fit the capacity, and as many are kept as the mask has bits.
    unsafe {
        let lanes = _mm256_add_epi32(_mm256_set1_epi32(first as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        let end = list.as_mut_ptr().add(list.len());
        _mm256_storeu_si256(end.cast(), _mm256_maskz_compress_epi32(mask, lanes));
        list.set_len(list.len() + mask.count_ones() as usize);
    }
}

/// The same for targets with fewer lanes.
#[inline(always)]
#[cfg(not(all(target_feature = "avx512f", target_feature = "avx512vl")))]
pub(super) fn append(list: &mut Vec<u32>, first: u32, mut mask: u8) {
    while mask != 0 {
        list.push(first + mask.trailing_zeros());
        mask &= mask - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let rows: Vec<Quad> = (0..20).map(|i| Quad([0.0, 1.0, 2.0, 3.0].map(|c| f64::from(i) + 100.0 * c))).collect();
        let eight = [3, 19, 0, 7, 7, 12, 1, 5];
        let columns = gather(&rows, &eight).map(|column| column.to_array());
        for lane in 0..8 {
            (0..4).for_each(|c| assert_eq!(columns[c][lane], columns[0][lane] + 100.0 * c as f64));
        }
        let mut seen = columns[0];
        let mut expected = eight.map(f64::from);
        seen.sort_by(f64::total_cmp);
        expected.sort_by(f64::total_cmp);
        assert_eq!(seen, expected);
    }

    #[test]
    fn lanes_of_a_mask_are_appended() {
        let mut list = Vec::with_capacity(2048);
        list.push(3);
        for mask in 0..=255_u8 {
            let before = list.len();
            append(&mut list, 100, mask);
            let expected: Vec<u32> = (0..8).filter(|lane| mask >> lane & 1 == 1).map(|lane| 100 + lane).collect();
            assert_eq!(list[before..], expected);
        }
        assert_eq!(list[0], 3);
    }

    #[test]
    fn roots_are_right_to_rounding() {
        let mut x = 1e-290;
        while x < 1e290 {
            let eight: [f64; 8] = std::array::from_fn(|k| x * (1.0 + 0.37 * k as f64));
            for (found, x) in sqrt(f64x8::new(eight)).to_array().iter().zip(eight) {
                assert!((found / x.sqrt() - 1.0).abs() < 3e-16, "{x}: {found}");
            }
            x *= 1.0 + 0.618 * x.log10().abs().max(1.0) / 7.0;
        }
        assert!(sqrt(f64x8::ZERO).to_array().iter().all(|root| *root < 1e-140));
        assert!(sqrt(f64x8::splat(f64::NAN)).to_array().iter().all(|root| root.is_nan() || *root < 1e-140));
    }
}
