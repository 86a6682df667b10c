//! Values of [`Options`] by the names of [`OPTIONS`].

use crate::parse::tree::Value;
use integrators::{OPTIONS, OptionField, Options};
use numerics::linear::SolverKind;

/// Works on the option of this name; `None` when there is none.
fn with<T>(options: &mut Options, name: &str, work: impl FnOnce(OptionField) -> Option<T>) -> Option<T> {
    let facts = OPTIONS.iter().find(|facts| facts.name == name)?;
    work((facts.field)(options))
}

/// The option of this name.
pub(crate) fn option_value(options: &Options, name: &str) -> Option<Value> {
    with(&mut options.clone(), name, |field| {
        Some(match field {
            OptionField::Number(x) => Value::Number(*x),
            OptionField::Count(n) => Value::Count(*n as u64),
            OptionField::Flag(flag) => Value::Flag(*flag),
            OptionField::Solver(kind) => {
                Value::Text(SolverKind::NAMES.iter().find(|(_, known)| known == kind)?.0.to_string())
            }
        })
    })
}

/// Sets the option of this name; `None` when there is none or the value is of another kind.
pub(crate) fn set_option(options: &mut Options, name: &str, value: &Value) -> Option<()> {
    with(options, name, |field| {
        match (field, value) {
            (OptionField::Number(field), Value::Number(x)) => *field = *x,
            (OptionField::Count(field), Value::Count(n)) => *field = *n as usize,
            (OptionField::Flag(field), Value::Flag(flag)) => *field = *flag,
            (OptionField::Solver(field), Value::Text(word)) => {
                *field = SolverKind::NAMES.iter().find(|(name, _)| name == word)?.1;
            }
            _ => return None,
        }
        Some(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use integrators::{METHODS, OptionKind};

    /// A row of OPTIONS whose field or kind is not its own fails this test.
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
