//! Rewrites a number that is written as another type, or removes it.
//!
//! A string that contains a number becomes that number; an integer with a fraction of zero is
//! written without it. Anything that is no number is removed, and the provider's default applies.
//!
//! ## Why
//! > temperature: Input should be a valid number
//!
//! > Invalid type for 'max_output_tokens': expected an integer, but got a string instead.
//!
//! ## Example
//! ```text
//! before   temperature: "0.5"   top_p: "high"
//! after    temperature: 0.5
//! ```

use interlingua_model::{LedgerPath, Settings, TopLevelField};
use interlingua_providers::profile::settings::NumberFormat;
use interlingua_wire::{JsonKind, RawJson};

use crate::engine::Work;
use crate::values::number;

/// One numeric setting and its accessors.
struct NumberSetting {
    name: &'static str,
    is_integer: bool,
    get: Getter,
    get_mut: fn(&mut Settings) -> &mut Option<RawJson>,
}

pub(super) fn apply(work: &mut Work<'_>) {
    let format = work.profile.settings.number_format;
    if format == NumberFormat::Unchecked && work.is_same_dialect() {
        return;
    }
    if work.is_same_dialect() {
        drop_shadowed(work, format);
    }
    let is_unchecked = work.is_same_dialect() && !work.profile.settings.checks_all_numbers;
    for NumberSetting { name, is_integer, get, get_mut } in NUMBER_SETTINGS {
        let Some(value) = get(&work.conversation().settings) else { continue };
        let is_in_sibling_field = *name == SEED && is_sibling_seed(work);
        if is_unchecked && (*name == UNCHECKED || is_in_sibling_field) {
            continue;
        }
        // Targets that accept numbers as strings accept a fraction here.
        let is_integer = *is_integer
            && !(*name == FRACTION_ALLOWED
                && format == NumberFormat::AllowStrings
                && work.is_same_dialect());
        let Some(corrected_value) = corrected(value, is_integer, format) else { continue };
        let value = value.clone();
        if let Some(corrected_value) = &corrected_value {
            let message =
                format!("`{name}` is {} instead of {}", corrected_value.as_str(), value.as_str());
            work.record_change(LedgerPath::SETTINGS, message);
        } else {
            let message = format!("left out `{name}`: {} is no number", truncated(&value));
            work.record_loss(LedgerPath::SETTINGS, message);
        }
        *get_mut(work.edit_settings()) = corrected_value;
    }
    if !is_unchecked
        && work
            .conversation()
            .settings
            .reasoning
            .as_ref()
            .is_some_and(|reasoning| reasoning.budget_tokens.is_some())
    {
        fix_budget(work, format);
    }
}

/// Whether the seed is in a field that only other servers of the dialect read.
fn is_sibling_seed(work: &Work<'_>) -> bool {
    let has = |key: &str| work.conversation().top_level_fields.iter().any(|field| field.key == key);
    // A renamed field is encoded again.
    has(RANDOM_SEED) && !has(SEED) && !work.profile.settings.renamed_fields.contains(&SEED)
}

/// Removes invalid number fields if another field sets the same value.
fn drop_shadowed(work: &mut Work<'_>, format: NumberFormat) {
    for (name, get_setting) in SHADOWED_FIELDS {
        let settings = &work.conversation().settings;
        let is_invalid = |field: &TopLevelField| {
            field.key == *name
                && field.value != RawJson::NULL
                && Some(&field.value) != get_setting(settings)
                && corrected(&field.value, true, format).is_some()
        };
        if let Some(at) = work.conversation().top_level_fields.iter().position(is_invalid) {
            let value = work.edit_top_level_fields().remove(at).value;
            let message = format!(
                "left out `{name}`: {} is no number, and another field sets it",
                truncated(&value)
            );
            work.record_loss(LedgerPath::SETTINGS, message);
        }
    }
}

fn fix_budget(work: &mut Work<'_>, format: NumberFormat) {
    let Some(reasoning) = &work.conversation().settings.reasoning else { return };
    let Some(value) = reasoning.budget_tokens.clone() else { return };
    let Some(corrected_value) = corrected(&value, true, format) else { return };
    let message = format!("the reasoning budget was {}", truncated(&value));
    match &corrected_value {
        Some(corrected_value) => {
            work.record_change(
                LedgerPath::SETTINGS,
                format!("{message}: sent as {}", corrected_value.as_str()),
            );
        }
        None => {
            work.record_loss(LedgerPath::SETTINGS, format!("{message}: left out, it is no number"));
        }
    }
    if let Some(reasoning) = &mut work.edit_settings().reasoning {
        reasoning.budget_tokens = corrected_value;
    }
}

/// The corrected number, `Some(None)` if it must be removed, `None` if it is valid.
#[expect(
    clippy::option_option,
    reason = "outer: whether to change the value; inner: the new value"
)]
fn corrected(value: &RawJson, is_integer: bool, format: NumberFormat) -> Option<Option<RawJson>> {
    let kind = value.kind();
    let Some(parsed) = number::parse(value) else { return Some(None) };
    let has_fraction = is_integer && parsed.fract() != 0.0;
    let is_well_formed = match format {
        NumberFormat::AllowStrings => {
            value.json_string().is_none_or(|text| is_bare(&text.unescape()))
        }
        NumberFormat::Unchecked | NumberFormat::Numbers => kind == JsonKind::Number,
        NumberFormat::PlainIntegers => {
            kind == JsonKind::Number && (!is_integer || number::is_plain_integer(value))
        }
    };
    if is_well_formed && !has_fraction {
        return None;
    }
    Some(Some(number::to_json(if is_integer { number::to_safe_integer(parsed) } else { parsed })))
}

/// Whether there is no white space around the number in its string.
fn is_bare(text: &str) -> bool {
    text.trim() == text
}

fn truncated(value: &RawJson) -> String {
    value.as_str().chars().take(40).collect()
}

macro_rules! number_setting {
    ($name:ident, $whole:literal) => {
        NumberSetting {
            name: stringify!($name),
            is_integer: $whole,
            get: |settings| settings.$name.as_ref(),
            get_mut: |settings| &mut settings.$name,
        }
    };
}

type Getter = fn(&Settings) -> Option<&RawJson>;

const SEED: &str = "seed";
const RANDOM_SEED: &str = "random_seed";
const FRACTION_ALLOWED: &str = "top_k";

/// Setting that not every target checks.
const UNCHECKED: &str = "top_k";

/// Fields with a second spelling, and the setting that both are decoded to.
const SHADOWED_FIELDS: &[(&str, Getter)] = &[
    ("max_tokens", |settings| settings.max_tokens.as_ref()),
    ("seed", |settings| settings.seed.as_ref()),
];

const NUMBER_SETTINGS: &[NumberSetting] = &[
    number_setting!(max_tokens, true),
    number_setting!(temperature, false),
    number_setting!(top_p, false),
    number_setting!(top_k, true),
    number_setting!(seed, true),
    number_setting!(presence_penalty, false),
    number_setting!(frequency_penalty, false),
    number_setting!(candidate_count, true),
];
