//! Parses `[providers]`.

use interlingua_providers::preset::ProviderPreset;
use interlingua_upstream::ProviderFromEnv;
use std::sync::Arc;

use interlingua_upstream::Provider;

use super::provider::{ProviderParser, missing_key_variables};
use super::sections::read_repair;
use super::table::{Item, Table};
use crate::config::{BUILTIN_PROVIDER, Env, RepairSettings, from_env};

pub(super) struct ProviderEntry {
    pub(super) name: String,
    /// `None` if its table has errors.
    pub(super) provider: Option<Arc<Provider>>,
    /// The default weight of its targets.
    pub(super) weight: Option<u32>,
    /// `None` if its table has none.
    pub(super) repair: Option<RepairSettings>,
}

/// Without a `[providers]` table, the providers come from the environment.
pub(super) fn parse(table: &Table<'_>, env: Env<'_>) -> Vec<ProviderEntry> {
    if !table.is_present() {
        return entries_from_env(table, env);
    }
    let items = table.entries_in_order().into_iter();
    items.filter_map(|(name, at, item)| parse_entry(table, name, at, &item, env)).collect()
}

fn entries_from_env(table: &Table<'_>, env: Env<'_>) -> Vec<ProviderEntry> {
    let (providers, preset_errors) = from_env::detect_providers(env);
    for preset_error in preset_errors {
        let name = preset_error.provider;
        table.diagnostics.warn_outside_file(format!(
            "`{name}` has a key but is incomplete: {}",
            preset_error.message
        ));
    }
    let entry = |provider: Arc<Provider>| ProviderEntry {
        name: provider.name.clone(),
        provider: Some(provider),
        weight: None,
        repair: None,
    };
    providers.into_iter().map(entry).collect()
}

/// A preset that a target mentions and that has no table of its own.
pub(super) fn implied_entry(item: &Item<'_>, name: &str, env: Env<'_>) -> Option<ProviderEntry> {
    let preset = ProviderPreset::find(name)?;
    let mut provider_entry =
        ProviderEntry { name: name.to_owned(), provider: None, weight: None, repair: None };
    match preset.provider(env) {
        Ok(provider) => {
            if let Some(variables) = missing_key_variables(preset, &provider) {
                item.warn(&format!("goes to `{name}`, which has no key: set {variables}"));
            }
            provider_entry.provider = Some(Arc::new(provider));
        }
        Err(preset_error) => {
            item.error(&format!("goes to `{name}`, which is incomplete: {}", preset_error.message));
        }
    }
    Some(provider_entry)
}

fn parse_entry(
    providers: &Table<'_>,
    name: &str,
    at: usize,
    item: &Item<'_>,
    env: Env<'_>,
) -> Option<ProviderEntry> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || !name.chars().all(is_allowed) {
        let message = format!(
            "the name of a provider may contain only letters, digits, -, _ and ., not `{name}`"
        );
        providers.diagnostics.error(at, message);
        return None;
    }
    if name == BUILTIN_PROVIDER {
        providers.diagnostics.error(
            at,
            format!("`{BUILTIN_PROVIDER}` is reserved for the built-in models: use another name"),
        );
        return None;
    }
    let parser = ProviderParser::new(name, at, item, env)?;
    let provider = parser.parse().ok().map(Arc::new);
    let weight = parser.section.optional_number("weight");
    let repair = parser.section.get("repair").and_then(|item| item.section());
    let repair = repair.map(|section| read_repair(&section));
    Some(ProviderEntry { name: name.to_owned(), provider, weight, repair })
}
