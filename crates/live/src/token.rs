//! Secret part of the address: requests without it are refused.

/// 128 random bits as 32 digits.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    /// Makes a new token, from the system's random source.
    pub fn new() -> Result<Token, getrandom::Error> {
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Returns the digits.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Returns true if a word is the token. The time it takes reveals only the length, which is not secret.
    pub fn is(&self, word: &str) -> bool {
        let (own, word) = (self.0.as_bytes(), word.as_bytes());
        let differences = own.iter().zip(word).fold(0_u8, |all, (a, b)| std::hint::black_box(all | (a ^ b)));
        own.len() == word.len() && differences == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_is_the_token() {
        let token = Token::new().unwrap();
        let text = token.text().to_string();
        assert_eq!(text.len(), 32);
        assert!(token.is(&text));
        let other = if text.ends_with('0') { "1" } else { "0" };
        let (long, near, upper) = (format!("{text}0"), format!("{}{other}", &text[..31]), text.to_uppercase());
        let mut wrong = vec!["", "0", &text[..31], &long, &near];
        // Without a letter the upper-case form is the same.
        wrong.extend((upper != text).then_some(upper.as_str()));
        for wrong in wrong {
            assert!(!token.is(wrong), "{wrong}");
        }
        assert_ne!(text, Token::new().unwrap().text());
    }
}
