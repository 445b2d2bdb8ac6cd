//! Facts that a user configures: a flavor of its own, made of a known one and of a table of facts.

use interlingua_model::{DialectId, Lessons};
use interlingua_wire::JsonString;

use crate::custom_flavor::{self, SPELLING};
use crate::facts::{Fact as _, FactEntry, FactError, FactErrors, FactKey, FactNode, FactValue};
use crate::profile::Profile;
use crate::resolve::resolve;
use crate::spelling::{anthropic, openai_chat};
use crate::{PRESETS, flavors};

/// A flavor of `dialect` that differs from `base` in the facts of this table. The same table always gets
/// the same flavor.
pub fn add_flavor(
    dialect: DialectId,
    base: Option<&'static str>,
    quirks: &FactNode,
) -> Result<&'static str, Vec<FactError>> {
    let mut errors = FactErrors::default();
    let resolved = resolve(dialect, base, None, &Lessons::default());
    let Some(mut profile) = resolved.map(|profile| Profile::clone(&profile)) else {
        errors.expected::<Profile>(quirks);
        return Err(errors.into_vec());
    };
    let quirks = expand_references(dialect, &profile, quirks);
    let (facts, spelling) = custom_flavor::split_spelling(&quirks);
    profile.patch(&facts, &mut errors);
    if let Some(spelling) = spelling {
        errors.within(SPELLING, |errors| check_spelling(dialect, base, &spelling, errors));
    }
    if !errors.is_empty() {
        return Err(errors.into_vec());
    }
    Ok(&custom_flavor::add(dialect, base, quirks).name)
}

/// The known flavor that a flavor is or is made of.
pub fn base_flavor(flavor: Option<&'static str>) -> Option<&'static str> {
    match flavor.and_then(custom_flavor::find) {
        Some(custom) => custom.base,
        None => flavor,
    }
}

/// The facts of a target as a table of groups; `None` for dialects without providers.
pub fn to_node(
    dialect: DialectId,
    flavor: Option<&'static str>,
    model: Option<&str>,
    lessons: &Lessons,
) -> Option<FactNode> {
    let model = model.map(JsonString::new);
    let profile = resolve(dialect, flavor, model.as_ref(), lessons)?;
    Some(with_spelling(&profile, dialect, flavor))
}

/// A profile and the spelling of a flavor as a table of groups.
pub(crate) fn with_spelling(
    profile: &Profile,
    dialect: DialectId,
    flavor: Option<&str>,
) -> FactNode {
    let mut node = profile.to_node();
    if let (FactValue::Table(groups), Some(spelling)) =
        (&mut node.value, spelling_to_node(dialect, flavor))
    {
        groups.push(FactEntry { key: FactKey::new(SPELLING), node: spelling });
    }
    node
}

/// Replaces names of providers by what those have in that place.
fn expand_references(dialect: DialectId, base: &Profile, quirks: &FactNode) -> FactNode {
    let mut expanded = quirks.clone();
    for (group, entry) in expanded.entries_mut().flat_map(|group| {
        let name = group.key.name.clone();
        group.node.entries_mut().map(move |entry| (name.clone(), entry))
    }) {
        let Some(text) = entry.node.as_text().map(str::to_owned) else { continue };
        let Some((flavor, model)) = find_reference(dialect, &text) else { continue };
        let mut errors = FactErrors::default();
        let single = FactNode::entry(&entry.key.name, entry.node.clone());
        base.clone().patch(&FactNode::entry(&group, single), &mut errors);
        // Where the text is a valid value, it is no reference.
        if !errors.is_empty()
            && let Some(facts) = to_node(dialect, flavor, model, &Lessons::default())
            && let Some(value) = facts.get(&group).and_then(|group| group.get(&entry.key.name))
        {
            entry.node.value = value.value.clone();
        }
    }
    expanded
}

/// The flavor and model of `PROVIDER` or `PROVIDER/MODEL`.
pub(crate) fn find_reference(
    dialect: DialectId,
    text: &str,
) -> Option<(Option<&'static str>, Option<&str>)> {
    let (name, model) = match text.split_once('/') {
        Some((name, model)) => (name, Some(model)),
        None => (text, None),
    };
    let flavor = flavors(dialect).iter().find(|flavor| **flavor == name);
    let flavor = flavor.map(|flavor| Some(*flavor)).or_else(|| {
        let preset = PRESETS.iter().find(|preset| preset.name == name)?;
        let alternates = preset.alternates.iter().map(|other| (other.dialect, other.flavor));
        let mut variants = [(preset.dialect, preset.flavor)].into_iter().chain(alternates);
        variants.find(|(other, _)| *other == dialect.0).map(|(_, flavor)| flavor)
    })?;
    Some((flavor, model))
}

/// The spelling of a flavor as a table; `None` for dialects that all servers spell alike.
fn spelling_to_node(dialect: DialectId, flavor: Option<&str>) -> Option<FactNode> {
    let mut node = match dialect.0 {
        "anthropic" => anthropic::Flavor::find(flavor).to_node(),
        "openai-chat" => openai_chat::Flavor::find(flavor).to_node(),
        _ => return None,
    };
    if let FactValue::Table(entries) = &mut node.value {
        entries.retain(|entry| entry.key.name != NAME);
    }
    Some(node)
}

/// Reports the errors of facts that are to change the spelling of a flavor.
fn check_spelling(
    dialect: DialectId,
    base: Option<&str>,
    facts: &FactNode,
    errors: &mut FactErrors,
) {
    let entries = facts.entries().unwrap_or_default();
    for entry in entries.iter().filter(|entry| entry.key.name == NAME) {
        errors.unknown_key(&entry.key, &[]);
    }
    match dialect.0 {
        "anthropic" => { *anthropic::Flavor::find(base) }.patch(facts, errors),
        "openai-chat" => { *openai_chat::Flavor::find(base) }.patch(facts, errors),
        _ => entries.iter().for_each(|entry| errors.unknown_key(&entry.key, &[])),
    }
}

/// The name of a flavor is none of its facts.
const NAME: &str = "name";
