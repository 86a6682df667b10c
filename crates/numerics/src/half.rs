//! Numbers in 16 bits: storage of single-precision numbers of size one (IEEE 754 binary16: 11 significant bits, up to 65504).

/// Largest number.
const MOST: f32 = 65504.0;

/// A number in 16 bits, to be widened before use. All of them are finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(transparent)]
pub struct Half(u16);

/// Rounds to the nearest, ties to even; larger numbers become the largest one. N is a multiple of four.
#[inline(always)]
pub fn narrow<const N: usize>(numbers: [f32; N]) -> [Half; N] {
    let mut halves = [Half(0); N];
    for (to, numbers) in halves.as_chunks_mut::<4>().0.iter_mut().zip(numbers.as_chunks::<4>().0) {
        *to = narrow_four(numbers.map(|x| x.clamp(-MOST, MOST))).map(Half);
    }
    halves
}

/// Returns the same numbers in single precision.
#[inline(always)]
pub fn widen(halves: &[Half; 16]) -> [f32; 16] {
    widen_bits(halves.map(|half| half.0))
}

#[cfg(all(target_arch = "x86_64", target_feature = "f16c"))]
#[inline(always)]
fn narrow_four(numbers: [f32; 4]) -> [u16; 4] {
    use std::arch::x86_64::*;
    let mut bits = [0_u16; 4];
    // SAFETY: the condition on this function guarantees the instructions; both arrays are as long as a register or its half.
    unsafe {
        let packed = _mm_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(_mm_loadu_ps(numbers.as_ptr()));
        _mm_storel_epi64(bits.as_mut_ptr().cast(), packed);
    }
    bits
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
#[inline(always)]
fn widen_bits(bits: [u16; 16]) -> [f32; 16] {
    use std::arch::x86_64::*;
    let mut numbers = [0.0; 16];
    // SAFETY: as above.
    unsafe { _mm512_storeu_ps(numbers.as_mut_ptr(), _mm512_cvtph_ps(_mm256_loadu_si256(bits.as_ptr().cast()))) };
    numbers
}

#[cfg(all(target_arch = "x86_64", target_feature = "f16c", not(target_feature = "avx512f")))]
#[inline(always)]
fn widen_bits(bits: [u16; 16]) -> [f32; 16] {
    use std::arch::x86_64::*;
    let mut numbers = [0.0; 16];
    for (to, bits) in numbers.as_chunks_mut::<8>().0.iter_mut().zip(bits.as_chunks::<8>().0) {
        // SAFETY: as above.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), _mm256_cvtph_ps(_mm_loadu_si128(bits.as_ptr().cast()))) };
    }
    numbers
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "f16c")))]
#[inline(always)]
fn narrow_four(numbers: [f32; 4]) -> [u16; 4] {
    numbers.map(by_bits::narrow)
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "f16c")))]
#[inline(always)]
fn widen_bits(bits: [u16; 16]) -> [f32; 16] {
    let mut numbers = [0.0; 16];
    (0..16).for_each(|i| numbers[i] = by_bits::widen(bits[i]));
    numbers
}

/// The same for processors without these instructions. Exponents of both formats differ by 112.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "f16c"))))]
mod by_bits {
    const SIGN: u16 = 0x8000;
    /// 2^112 and its inverse.
    const UP: f32 = f32::from_bits((127 + 112) << 23);
    const DOWN: f32 = f32::from_bits((127 - 112) << 23);

    #[inline(always)]
    pub fn narrow(number: f32) -> u16 {
        let sign = (number.to_bits() >> 16) as u16 & SIGN;
        // Below 2^-14 numbers are multiples of 2^-24: adding 0.5 rounds to these.
        let size = number.abs();
        let bits =
            if size < f32::from_bits((127 - 14) << 23) { ((size + 0.5) - 0.5) * DOWN } else { size * DOWN }.to_bits();
        let rounded = (bits + 0xfff + (bits >> 13 & 1)) >> 13;
        sign | rounded as u16
    }

    #[inline(always)]
    pub fn widen(bits: u16) -> f32 {
        let size = f32::from_bits(u32::from(bits & !SIGN) << 13) * UP;
        f32::from_bits(size.to_bits() | u32::from(bits & SIGN) << 16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Half> {
        // Infinities and what is no number are never made.
        (0..=u16::MAX).filter(|bits| bits & 0x7c00 != 0x7c00).map(Half)
    }

    #[test]
    fn every_number_comes_back() {
        for half in all() {
            let [number, ..] = widen(&[half; 16]);
            assert!(number.abs() <= MOST);
            assert_eq!((narrow([number; 4])[3], by_bits::narrow(number)), (half, half.0));
            assert_eq!(by_bits::widen(half.0).to_bits(), number.to_bits());
        }
    }

    #[test]
    fn what_lies_between_goes_to_the_nearest_and_to_the_even_one() {
        for bits in (0..0x7bff).chain(0x8000..0xfbff) {
            let [low, high] = [bits, bits + 1].map(|bits| widen(&[Half(bits); 16])[0]);
            let middle = 0.5 * (low + high);
            let even = if bits % 2 == 0 { bits } else { bits + 1 };
            for (number, expected) in
                [(middle, even), (0.75 * low + 0.25 * high, bits), (0.25 * low + 0.75 * high, bits + 1)]
            {
                assert_eq!((narrow([number; 4])[0].0, by_bits::narrow(number)), (expected, expected), "{number:e}");
            }
        }
    }
}
