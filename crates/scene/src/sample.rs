//! Samples of particles, for output that cannot hold or show all.

/// Returns at most `most` particles, one of each group of consecutive ones, and the size of a group.
pub fn sample(particles: &[u32], most: usize) -> (Vec<u32>, usize) {
    if most == 0 {
        return (Vec::new(), 1);
    }
    let every = particles.len().div_ceil(most).max(1);
    // A multiplicative hash chooses within a group: a fixed choice would pick a plane of the lattice.
    let index = |k: usize, length: usize| ((k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % length;
    let of_group = |(k, group): (usize, &[u32])| group[index(k, group.len())];
    (particles.chunks(every).enumerate().map(of_group).collect(), every)
}

#[cfg(test)]
mod tests {
    use super::sample;

    #[test]
    fn samples_are_spread_and_bounded() {
        let all: Vec<u32> = (0..10_000).collect();
        assert_eq!(sample(&all, 10_000), (all.clone(), 1));
        assert_eq!(sample(&[], 10), (Vec::new(), 1));
        assert_eq!(sample(&all, 0), (Vec::new(), 1));
        for most in [1, 7, 999, 3333, 9999] {
            let (few, every) = sample(&all, most);
            assert!(few.len() <= most && few.len() * every >= all.len(), "{most}: {} of {every}", few.len());
            assert!(few.windows(2).all(|pair| pair[0] < pair[1] && pair[1] - pair[0] < 2 * every as u32));
        }
        // A lattice with rows of ten loses none of its columns.
        let (few, _) = sample(&all, 1000);
        let columns: std::collections::BTreeSet<u32> = few.iter().map(|p| p % 10).collect();
        assert_eq!(columns.len(), 10);
    }
}
