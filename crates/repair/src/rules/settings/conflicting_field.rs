//! Removes a setting that conflicts with other settings or is out of range.
//!
//! This covers fields that only the target's own dialect has, such as the number of log
//! probabilities, and the setting for parallel calls in a request without tools.
//!
//! ## Why
//! > The 'stream_options' parameter is only allowed when 'stream' is enabled.
//!
//! > Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are
//! > specified.
//!
//! > Unsupported parameter: 'parallel_tool_calls' is not supported with this model.
//!
//! > Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.
//!
//! > logprobs are not supported with reasoning models.
//!
//! > Encrypted content is not supported with this model.
//!
//! > Container identifier can only be provided when using the code execution tool
//!
//! > CachedContent can not be used with GenerateContent request setting system_instruction, tools or
//! > tool_config.
//!
//! ## Example
//! ```text
//! before   stream_options: …   no stream
//! after    no stream
//! ```

use interlingua_model::{LedgerPath, ToolKind, TopLevelField};
use interlingua_providers::profile::settings::{ConflictCondition, FieldConflict};
use interlingua_wire::{JsonNode, RawJson};

use crate::engine::Work;
use crate::query::tool_choice;
use crate::values::number;

pub(super) fn apply(work: &mut Work<'_>) {
    if !work.profile.settings.supports_store && work.conversation().settings.store.is_some() {
        work.record_loss(LedgerPath::SETTINGS, "left out `store`: the target has no such setting");
        work.edit_settings().store = None;
    }
    drop_parallel(work);
    if !work.is_same_dialect() {
        return;
    }
    for conflict in work.profile.settings.conflicts {
        let checker = work.profile.shape_checker();
        let is_conflicting = |field: &TopLevelField| {
            checker.is_same_name(&field.key.unescape(), conflict.field)
                && field.value != RawJson::NULL
        };
        let Some(at) = work.conversation().top_level_fields.iter().position(is_conflicting) else {
            continue;
        };
        if is_met(work, conflict, at) {
            remove_field(work, conflict, at);
        }
    }
}

/// Removes the setting for parallel calls where the target has none, or where the request has no
/// tools: tools of another dialect are not sent, and legacy functions are called one at a time.
fn drop_parallel(work: &mut Work<'_>) {
    let choice = work.profile.settings.tool_choice;
    let is_set = work.conversation().settings.parallel_tool_calls.is_some();
    let has_no_tools =
        !tool_choice::has_encoded_tools(work) || tool_choice::offers_legacy_functions(work);
    if is_set && !choice.parallel_setting {
        let message = "left out the setting for parallel calls: the target has none";
        work.record_loss(LedgerPath::SETTINGS, message);
        work.edit_settings().parallel_tool_calls = None;
    } else if is_set && !choice.parallel_without_tools && has_no_tools {
        let message = "left out the setting for parallel calls: there are no tools";
        work.record_change(LedgerPath::SETTINGS, message);
        work.edit_settings().parallel_tool_calls = None;
    }
}

fn is_met(work: &Work<'_>, conflict: &FieldConflict, at: usize) -> bool {
    let settings = &work.conversation().settings;
    let fields = &work.conversation().top_level_fields;
    let value = &fields[at].value;
    match conflict.condition {
        ConflictCondition::Always => true,
        ConflictCondition::WhileReasoning => work.is_reasoning_enabled(),
        ConflictCondition::TrueWhileReasoning => {
            *value == RawJson::TRUE && work.is_reasoning_enabled()
        }
        ConflictCondition::ModelNeverReasons => !work.profile.reasoning.configurable,
        ConflictCondition::NotStreamed => settings.stream != Some(true),
        ConflictCondition::ToolsPresent => !work.conversation().tools.is_empty(),
        ConflictCondition::TrueWithToolsAndStream => {
            *value == RawJson::TRUE
                && !work.conversation().tools.is_empty()
                && settings.stream == Some(true)
        }
        ConflictCondition::FieldNotTrue(other) => {
            !fields.iter().any(|field| field.key == other && field.value == RawJson::TRUE)
        }
        ConflictCondition::HostedToolMissing(start) => {
            let tools = &work.conversation().tools;
            !tools.iter().any(|tool| match &tool.kind {
                ToolKind::Foreign { kind, .. } => kind.unescape().starts_with(start),
                ToolKind::Function { .. } | ToolKind::Freeform { .. } => false,
            })
        }
        ConflictCondition::NonEmptyText => value.json_string().is_some_and(|text| !text.is_empty()),
        ConflictCondition::FieldPresent(other) => {
            fields.iter().any(|field| field.key == other && field.value != RawJson::NULL)
        }
        ConflictCondition::AnyFieldPresent(others) => {
            let checker = work.profile.shape_checker();
            let is_other = |field: &TopLevelField| {
                let key = field.key.unescape();
                field.value != RawJson::NULL
                    && others.iter().any(|name| checker.is_same_name(&key, name))
            };
            let conversation = work.conversation();
            let has_prompt = !conversation.system.is_empty() || !conversation.tools.is_empty();
            value.json_string().is_some_and(|text| !text.is_empty())
                && (has_prompt || fields.iter().any(is_other))
        }
        ConflictCondition::OutOfRange(range) => {
            number::parse(value).is_none_or(|number| !range.contains(number))
        }
        ConflictCondition::OutOfRangeWhileReasoning(range) => {
            work.is_reasoning_enabled()
                && number::parse(value).is_some_and(|number| !range.contains(number))
        }
        ConflictCondition::LongerThan(max) => {
            value.json_string().is_some_and(|text| text.unescape().chars().count() > max)
        }
    }
}

fn remove_field(work: &mut Work<'_>, conflict: &FieldConflict, at: usize) {
    let field = &work.conversation().top_level_fields[at];
    let Some(item) = conflict.list_item else {
        work.record_loss(
            LedgerPath::BODY,
            format!("left out `{}`: it conflicts with the other settings", conflict.field),
        );
        work.edit_top_level_fields().remove(at);
        // The decoded setting is removed as well.
        if conflict.field == STREAM_OPTIONS {
            work.edit_settings().stream_usage = None;
        }
        return;
    };
    let doc = field.value.to_doc();
    if !doc.root().items().any(|entry| entry.str_or_empty() == item) {
        return;
    }
    let remaining: Vec<RawJson> = doc
        .root()
        .items()
        .filter(|entry| entry.str_or_empty() != item)
        .map(JsonNode::json)
        .collect();
    work.record_loss(
        LedgerPath::BODY,
        format!("left out `{item}` of `{}`: it conflicts with the other settings", conflict.field),
    );
    if remaining.is_empty() {
        work.edit_top_level_fields().remove(at);
    } else {
        work.edit_top_level_fields()[at].value =
            RawJson::array(|list| remaining.iter().for_each(|item| list.item().json(item)));
    }
}

const STREAM_OPTIONS: &str = "stream_options";
