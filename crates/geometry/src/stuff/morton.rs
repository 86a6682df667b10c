//! Points of an integer lattice as one number: the bits of the three coordinates interleaved, so that near points have
//! near numbers (Morton order), and a hash table from such numbers to indices.

/// A point of an integer lattice.
pub(super) type LatticePoint = [u32; 3];

/// Bits per coordinate.
pub(super) const BITS: u32 = 21;

/// Inserts two zero bits after each of the low 21 bits.
fn spread(x: u32) -> u64 {
    let mut x = u64::from(x) & 0x1f_ffff;
    for (shift, mask) in [
        (32, 0x001f_0000_0000_ffff),
        (16, 0x001f_0000_ff00_00ff),
        (8, 0x100f_00f0_0f00_f00f),
        (4, 0x10c3_0c30_c30c_30c3),
        (2, 0x1249_2492_4924_9249),
    ] {
        x = (x | (x << shift)) & mask;
    }
    x
}

/// Removes them again.
fn gather(x: u64) -> u32 {
    let mut x = x & 0x1249_2492_4924_9249;
    for (shift, mask) in [
        (2, 0x10c3_0c30_c30c_30c3),
        (4, 0x100f_00f0_0f00_f00f),
        (8, 0x001f_0000_ff00_00ff),
        (16, 0x001f_0000_0000_ffff),
        (32, 0x1f_ffff),
    ] {
        x = (x | (x >> shift)) & mask;
    }
    x as u32
}

/// Returns the number of a lattice point.
pub(super) fn encode([x, y, z]: LatticePoint) -> u64 {
    spread(x) | (spread(y) << 1) | (spread(z) << 2)
}

/// Returns the lattice point of a number.
pub(super) fn decode(code: u64) -> LatticePoint {
    [gather(code), gather(code >> 1), gather(code >> 2)]
}

/// Finds the index of a number in its list: open addressing, so a lookup reads about one cache line.
pub(super) struct Table {
    slots: Vec<(u64, u32)>,
    shift: u32,
}

const EMPTY: u64 = u64::MAX;

impl Table {
    /// Builds the table. The numbers must be different; lattice points have fewer than 64 bits, so none is `EMPTY`.
    pub(super) fn new(codes: impl ExactSizeIterator<Item = u64>) -> Self {
        let size = (2 * codes.len()).next_power_of_two().max(2);
        let mut table = Table { slots: vec![(EMPTY, 0); size], shift: 64 - size.trailing_zeros() };
        for (index, code) in codes.enumerate() {
            let mut slot = table.first(code);
            while table.slots[slot].0 != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            table.slots[slot] = (code, index as u32);
        }
        table
    }

    /// Returns the first slot of a number (Fibonacci hashing).
    fn first(&self, code: u64) -> usize {
        (code.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    /// Returns the index of a number in the list.
    pub(super) fn find(&self, code: u64) -> Option<u32> {
        let mut slot = self.first(code);
        loop {
            match self.slots[slot] {
                (found, index) if found == code => return Some(index),
                (EMPTY, _) => return None,
                _ => slot = (slot + 1) & (self.slots.len() - 1),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_survive_the_interlacing() {
        for point in [[0, 0, 0], [1, 2, 3], [0x1f_ffff; 3], [0x1f_ffff, 0, 12345], [1 << 20, 77, 1 << 17]] {
            assert_eq!(decode(encode(point)), point);
        }
        assert!(encode([1, 1, 1]) < encode([2, 0, 0]));
    }

    #[test]
    fn the_table_finds_what_is_there_and_nothing_else() {
        let codes: Vec<u64> = (0..1000).map(|i| encode([i % 10, i / 100, (i / 10) % 10])).collect();
        let table = Table::new(codes.iter().copied());
        for (i, &code) in codes.iter().enumerate() {
            assert_eq!(table.find(code), Some(i as u32));
        }
        assert_eq!(table.find(encode([10, 0, 0])), None);
        assert_eq!(Table::new(std::iter::empty()).find(3), None);
    }
}
