//! Values of the parameters of methods, by name.
//!
//! The file of a method, or of a part that several methods share, declares its parameters as [`Setting`]s: name, kind,
//! range, default and one line. [`Options`] hold the values that differ from the defaults.

use crate::field::Field;
use model::parameter::{Parameter, Value};
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// A parameter of methods whose values are of type `T`. All are in [`crate::parameters`]; a method outside of this
/// crate declares its own the same way.
///
/// ```
/// use integrators::{Options, Setting};
/// use model::parameter::{Kind, Parameter, Preset};
///
/// const SHARE: Setting<f64> = Setting::new(Parameter {
///     name: "share",
///     kind: Kind::within(0.0, 1.0),
///     default: Preset::Numbers(&[0.5]),
///     doc: "share of the velocity kept per step",
///     unit: "",
/// });
///
/// assert_eq!(Options::default().get(&SHARE), 0.5);
/// assert_eq!(Options::default().with(&SHARE, 0.9).get(&SHARE), 0.9);
/// ```
///
/// A default or kind of another type does not compile:
///
/// ```compile_fail
/// use integrators::Setting;
/// use model::parameter::{Kind, Parameter, Preset};
///
/// const SHARE: Setting<f64> = Setting::new(Parameter {
///     name: "share",
///     kind: Kind::within(0.0, 1.0),
///     default: Preset::Flag(true),
///     doc: "share of the velocity kept per step",
///     unit: "",
/// });
/// assert_eq!(SHARE.parameter.name, "share");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Setting<T> {
    /// Name, kind, range, default and description.
    pub parameter: Parameter,
    values: PhantomData<T>,
}

impl<T: Field> Setting<T> {
    /// Declares a parameter. In a constant, a kind or default of another type than `T` is an error of the compiler.
    pub const fn new(parameter: Parameter) -> Setting<T> {
        assert!(T::FORM.fits(&parameter), "the kind and the default of a parameter must be of the type of its values");
        Setting { parameter, values: PhantomData }
    }
}

/// Values of parameters of methods. A method reads those that its row declares.
///
/// Only values other than the default are held, so that options are equal if they read the same.
///
/// ```
/// use integrators::{Modes, Options, parameters};
///
/// let options = Options::default().with(&parameters::MODES, Modes::Auto).with(&parameters::ITERATIONS, 40);
/// assert_eq!(options.get(&parameters::MODES), Modes::Auto);
/// assert_eq!(options.get(&parameters::TOLERANCE), 1e-6);
/// assert_eq!(options.with(&parameters::MODES, Modes::Count(5)).with(&parameters::ITERATIONS, 20), Options::default());
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    values: BTreeMap<&'static str, Value>,
}

impl Options {
    /// Returns the value of a parameter, or its default.
    ///
    /// # Panics
    ///
    /// Panics if the default is not of type `T`, which [`Setting::new`] excludes unless a [`Field`] is inconsistent.
    pub fn get<T: Field>(&self, setting: &Setting<T>) -> T {
        let Parameter { name, default, .. } = &setting.parameter;
        let set = self.values.get(name).and_then(T::from_value);
        set.or_else(|| T::from_value(&default.value()?))
            .unwrap_or_else(|| panic!("the default {default} of parameter {name} is not of its type"))
    }

    /// Sets the value of a parameter. It is not checked against the range.
    pub fn set<T: Field>(&mut self, setting: &Setting<T>, value: T) {
        self.hold(&setting.parameter, value.value());
    }

    /// Returns these options with another value of a parameter. It is not checked against the range.
    pub fn with<T: Field>(mut self, setting: &Setting<T>, value: T) -> Options {
        self.set(setting, value);
        self
    }

    /// Returns the value of a parameter whose type is not known, or its default; `None` if it has neither.
    pub fn value(&self, parameter: &Parameter) -> Option<Value> {
        self.values.get(parameter.name).cloned().or_else(|| parameter.default.value())
    }

    /// Sets the value of a parameter whose type is not known. Returns false and changes nothing if it is of another
    /// kind or out of range.
    ///
    /// ```
    /// use integrators::{Options, parameters};
    /// use model::parameter::Value;
    ///
    /// let mut options = Options::default();
    /// let iterations = &parameters::ITERATIONS.parameter;
    /// assert!(options.put(iterations, &Value::from(50.0)));
    /// assert!(!options.put(iterations, &Value::from(2.5)) && !options.put(iterations, &Value::from("many")));
    /// assert_eq!(options.get(&parameters::ITERATIONS), 50);
    /// ```
    pub fn put(&mut self, parameter: &Parameter, value: &Value) -> bool {
        let checked = parameter.accepts(value);
        let is_accepted = checked.is_some();
        checked.into_iter().for_each(|value| self.hold(parameter, value));
        is_accepted
    }

    fn hold(&mut self, parameter: &Parameter, value: Value) {
        if parameter.default.value().as_ref() == Some(&value) {
            self.values.remove(parameter.name);
        } else {
            self.values.insert(parameter.name, value);
        }
    }
}
