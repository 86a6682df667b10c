//! Values of [`Options`] by the names of [`OPTIONS`].

use crate::parse::tree::Value;
use integrators::{Modes, OPTIONS, OptionField, Options};

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
            OptionField::Modes(Modes::Count(n)) => Value::Count(*n as u64),
            OptionField::Modes(Modes::Auto) => Value::Text(Modes::AUTO.to_string()),
            OptionField::Word(choice) => Value::Text(choice.word().to_string()),
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
            (OptionField::Modes(field), Value::Count(n)) => *field = Modes::Count(*n as usize),
            (OptionField::Modes(field), Value::Text(word)) if word == Modes::AUTO => *field = Modes::Auto,
            (OptionField::Word(field), Value::Text(word)) => return field.choose(word).then_some(()),
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
            let values = match facts.kind {
                OptionKind::Number { min, max } => vec![Value::Number(min), Value::Number(max)],
                OptionKind::Count { min, max } => vec![Value::Count(min as u64), Value::Count(max as u64)],
                OptionKind::CountOr { min, max, word } => {
                    vec![Value::Count(min as u64), Value::Count(max as u64), Value::Text(word.to_string())]
                }
                OptionKind::Flag => vec![Value::Flag(true), Value::Flag(false)],
                OptionKind::Word(words) => words.iter().map(|word| Value::Text(word.to_string())).collect(),
            };
            assert!(values.len() > 1, "{} leaves no choice", facts.name);
            for value in values {
                let mut options = Options::default();
                assert!(set_option(&mut options, facts.name, &value).is_some(), "{} cannot be set", facts.name);
                assert_eq!(option_value(&options, facts.name), Some(value), "{}", facts.name);
            }
            let nonsense = Value::Text("nonsense".to_string());
            assert!(set_option(&mut Options::default(), facts.name, &nonsense).is_none(), "{}", facts.name);
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
