//! `pliant list`, `schema` and `bench`.

use crate::workspace::Workspace;
use serde_json::Value;

#[test]
fn tables_are_listed_for_people_and_programs() {
    let workspace = Workspace::new("list");
    let all = workspace.pliant(&["list"]).expect(0).out;
    for word in ["backward-euler", "neo-hookean", "cloth", "rho_infinity", "Newmark 1959", "cells_along"] {
        assert!(all.contains(word), "{word}");
    }
    let whole: Value = serde_json::from_str(&workspace.pliant(&["list", "--json"]).expect(0).out).unwrap();
    for table in ["methods", "materials", "generators", "exports", "options"] {
        let one: Value = serde_json::from_str(&workspace.pliant(&["list", table, "--json"]).expect(0).out).unwrap();
        assert_eq!(one[table], whole[table]);
        let rows = whole[table].as_array().unwrap();
        assert!(rows.len() > 3 && rows.iter().all(|row| row["name"].is_string() && row["description"].is_string()));
        let text = workspace.pliant(&["list", table]).expect(0).out;
        assert!(rows.iter().all(|row| text.contains(row["name"].as_str().unwrap())));
    }
    // Numbers as people write them.
    assert!(all.contains("cells = [4, 4, 4] ") && all.contains("from 0.5 to 1.5") && !all.contains("e0"), "{all}");
    let shapes = &whole["generators"][0]["parameters"];
    assert!(shapes.to_string().contains("[4,4,4]"), "{shapes}");
    workspace.pliant(&["list", "sorrows"]).expect(2);
}

#[test]
fn everything_a_scene_may_say_is_listed() {
    let workspace = Workspace::new("list-scene");
    assert!(workspace.pliant(&["list"]).expect(0).out.contains("pliant list scene"));
    let keys = workspace.pliant(&["list", "scene"]).expect(0).out;
    for word in ["[[load]]", "gusts", "keyframes", "penalty", "degrees_per_metre", "half_space", "bending", "reference"]
    {
        assert!(keys.contains(word), "{word}");
    }
    // Selectors have their own keys.
    assert!(keys.contains("`radius`") && keys.contains("`outer`") && keys.contains("`normal`"), "{keys}");
    let schema: Value = serde_json::from_str(&workspace.pliant(&["list", "scene", "--json"]).expect(0).out).unwrap();
    assert!(schema["scene"]["properties"]["load"].is_object());
}

#[test]
fn the_schema_is_json() {
    let workspace = Workspace::new("schema");
    let schema: Value = serde_json::from_str(&workspace.pliant(&["schema"]).expect(0).out).unwrap();
    assert!(schema["properties"]["integrator"].is_object() && schema["properties"]["body"].is_object());
}

#[test]
fn benches_are_listed_and_unknown_ones_refused() {
    let workspace = Workspace::new("bench");
    workspace.pliant(&["bench"]).expect(0);
    assert!(workspace.pliant(&["bench", "--json"]).expect(0).json()["benches"].is_array());
    workspace.pliant(&["bench", "patience"]).expect(2);
}
