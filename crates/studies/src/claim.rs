//! Formulas over the results of runs: `{siere: energy kept} > 2 * {backward-euler: energy kept}`.
//!
//! A name in braces is a run and one of its quantities. A formula that compares is 1 where it holds and 0 where not.

use exmex::{BinOp, Express, FlatEx, FloatOpsFactory, MakeOperators, MatchLiteral, Operator};
use serde::Deserialize;
use std::fmt;

/// A formula, parsed.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct Claim {
    text: String,
    formula: FlatEx<f64, Operators, Numbers>,
}

/// Reason why a formula has no value.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimError {
    /// The quantity that a run does not have.
    pub missing: String,
}

impl fmt::Display for ClaimError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (run, quantity) = split(&self.missing);
        write!(f, "{run} has no {quantity}")
    }
}

impl std::error::Error for ClaimError {}

/// Splits a name into the run and its quantity.
pub fn split(name: &str) -> (&str, &str) {
    let (run, quantity) = name.split_once(':').unwrap_or((name, ""));
    (run.trim(), quantity.trim())
}

/// Arithmetic, comparisons and logic of numbers.
#[derive(Debug, Clone)]
struct Operators;

impl MakeOperators<f64> for Operators {
    fn make<'a>() -> Vec<Operator<'a, f64>> {
        let binary =
            |repr, apply, prio, is_commutative| Operator::make_bin(repr, BinOp { apply, prio, is_commutative });
        let mut operators = FloatOpsFactory::<f64>::make();
        operators.extend([
            binary(">", |a, b| f64::from(a > b), -1, false),
            binary("<", |a, b| f64::from(a < b), -1, false),
            binary(">=", |a, b| f64::from(a >= b), -1, false),
            binary("<=", |a, b| f64::from(a <= b), -1, false),
            binary("==", |a, b| f64::from(a == b), -1, true),
            binary("&&", |a, b| f64::from(a != 0.0 && b != 0.0), -2, true),
            binary("||", |a, b| f64::from(a != 0.0 || b != 0.0), -3, true),
        ]);
        operators
    }
}

/// Numbers as programs write them, with an exponent if they like.
#[derive(Debug, Clone)]
struct Numbers;

impl MatchLiteral for Numbers {
    fn is_literal(text: &str) -> Option<&str> {
        let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let mantissa = digits(text);
        let (number, rest) = text.split_at(mantissa);
        let exponent = rest.strip_prefix('e').map(|rest| {
            let sign = usize::from(rest.starts_with(['+', '-']));
            (sign, digits(&rest[sign..]))
        });
        let more = exponent.filter(|(_, digits)| *digits > 0).map_or(0, |(sign, digits)| 1 + sign + digits);
        number.starts_with(|c: char| c.is_ascii_digit() || c == '.').then(|| &text[..mantissa + more])
    }
}

impl TryFrom<String> for Claim {
    type Error = String;

    fn try_from(text: String) -> Result<Claim, String> {
        let formula = FlatEx::parse(&text).map_err(|error| format!("'{text}' is no formula: {error}"))?;
        Ok(Claim { text, formula })
    }
}

impl Claim {
    /// Returns the names in it.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.formula.var_names().iter().map(String::as_str)
    }

    /// Returns its value, with the values of names.
    pub fn value(&self, of: &dyn Fn(&str) -> Option<f64>) -> Result<f64, ClaimError> {
        let mut values = Vec::new();
        for name in self.names() {
            values.push(of(name).ok_or_else(|| ClaimError { missing: name.to_string() })?);
        }
        // As many values as names: this cannot fail.
        self.formula.eval(&values).map_err(|error| ClaimError { missing: error.to_string() })
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<f64, ClaimError> {
        let claim = Claim::try_from(text.to_string()).unwrap();
        claim.value(&|name| match name {
            "siere: energy kept" => Some(0.8),
            "1e8/be@0.01: energy kept" => Some(0.1),
            "a: kinetic max" => Some(3.0),
            _ => None,
        })
    }

    #[test]
    fn formulas_compare_results() {
        assert_eq!(value("{siere: energy kept} > 2 * {1e8/be@0.01: energy kept}"), Ok(1.0));
        assert_eq!(value("{siere: energy kept} > 9 * {1e8/be@0.01: energy kept}"), Ok(0.0));
        assert_eq!(value("{siere: energy kept} + 0.1 < 1 && {a: kinetic max} >= 3"), Ok(1.0));
        assert_eq!(value("({siere: energy kept} < 1) == 0 || 1 == 2"), Ok(0.0));
        assert_eq!(value("abs({a: kinetic max} - 5)"), Ok(2.0));
        assert_eq!(value("abs({a: kinetic max} / 6 - 1) < 0.6 && abs({siere: energy kept} - 1) > 0.1"), Ok(1.0));
        assert_eq!(
            value("1 < 2 && 3 < 2 || 5 / 2 > 2.4"),
            Ok(1.0),
            "and binds closer than or, quotients are not rounded"
        );
        assert_eq!(value("1e-9 < 1.5e2 && 2.5e+1 == 25 && .5 < 1"), Ok(1.0), "exponents");
        assert!((value("ln({a: kinetic max}) / ln(3)").unwrap() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = value("{ere: energy kept} > 1").unwrap_err();
        assert_eq!(error.to_string(), "ere has no energy kept");
        let wrong = Claim::try_from("{a: b} >".to_string()).unwrap_err();
        assert!(wrong.starts_with("'{a: b} >' is no formula"), "{wrong}");
    }

    #[test]
    fn names_are_a_run_and_a_quantity() {
        assert_eq!(split("1e8/be@0.01: energy kept"), ("1e8/be@0.01", "energy kept"));
        assert_eq!(split("be: damping at 1.98"), ("be", "damping at 1.98"));
        assert_eq!(split("be"), ("be", ""));
    }
}
