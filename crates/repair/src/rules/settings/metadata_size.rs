//! Removes metadata beyond the target's limits.
//!
//! ## Why
//! > Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an
//! > object with 20 properties instead.
//!
//! ## Example
//! ```text
//! before   metadata: 20 pairs
//! after    metadata: the first 16 of them
//! ```

use interlingua_model::LedgerPath;
use interlingua_providers::profile::settings::MetadataLimits;
use interlingua_wire::RawJson;

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    let Some(limits) = work.profile.settings.metadata else { return };
    let Some(metadata) = &work.conversation().settings.metadata else { return };
    if !metadata.is_object() {
        work.record_loss(LedgerPath::SETTINGS, "left out the metadata: it is no object");
        work.edit_settings().metadata = None;
        return;
    }
    if limits.max_pairs < limits.min_pairs {
        work.record_loss(LedgerPath::SETTINGS, "left out the metadata: the target accepts none");
        work.edit_settings().metadata = None;
        return;
    }
    let (accepted, count, removed) = accepted_pairs(metadata, limits);
    if removed > 0 || count < limits.min_pairs {
        work.record_loss(
            LedgerPath::SETTINGS,
            format!("left out {removed} pairs of metadata: too many or too long"),
        );
        work.edit_settings().metadata = (count >= limits.min_pairs).then_some(accepted);
    }
}

/// The accepted pairs, their count, and the count of those removed.
fn accepted_pairs(metadata: &RawJson, limits: MetadataLimits) -> (RawJson, usize, usize) {
    let doc = metadata.to_doc();
    let (mut count, mut removed) = (0, 0);
    let accepted = RawJson::object(|accepted| {
        for field in doc.root().fields() {
            let is_too_long =
                |text: &str, max: usize| text.len() > max && text.chars().count() > max;
            if count < limits.max_pairs
                && !is_too_long(&field.key(), limits.max_key_chars)
                && !is_too_long(&field.value.str_or_empty(), limits.max_value_chars)
            {
                count += 1;
                accepted.key_json_string(&field.key_json_string()).json(&field.value.json());
            } else {
                removed += 1;
            }
        }
    });
    (accepted, count, removed)
}
