//! Types of the values of parameters: numbers, counts, flags, words.

use model::parameter::{Kind, Parameter, Preset, Value};

/// A type of parameter values.
///
/// ```
/// use integrators::Field;
/// use model::parameter::Value;
///
/// assert_eq!(usize::from_value(&Value::from(5.0)), Some(5));
/// // A count is a whole number.
/// assert_eq!(usize::from_value(&Value::from(2.5)), None);
/// assert_eq!(usize::from_value(&Value::Flag(true)), None);
/// assert_eq!(5_usize.value(), Value::from(5.0));
/// ```
pub trait Field: Sized {
    /// Form of the values, which a declaration must have.
    const FORM: Form;

    /// Returns the value in the form of a parameter.
    fn value(&self) -> Value;

    /// Returns a value from the form of a parameter; `None` if it is of another kind.
    fn from_value(value: &Value) -> Option<Self>;
}

/// Form of the values of a type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Form {
    /// One number.
    Number,
    /// One integer, 0 or more.
    Count,
    /// One integer, 0 or more, or this word.
    CountOr(&'static str),
    /// One number, or this word.
    NumberOr(&'static str),
    /// True or false.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
}

impl Form {
    /// Returns true if the kind of a parameter and its default have this form.
    pub(crate) const fn fits(self, parameter: &Parameter) -> bool {
        match (self, parameter.kind, parameter.default) {
            (Form::Number, Kind::Number { components: 1, .. }, Preset::Numbers([_])) => true,
            (Form::Count, Kind::Count { components: 1, .. }, Preset::Numbers([x])) => is_count(*x),
            (Form::CountOr(own), Kind::CountOr { word, .. }, Preset::Numbers([x])) => same(own, word) && is_count(*x),
            (Form::CountOr(own), Kind::CountOr { word, .. }, Preset::Word(x)) => same(own, word) && same(own, x),
            (Form::NumberOr(own), Kind::NumberOr { word, .. }, Preset::Numbers([_])) => same(own, word),
            (Form::NumberOr(own), Kind::NumberOr { word, .. }, Preset::Word(x)) => same(own, word) && same(own, x),
            (Form::Flag, Kind::Flag, Preset::Flag(_)) => true,
            (Form::Word(own), Kind::Word { choices }, Preset::Word(x)) => {
                let mut i = 0;
                let mut is_known = false;
                while i < own.len() && i < choices.len() && same(own[i], choices[i]) {
                    is_known |= same(own[i], x);
                    i += 1;
                }
                i == own.len() && i == choices.len() && is_known
            }
            _ => false,
        }
    }
}

const fn is_count(x: f64) -> bool {
    x >= 0.0 && x as usize as f64 == x
}

/// Compares words; `==` is not for constants.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

impl Field for f64 {
    const FORM: Form = Form::Number;

    fn value(&self) -> Value {
        Value::from(*self)
    }

    fn from_value(value: &Value) -> Option<f64> {
        match value {
            Value::Numbers(numbers) if numbers.len() == 1 => Some(numbers[0]),
            _ => None,
        }
    }
}

impl Field for usize {
    const FORM: Form = Form::Count;

    fn value(&self) -> Value {
        Value::from(*self as f64)
    }

    fn from_value(value: &Value) -> Option<usize> {
        f64::from_value(value).filter(|x| is_count(*x)).map(|x| x as usize)
    }
}

impl Field for bool {
    const FORM: Form = Form::Flag;

    fn value(&self) -> Value {
        Value::Flag(*self)
    }

    fn from_value(value: &Value) -> Option<bool> {
        match value {
            Value::Flag(flag) => Some(*flag),
            _ => None,
        }
    }
}

/// A type whose values are written as words.
///
/// ```
/// use integrators::{Field, Options, Setting, Words};
/// use model::parameter::{Kind, Parameter, Preset, Value};
///
/// #[derive(Debug, Clone, Copy, PartialEq)]
/// enum Start {
///     Rest,
///     Guess,
/// }
///
/// impl Words for Start {
///     const WORDS: &'static [(&'static str, Start)] = &[("rest", Start::Rest), ("guess", Start::Guess)];
/// }
///
/// const START: Setting<Start> = Setting::new(Parameter {
///     name: "start",
///     kind: Kind::Word { choices: Start::CHOICES },
///     default: Preset::Word("rest"),
///     doc: "start of the iteration",
///     unit: "",
/// });
///
/// assert_eq!(Start::from_value(&Value::from("guess")), Some(Start::Guess));
/// assert_eq!(Start::from_value(&Value::from("else")), None);
/// assert_eq!(Options::default().get(&START), Start::Rest);
/// ```
pub trait Words: Copy + PartialEq + 'static {
    /// Every word and its value, in the order of lists for readers.
    const WORDS: &'static [(&'static str, Self)];

    /// The words alone, for [`Kind::Word`].
    const CHOICES: &'static [&'static str] = Choices::<Self>::LIST.split_at(Self::WORDS.len()).0;
}

/// Largest number of words of a type.
const MOST: usize = 32;

/// Words of a type, filled up with empty ones.
struct Choices<T>(std::marker::PhantomData<T>);

impl<T: Words> Choices<T> {
    const LIST: &'static [&'static str; MOST] = &{
        let mut list = [""; MOST];
        let mut i = 0;
        while i < T::WORDS.len() {
            list[i] = T::WORDS[i].0;
            i += 1;
        }
        list
    };
}

impl<T: Words> Field for T {
    const FORM: Form = Form::Word(T::CHOICES);

    fn value(&self) -> Value {
        Value::from(T::WORDS.iter().find(|(_, value)| value == self).map_or("", |(word, _)| word))
    }

    fn from_value(value: &Value) -> Option<T> {
        let Value::Word(word) = value else { return None };
        T::WORDS.iter().find(|(known, _)| known == word).map(|(_, value)| *value)
    }
}
