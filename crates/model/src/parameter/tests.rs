//! Values that kinds take, and their words.

use super::{Kind, Limit, Parameter, ParameterError, Parameters, Preset, Range, Value};
use std::collections::BTreeMap;

#[test]
fn ranges_hold_what_their_words_say() {
    let (tiny, huge) = (f64::MIN_POSITIVE, f64::MAX);
    for (range, words, inside, outside) in [
        (Range::Positive, "a number above 0", vec![tiny, huge], vec![0.0, -tiny]),
        (Range::NotNegative, "a number 0 or above", vec![0.0, -0.0, huge], vec![-tiny]),
        (Range::Any, "a finite number", vec![-huge, 0.0, huge], vec![]),
        (Range::Within { min: -1.0, max: 2.0 }, "a number from -1 to 2", vec![-1.0, 2.0], vec![-1.1, 2.1]),
        (
            Range::Between { min: -1.0, max: 0.5, why: "" },
            "a number above -1 and below 0.5",
            vec![-0.9, 0.4],
            vec![-1.0, 0.5],
        ),
    ] {
        assert_eq!(range.words(), words);
        assert!(inside.iter().all(|x| range.holds(*x)), "{words}");
        let outside = outside.into_iter().chain([f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);
        assert!(outside.into_iter().all(|x| !range.holds(x)), "{words}");
    }
    let infinite = Range::Infinite;
    assert_eq!(infinite.words(), "a number or inf");
    assert!(infinite.holds(f64::INFINITY) && infinite.holds(f64::NEG_INFINITY) && !infinite.holds(f64::NAN));
    assert_eq!(Range::NotNegative.limits(), [Some(Limit { value: 0.0, is_allowed: true }), None]);
}

#[test]
fn one_number_stands_for_several_sizes_but_not_for_a_position() {
    let one = Value::from(2.0);
    assert_eq!(Kind::lengths(3).accepts(&one), Some(Value::from([2.0; 3])));
    assert_eq!(Kind::counts(2).accepts(&one), Some(Value::from([2.0; 2])));
    for kind in [Kind::VECTOR, Kind::Direction, Kind::Points { components: 3 }, Kind::Flag, Kind::Text] {
        assert_eq!(kind.accepts(&one), None, "{kind:?}");
    }
    assert_eq!(Kind::Text.accepts(&"any".into()), Some("any".into()));
}

#[test]
fn a_parameter_that_may_be_missing_has_no_value() {
    const TABLE: &[Parameter] = &[
        Parameter::new("size", Kind::LENGTH, Preset::Numbers(&[2.0]), "m", "size"),
        Parameter::optional("core", Kind::LENGTH, "m", "size of the core"),
        Parameter::required("name", Kind::Text, "", "name"),
    ];
    let resolve = |given: &[(&str, Value)]| {
        let given: BTreeMap<String, Value> = given.iter().map(|(name, x)| (name.to_string(), x.clone())).collect();
        Parameters::resolve("nut", TABLE, &given)
    };
    let without = resolve(&[("name", "a".into())]).unwrap();
    assert_eq!((without.maybe("core"), without.length("size")), (None, Ok(2.0)));
    let with = resolve(&[("name", "a".into()), ("core", 0.5.into())]).unwrap();
    assert_eq!((with.maybe("core"), with.length("core")), (Some(&Value::from(0.5)), Ok(0.5)));
    let refused = resolve(&[("name", "a".into()), ("core", 0.0.into())]).unwrap_err().to_string();
    assert_eq!(refused, "core = 0 of the nut cannot be used; give a number above 0 [m]");
    assert!(matches!(resolve(&[]), Err(ParameterError::Missing { parameter: "name", .. })));
}
