//! `[providers.NAME]`: who answers.

use std::sync::Arc;

use interlingua_upstream::{PROVIDERS, Provider, Row};

use super::provider::{Entry, keyless};
use super::table::{Item, Table};
use crate::config::{Env, SIMULATED, nothing};

/// A provider of the file.
pub(super) struct Named {
    pub(super) name: String,
    /// Nothing if something about it is wrong.
    pub(super) provider: Option<Arc<Provider>>,
    /// Its share where a target has none of its own.
    pub(super) weight: Option<u32>,
}

/// The names of the providers that are known.
pub(super) fn names<'n>() -> impl Iterator<Item = &'n str> {
    PROVIDERS.iter().map(|row| row.name)
}

/// A file that names no provider has those of the environment.
pub(super) fn read(table: &Table<'_>, env: Env<'_>) -> Vec<Named> {
    if !table.is_there() {
        return found(table, env);
    }
    let items = table.items().into_iter();
    items.filter_map(|(name, at, item)| one(table, name, at, &item, env)).collect()
}

fn found(table: &Table<'_>, env: Env<'_>) -> Vec<Named> {
    let (providers, unset) = nothing::found(env);
    for unset in unset {
        let name = unset.provider;
        table.report.note(format!("`{name}` has a key and lacks something: {}", unset.what));
    }
    let named = |provider: Arc<Provider>| Named {
        name: provider.name.clone(),
        provider: Some(provider),
        weight: None,
    };
    providers.into_iter().map(named).collect()
}

/// A known provider that the file mentions and does not describe.
pub(super) fn implied(item: &Item<'_>, name: &str, env: Env<'_>) -> Option<Named> {
    let row = Row::find(name)?;
    let mut named = Named { name: name.to_owned(), provider: None, weight: None };
    match row.provider(env) {
        Ok(provider) => {
            if let Some(variables) = keyless(row, &provider) {
                item.warn(&format!("goes to `{name}`, which has no key: set {variables}"));
            }
            named.provider = Some(Arc::new(provider));
        }
        Err(unset) => item
            .mistake(&format!("goes to `{name}`, of which something is missing: {}", unset.what)),
    }
    Some(named)
}

fn one(all: &Table<'_>, name: &str, at: usize, item: &Item<'_>, env: Env<'_>) -> Option<Named> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || !name.chars().all(plain) {
        let what =
            format!("the name of a provider has letters, digits, -, _ and . only, not `{name}`");
        all.report.mistake(at, what);
        return None;
    }
    if name == SIMULATED {
        all.report
            .mistake(at, format!("`{SIMULATED}` is the model that is built in: take another name"));
        return None;
    }
    let table = item.table()?;
    let mut weight = None;
    table.set("weight", &mut weight, |item| item.small(1).map(Some));
    let entry = Entry { name, at, table: &table, env };
    let provider = entry.provider().ok().map(Arc::new);
    table.close();
    Some(Named { name: name.to_owned(), provider, weight })
}
