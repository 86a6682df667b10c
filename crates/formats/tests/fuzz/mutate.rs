//! Changes of files, each of which has broken a reader somewhere.

/// Reproducible random numbers: xorshift64*.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed ^ 0x2545_f491_4f6c_dd1d);
        // Similar seeds must not begin alike.
        for _ in 0..4 {
            random.next();
        }
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 = if self.0 == 0 { 1 } else { self.0 };
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `count`, which is not 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.next() >> 11) as usize % count
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// Returns a range of a file, mostly short.
    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let most = if self.below(4) == 0 { length } else { 16 };
        start..(start + self.below(most + 1)).min(length)
    }
}

const BYTES: &[u8] =
    &[0, 1, 2, 0x7f, 0x80, 0xff, b'0', b'9', b'-', b'.', b' ', b'\n', b'\r', b'$', b'#', b'*', b'<', b'"', b'\\'];

const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "2",
    "3",
    "4",
    "7",
    "255",
    "256",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "4611686018427387904",
    "1e308",
    "1e309",
    "-1e309",
    "1e-320",
    "nan",
    "-nan",
    "inf",
    "-inf",
    "infinity",
    "0x10",
    "1.",
    ".",
    "-",
    "+1",
    "1e",
    "",
    "x",
    "0.5",
    "1 2",
    "-0",
];

const WORDS: &[u64] = &[
    0,
    1,
    2,
    0x7f,
    0xff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    1 << 62,
    (1 << 63) - 1,
    1 << 63,
    u64::MAX,
    0x7ff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x7f80_0000,
    0x7fc0_0000,
];

/// Returns a file with a few changes.
pub fn mutate<'a>(file: &[u8], other: impl Fn() -> &'a Vec<u8>, random: &mut Random) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for _ in 0..1 + random.below(4) {
        if bytes.is_empty() {
            bytes.push(b'0');
        }
        change(&mut bytes, other(), random);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let length = bytes.len();
    let at = random.below(length);
    match random.below(14) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = *random.of(BYTES),
        2 => bytes.insert(at, *random.of(BYTES)),
        3 => drop(bytes.drain(random.range(length))),
        4 => {
            let piece = bytes[random.range(length)].to_vec();
            let times = 1 + random.below(3);
            bytes.splice(at..at, piece.repeat(times));
        }
        5 => {
            let (a, b) = (random.range(length), random.range(length));
            let piece = bytes[a].to_vec();
            bytes.splice(b, piece);
        }
        6 => bytes.truncate(at),
        7 => {
            let piece = &other[random.range(other.len())];
            bytes.splice(random.range(length), piece.iter().copied());
        }
        8 => {
            let cut = random.below(other.len() + 1);
            bytes.truncate(at);
            bytes.extend_from_slice(&other[cut..]);
        }
        9 => {
            // A number of 4 or 8 bytes, in either order.
            let word = *random.of(WORDS);
            let size = if random.below(2) == 0 { 4 } else { 8 };
            let mut word = word.to_le_bytes()[..size].to_vec();
            if random.below(4) == 0 {
                word.reverse();
            }
            let end = (at + size).min(length);
            bytes.splice(at..end, word);
        }
        _ => number(bytes, at, random),
    }
}

/// Changes the number at or after a position.
fn number(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let digit = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e');
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|i| at + i) else { return };
    let end = bytes[start..].iter().position(|byte| !digit(byte)).map_or(bytes.len(), |i| start + i);
    let value = std::str::from_utf8(&bytes[start..end]).ok().and_then(|word| word.parse::<i64>().ok());
    let new = match (value, random.below(3)) {
        (Some(value), 0) => (value.saturating_add(random.below(5) as i64 - 2)).to_string(),
        (Some(value), 1) => value.saturating_mul(1 << random.below(40)).to_string(),
        _ => random.of(NUMBERS).to_string(),
    };
    bytes.splice(start..end, new.into_bytes());
}
