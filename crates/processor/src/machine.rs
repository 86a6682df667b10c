//! Features that the processor reports.
//!
//! `is_x86_feature_detected!` is of no use here: for whatever the compiler was allowed to use it says yes without asking.

use crate::bits::{Bits, State};
use crate::features::{FEATURES, Feature, NEEDED, highest};
use crate::level::Level;

/// The bits of this machine; none if it is not an x86-64.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[allow(unused_unsafe)] // later compilers call cpuid safe
pub fn bits() -> Option<Bits> {
    use crate::features::bits_of;
    use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
    const OS_SAVES: u32 = 1 << 27;
    const YMM: Bits = bits_of(State::Ymm);
    const ZMM: Bits = bits_of(State::Zmm);
    // SAFETY: every x86-64 has cpuid; leaves beyond the highest are not asked for, and xgetbv is there where OSXSAVE says so.
    let (mut bits, saved) = unsafe {
        let (highest, highest_extended) = (__cpuid(0).eax, __cpuid(0x8000_0000).eax);
        let mut bits = [__cpuid(1).ecx, 0, 0, 0, 0, 0];
        if highest >= 7 {
            let seven = __cpuid_count(7, 0);
            (bits[1], bits[2], bits[3]) = (seven.ebx, seven.ecx, seven.edx);
            if seven.eax >= 1 {
                bits[4] = __cpuid_count(7, 1).eax;
            }
        }
        if highest_extended >= 0x8000_0001 {
            bits[5] = __cpuid(0x8000_0001).ecx;
        }
        let saved = if bits[0] & OS_SAVES != 0 { _xgetbv(0) } else { 0 };
        (bits, saved)
    };
    for word in 0..bits.len() {
        // Black boxes keep the compiler from doing several words at once, in registers that may not be there.
        let mut known = std::hint::black_box(bits[word]);
        if saved & 0x06 != 0x06 {
            known &= !YMM[word];
        }
        if saved & 0xe6 != 0xe6 {
            known &= !ZMM[word];
        }
        bits[word] = std::hint::black_box(known);
    }
    Some(bits)
}

/// The bits of this machine; none if it is not an x86-64.
#[cfg(not(target_arch = "x86_64"))]
pub fn bits() -> Option<Bits> {
    None
}

impl Level {
    /// The level this program was built for; none on other processors.
    pub fn built() -> Option<Level> {
        cfg!(target_arch = "x86_64").then(|| highest(|feature| feature.built))
    }

    /// The level of this machine; none on other processors.
    pub fn of_machine() -> Option<Level> {
        let bits = bits()?;
        Some(highest(|feature| feature.is_in(&bits)))
    }
}

/// This build uses instructions that the machine lacks.
#[inline(never)]
pub fn lacks_needed() -> bool {
    let Some(bits) = bits() else { return false };
    let mut lacking = 0;
    for word in 0..bits.len() {
        lacking |= std::hint::black_box(NEEDED[word]) & !std::hint::black_box(bits[word]);
    }
    lacking != 0
}

/// Names of the instructions of this build that the machine lacks.
pub fn missing() -> impl Iterator<Item = &'static str> {
    FEATURES.iter().filter(|feature| lacks(feature)).map(|feature| feature.name)
}

/// Asks the processor again for each: bits that are handed on would be copied in wide registers.
#[inline(never)]
fn lacks(feature: &Feature) -> bool {
    match &bits() {
        Some(bits) => feature.built && !feature.is_in(bits),
        None => false,
    }
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_says_the_same() {
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap();
        let flags: Vec<&str> =
            text.lines().find(|line| line.starts_with("flags")).unwrap().split_whitespace().collect();
        let bits = bits().unwrap();
        // Names of the kernel that differ from those of the compiler.
        let kernel = |name: &str| match name {
            "sse3" => "pni".to_string(),
            "cmpxchg16b" => "cx16".to_string(),
            "lzcnt" => "abm".to_string(),
            "sha" => "sha_ni".to_string(),
            "avxvnni" => "avx_vnni".to_string(),
            "avx512vbmi2" | "avx512vnni" | "avx512bitalg" | "avx512vpopcntdq" | "avx512fp16" | "avx512bf16" => {
                name.replace("avx512", "avx512_")
            }
            _ => name.replace('.', "_"),
        };
        // The kernel does not tell all of the rest, and hides rdseed of processors where that is faulty.
        let told = |name: &str| !["tbm", "avxifma", "sha512", "rdseed"].contains(&name);
        for feature in FEATURES.iter().filter(|feature| told(feature.name)) {
            let has = flags.contains(&kernel(feature.name).as_str());
            assert_eq!(feature.is_in(&bits), has, "{}", feature.name);
        }
    }
}
