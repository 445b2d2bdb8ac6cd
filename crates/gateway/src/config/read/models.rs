//! `[models]`: what clients ask for, and where it goes.

use super::providers::{self, Named};
use super::table::{Item, Table};
use crate::config::route::matched;
use crate::config::{Env, Models, Pattern, SIMULATED, Way};

/// A known provider that only a target names joins the providers.
pub(super) fn read(table: &Table<'_>, providers: &mut Vec<Named>, env: Env<'_>) -> Models {
    let mut models = Models::default();
    for (pattern, at, item) in table.items() {
        if pattern.is_empty() {
            table.report.mistake(at, "a pattern in [models] must not be empty");
            continue;
        }
        doubt(table, at, pattern, &models, providers);
        let targets =
            if item.is_list() { item.list().unwrap_or_default() } else { vec![item.clone()] };
        if targets.is_empty() {
            item.mistake("must name a target, such as \"PROVIDER/MODEL\"");
        }
        let ways = targets.iter().filter_map(|target| way(target, pattern, providers, env));
        models.patterns.push(Pattern { pattern: pattern.to_owned(), ways: ways.collect() });
    }
    models
}

/// Lines that are never reached.
fn doubt(table: &Table<'_>, at: usize, pattern: &str, models: &Models, providers: &[Named]) {
    // A pattern that takes the stars of another as letters takes whatever they stand for.
    let earlier = models.patterns.iter().find(|one| matched(&one.pattern, pattern).is_some());
    if let Some(earlier) = earlier {
        let what = format!("`{pattern}` is never reached: `{}` comes before it", earlier.pattern);
        table.report.warn(at, what);
    }
    let provider = pattern.split_once('/').map(|(provider, _)| provider);
    if let Some(named) = providers.iter().find(|named| Some(named.name.as_str()) == provider) {
        let what =
            format!("`{pattern}` is never reached: it goes to the provider `{}`", named.name);
        table.report.warn(at, what);
    }
}

/// A target: `"provider/model"`, or a table with `to` and `weight`.
fn way(item: &Item<'_>, pattern: &str, providers: &mut Vec<Named>, env: Env<'_>) -> Option<Way> {
    let mut weight = None;
    let to = if item.is_table() {
        let table = item.table()?;
        let to = table.item("to");
        table.set("weight", &mut weight, |item| item.small(1).map(Some));
        if to.is_none() {
            item.mistake(TABLE);
            return None;
        }
        table.close();
        to?
    } else {
        item.clone()
    };
    let Some(target) = to.as_str() else {
        to.mistake("must be a target, such as \"PROVIDER/MODEL\"");
        return None;
    };
    let (provider, model) = target.split_once('/').unwrap_or((target, ""));
    if provider.is_empty() || model.is_empty() {
        to.mistake(
            "must be \"PROVIDER/MODEL\"; the model can be *, for the one that was asked for",
        );
        return None;
    }
    let stars = model.replace("{*}", "*").matches('*').count();
    let alone = model == "*";
    if !alone && stars > pattern.matches('*').count() {
        to.mistake("has more * than its pattern: nothing says what they stand for");
        return None;
    }
    if provider != SIMULATED {
        let named = known(&to, provider, providers, env)?;
        weight = weight.or(named.weight);
    }
    Some(Way { provider: provider.to_owned(), model: model.to_owned(), weight })
}

fn known<'p>(
    item: &Item<'_>,
    name: &str,
    providers: &'p mut Vec<Named>,
    env: Env<'_>,
) -> Option<&'p Named> {
    if let Some(at) = providers.iter().position(|named| named.name == name) {
        return providers.get(at);
    }
    if let Some(named) = providers::implied(item, name, env) {
        providers.push(named);
        return providers.last();
    }
    let mut names: Vec<&str> = providers.iter().map(|named| named.name.as_str()).collect();
    names.extend(providers::names().chain([SIMULATED]));
    let what = format!("{} goes to `{name}`, which is no provider", item.name);
    item.report.unknown(item.at, &what, name, names);
    None
}

/// A name with a dot and without quotes is read as a table in a table.
const TABLE: &str = "must have `to`, such as { to = \"PROVIDER/MODEL\" }. A model's name with a dot in it needs quotes";
