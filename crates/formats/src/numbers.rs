//! Parsing of numbers, where readers of text spend their time.

/// Powers of ten that are doubles without rounding.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];
/// Digits that always fit 64 bits.
const MOST_DIGITS: usize = 18;
/// Largest integer up to which all are exact doubles.
const MOST_MANTISSA: u64 = 1 << 53;

/// Parses the integer at the start of these bytes, and returns its length; `None` if there is none, or more than 18
/// digits.
#[inline]
pub(crate) fn leading_integer(bytes: &[u8]) -> Option<(i64, usize)> {
    let signed = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    let mut value = 0i64;
    let mut digits = 0;
    for &byte in bytes.get(signed..)?.iter().take(MOST_DIGITS + 1) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
        digits += 1;
    }
    let value = if bytes.first() == Some(&b'-') { value.wrapping_neg() } else { value };
    (1..=MOST_DIGITS).contains(&digits).then_some((value, signed + digits))
}

/// Parses a word as an integer.
pub(crate) fn integer(word: &[u8]) -> Option<i64> {
    leading_integer(word).filter(|&(_, length)| length == word.len()).map(|(value, _)| value)
}

/// Parses a word as a real number, rounded correctly; also Fortran's exponents (1.0D+00).
#[inline]
pub(crate) fn real(word: &[u8]) -> Option<f64> {
    short_real(word).or_else(|| long_real(word))
}

/// Parses a number whose digits and power of ten are exact doubles: then one multiplication or division rounds
/// correctly.
#[inline]
fn short_real(word: &[u8]) -> Option<f64> {
    let signed = usize::from(matches!(word.first(), Some(b'-' | b'+')));
    let (mut mantissa, mut digits, mut fraction, mut point) = (0u64, 0, 0i64, false);
    let mut rest = word.get(signed..)?.iter();
    let mut exponent = 0i64;
    while let Some(&byte) = rest.next() {
        match byte {
            b'0'..=b'9' => {
                mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
                digits += 1;
                fraction += i64::from(point);
            }
            b'.' if !point => point = true,
            b'e' | b'E' | b'd' | b'D' => {
                exponent = integer(rest.as_slice())?;
                break;
            }
            _ => return None,
        }
    }
    if !(1..=MOST_DIGITS).contains(&digits) || mantissa > MOST_MANTISSA {
        return None;
    }
    let power = exponent.checked_sub(fraction)?;
    let scale = *POWERS.get(usize::try_from(power.unsigned_abs()).ok()?)?;
    let value = if power < 0 { mantissa as f64 / scale } else { mantissa as f64 * scale };
    Some(if word[0] == b'-' { -value } else { value })
}

fn long_real(word: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(word).ok()?;
    text.parse().ok().or_else(|| text.replace(['d', 'D'], "e").parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_whole_words() {
        assert_eq!(integer(b"-120"), Some(-120));
        assert_eq!(integer(b"+7"), Some(7));
        assert_eq!(integer(b"999999999999999999"), Some(999_999_999_999_999_999));
        for word in ["", "-", "+", "1.0", "1x", "9999999999999999999", "--1", " 1"] {
            assert_eq!(integer(word.as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn reals_are_those_of_the_standard_library() {
        let words = [
            "0",
            "-0",
            "1",
            "-1.5",
            ".5",
            "5.",
            "1e5",
            "1.25E-3",
            "0.1",
            "0.30000000000000004",
            "1e22",
            "1e23",
            "3e-22",
            "9007199254740993",
            "123456789012345678",
            "1.7976931348623157e308",
            "5e-324",
            "1e400",
            "nan",
            "inf",
            "-inf",
            "0.0000000000000000000001",
            "1e-400",
            "2.2250738585072011e-308",
            "1e9999999999999999999",
        ];
        for word in words {
            let ours = real(word.as_bytes()).map(f64::to_bits);
            assert_eq!(ours, word.parse().ok().map(f64::to_bits), "{word}");
        }
        assert_eq!(real(b"1.5D+01"), Some(15.0));
        assert_eq!(real(b"0.12345678901234567890d2"), "12.345678901234567890".parse().ok());
        for word in ["", ".", "-", "e5", "1e", "1..2", "1.2.3", "1e5.", "0x10", "1,5", "- 1"] {
            assert_eq!(real(word.as_bytes()), None, "{word}");
        }
    }
}
