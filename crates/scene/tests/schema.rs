//! The JSON schema admits all scenes and bodies of the repository, and refuses what the reader refuses.

use scene::spec;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Returns whether a value conforms to a schema, for the keywords that the schema uses. An unknown keyword is an error.
fn admits(schema: &Value, value: &Value) -> bool {
    let list = |value: &Value| value.as_array().unwrap().clone();
    let about = |value: &Value| value.as_f64().unwrap();
    schema.as_object().unwrap().iter().all(|(word, said)| match word.as_str() {
        "$schema" | "title" | "description" | "default" => true,
        "type" => match said.as_str().unwrap() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_u64() || value.is_i64(),
            "number" => value.is_number(),
            other => panic!("type {other}"),
        },
        "enum" => list(said).contains(value),
        "const" => said == value,
        "anyOf" => list(said).iter().any(|schema| admits(schema, value)),
        "oneOf" => list(said).iter().filter(|schema| admits(schema, value)).count() == 1,
        "items" => value.as_array().is_none_or(|items| items.iter().all(|item| admits(said, item))),
        "minItems" => value.as_array().is_none_or(|items| items.len() as f64 >= about(said)),
        "maxItems" => value.as_array().is_none_or(|items| items.len() as f64 <= about(said)),
        "minimum" => value.as_f64().is_none_or(|x| x >= about(said)),
        "maximum" => value.as_f64().is_none_or(|x| x <= about(said)),
        "exclusiveMinimum" => value.as_f64().is_none_or(|x| x > about(said)),
        "exclusiveMaximum" => value.as_f64().is_none_or(|x| x < about(said)),
        "minProperties" => value.as_object().is_none_or(|map| map.len() as f64 >= about(said)),
        "maxProperties" => value.as_object().is_none_or(|map| map.len() as f64 <= about(said)),
        "required" => {
            let has = |map: &Map<String, Value>| list(said).iter().all(|key| map.contains_key(key.as_str().unwrap()));
            value.as_object().is_none_or(has)
        }
        "properties" => {
            let known = said.as_object().unwrap();
            let fits = |(key, value): (&String, &Value)| known.get(key).is_none_or(|schema| admits(schema, value));
            value.as_object().is_none_or(|map| map.iter().all(fits))
        }
        "additionalProperties" => {
            assert_eq!(*said, json!(false));
            let known = schema["properties"].as_object().unwrap();
            value.as_object().is_none_or(|map| map.keys().all(|key| known.contains_key(key)))
        }
        other => panic!("the schema says {other}"),
    })
}

/// Replaces nulls, which stand for infinities in JSON, by the largest number.
fn replace_infinities(value: &mut Value) {
    match value {
        Value::Null => *value = json!(f64::MAX),
        Value::Array(items) => items.iter_mut().for_each(replace_infinities),
        Value::Object(map) => map.values_mut().for_each(replace_infinities),
        _ => {}
    }
}

fn files(directory: &str) -> Vec<(PathBuf, Value)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(directory);
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let toml = paths.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    let read = |path: PathBuf| {
        let mut value = toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        replace_infinities(&mut value);
        (path, value)
    };
    toml.map(read).collect()
}

#[test]
fn every_scene_is_admitted() {
    let schema = spec::schema();
    let scenes: Vec<_> = files("scenes").into_iter().chain(files("scenes/large")).collect();
    assert!(scenes.len() > 30);
    for (path, scene) in &scenes {
        assert!(admits(&schema, scene), "{}", path.display());
    }
    // Deviations from the spec are not admitted.
    let mut scene = scenes.iter().find(|(path, _)| path.ends_with("large/dragon.toml")).unwrap().1.clone();
    for (surface, good) in [(json!("given"), true), (json!(100), true), (json!("gven"), false), (json!(3), false)] {
        scene["body"][0]["shape"]["surface"] = surface.clone();
        assert_eq!(admits(&schema, &scene), good, "{surface}");
    }
}

#[test]
fn every_body_is_admitted_as_that_of_a_scene() {
    let schema = spec::schema();
    let scene = &files("scenes")[0].1;
    for (path, mut body) in files("bodies") {
        let keys = body.as_object_mut().unwrap();
        keys.remove("title");
        keys.insert("generator".to_string(), json!("parts"));
        let mut scene = scene.clone();
        scene["body"][0]["shape"] = body;
        assert!(admits(&schema, &scene), "{}", path.display());
        scene["body"][0]["shape"]["part"][0]["blond"] = json!(0.1);
        assert!(!admits(&schema, &scene), "{} with a misspelt key", path.display());
    }
}
