//! The four levels of the x86-64 ABI.

/// Level of x86-64 instructions; each holds those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// x86-64: SSE2, two lanes.
    V1,
    /// x86-64-v2: SSE4.2, still two lanes.
    V2,
    /// x86-64-v3: AVX2 and fused multiply-add, four lanes.
    V3,
    /// x86-64-v4: AVX-512, eight lanes.
    V4,
}

impl Level {
    /// All levels, lowest first.
    pub const ALL: [Level; 4] = [Level::V1, Level::V2, Level::V3, Level::V4];

    /// Its name, which is also a value of `-C target-cpu`.
    pub const fn name(self) -> &'static str {
        ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"][self as usize]
    }

    /// Its short name: `v3`.
    pub const fn short(self) -> &'static str {
        ["v1", "v2", "v3", "v4"][self as usize]
    }

    /// The level of a name, long or short.
    pub fn named(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| name == level.name() || name == level.short())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features;

    #[test]
    fn names_lead_back_to_levels() {
        for level in Level::ALL {
            assert_eq!(Level::named(level.name()), Some(level));
            assert_eq!(Level::named(level.short()), Some(level));
        }
        assert_eq!(Level::named("v5"), None);
    }

    #[test]
    fn a_level_needs_all_of_its_instructions() {
        assert_eq!(features::highest(|_| false), Level::V1);
        assert_eq!(features::highest(|_| true), Level::V4);
        assert_eq!(features::highest(|feature| feature.name != "fma"), Level::V2);
        assert_eq!(features::highest(|feature| feature.name != "avx512vl"), Level::V3);
        // Without a level below, one above does not count.
        assert_eq!(features::highest(|feature| feature.name != "ssse3"), Level::V1);
    }
}
