//! Fields of [`Options`] by the names of [`integrators::OPTIONS`].

use crate::parse::tree::Value;
use integrators::Options;
use numerics::linear::SolverKind;

const SOLVERS: [(&str, SolverKind); 3] =
    [("auto", SolverKind::Auto), ("direct", SolverKind::Direct), ("pcg", SolverKind::Pcg)];

/// The option of this name.
pub(crate) fn option_value(options: &Options, name: &str) -> Option<Value> {
    Some(match name {
        "tolerance" => Value::Number(options.tolerance),
        "iterations" => Value::Count(options.iterations as u64),
        "line_search" => Value::Flag(options.line_search),
        "hessian_correction" => Value::Flag(options.hessian_correction),
        "halvings" => Value::Count(options.halvings as u64),
        "beta" => Value::Number(options.beta),
        "gamma" => Value::Number(options.gamma),
        "rho_infinity" => Value::Number(options.rho_infinity),
        "solver" => Value::Text(SOLVERS.iter().find(|(_, kind)| *kind == options.solver)?.0.to_string()),
        "solver_tolerance" => Value::Number(options.solver_tolerance),
        _ => return None,
    })
}

/// Sets the option of this name; `None` when there is none or the value is of another kind.
pub(crate) fn set_option(options: &mut Options, name: &str, value: &Value) -> Option<()> {
    match (name, value) {
        ("tolerance", Value::Number(x)) => options.tolerance = *x,
        ("iterations", Value::Count(n)) => options.iterations = *n as usize,
        ("line_search", Value::Flag(flag)) => options.line_search = *flag,
        ("hessian_correction", Value::Flag(flag)) => options.hessian_correction = *flag,
        ("halvings", Value::Count(n)) => options.halvings = *n as usize,
        ("beta", Value::Number(x)) => options.beta = *x,
        ("gamma", Value::Number(x)) => options.gamma = *x,
        ("rho_infinity", Value::Number(x)) => options.rho_infinity = *x,
        ("solver", Value::Text(word)) => options.solver = SOLVERS.iter().find(|(name, _)| name == word)?.1,
        ("solver_tolerance", Value::Number(x)) => options.solver_tolerance = *x,
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use integrators::{METHODS, OPTIONS, OptionKind};

    /// A new row of OPTIONS without its field here fails this test.
    #[test]
    fn every_option_can_be_set_and_read_back() {
        for facts in OPTIONS {
            let value = match facts.kind {
                OptionKind::Number { max, .. } => Value::Number(max),
                OptionKind::Count { max, .. } => Value::Count(max as u64),
                OptionKind::Flag => match option_value(&Options::default(), facts.name) {
                    Some(Value::Flag(flag)) => Value::Flag(!flag),
                    other => panic!("{} is {other:?}", facts.name),
                },
                OptionKind::Word(words) => Value::Text(words.last().unwrap().to_string()),
            };
            let mut options = Options::default();
            assert!(set_option(&mut options, facts.name, &value).is_some(), "{} cannot be set", facts.name);
            assert_eq!(option_value(&options, facts.name), Some(value), "{}", facts.name);
        }
    }

    #[test]
    fn every_option_a_method_reads_is_in_the_table() {
        for method in METHODS {
            for name in method.options {
                assert!(OPTIONS.iter().any(|facts| facts.name == *name), "{} of {}", name, method.name);
            }
        }
    }
}
