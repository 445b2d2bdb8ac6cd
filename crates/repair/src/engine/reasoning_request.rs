//! Determines the reasoning settings of a request from the fields that the target reads.
//!
//! Servers of one dialect have different fields for reasoning. Decoding reads all of them, because
//! it does not know the server; the target reads only its own. Where the results differ, the
//! target's counts. The request still leaves unchanged until its settings are encoded again, and
//! then without the fields that the target ignores.

use interlingua_model::{LedgerPath, ReasoningMode, ReasoningSettings, TopLevelField};
use interlingua_providers::profile::reasoning::ReasoningProfile;
use interlingua_wire::{JsonKind, JsonNode, JsonString, RawJson};

use crate::engine::Work;

/// Meaning of one field for the target.
enum ReasoningField {
    Effort(JsonString),
    /// Whether to reason, and with which token budget.
    Switch(bool, Option<RawJson>),
}

/// Replaces the decoded reasoning settings by the target's reading; returns whether they differ.
pub(crate) fn apply_target_reading(work: &mut Work<'_>) -> bool {
    let row = &work.profile.reasoning;
    if row.request_fields.is_empty() || !work.is_same_dialect() {
        return false;
    }
    let decoded = work.conversation().settings.reasoning.clone();
    let fields = &work.conversation().top_level_fields;
    let reasoning_fields: Vec<ReasoningField> =
        fields.iter().filter_map(|field| read_field(row, field)).collect();
    // A field that the target names differently is still to be renamed.
    let renamed = work.profile.settings.renamed_fields;
    let is_renamed = |field: &TopLevelField| {
        renamed.contains(&&*field.key.unescape()) && field.value != RawJson::NULL
    };
    if reasoning_fields.is_empty() && fields.iter().any(is_renamed) {
        return false;
    }
    let reading = combine_fields(reasoning_fields, row.reasons_by_default);
    let is_same = match &decoded {
        None => reading == ReasoningSettings::default(),
        // Effort and visibility may be given in addition to a switch.
        Some(decoded) => {
            decoded.mode == reading.mode
                && (reading.effort == decoded.effort || has_reasoning_switch(work))
                && (reading.budget_tokens == decoded.budget_tokens
                    || reading.mode == Some(ReasoningMode::On))
        }
    };
    if !is_same {
        work.override_reasoning((reading != ReasoningSettings::default()).then_some(reading));
    }
    !is_same
}

/// Removes the fields that the target ignores, if the settings are encoded again.
pub(crate) fn remove_ignored_fields(work: &mut Work<'_>) {
    let (row, dialect) = (&work.profile.reasoning, work.profile.dialect);
    if work.conversation().settings.text_for(dialect).is_some() {
        return;
    }
    let is_reasoning_field = |field: &TopLevelField| {
        let key = field.key.unescape();
        let is_read = row.request_fields.iter().any(|(is_read, _)| *is_read == key);
        (is_read || row.ignored_fields.contains(&&*key)) && field.value != RawJson::NULL
    };
    let mode = work.conversation().settings.reasoning.as_ref().and_then(|reasoning| reasoning.mode);
    // Of two contradicting switches, the one that differs from the mode is removed.
    let matches_mode = |reasoning_field: &ReasoningField| match reasoning_field {
        ReasoningField::Effort(_) => true,
        ReasoningField::Switch(on, _) => *on == (mode != Some(ReasoningMode::Off)),
    };
    let is_ignored = |field: &TopLevelField| {
        is_reasoning_field(field)
            && !read_field(row, field).is_some_and(|reasoning_field| matches_mode(&reasoning_field))
    };
    while let Some(at) = work.conversation().top_level_fields.iter().position(is_ignored) {
        let field = work.edit_top_level_fields().remove(at);
        let description = format!("left out `{}`: the target ignores it", field.key);
        work.record_loss(LedgerPath::SETTINGS, description);
    }
}

/// Whether reasoning is a switch that may be combined with an effort.
fn has_reasoning_switch(work: &Work<'_>) -> bool {
    work.profile.reasoning.request_fields.iter().any(|(_, kind)| *kind != JsonKind::String)
}

/// The meaning of a field, if the target reads it.
fn read_field(row: &ReasoningProfile, field: &TopLevelField) -> Option<ReasoningField> {
    let kind = field.value.kind();
    let mut request_fields = row.request_fields.iter();
    request_fields.find(|(key, request_kind)| field.key == *key && *request_kind == kind)?;
    if let Some(word) = field.value.json_string() {
        return Some(ReasoningField::Effort(word));
    }
    let doc = field.value.to_doc();
    let word = doc.root().get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    let budget = doc.root().get("budget_tokens").filter(|budget| !budget.is_null());
    let on = match (field.value.as_bool(), &*word) {
        (Some(on), _) => on,
        (None, "enabled") => true,
        (None, "disabled") => false,
        (None, _) => return None,
    };
    Some(ReasoningField::Switch(on, budget.map(JsonNode::json)))
}

/// Combines the fields: of two switches, the one that differs from the model's default counts.
fn combine_fields(
    reasoning_fields: Vec<ReasoningField>,
    reasons_by_default: bool,
) -> ReasoningSettings {
    let mut combined = ReasoningSettings::default();
    for field in reasoning_fields {
        match field {
            ReasoningField::Effort(word) if word == "none" => {
                combined.mode = Some(ReasoningMode::Off);
            }
            ReasoningField::Effort(word) => combined.effort = Some(word),
            ReasoningField::Switch(on, budget) => {
                let mode = if on { ReasoningMode::On } else { ReasoningMode::Off };
                if combined.mode.is_none() || on != reasons_by_default {
                    combined.mode = Some(mode);
                }
                combined.budget_tokens = combined.budget_tokens.or(budget);
            }
        }
    }
    combined
}
