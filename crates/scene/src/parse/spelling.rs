//! Old spellings of keys: they are read as the new ones.

use crate::problem::Found;
use crate::spec::{Content, Key};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Renames the keys of a table, and of tables inside, that have a new name.
pub(super) fn renew(table: &mut DeTable, keys: &[&Key], found: &mut Found) {
    for key in keys {
        let old = key.old.iter().map(String::as_str).filter(|old| table.contains_key(*old)).collect::<Vec<_>>();
        for old in old {
            let Some((word, value)) = table.remove_entry(old) else { continue };
            if table.contains_key(key.name) {
                let message =
                    format!("`{old}` is the old spelling of `{}`, which is given too; remove one of both", key.name);
                found.add(&word.span(), message);
                continue;
            }
            table.insert(Spanned::new(word.span(), key.name.into()), value);
        }
        let inside = || key.content.keys();
        match table.get_mut(key.name).map(Spanned::get_mut) {
            Some(DeValue::Table(table)) => renew(table, &inside(), found),
            Some(DeValue::Array(array)) if matches!(key.content, Content::Tables(_)) => {
                let inside = inside();
                for element in array.iter_mut() {
                    if let DeValue::Table(table) = element.get_mut() {
                        renew(table, &inside, found);
                    }
                }
            }
            _ => {}
        }
    }
}
