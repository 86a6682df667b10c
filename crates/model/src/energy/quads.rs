//! Eight quads side by side, and back: the transposes behind every gather and scatter of a relaxation.

use super::bodies::Quad;
use numerics::real::{Lanes, Real};

const LANES: usize = Lanes::LANES;

/// Component by component, a lane a quad.
#[inline(always)]
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
pub fn across(quads: &[Quad; LANES]) -> [Lanes; 4] {
    std::array::from_fn(|c| Lanes::from_fn(|lane| quads[lane].0[c]))
}

/// Quad by quad.
#[inline(always)]
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
pub fn along(lanes: [Lanes; 4]) -> [Quad; LANES] {
    let lanes = lanes.map(|l| l.to_array());
    std::array::from_fn(|lane| Quad(std::array::from_fn(|c| lanes[c][lane])))
}

/// Component by component.
#[inline(always)]
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
pub fn sum(a: &Quad, b: &Quad) -> Quad {
    Quad(std::array::from_fn(|c| a.0[c] + b.0[c]))
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
pub use wide_registers::{across, along, sum};

/// The same in twelve shuffles each, where the compiler would move number after number.
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
mod wide_registers {
    use super::{LANES, Lanes, Quad};
    use std::arch::x86_64::*;

    /// Component by component.
    #[inline(always)]
    pub fn sum(a: &Quad, b: &Quad) -> Quad {
        let mut quad = Quad::default();
        // SAFETY: the instructions are there by the condition on this module; quads are aligned to 32 bytes.
        unsafe {
            let added = _mm256_add_pd(_mm256_load_pd(a.0.as_ptr()), _mm256_load_pd(b.0.as_ptr()));
            _mm256_store_pd(quad.0.as_mut_ptr(), added);
        }
        quad
    }

    /// Component by component, a lane a quad.
    #[inline(always)]
    pub fn across(quads: &[Quad; LANES]) -> [Lanes; 4] {
        // SAFETY: the instructions are there by the condition on this module; quads are aligned to 32 bytes.
        unsafe {
            let load = |i: usize| _mm256_load_pd(quads[i].0.as_ptr());
            let pair = |i: usize, j: usize| _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(load(i)), load(j));
            let (a, b, c, d) = (pair(0, 2), pair(1, 3), pair(4, 6), pair(5, 7));
            let (even_low, odd_low) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
            let (even_high, odd_high) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
            [
                _mm512_shuffle_f64x2::<0x88>(even_low, even_high),
                _mm512_shuffle_f64x2::<0x88>(odd_low, odd_high),
                _mm512_shuffle_f64x2::<0xDD>(even_low, even_high),
                _mm512_shuffle_f64x2::<0xDD>(odd_low, odd_high),
            ]
            .map(|lanes| {
                let mut numbers = [0.0; LANES];
                _mm512_storeu_pd(numbers.as_mut_ptr(), lanes);
                Lanes::new(numbers)
            })
        }
    }

    /// Quad by quad.
    #[inline(always)]
    pub fn along(lanes: [Lanes; 4]) -> [Quad; LANES] {
        let mut quads = [Quad::default(); LANES];
        // SAFETY: as above.
        unsafe {
            let [x, y, z, w] = lanes.map(|lanes| _mm512_loadu_pd(lanes.as_array().as_ptr()));
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
}
