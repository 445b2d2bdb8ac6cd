//! Parses `[models]`: patterns of model names and their targets.

use super::provider::preset_names;
use super::providers::{self, ProviderEntry};
use super::table::{Item, Section, Table};
use crate::config::model_routes::match_pattern;
use crate::config::{
    BUILTIN_MODELS_MISSING, BUILTIN_PROVIDER, Env, HAS_BUILTIN_MODELS, ModelName, ModelRoutes,
    Roles, RouteRule, WeightedTarget,
};

/// Adds presets that only a target mentions to the providers.
pub(super) fn parse(
    table: &Table<'_>,
    providers: &mut Vec<ProviderEntry>,
    env: Env<'_>,
) -> ModelRoutes {
    let mut models = ModelRoutes::default();
    for (pattern, at, item) in table.entries_in_order() {
        if pattern.is_empty() {
            table.diagnostics.error(at, "a pattern in [models] must not be empty");
            continue;
        }
        warn_unreachable(table, at, pattern, &models, providers);
        let targets =
            if item.is_list() { item.list().unwrap_or_default() } else { vec![item.clone()] };
        if targets.is_empty() {
            item.error("must name a target, such as \"PROVIDER/MODEL\"");
        }
        let weighted =
            targets.iter().filter_map(|target| parse_target(target, pattern, providers, env));
        models.rules.push(RouteRule { pattern: pattern.to_owned(), targets: weighted.collect() });
    }
    models
}

/// `[roles]`: each is one model of one provider.
pub(super) fn parse_roles(
    section: &Section<'_>,
    providers: &mut Vec<ProviderEntry>,
    env: Env<'_>,
) -> Roles {
    let compact = section.get("compact").and_then(|item| {
        let target = parse_target(&item, "", providers, env)?;
        let name = format!("{}/{}", target.provider, target.model_template);
        if target.model_template == "*" {
            item.error("must name one model: no name was requested that * could stand for");
            return None;
        }
        ModelName::parse(&name).map_err(|error| item.error(&error.to_string())).ok()
    });
    Roles { compact }
}

/// Warns of patterns that no request can reach.
fn warn_unreachable(
    table: &Table<'_>,
    at: usize,
    pattern: &str,
    models: &ModelRoutes,
    providers: &[ProviderEntry],
) {
    // A pattern that matches another one as a plain name matches every name that the other one
    // matches.
    let earlier = models.rules.iter().find(|rule| match_pattern(&rule.pattern, pattern).is_some());
    if let Some(earlier) = earlier {
        let message =
            format!("`{pattern}` is never reached: `{}` comes before it", earlier.pattern);
        table.diagnostics.warn(at, message);
    }
    let provider = pattern.split_once('/').map(|(provider, _)| provider);
    if let Some(entry) = providers.iter().find(|entry| Some(entry.name.as_str()) == provider) {
        let message =
            format!("`{pattern}` is never reached: it goes to the provider `{}`", entry.name);
        table.diagnostics.warn(at, message);
    }
}

/// A target: `"provider/model"`, or a table with `to` and `weight`.
fn parse_target(
    item: &Item<'_>,
    pattern: &str,
    providers: &mut Vec<ProviderEntry>,
    env: Env<'_>,
) -> Option<WeightedTarget> {
    let mut weight = None;
    let mut to = item.clone();
    if item.is_table() {
        if !item.has_entry("to") {
            item.error(TARGET_WITHOUT_TO);
            return None;
        }
        let section = item.section()?;
        weight = section.optional_number("weight");
        to = section.get("to")?;
    }
    let Some(target) = to.as_str() else {
        to.error("must be a target, such as \"PROVIDER/MODEL\"");
        return None;
    };
    let (provider, model) = target.split_once('/').unwrap_or((target, ""));
    if provider.is_empty() || model.is_empty() {
        to.error("must be \"PROVIDER/MODEL\"; the model can be *, for the requested model");
        return None;
    }
    let stars = model.replace("{*}", "*").matches('*').count();
    let is_wildcard = model == "*";
    if !is_wildcard && stars > pattern.matches('*').count() {
        to.error("has more * than its pattern");
        return None;
    }
    if provider == BUILTIN_PROVIDER {
        if !HAS_BUILTIN_MODELS {
            to.error(&format!("is a built-in model: {BUILTIN_MODELS_MISSING}"));
            return None;
        }
    } else {
        let entry = find_provider(&to, provider, providers, env)?;
        weight = weight.or(entry.weight);
    }
    Some(WeightedTarget { provider: provider.to_owned(), model_template: model.to_owned(), weight })
}

fn find_provider<'p>(
    item: &Item<'_>,
    name: &str,
    providers: &'p mut Vec<ProviderEntry>,
    env: Env<'_>,
) -> Option<&'p ProviderEntry> {
    if let Some(at) = providers.iter().position(|entry| entry.name == name) {
        return providers.get(at);
    }
    if let Some(entry) = providers::implied_entry(item, name, env) {
        providers.push(entry);
        return providers.last();
    }
    let mut names: Vec<&str> = providers.iter().map(|entry| entry.name.as_str()).collect();
    names.extend(preset_names().chain(HAS_BUILTIN_MODELS.then_some(BUILTIN_PROVIDER)));
    let message = format!("{} goes to `{name}`, which is not a provider", item.name);
    item.diagnostics.unknown_name(item.offset, &message, name, names);
    None
}

/// TOML reads an unquoted name with a dot as a table in a table.
const TARGET_WITHOUT_TO: &str = "must have `to`, such as { to = \"PROVIDER/MODEL\" }. A model's name with a dot in it needs quotes";
