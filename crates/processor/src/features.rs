//! Instructions that compilers may use and machines may lack, and the bits by which processors tell them.

use crate::bits::{Bits, State};
use crate::level::Level;

/// A set of instructions.
pub struct Feature {
    /// Its name for the compiler.
    pub name: &'static str,
    /// The lowest level that has it; V4 also for what no level has.
    pub level: Level,
    /// True if it is part of the definition of its level.
    pub defines: bool,
    /// This program was built with it.
    pub built: bool,
    /// Word of [`Bits`] that tells it.
    pub word: usize,
    /// Its bit there.
    pub bit: u32,
    /// Registers that the operating system must save for it.
    pub state: State,
}

impl Feature {
    /// A machine with these bits has it.
    pub fn is_in(&self, bits: &Bits) -> bool {
        bits[self.word] >> self.bit & 1 == 1
    }
}

macro_rules! features {
    ($($name:tt $level:ident $defines:ident $word:literal $bit:literal $state:ident,)*) => {
        &[$(Feature {
            name: $name,
            level: Level::$level,
            defines: $defines,
            built: cfg!(target_feature = $name),
            word: $word,
            bit: $bit,
            state: State::$state,
        },)*]
    };
}

/// Name, level, part of its definition, word and bit of `cpuid`, registers. Bits: Intel's manual, volume 2A, CPUID. Of the ABI's
/// levels, LAHF and OSXSAVE are left out: compilers have no use for the first, `State` knows the second.
#[rustfmt::skip]
pub const FEATURES: &[Feature] = features![
    "sse3"            V2 true  0  0 Xmm,
    "ssse3"           V2 true  0  9 Xmm,
    "cmpxchg16b"      V2 true  0 13 Xmm,
    "sse4.1"          V2 true  0 19 Xmm,
    "sse4.2"          V2 true  0 20 Xmm,
    "popcnt"          V2 true  0 23 Xmm,
    "fma"             V3 true  0 12 Ymm,
    "movbe"           V3 true  0 22 Xmm,
    "avx"             V3 true  0 28 Ymm,
    "f16c"            V3 true  0 29 Ymm,
    "bmi1"            V3 true  1  3 Xmm,
    "avx2"            V3 true  1  5 Ymm,
    "bmi2"            V3 true  1  8 Xmm,
    "lzcnt"           V3 true  5  5 Xmm,
    "avx512f"         V4 true  1 16 Zmm,
    "avx512dq"        V4 true  1 17 Zmm,
    "avx512cd"        V4 true  1 28 Zmm,
    "avx512bw"        V4 true  1 30 Zmm,
    "avx512vl"        V4 true  1 31 Zmm,
    "pclmulqdq"       V4 false 0  1 Xmm,
    "aes"             V4 false 0 25 Xmm,
    "rdrand"          V4 false 0 30 Xmm,
    "rdseed"          V4 false 1 18 Xmm,
    "adx"             V4 false 1 19 Xmm,
    "avx512ifma"      V4 false 1 21 Zmm,
    "sha"             V4 false 1 29 Xmm,
    "avx512vbmi"      V4 false 2  1 Zmm,
    "avx512vbmi2"     V4 false 2  6 Zmm,
    "gfni"            V4 false 2  8 Xmm,
    "vaes"            V4 false 2  9 Ymm,
    "vpclmulqdq"      V4 false 2 10 Ymm,
    "avx512vnni"      V4 false 2 11 Zmm,
    "avx512bitalg"    V4 false 2 12 Zmm,
    "avx512vpopcntdq" V4 false 2 14 Zmm,
    "avx512fp16"      V4 false 3 23 Zmm,
    "sha512"          V4 false 4  0 Ymm,
    "avxvnni"         V4 false 4  4 Ymm,
    "avx512bf16"      V4 false 4  5 Zmm,
    "avxifma"         V4 false 4 23 Ymm,
    "sse4a"           V4 false 5  6 Xmm,
    "tbm"             V4 false 5 21 Xmm,
];

/// The highest level all of whose features, and those of the levels below, are there.
pub fn highest(has: impl Fn(&Feature) -> bool) -> Level {
    let whole = |level| FEATURES.iter().filter(|feature| feature.defines && feature.level == level).all(&has);
    Level::ALL.into_iter().take_while(|&level| whole(level)).last().unwrap_or(Level::V1)
}

/// Instructions of this build that change how sums are rounded.
pub fn wide() -> impl Iterator<Item = &'static Feature> {
    FEATURES.iter().filter(|feature| feature.built && ["fma", "avx2", "avx512f"].contains(&feature.name))
}

/// Bits that a machine must have for this build.
pub const NEEDED: Bits = {
    let (mut bits, mut i) = ([0; 6], 0);
    while i < FEATURES.len() {
        bits[FEATURES[i].word] |= (FEATURES[i].built as u32) << FEATURES[i].bit;
        i += 1;
    }
    bits
};

/// Bits that do not count unless the operating system saves these registers.
pub const fn bits_of(state: State) -> Bits {
    let (mut bits, mut i) = ([0; 6], 0);
    while i < FEATURES.len() {
        bits[FEATURES[i].word] |= ((FEATURES[i].state as u32 == state as u32) as u32) << FEATURES[i].bit;
        i += 1;
    }
    bits
}
