//! The spec of scene files: one table of sections and keys, from which checking, defaults, the JSON schema, the
//! starter scene and run.toml are made.

/// The JSON schema of scene files (draft 2020-12), for editors.
pub fn schema() -> serde_json::Value {
    serde_json::Value::Null
}

/// A commented scene to begin with.
pub fn starter() -> String {
    String::new()
}
