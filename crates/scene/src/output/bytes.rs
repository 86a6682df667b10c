//! Numbers as bytes, least significant first. Reading never allocates more than the input holds.

/// Appends values.
pub(super) trait Write {
    fn whole(&mut self, number: u64);
    fn number(&mut self, number: f64);
    /// Appends a checksum, as two numbers.
    fn sum(&mut self, sum: u128);
    /// Appends the count, then the numbers.
    fn numbers(&mut self, numbers: &[f64]);
    /// Appends the length, then the text.
    fn text(&mut self, text: &str);
}

impl Write for Vec<u8> {
    fn whole(&mut self, number: u64) {
        self.extend(number.to_le_bytes());
    }

    fn number(&mut self, number: f64) {
        self.extend(number.to_le_bytes());
    }

    fn sum(&mut self, sum: u128) {
        self.extend(sum.to_le_bytes());
    }

    fn numbers(&mut self, numbers: &[f64]) {
        self.whole(numbers.len() as u64);
        numbers.iter().for_each(|&number| self.number(number));
    }

    fn text(&mut self, text: &str) {
        self.whole(text.len() as u64);
        self.extend(text.as_bytes());
    }
}

/// Reads from the front. `None` if the input is too short.
pub(super) struct Reader<'a> {
    pub rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(usize::try_from(count).ok()?)?;
        self.rest = rest;
        Some(taken)
    }

    pub fn whole(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    pub fn number(&mut self) -> Option<f64> {
        Some(f64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    pub fn sum(&mut self) -> Option<u128> {
        Some(u128::from_le_bytes(self.take(16)?.try_into().ok()?))
    }

    pub fn numbers(&mut self) -> Option<Vec<f64>> {
        // The length is checked before memory is allocated.
        let count = self.whole()?.checked_mul(8)?;
        let mut numbers = Reader { rest: self.take(count)? };
        (0..count / 8).map(|_| numbers.number()).collect()
    }

    pub fn text(&mut self) -> Option<String> {
        let length = self.whole()?;
        Some(std::str::from_utf8(self.take(length)?).ok()?.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        bytes.whole(7);
        bytes.numbers(&[1.5, -0.0]);
        bytes.text("halved");
        let mut reader = Reader { rest: &bytes };
        assert_eq!(reader.whole(), Some(7));
        assert_eq!(reader.numbers(), Some(vec![1.5, -0.0]));
        assert_eq!((reader.text().as_deref(), reader.rest.len()), (Some("halved"), 0));
    }

    #[test]
    fn a_length_beyond_the_end_is_refused() {
        for length in [3, 1 << 32, u64::MAX / 8, u64::MAX / 8 + 1, u64::MAX] {
            let mut bytes = Vec::new();
            bytes.whole(length);
            bytes.extend([0; 16]);
            assert_eq!(Reader { rest: &bytes }.numbers(), None);
            assert_eq!(Reader { rest: &bytes[..10] }.text(), None);
        }
    }
}
