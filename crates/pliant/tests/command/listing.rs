//! `pliant list`, `schema` and `bench`.

use crate::workspace::Workspace;
use serde_json::Value;

#[test]
fn tables_are_listed_for_people_and_programs() {
    let workspace = Workspace::new("list");
    let all = workspace.pliant(&["list"]).expect(0).out;
    for word in ["backward-euler", "neo-hookean", "cloth", "rho_infinity", "Newmark 1959", "cells-along"] {
        assert!(all.contains(word), "{word}");
    }
    let whole: Value = serde_json::from_str(&workspace.pliant(&["list", "--json"]).expect(0).out).unwrap();
    for table in ["methods", "materials", "generators", "options"] {
        let one: Value = serde_json::from_str(&workspace.pliant(&["list", table, "--json"]).expect(0).out).unwrap();
        assert_eq!(one[table], whole[table]);
        let rows = whole[table].as_array().unwrap();
        assert!(rows.len() > 3 && rows.iter().all(|row| row["name"].is_string() && row["description"].is_string()));
        let text = workspace.pliant(&["list", table]).expect(0).out;
        assert!(rows.iter().all(|row| text.contains(row["name"].as_str().unwrap())));
    }
    workspace.pliant(&["list", "sorrows"]).expect(2);
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
