//! Transposes between eight quads and lanes, used by every gather and scatter of a relaxation, and to add blocks to a matrix.

use super::bodies::Quad;
use numerics::real::{Lanes, Real};

const LANES: usize = Lanes::LANES;

/// Transposes quads into components, one lane per quad.
#[inline(always)]
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
pub fn across(quads: &[Quad; LANES]) -> [Lanes; 4] {
    std::array::from_fn(|c| Lanes::from_fn(|lane| quads[lane].0[c]))
}

/// Transposes components back into quads.
#[inline(always)]
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx")))]
pub fn along(lanes: [Lanes; 4]) -> [Quad; LANES] {
    let lanes = lanes.map(|l| l.to_array());
    std::array::from_fn(|lane| Quad(std::array::from_fn(|c| lanes[c][lane])))
}

/// The same with registers of four numbers, in eight shuffles per four quads.
#[inline(always)]
#[cfg(all(target_arch = "x86_64", target_feature = "avx", not(target_feature = "avx512f")))]
pub fn along(lanes: [Lanes; 4]) -> [Quad; LANES] {
    use std::arch::x86_64::*;
    let mut quads = [Quad::default(); LANES];
    // SAFETY: the condition on this function guarantees the instructions; quads are aligned to 32 bytes.
    unsafe {
        for first in [0, 4] {
            let load = |c: usize| _mm256_loadu_pd(lanes[c].as_array()[first..first + 4].as_ptr());
            let (x, y, z, w) = (load(0), load(1), load(2), load(3));
            let (xy_even, xy_odd) = (_mm256_unpacklo_pd(x, y), _mm256_unpackhi_pd(x, y));
            let (zw_even, zw_odd) = (_mm256_unpacklo_pd(z, w), _mm256_unpackhi_pd(z, w));
            let quads = &mut quads[first..first + 4];
            _mm256_store_pd(quads[0].0.as_mut_ptr(), _mm256_permute2f128_pd::<0x20>(xy_even, zw_even));
            _mm256_store_pd(quads[1].0.as_mut_ptr(), _mm256_permute2f128_pd::<0x20>(xy_odd, zw_odd));
            _mm256_store_pd(quads[2].0.as_mut_ptr(), _mm256_permute2f128_pd::<0x31>(xy_even, zw_even));
            _mm256_store_pd(quads[3].0.as_mut_ptr(), _mm256_permute2f128_pd::<0x31>(xy_odd, zw_odd));
        }
    }
    quads
}

/// Adds two quads.
#[inline(always)]
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
pub fn sum(a: &Quad, b: &Quad) -> Quad {
    Quad(std::array::from_fn(|c| a.0[c] + b.0[c]))
}

/// Returns the vector from the second node to the first, from their starts and displacements; its fourth number is the
/// sum of their inverse masses.
#[inline(always)]
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512vl")))]
pub fn between([a, b]: [&Quad; 2], [u, v]: [&Quad; 2]) -> Quad {
    let way = |c: usize| (a.0[c] - b.0[c]) + (u.0[c] - v.0[c]);
    Quad([way(0), way(1), way(2), u.0[3] + v.0[3]])
}

/// Multiplies the first three numbers by a factor; the fourth becomes zero.
#[inline(always)]
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512vl")))]
pub fn times(factor: f64, quad: &Quad) -> Quad {
    let [x, y, z, _] = quad.0;
    Quad([factor * x, factor * y, factor * z, 0.0])
}

