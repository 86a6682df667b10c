//! Descriptions of the values that keys take.

use super::{Content, Key};

impl Content {
    /// Describes this content, with an article.
    pub fn words(&self) -> String {
        match self {
            Content::Value(kind) => kind.words(),
            Content::Row(rows) => {
                let names: Vec<String> = rows.iter().map(|(name, _)| format!("\"{name}\"")).collect();
                format!("one of {}", names.join(", "))
            }
            Content::OneOf(keys) => {
                let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
                format!("a table with one of the keys {}", names.join(", "))
            }
            Content::Table(_) => "a table".to_string(),
            Content::Tables(_) => "an array of tables".to_string(),
        }
    }
}

impl Key {
    /// Describes the values that this key takes, with the unit.
    pub fn takes(&self) -> String {
        match self.unit {
            "" => self.content.words(),
            unit => format!("{} [{unit}]", self.content.words()),
        }
    }
}
