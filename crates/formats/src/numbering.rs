//! Node numbers of a file: from 0, from 1, or with gaps.

use crate::care::{Care, Doubt, NOWHERE};
use crate::error::Fault;

/// Mark for no node.
const NONE: u32 = NOWHERE;

/// Maps a file's number of a node to its index.
pub(crate) struct Numbering {
    low: i64,
    high: i64,
    lookup: Lookup,
    /// True if a number without a node has an index too, that of no node.
    lenient: bool,
}

enum Lookup {
    /// Numbers without gaps, in order.
    Offset,
    /// An index, or none, for every number from the lowest to the highest.
    Table(Vec<u32>),
    /// Numbers too sparse for a table, increasing.
    Sorted(Vec<(i64, u32)>),
}

impl Numbering {
    /// Makes it from the numbers of nodes 0, 1, ... Of nodes that share a number a lenient reader takes the first.
    pub fn new(numbers: &[i64], care: Care) -> Result<Numbering, Fault> {
        few_enough("nodes", numbers.len())?;
        let lenient = care.is_lenient();
        let mut shared: Option<(i64, usize)> = None;
        let mut share = |number: i64| {
            shared = Some((shared.map_or(number, |(first, _)| first), shared.map_or(1, |(_, count)| count + 1)));
            if lenient { Ok(()) } else { Err(twice(number)) }
        };
        let low = numbers.iter().copied().min().unwrap_or(0);
        let high = numbers.iter().copied().max().unwrap_or(-1);
        let span = i128::from(high) - i128::from(low) + 1;
        let lookup = if numbers.iter().enumerate().all(|(i, &number)| number.wrapping_sub(low) == i as i64) {
            Lookup::Offset
        } else if span <= 4 * numbers.len() as i128 + 1000 {
            let mut table = vec![NONE; span as usize];
            for (i, &number) in numbers.iter().enumerate() {
                let entry = &mut table[number.wrapping_sub(low) as usize];
                match *entry {
                    NONE => *entry = i as u32,
                    _ => share(number)?,
                }
            }
            Lookup::Table(table)
        } else {
            let mut sorted: Vec<(i64, u32)> =
                numbers.iter().enumerate().map(|(i, &number)| (number, i as u32)).collect();
            sorted.sort_unstable();
            sorted.windows(2).filter(|pair| pair[0].0 == pair[1].0).try_for_each(|pair| share(pair[0].0))?;
            sorted.dedup_by_key(|entry| entry.0);
            Lookup::Sorted(sorted)
        };
        if let Some((number, count)) = shared {
            care.doubt(Doubt::SameNumber { number, count });
        }
        Ok(Numbering { low, high, lookup, lenient })
    }

    /// Takes every number as an index, whether such a node exists or not.
    pub fn any() -> Numbering {
        Numbering { low: 0, high: i64::from(NONE) - 1, lookup: Lookup::Offset, lenient: false }
    }

    /// Returns the same nodes numbered from `first`; for numbers without gaps in order.
    pub fn from(&self, first: i64) -> Numbering {
        Numbering { low: first, high: first + (self.high - self.low), lookup: Lookup::Offset, lenient: self.lenient }
    }

    /// Returns the number of the first node, and another base for which all numbers in `named` exist while now they do
    /// not. Only 0 and 1 are considered.
    pub fn other_base(&self, named: std::ops::RangeInclusive<i64>) -> Option<[i64; 2]> {
        let (least, most) = named.into_inner();
        let fits = |low: i64| low <= least && most <= low.saturating_add(self.high - self.low);
        let plain = matches!(self.lookup, Lookup::Offset) && matches!(self.low, 0 | 1) && least <= most;
        (plain && !fits(self.low) && fits(1 - self.low)).then(|| [self.low, 1 - self.low])
    }

    /// Returns the index of the node of this number.
    #[inline]
    pub fn get(&self, number: i64) -> Option<u32> {
        self.find(number).or(self.lenient.then_some(NOWHERE))
    }

    #[inline]
    fn find(&self, number: i64) -> Option<u32> {
        if number < self.low || number > self.high {
            return None;
        }
        let offset = number.wrapping_sub(self.low);
        match &self.lookup {
            Lookup::Offset => Some(offset as u32),
            Lookup::Table(table) => table.get(offset as usize).copied().filter(|&index| index != NONE),
            Lookup::Sorted(sorted) => sorted.binary_search_by_key(&number, |entry| entry.0).ok().map(|at| sorted[at].1),
        }
    }

    /// Makes the fault of an element `what` that names a missing number.
    pub fn missing(&self, what: &str, number: i64) -> Fault {
        if number < self.low || number > self.high {
            let what = format!("a node of {what}");
            return Fault::OutOfRange { what, index: number.into(), low: self.low.into(), high: self.high.into() };
        }
        let what = format!("{what} names node {number}, which the file does not have");
        Fault::Contradiction { what, cure: "add the node, or correct the number".to_string() }
    }
}

fn twice(number: i64) -> Fault {
    Fault::Contradiction {
        what: format!("two nodes have the number {number}"),
        cure: "give each node a number of its own".to_string(),
    }
}

/// Checks that 32 bits are enough to number these.
pub(crate) fn few_enough(things: &str, count: usize) -> Result<(), Fault> {
    if count < NONE as usize {
        return Ok(());
    }
    let what = format!("{count} {things} are more than 32 bits can number");
    Err(Fault::Unsupported { what, cure: "cut the mesh into parts".to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_and_without_gaps_are_found() {
        for numbers in
            [vec![0, 1, 2, 3], vec![1, 2, 3], vec![7, 3, 900], vec![i64::MIN, 5, i64::MAX, 0], vec![], vec![-4]]
        {
            let numbering = Numbering::new(&numbers, Care::STRICT).unwrap_or_else(|fault| panic!("{fault}"));
            for (i, &number) in numbers.iter().enumerate() {
                assert_eq!(numbering.get(number), Some(i as u32), "{numbers:?}");
            }
            for number in [-1, 4, 6, 901, i64::MAX - 1] {
                assert_eq!(numbering.get(number), None, "{number} of {numbers:?}");
            }
        }
    }

    #[test]
    fn a_number_given_twice_is_refused() {
        for numbers in [vec![1, 2, 1], vec![5, 5], vec![0, 1 << 60, 0], vec![i64::MAX, i64::MIN, i64::MAX]] {
            assert!(Numbering::new(&numbers, Care::STRICT).is_err(), "{numbers:?}");
        }
    }
}