/// Moves a node by its inverse mass times a push; `sign` is 1 or -1.
#[inline(always)]
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512vl")))]
pub fn move_by(shift: &mut Quad, sign: f64, push: &Quad) {
    let w = sign * shift.0[3];
    (0..3).for_each(|c| shift.0[c] = w.mul_add(push.0[c], shift.0[c]));
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
pub use wide_registers::{across, along, sum};
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512vl"))]
pub use wide_registers::{between, move_by, times};

/// The same functions with wide registers, in twelve shuffles per transpose. The compiler would move one number at a
/// time.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
mod wide_registers {
    use super::{LANES, Lanes, Quad};
    use std::arch::x86_64::*;

    /// Adds two quads.
    #[inline(always)]
    pub fn sum(a: &Quad, b: &Quad) -> Quad {
        let mut quad = Quad::default();
        // SAFETY: the condition on this module guarantees the instructions; quads are aligned to 32 bytes.
        unsafe {
            let added = _mm256_add_pd(_mm256_load_pd(a.0.as_ptr()), _mm256_load_pd(b.0.as_ptr()));
            _mm256_store_pd(quad.0.as_mut_ptr(), added);
        }
        quad
    }

    /// Returns the vector from the second node to the first, from their starts and displacements; its fourth number is
    /// the sum of their inverse masses.
    #[inline(always)]
    #[cfg(target_feature = "avx512vl")]
    pub fn between([a, b]: [&Quad; 2], [u, v]: [&Quad; 2]) -> Quad {
        let mut quad = Quad::default();
        // SAFETY: as above.
        unsafe {
            // Written out, here and below: functions over arrays are calls in builds with many codegen units.
            let (a, b) = (_mm256_load_pd(a.0.as_ptr()), _mm256_load_pd(b.0.as_ptr()));
            let (u, v) = (_mm256_load_pd(u.0.as_ptr()), _mm256_load_pd(v.0.as_ptr()));
            let way = _mm256_add_pd(_mm256_sub_pd(a, b), _mm256_sub_pd(u, v));
            _mm256_store_pd(quad.0.as_mut_ptr(), _mm256_mask_add_pd(way, 0b1000, u, v));
        }
        quad
    }

    /// Multiplies the first three numbers by a factor; the fourth becomes zero.
    #[inline(always)]
    #[cfg(target_feature = "avx512vl")]
    pub fn times(factor: f64, quad: &Quad) -> Quad {
        let mut product = Quad::default();
        // SAFETY: as above.
        unsafe {
            let times = _mm256_maskz_mul_pd(0b0111, _mm256_set1_pd(factor), _mm256_load_pd(quad.0.as_ptr()));
            _mm256_store_pd(product.0.as_mut_ptr(), times);
        }
        product
    }

    /// Moves a node by its inverse mass times a push; `sign` is 1 or -1.
    #[inline(always)]
    #[cfg(target_feature = "avx512vl")]
    pub fn move_by(shift: &mut Quad, sign: f64, push: &Quad) {
        // SAFETY: as above. The fourth number of the push is zero, so the inverse mass does not change.
        unsafe {
            let (from, w) = (_mm256_load_pd(shift.0.as_ptr()), _mm256_set1_pd(shift.0[3]));
            let push = _mm256_load_pd(push.0.as_ptr());
            let to = if sign > 0.0 { _mm256_fmadd_pd(w, push, from) } else { _mm256_fnmadd_pd(w, push, from) };
            _mm256_store_pd(shift.0.as_mut_ptr(), to);
        }
    }

    /// Transposes quads into components, one lane per quad.
    #[inline(always)]
    pub fn across(quads: &[Quad; LANES]) -> [Lanes; 4] {
        // SAFETY: the condition on this module guarantees the instructions; quads are aligned to 32 bytes.
        unsafe {
            let load = |i: usize| _mm256_load_pd(quads[i].0.as_ptr());
            let pair = |i: usize, j: usize| _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(load(i)), load(j));
            let (a, b, c, d) = (pair(0, 2), pair(1, 3), pair(4, 6), pair(5, 7));
            let (even_low, odd_low) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
            let (even_high, odd_high) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
            let number = |lanes: __m512d| {
                let mut numbers = [0.0; LANES];
                _mm512_storeu_pd(numbers.as_mut_ptr(), lanes);
                Lanes::new(numbers)
            };
            [
                number(_mm512_shuffle_f64x2::<0x88>(even_low, even_high)),
                number(_mm512_shuffle_f64x2::<0x88>(odd_low, odd_high)),
                number(_mm512_shuffle_f64x2::<0xDD>(even_low, even_high)),
                number(_mm512_shuffle_f64x2::<0xDD>(odd_low, odd_high)),
            ]
        }
    }

    /// Transposes components back into quads.
    #[inline(always)]
    pub fn along(lanes: [Lanes; 4]) -> [Quad; LANES] {
        let mut quads = [Quad::default(); LANES];
        // SAFETY: as above.
        unsafe {
            let load = |c: usize| _mm512_loadu_pd(lanes[c].as_array().as_ptr());
            let (x, y, z, w) = (load(0), load(1), load(2), load(3));
            let (xy_even, xy_odd) = (_mm512_unpacklo_pd(x, y), _mm512_unpackhi_pd(x, y));
            let (zw_even, zw_odd) = (_mm512_unpacklo_pd(z, w), _mm512_unpackhi_pd(z, w));
            let low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
            let high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
            let mut store = |first: usize, xy: __m512d, zw: __m512d| {
                let (near, far) = (_mm512_permutex2var_pd(xy, low, zw), _mm512_permutex2var_pd(xy, high, zw));
                _mm256_store_pd(quads[first].0.as_mut_ptr(), _mm512_castpd512_pd256(near));
                _mm256_store_pd(quads[first + 2].0.as_mut_ptr(), _mm512_extractf64x4_pd::<1>(near));
                _mm256_store_pd(quads[first + 4].0.as_mut_ptr(), _mm512_castpd512_pd256(far));
                _mm256_store_pd(quads[first + 6].0.as_mut_ptr(), _mm512_extractf64x4_pd::<1>(far));
            };
            store(0, xy_even, zw_even);
            store(1, xy_odd, zw_odd);
        }
        quads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let quads: [Quad; LANES] = std::array::from_fn(|i| Quad(std::array::from_fn(|c| (10 * i + c) as f64)));
        let lanes = across(&quads);
        for (lane, c) in (0..LANES).flat_map(|lane| (0..4).map(move |c| (lane, c))) {
            assert_eq!(lanes[c].lane(lane), (10 * lane + c) as f64);
        }
        assert!(along(lanes) == quads);
    }

    #[test]
    fn the_way_between_two_nodes_and_pushes_along_it() {
        let quads =
            [[1.0, 2.0, 3.0, 9.0], [0.5, -1.0, 4.0, 9.0], [0.25, 0.5, 0.125, 2.0], [0.5, 0.25, 0.5, 3.0]].map(Quad);
        let way = between([&quads[0], &quads[1]], [&quads[2], &quads[3]]);
        assert_eq!(way.0, [0.25, 3.25, -1.375, 5.0]);
        let push = times(2.0, &way);
        assert_eq!(push.0, [0.5, 6.5, -2.75, 0.0]);
        let mut shift = quads[2];
        move_by(&mut shift, 1.0, &push);
        assert_eq!(shift.0, [1.25, 13.5, -5.375, 2.0]);
        move_by(&mut shift, -1.0, &push);
        assert_eq!(shift, quads[2]);
    }
}
