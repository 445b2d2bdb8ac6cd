//! Removes setting values that the target does not know.
//!
//! For example a service tier, the verbosity of the answer, or the display of reasoning. An id that
//! is too long is sent in a shortened form, and one that is an email address as a hash.
//!
//! ## Why
//! > Invalid value: 'huge'. Supported values are: 'low', 'medium', and 'high'.
//!
//! > service_tier: Input should be 'auto' or 'standard_only'
//!
//! > metadata.user_id: user_id appears to contain an email address.
//!
//! ## Example
//! ```text
//! before   verbosity: huge
//! after    no verbosity
//! ```

use interlingua_model::{LedgerPath, derive_id};
use interlingua_wire::{JsonString, RawJson};

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    let settings_profile = &work.profile.settings;
    let settings = &work.conversation().settings;
    let unknown_value = |value: Option<&JsonString>, known: Option<&[&str]>| {
        let (Some(value), Some(known)) = (value, known) else { return None };
        let value = value.unescape();
        (!known.contains(&&*value)).then(|| value.into_owned())
    };
    // Values of another dialect are translated by the encoder.
    let same_dialect = work.is_same_dialect();
    let tier = unknown_value(
        settings.service_tier.as_ref().filter(|_| same_dialect),
        settings_profile.service_tiers,
    );
    let verbosity = unknown_value(settings.verbosity.as_ref(), settings_profile.verbosities);
    let requested_display =
        settings.reasoning.as_ref().and_then(|reasoning| reasoning.display.as_ref());
    let needs_beta = |value: &&JsonString| {
        settings_profile
            .beta_display
            .is_some_and(|(requested_display, _)| *value == requested_display)
    };
    let display = unknown_value(
        requested_display.filter(|value| same_dialect || needs_beta(value)),
        settings_profile.reasoning_displays,
    );
    let has_beta = |value: &String| {
        let beta = settings_profile
            .beta_display
            .filter(|(requested_display, _)| requested_display == value);
        beta.is_some_and(|(_, beta)| work.profile.shape_checker().has_beta(beta))
    };
    let display = display.filter(|value| !has_beta(value));
    if let Some(value) = tier {
        work.record_loss(
            LedgerPath::SETTINGS,
            format!("left out the service tier `{value}`: the target does not know it"),
        );
        work.edit_settings().service_tier = None;
    }
    if let Some(value) = verbosity {
        work.record_loss(
            LedgerPath::SETTINGS,
            format!("left out the verbosity `{value}`: the target does not know it"),
        );
        work.edit_settings().verbosity = None;
    }
    if let Some(value) = display {
        work.record_loss(
            LedgerPath::SETTINGS,
            format!("left out the reasoning display `{value}`: the target does not know it"),
        );
        if let Some(reasoning) = &mut work.edit_settings().reasoning {
            reasoning.display = None;
        }
    }
    shorten_ids(work);
    hash_email_id(work);
}

/// Derived from the address alone, so that the same user always has the same id.
fn hash_email_id(work: &mut Work<'_>) {
    let user = work.conversation().settings.user.as_ref();
    let checked_user = user.filter(|_| !work.profile.settings.user_id_may_be_email);
    let Some(user) = checked_user.filter(|id| contains_email(&id.unescape())).cloned() else {
        return;
    };
    work.edit_settings().user = Some(derive_id("user_", &user, 0));
    work.record_change(
        LedgerPath::SETTINGS,
        "the user's id contains an email address: a hash is sent",
    );
}

/// Whether the id contains a text like `name@host.tld`.
fn contains_email(id: &str) -> bool {
    let in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-');
    let in_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let mut parts = id.split('@');
    let mut name = parts.next().unwrap_or_default();
    parts.any(|rest| {
        let has_local_part = std::mem::replace(&mut name, rest).ends_with(in_name);
        let host = rest.split(|c| !in_host(c)).next().unwrap_or_default();
        let is_top_level = |at: usize| {
            let end = host[at + 1..].bytes().take_while(u8::is_ascii_alphabetic).count();
            at > 0 && end >= 2
        };
        has_local_part && host.match_indices('.').any(|(at, _)| is_top_level(at))
    })
}

fn shorten_ids(work: &mut Work<'_>) {
    let settings_profile = &work.profile.settings;
    let settings = &work.conversation().settings;
    let if_too_long = |id: Option<&JsonString>, max: usize| {
        id.filter(|id| id.raw().len() > max && id.unescape().chars().count() > max).cloned()
    };
    // The length of a value that is no string is not checked.
    let is_string = |names: &[&str]| {
        let mut fields =
            work.conversation().top_level_fields.iter().filter(|_| work.is_same_dialect());
        !fields.any(|field| {
            names.contains(&&*field.key.unescape())
                && field.value != RawJson::NULL
                && field.value.json_string().is_none()
        })
    };
    let key = if_too_long(settings.cache_key.as_ref(), settings_profile.max_cache_key_chars)
        .filter(|_| is_string(&["prompt_cache_key"]));
    let user = if_too_long(settings.user.as_ref(), settings_profile.max_user_id_chars)
        .filter(|_| is_string(&["user", "safety_identifier"]));
    let is_rejected = settings_profile.max_user_id_chars == 0 && settings.user.is_some();
    if let Some(key) = key {
        work.edit_settings().cache_key = Some(derive_id("cache_", &key, 0));
        work.record_change(
            LedgerPath::SETTINGS,
            "the cache key is too long: a shortened form is sent",
        );
    }
    if is_rejected {
        work.record_loss(
            LedgerPath::SETTINGS,
            "left out the user's id: the target does not accept it",
        );
        work.edit_settings().user = None;
    } else if let Some(user) = user {
        work.edit_settings().user = Some(derive_id("user_", &user, 0));
        work.record_change(
            LedgerPath::SETTINGS,
            "the user's id is too long: a shortened form is sent",
        );
    }
}
