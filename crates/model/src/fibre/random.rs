//! Random numbers of fibres: the same for the same seed on every machine.

/// Generator of random numbers (SplitMix64). Each fibre has its own, so that it does not depend on the others.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Begins the numbers of one item of a seed.
    pub fn new(seed: u64, item: u64) -> Random {
        let mut first = Random(seed);
        Random(first.bits() ^ item.wrapping_mul(0xD6E8_FEB8_6659_FD93))
    }

    /// Returns the next 64 random bits.
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns the next number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
